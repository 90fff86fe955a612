# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of the runtimes that lie on a stack: who made them, and which functions they are of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, Mapping, NamedTuple, Optional

import _ompd

from ompdbg import frames
from ompdbg.model.activity import classify_frame
from ompdbg.services import Frame

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime
    from ompdbg.model.thread import Thread

# By enum ompd_ext_wait_kind of the call that led to the code.
PARALLEL_CALL, TARGET_CALL, TEAMS_CALL = 14, 18, 17
# Functions that user code calls to open a region, for OMPD libraries that know no calls.
_OPENS_REGION = ("__kmpc_fork_call", "__kmpc_fork_teams", "GOMP_parallel")


class Call(NamedTuple):
    """A call of a runtime on a stack."""

    caller: int  # index of the user frame that made it; the stack's length if there is none
    depth: int  # number of its frames; 0 where the user's code runs a region without the runtime
    runtime: "Runtime"
    kind: Optional[int]  # enum ompd_ext_wait_kind; None: not known


class CallFinder:
    """Finds them on the stack of a thread. `kinds`: whose each frame is; `threads`: what each
    runtime knows of the thread."""

    def __init__(
        self,
        stack: List[Frame],
        kinds: List[str],
        threads: "Mapping[Runtime, Thread]",
        own: "Runtime",
    ) -> None:
        self._stack = stack
        self._kinds = kinds
        self._threads = threads
        self._runtime = own

    def find(self) -> Dict[int, Call]:
        """Calls of the runtime, by the index of their innermost frame of the runtime."""
        calls: Dict[int, Call] = {}
        count = len(self._stack)
        index = 0
        while index < count:
            if self._kinds[index] != frames.RUNTIME:
                if frames.RUNTIME not in self._kinds[index:]:
                    break
                index = self._kinds.index(frames.RUNTIME, index)
            begin = outermost = index
            depth = 0
            while index < count and self._kinds[index] != frames.USER:
                if self._kinds[index] == frames.RUNTIME:
                    outermost = index
                    depth += 1
                index += 1
            thread = self._in_runtime_of(self._stack[outermost])
            kind = self._kind_of_call(thread, index, outermost)
            calls[begin] = Call(index, depth, thread.runtime, kind)
        return calls

    def with_regions_run_by_code(self, calls: Dict[int, Call]) -> Dict[int, Call]:
        """The same with the regions that code runs itself."""
        found = dict(calls)
        for index in range(1, len(self._stack)):
            if self._runs_region(index):
                found[index] = Call(index, 0, self._runtime_of_clang(), PARALLEL_CALL)
        return dict(sorted(found.items()))

    def _runs_region(self, index: int) -> bool:
        """Where a condition of the construct is false, code by Clang calls that of the region
        itself, between two calls that tell the runtime of it."""
        caller, code = self._stack[index], self._stack[index - 1]
        if self._kinds[index] != frames.USER or self._kinds[index - 1] != frames.USER:
            return False
        if code.is_inlined or code.is_signal or not frames.is_clangs(code.symbol):
            return False
        if frames.is_task_entry(code.function) or frames.is_task_entry(caller.function):
            return False
        made_of_two = frames.only_passes_on(caller, code)
        return not (made_of_two and frames.parse_outlined(caller.symbol) is not None)

    def _runtime_of_clang(self) -> "Runtime":
        return next((rt for rt in self._threads if rt.name != "libgomp"), self._runtime)

    def _in_runtime_of(self, frame: Frame) -> "Thread":
        """The thread in the runtime that a frame is of."""
        name = frames.runtime_of_object(frame.object_file)
        own = self._threads[self._runtime]
        return next((one for rt, one in self._threads.items() if rt.name == name), own)

    def _kind_of_call(self, thread: "Thread", caller: int, outermost: int) -> Optional[int]:
        if caller >= len(self._stack):
            return None
        site = _classify(thread.runtime, self._stack[caller])
        if site is None:
            site = classify_frame(thread, self._stack[outermost])
        if site is None and not thread.runtime.space.library.extended:
            symbol = self._stack[outermost].symbol or ""
            return PARALLEL_CALL if symbol.startswith(_OPENS_REGION) else None
        return None if site is None else site.kind


def _classify(runtime: "Runtime", user: Frame) -> Optional[_ompd.WaitSite]:
    if not user.is_call:
        return None
    known = runtime.constants.call_sites
    site = known.get(user.pc)
    if site is None:
        try:
            site = runtime.space.classify_call(user.pc)
        except _ompd.Error:
            return None
        if site is not None and runtime.constants.is_permanent(user):
            known[user.pc] = site
    return site
