# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens what a command line names, and its OpenMP runtimes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Iterable, Iterator, List, NamedTuple, Optional

from ompdbg.cli.exits import Exit, Failed
from ompdbg.frames import base_name

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.running.tracer import Halted
    from ompdbg.target_services.debugger import TargetServices


_INACCURATE = 2  # seconds by which times of files and processes may differ
_WITHOUT_MEMORY = "no memory of the program is in the core file"
_WHO_LEFT_IT_OUT = " (coredump_filter in core(5))"


class Place(NamedTuple):
    """What is looked at, and with what."""

    name: str  # a core file, or the number of a process
    libompd: str
    program: Optional[str] = None
    sysroot: Optional[str] = None
    is_detailed: bool = False  # frames of the system's libraries, too
    halted: "Optional[Halted]" = None  # the process, if its tracer keeps it stopped


class Looked(NamedTuple):
    """A target that is open, and what is missing of it."""

    process: "Process"
    services: "TargetServices"
    pid: int  # 0: a core file
    problems: List[str]
    core: Optional[IO[bytes]]  # the core file


@contextmanager
def looked_at(place: Place) -> "Iterator[Looked]":
    """A process goes on when it is left. Raises Failed."""
    import _ompd

    from ompdbg import runtimes
    from ompdbg.model.process import Process
    from ompdbg.target_services.debugger import TargetServices
    from ompdbg.target_services.failure import CannotOpen
    from ompdbg.target_services.opening import opened, start_time

    try:
        with opened(place.name, place.program, place.sysroot, place.halted) as target:
            services = TargetServices(target.target, target.pid, place.is_detailed)
            problems = _problems(services)
            if not target.pid or place.program is not None:
                time = start_time(place.name, target)
                problems += _newer_files(services, time, "process" if target.pid else "core file")
            if target.is_truncated:
                problems.append("the core file is truncated: what it lacks cannot be told")
            library = runtimes.library_at(place.libompd)
            try:
                found = runtimes.open_with(library, services).checked()
            except runtimes.NotOpened as reason:
                if not services.has_memory():
                    why = "" if target.is_truncated else _WHO_LEFT_IT_OUT
                    text = "; ".join([_WITHOUT_MEMORY + why, *problems])
                    raise Failed(Exit.UNREADABLE, text) from None
                told = _hidden(services, library.runtimes()) if reason.is_absent else None
                text = "; ".join([told or str(reason), *problems])
                # Of a part it cannot be said that there is none in the whole.
                status = Exit.UNREADABLE if target.is_truncated else Exit.NO_OPENMP
                raise Failed(status, text) from None
            process = Process(found.spaces, services, found.problems)
            try:
                yield Looked(process, services, target.pid, problems, target.core)
            except _ompd.Error as error:
                text = "; ".join([error.reason, *problems])
                raise Failed(Exit.UNREADABLE, text) from None
            finally:
                for space in found.spaces:
                    space.close()
    except CannotOpen as error:
        raise Failed(Exit.UNREADABLE, str(error)) from None
    except _ompd.Error as error:
        raise Failed(Exit.UNREADABLE, error.reason) from None


def _hidden(services: "TargetServices", names: Iterable[str]) -> Optional[str]:
    """What is known of a runtime that is loaded, but cannot be looked at."""
    objects = services.objects
    for name in names:
        for index, file in enumerate(objects.files):
            if objects.is_named(index, f"{name}.so"):
                lacks = "its file is" if file.problem else "its variables are"
                return f"{base_name(file.path)} cannot be looked at, for {lacks} not there"
    return None


def _problems(services: "TargetServices") -> List[str]:
    """Files that are missing or others than the program had."""
    return [one.problem for one in services.objects.files if one.problem is not None]


def _newer_files(services: "TargetServices", time: Optional[float], than: str) -> List[str]:
    """Files that may be others than the program had. A process has its own files, but for the
    program that the user names; what it loads it may have made itself."""
    files = services.objects.files
    if than == "process":
        files = [one for one in files if one.is_program]
    return [
        f"{one.where} is newer than the {than}: lines may be wrong (no build id)"
        for one in files
        if time is not None and one.is_newer(time + _INACCURATE)
    ]
