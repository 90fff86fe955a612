# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables that are kept: none is given again once anything that it rests on has changed, whether GDB
tells of that or not. That none is kept of processes elsewhere, test_environments.py has."""

import build  # from fixtures/
import pytest

from harness import processes, setup


@pytest.mark.parametrize("variant", ["O2", "clang"])
def test_whatever_changes(variant: str) -> None:
    try:
        program = str(setup.program("many", variant))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    found = processes.run_gdb("kept.py", {"arguments": "4"}, [program]).result
    assert found["wrong"] == []
    assert found["kept"] >= 2, "the second time at one stop, and that without GDB's unwinder"
    assert found["memory"] > 0, "what was changed tells something"
    different = found["different"]
    assert different["same place"] == different["register"] == different["frame"] == 0
    assert different["narrow"] == 2 and different["wide"] == 0
    assert different["thread"] == 1 and different["thread again"] == 0
    assert different["inferiors"] >= 1
    assert found["recorded"] == 0, "a past that is replayed is not in memory"
    assert found["marked"] == ["1.1"]
