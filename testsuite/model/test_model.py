# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C interface (ompdbg.h, target.h) on core files of programs in known states."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Sequence, Tuple

import pytest
from harness import own_programs, processes, setup

import build  # from fixtures/
import states

TOOLS = setup.LOADER.parent / "testsuite" / "model"
# The functions of an OMPD library that is none of ours.
_EXTENSION = "ompd_ext_"
# Members of the JSON documents, by enum ompdbg_view.
VIEWS = (
    "threads",
    "tasks",
    "tasks",
    "counts",
    "stacks",
    "regions",
    "locks",
    "findings",
    "runtimes",
    "icvs",
    "environment",
)

pytestmark = pytest.mark.skipif(
    bool(processes.kernel_core_problem()), reason=processes.kernel_core_problem() or "none"
)


def core_of(folder: Path, name: str, variant: str, *arguments: str) -> Path:
    """A core file of a program in its state."""
    try:
        program = setup.program(name, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    return processes.kernel_core(program, arguments, folder)


def run(tool: str, *words: object) -> "subprocess.CompletedProcess[str]":
    """Runs a program of this folder."""
    command = [str(TOOLS / tool), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def facts(core: Path, library: Path = setup.LIBRARY) -> Dict[str, Any]:
    """All that the interface tells of a core file."""
    done = run("print_model", library, core)
    assert (done.returncode, done.stderr) == (0, "")
    found: Dict[str, Any] = json.loads(done.stdout)
    return found


def path_of(thread: Dict[str, Any]) -> Tuple[int, ...]:
    """Numbers of a thread from the outermost region inwards."""
    if not thread["team"] or thread["team"] == "-":
        return ()
    return (*map(int, thread["team"].split(".")[1:]), thread["thread_num"])


def check_threads(rows: Sequence[states.Expected], threads: List[Dict[str, Any]]) -> None:
    """Each thread in a region is one of a row of the program's header."""
    left = [thread for thread in threads if path_of(thread)]
    for row in rows:
        fit = [one for one in left if row.matches(path_of(one), one["team_size"])]
        if row.count is not None:
            # Several rows may be for the same numbers: they differ in what the threads do.
            fit = [one for one in fit if one["wait"] == row.state or row.state == "ready"]
            assert row.optional or len(fit) >= row.count, row
            fit = fit[: row.count]
        for one in fit:
            left.remove(one)
            wait = None if row.state in ("ready", "parked") else row.state
            assert one["wait"] == wait, (row, one)
    assert not left


def check_tasks(rows: Sequence[states.ExpectedTask], tasks: List[Dict[str, Any]]) -> None:
    """The explicit tasks are those of the program's header."""
    expected = sorted(
        (row.line, row.status, -1 if row.thread is None else row.thread)
        for row in rows
        for _ in range(int(row.count))
    )
    explicit = [task for task in tasks if task["kind"] == "explicit"]
    assert sorted((one["line"], one["status"], one["thread_num"]) for one in explicit) == expected


@pytest.mark.parametrize("variant", ["O2", "clang"])
@pytest.mark.parametrize(
    "words", ["nested 3 2 4", "tasks kinds", "tasks depend", "tasks nested", "regions in 2"]
)
def test_states(words: str, variant: str, tmp_path: Path) -> None:
    name, *arguments = words.split()
    found = facts(core_of(tmp_path, name, variant, *arguments))
    state = states.state(name, *arguments, traits=build.VARIANTS[variant].traits)
    check_threads(state.threads, found["threads"])
    check_tasks(state.tasks, found["tasks"])
    assert not found["damaged"]


@pytest.mark.parametrize("variant", ["O2", "clang"])
def test_teams(variant: str, tmp_path: Path) -> None:
    found = facts(core_of(tmp_path, "nested", variant, "3", "2", "4"))
    teams = {team["label"]: team for team in found["teams"]}
    first = [f"1.{outer}" for outer in range(3)]
    second = [f"1.{outer}.{middle}" for outer in range(3) for middle in range(2)]
    assert list(teams) == sorted(["1", *first, *second])
    for labels, level, size, line in (
        (["1"], 1, 3, build.line_of("nested", "middle-call") - 3),
        (first, 2, 2, build.line_of("nested", "inner-call") - 2),
        (second, 3, 4, build.line_of("nested", "critical") - 7),
    ):
        for label in labels:
            team = teams[label]
            assert (team["level"], team["size"]) == (level, size)
            assert team["parent"] == (label.rpartition(".")[0] or None)
            assert len(team["threads"]) == (size if level == 3 else 0)
            assert Path(team["file"]).name == "nested.c"
            assert abs(team["line"] - line) <= 4  # that of the call, or of the construct
    members = [number for label in second for number in teams[label]["threads"]]
    assert sorted(members) == [one["number"] for one in found["threads"] if one["openmp"] == 1]


def test_two_runtimes(tmp_path: Path) -> None:
    """A program of GCC's with a library of Clang's."""
    if shutil.which("clang") is None:
        pytest.skip("no clang")
    library = tmp_path / "libboth.so"
    flags = ["-O2", "-g", "-fopenmp", "-fPIC", "-shared"]
    source = str(own_programs.source("both_library.c"))
    subprocess.run(["clang", *flags, source, "-o", str(library)], check=True)
    link = ["-L" + str(tmp_path), "-lboth", "-Wl,-rpath," + str(tmp_path)]
    flags = ["-O2", "-g", "-fopenmp", "-Wl,--no-as-needed", *link]
    program = own_programs.compiled("both.c", tmp_path / "both", flags)
    found = facts(processes.kernel_core(program, (), tmp_path))
    at_work = sorted(
        (one["runtime"], one["function"]) for one in found["threads"] if one["wait"] == "barrier"
    )
    assert at_work == [
        ("libgomp", "open_here"),
        ("libomp", "library_region"),
        ("libomp", "library_region"),
    ]
    runtimes = [team["runtime"] for team in found["teams"]]
    assert runtimes == ["libgomp"] * 2 + ["libomp"] * 2
    assert [team["label"] for team in found["teams"]] == ["1", "2", "3", "4"]


@pytest.mark.parametrize("variant", ["O2", "clang"])
def test_library_without_extensions(variant: str, tmp_path: Path) -> None:
    """A library with the standard's functions only: numbers come from its lists of threads."""
    names = subprocess.run(
        ["nm", "-D", "--defined-only", str(setup.LIBRARY)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    standard = [n for n in names if n.startswith("ompd_") and not n.startswith(_EXTENSION)]
    script = tmp_path / "map"
    script.write_text(f"{{ global: {' '.join(n + ';' for n in standard)} local: *; }};")
    objects = sorted((setup.LIBRARY.parent / "libompd.so.p").glob("*.o"))
    plain = tmp_path / "libompd.so"
    code = setup.LIBRARY.parents[1] / "libcode" / "libcode.a"
    flags = ["-shared", "-Wl,--no-undefined", f"-Wl,--version-script={script}"]
    command = ["gcc", *flags, "-o", plain, *objects, code, "-lZydis"]
    subprocess.run(list(map(str, command)), check=True)
    core = core_of(tmp_path, "nested", variant, "2", "2", "2")
    ours, theirs = facts(core), facts(core, plain)
    assert theirs["tasks"] == []
    assert [team["label"] for team in theirs["teams"]] == [team["label"] for team in ours["teams"]]
    for one, other in zip(ours["threads"], theirs["threads"]):
        for key in ("openmp", "team", "thread_num", "team_size", "level", "active_level"):
            assert one[key] == other[key], key


@pytest.mark.parametrize("variant", ["O2", "clang"])
def test_broken_services(variant: str, tmp_path: Path) -> None:
    """Ctrl-C, and failures, at every moment."""
    done = run("break_services", setup.LIBRARY, core_of(tmp_path, "hung", variant))
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("variant", ["O2", "clang"])
def test_too_much_memory(variant: str, tmp_path: Path) -> None:
    """A target whose threads would take more memory than a command may have."""
    done = run("endless_threads", setup.LIBRARY, core_of(tmp_path, "hung", variant))
    assert done.returncode == 0, (done.stdout, done.stderr)


def test_example(tmp_path: Path) -> None:
    """What docs/examples/teams.c prints."""
    done = run("example_teams", core_of(tmp_path, "nested", "O2", "1", "2", "2"), setup.LIBRARY)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert [line.partition(",")[0] for line in lines] == [
        "team 1: 1 threads",
        "team 1.0: 2 threads",
        "team 1.0.0: 2 threads",
        "team 1.0.1: 2 threads",
    ]
    assert "opened in outer at " in lines[0]


def test_views(tmp_path: Path) -> None:
    """Every view of ompdbg_print(), as JSON and as text."""
    core = core_of(tmp_path, "hung", "O2")
    for view, member in enumerate(VIEWS):
        text = run("print_model", setup.LIBRARY, core, view, "text")
        assert (text.returncode, text.stderr) == (0, "")
        assert text.stdout.strip()
        document = json.loads(run("print_model", setup.LIBRARY, core, view, "json").stdout)
        assert document["schema"] == "ompdbg/1"
        assert document[member]
    unknown = run("print_model", setup.LIBRARY, core, 99, "json")
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert unknown.stderr == "ompdbg_print: unknown view 99\n"


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    core = core_of(tmp_path, "notomp", "O2", "single")
    absent = tmp_path / "absent"
    for library, file, words in (
        (setup.LIBRARY, absent, f"{absent}: {os.strerror(2)}"),
        (setup.LIBRARY, empty, "core"),
        (setup.LIBRARY, core, "no libgomp, libomp or libiomp5 in the program"),
        (absent, core, "cannot open shared object file"),
        (
            TOOLS / "../../libompdbg/libompdbg.so.0",
            core,
            "no OMPD library: ompd_initialize is missing",
        ),
    ):
        done = run("print_model", library, file)
        assert done.returncode == 1
        assert len(done.stderr.splitlines()) == 1
        assert words in done.stderr
