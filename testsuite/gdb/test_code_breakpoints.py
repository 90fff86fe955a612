# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB's breakpoints in code that ompdbg decodes: it sees the code without them. Code that has changed
since the last stop it sees as it is."""

from typing import Dict, List

import build  # from fixtures/
import pytest

from harness import processes, setup

_INT3 = 0xCC


@pytest.mark.parametrize("variant", ("O2", "clang"))
@pytest.mark.parametrize("name", ("many", "hung"))
def test_threads_are_the_same_with_breakpoints_in_calls(name: str, variant: str) -> None:
    try:
        program = str(setup.program(name, variant))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    task: Dict[str, List[str]] = {"arguments": []}
    found = processes.run_gdb("code_breakpoints.py", task, [program]).result
    assert set(found["bytes"]) == {_INT3}
    assert found["after"] == found["before"] == found["again"]
    assert found["changed"] != found["before"]
