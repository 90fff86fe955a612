# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""GDB's own `bt` shows the frames that `omp bt` shows of the thread's own stack."""

import json
import re
from pathlib import Path
from typing import Any, Dict, List, Union

import build  # from fixtures/
import pytest

from harness import own_programs, processes, setup

VARIANTS = ("O0", "O2", "static", "clang", "clang-O0", "omp13", "omp19", "gcc-omp14")
PROGRAMS = ("hung", "nested 3 2 4", "cxx", "fortran", "waits tasks", "signal critical")
# Every program on a runtime of each family, and in two of the other variants in turns.
STATES = [
    (name, variant)
    for number, name in enumerate(PROGRAMS)
    for place, variant in enumerate(VARIANTS)
    if variant in ("O2", "clang") or (number + place) % 3 == 0
]
NUMBER = re.compile(r"^ *#(\d+) ", re.M)
RUNTIME = re.compile(r"GOMP_|kmp|_omp_fn|\.omp_|lib(g?omp|iomp5)\.so")
LANGUAGE = "Warning: the current language does not match this frame.\n"


def run(program: Path, commands: List[str], arguments: List[str] = [], **more: Any) -> List[Any]:
    spec = {"commands": commands, "arguments": arguments, "stop": "fixture_ready", **more}
    said: List[Dict[str, Any]] = processes.run_gdb("session.py", spec, [str(program)]).result
    assert not [one for one in said if "error" in one]
    texts = [one.get("text", one.get("value")) for one in said]
    # GDB says once that the tests have set the language.
    return [one.replace(LANGUAGE, "") if isinstance(one, str) else one for one in texts]


def levels(text: str) -> List[int]:
    return [int(number) for number in NUMBER.findall(text)]


def sections(text: str) -> Dict[int, str]:
    """What `thread apply all` printed, by thread."""
    parts = re.split(r"^Thread (\d+) .*:$", text, flags=re.M)
    return {int(number): part for number, part in zip(parts[1::2], parts[2::2])}


@pytest.mark.parametrize("name,variant", STATES)
def test_bt_shows_the_users_frames(name: str, variant: str) -> None:
    words = name.split()
    try:
        program = setup.program(words[0], variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    every = "thread apply all bt"
    found = run(
        program,
        [
            "omp bt -all -json",
            every,
            every + " -no-filters",
            "set omp frame-filter off",
            every,
            "set omp frame-filter indented",
            every,
            every + " -hide",
            "set omp frame-filter on",
            every,
        ],
        words[1:],
    )
    stacks, shown, without, _, off, _, indented, hidden, _, again = found
    assert off == without and shown == again
    assert "???" not in shown + indented  # GDB's own word for no name is another
    shown_of, all_of, indented_of = sections(shown), sections(without), sections(indented)
    hidden_of = sections(hidden)
    seen = set()
    for stack in json.loads(stacks)["stacks"]:
        part = stack["parts"][0]
        number, users = part["thread"], part["frames"]
        text = shown_of[number]
        if not users:
            assert levels(text) == levels(all_of[number])
            continue
        numbers = [frame["level"] for frame in users]
        assert numbers == [number for number in levels(text) if number in numbers]
        assert hidden_of[number] == text
        assert set(levels(indented_of[number])) == set(levels(all_of[number]))
        for row in text.splitlines():
            # What Clang inlined has its own name.
            if row.startswith("#") and levels(row)[0] not in numbers:
                assert not RUNTIME.search(row), text
        for frame in users:
            line = re.search(r"^#{} .*$".format(frame["level"]), text, re.M)
            assert line is not None
            if frame["construct"] is not None:
                seen.add(frame["construct"])
                assert "{construct} of {function} ()".format(**frame) in line[0]
            if frame["line"] is not None and frame["kind"] != "signal":
                assert line[0].endswith(":{}".format(frame["line"]))
    assert "parallel region" in seen


def compiled(tmp_path: Path, compiler: str, optimized: str) -> Path:
    try:
        return own_programs.compiled(
            "captured.c", tmp_path / "captured", (optimized, "-g", "-fopenmp"), compiler
        )
    except build.Skipped as reason:
        pytest.skip(str(reason))


def frame_of(text: str, name: str) -> str:
    """A frame with its variables."""
    match = re.search(r"^#\d+ [^\n]*{}[^\n]*\n(?: [^\n]*\n)*".format(re.escape(name)), text, re.M)
    assert match is not None, text
    return match[0]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_variables_are_the_users(compiler: str, tmp_path: Path) -> None:
    program = compiled(tmp_path, compiler, "-O0")
    text, same = run(program, ["bt -full", "omp bt -full"], stop="inspect")
    region, task = frame_of(text, "parallel region of solve ()"), frame_of(
        text, "task of solve ()"
    )
    mine = re.search(r"mine = (4[01])$", region, re.M)
    assert mine is not None
    for name, value in (("scale", "2.5"), ("count", "7")):
        assert len(re.findall(r"^ +{} = {}$".format(name, value), region, re.M)) == 1, region
    for name, value in (("within", "13"), ("chosen", "9"), ("mine", "4[01]")):
        assert len(re.findall(r"^ +{} = {}$".format(name, value), task, re.M)) == 1, task
    assert not re.search(r"^ +[._]", region + task, re.M), text
    # The same variables in `omp bt`, which tells where they come from, too.
    told = frame_of(same, "parallel region of solve")
    told = re.sub(r" \((shared|firstprivate|private)\)$", "", told, flags=re.M)
    assert sorted(re.findall(r"^ +\w+ = .*$", region, re.M)) == sorted(
        re.findall(r"^ +\w+ = .*$", told, re.M)
    )


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_mi_shows_the_same(compiler: str, tmp_path: Path) -> None:
    program = compiled(tmp_path, compiler, "-O2")
    found = run(
        program,
        ["interpreter-exec mi2 '-enable-frame-filters'"]
        + [
            "interpreter-exec mi2 '-stack-list-frames {}'".format(options)
            for options in ("", "--no-frame-filters")
        ]
        + ["interpreter-exec mi2 '-stack-list-variables --all-values'"],
        stop="inspect",
    )
    names = re.findall(r'func="([^"]*)"', found[1])
    assert names[:2] == ["inspect", "deep"]
    assert [name for name in names if "solve" in name][:2] == [
        "task of solve",
        "parallel region of solve",
    ]
    assert len(re.findall(r'func="', found[2])) > len(names)
    assert not RUNTIME.search(found[1].replace(str(program), ""))


def test_few_frames_of_a_deep_stack_are_not_many(tmp_path: Path) -> None:
    """Only as much is unwound as is shown."""
    program = compiled(tmp_path, "gcc", "-O0")
    text, depth = run(
        program,
        [
            "bt 3",
            "@python __import__('ompdbg.inferior.session').inferior.session"
            "._session.process(gdb.selected_inferior()).services._stacks._stacks"
            "[gdb.selected_thread().global_num]._frames.__len__()",
        ],
        stop="inspect",
    )
    assert levels(text) == [0, 1, 2]
    assert depth < 40


def test_a_call_that_has_not_arrived(tmp_path: Path) -> None:
    """The stub through which a program calls the runtime is left out, too. Files have the names
    that GDB is told to show."""
    program = compiled(tmp_path, "gcc", "-O0")
    stub, source = "omp_get_thread_num@plt", str(own_programs.source("captured.c"))
    spec = {"commands": ["break *'{}'".format(stub), "run", "bt", "bt -no-filters", "omp bt"]}
    spec["commands"] += ["set filename-display basename", "bt"]
    said = processes.run_gdb("session.py", spec, [str(program)]).result
    text, plain, same, _, short = (one["text"] for one in said[2:])
    assert stub in plain and stub not in text + same
    assert levels(text)[0] == levels(same)[0] == 1 and levels(plain)[0] == 0
    assert text.replace(source, "captured.c") == short != text


FILTERS = "gdb.current_progspace().frame_filters"
BEGIN_LATER = (
    "python {}['later'] = type('Later', (), {{'name': 'later', 'priority': 1000, 'enabled': True,"
    " 'filter': lambda self, given: filter(lambda one: one.inferior_frame().level(), given)}})()"
)


def test_a_stack_is_shown_again(tmp_path: Path) -> None:
    """What is remembered of a stack is taken for the same one only."""
    program = compiled(tmp_path, "gcc", "-O0")
    commands = {
        "first": "bt",
        "again": "bt",
        "few": "bt 3",
        "limit": "set backtrace limit 5",
        "limited": "bt",
        "native": "bt -no-filters",
        "unlimited": "set backtrace limit unlimited",
        "whole": "bt",
        "other filter": BEGIN_LATER.format(FILTERS),
        "other's": "bt",
        "remove": f"python del {FILTERS}['later']",
        "ours": "bt",
        "caller": "frame 1",
        "write": "set var depth = 77",
        "written": "bt",
    }
    said = dict(zip(commands, run(program, list(commands.values()), stop="inspect")))
    first = said["first"]
    assert "task of solve" in first and len(levels(first)) > 40
    assert first == said["again"] == said["whole"] == said["ours"]
    assert levels(said["few"]) == levels(first)[:3]
    assert levels(said["limited"]) == levels(said["native"]) == [0, 1, 2, 3, 4]
    assert levels(said["other's"]) == levels(first)[1:]
    assert said["written"] == first.replace("depth=0,", "depth=77,") != first


NOTE_READ = [
    "python from ompdbg.variables import locations; gdb.read = []; gdb.value = locations.value",
    "python locations.value = lambda symbol, handle: "
    "gdb.read.append((handle.level(), symbol)) or gdb.value(symbol, handle)",
]
READ = "@python sorted((level, one.name, one.line, id(one)) for level, one in gdb.read)"


@pytest.mark.parametrize("compiler, optimized", [("gcc", "-O0"), ("gcc", "-O2"), ("clang", "-O2")])
def test_variables_are_read_once(compiler: str, optimized: str, tmp_path: Path) -> None:
    """Of each frame, also an inlined function's, and where some variables cannot be told."""
    flags = (optimized, "-g", "-fopenmp")
    try:
        program = own_programs.compiled("recursion.c", tmp_path / "recursion", flags, compiler)
    except build.Skipped as reason:
        pytest.skip(str(reason))
    commands = ["bt -full", *NOTE_READ, "bt -full", READ]
    first, _, _, again, rows = run(program, commands, ["5"], stop="inspect")
    assert first == again
    assert len(re.findall("task of solve", first)) == 6, first
    read = list(map(tuple, rows))
    assert {name for _, name, _, _ in read} >= {"found", "rest", "weight", "own", "count"}
    assert len(read) == len(set(read)), read


FAILED = (
    "omp: the frame filter failed; shown as in GDB alone (IndexError: list index out of range)"
)
BREAK = "python from ompdbg.frames import decorators, frame_filter; {} = lambda *given: [][0]"
# Where ours fails, and the first frame that is GDB's: while frames are looked for, of those whose
# place is not known yet, and of one that is asked for its name.
BROKEN: Dict[str, Union[int, str]] = {
    "frame_filter.decorated": 0,
    "frame_filter._Decorated._decorate": 0,
    "frame_filter.PlainConstruct": "task of solve",
}


@pytest.mark.parametrize("broken", BROKEN)
def test_stack_is_shown_where_ours_fails(broken: str, tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-O0")
    commands = ["bt", "bt -no-filters", BREAK.format(broken), "bt", "bt 3"]
    before, native, _, after, few = run(program, commands, stop="inspect")
    named = BROKEN[broken]
    first = named if isinstance(named, int) else levels(frame_of(before, named))[0]
    assert after.count("\n" + FAILED) + after.startswith(FAILED) == 1
    theirs = [number for number in levels(native) if number >= first]
    assert levels(after) == [number for number in levels(before) if number < first] + theirs
    assert levels(few) == levels(after)[:3]
    assert "in solve._omp_fn." in after and "parallel region" not in after
    assert "in  ()" not in after


@pytest.mark.parametrize("method", ["function", "filename", "line", "frame_args", "address"])
def test_frame_is_shown_where_ours_fails(method: str, tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-O0")
    broken = [BREAK.format(f"decorators.{kind}.{method}") for kind in ("Plain", "PlainConstruct")]
    commands = ["bt", "bt -no-filters", *broken, "bt"]
    before, native, _, _, after = run(program, commands, stop="inspect")
    assert after.count(FAILED) == 1
    rest = after.replace(FAILED + "\n", "")
    assert levels(rest) == levels(before)
    if method == "function":
        shown = re.findall(r"^#\d+ .*", native, re.M)
        assert rest.splitlines() == [one for one in shown if levels(one)[0] in levels(before)]
    else:
        assert rest == before


def test_variables_are_shown_where_ours_fail(tmp_path: Path) -> None:
    program = compiled(tmp_path, "gcc", "-O0")
    broken = [
        BREAK.format(f"decorators.{kind}.frame_locals") for kind in ("Plain", "PlainConstruct")
    ]
    commands = ["bt -full -no-filters", *broken, "bt -full"]
    native, _, _, after = run(program, commands, stop="inspect")
    assert after.count(FAILED) == 1
    assert "mine = 4" in frame_of(native, "solve._omp_fn.0")
    assert "mine = 4" in frame_of(after, "parallel region of solve")
