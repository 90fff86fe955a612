# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The processes below this one, as /proc has them."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from typing import Dict, List, Optional, Set, Tuple

from ompdbg.text import decoded

_PR_SET_CHILD_SUBREAPER = 36
_PAUSE = 0.02
_ENDED = "ZX"  # states of a process or thread
_STAT_PARENT, _STAT_TIMES = 1, (11, 12)  # behind the name in /proc/PID/stat


def adopt_orphans() -> None:
    """Processes whose parent ends stay below this one."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _stat(pid: int) -> Optional[List[str]]:
    """What follows the name: state, parent, ..."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return decoded(file.read()).rpartition(")")[2].split()
    except OSError:
        return None


def processes() -> List[int]:
    """All that live below this process, parents first."""
    children: Dict[int, List[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            stat = _stat(int(name))
            if stat is not None and _is_alive(int(name), stat[0]):
                children.setdefault(int(stat[_STAT_PARENT]), []).append(int(name))
    found: List[int] = []
    pending = [os.getpid()]
    while pending:
        below = sorted(children.get(pending.pop(0), []))
        found += below
        pending += below
    return found


def _is_alive(pid: int, state: str) -> bool:
    """Its first thread may have ended before the others."""
    return state not in _ENDED or living_thread(pid) != pid


def has_ended(thread: int) -> bool:
    """A thread; also if nobody has taken note of that yet."""
    stat = _stat(thread)
    return stat is None or stat[0] in _ENDED


def living_thread(pid: int) -> int:
    """The first that has not ended: by it the system tells what belongs to the process."""
    threads = (pid, *sorted(tasks(pid)))
    return next((thread for thread in threads if not has_ended(thread)), pid)


def processor_time() -> int:
    """What all of them have used, in ticks."""
    total = 0
    for pid in processes():
        stat = _stat(pid)
        if stat is not None:
            total += sum(int(stat[field]) for field in _STAT_TIMES)
    return total


def program_name(pid: int) -> str:
    """What its program is called."""
    try:
        return os.path.basename(os.readlink(f"/proc/{living_thread(pid)}/exe")).replace(
            " (deleted)", ""
        )
    except OSError:
        return "process"


def tasks(pid: int) -> List[int]:
    """Its threads."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]
    except OSError:
        return []


def status(pid: int) -> Dict[str, str]:
    """The fields of /proc/PID/status."""
    try:
        with open(f"/proc/{pid}/status", "rb") as file:
            # Of the name the kernel escapes only newlines.
            pairs = (line.partition(":") for line in decoded(file.read()).split("\n"))
            return {name: value.strip() for name, _, value in pairs}
    except OSError:
        return {}


def tracer(thread: int) -> int:
    """Return the process that traces a thread; 0 if none does."""
    return int(status(thread).get("TracerPid", "0"))


def would_end(pid: int, number: int) -> bool:
    """A signal ends it: it has no handler, and does not ignore it."""
    found = status(pid)
    bit = 1 << (number - 1)
    taken = int(found.get("SigCgt", "0"), 16) | int(found.get("SigIgn", "0"), 16)
    return not taken & bit


def end_all(seconds: float = 10) -> Tuple[int, int]:
    """End all processes below this one. Return how many there were, and how many other users' are
    left."""
    ended: Set[int] = set()
    others: Set[int] = set()
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        left = [pid for pid in processes() if pid not in others]
        for pid in left:
            try:
                os.kill(pid, signal.SIGKILL)
                ended.add(pid)
            except ProcessLookupError:
                ended.add(pid)
            except PermissionError:
                others.add(pid)
        reap()
        if not left:
            break
        time.sleep(_PAUSE)
    return len(ended), len(others)


def reap() -> None:
    """Takes note of the end of children that nobody asks for."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG | _ALL)[0] == 0:
                return
        except ChildProcessError:
            return


_ALL = 0x40000000  # __WALL: threads that are traced, too
