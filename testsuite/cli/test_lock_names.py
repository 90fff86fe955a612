# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What locks are called that have no name of their own: after the pointers that lead to them, in the
frame that waits or in an older one. The program says where its locks are."""

import re
from pathlib import Path
from typing import Any, List, Set

import build  # from fixtures/
import pytest
from conftest import OMPDBG
from harness import own_programs, rest, terminal

SOURCE = Path(__file__).resolve().parent / "programs/lock_names.c"
# Optimized code has the index no more.
WITHOUT_INDEX = ("all[7]", "shared.nodes[3].lock")
# No register is believed that a call may have changed; its copy has no name. An older frame may have
# the variable that it was made from.
WITHOUT_COPY = ("held",)
FROM = {"held": "mine"}


def marked(mark: str) -> List[str]:
    """Return what comments in the source say, in the order of the threads."""
    return re.findall(rf"// {mark}: (.*)$", SOURCE.read_text(encoding="utf-8"), re.M)


@pytest.mark.parametrize("level", ("-O0", "-O2"))
@pytest.mark.parametrize("family", ("gcc", "clang"))
def test_names(ompdbg: Any, family: str, level: str, tmp_path: Path) -> None:
    names, (older,) = marked("NAME"), marked("OLDER")
    try:
        options = (level, "-g", "-fopenmp")
        program = own_programs.compiled(str(SOURCE), tmp_path / "program", options, family)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with rest.hanging([str(program)], len(names), tmp_path) as process:
        threads = ompdbg.json("threads", process.pid)["threads"]
        text = ompdbg.run("threads", process.pid).stdout
        narrow = terminal.printed([OMPDBG, "threads", process.pid], 60)
    places = (tmp_path / "places").read_text(encoding="utf-8").split()
    waits = [one["wait"] for one in sorted(threads, key=lambda one: int(one["thread_num"]))]
    assert [wait["address"] for wait in waits] == places
    assert {wait["symbol"] for wait in waits} == {None}
    found = [wait["variable"] for wait in waits]
    if level == "-O0":
        assert found == names
        # In a narrow table, the end of a name stays, which distinguishes it.
        assert "lock shared...[3].lock\x1b" in narrow, narrow
        return
    lost = WITHOUT_INDEX + (WITHOUT_COPY if family == "clang" else ())
    expected = [*names[:-1], older]
    for name, wanted in zip(found, expected):
        assert name == wanted or (wanted in lost and name in (None, FROM.get(wanted))), found
    assert f"lock {older} ({places[-1]}, in by_caller)" in text


@pytest.mark.parametrize(
    "source, family, names",
    (
        ("spaces.cpp", "gcc", {"locks[3]", "all[4]", "own[5]"}),
        ("spaces.cpp", "clang", {"locks[3]", "all[4]", "own[5]"}),
        ("spaces.f90", "gcc", {"locks(4)"}),
        ("spaces.f90", "clang", {"locks(4)"}),
        ("guards.cpp", "gcc", {"owner->guards[0].lock", "owner->guards[1].lock"}),
        ("guards.cpp", "clang", {"owner->guards[0].lock", "owner->guards[1].lock"}),
    ),
)
def test_names_by_debug_information(
    ompdbg: Any, source: str, family: str, names: Set[str], tmp_path: Path
) -> None:
    """Variables of namespaces and of modules lead to locks, as those outside of them do, and objects of
    classes that another unit describes."""
    path = str(SOURCE.with_name(source))
    more = [str(SOURCE.with_name("guards_elsewhere.cpp"))] if source == "guards.cpp" else []
    flags = ("-O0", "-g", "-fopenmp")
    try:
        program = own_programs.compiled(path, tmp_path / "program", flags, family, more)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    threads = 3 if source == "spaces.cpp" else 2
    with rest.hanging([str(program)], threads, tmp_path) as process:
        locks = ompdbg.json("locks", process.pid)["locks"]
    assert {lock["variable"] for lock in locks} == names
