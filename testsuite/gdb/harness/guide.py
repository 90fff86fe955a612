# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The sessions of README.md, docs/guide.md and docs/cases.md: what is typed there, and what is printed for it now.

A session is an indented block under a comment that says how GDB comes there:

    <!-- session: PROGRAM VARIANT ARGUMENTS | COMMAND | COMMAND -->

PROGRAM is a fixture, or a program of programs/ (with its suffix), of which VARIANT are the
compiler's options; case_sessions.py has the headers for programs of testsuite/cases. `<!-- session:
goes on -->`: in the GDB of the session before. In a block, `...` stands for lines that are left out
and, at the end of a line, for its rest.
"""

import re
import shlex
from pathlib import Path
from typing import Callable, Dict, Iterator, List, NamedTuple, Optional

from harness import own_programs, setup
from harness.case_sessions import PREFIX, SHELL, CaseSession
from harness.terminal import Terminal

README = setup.ROOT / "README.md"
GUIDE = setup.ROOT / "docs" / "guide.md"
CASES = setup.ROOT / "docs" / "cases.md"
PROMPT = "(gdb) "
_HEADER = re.compile(r"<!-- session: (.*) -->")
_GOES_ON = "goes on"
_INDENT = "    "
_LEFT_OUT = "..."
_UNTOLD = ("[New Thread", "[Switching to", "[Thread debugging", "Using host", "Starting program")
# What differs from run to run, or with compilers and libraries.
_THREADS = re.compile(r"(?<![:\w.])\d+(?:(?:, |-)\d+)*(?![\w.])")
_VARIES = ((re.compile(r"0x[0-9a-f]+"), "0x"), (re.compile(r"LWP \d+"), "LWP"))


class Said(NamedTuple):
    """A command, one of a shell with its prompt, and what is printed for it."""

    command: str
    lines: List[str]


class Block(NamedTuple):
    """One session of the guide."""

    header: str
    first: int  # index of its first line
    last: int  # behind its last
    said: List[Said]


def blocks(text: str) -> Iterator[Block]:
    """All sessions."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        header = _HEADER.fullmatch(line)
        if header is None:
            continue
        first = last = index + 1
        while first < len(lines) and not lines[first]:
            first += 1
        last = first
        while last < len(lines) and (lines[last].startswith(_INDENT) or not lines[last]):
            last += 1
        while not lines[last - 1]:
            last -= 1
        said: List[Said] = []
        for one in lines[first:last]:
            one = one[len(_INDENT) :]
            if one.startswith((PROMPT, SHELL)):
                said.append(Said(one[len(PROMPT) :] if one.startswith(PROMPT) else one, []))
            else:
                said[-1].lines.append(one)
        yield Block(header[1], first, last, said)


def run_all(found: List[Block], folder: Path) -> Iterator[List[Said]]:
    """What is printed for the commands of each block."""
    terminal: Optional[Terminal] = None
    case: Optional[CaseSession] = None
    built: Dict[str, Path] = {}
    try:
        for block in found:
            if block.header != _GOES_ON:
                _close(terminal, case)
                terminal = case = None
                if block.header.startswith(PREFIX):
                    case = CaseSession(block.header, folder)
                    terminal = case.terminal
                else:
                    program, *commands = [part.strip() for part in block.header.split("|")]
                    terminal = _opened(program, folder, built)
                    for command in commands:
                        terminal.type(command)
            yield [
                Said(said.command, _answer(said.command, terminal, case)) for said in block.said
            ]
    finally:
        _close(terminal, case)


def _close(terminal: Optional[Terminal], case: Optional[CaseSession]) -> None:
    if case is not None:
        case.close()
    elif terminal is not None:
        terminal.__exit__(None, None, None)


def _answer(command: str, terminal: Optional[Terminal], case: Optional[CaseSession]) -> List[str]:
    if command.startswith(SHELL):
        assert case is not None
        return case.shell(command)
    assert terminal is not None
    return _printed(terminal, command)


def _opened(text: str, folder: Path, built: Dict[str, Path]) -> Terminal:
    name, *rest = shlex.split(text)
    if "." in name:
        flags = [word for word in rest if word.startswith("-")]
        rest = [word for word in rest if not word.startswith("-")]
        if name not in built:
            built[name] = own_programs.compiled(name, folder / name.replace(".", "-"), flags)
        program = built[name]
    else:
        program = setup.program(name, rest.pop(0))
    # A dumb terminal has no styles.
    terminal = Terminal([str(program)], variables={"TERM": "dumb"})
    terminal.type("set width 80")
    terminal.type("set filename-display basename")
    terminal.type("set args " + " ".join([*rest, "> /dev/null"]))
    return terminal


def _printed(terminal: Terminal, command: str) -> List[str]:
    lines = [line.rstrip() for line in terminal.type(command)]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    lines = [line for line in lines if not line.startswith(_UNTOLD)]
    return lines[1:] if lines and not lines[0] else lines


def fits(told: List[str], now: List[str]) -> bool:
    """Whether the lines of the guide are what is printed now."""
    if not any(told):  # blank lines may follow
        return not now
    if told[0] == _LEFT_OUT:
        return any(fits(told[1:], now[index:]) for index in range(len(now) + 1))
    return bool(now) and _alike(told[0], now[0]) and fits(told[1:], now[1:])


def fits_other_threads(told: List[str], now: List[str]) -> bool:
    """Whether they are the same lines, but for the numbers of threads and the order that these
    have: which thread comes first to a construct changes from run to run."""
    rest = [_without_threads(line) for line in now]
    for line in told:
        if not line or line == _LEFT_OUT:
            continue
        wanted = _without_threads(line)
        fitting = [one for one in rest if _alike(wanted, one)]
        if not fitting:
            return False
        rest.remove(fitting[0])
    return not rest or _LEFT_OUT in told


def _without_threads(line: str) -> str:
    return _THREADS.sub("N", _steady(line))


def _alike(told: str, now: str) -> bool:
    told, now = _steady(told), _steady(now)
    if told.endswith(_LEFT_OUT):
        return now.startswith(told[: -len(_LEFT_OUT)].rstrip())
    return told == now


def _steady(line: str) -> str:
    for pattern, replacement in _VARIES:
        line = pattern.sub(replacement, line)
    return re.sub(r"  +", "  ", line).strip()


def renewed(text: str, folder: Path, fit: Callable[[List[str], List[str]], bool] = fits) -> str:
    """The text with what is printed now; where lines are left out, they stay so if they fit."""
    lines = text.splitlines()
    found = list(blocks(text))
    for block, said in reversed(list(zip(found, run_all(found, folder)))):
        new: List[str] = []
        for old, now in zip(block.said, said):
            kept = old.lines if fit(old.lines, now.lines) else now.lines
            prompt = "" if now.command.startswith(SHELL) else PROMPT
            new += [prompt + now.command, *kept]
        lines[block.first : block.last] = [(_INDENT + line).rstrip() for line in new]
    return "\n".join(lines) + "\n"
