# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the threads of a process rest, as the kernel and call frame information tell."""

import ctypes
import gc
import os
import signal
import subprocess
import time
import weakref
from pathlib import Path
from typing import Any, Dict, Iterator, List

import pytest

import _ompd

NO_PROCESS = 1 << 22


@pytest.fixture(scope="module")
def sleeper() -> Iterator[int]:
    """A process that waits for its standard input."""
    process = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    while not in_call(process.pid):
        time.sleep(0.01)
    yield process.pid
    process.communicate()


def in_call(pid: int) -> List[str]:
    """The words of a process that waits in a system call."""
    with open(f"/proc/{pid}/task/{pid}/syscall", encoding="ascii") as file:
        words = file.read().split()
    return words if len(words) == 9 and words[0] == "0" else []


def mapped(pid: int, name: str) -> List[range]:
    """Where files of that name are mapped."""
    with open(f"/proc/{pid}/maps", encoding="utf-8") as maps:
        lines = [line.split() for line in maps]
    found = [line[0].split("-") for line in lines if os.path.basename(line[-1]).startswith(name)]
    return [range(int(begin, 16), int(end, 16)) for begin, end in found]


def is_in(address: int, ranges: List[range]) -> bool:
    return any(address in one for one in ranges)


def test_down_to_the_program(sleeper: int) -> None:
    library, program = mapped(sleeper, "libc.so"), mapped(sleeper, "cat")
    asked = []

    def is_passed(address: int) -> bool:
        asked.append(address)
        return is_in(address, library)

    resting = _ompd.Resting(sleeper, is_passed)
    addresses, is_whole, call = resting.rest(sleeper)
    assert not is_whole
    assert is_in(addresses[-1], program)
    assert len(addresses) > 1 and all(is_in(address, library) for address in addresses[:-1])
    words = in_call(sleeper)
    assert list(call) == [int(words[0])] + [int(word, 16) for word in words[1:7]]
    assert addresses[0] == int(words[8], 16)
    # A return address may be behind the function that called.
    assert asked == [addresses[0]] + [address - 1 for address in addresses[1:]]

    asked.clear()
    assert resting.rest(lwp=sleeper) == (addresses, False, call)
    assert not asked


def test_to_the_end_of_the_stack(sleeper: int) -> None:
    program = mapped(sleeper, "cat")
    found = _ompd.Resting(sleeper, lambda address: True).rest(sleeper)
    assert found is not None
    addresses, is_whole, _ = found
    assert is_whole
    assert is_in(addresses[-1], program), "_start, which nobody calls"


def test_nothing_is_passed(sleeper: int) -> None:
    found = _ompd.Resting(sleeper, lambda address: False).rest(sleeper)
    assert found is not None
    addresses, is_whole, _ = found
    assert addresses == (int(in_call(sleeper)[8], 16),)
    assert not is_whole


def test_no_such_process() -> None:
    with pytest.raises(OSError, match=f"process {NO_PROCESS} "):
        _ompd.Resting(NO_PROCESS, lambda address: True)


def test_no_such_thread(sleeper: int) -> None:
    resting = _ompd.Resting(sleeper, lambda address: True)
    assert resting.rest(NO_PROCESS) is None
    assert resting.rest(os.getpid()) is None, "of another process"


def test_a_thread_that_runs() -> None:
    assert _ompd.Resting(os.getpid(), lambda address: True).rest(os.getpid()) is None


def test_the_question_fails(sleeper: int) -> None:
    def is_passed(address: int) -> bool:
        raise KeyError(address)

    resting = _ompd.Resting(sleeper, is_passed)
    with pytest.raises(KeyError):
        resting.rest(sleeper)
    with pytest.raises(KeyError):
        resting.rest(sleeper)


@pytest.mark.parametrize("arguments", [(), (1,), ("1", None), (1, None, 2)])
def test_wrong_arguments(arguments: Any) -> None:
    with pytest.raises(TypeError):
        _ompd.Resting(*arguments)


def test_wrong_thread(sleeper: int) -> None:
    resting = _ompd.Resting(sleeper, lambda address: True)
    for ask in (resting.rest, resting.registers, resting.caller):
        for wrong in ("1", None, 1.5):
            with pytest.raises(TypeError):
                ask(wrong)  # type: ignore[arg-type]
        with pytest.raises(OverflowError):
            ask(1 << 40)


# ---- Registers ------------------------------------------------------------------------------

# PTRACE_ATTACH and PTRACE_DETACH.
ATTACH, DETACH = 16, 17

# sleeper() returns what it had in each register, and then sleeps within deep(), whose frame is
# found from rbp alone.
KEPT: Dict[str, int] = {
    name: 0x1111 * number
    for number, name in enumerate(("rbx", "r12", "r13", "r14", "r15"), start=1)
}
PROGRAM = """
#include <unistd.h>

__attribute__((noinline)) void deep(int size)
{
    volatile char room[size]; // how far the stack goes is not known when this is compiled

    room[size - 1] = 0;
    pause();
    room[0] = 0;
}

__attribute__((noinline)) void shallow(int size)
{
    asm volatile("mov %%0, %%%%rbx; mov %%1, %%%%r12; mov %%2, %%%%r13; mov %%3, %%%%r14;"
             "mov %%4, %%%%r15; mov $400, %%%%edi; call deep"
             : : "i"(%d), "i"(%d), "i"(%d), "i"(%d), "i"(%d)
             : "rbx", "r12", "r13", "r14", "r15", "rax", "rcx", "rdx", "rsi", "rdi", "r8",
               "r9", "r10", "r11", "memory", "cc");
}

int main(int argc, char **argv)
{
    shallow(100 * argc);
    return argv == 0;
}
""" % tuple(
    KEPT.values()
)


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """A process that this one traces, asleep in a function with a frame of unknown size."""
    folder = tmp_path_factory.mktemp("traced")
    source, program = folder / "program.c", folder / "program"
    source.write_text(PROGRAM)
    command = ["gcc", "-O2", "-fcf-protection=none", str(source), "-o", str(program)]
    subprocess.run(command, check=True)
    process = subprocess.Popen([str(program)])
    path = Path(f"/proc/{process.pid}/syscall")
    while path.read_text(encoding="ascii").split()[0] != "34":  # pause()
        time.sleep(0.01)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(ATTACH, process.pid, None, None) != 0:
        process.kill()
        process.wait()
        pytest.skip("no process may be traced here")
    os.waitpid(process.pid, 0)
    yield process.pid
    libc.ptrace(DETACH, process.pid, None, None)
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_frames_that_rbp_tells(traced: int) -> None:
    program, library = mapped(traced, "program"), mapped(traced, "libc.so")
    passed: List[int] = []

    def is_passed(address: int) -> bool:
        passed.append(address)
        return is_in(address, library) or is_in(passed[-2], library)  # pause(), then deep()

    resting = _ompd.Resting(traced, is_passed)
    found = resting.rest(traced)
    assert found is not None
    addresses, is_whole, call = found
    assert (is_whole, call[0]) == (False, 34)
    # Several functions of newer ones of glibc.
    *inside, within, around = [is_in(address, program) for address in addresses]
    assert inside and not any(inside) and within and around
    here, caller = resting.registers(traced), resting.caller(traced)
    assert here is not None and caller is not None
    assert (here["rip"], here["orig_rax"]) == (addresses[0], 34)
    assert {name: caller[name] for name in KEPT} == KEPT
    assert caller["rsp"] - here["rsp"] > 400
    assert set(caller) == {"rsp", "rbp", *KEPT}


def test_registers_of_others(sleeper: int) -> None:
    """Only who traces a thread may read them; its stack tells what was saved there."""
    resting = _ompd.Resting(sleeper, lambda address: is_in(address, mapped(sleeper, "libc.so")))
    assert resting.registers(sleeper) is None
    assert resting.registers(NO_PROCESS) is None
    caller = resting.caller(sleeper)
    assert caller is not None and "rsp" in caller
    assert resting.caller(NO_PROCESS) is None


def test_it_is_collected(sleeper: int) -> None:
    class Holder:
        """What the question belongs to."""

        def is_passed(self, address: int) -> bool:
            return True

    holder = Holder()
    holder.resting = _ompd.Resting(sleeper, holder.is_passed)  # type: ignore[attr-defined]
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None
