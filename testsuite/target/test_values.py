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
from typing import Any, Dict, Iterator, List, Sequence, Tuple

import comparing  # noqa: F401  (tells where the modules are)
import pytest
from harness import processes, setup

HERE = Path(__file__).resolve().parent
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
}


@contextlib.contextmanager
def opened(program: Path, is_live: bool, folder: Path) -> Iterator[Any]:
    """The services of the program, where it is."""
    import _target

    from ompdbg.target_services.debugger import TargetServices

    if is_live:
        with subprocess.Popen([str(program), "stay"], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None and process.stdout.readline() == b"READY\n"
            target = _target.attach(process.pid, None, None)
            try:
                yield TargetServices(target, process.pid)
            finally:
                target.close()
                process.kill()
        return
    with processes.kernel_core(program, (), folder).open("rb") as core:
        target = _target.open_core(core.fileno(), None, None)
        yield TargetServices(target, 0)
        target.close()


def compiled(command: Sequence[str], folder: Path) -> Path:
    """The program as that compiler makes it."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]}")
    program = folder / "values"
    source = HERE / "programs" / "values.cpp"
    subprocess.run([*command, "-pthread", "-g", str(source), "-o", str(program)], check=True)
    return program


def stack_with(services: Any, function: str) -> Tuple[Any, Dict[str, Any]]:
    """The thread that is in a function, and its frames."""
    for thread in services.threads():
        frames = {frame.function: frame for frame in services.stack(thread)}
        if function in frames:
            return thread, frames
    raise AssertionError(f"no thread is in {function}")


def without_addresses(text: str) -> str:
    """Of pointers to what the program has."""
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
    with opened(compiled(command, tmp_path), is_live, tmp_path) as services:
        thread, frames = stack_with(services, "show")
        arguments = services.arguments(thread, frames["show"])
        variables = services.locals(thread, frames["show"])
        (passed,) = services.arguments(thread, frames["halt"])
        assert [one.name for one in arguments] == list(ARGUMENTS)
        assert {one.name for one in variables} <= set(LOCALS)
        told = 0
        for found, known in ((arguments, ARGUMENTS), (variables[::-1], LOCALS)):
            for name, value in {one.name: without_addresses(one.value) for one in found}.items():
                if "O2" in command[1] and "<" in value and value != known[name]:
                    assert any(word in value for word in NOT_TOLD), (name, value)
                else:
                    assert (name, value) == (name, known[name])
                    told += 1
        assert told >= (15 if "O2" in command[1] else len({**ARGUMENTS, **LOCALS}))
        assert passed.value in ("311", LOST)  # 98 + 8 + 77 + 9 + 119


def test_values_in_registers(tmp_path: Path) -> None:
    """Of a function that calls nothing, in a process and in its core file."""
    if processes.kernel_core_problem():
        pytest.skip(processes.kernel_core_problem())
    import _target

    from ompdbg.target_services.debugger import TargetServices

    program = tmp_path / "spins"
    source = HERE / "programs" / "spins.c"
    subprocess.run([setup.CC, "-O2", "-g", str(source), "-o", str(program)], check=True)
    limit = f"ulimit -c unlimited; exec {program}"
    told = []
    with subprocess.Popen(["sh", "-c", limit], cwd=tmp_path) as process:
        try:
            end = time.monotonic() + 30
            while os.readlink(f"/proc/{process.pid}/exe") != str(program):
                assert time.monotonic() < end
            while not told or not told[-1]:
                assert time.monotonic() < end
                target = _target.attach(process.pid, None, None)
                told.append(spinning(TargetServices(target, process.pid)))
                target.close()
        finally:
            process.send_signal(signal.SIGABRT)
    (core,) = tmp_path.glob("core*")
    with core.open("rb") as file:
        target = _target.open_core(file.fileno(), None, None)
        told.append(spinning(TargetServices(target, 0)))
        target.close()
    values = [("first", "2.5"), ("second", "0.25"), ("third", "7")]
    assert told[-2:] == [values, values]


def spinning(services: Any) -> List[Tuple[str, str]]:
    """The arguments of the innermost function."""
    thread = services.threads()[0]
    frame = next(iter(services.stack(thread)))
    arguments = services.arguments(thread, frame) if frame.function == "spin" else []
    return [(one.name, one.value) for one in arguments]
