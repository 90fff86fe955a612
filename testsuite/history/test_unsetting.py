# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A thread that is about to release one lock still holds another."""

import json
from pathlib import Path

import pytest
from conftest import compiled, gdb


@pytest.mark.parametrize("option", ("-O0", "-O2"))
@pytest.mark.parametrize("compiler", ("gcc", "clang"))
def test_who_unsets_another_lock_is_the_owner(compiler: str, option: str, tmp_path: Path) -> None:
    """As soon as it may have released the lock itself, that is not certain."""
    program = compiled(compiler, "unsetting.c", tmp_path, option)
    # Each function is entered twice: in libompt-gomp.so, and in the runtime.
    stop = ("continue", "python print('AT ' + gdb.selected_frame().name())", "omp locks -json")
    commands = [
        "set omp record on",
        "break getppid",
        "run",
        "delete",
        "break omp_unset_lock",
        *(stop * 4),
    ]
    shown = gdb(*commands, arguments=[str(program)])
    found = []
    for part in shown.split("AT omp_unset_lock\n")[1:]:
        document = json.JSONDecoder().raw_decode(part[part.index('{"schema"') :])[0]
        found.append([(lock["symbol"], lock["owner"]) for lock in document["locks"]])
    assert len(found) == 4, shown
    assert found[:3] == [[("outer", 1)]] * 3
    assert found[3:] == [[("outer", None)]]
