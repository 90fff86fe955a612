# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens what the user names: a process by its number, or a core file, also a compressed one."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Callable, Iterator, NamedTuple, Optional

import _target

from ompdbg import regular_file
from ompdbg.number import number_in
from ompdbg.target_services.failure import CannotOpen

if TYPE_CHECKING:
    from ompdbg.running.tracer import Halted

# How files begin that a program of the system expands.
_COMPRESSED = (
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\x04\x22\x4d\x18", "lz4"),
)
_LONGEST_MAGIC = 8


class Opened(NamedTuple):
    """A target, and the process that it is; 0 for a core file."""

    target: "_target.Target"
    pid: int
    is_truncated: bool  # a core file that was cut off
    core: Optional[IO[bytes]] = None  # the core file, expanded


@contextmanager
def opened(
    name: str,
    program: Optional[str],
    sysroot: Optional[str],
    halted: "Optional[Halted]" = None,
) -> Iterator[Opened]:
    """The target; a process goes on when it is left. `halted`: the process, if another one keeps
    it stopped. Raises CannotOpen."""
    if program is not None and not os.path.isfile(program):
        raise CannotOpen(f"{program}: no such file")
    if halted is not None:
        pid, memory, threads = halted
        with _closing(lambda: _target.adopt(pid, program, sysroot, memory, threads), "") as target:
            yield Opened(target, pid, False)
        return
    if is_process(name):
        pid = int(name)
        if pid == os.getpid() or not 0 < pid < 1 << 31:
            raise CannotOpen(f"there is no process {name} to look at")
        with _going_on(), _closing(lambda: _target.attach(pid, program, sysroot), "") as target:
            yield Opened(target, pid, False)
        return
    with _core_file(name) as file:
        with _closing(lambda: _target.open_core(file.fileno(), program, sysroot), name) as target:
            yield Opened(target, 0, target.is_truncated(), file)


def is_process(name: str) -> bool:
    """It is the number of a process, and not a file."""
    return number_in(name) is not None and not os.path.exists(name)


@contextmanager
def _going_on() -> Iterator[None]:
    """Whoever stops this program from his terminal would stop the other one with it."""
    before = signal.signal(signal.SIGTSTP, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


@contextmanager
def _closing(open_it: "Callable[[], _target.Target]", name: str) -> "Iterator[_target.Target]":
    try:
        target = open_it()
    except _target.Error as error:
        raise CannotOpen(f"{name}: {error}" if name else str(error)) from None
    try:
        yield target
    finally:
        target.close()


@contextmanager
def _core_file(name: str) -> Iterator[IO[bytes]]:
    try:
        file = regular_file.opened(name)
    except OSError as error:
        raise CannotOpen(f"{name}: {error.strerror}") from None
    with file:
        try:
            magic = os.pread(file.fileno(), _LONGEST_MAGIC, 0)
        except OSError as error:
            raise CannotOpen(f"{name}: {error.strerror}") from None
        tool = next((tool for begin, tool in _COMPRESSED if magic.startswith(begin)), None)
        if tool is None:
            yield file
            return
        from ompdbg.target_services import compressed

        with compressed.expanded(name, tool, file) as plain:
            yield plain
