# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No command leaves anything behind: not a setting, a breakpoint or another selection, unless that
is what it is for; and the program goes on to its end as it does without GDB. The commands are those
that GDB lists: a new one is tried without being named here."""

import subprocess
from pathlib import Path
from typing import Any, Dict, List, Set

import build  # from fixtures/
import pytest

from harness import lines, own_programs, processes

SELECTION = {"thread", "level", "pc"}
# What these are for.
MEANT = {
    "omp break": {"breakpoints"},
    "omp delete": {"breakpoints"},
    "omp finish": SELECTION,
    "omp frame": SELECTION,
    "omp step": SELECTION,
    "omp task": SELECTION,
    "omp thread": SELECTION,
    "set omp": {"settings"},
}
# What settings change in the program's environment.
ENVIRONMENT = {"set omp record": ("LD_PRELOAD", "ASAN_OPTIONS")}
# Command lines where the name alone would not do.
LINES: Dict[str, List[str]] = {
    "omp apply": [
        "omp apply bt 1",
        "omp apply -num 0-1 thread",
        "omp apply -level 1 -q -- frame 0",
        "omp apply -s nonsense",
        "omp apply -num 1 up",
    ],
    "omp break": ["omp break", "omp break task-begin in task", "omp break parallel-end if 0"],
    "omp bt": ["omp bt", "omp bt -full", "omp bt -all", "omp bt -json"],
    "omp env": ["omp env", "omp env -json"],
    "omp frame": ["omp frame", "omp frame 1:0"],
    "omp icvs": ["omp icvs", "omp icvs -all", "omp icvs -thread", "omp icvs -json"],
    "omp locks": ["omp locks", "omp locks -json"],
    "omp print": ["omp print mine", "omp print -all /x threads", "omp print -json mine"],
    "omp regions": ["omp regions", "omp regions -json"],
    "omp task": ["omp task 1", "omp task #1 -json"],
    "omp tasks": ["omp tasks", "omp tasks -queued", "omp tasks -by-function", "omp tasks -json"],
    "omp thread": ["omp thread 1", "omp thread 1.0"],
    "omp threads": ["omp threads", "omp threads -state wait", "omp threads -json"],
    "omp why": ["omp why", "omp why 1", "omp why -json"],
    "set omp debug": ["set omp debug on", "set omp debug off"],
    "set omp frame-filter": ["set omp frame-filter off", "bt", "set omp frame-filter on", "bt"],
    "set omp library": ["set omp library auto"],
    "set omp record": ["set omp record on", "set omp record off"],
    "set omp thread-names": ["set omp thread-names on", "info threads"],
}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_every_command(compiler: str, tmp_path: Path) -> None:
    try:
        flags = ("-O0", "-g", "-fopenmp")
        program = own_programs.compiled("steps.c", tmp_path / "steps", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    source = own_programs.source("steps.c").read_text(encoding="utf-8").splitlines()
    first = next(n for n, one in enumerate(source, 1) if one.endswith("LINE: region-first"))
    spec: Dict[str, Any] = {
        "arguments": ["4"],
        "stop": "steps.c:{} if $_omp_thread_num() == 2".format(first),
        "first": ["up"],
        "lines": LINES,
        "last": ["omp delete", "set omp thread-names off"],
    }
    done = processes.run_gdb("left.py", spec, [str(program)])
    commands, report = done.result["commands"], done.result["report"]
    assert {"omp threads", "omp why", "set omp library", "show omp library"} <= set(commands)
    assert set(LINES) <= set(commands)
    for line, one in report.items():
        name = max(filter(line.startswith, commands), key=len, default=line)
        meant: Set[str] = next(
            (what for prefix, what in MEANT.items() if f"{name} ".startswith(f"{prefix} ")), set()
        )
        if one["error"] is not None:
            assert lines.error_problems(one["error"]) == [], line
            meant = set()
        left = {what: how for what, how in one["changed"].items() if how}
        assert set(left) <= meant, (line, left)
        # Of settings, only the one that is set.
        for setting in left.get("settings", ()):
            words = (name[len("set omp ") :], *ENVIRONMENT.get(name, ()))
            assert any(word in setting for word in words), (line, left)
        if line.endswith(" -nonsense"):
            assert one["error"], line
    failed = {line for line, one in report.items() if one["error"] and "-nonsense" not in line}
    # The region has ended before, and its tasks.
    ended = {line for line in failed if line.startswith(("omp thread ", "omp task "))}
    assert failed - ended <= {"omp history", "omp llvm-plugin"}, {
        line: report[line]["error"] for line in failed
    }
    alone = subprocess.run(
        [str(program), "4"], env=processes.environment(), stdout=subprocess.PIPE
    )
    assert alone.returncode == 0 and done.result["code"] in (0, None)
    assert alone.stdout.decode() in done.output


def test_another_frame_and_then_another_thread(tmp_path: Path) -> None:
    """It is the user's frame that is given back, not the one in which a value was read."""
    flags = ("-O0", "-g", "-fopenmp")
    program = own_programs.compiled("steps.c", tmp_path / "steps", flags, "gcc")
    nested = [
        "from ompdbg.inferior import selection",
        "kept = selection.KeptIfChanged()",
        "kept.__enter__()",
        "other = selection.frame(gdb.newest_frame().older())",
        "other.__enter__()",
        "user = gdb.selected_thread()",
        "selection.switch([t for t in gdb.selected_inferior().threads() if t.num == 1][0])",
        "user.switch()",
        "other.__exit__(None, None, None)",
        "kept.__exit__()",
    ]
    source = own_programs.source("steps.c").read_text(encoding="utf-8").splitlines()
    first = next(n for n, one in enumerate(source, 1) if one.endswith("LINE: region-first"))
    commands = ["break steps.c:{} if $_omp_thread_num() == 1".format(first), "run"]
    commands += ["python " + "; ".join(nested)]
    where = "@python (gdb.selected_thread().num, gdb.selected_frame().level())"
    commands = [*commands[:2], where, *commands[2:], where]
    spec = {"commands": commands}
    said = processes.run_gdb("session.py", spec, [str(program)]).result
    assert said[-1] == said[2] and said[2]["value"][1] == 0, said


# The first who selects another thread does so within what gives the selection back itself.
NESTED = """
from ompdbg.inferior import selection
with selection.KeptIfChanged():
    with selection.kept():
        gdb.selected_inferior().threads()[0].switch()
        with selection.frame(gdb.newest_frame().older()):
            pass
"""


def test_selections_within_each_other(tmp_path: Path) -> None:
    program = own_programs.compiled("captured.c", tmp_path / "captured")
    number = "@python gdb.selected_thread().num"
    commands = ["thread 1", number, "thread 2", number]
    commands[1:1] = commands[4:4] = ["python exec({!r})".format(NESTED)]
    said = processes.run_gdb(
        "session.py", {"commands": commands, "stop": "inspect"}, [str(program)]
    ).result
    assert [one["value"] for one in said if "value" in one] == [1, 2]
