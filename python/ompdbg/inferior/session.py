# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""For each inferior the address spaces of its runtimes: opened when they are first needed,
closed when the process is gone, told when it moved. Whoever imports this module listens to GDB.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING, Any, Dict, Optional, Sequence, Tuple

import _ompdbg
import gdb

from ompdbg.console import encoding, output
from ompdbg.inferior import libraries, selection
from ompdbg.inferior.file_problems import why_mismatched, why_missing
from ompdbg.inferior.services import GdbServices

if TYPE_CHECKING:
    from ompdbg.inferior.signals import Signal

_Stats = Dict[str, int]
_Key = Tuple[int, Optional[str]]


class _Process:
    """One inferior's process."""

    def __init__(self, inferior: gdb.Inferior) -> None:
        self.key = _key(inferior)
        self.services = GdbServices(inferior, _say)
        self.program: "Optional[_ompdbg.Process]" = None  # looked at
        self.has_problems = False  # with runtimes of `program`
        self.settings: Tuple[object, ...] = ()  # of GDB's, under which `program` was looked at
        self.is_plain = False  # no OpenMP runtime was found at this stop
        self.is_recorded = False  # it was looked at while its past could be replayed
        self.last_stats: _Stats = {}
        self.signal: "Optional[Signal]" = None
        self.has_signal = False  # it was asked for at this stop

    def close(self) -> None:
        self.program = None
        self.has_signal = False
        self.is_plain = False

    def end(self) -> None:
        """Release everything at once: files and services know each other, and Python looks for
        such circles only after many new objects."""
        self.close()
        self.services.objects_changed()

    def understood(self) -> "_ompdbg.Process":
        """Return all runtimes of the process. Raises _ompdbg.Error or NotOpened if none is
        understood."""
        settings = (*self.services.stack_settings, len(gdb.inferiors()) > 1)
        if self.settings != settings:
            self.program = None  # it remembers stacks as they were before
        self.settings = settings
        if self.program is None:
            found, self.has_problems = libraries.understand(self.services)
            problem = why_mismatched()
            if problem is not None:
                raise gdb.error(problem)
            self.program = found
        return self.program

    def stats(self) -> _Stats:
        """Return counters of all its runtimes."""
        return self.program.stats() if self.program is not None else {}

    def reset_stats(self) -> None:
        """Begin to count for another command."""
        if self.program is not None:
            self.program.reset_stats()

    def moved(self) -> None:
        self.is_plain = self.has_signal = False
        self.services.moved()
        if self.program is not None:
            self.program.moved()
            if self.has_problems:
                self.close()  # perhaps the runtime tells more of itself now


class _Session:
    """All of it. There is one."""

    def __init__(self) -> None:
        self.processes: Dict[int, _Process] = {}
        self.without_signal: Optional[_Key] = None  # the last to stop, if at no signal

    def process(self, inferior: gdb.Inferior) -> _Process:
        process = self.processes.get(inferior.num)
        if process is None or process.key != _key(inferior):
            if process is not None:
                process.end()
            process = self.processes[inferior.num] = _Process(inferior)
        return process


_session = _Session()


def program(command: str) -> "_ompdbg.Process":
    """Return the selected program. Raises gdb.GdbError with one line if no runtime of it is
    known."""
    known = _selected()
    if known is None:
        raise encoding.failure(f"{command}: the program is not running.")
    try:
        return known.understood()
    except (_ompdbg.Error, libraries.NotOpened) as error:
        reason = why_mismatched() or why_missing() or str(error)
        raise encoding.failure(_line(command, reason)) from error


def current_program() -> "Optional[_ompdbg.Process]":
    """Return the selected program; None if there is no process. Raises _ompdbg.Error or NotOpened
    if no runtime is understood."""
    known = _selected()
    return None if known is None else known.understood()


def _selected() -> Optional[_Process]:
    """Return the selected inferior's process, as it is now; None if there is none."""
    inferior = gdb.selected_inferior()
    threads = inferior.threads() if inferior.pid else ()
    if not threads:
        return None
    known = _session.process(inferior)
    if _moves_untold(known, threads):
        known.moved()
        known.is_recorded = gdb.current_recording() is not None
    known.services.begin()
    known.services.select(gdb.selected_thread())
    return known


def program_at_stop() -> "Optional[_ompdbg.Process]":
    """Return the selected program, for what is no command of ours and must cost little. None also
    if no runtime is understood. It is not noted which thread is selected."""
    inferior = gdb.selected_inferior()
    if not inferior.pid:
        return None
    known = _session.process(inferior)
    if known.is_plain:
        return None
    if known.program is not None and known.program.is_answering():
        return known.program
    try:
        if known.program is None or _moves_untold(known, inferior.threads()):
            known = _selected() or known
        known.services.begin()
        return known.understood()
    except (_ompdbg.Error, libraries.NotOpened, gdb.error):
        known.is_plain = True
        return None


def selected_thread() -> "Optional[_ompdbg.Thread]":
    """Return the selected thread, for what must cost little; None without an OpenMP runtime."""
    selected = gdb.selected_thread()
    known = program_at_stop() if selected is not None else None
    return None if known is None or selected is None else known.thread(selected.num)


class stopping_thread:
    """The selected thread. Also while GDB asks whether it shall stop at a breakpoint, which it may
    do thousands of times in a second without telling that the program moved in between. Nothing is
    known of other threads then, unless `others` are asked for: that takes long."""

    __slots__ = ("_is_waiting", "_others")

    def __init__(self, others: bool = False) -> None:
        self._others = others
        self._is_waiting = False

    def __enter__(self) -> "Optional[_ompdbg.Thread]":
        selected = gdb.selected_thread()
        if selected is None or not selected.is_valid():
            return None
        if not selected.is_running():
            return selected_thread()
        output.begin_waiting()
        self._is_waiting = True
        try:
            return _stopping_thread(selected, self._others)
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *raised: object) -> None:
        if self._is_waiting:
            output.end_waiting()


def _stopping_thread(selected: gdb.InferiorThread, others: bool) -> "Optional[_ompdbg.Thread]":
    known = _session.process(selected.inferior)
    if known.program is None:
        program_at_stop()
        if known.program is None:
            known.is_plain = False  # the runtime may be about to come
            return None
    known.services.stopped_at_breakpoint(selected, not others)
    known.program.moved()
    return known.program.thread(selected.num)


def _moves_untold(known: _Process, threads: Sequence[gdb.InferiorThread]) -> bool:
    """Check for moves of which GDB tells nobody: threads run, or "record goto" or "record stop"
    may have gone elsewhere."""
    if known.is_recorded or gdb.current_recording() is not None:
        return True
    if not known.services.is_still:
        if any(thread.is_running() for thread in threads):
            return True
        # Where all threads stop and go on together, GDB tells when they do.
        known.services.is_still = known.program is not None and not gdb.parameter("non-stop")
    return False


def services(inferior: Optional[gdb.Inferior] = None) -> GdbServices:
    """Return GDB as the debugger of an inferior, by default of the selected one."""
    return _session.process(inferior or gdb.selected_inferior()).services


def signal() -> "Optional[Signal]":
    """Return the signal that has ended the selected inferior, or at which it has stopped."""
    from ompdbg.inferior import signals

    known = _session.process(gdb.selected_inferior())
    if known.key == _session.without_signal:
        return None
    if not known.has_signal:
        with selection.kept():
            known.signal = signals.signal()
        known.has_signal = True
    return known.signal


def library_changed() -> None:
    """Close all programs: the user wants another OMPD library."""
    for known in _session.processes.values():
        known.close()


def statistics() -> Tuple[_Stats, _Stats]:
    """Return counters of the command before this one, and of this one so far."""
    known = _session.processes.get(gdb.selected_inferior().num)
    if known is None or known.program is None:
        return {}, {}
    return known.last_stats, known.stats()


# ---- Around a command -----------------------------------------------------------------------


class guarded:
    """Runs a command: afterwards the user's thread and frame are selected again, unless it is to
    select others, and a failure is one line. What it reads is counted. Python's search for garbage
    stays off: a command makes many objects, and needs them all."""

    def __init__(self, command: str, keeps_selection: bool = True) -> None:
        self._command = command
        self._kept = selection.KeptIfChanged() if keeps_selection else None
        self._collects = gc.isenabled()

    def __enter__(self) -> None:
        known = _session.processes.get(gdb.selected_inferior().num)
        if known is not None:
            known.reset_stats()
        if self._kept is not None:
            self._kept.__enter__()
        gc.disable()

    def __exit__(self, kind: object, error: Optional[BaseException], trace: object) -> None:
        if self._collects:
            gc.enable()
        known = _session.processes.get(gdb.selected_inferior().num)
        if known is not None and known.program is not None:
            known.last_stats = known.stats()
        if self._kept is not None:
            self._kept.__exit__()
        if error is not None and not _debug():
            self._tell(error)

    def _tell(self, error: BaseException) -> None:
        if isinstance(error, (gdb.error, _ompdbg.Error)):
            raise encoding.failure(_line(self._command, str(error))) from None


def _line(command: str, reason: str) -> str:
    """Return the line that tells of a failure."""
    return f"{command}: {reason.rstrip('.')}."


def _debug() -> bool:
    return bool(gdb.parameter("omp debug"))


def _say(said: str) -> None:
    if _debug():
        encoding.write(f"[ompd] {said.rstrip()}\n")


# ---- Events ---------------------------------------------------------------------------------


def _key(inferior: gdb.Inferior) -> _Key:
    """Return what changes when an inferior becomes another process."""
    return inferior.pid, encoding.of(inferior.progspace, "filename")


def _connect() -> None:
    gdb.events.cont.connect(_on_resumed)
    gdb.events.stop.connect(_on_stopped)
    for name in (
        "inferior_call",
        "memory_changed",
        "register_changed",
        "new_thread",
        "thread_exited",
    ):
        registry = getattr(gdb.events, name, None)  # thread_exited is younger than GDB 12
        if registry is not None:
            registry.connect(_on_moved)
    for name in ("new_objfile", "clear_objfiles", "free_objfile"):
        registry = getattr(gdb.events, name, None)
        if registry is not None:
            registry.connect(_on_objects)
    gdb.events.exited.connect(_on_exited)
    gdb.events.inferior_deleted.connect(_on_exited)


def _on_moved(event: Any) -> None:
    """Forget what was read of any program: something ran or was changed, and memory may be
    shared."""
    for process in _session.processes.values():
        process.moved()


def _on_resumed(event: Any) -> None:
    """Forget: a process goes on."""
    _session.without_signal = None
    _on_moved(event)


def _on_stopped(event: Any) -> None:
    """Note whether a process stopped at a signal. In non-stop mode each thread stops for its own
    reason."""
    _on_moved(event)
    if not hasattr(event, "stop_signal") and not gdb.parameter("non-stop"):
        _session.without_signal = _key(gdb.selected_inferior())


def _on_objects(event: Any) -> None:
    """Close all programs: object files came or went, and the runtime may be among them."""
    for process in _session.processes.values():
        process.close()
        process.services.objects_changed()


def _on_exited(event: Any) -> None:
    process = _session.processes.pop(event.inferior.num, None)
    if process is not None:
        process.end()


_connect()
