# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""On a terminal the commands use GDB's styles, and nowhere else."""

import re
from pathlib import Path
from typing import Any, Iterator, List

import build  # from fixtures/
import pytest

from harness import setup
from harness.terminal import Terminal

ESCAPE = "\033["
DEFAULTS = {"39", "49", "22", "23", "24", "27"}
COMMANDS = ("omp threads", "omp tasks", "omp tasks -queued", "omp bt -all -full")


def opened(arguments: List[str], **more: Any) -> Terminal:
    """A GDB with a terminal, where there are terminals."""
    try:
        return Terminal(arguments, **more)
    except build.Skipped as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="module")
def terminal() -> Iterator[Terminal]:
    """The program hung in its state."""
    try:
        program = setup.program("hung", "O2")
    except build.Skipped as reason:
        pytest.skip(str(reason))
    with opened([str(program)]) as terminal:
        terminal.type("break fixture_ready")
        terminal.type("run > /dev/null")
        yield terminal


def plain(lines: List[str]) -> List[str]:
    return [re.sub("\033\\[[0-9;]*m", "", line) for line in lines]


def short(line: str) -> str:
    """The same without what GDB 18 says besides: colours and the like that are the terminal's."""

    def told(match: "re.Match[str]") -> str:
        codes = [code for code in match[1].split(";") if code not in DEFAULTS]
        return "{}{}m".format(ESCAPE, ";".join(codes))

    return re.sub("\033\\[([0-9;]*)m", told, line)


def test_only_the_style_differs(terminal: Terminal) -> None:
    for command in COMMANDS:
        styled = terminal.type(command)
        assert any(ESCAPE in line for line in styled), command
        terminal.type("set style enabled off")
        without = terminal.type(command)
        terminal.type("set style enabled on")
        assert plain(styled) == without
        assert max(len(line) for line in without) < 80 or "bt" in command


def test_the_last_column_is_free(terminal: Terminal) -> None:
    """In the TUI an empty line follows a line that is as wide as the terminal."""
    for width in (40, 60, 75, 80):
        terminal.type("set width {}".format(width))
        for command in COMMANDS[:3]:
            assert max(len(line) for line in plain(terminal.type(command))) < width
    terminal.type("set width 80")


def test_lines_of_the_source_that_gdb_has_coloured(terminal: Terminal) -> None:
    terminal.type("set style enabled on")
    coloured = terminal.type("list hung.c:61,61")
    if not any(ESCAPE in line for line in coloured):
        pytest.skip("this GDB does not colour the source")
    assert terminal.type("omp apply list hung.c:61,61")[-1] == plain(coloured)[-1]


def test_the_users_styles(terminal: Terminal) -> None:
    terminal.type("set style function foreground magenta")
    terminal.type("set style filename intensity bold")
    terminal.type("set style variable foreground none")
    terminal.type("set style highlight foreground magenta")
    table = "\n".join(map(short, terminal.type("omp threads")))
    assert "\033[35mwrite_snapshot\033[m at \033[32;1mhung.c\033[m:61" in table
    # Thread 1 waits for two that are in a deadlock.
    assert table.count("\033[2mlock block_lock[3]\033[m") == 1
    for lock in ("block_lock[3]", "block_lock[4]"):
        assert table.count("\033[35mlock {}\033[m".format(lock)) == 1
    assert "\033[1mThread\033[m" in table


def test_no_style_where_it_is_no_terminal(terminal: Terminal, tmp_path: Path) -> None:
    assert not any(ESCAPE in line for line in terminal.type("omp threads -json"))
    to_string = "python print(ascii(gdb.execute('omp threads', to_string=True)))"
    assert "\\x1b" not in "".join(terminal.type(to_string))
    copy = tmp_path / "table"
    terminal.type("pipe omp threads | cat > {}".format(copy))
    assert "solve at hung.c:88" in copy.read_text(encoding="utf-8")
    log = tmp_path / "log"
    terminal.type("set logging file {}".format(log))
    terminal.type("set logging enabled on")
    terminal.type("omp threads")
    terminal.type("set logging enabled off")
    assert "solve at hung.c:88" in log.read_text(encoding="utf-8")


def test_no_style_on_a_dumb_terminal() -> None:
    with opened([str(setup.program("hung", "O2"))], variables={"TERM": "dumb"}) as terminal:
        terminal.type("break fixture_ready")
        terminal.type("run > /dev/null")
        assert not any(ESCAPE in line for line in terminal.type("omp threads"))


def test_help_fits_the_terminal(terminal: Terminal) -> None:
    """GDB breaks lines in the middle of words."""
    commands = ("status", "threads", "tasks", "bt", "frame", "apply", "step", "finish", "break")
    more = ("regions", "icvs", "env", "locks", "why", "delete", "thread-info", "task-info")
    topics = ["omp " + name for name in (*commands, *more, "parallel-info")]
    names = ("debug", "library", "frame-filter", "record", "thread-names")
    settings = ["set omp " + name for name in names]
    functions = ["function _omp_" + name for name in ("thread_num", "team", "state", "in_task")]
    for command in ["omp", "set omp", *topics, *settings, *functions]:
        shown = plain(terminal.type("help " + command))
        assert len(shown) >= 2
        assert [line for line in shown if len(line) >= 80] == []
