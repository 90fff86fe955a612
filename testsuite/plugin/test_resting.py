# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the threads of a process rest, as the kernel and call frame information tell."""

import gc
import os
import subprocess
import time
import weakref
from typing import Any, Iterator, List

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
    assert _ompd.Resting(sleeper, lambda address: False).rest(sleeper) is None


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
    for wrong in ("1", None, 1.5):
        with pytest.raises(TypeError):
            resting.rest(wrong)  # type: ignore[arg-type]
    with pytest.raises(OverflowError):
        resting.rest(1 << 40)


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
