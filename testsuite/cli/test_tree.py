# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg bt --tree`: the stacks of all threads as one tree."""

import os
import re
from posixpath import basename
from typing import Any, Dict, List, Tuple

import build  # from fixtures/
import pytest
from harness import processes, setup, terminal

Row = Tuple[int, str, str, str]  # indentation, count, label, threads
VARIANTS = ("O2", "clang")


def program_of(name: str, variant: str) -> Any:
    try:
        return setup.program(name, variant)
    except build.Skipped as reason:
        pytest.skip(str(reason))


def rows_of(text: str) -> List[Row]:
    head, *lines = text.splitlines()
    numbers = head.index("Threads")
    assert head.split() == ["Count", "Stack", "Threads"]
    found = []
    for line in lines:
        label = line[7:numbers].rstrip()
        indent = len(label) - len(label.lstrip())
        found.append((indent, line[:5].strip(), label.strip(), line[numbers:].strip()))
    return found


def numbers_in(ranges: str) -> List[int]:
    found: List[int] = []
    for part in ranges.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def paths_of(rows: List[Row]) -> Dict[int, List[str]]:
    """The rows that each thread has, from main on; recursions are unfolded."""
    found: Dict[int, List[str]] = {}
    threads: List[int] = []
    for _, count, label, numbers in rows:
        if count:
            threads = numbers_in(numbers)
            assert len(threads) == int(count)
        folded = re.fullmatch(r"\((?:this line|these (\d+) lines) (\d+) more times\)", label)
        for thread in threads:
            path = found.setdefault(thread, [])
            if folded is None:
                path.append(label)
            else:
                path += path[-int(folded[1] or 1) :] * int(folded[2])
    return found


def place(file: str, line: int) -> str:
    return f"{basename(file)}:{line}"


def wanted(stack: Any) -> List[str]:
    """The same out of JSON."""
    found: List[str] = []
    for part in reversed(stack["parts"]):
        for frame in reversed(part["frames"]):
            where = place(frame["file"], frame["line"])
            if frame["construct"] is None:
                found.append(f"{frame['function']} at {where}")
                continue
            begin = frame["construct_at"]
            inside = f"line {frame['line']}" if begin["file"] == frame["file"] else f"at {where}"
            opened = place(begin["file"], begin["line"])
            found.append(f"{frame['construct']} of {frame['function']} at {opened}")
            found.append(inside)
    return found


def split(path: List[str]) -> List[str]:
    """Construct and line apart."""
    return [part for label in path for part in re.split(r", (?=line |at )", label)]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "name, arguments",
    [("many", ["64"]), ("nested", ["3", "2", "4"]), ("fib", ["20", "8"]), ("tasks", ["kinds"])],
)
def test_the_tree_has_the_stack_of_every_thread(
    ompdbg: Any, name: str, arguments: List[str], variant: str
) -> None:
    with processes.ready_program(program_of(name, variant), arguments) as pid:
        stacks = ompdbg.json("bt", pid)["stacks"]
        text = ompdbg.run("bt", "--tree", pid).stdout
    paths = paths_of(rows_of(text))
    assert set(paths) == {stack["parts"][0]["thread"] for stack in stacks}
    for stack in stacks:
        thread = stack["parts"][0]["thread"]
        if not any(part["frames"] for part in stack["parts"]):
            assert paths[thread][0] == "no frame of the program"
            continue
        assert all(frame["file"] for part in stack["parts"] for frame in part["frames"])
        assert split(paths[thread])[:-1] == wanted(stack), text
        assert paths[thread][-1].startswith("- ")


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_ends_say_what_threads_do(ompdbg: Any, variant: str) -> None:
    with processes.ready_program(program_of("many", variant), ["64"]) as pid:
        threads = ompdbg.json("threads", pid)["threads"]
        rows = rows_of(ompdbg.run("bt", pid).stdout)
    paths = paths_of(rows)
    for thread in threads:
        end = paths[thread["gdb"]][-1]
        wait = {None: None, "barrier": "- barrier", "critical": "- critical door"}
        expected = wait[thread["wait"] and thread["wait"]["kind"]]
        assert expected is None or end == expected
    # The many come first, and say so once: 62 at the barrier are one branch.
    counts = [int(count) for _, count, _, _ in rows if count]
    assert 62 in counts and sorted(counts)[-1] in (64, 65)
    at_barrier = [row for row in rows if row[2] == "- barrier"]
    assert len(at_barrier) == 1


def test_the_default_is_a_tree_from_16_threads_on(ompdbg: Any) -> None:
    program = setup.program("many", "O2")
    for number in (15, 16):
        with processes.ready_program(program, [str(number)]) as pid:
            plain, tree, stacks, full, raw, few = (
                ompdbg.run("bt", *words, pid).stdout
                for words in ((), ["--tree"], ["--no-tree"], ["--full"], ["--raw"], ["--limit=1"])
            )
        assert tree.startswith("Count  Stack") and stacks.startswith("-- thread")
        assert plain == (stacks if number < 16 else tree)
        assert all(text.startswith("-- thread") for text in (full, raw, few))


def test_what_a_tree_excludes(ompdbg: Any) -> None:
    for word in ("--full", "--limit=2", "--no-tree"):
        done = ompdbg.run("bt", "--tree", word, os.getpid())
        option = word.partition("=")[0]
        wanted_words = f"--tree and {option} exclude each other"
        assert done.returncode == 2 and wanted_words in done.stderr


@pytest.mark.parametrize("width", (60, 80))
@pytest.mark.parametrize("variant", VARIANTS)
def test_lines_survive_on_narrow_terminals(ompdbg: Any, width: int, variant: str) -> None:
    with processes.ready_program(program_of("nested", variant), ["3", "2", "4"]) as pid:
        whole = ompdbg.run("bt", pid).stdout
        text = terminal.printed([setup.COMMAND_LINE, "bt", pid], width, {"NO_COLOR": "1"})
    assert max(map(len, text.splitlines())) <= width
    assert "\033" not in text

    def places(said: str) -> List[str]:
        return re.findall(r"nested\.c:\d+|line \d+", said)

    assert places(text) == places(whole)
