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

_ELF = b"\x7fELF\x02\x01"  # 64 bits, little endian
_ELF_BYTES, _ELF_TYPE, _ELF_MACHINE = 20, slice(16, 18), slice(18, 20)
_ELF_PROGRAMS, _X86_64 = (2, 3), 62  # ET_EXEC, ET_DYN
_START_TIME = 19  # in /proc/PID/stat, behind the name


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
    if program is not None:
        _check_program(program)
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


def _check_program(path: str) -> None:
    """Raise CannotOpen for a file that is no program of x86-64."""
    try:
        with regular_file.opened(path) as file:
            header = file.read(_ELF_BYTES)
    except OSError as error:
        raise CannotOpen(f"{path}: {error.strerror}") from None
    kind = int.from_bytes(header[_ELF_TYPE], "little")
    machine = int.from_bytes(header[_ELF_MACHINE], "little")
    is_program = header.startswith(_ELF) and kind in _ELF_PROGRAMS and machine == _X86_64
    if not is_program:
        raise CannotOpen(f"{path}: it is no program for x86-64")


def start_time(name: str, opened_target: Opened) -> Optional[float]:
    """Return when the program was what it is here: when the process began, or the core file was
    written. Seconds since the epoch."""
    try:
        if not opened_target.pid:
            return os.stat(name).st_mtime
        with open(f"/proc/{opened_target.pid}/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[_START_TIME])
        with open("/proc/stat", "rb") as file:
            (boot,) = [int(line.split()[1]) for line in file if line.startswith(b"btime ")]
    except (OSError, ValueError, IndexError):
        return None
    return boot + ticks / os.sysconf("SC_CLK_TCK")


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
