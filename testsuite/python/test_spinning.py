# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops that only look at memory are told from all others, by what compilers made of them."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Set, Tuple

import pytest

LOOPS = Path(__file__).parents[1] / "code" / "loops.c"
VARIABLES = ("flag", "other", "plain", "counter", "exported")
_FUNCTION = re.compile(r"^[0-9a-f]+ <(\w+)>:$")
_INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(\S+)")


class Symbol:
    """As services.SymbolAt."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.offset = 0


class Services:
    """Of the process that the test is."""

    errors = (OSError,)

    def __init__(self) -> None:
        self.variables: Dict[int, str] = {}
        self.entries: Dict[int, str] = {}

    def read_memory(self, address: int, size: int) -> bytes:
        with open("/proc/self/mem", "rb", buffering=0) as memory:
            memory.seek(address)
            found = memory.read(size)
        if len(found) != size:
            raise OSError
        return found

    def symbol_at(self, address: int) -> Optional[Symbol]:
        return Symbol(self.entries[address]) if address in self.entries else None

    def variable_at(self, address: int, lock: bool, near: Optional[int]) -> Optional[str]:
        return self.variables.get(address)


# The services, the addresses of each function's instructions, and whether all is done in loops.
Code = Tuple[Services, Dict[str, List[int]], bool]


@pytest.fixture(scope="module", params=["gcc -O0", "gcc -O2", "clang -O0", "clang -O2"])
def code(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Code]:
    compiler, optimized = request.param.split()
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    found = tmp_path_factory.mktemp("loops") / "loops.so"
    options = [optimized, "-fPIC", "-shared", "-Wl,-z,now", "-o", str(found)]
    subprocess.run([compiler, *options, str(LOOPS)], check=True)
    listed = subprocess.run(["objdump", "-d", str(found)], capture_output=True, check=True)
    functions: Dict[str, List[int]] = {}
    name, stubs = "", {}
    for line in listed.stdout.decode().splitlines():
        begin, one = _FUNCTION.match(line.replace("@plt", "_plt")), _INSTRUCTION.match(line)
        if begin is not None:
            name = begin.group(1)
        elif one is not None:
            functions.setdefault(name, []).append(int(one.group(1), 16))
    library = ctypes.CDLL(str(found))
    flag = ctypes.cast(library.spin_flag, ctypes.c_void_p).value
    assert flag is not None
    base = flag - functions["spin_flag"][0]
    services = Services()
    table = subprocess.run(["nm", str(found)], capture_output=True, check=True).stdout.decode()
    for where, _, symbol in (line.split() for line in table.splitlines() if line[0] != " "):
        if symbol in VARIABLES:
            services.variables[int(where, 16) + base] = symbol
    stubs = {name: of for name, of in functions.items() if name.endswith("_plt")}
    services.entries = {of[0] + base: name[: -len("_plt")] for name, of in stubs.items()}
    known = {name: [one + base for one in of] for name, of in functions.items()}
    yield services, known, optimized == "-O0"


def named(function: str) -> Set[str]:
    return {word for word in function.split("_")[1:] if word in VARIABLES}


def test_loops(code: Code) -> None:
    from ompdbg.model.spinning import Loop

    services, functions, is_plain = code
    tried = 0
    for name, addresses in functions.items():
        found = [Loop(services, one).spin(called=False) for one in addresses]  # type: ignore
        spins = {spin for spin in found if spin is not None}
        tried += name.startswith(("spin_", "work_"))
        if name in ("spin_counter", "spin_unnamed") and is_plain and not spins:
            continue  # a pointer might lead into the frame, to which the loop writes
        if name.startswith("spin_"):
            assert len(spins) == 1 and None in found, name
            (spin,) = spins
            assert not spin.is_endless, name
            wanted = {"flag"} if name == "spin_in_work" else named(name)
            is_known = name != "spin_exported" or is_plain
            assert set(spin.variables) == (wanted if is_known else set()), name
        elif name.startswith("work_"):
            assert spins == set(), name
    assert tried == 19


def test_endless() -> None:
    from ompdbg.model.spinning import Loop, Spin

    class Bytes:
        errors = (OSError,)

        def read_memory(self, address: int, size: int) -> bytes:
            return b"\x90\xeb\xfd".ljust(size, b"\0")[address - 16 :].ljust(size, b"\0")

    assert Loop(Bytes(), 17).spin(called=False) == Spin((), True)  # type: ignore


@pytest.mark.parametrize(
    "called, expected",
    [([], True), (["__sched_yield"], True), (["sys", "usleep"], True), (["work"], False)],
)
def test_what_was_called(called: List[str], expected: bool) -> None:
    """Not what was inlined there. In the loop the call returns to its begin."""
    from types import SimpleNamespace

    from ompdbg import frames
    from ompdbg.model.spinning import Spin, spin_of

    begin, pc = 0x1000, 0x1005 if called else 0x1007

    def read(address: int, size: int) -> bytes:
        memory = b"\xe8\0\0\0\0\xeb\xf9" if called else b"\x90" * 7 + b"\xeb\xfe"
        return memory.ljust(64, b"\xc3")[address - begin :][:size]

    def frame(name: str, kind: str, is_inlined: bool = False) -> SimpleNamespace:
        return SimpleNamespace(
            function=name, kind=kind, is_inlined=is_inlined, is_signal=False, pc=pc, level=0
        )

    stack = [frame(name, frames.SYSTEM) for name in called]
    stack += [frame("spins", frames.USER, True), frame("main", frames.USER)]
    services = SimpleNamespace(
        stack=lambda target: stack,
        read_memory=read,
        symbol_at=lambda address: None,
        variable_at=lambda *where: None,
        errors=(OSError,),
    )
    runtime = SimpleNamespace(
        services=services,
        classifier=SimpleNamespace(kind=lambda one: one.kind),
        constants=SimpleNamespace(spins={}),
    )
    thread = SimpleNamespace(target=SimpleNamespace(running=False), runtime=runtime)
    found = spin_of(thread)  # type: ignore[arg-type]
    assert found == (Spin((), True) if expected else None)
