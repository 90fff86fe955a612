# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Values of arguments and local variables without a debugger."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Iterator, List, NamedTuple, Sequence, Tuple

import comparing
import pytest
from harness import processes, setup

HERE = Path(__file__).resolve().parent
PRINTER = comparing.PRINTER
LOST = "<optimized out>"
NOT_TOLD = (LOST, "<unavailable: ", "<synthetic pointer>")

# As the source has them; what is only an address is a pattern.
ARGUMENTS = {
    "letter": "97 'a'",
    "byte": r"200 '\310'",
    "yes": "true",
    "negative": "-7",
    "all": "18446744073709551615",
    "single": "1.10000002",
    "twice": "3.1415899999999999",
    "extended": "2.5",
    "tint": "blue",
    "both_flags": "(bold | wide)",
    "strange": "(bold | unknown: 0x8)",
    "in_class": "scoped::second",
    "shape": "shapes::square",
    "text": '0xADDRESS "text"',
    "nothing": "0x0",
    "to_counter": "0xADDRESS <counter>",
    "to_table": "0xADDRESS <table+8>",
    "function": "0xADDRESS <callee(int)>",
    "reference": "@0xADDRESS: {x = 1, y = 2}",
    "pair": "{x = 1, y = 2}",
    "whole": "{<base> = {size = 3}, weight = 2.5, at = {x = 1, y = 2}, low = 5, high = -3}",
    "wide_letter": "119 L'w'",
}
LOCALS = {
    "inner": "98",
    "numbers": "8",  # the innermost of that name
    "zeros": "{0 <repeats 300 times>}",
    "matrix": "{{1, 2, 3}, {4, 5, 6}}",
    "padded": r""""abc", '\000' <repeats 12 times>""",
    "full": '"abc"',
    "bytes": r'"\001\310A"',
    "quoted": r'0xADDRESS "a \"b\"\n\001\062"',
    "unreadable": "0x8 <error: Cannot access memory at address 0x8>",
    "points": "{{x = 1, y = 2}, {x = 3, y = 4}}",
    "list": '{next = 0x0, values = {1.5, -0}, name = 0xADDRESS "node"}',
    "overlaid": "{number = 1069547520, real = 1.5}",
    "word": '"hello"',
    "vector": "std::vector of length 3, capacity 3 = {7, 8, 9}",
    "empty": "std::vector of length 0, capacity 0",
    "third": "0.33333333333333331",
    "huge": "1.0000000000000001e+300",
    "infinite": "inf",
    "kept": "9",
    "own_count": "7",  # thread-local
    "longs": "{-1, 0, 1}",
    "euro": "8364 L'€'",
    "large": str(1 << 100),
    "quad": "<unavailable: unknown type>",
    "inherits": "{<point> = <unavailable: unknown location>, "
    "_vptr = 0xADDRESS <VTT for virtual_base>, own = 3}",
}


class Frame(NamedTuple):
    """A frame with its variables, each with its value."""

    function: str
    arguments: List[Tuple[str, str]]
    locals: List[Tuple[str, str]]


def frames_of(target: object) -> List[Frame]:
    """Return the frames of all threads of a core file or process."""
    command = [str(PRINTER), str(target), "--variables"]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    found: List[Frame] = []
    for line in done.stdout.decode().splitlines():
        kind, _, rest = line.strip().partition(" ")
        if kind == "frame":
            found.append(Frame("", [], []))
        elif kind == "place":
            found[-1] = found[-1]._replace(function=rest.partition(" |")[0])
        elif kind in ("argument", "local"):
            name, _, value = rest.partition(" = ")
            (found[-1].arguments if kind == "argument" else found[-1].locals).append((name, value))
    return found


@contextlib.contextmanager
def stopped(program: Path, is_live: bool, folder: Path) -> Iterator[object]:
    """The program, where it is: a process, or its core file."""
    if is_live:
        with subprocess.Popen([str(program), "stay"], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None and process.stdout.readline() == b"READY\n"
            try:
                yield process.pid
            finally:
                process.kill()
        return
    yield processes.kernel_core(program, (), folder)


def compiled(command: Sequence[str], folder: Path) -> Path:
    """The program as that compiler makes it."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]}")
    program = folder / "values"
    source = HERE / "programs" / "values.cpp"
    subprocess.run([*command, "-pthread", "-g", str(source), "-o", str(program)], check=True)
    return program


def without_addresses(text: str) -> str:
    """Of pointers to what the program has."""
    text = re.sub(r"_vptr[.$]virtual_base", "_vptr", text)
    return re.sub(r"0x[0-9a-f]{9,}", "0xADDRESS", text)


@pytest.mark.parametrize(
    "command, is_live",
    [
        (("g++", "-O0"), True),
        (("clang++", "-O0", "-fstandalone-debug"), False),
        (("g++", "-O2"), False),
    ],
)
def test_values(command: Sequence[str], is_live: bool, tmp_path: Path) -> None:
    """Without optimization all are told; with it some, and none that is untrue."""
    if not is_live and processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    with stopped(compiled(command, tmp_path), is_live, tmp_path) as target:
        frames = {frame.function: frame for frame in frames_of(target)}
    show = frames["show"]
    (passed,) = frames["halt"].arguments
    assert [name for name, _ in show.arguments] == list(ARGUMENTS)
    assert {name for name, _ in show.locals} <= set(LOCALS)
    told = 0
    for found, known in ((show.arguments, ARGUMENTS), (show.locals[::-1], LOCALS)):
        for name, value in {name: without_addresses(value) for name, value in found}.items():
            if "O2" in command[1] and "<" in value and value != known[name]:
                assert any(word in value for word in NOT_TOLD), (name, value)
            else:
                assert (name, value) == (name, known[name])
                told += 1
    assert told >= (15 if "O2" in command[1] else len({**ARGUMENTS, **LOCALS}))
    assert passed in (("passed", "311"), ("passed", LOST))  # 98 + 8 + 77 + 9 + 119


def test_values_in_registers(tmp_path: Path) -> None:
    """Of a function that calls nothing, in a process and in its core file."""
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    program = tmp_path / "spins"
    source = HERE / "programs" / "spins.c"
    subprocess.run([setup.CC, "-O2", "-g", str(source), "-o", str(program)], check=True)
    limit = f"ulimit -c unlimited; exec {program}"
    told: List[List[Tuple[str, str]]] = []
    with subprocess.Popen(["sh", "-c", limit], cwd=tmp_path) as process:
        try:
            end = time.monotonic() + 30
            while os.readlink(f"/proc/{process.pid}/exe") != str(program):
                assert time.monotonic() < end
            while not told or not told[-1]:
                assert time.monotonic() < end
                told.append(spinning(process.pid))
        finally:
            process.send_signal(signal.SIGABRT)
    (core,) = tmp_path.glob("core*")
    told.append(spinning(core))
    values = [("first", "2.5"), ("second", "0.25"), ("third", "7")]
    assert told[-2:] == [values, values]


def spinning(target: object) -> List[Tuple[str, str]]:
    """The arguments of the innermost function."""
    frame = frames_of(target)[0]
    return frame.arguments if frame.function == "spin" else []
