# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp step` goes into the code of constructs and out of it; `omp finish` to its end."""

import subprocess
from pathlib import Path
from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes

COMPILERS = ("gcc", "clang")
_BUSY = """
#include <unistd.h>
static volatile int done;
static void help(void)
{
    while (!done)
        ;
    usleep(500000);
}
int main(void)
{
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task
        done = 1; // the task
        help();
        done = 2;
    }
    return 0;
}
"""
# With -O2, the last call in the task is a jump.
_LAST_CALL = """
#include <omp.h>
static omp_lock_t lock;
static volatile int sum;
int main(void)
{
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        {
            omp_set_lock(&lock);
            sum++; // in the task
            omp_unset_lock(&lock);
        }
#pragma omp taskwait
        sum += 2;
    }
    return 0;
}
"""
_programs: Dict[Tuple[str, str], Path] = {}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("steps")


def program_of(scratch: Path, compiler: str, optimized: str = "-O0") -> Path:
    key = compiler, optimized
    if key not in _programs:
        try:
            target = scratch / (compiler + optimized)
            flags = (optimized, "-g", "-fopenmp")
            _programs[key] = own_programs.compiled("steps.c", target, flags, compiler)
        except build.Skipped as reason:
            pytest.skip(str(reason))
    return _programs[key]


def line(mark: str) -> int:
    text = own_programs.source("steps.c").read_text(encoding="utf-8")
    for number, one in enumerate(text.splitlines(), 1):
        if one.endswith("LINE: " + mark):
            return number
    raise KeyError(mark)


def steps(
    program: Path,
    threads: int,
    start: str,
    until: List[str],
    command: str = "omp step",
    most: int = 60,
) -> List[Dict[str, Any]]:
    """Where the program was. It ends as it does without GDB, and no breakpoint is left."""
    spec = {"arguments": [str(threads)], "start": start, "command": command, "most": most}
    spec["until"] = [line(mark) for mark in until]
    done = processes.run_gdb("steps.py", spec, [str(program)])
    assert not [one for one in done.result["said"] if "error" in one], done.result
    assert done.result["left"] == 0
    assert done.result["code"] in (0, None)
    alone = subprocess.run(
        [str(program), str(threads)], env=processes.environment(), stdout=subprocess.PIPE
    )
    assert alone.stdout.decode() in done.output
    seen: List[Dict[str, Any]] = done.result["seen"]
    return seen


def at(mark: str) -> str:
    return "steps.c:{}".format(line(mark))


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize(
    "function, source", [("task", "steps.c"), ("orphaned_task", "constructs.c")]
)
def test_variables_where_a_step_arrives(
    function: str, source: str, compiler: str, tmp_path: Path
) -> None:
    """They have their values: the function has made its frame, and a task knows its own."""
    try:
        flags = ("-O0", "-g", "-fopenmp")
        program = own_programs.compiled(source, tmp_path / "program", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    look = ["@python gdb.newest_frame().find_sal().line", "print n + 0"]
    # A newer Clang has not copied the arguments yet where GDB stops in a function.
    commands = ["tbreak " + function, "run", "skip function add"]
    commands += ["omp step", *look] * 2
    done = processes.run_gdb(
        "session.py", {"commands": commands, "arguments": ["2"]}, [str(program)]
    )
    said = done.result[3:]
    value = said[2]["text"].partition("= ")[2]
    assert value and len({one["value"] for one in said[1::3]}) == 2, said
    for one in said[2::3]:
        assert one["text"].partition("= ")[2] == value, said


@pytest.mark.parametrize("threads", [4, 16])
@pytest.mark.parametrize("compiler", COMPILERS)
def test_out_of_a_region_on_a_worker(compiler: str, threads: int, scratch: Path) -> None:
    start = at("region-first") + " if $_omp_thread_num() == 3"
    seen = steps(program_of(scratch, compiler), threads, start, ["region-after"])
    assert seen[-1]["line"] == line("region-after"), seen
    assert seen[-1]["thread"] == 1 and seen[-1]["number"] == 0
    worker = seen[0]["thread"]
    assert worker != 1
    assert {(one["thread"], one["number"]) for one in seen[:-1]} == {(worker, 3)}


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("number", [0, 2])
def test_finish_a_region(number: int, compiler: str, scratch: Path) -> None:
    start = at("region-first") + " if $_omp_thread_num() == {}".format(number)
    program = program_of(scratch, compiler)
    seen = steps(program, 4, start, [], "omp finish", 1)
    assert seen[-1]["thread"] == 1 and seen[-1]["number"] == 0
    assert line("region-before") < seen[1]["line"] <= line("region-after")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_finish_a_task(compiler: str, scratch: Path) -> None:
    """To the one that generated it, whoever executed it."""
    seen = steps(program_of(scratch, compiler), 4, at("task-first"), [], "omp finish", 1)
    assert seen[0]["task"] == 1 and seen[1]["task"] == 0
    assert seen[1]["thread"] == 1 and seen[1]["number"] == 0
    assert line("task-first") < seen[1]["line"] <= line("task-waited")


@pytest.mark.parametrize("compiler", COMPILERS)
def test_finish_a_task_whose_generator_has_gone_on(compiler: str, tmp_path: Path) -> None:
    """It arrives in the function with the construct, though that has called another one."""
    source = tmp_path / "busy.c"
    source.write_text(_BUSY, encoding="ascii")
    try:
        flags = ("-O0", "-g", "-fopenmp")
        program = own_programs.compiled(str(source), tmp_path / "busy", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    numbers = {text.strip(): number for number, text in enumerate(_BUSY.splitlines(), 1)}
    commands = ["break {}".format(numbers["done = 1; // the task"]), "run", "omp finish"]
    commands += ["@python gdb.newest_frame().find_sal().line", "@python gdb.selected_thread().num"]
    done = processes.run_gdb("session.py", {"commands": commands}, [str(program)])
    text, where, thread = done.result[2:]
    assert text["text"].startswith("Run till end of the task of main.\n"), text
    assert where["value"] in (numbers["help();"], numbers["done = 2;"]), done.result
    assert thread["value"] == 1


def test_out_of_a_task_by_a_jump(tmp_path: Path) -> None:
    """GDB would say that it stops in the runtime."""
    source = tmp_path / "last_call.c"
    source.write_text(_LAST_CALL, encoding="ascii")
    flags = ("-O2", "-g", "-fopenmp")
    program = own_programs.compiled(str(source), tmp_path / "last_call", flags)
    numbers = {text.strip(): number for number, text in enumerate(_LAST_CALL.splitlines(), 1)}
    start, end = numbers["sum++; // in the task"], numbers["sum += 2;"]
    where = "@python gdb.newest_frame().find_sal().line"
    commands = ["break {}".format(start), "run", *["omp step", where] * 2]
    done = processes.run_gdb("session.py", {"commands": commands}, [str(program)])
    assert end in [one.get("value") for one in done.result], done.result
    assert "omp_unset_lock () from" not in done.output


@pytest.mark.parametrize("optimized", ["-O0", "-O2"])
def test_finish_an_undeferred_task(optimized: str, scratch: Path) -> None:
    """Clang calls its code, or puts it where the task is made."""
    try:
        flags = (optimized, "-g", "-fopenmp")
        target = scratch / ("undeferred" + optimized)
        program = own_programs.compiled("undeferred.c", target, flags, "clang")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    asked = "omp break task-begin in never_deferred if $_omp_thread_num() == 1"
    commands = [asked, "run", "bt 1", "@python gdb.selected_thread().num"]
    commands += ["omp finish", "@python gdb.selected_thread().num", "omp threads", "omp delete"]
    done = processes.run_gdb(
        "session.py", {"commands": commands, "arguments": ["3"]}, [str(program)]
    )
    _, _, begun, before, text, after, threads, _ = done.result
    assert "parallel region of never_deferred" not in begun["text"]
    assert text["text"].startswith("Run till end of the task of never_deferred.\n")
    assert after == before
    assert " implicit " in next(one for one in threads["text"].splitlines() if "*" in one)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_breakpoints_that_do_not_stop(compiler: str, scratch: Path) -> None:
    """Those at the same places do not end a step, unless they stop the program."""
    first, after = at("region-first"), at("region-after")
    commands = ["omp break parallel-begin in loop", "omp break parallel-end in loop"]
    commands += ["break {} if sum > 1000".format(place) for place in (first, after)]
    # Where omp step has one, too.
    runtimes = {"gcc": "GOMP_parallel", "clang": "__kmpc_fork_call"}[compiler]
    commands += ["set breakpoint pending on", "break " + runtimes, "ignore 3 99"]
    commands += ["tbreak " + at("region-before"), "run", "omp step", "omp step"]
    step = "@python gdb.newest_frame().find_sal().line"
    commands += [step, "omp finish", step]
    program = str(program_of(scratch, compiler))
    done = processes.run_gdb("session.py", {"commands": commands, "arguments": ["4"]}, [program])
    assert done.result[11]["value"] == line("region-first")
    assert "(0/4), team" in done.result[10]["text"]
    assert line("region-before") < done.result[13]["value"] <= line("region-after")


def test_finish_outside_of_constructs_fails(scratch: Path) -> None:
    spec = {"commands": ["omp finish", "omp step 3", "omp step"], "stop": "region"}
    program = str(program_of(scratch, "gcc"))
    said = processes.run_gdb("session.py", spec, [program]).result
    assert said[0]["error"] == "omp finish: the thread is in no construct."
    assert said[1]["error"] == 'omp step: no argument "3" is expected; see "help omp step".'
    assert "text" in said[2]
    spec = {"commands": ["omp step", "omp finish"]}
    said = processes.run_gdb("session.py", spec, [program]).result
    assert [one["error"] for one in said] == [
        "omp step: the program is not running.",
        "omp finish: the program is not running.",
    ]
