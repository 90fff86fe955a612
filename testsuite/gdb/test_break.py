# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp break` stops at every event that it is asked for, and at no other."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, List, Tuple

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

LINES = own_programs.source("steps.c").read_text(encoding="utf-8").splitlines()
_NAMED = """
#include <omp.h>
namespace limits { int limit = 3; }
struct Work { int left; void work(); };
void Work::work()
{
#pragma omp parallel num_threads(2)
    {
        using namespace limits;
        if (omp_get_thread_num() < limit)
            left = 0;
    }
}
int main()
{
    Work some;
    some.work();
    return some.left;
}
"""
MANY = ["continue"] * 40  # as often as it may stop, and then some


def line(text: str) -> int:
    return next(number for number, one in enumerate(LINES, 1) if text in one)


def program_of(tmp_path: Path, compiler: str, optimized: str) -> str:
    try:
        flags = (optimized, "-g", "-fopenmp")
        return str(own_programs.compiled("steps.c", tmp_path / "steps", flags, compiler))
    except build.Skipped as reason:
        pytest.skip(str(reason))


def run(program: str, threads: int, commands: List[str], **more: Any) -> List[Any]:
    """What each command printed, with the stops that it led to."""
    marked = []
    for command in commands:
        marked += ["echo \\n@@\\n", command]
    spec = {"commands": marked, "arguments": [str(threads)], **more}
    done = processes.run_gdb("session.py", spec, [program])
    return [one for one in done.result[1::2]]


def stops(said: List[Any]) -> List[Tuple[str, str]]:
    """The lines that tell of a stop, each with where."""
    text = "\n".join(one.get("text", "") for one in said)
    return re.findall(r"^OpenMP breakpoint \d+, (.*)\n(-- .* --)$", text, re.M)


@pytest.mark.parametrize("threads", [1, 4, 16])
@pytest.mark.parametrize("compiler, optimized", [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O0")])
def test_each_event(compiler: str, optimized: str, threads: int, tmp_path: Path) -> None:
    program = program_of(tmp_path, compiler, optimized)
    events = ["parallel-begin", "parallel-end", "task-begin", "task-end", "thread-begin"]
    said = run(program, threads, ["omp break " + one for one in events] + ["run", *MANY])
    found = stops(said)
    told = [one[0] for one in found]
    counts = {event: sum(one.startswith(event) for one in told) for event in events}
    wanted = dict.fromkeys(events, 3)
    wanted.update({"task-begin": 1, "task-end": 1, "thread-begin": threads - 1})
    assert counts == wanted
    size = "{} thread{}".format(threads, "s" if threads > 1 else "")
    for function in ("region", "loop", "task"):
        for event in events[:2]:
            pattern = "{}: parallel region of {} at steps.c:\\d+, {}".format(event, function, size)
            assert len([one for one in told if re.fullmatch(pattern, one)]) == 1, told
    place = "task of task at steps.c:{}".format(line("#pragma omp task firstprivate"))
    assert "task-begin: " + place in told and "task-end: " + place in told
    # A region begins on its thread 0, and ends outside of it.
    for event, where in found:
        if event.startswith("parallel-begin"):
            assert where == "-- thread 1 (0/{}), team 1, level 1 --".format(threads)
        if event.startswith("parallel-end"):
            assert where == "-- thread 1: outside of parallel regions --"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_places_and_conditions(compiler: str, tmp_path: Path) -> None:
    program = program_of(tmp_path, compiler, "-O0")
    pragma = line("#pragma omp parallel for")
    commands = [
        "omp break parallel-begin in {}:{}".format(own_programs.source("steps.c"), pragma),
        "omp break task-begin in task if $_omp_num_threads() == 4",
        "omp break task-begin in region",
        "omp break parallel-end in task if threads == 5",
        "omp break thread-begin if $_omp_thread_num() == 3",
        "omp break",
        "run",
        *MANY[:5],
        "omp delete 2",
        "run",  # again
        *MANY[:5],
        "omp delete",
        "omp break",
    ]
    said = run(program, 4, commands)
    assert said[5]["text"].splitlines()[1] == "2  " + commands[1][len("omp break ") :]
    assert [len(one["text"].splitlines()) for one in said[:3]] == [1, 1, 1]
    first, again = stops(said[6:12]), stops(said[13:19])
    task = line("#pragma omp task firstprivate")
    expected = {
        "thread-begin: for the parallel region of region at steps.c:{}".format(
            line("#pragma omp parallel num_threads(threads)")
        ),
        "parallel-begin: parallel region of loop at steps.c:{}, 4 threads".format(pragma),
        "task-begin: task of task at steps.c:{}".format(task),
    }
    assert {one[0] for one in first} == expected and len(first) == 3
    assert {one[0] for one in again} == {one for one in expected if "task-" not in one}
    assert said[-1]["text"] == "No OpenMP breakpoints.\n"


NAMED = {
    "cpp": ["run", "outer::in_template", "in_template<int>", "thrown(int)", "around_lambda"],
    "f90": ["of_module", "work::loop", "loop_of_tasks", "internal", "steps"],
}


@pytest.mark.parametrize(
    "suffix, compiler, optimized",
    [("cpp", "gcc", "-O0"), ("cpp", "clang", "-O2"), ("f90", "gcc", "-O2")],
)
def test_names_of_the_source(suffix: str, compiler: str, optimized: str, tmp_path: Path) -> None:
    """As the user knows them: with and without scopes, arguments, and those of templates."""
    try:
        program = own_programs.compiled(
            "constructs." + suffix, tmp_path / "x", (optimized, "-g", "-fopenmp"), compiler
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))
    asked = ["omp break parallel-begin in " + name for name in [*NAMED[suffix], "nowhere"]]
    asked += ["omp break task-begin", "omp break task-end"]
    said = run(str(program), 2, [*asked, "run", *MANY[:16], "kill"])
    text = "\n".join(one.get("text", "") for one in said)
    told = re.findall(r"^OpenMP breakpoints? ([\d, and]+), p", text, re.M)
    numbers = {int(one) for line in told for one in re.findall(r"\d+", line)}
    unknown = re.findall(r'^GDB does not know "(\w+)" yet\.$', text, re.M)
    assert unknown == ["nowhere"]
    assert numbers == {1, 2, 3, 4, 5}, text
    # Two for the same region are told of together.
    assert told.count("2 and 3") == (suffix == "cpp")
    begun, ended = (len(re.findall("^OpenMP .*, task-" + one, text, re.M)) for one in ("b", "e"))
    assert begun == ended >= 1
    assert said[-1]["error"] == "The program is not being run."


@pytest.mark.parametrize(
    "suffix, compiler, optimized",
    [("c", "gcc", "-O2"), ("c", "clang", "-O1"), ("c", "clang", "-O2"), ("cpp", "clang", "-O2")],
)
def test_undeferred_tasks(suffix: str, compiler: str, optimized: str, tmp_path: Path) -> None:
    """Every task begins once and ends once, wherever the compiler has put its code."""
    name = "undeferred." + suffix
    try:
        flags = (optimized, "-g", "-fopenmp")
        program = str(own_programs.compiled(name, tmp_path / "undeferred", flags, compiler))
    except build.Skipped as reason:
        pytest.skip(str(reason))
    asked = ["omp break task-begin", "omp break task-end"]
    asked += ["omp break task-begin in never_deferred if $_omp_thread_num() == 1"]
    commands = [*asked, "run", *MANY, *MANY]
    done = processes.run_gdb("session.py", {"commands": commands, "arguments": ["3"]}, [program])
    text = "\n".join(one.get("text", "") for one in done.result)
    told = re.findall(r"^OpenMP breakpoints? [\d and]+, (.*)$", text, re.M)
    source = own_programs.source("undeferred.c").read_text(encoding="utf-8").splitlines()
    marks = {"never": 3, "same": 3, "perhaps": 10, "nested": 4}
    marks.update(writes=1, reads=1, final=1, included=1)
    functions = dict(never="never_deferred", writes="depends", reads="depends")
    functions.update(final="is_final", included="is_final")
    places = {
        mark: "{} at undeferred.c:{}".format(functions.get(mark, mark), number)
        for number, one in enumerate(source, 1)
        for mark in marks
        if one.endswith("// LINE: " + mark)
    }
    expected, alike = {}, {}
    for event in ("begin", "end"):
        for mark, place in places.items():
            told_of = "task-{}: task of {}".format(event, place)
            expected[told_of] = marks[mark]
            if mark in ("never", "same", "included"):
                alike[told_of] = event
    if compiler == "gcc":  # of functions that are the same, newer ones keep one
        told = [alike.get(one, one) for one in told]
        expected = dict(Counter(alike.get(one, one) for one in Counter(expected).elements()))
    assert dict(Counter(told)) == expected
    assert "executed {}".format(sum(marks.values())) in done.output
    both = re.findall("^OpenMP breakpoints 1 and 3, (.*) at .*\n(.*)$", text, re.M)
    where = "-- thread {} (1/3), team 1, level 1 --"
    wanted = [("task-begin: task of never_deferred", where.format(n)) for n in (2, 3)]
    assert set(both) in [{one} for one in wanted]
    assert len(both) == 1 or compiler == "gcc"


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_a_library_that_comes_twice(compiler: str, tmp_path: Path) -> None:
    """It brings the runtime in, and takes it away. It has no lines: steps go past it."""
    cc = setup.CC if compiler == "gcc" else build.clang_of(setup.CC)
    if shutil.which(cc) is None:
        pytest.skip("no " + cc)
    library, program = (str(tmp_path / name) for name in ("loaded.so", "loads"))
    shared = ["-O1", "-fopenmp", "-shared", "-fPIC", str(own_programs.source("loaded.c"))]
    subprocess.run([cc, *shared, "-o", library], check=True)
    source = own_programs.source("loads.c")
    subprocess.run([cc, "-g", str(source), "-ldl", "-o", program], check=True)
    lines = source.read_text(encoding="utf-8").splitlines()
    first, second = (
        next(number for number, one in enumerate(lines, 1) if one.endswith("LINE: " + mark))
        for mark in ("first", "second")
    )
    events = ["parallel-begin", "parallel-end", "task-begin", "task-end"]
    commands = ["break loads.c:{}".format(first), "run", "omp step", "omp step", "delete"]
    commands += ["omp break " + event for event in events] + ["run"] + ["continue"] * 16
    done = processes.run_gdb(
        "session.py", {"commands": commands, "arguments": [library]}, [program]
    )
    said = [str(one.get("text", one)) for one in done.result]
    # Of a step in which threads begin, GDB prints more than it says the command printed.
    stepped = "\n".join([*said[2:4], done.output])
    assert {second, second + 1} <= set(map(int, re.findall(r"^(\d+)\t", stepped, re.M)))
    assert "no line number" not in stepped and "outside of parallel" not in "".join(said[2:4])
    told = re.findall(r"^OpenMP breakpoint \d, ([a-z-]+)", "\n".join(said), re.M)
    assert Counter(told) == dict.fromkeys(events, 4)
    assert "sum 14" in done.output


def test_the_program_is_what_it_was(tmp_path: Path) -> None:
    """Deleted while the program is stopped: it ends as without GDB, and nothing is left."""
    program = program_of(tmp_path, "gcc", "-O0")
    commands = ["omp break parallel-begin", "omp break parallel-end", "run"]
    commands += ["omp delete 1", "continue", "omp delete", "maint info breakpoints", "continue"]
    done = processes.run_gdb("session.py", {"commands": commands, "arguments": ["4"]}, [program])
    assert "sum 36" in done.output
    # The end of the region that had begun.
    assert "breakpoint 2, parallel-end: parallel region of region" in done.result[4]["text"]
    assert not re.search(r"^-?\d+ +breakpoint ", done.result[-2]["text"], re.M)


@pytest.mark.parametrize("compiler, optimized", [("gcc", "-O2"), ("clang", "-O0")])
def test_doubtful_conditions(compiler: str, optimized: str, tmp_path: Path) -> None:
    """Refused where nothing at the place can have that name; else the user is told."""
    program = program_of(tmp_path, compiler, optimized)
    commands = ["omp break task-begin in task if nosuch"] * 2
    commands[1:1] = ["omp delete", "break region", "run"]
    commands += [
        "omp break task-begin in task if " + one for one in (")", "sum < n", "x", "sum = 7")
    ]
    commands += ["omp break task-begin if " + one for one in ("nosuch", "threads", "(", "%% 1")]
    early, _, _, _, known, *said = run(program, 4, [*commands, "print sum", "info breakpoints"])
    unknown = 'GDB does not know "{}" here.\n'
    assert early["text"].splitlines(True)[1:] == [unknown.format("nosuch")]
    assert known["error"] == 'omp break: no symbol "nosuch" in task.'
    syntax, here, inside, computes, anywhere, right, *wrong, total, left = said
    for one in wrong:  # in whatever language
        assert one["error"].startswith("omp break: condition: A syntax error in")
    assert syntax["error"].startswith("omp break: condition: A syntax error in")
    assert here["text"] == "OpenMP breakpoint 1: task-begin in task if sum < n\n"
    # Only the code of the construct has it.
    assert inside["text"].startswith("OpenMP breakpoint 2: ")
    assert computes["text"] == "OpenMP breakpoint 3: task-begin in task if sum = 7\n"
    assert anywhere["text"].splitlines(True)[1:] == [unknown.format("nosuch")]
    assert right["text"] == "OpenMP breakpoint 5: task-begin if threads\n"
    assert total["text"] == "$1 = 0\n"  # none is evaluated
    assert left["text"].count("keep y") == 1


def test_condition_on_a_name_of_the_whole_program(tmp_path: Path) -> None:
    """What GDB finds only in the construct, by a `using` there, is not refused."""
    source = tmp_path / "named.cpp"
    source.write_text(_NAMED, encoding="ascii")
    flags = ("-O0", "-g", "-fopenmp")
    program = own_programs.compiled(str(source), tmp_path / "named", flags)
    commands = [
        "omp break parallel-begin in Work::work if " + name for name in ("limit == 3", "nosuch")
    ]
    said = run(str(program), 0, ["break main", "run", *commands, "continue"])
    assert said[2]["text"].startswith(
        "OpenMP breakpoint 1: parallel-begin in Work::work if limit == 3"
    )
    assert said[3]["error"] == 'omp break: no symbol "nosuch" in Work::work.'
    assert "parallel-begin: parallel region of Work::work" in said[4]["text"]


def test_bad_input() -> None:
    program = str(setup.program("hung", "O2"))
    wrong = {
        "omp break nonsense": 'omp break: no event "nonsense"; see "help omp break".',
        "omp break if 1": 'omp break: no event "if"; see "help omp break".',
        "omp break task-end at x": 'omp break: "in FUNCTION" or "in FILE:LINE", not "at".',
        "omp break task-end in": 'omp break: "in FUNCTION" or "in FILE:LINE", not "in".',
        "omp break task-end if": 'omp break: missing condition after "if".',
        "print $_omp_level(1)": "$_omp_level() has no arguments.",
        "print $_omp_in_task(1)": "$_omp_in_task(): one argument is expected, a string.",
        "print $_omp_in_task()": "$_omp_in_task(): one argument is expected, a string.",
        "omp delete 7": "omp delete: no OpenMP breakpoint 7.",
        "omp delete x": "omp delete: no OpenMP breakpoint x.",
    }
    done = processes.run_gdb("session.py", {"commands": list(wrong)}, [program])
    assert [one.get("error") for one in done.result] == list(wrong.values())


@pytest.mark.parametrize("compiler, optimized", [("gcc", "-O2"), ("clang", "-O0")])
def test_lines_without_a_construct(compiler: str, optimized: str, tmp_path: Path) -> None:
    """The user is told that nothing there can match, before the program runs and after."""
    program = program_of(tmp_path, compiler, optimized)
    pragma = line("#pragma omp task firstprivate")
    asked = ["omp break task-begin in steps.c:{}".format(at) for at in (pragma, pragma + 1)]
    said = run(program, 2, [*asked, "break main", "run", *asked])
    for right, wrong in (said[:2], said[4:]):
        assert right["text"].count("\n") == 1
        lines = wrong["text"].splitlines()
        assert lines[1].startswith("No construct matches steps.c:{} (".format(pragma + 1))
        assert str(pragma) in re.findall(r"\d+", lines[1].partition("nearest")[2])
