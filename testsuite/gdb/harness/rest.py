# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that hang or crash by themselves, without a word: when they have come to that, looked
at from outside.

A program is at rest when each of its threads sleeps in a system call that only another thread or
process can end, or waits awake: it has used the processor for longer than a step of its own work
takes. That must hold ROUNDS times, from the start each time, because a thread that spins at a barrier
may have been the last one to leave it.
"""

import os
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence

from harness import processes

SECONDS = 600  # only what hangs otherwise than it should comes to this limit
ROUNDS = 3
STARTS = 20  # a mistake need not strike each time
PAUSE_SECONDS = 0.005
AWAKE_TICKS = 2  # 20 ms: between two waits, the programs work for less than one
_WAITS = ("0 ", "34 ", "61 ", "202 ")  # read, pause, wait4, futex on x86-64


class Ended(processes.Failed):
    """The program has ended by itself."""


class _Round:
    """What the threads of a process did since a first look at them."""

    def __init__(self, pid: int) -> None:
        self._folder = Path(f"/proc/{pid}/task")
        self._places: Dict[str, str] = {}
        self._awake: Dict[str, int] = {}  # processor time when first seen awake

    def is_over(self, count: int) -> bool:
        """Look once more: whether there are `count` threads, and all are at rest."""
        try:
            names = os.listdir(str(self._folder))
            settled = [self._is_settled(name) for name in names]
        except (FileNotFoundError, ProcessLookupError):  # a thread has ended meanwhile
            return False
        return len(names) == count and all(settled)

    def _is_settled(self, name: str) -> bool:
        place = (self._folder / name / "syscall").read_text()
        before = self._places.get(name)
        self._places[name] = place
        if place.startswith(_WAITS):
            self._awake.pop(name, None)
            return place == before
        fields = _fields(self._folder / name / "stat")
        ticks = int(fields[11]) + int(fields[12])
        return ticks >= self._awake.setdefault(name, ticks) + AWAKE_TICKS


def _fields(stat: Path) -> List[str]:
    """The fields of a file `stat` from the state on."""
    return stat.read_text().rpartition(")")[2].split()


def await_rest(pid: int, threads: int) -> None:
    """Wait until a process has that many threads, and all of them are at rest."""
    end = time.monotonic() + SECONDS
    for _ in range(ROUNDS):
        looks = _Round(pid)
        while not looks.is_over(threads):
            if _fields(Path(f"/proc/{pid}/stat"))[0] == "Z":
                raise Ended("the program has ended")
            if time.monotonic() > end:
                raise processes.Failed("the program does not come to rest")
            time.sleep(PAUSE_SECONDS)


def children(pid: int) -> List[int]:
    """The processes that a process has started."""
    lists = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(word) for one in lists for word in one.read_text().split()]


def await_child(pid: int, threads: int) -> int:
    """Wait until a process has a child that is at rest with that many threads: its process id."""
    end = time.monotonic() + SECONDS
    while not children(pid):
        if time.monotonic() > end:
            raise processes.Failed("the program starts no other")
        time.sleep(PAUSE_SECONDS)
    await_rest(children(pid)[0], threads)
    return children(pid)[0]


class Hanging:
    """A program that hangs, and the folder where it runs."""

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._folder = folder
        self._process: "subprocess.Popen[Any]" = subprocess.Popen(
            list(command),
            cwd=str(folder),
            env=processes.program_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=processes.allow_core,
        )
        self.pid = self._process.pid

    def core(self) -> Path:
        """End the program: the core file that the kernel wrote."""
        os.kill(self.pid, signal.SIGABRT)
        try:
            self._process.wait(SECONDS)
        except subprocess.TimeoutExpired as late:
            raise processes.Failed("the program did not end") from late
        found = sorted(self._folder.glob("*core*"))
        if len(found) != 1:
            raise processes.Failed(f"core files {found}")
        return found[0]

    def end(self) -> None:
        """End the program, and those that it has started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()


@contextmanager
def hanging(command: Sequence[str], threads: int, folder: Path) -> Iterator[Hanging]:
    """Start a program that hangs, and wait for that. Where it has ended by itself it is started again."""
    for left in reversed(range(STARTS)):
        program = Hanging(command, folder)
        try:
            try:
                await_rest(program.pid, threads)
            except Ended:
                if not left:
                    raise
                continue
            yield program
            return
        finally:
            program.end()
