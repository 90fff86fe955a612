# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`omp bt`: the stack of every thread in the terms of the source, continued to main."""

import re
from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import pytest

from harness import cases, expect, expect_stack, expect_tasks
from harness.cases import Case
from harness.snapshots import Snapshot

# Stacks of threads, by program and by thread numbers from the outermost region inwards. Of an
# internal procedure of Fortran that was cloned for constant arguments, the host's name is lost.
STACKS: Dict[str, Dict[Tuple[int, ...], str]] = {
    "hung": {
        (
            3,
        ): """
            -- thread 3 of 8, level 1
            level at {second-lock}
            parallel region of solve at {=num_threads(blocks)}, line {=level(self, self + 1)}
            -- outside
            solve at *
            main at {=solve();}
        """,
        (
            5,
        ): """
            -- thread 5 of 8, level 1
            level at {second-lock}
            parallel region of solve at {=num_threads(blocks)}, line {=level(self - 1, self - 2)}
            -- outside
            solve at *
            main at {=solve();}
        """,
    },
    "nested 3 2 4": {
        (
            0,
            0,
            0,
        ): """
            -- thread 0.0.0 of 4, level 3
            parallel region of inner at {=num_threads(sizes[2])}, line {ready}
            inner at *
            parallel region of middle at {=num_threads(sizes[1])}, line {inner-call}
            middle at *
            parallel region of outer at {=num_threads(sizes[0])}, line {=middle(sizes[0]}
            outer at *
            main at {=outer();}
        """,
        (
            2,
            1,
            3,
        ): """
            -- thread 2.1.3 of 4, level 3
            parallel region of inner at {=num_threads(sizes[2])}, line {barrier}
            -- thread 2.1 of 2, level 2
            inner at *
            parallel region of middle at {=num_threads(sizes[1])}, line {inner-call}
            -- thread 2 of 3, level 1
            middle at *
            parallel region of outer at {=num_threads(sizes[0])}, line {=middle(sizes[0]}
            -- outside
            outer at *
            main at {=outer();}
        """,
        (
            1,
            0,
            0,
        ): """
            -- thread 1.0.0 of 4, level 3
            parallel region of inner at {=num_threads(sizes[2])}, line {critical}
            inner at *
            parallel region of middle at {=num_threads(sizes[1])}, line {inner-call}
            middle at *
            parallel region of outer at {=num_threads(sizes[0])}, line {=middle(sizes[0]}
            -- outside
            outer at *
            main at {=outer();}
        """,
        (
            0,
            0,
            2,
        ): """
            -- thread 0.0.2 of 4, level 3
            parallel region of inner at {=num_threads(sizes[2])}, line {barrier}
            -- thread 0.0 of 2, level 2
            inner at *
            parallel region of middle at {=num_threads(sizes[1])}, line {inner-call}
            middle at *
            parallel region of outer at {=num_threads(sizes[0])}, line {=middle(sizes[0]}
            outer at *
            main at {=outer();}
        """,
    },
    "cxx": {
        (
            0,
        ): """
            -- thread 0 of 4, level 1
            demo::Field<double>::sweep()::{lambda(int)#1}::operator()(int) const at {ready}
            parallel region of demo::Field<double>::sweep at {=num_threads(4)}, line {=inspect(3)}
            demo::Field<double>::sweep at *
            main at {=field.sweep();}
        """,
        (
            1,
        ): """
            -- thread 1 of 4, level 1
            demo::Field<double>::accumulate at {critical}
            demo::Field<double>::accumulate at *
            parallel region of demo::Field<double>::sweep at {=num_threads(4)}, line {=Value(2)}
            -- outside
            demo::Field<double>::sweep at *
            main at {=field.sweep();}
        """,
        (
            2,
        ): """
            -- thread 2 of 4, level 1
            demo::Field<double>::recover at {caught}
            parallel region of demo::Field<double>::sweep at {=num_threads(4)}, line {=		recover();}
            -- outside
            demo::Field<double>::sweep at *
            main at {=field.sweep();}
        """,
        (
            3,
        ): """
            -- thread 3 of 4, level 1
            task of (anonymous namespace)::settle at {settle-task}, line {parked}
            (anonymous namespace)::settle at {settle-task}
            parallel region of demo::Field<double>::sweep at {=num_threads(4)}, line {=settle(self);}
            -- outside
            demo::Field<double>::sweep at *
            main at {=field.sweep();}
        """,
    },
    "fortran": {
        (
            0,
        ): """
            -- thread 0 of 5, level 1
            heat::hold at {ready}
            parallel region of [fortran::]solve at *, line {=call hold()}
            [fortran::]solve at *
            ?fortran at {=call solve(5)}
            ?the main program at {=call solve(5)}
        """,
        (
            1,
        ): """
            -- thread 1 of 5, level 1
            heat::pass at *
            parallel region of [fortran::]solve at *, line {=call pass()}
            -- outside
            [fortran::]solve at *
            ?fortran at {=call solve(5)}
            ?the main program at {=call solve(5)}
        """,
        (
            3,
        ): """
            -- thread 3 of 5, level 1
            task of heat::smooth at {smooth-task}, line {parked}
            heat::smooth at *
            parallel region of [fortran::]solve at *, line {=call smooth()}
            -- outside
            [fortran::]solve at *
            ?fortran at {=call solve(5)}
            ?the main program at {=call solve(5)}
        """,
        (
            4,
        ): """
            -- thread 4 of 5, level 1
            parallel region of [fortran::]solve at *, line *
            -- outside
            [fortran::]solve at *
            ?fortran at {=call solve(5)}
            ?the main program at {=call solve(5)}
        """,
    },
    "signal critical": {
        (
            0,
        ): """
            -- thread 0 of 3, level 1
            interrupt at {parked}
            parallel region of main at {=#pragma omp parallel num_threads(3)}, line *
            ?install at *
            main at *
        """,
        (
            1,
        ): """
            -- thread 1 of 3, level 1
            handler at {ready}
            <signal>
            cross at *
            worker at {=cross();}
            parallel region of main at {=#pragma omp parallel num_threads(3)}, line {=		worker(self);}
            -- outside
            ?install at *
            main at *
        """,
    },
    "signal raise": {
        (
            1,
        ): """
            -- thread 1 of 3, level 1
            handler at {ready}
            <signal>
            worker at {raise}
            parallel region of main at {=#pragma omp parallel num_threads(3)}, line {=		worker(self);}
            -- outside
            ?install at *
            main at *
        """,
    },
    "signal altstack": {
        (
            1,
        ): """
            -- thread 1 of 3, level 1
            handler at {ready}
            <signal>
            worker at {raise}
            parallel region of main at {=#pragma omp parallel num_threads(3)}, line {=		worker(self);}
            -- outside
            ?install at *
            main at *
        """,
    },
    "signal barrier": {
        (
            1,
        ): """
            -- thread 1 of 3, level 1
            handler at {ready}
            <signal>
            worker at {barrier}
            parallel region of main at {=#pragma omp parallel num_threads(3)}, line {=		worker(self);}
            -- outside
            ?install at *
            main at *
        """,
    },
}


def has_lines(case: Case) -> bool:
    return not build.VARIANTS[case.variant].stripped


ALL = cases.all_cases() + cases.llvm_cases()
UNSTRIPPED = [case for case in ALL if has_lines(case)]
WRITTEN = [case for case in UNSTRIPPED if case.name in STACKS]
FIB = [case for case in UNSTRIPPED if case.program == "fib"]
LIVE = [case for case in ALL if case.mode == cases.LIVE]


def stacks_of(snapshot: Snapshot) -> List[Tuple[expect.Thread, List[str]]]:
    """Each thread with its stack as lines."""
    threads = expect.threads_of(snapshot)
    by_number = {thread.row["gdb"]: thread for thread in threads}
    stacks = snapshot["stacks"]["stacks"]
    assert [stack["parts"][0]["thread"] for stack in stacks] == list(by_number)
    return [(t, expect_stack.told(s, by_number)) for t, s in zip(threads, stacks)]


@pytest.mark.parametrize("case", WRITTEN, ids=str)
def test_stacks_are_as_written_down(case: Case, snapshot: Snapshot) -> None:
    by_path = {thread.path: lines for thread, lines in stacks_of(snapshot)}
    for path, expected in STACKS[case.name].items():
        problem = expect_stack.problem(case, expected, by_path[path])
        assert not problem, problem


@pytest.mark.parametrize("case", UNSTRIPPED, ids=str)
def test_stacks_end_where_they_began(case: Case, snapshot: Snapshot) -> None:
    for thread, lines in stacks_of(snapshot):
        if not thread.path:
            continue
        assert not lines[-1].startswith("note:"), lines
        function = lines[-1].split(" at ")[0]
        # Of `foreign`, the functions with which its own threads began.
        assert function in ("main", "fortran", "the main program", "left", "right"), lines
        levels = [int(x) for x in re.findall(r", level (\d+)", "\n".join(lines))]
        assert levels == sorted(set(levels), reverse=True)


@pytest.mark.parametrize("case", UNSTRIPPED, ids=str)
def test_there_is_a_frame_for_each_task_that_has_begun(case: Case, snapshot: Snapshot) -> None:
    shown = 0
    for stack in snapshot["stacks"]["stacks"]:
        constructs = [frame["construct"] for frame in stack["parts"][0]["frames"]]
        shown += sum(construct in ("task", "taskloop task") for construct in constructs)
    begun = [
        task
        for task in snapshot["tasks"]["tasks"]
        if task["kind"] == "explicit" and task["status"] in ("running", "suspended", "started")
    ]
    assert shown == len(begun)


@pytest.mark.parametrize("case", FIB, ids=str)
def test_recursive_tasks(case: Case, snapshot: Snapshot) -> None:
    lines_of = {mark: build.line_of("fib", mark) for mark in ("left", "right", "taskwait")}
    starts = {"task of fib at {0}, line {1}".format(n, n + 1) for n in lines_of.values()}
    for thread, lines in stacks_of(snapshot):
        regions = [line for line in lines if line.startswith("parallel region of main at ")]
        assert len(regions) == 1
        inner = lines[1 : lines.index(regions[0])]
        # Below the innermost call, each fib waits for its children, and is called by a task.
        calls = [line for line in inner if line.startswith("fib at ")]
        # In a team of one thread LLVM's runtime executes a task where it is made.
        waits = ["taskwait"] if expect_tasks.knows_all_depends(case) else list(lines_of)
        for call in calls[1:]:
            assert call in ["fib at {}".format(lines_of[mark]) for mark in waits]
        tasks = [line for line in inner if line.startswith("task of fib")]
        assert set(tasks) <= starts
        assert len(calls) == len(tasks) + (thread.path == (0,))


def test_written_stacks_are_looked_at_in_every_variant() -> None:
    for name in ("hung", "nested 3 2 4", "cxx", "fortran", "signal critical"):
        seen = {case.variant for case in WRITTEN if case.name == name}
        assert seen >= set(cases.VARIANTS) - {"stripped"} | {"clang"}


def expanded(ranges: str) -> List[int]:
    """`1-3,5` as numbers."""
    pairs = [word.split("-") for word in ranges.split(",")]
    return [number for pair in pairs for number in range(int(pair[0]), int(pair[-1]) + 1)]


def joined(block: str) -> str:
    """Headings in one line."""
    return re.sub(r",\n   (?=\S)", ",", block)


def threads_of(block: str) -> List[int]:
    """The threads whose stack it is."""
    match = re.match(r"-- threads? ([\d, -]+)(?:: | \()", joined(block))
    assert match is not None, block
    return expanded(match[1].replace(" ", ""))


@pytest.mark.parametrize("case", LIVE, ids=str)
def test_text_says_the_same_as_json(case: Case, snapshot: Snapshot) -> None:
    """Each part and each frame has its line, with level, function and place."""
    blocks = snapshot["bt_text"]["text"].rstrip("\n").split("\n\n")
    by_thread = {number: block for block in blocks for number in threads_of(block)}
    stacks = snapshot["stacks"]["stacks"]
    assert sum(len(threads_of(block)) for block in blocks) == len(by_thread) == len(stacks)
    for stack in stacks:
        block = by_thread[stack["parts"][0]["thread"]]
        lines = joined(block).splitlines()
        heading = lines[0]
        if stack["parts"][0]["level"]:
            assert stack["parts"][0]["thread_num"] in expanded(
                re.findall(r" \((\S+)/", heading)[0]
            )
            assert "/{}), ".format(stack["parts"][0]["team_size"]) in heading
        for index, part in enumerate(stack["parts"]):
            told = lines.pop(0)
            if index:
                assert re.match(r"-- thread {}(?:: | \()".format(part["thread"]), told), told
            shown: List[Dict[str, Any]] = [f for f in part["frames"]]
            if not shown:
                assert lines.pop(0) == "no frame of the program"
            folded = 0
            for frame in shown:
                if folded:
                    folded -= 1
                    continue
                line = lines.pop(0)
                recursion = re.match(r"\.\.\. ([0-9,]+) more frames", line)
                if recursion is not None:
                    folded = int(recursion[1].replace(",", "")) - 1
                    continue
                assert line.startswith("#{}".format(frame["level"]).ljust(4))
                if frame["kind"] == "signal":
                    assert line.endswith("<signal handler called>")
                elif frame["construct"] is not None:
                    name = frame["function"] or ""
                    assert "{} of {}".format(frame["construct"], name) in line
                elif frame["function"] is not None:
                    assert frame["function"] in line
                if frame["line"] is not None:
                    gone = " (tail call)" if frame["tail_call"] else ""
                    ends = [mark.format(frame["line"], gone) for mark in (":{}{}", "line {}{}")]
                    assert line.endswith(tuple(ends))
        if stack["note"] is not None:
            assert stack["note"] in lines.pop(0)
        assert lines == []


@pytest.mark.parametrize("case", cases.in_gdb(ALL), ids=str)
def test_frames_are_those_that_gdb_unwinds(case: Case, snapshot: Snapshot) -> None:
    # Of code that Clang gives no line, GDB tells that of the code before it.
    different = snapshot["unwound"]["different"]
    assert not [one for one in different if "clang" not in case.variant or "line None" not in one]

    alike = case.name in ("many 64", "nested 3 2 4") and case.variant != "static"
    if case.mode == cases.LIVE and alike:
        threads = len(snapshot["threads"]["threads"])
        assert snapshot["unwound"]["reused"] >= threads * 3 // 4, "most wait at the same places"
        assert snapshot["unwound"]["registers"] >= 7 * threads, "at least the newest frames"
