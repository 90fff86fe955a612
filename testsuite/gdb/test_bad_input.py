# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the commands say when there is nothing to say, or what there is makes no sense: one clear
line each, in bounded time, and GDB goes on. That GDB does not hang, and prints no traceback, is
seen to by whoever starts it (harness/processes.py)."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Sequence

import build  # from fixtures/
import pytest

from harness import lines, own_programs, processes, setup
from harness.processes import Finished

# Variants of the fixtures: one on each family of runtimes.
RUNTIMES = ("O2", "clang")

NOT_RUN = "the program is not running."
NO_RUNTIME = "no libgomp, libomp or libiomp5 in the program."
NO_LIBRARIES = (
    "the core file does not tell the program's libraries: it is truncated, or {} is not the"
    " program that wrote it."
)
NO_PROGRAM = 'no program is loaded; use "file {}".'
OTHER_PROGRAM = '{} is not the program of the core file; use "file {}".'
FIND_LIBRARY = 'name its folder with "set solib-search-path" or "set sysroot".'
NOT_FOUND = "GDB does not find {}, or another file is there; " + FIND_LIBRARY
OTHER_LIBRARY = "{} is not the file that the core file has loaded; " + FIND_LIBRARY
NO_SYMBOLS = "{} is statically linked and stripped: nothing tells where in it libgomp is."
NOT_READ = 'the symbols of {} have not been read; use "sharedlibrary".'


def fixture(name: str, variant: str = "O2") -> str:
    """The path of a program; skips the test if it cannot be built."""
    try:
        return str(setup.program(name, variant))
    except build.Skipped as reason:
        pytest.skip("{}/{}: {}".format(variant, name, reason))
        raise


def run(scenario: str, command_line: Sequence[str] = (), **more: Any) -> Finished:
    """One GDB in one situation. It prints `alive` when the commands are done."""
    finished = processes.run_gdb("bad_input.py", dict(more, scenario=scenario), command_line)
    assert "alive" in finished.output.splitlines()
    return finished


def assert_fail(said: List[Dict[str, Any]], reason: str) -> None:
    """Every command fails with the same reason."""
    assert lines.problems(said, True) == []
    assert {one["error"].partition(": ")[2] for one in said} == {reason}


# ---- No process -----------------------------------------------------------------------------


def test_no_program() -> None:
    assert_fail(run("nothing").result, NOT_RUN)


@pytest.mark.parametrize("variant", RUNTIMES)
def test_program_not_started(variant: str) -> None:
    assert_fail(run("nothing", [fixture("hung", variant)]).result, NOT_RUN)


@pytest.mark.parametrize("variant", RUNTIMES)
def test_program_has_ended(variant: str) -> None:
    assert_fail(run("exited", [fixture("many", variant)]).result, NOT_RUN)


@pytest.mark.parametrize("variant", RUNTIMES)
def test_run_again(variant: str) -> None:
    found = run("run_again", [fixture("many", variant)], runs=["4", "2"]).result
    for said, threads in zip(found["runs"], (4, 2)):
        assert lines.problems(said, False) == []
        assert not [one for one in said if "error" in one]
        table = next(one["text"] for one in said if one["command"] == "omp threads")
        assert "{} threads: ".format(threads) in table
    assert_fail(found["killed"], NOT_RUN)


# ---- No OpenMP ------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["single", "pthread"])
def test_program_without_openmp(mode: str) -> None:
    said = run("at_ready", [fixture("notomp")], arguments=[mode]).result
    assert_fail(said, NO_RUNTIME)


def test_stripped_static_program() -> None:
    """Nothing tells where the runtime is in it."""
    program = fixture("hung", "static-stripped")
    with processes.ready_program(Path(program), []) as pid:
        said = run("nothing", [program, "-p", str(pid)]).result
    assert_fail(said, NO_SYMBOLS.format(program))


# ---- Core files -----------------------------------------------------------------------------


@pytest.fixture(scope="module", params=RUNTIMES)
def core(tmp_path_factory: pytest.TempPathFactory, request: Any) -> Path:
    """A core file of the program hung, in a folder with a copy of the program."""
    problem = processes.kernel_core_problem()
    if problem:
        pytest.skip(problem)
    folder = tmp_path_factory.mktemp("core")
    program = folder / "hung"
    shutil.copy2(fixture("hung", request.param), str(program))
    return processes.kernel_core(program, [], folder)


def test_core_without_its_program(core: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "core"
    shutil.copy2(str(core), str(elsewhere))
    program = core.parent / "hung"
    program.rename(core.parent / "gone")
    try:
        said = run("nothing", ["-core", str(elsewhere)]).result
    finally:
        (core.parent / "gone").rename(program)
    if setup.gdb_version() >= 18 and "text" in said[0]:
        # It finds the libraries by what the core file says was mapped.
        assert lines.problems(said, False) == []
        assert said[0]["text"].startswith("Runtime       libgomp, ")
        return
    assert_fail(said, NO_PROGRAM.format(program))


def test_core_with_another_program(core: Path) -> None:
    other = fixture("notomp")
    said = run("nothing", [other, str(core)]).result
    assert_fail(said, OTHER_PROGRAM.format(other, core.parent / "hung"))


def test_core_without_its_libraries(core: Path, tmp_path: Path) -> None:
    program = str(core.parent / "hung")
    found = run("with_sysroot", sysroot=str(tmp_path), core=str(core), program=program)
    assert_fail(found.result, NOT_FOUND.format(library_of(program)))


def test_core_of_another_build_of_its_program(core: Path, tmp_path: Path) -> None:
    other = own_programs.compiled("names.c", tmp_path / "hung")
    said = run("nothing", [str(other), str(core)]).result
    assert_fail(said, OTHER_PROGRAM.format(other, core.parent / "hung"))


def test_core_with_another_library(core: Path, tmp_path: Path) -> None:
    """The file has the build id of another one."""
    program = str(core.parent / "hung")
    library = library_of(program)
    copy = tmp_path / str(library).lstrip("/")
    content = library.read_bytes()
    at = content.index(b"\x14\0\0\0\x03\0\0\0GNU\0") + 12
    copy.parent.mkdir(parents=True)
    copy.write_bytes(content[:at] + bytes(20) + content[at + 20 :])
    found = run("with_sysroot", sysroot=str(tmp_path), core=str(core), program=program)
    # GDB from 16 on looks at the build id too, and does not take the file.
    taken = OTHER_LIBRARY.format(copy), NOT_FOUND.format(library)
    assert_fail(found.result, taken[str(copy) not in found.result[0]["error"]])


def test_library_whose_symbols_are_not_read(core: Path) -> None:
    program = str(core.parent / "hung")
    before = ["-iex", "set auto-solib-add off"]
    said = run("nothing", [*before, program, str(core)]).result
    assert_fail(said, NOT_READ.format(library_of(program)))


def library_of(program: str, name: str = "lib(?:gomp|omp)") -> Path:
    """The runtime that a program loads, or another library."""
    done = subprocess.run(["ldd", program], stdout=subprocess.PIPE, check=True)
    found = re.search(name + r"\.so\.\d+ => (\S+)", done.stdout.decode())
    assert found is not None
    return Path(found.group(1))


def patched(library: Path, copy: Path) -> None:
    """A copy whose omp_get_thread_num(), and omp_get_level() of libgomp, read other fields."""
    names = ["omp_get_thread_num", "omp_get_level"][: 2 if "gomp" in library.name else 1]
    content = bytearray(library.read_bytes())
    symbols = subprocess.run(
        ["readelf", "-W", "--dyn-syms", str(library)], stdout=subprocess.PIPE, check=True
    )
    functions = {}  # one may have several versions
    for line in symbols.stdout.decode().splitlines():
        words = line.split()
        if len(words) == 8 and words[7].split("@")[0] in names:
            functions[int(words[1], 16)] = int(words[2])
    assert len(functions) == len(names)
    for start, size in functions.items():
        at = content.find(b"\x8b", start, start + size)  # mov DISPLACEMENT(%reg),%eax
        while at >= 0 and content[at + 1] & 0xC0 != 0x40:
            at = content.find(b"\x8b", at + 1, start + size)
        assert at >= 0
        content[at + 2] ^= 0x20
    copy.parent.mkdir(parents=True)
    copy.write_bytes(bytes(content))


def test_library_that_contradicts_the_layout(core: Path, tmp_path: Path) -> None:
    program = str(core.parent / "hung")
    library = library_of(program)
    patched(library, tmp_path / str(library).lstrip("/"))
    for other in ("/lib64/ld-linux-x86-64.so.2", str(library_of(program, "libc"))):
        copy = tmp_path / other.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(other, str(copy))
    found = run("with_sysroot", sysroot=str(tmp_path), core=str(core), program=program)
    if found.result[0].get("text") == run("nothing", [program, str(core)]).result[0].get("text"):
        pytest.skip("from this build of " + library.name + " nothing is read there")
    assert lines.problems(found.result, True) == []
    reasons = {one["error"].partition(": ")[2] for one in found.result}
    assert len(reasons) == 1
    assert "omp_get_" in reasons.pop()


def test_truncated_cores(core: Path, tmp_path: Path) -> None:
    whole = core.read_bytes()
    names = []
    sizes = [len(whole) * percent // 100 for percent in (0, 1, 5, 20, 40, 60, 80, 90, 97, 99)]
    sizes += [len(whole) - missing for missing in (1, 1000, 5000, 20000)]
    for size in sizes:
        path = tmp_path / "core.{}".format(size)
        path.write_bytes(whole[:size])
        names.append(str(path))
    program = str(core.parent / "hung")
    found = run("truncated", [program], cores=names).result
    assert set(found) == set(names)
    for name, opened in found.items():
        assert lines.problems(opened["said"], not opened["opened"]) == [], name
    assert_fail(found[names[0]]["said"], NOT_RUN)
    assert_fail(found[names[5]]["said"], NO_LIBRARIES.format(program))
    one_byte_less = {one["command"]: one for one in found[names[10]]["said"]}
    assert "9 threads: " in one_byte_less["omp threads"]["text"]


# ---- Damage ---------------------------------------------------------------------------------

DAMAGED = [
    ("hung", [], 1),
    ("nested", ["2", "2", "2"], 2),
    ("tasks", ["depend"], 3),
    ("tasks", ["taskgroup"], 4),
    ("foreign", [], 5),
    ("fib", ["12", "4"], 6),
]
ROUNDS = 5000 if setup.FULL else 500


@pytest.mark.parametrize("variant", RUNTIMES)
@pytest.mark.parametrize("program, arguments, seed", DAMAGED)
def test_overwritten_memory(program: str, arguments: List[str], seed: int, variant: str) -> None:
    """All threads are still shown, and afterwards everything is as before."""
    command = [fixture(program, variant)]
    found = run("overwritten", command, arguments=arguments, seed=seed, rounds=ROUNDS).result
    assert len(found["rounds"]) == ROUNDS
    problems = []
    for told in found["rounds"]:
        if told["rows"] != found["threads"]:
            problems.append("{}: {} rows, {}".format(told["what"], told["rows"], told["table"]))
        for one in told["errors"]:
            problems += ["{}: {}".format(told["what"], x) for x in lines.problems([one], False)]
    assert not problems, "\n".join(problems)
    assert found["same"] is True


# ---- Running threads ------------------------------------------------------------------------


KEPT = ("thread_num", "team_size", "level", "task", "state", "wait", "location", "lwp")


@pytest.mark.parametrize("variant", RUNTIMES)
def test_non_stop(variant: str) -> None:
    """Thread 2 is at the breakpoint, the others run."""
    found = run("non_stop", [fixture("hung", variant)], thread=2).result
    assert lines.problems(found["said"], False) == []
    assert lines.problems(found["selected_runs"], False) == []
    rows = {row["gdb"]: row for row in found["threads"]["threads"]}
    assert sorted(rows) == list(range(1, 10))
    for number, row in rows.items():
        assert row["running"] is (number != 2)
        if row["running"]:
            assert [row["location"], row["wait"], row["state"]] == [None, None, None]
    assert rows[2]["location"]["function"] == "fixture_ready"


@pytest.mark.parametrize("variant", RUNTIMES)
def test_one_thread_runs(variant: str) -> None:
    found = run("one_runs", [fixture("hung", variant)], thread=3).result
    assert lines.problems(found["said"], False) == []
    before = {row["gdb"]: row for row in found["stopped"]["threads"]}
    rows = {row["gdb"]: row for row in found["threads"]["threads"]}
    assert set(rows) == set(before)
    for number, row in rows.items():
        assert row["running"] is (number == 3)
        if number != 3:
            assert {key: row[key] for key in KEPT} == {key: before[number][key] for key in KEPT}


@pytest.mark.parametrize("variant", RUNTIMES)
def test_all_threads_run(variant: str) -> None:
    found = run("one_runs", [fixture("hung", variant)], thread=None).result
    assert lines.problems(found["said"], False) == []
    assert [row["running"] for row in found["threads"]["threads"]] == [True] * 9


# ---- Several processes ----------------------------------------------------------------------


@pytest.mark.parametrize("first, second", [("O2", "O2"), ("clang", "clang"), ("O2", "clang")])
def test_two_inferiors(first: str, second: str) -> None:
    found = run("two_inferiors", [fixture("hung", first)], other=fixture("nested", second)).result
    assert_fail(found["before"], NOT_RUN)
    assert_fail(found["after"], NOT_RUN)
    sizes = {"1": 9, "2": 8, "1 alone": 9}
    teams = {"1": 1, "2": 7, "1 alone": 1}
    for key, told in found["inferiors"].items():
        assert lines.problems(told["said"], False) == []
        assert len(told["threads"]["threads"]) == sizes[key]
        assert len(told["threads"]["teams"]) == teams[key]


# ---- The command line -----------------------------------------------------------------------

WRONG = {
    "omp status -x": 'omp status: no option "-x"; see "help omp status".',
    "omp status extra": 'omp status: no argument "extra" is expected; see "help omp status".',
    "omp threads -bogus": 'omp threads: no option "-bogus"; see "help omp threads".',
    "omp threads 1": 'omp threads: no argument "1" is expected; see "help omp threads".',
    "omp threads -state": 'omp threads: option "-state" needs a value: STATE.',
    "omp threads -state nonsense": 'omp threads: no state "nonsense".',
    "omp threads -team": 'omp threads: option "-team" needs a value: TEAM.',
    "omp threads -team 9.9": 'omp threads: no team "9.9".',
    "omp tasks -treee": 'omp tasks: no option "-treee"; see "help omp tasks".',
    "omp tasks -tree -queued": "omp tasks: -tree and -queued exclude each other.",
    "omp tasks -queued -by-function": "omp tasks: -queued and -by-function exclude each other.",
    "omp tasks x": 'omp tasks: no argument "x" is expected; see "help omp tasks".',
    "omp bt -x": 'omp bt: no option "-x"; see "help omp bt".',
    "omp bt -tree": "omp bt: -tree needs -all.",
    "omp bt -all -tree -full": "omp bt: -tree and -full exclude each other.",
    "omp bt -all -tree 3": "omp bt: -tree shows whole stacks (leave out COUNT).",
    "omp nonsense": 'omp: no sub-command "nonsense"; see "help omp".',
}
ALSO_WRONG = ("omp bt many", "omp bt 1 2", "omp bt 1.5", "omp threads -", 'omp tasks "')


def test_wrong_options() -> None:
    commands = [*WRONG, *ALSO_WRONG]
    said = run("at_ready", [fixture("hung")], commands=commands).result
    for one in said:
        assert "error" in one, one
        if one["command"] in WRONG:
            assert one["error"] == WRONG[one["command"]]
        else:
            assert lines.error_problems(one["error"]) == []


def test_wrong_options_are_told_without_a_program() -> None:
    said = run("nothing", commands=list(WRONG)).result
    for one in said:
        if "nonsense" not in one["command"] and "9.9" not in one["command"]:
            assert one["error"] == WRONG[one["command"]]
