# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Direct reads of a child process give what reads through the debugger give."""

import os
import subprocess
from typing import Any, Iterator, List, Tuple

import pytest

import _ompd
from child import CHILD, SIZE, Debugger
from fake import ICV_IGNORE, ICV_READ, PAGE, PYTHON, Fake, FakeServices


@pytest.fixture(scope="module")
def child() -> Iterator[Tuple[int, int]]:
    """(process, address of its data)"""
    process = subprocess.Popen(
        [PYTHON, "-c", CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin and process.stdout
    yield process.pid, int(process.stdout.readline())
    process.communicate()


@pytest.fixture
def debugger(child: Tuple[int, int]) -> Iterator[Debugger]:
    services = Debugger(*child)
    yield services
    services.close()


def expect(offset: int, size: int) -> int:
    return sum((i * 7 + (i >> 12)) & 255 for i in range(offset, offset + size))


def read(space: Any, fake: Fake, ranges: List[Tuple[int, int]]) -> int:
    fake.reads(*ranges)
    return int(space.icv(ICV_READ))


def test_direct_reads_are_equal(
    fake: Fake, debugger: Debugger, child: Tuple[int, int], services: FakeServices
) -> None:
    start = child[1]
    library = _ompd.Library(str(fake.path))
    direct = library.open(debugger)
    ranges = [(start + offset, 100) for offset in range(0, SIZE - 100, 304)]
    total = read(direct, fake, ranges)
    assert total == sum(expect(address - start, size) for address, size in ranges)
    assert len(debugger.log) == 1, "one page, to see that both read the same"
    stats = direct.stats()
    assert stats["direct"] == stats["fetches"] - 1 > 0
    assert stats["fetched"] == SIZE + PAGE

    debugger.pid = 0
    by_services = library.open(debugger)
    assert read(by_services, fake, ranges) == total
    assert by_services.stats()["direct"] == 0


def test_whole_memory_in_one_read(fake: Fake, debugger: Debugger, child: Tuple[int, int]) -> None:
    space = _ompd.Library(str(fake.path)).open(debugger)
    assert read(space, fake, [(child[1], SIZE)]) == expect(0, SIZE)


def test_code_is_left_to_the_debugger(
    fake: Fake, debugger: Debugger, child: Tuple[int, int]
) -> None:
    space = _ompd.Library(str(fake.path)).open(debugger)
    read(space, fake, [(child[1] + offset, 8) for offset in range(0, SIZE, PAGE)])
    debugger.log.clear()
    assert read(space, fake, [(debugger.code, 1)]) == 0x90
    assert debugger.log[0][0] == debugger.code
    assert read(space, fake, [(debugger.code + 1, 1)]) == 0xC3
    assert read(space, fake, [(debugger.code - 2, 4)]) == expect(SIZE - 2, 2) + 0x90 + 0xC3


def test_memory_that_is_not_readable(
    fake: Fake, debugger: Debugger, child: Tuple[int, int]
) -> None:
    space = _ompd.Library(str(fake.path)).open(debugger)
    debugger.code = 0
    # Backwards across the start of the data.
    ranges = [(child[1] + offset, 8) for offset in range(SIZE - PAGE, -1, -PAGE)]
    assert read(space, fake, ranges) == sum(expect(address - child[1], 8) for address, _ in ranges)
    fake.reads((0x10, 8))
    assert space.icv(ICV_IGNORE) == 0


def test_process_is_asked_for_again_after_it_moved(
    fake: Fake, debugger: Debugger, child: Tuple[int, int]
) -> None:
    space = _ompd.Library(str(fake.path)).open(debugger)
    for pid, direct in ((debugger.process, 1), (0, 0), (debugger.process, 1)):
        debugger.pid = pid
        space.invalidate()
        space.reset_stats()
        assert read(space, fake, [(child[1], 8)]) == expect(0, 8)
        assert space.stats()["direct"] == direct


def test_wrong_process_is_noticed(fake: Fake, debugger: Debugger, child: Tuple[int, int]) -> None:
    """One whose memory is mapped alike but differs, as after a fork."""
    space = _ompd.Library(str(fake.path)).open(debugger)
    setattr(debugger, "read_memory", lambda address, size: b"\1" * size)
    assert read(space, fake, [(child[1], 8), (child[1] + PAGE, 8)]) == 16
    assert space.stats()["direct"] == 0
    space.invalidate()
    assert read(space, fake, [(child[1], 8)]) == 8


def test_process_that_is_gone(fake: Fake, debugger: Debugger, child: Tuple[int, int]) -> None:
    space = _ompd.Library(str(fake.path)).open(debugger)
    for pid in (1 << 22, -5, 1 << 40):
        debugger.pid = pid
        space.invalidate()
        assert read(space, fake, [(child[1], 8)]) == expect(0, 8)
        assert space.stats()["direct"] == 0


def test_process_identifier_that_is_no_number(
    fake: Fake, debugger: Debugger, child: Tuple[int, int]
) -> None:
    space = _ompd.Library(str(fake.path)).open(debugger)
    setattr(debugger, "direct_pid", lambda: "none")
    assert read(space, fake, [(child[1], 8)]) == expect(0, 8)


# Forbids process_vm_readv() to itself by a filter of system calls, then reads the child.
SANDBOXED = """
import ctypes, struct, sys
sys.path[:0] = sys.argv[1:3]
import _ompd
from child import CHILD, SIZE, Debugger
from fake import Fake, ICV_READ
from child import Debugger, SIZE
pid, start = int(sys.argv[4]), int(sys.argv[5])
code = b"".join(struct.pack("HBBI", *row) for row in (
    (0x20, 0, 0, 0),  # load the number of the call
    (0x15, 0, 1, 310),  # process_vm_readv?
    (0x06, 0, 0, 0x00050001),  # EPERM
    (0x06, 0, 0, 0x7fff0000),  # allowed
))
buffer = ctypes.create_string_buffer(code)
program = struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer))
libc = ctypes.CDLL(None)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.prctl(22, 2, program) == 0
assert libc.process_vm_readv(0, None, 0, None, 0, 0) == -1
fake = Fake(sys.argv[3])
debugger = Debugger(pid, start)
space = _ompd.Library(sys.argv[3]).open(debugger)
fake.reads(*[(start + offset, 4096) for offset in range(0, SIZE, 4096)])
print(space.icv(ICV_READ), space.stats()["direct"] > 0, len(debugger.log))
"""


def test_sandbox_without_the_system_call(fake: Fake, child: Tuple[int, int]) -> None:
    folders = [os.path.dirname(str(_ompd.__file__)), os.path.dirname(__file__)]
    result = subprocess.run(
        [PYTHON, "-c", SANDBOXED, *folders, str(fake.path), *map(str, child)],
        stdout=subprocess.PIPE,
        universal_newlines=True,
        check=True,
    )
    assert result.stdout == f"{expect(0, SIZE)} True 1\n"
