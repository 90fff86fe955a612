# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM's plug-in for GDB, as Debian packages it and as it is built here, over our OMPD library: on
a runtime with OMPD support it finds the library by itself, on others it is lent by a command."""

import re
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

import pytest

from harness import oracle, processes, setup

import build  # from fixtures/

COMMANDS = ("ompd threads", "ompd parallel", "ompd icvs", "ompd bt on")
# To know an ICV, memory may be read that is not there, as behind the end of the environment: by
# itself, the plug-in does not survive that.
SAFE_COMMANDS = tuple(command for command in COMMANDS if command != "ompd icvs")
# Which by itself ends in tracebacks in some states, too.
CONTINUED = "bt 1000"
ALL_COMMANDS = COMMANDS[:-1] + (
    "ompd test",
    "ompd taskframes",
    "ompd bt on continued",
    CONTINUED,
    "ompd bt off",
    COMMANDS[-1],
)
STATE = ("nested", "2", "2", "2")
_ROW = re.compile(
    r"^ *(\d+) +(?:\(master\) )?ompt_state_(\w+) +\d+ +0x[0-9a-f]+ (\S+) +(\S+):(\d+)$"
)
_REGION = re.compile(r"^Parallel Region: Nesting Level (\d+): Team Size: (\d+)$")
_THREAD = re.compile(r"^Thread (\d+) \(\d+\) is an OpenMP thread; state: ompt_state_(\w+)$", re.M)
_ICV = re.compile(r"^(\S+-var) +(address_space|thread|parallel|task) +(\S.*)$", re.M)
_FRAME = re.compile(r"^#\d+ +(?:0x[0-9a-f]+ in )?(?:@thread 1: )?([\w.<>]+)", re.M)
_PRINTED = re.compile(r"^<<< (.*)\n((?:.*\n)*?)>>>$", re.M)
# What of these the program's own routines answer.
ICVS = {
    "active-levels-var": "active_level",
    "bind-var": "proc_bind",
    "cancel-var": "cancellation",
    "default-device-var": "default_device",
    "dyn-var": "dynamic",
    "final-task-var": "in_final",
    "levels-var": "level",
    "max-active-levels-var": "max_active_levels",
    "max-task-priority-var": "max_task_priority",
    "nthreads-var": "max_threads",
    "num-procs-var": "num_procs",
    "team-size-var": "num_threads",
    "thread-limit-var": "thread_limit",
    "thread-num-var": "thread_num",
}


class Setting(NamedTuple):
    """Which plug-in runs on which runtime."""

    tool: str  # that makes the folder with the plug-in
    release: int
    variant: str
    lend: bool

    def __str__(self) -> str:
        origin = "built" if self.tool == "build-libomp" else "packaged"
        return "{}{}-{}".format(origin, self.release, self.variant)


ALONE = [Setting("build-libomp", n, "ompd{}".format(n), False) for n in build.OMPD_RELEASES]
LENT = [
    Setting("libomp-folder", release, variant, True)
    for release, variant in (
        (19, "ompd23"),
        (16, "omp16"),
        (19, "omp19"),
        (22, "ompd23"),
        (22, "clang"),
    )
]


def plugin_folder(setting: Setting) -> Path:
    """Where it is; skips the test if it can't be had."""
    options = build.Variant((), release=setting.release, library="gdb", tool=setting.tool)
    try:
        folder = build.runtime_folder(options) / "ompd"
    except build.Skipped as reason:
        pytest.skip(str(reason))
    problem = setup.plugin_problem(folder, setting.release)
    if problem:
        pytest.skip(problem)
    return folder


@lru_cache(maxsize=None)
def program_of(setting: Setting, name: str) -> Path:
    try:
        return setup.program(name, setting.variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def knows_frames(setting: Setting) -> bool:
    """Whether its programs are run with OMP_DEBUG: only then the runtime records frames."""
    return setting.variant.startswith("ompd")


@lru_cache(maxsize=None)
def run(setting: Setting, commands: Tuple[str, ...], *program_line: str) -> Dict[str, Any]:
    """What the plug-in's commands say at a state of a fixture."""
    name, *arguments = program_line
    task = {
        "plugin": str(plugin_folder(setting)),
        "lend": setting.lend,
        "commands": commands,
        "arguments": arguments,
        "oracle": name == "nested",
        "last": "ompd step" if name == "nested" else None,
    }
    variables = {"OMP_DEBUG": "enabled"} if knows_frames(setting) else {}
    program = program_of(setting, name)
    with tempfile.TemporaryDirectory(prefix="ompdbg-test-") as folder:
        if not setting.lend:
            # A copy, because ompdbg is in the same GDB, and a library serves one debugger.
            shutil.copy(str(setup.LIBRARY), folder)
            variables["LD_LIBRARY_PATH"] = folder
        # Of itself the plug-in tells each symbol that it does not find with a traceback.
        done = processes.run_gdb(
            "llvm_plugin.py", task, [str(program)], variables, clean=setting.lend
        )
    said: Dict[str, Any] = done.result
    for command, text in _PRINTED.findall(done.output):
        said[command] = {"text": text}
    return said


def regions(text: str) -> List[Tuple[int, int, List[Tuple[str, ...]]]]:
    """Of `ompd parallel`: level, size and rows of each region."""
    found: List[Tuple[int, int, List[Tuple[str, ...]]]] = []
    for line in text.splitlines():
        region, row = _REGION.match(line), _ROW.match(line)
        if region is not None:
            found.append((int(region.group(1)), int(region.group(2)), []))
        elif row is not None:
            found[-1][2].append(row.groups())
    return found


def alike(states: Dict[int, str]) -> Dict[int, str]:
    """By thread. The runtime records a lock for a critical region; ompdbg sees what it is."""
    return {number: state.replace("critical", "lock") for number, state in states.items()}


def answers(said: Dict[str, Any]) -> oracle.Answers:
    """What the program's routines say in the first thread."""
    return oracle.Answers.from_buffer_copy(bytes.fromhex(said["oracle"][0]["program"]))


@pytest.mark.parametrize("setting", ALONE + LENT, ids=str)
def test_answers_are_right(setting: Setting) -> None:
    said = run(setting, ALL_COMMANDS if setting.lend else SAFE_COMMANDS, *STATE)
    assert "Loaded OMPD lib successfully!" in said["ompd init"]["text"]
    assert said["selected"] == 1
    true = answers(said)
    rows = {row["gdb"]: row for row in said["threads"]["threads"]}

    # ompd parallel: every region around the thread, and the states of its own team.
    found = regions(said["ompd parallel"]["text"])
    levels = list(range(true.level, 0, -1))
    assert [(level, size) for level, size, _ in found] == [(n, true.team_size[n]) for n in levels]
    assert [len(members) for _, size, members in found] == [true.team_size[n] for n in levels]
    team = [row for row in rows.values() if row["team"] == rows[1]["team"]]
    states = {row["thread_num"]: row["state"] for row in team}
    assert alike({int(row[0]): row[1] for row in found[0][2]}) == alike(states)
    assert {(Path(row[3]).name, int(row[4])) for row in found[0][2]} == {
        ("nested.c", build.line_of("nested", "critical") - 5)
    }

    # ompd icvs: as the program says.
    if not setting.lend:
        return
    icvs = {name: value for name, _, value in _ICV.findall(said["ompd icvs"]["text"])}
    assert {name: icvs[name] for name in ICVS} == {
        name: str(getattr(true, field)) for name, field in ICVS.items()
    }


@pytest.mark.parametrize("setting", LENT, ids=str)
def test_threads_are_as_ours(setting: Setting) -> None:
    said = run(setting, ALL_COMMANDS if setting.lend else SAFE_COMMANDS, *STATE)
    found = {int(n): state for n, state in _THREAD.findall(said["ompd threads"]["text"])}
    rows = [row for row in said["threads"]["threads"] if row["openmp"]]
    assert alike(found) == alike({row["gdb"]: row["state"] for row in rows})
    assert len(found) == 8


@pytest.mark.parametrize("setting", ALONE + LENT, ids=str)
def test_stack(setting: Setting) -> None:
    """Without frames of the runtime: as the plug-in has it, or else ompdbg; and a step."""
    said = run(setting, ALL_COMMANDS if setting.lend else SAFE_COMMANDS, *STATE)
    functions = _FRAME.findall(said["bt"]["text"])
    assert functions[:2] == ["fixture_ready", "state_reached"]
    assert "nested.c:" in said["bt"]["text"]
    assert [name for name in functions if name.startswith("__kmp_")] == []
    assert "Error" not in said["ompd step"]["text"]
    assert said["line"] > 0


@pytest.mark.parametrize("setting", LENT, ids=str)
def test_the_other_commands(setting: Setting) -> None:
    """Those that developers of the plug-in have for themselves among them."""
    said = run(setting, ALL_COMMANDS, *STATE)
    assert [command for command in ALL_COMMANDS if "error" in said[command]] == []
    functions = re.findall(r"^get_task_function value: (\d+)$", said["ompd test"]["text"], re.M)
    rows = regions(said["ompd parallel"]["text"])
    entries = re.findall(r" 0x([0-9a-f]+) ", said["ompd parallel"]["text"])
    assert rows and [int(function) for function in functions] == [int(entries[0], 16)]
    assert re.findall(r"^0x\w+ 0x\w+$", said["ompd taskframes"]["text"], re.M) != []
    # The stack that goes on in other threads: of this one it is the whole.
    functions = _FRAME.findall(said[CONTINUED]["text"])
    assert functions[:2] == ["fixture_ready", "state_reached"]
    assert "rror" not in said[CONTINUED]["text"]


@pytest.mark.parametrize("setting", LENT[-1:], ids=str)
def test_survives_many_threads(setting: Setting) -> None:
    """With LLVM's library, it often does not beyond 32."""
    said = run(setting, ("ompd parallel", "ompd threads") * 5, "many", "64")
    found = regions(said["ompd parallel"]["text"])
    assert [(level, size, len(team)) for level, size, team in found] == [(1, 64, 64)]
    states = {int(n): state for n, state in _THREAD.findall(said["ompd threads"]["text"])}
    rows = said["threads"]["threads"]
    assert alike(states) == alike({row["gdb"]: row["state"] for row in rows})


def test_nothing_is_lent_without_the_plugin(tmp_path: Path) -> None:
    (tmp_path / "__init__.py").write_text("", encoding="utf-8")
    program = program_of(LENT[-1], "many")
    task = {
        "plugin": str(tmp_path),
        "lend": True,
        "commands": [],
        "oracle": False,
        "arguments": ["1"],
    }
    said = processes.run_gdb("llvm_plugin.py", task, [str(program)]).result
    assert said["lent"] == {
        "error": "omp llvm-plugin: LLVM's plug-in is not loaded; source its ompd/__init__.py."
    }
