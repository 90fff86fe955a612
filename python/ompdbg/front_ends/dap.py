# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What GDB's server for the Debug Adapter Protocol shows of OpenMP: stacks that go on to main in
the threads that encountered the regions, and a scope of each frame with what its thread is and
does, and what of a construct's variables is shared.

There is no way for that but the server's own functions. Those of GDB 16 and later are known; if it
has others, it shows what it does without ompdbg.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, Iterator, List, Optional, Tuple

import _ompdbg
import gdb

from ompdbg.console import encoding, failures
from ompdbg.frames.decorators import Variable
from ompdbg.inferior import selection, session
from ompdbg.variables import source_variables
from ompdbg.variables.source_variables import Captured

_SERVER, _FRAMES, _SCOPES = "gdb.dap.server", "gdb.dap.frames", "gdb.dap.scopes"


def extend() -> None:
    """Make the server show threads of OpenMP from now on."""
    server, frames, scopes = map(sys.modules.get, (_SERVER, _FRAMES, _SCOPES))
    frame_of: Any = getattr(frames, "frame_for_id", None)
    iterate: Any = getattr(frames, "frame_iterator", None)
    if iterate is None or frame_of is None or not hasattr(frames, "thread_ids"):
        return
    setattr(frames, "frame_iterator", lambda *given: _to_main(iterate, *given))
    commands: Any = getattr(server, "_commands", {})
    asked: Any = commands.get("scopes")
    wait: Any = getattr(server, "send_gdb_with_response", None)
    kind = getattr(scopes, "_ScopeReference", None)
    if asked is None or wait is None or kind is None:
        return

    def told(*, frameId: int, **more: Any) -> Any:
        found = asked(frameId=frameId, **more)
        ours = wait(lambda: _scope(kind, frameId, frame_of))
        hints = [one.get("presentationHint") for one in found["scopes"]] + ["registers"]
        at = hints.index("registers")
        found["scopes"][at:at] = ours
        return found

    commands["scopes"] = told


class _Elsewhere:
    """A frame of another thread, which has to be selected while the frame is asked."""

    def __init__(self, frame: Any, thread: gdb.InferiorThread) -> None:
        self._frame = frame
        self._thread = thread

    def function(self) -> str:
        """Return its name, and on which thread it lies."""
        return f"{self.__getattr__('function')()} [thread {self._thread.num}]"

    def __getattr__(self, name: str) -> Any:
        _select(self._thread)
        return getattr(self._frame, name)


def _select(thread: gdb.InferiorThread) -> None:
    """Select a thread, and after the server's answer the one again that was selected."""
    own = gdb.selected_thread()
    if own is not None and own.global_num != thread.global_num:
        gdb.post_event(lambda: _select_again(own))
        thread.switch()


def _select_again(thread: Optional[gdb.InferiorThread]) -> None:
    if thread is not None and thread.is_valid():
        thread.switch()


def _to_main(iterate: Callable[..., Iterator[Any]], *given: Any) -> Iterator[Any]:
    """Yield the server's frames, and those in which the stack goes on. The server takes the
    selected thread for that of the frame."""
    yield from iterate(*given)
    try:
        yield from _beyond(iterate)
    except Exception as error:  # pylint: disable=broad-except
        failures.tell("the way to main", error)


def _beyond(iterate: Callable[..., Iterator[Any]]) -> Iterator[Any]:
    """Yield the frames in which the stack goes on."""
    if gdb.parameter("omp frame-filter") == "off":
        return
    for thread, levels in _others():
        _select(thread)
        for frame in iterate(gdb.newest_frame(), 0, -1):
            if frame.inferior_frame().level() in levels:
                yield _Elsewhere(frame, thread)
            _select(thread)


def _others() -> List[Tuple[gdb.InferiorThread, range]]:
    """Return where the stack of the selected thread goes on: the threads, and their frames."""
    found = []
    try:
        with selection.kept():
            thread = session.selected_thread()
            stack = None if thread is None else thread.stack
            for part in [] if stack is None else stack.parts[1:]:
                levels = [frame.level for frame in part.frames if frame.owner == "user"]
                handle = session.services().thread_of(part.thread.number)
                if levels and handle is not None:
                    found.append((handle, range(levels[0], levels[-1] + 1)))
    except (_ompdbg.Error, gdb.error):
        pass  # the stack ends where the thread's own does
    return found


def _scope(kind: Any, number: int, frame_of: Callable[[int], Any]) -> List[Dict[str, Any]]:
    """Return the scope of a frame; none where OpenMP knows nothing of its thread."""
    handle = frame_of(number).inferior_frame()  # selects its thread
    shown: List[Captured] = []
    try:
        with selection.kept():
            thread = session.selected_thread()
            if thread is not None and thread.is_openmp:
                told = _told(thread).items()
                shown = [
                    Captured(name, None, gdb.Value(encoding.line(text))) for name, text in told
                ]
                shown += _shared_or_not(thread, handle)
    except (_ompdbg.Error, gdb.error):
        return []
    except Exception as error:  # pylint: disable=broad-except
        failures.tell("the scope of OpenMP", error)
        return []
    return [kind("OpenMP", "openmp", number, map(Variable, shown)).to_object()] if shown else []


def _shared_or_not(thread: _ompdbg.Thread, handle: gdb.Frame) -> Iterator[Captured]:
    """Yield the variables of a construct whose data-sharing attributes are known."""
    frame = thread.frame(handle.level())
    if frame is None or frame.construct is None:
        return
    for one in source_variables.local_variables(handle):
        sharing = thread.sharing(frame.level, one.name)
        if sharing is not None and (one.value is not None or one.problem is not None):
            yield one._replace(name=f"{one.name} ({sharing})", symbol=None)


def _told(thread: _ompdbg.Thread) -> Dict[str, str]:
    found = {"state": thread.state or "?"}
    if thread.wait is not None:
        found["waits for"] = thread.wait.title
    if thread.thread_num is not None:
        found["thread"] = f"{thread.thread_num}/{thread.team_size or '?'}"
    if thread.team is not None and thread.level:
        found["team"], found["level"] = thread.team.label, str(thread.level)
    if thread.task is not None:
        code = thread.task.function
        found["task"] = thread.task.kind if code is None else f"{thread.task.kind}, {code.name}"
    return found
