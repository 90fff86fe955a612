# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with all of its OpenMP runtimes.

A process may hold several, each with teams of its own: a program of GCC's, say, that loads a
library of Clang's. Every thread is asked of each, and shown with the one in which it works.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Dict, Iterator, List, Optional, Sequence

import _ompd

from ompdbg.frames import runtime_of_object
from ompdbg.lazy import cached_property
from ompdbg.model.runtime import Constants, Runtime
from ompdbg.model.thread import Thread
from ompdbg.waits import IDLE

if TYPE_CHECKING:
    from ompdbg.model.team import Team
    from ompdbg.services import Services, TargetThread

# More frames than this are not looked at to find the runtime that a thread is in.
_MAX_DEPTH = 256


class Process:
    """All runtimes of a process at one stop. With a single one, that is all there is to it."""

    def __init__(
        self,
        spaces: Sequence[_ompd.AddressSpace],
        services: "Services",
        problems: Sequence[str] = (),
        constants: Sequence[Constants] = (),
    ) -> None:
        """`problems`: why runtimes that are there are not understood. `constants`: what was found
        out about these address spaces before."""
        self.services = services
        self.problems = list(problems)
        self.runtimes = [
            Runtime(space, services, known)
            for space, known in itertools.zip_longest(spaces, constants)
        ]
        self._single: Dict[int, Thread] = {}
        if len(self.runtimes) > 1:
            for number, runtime in enumerate(self.runtimes):
                runtime.process = self
                runtime.teams_before = self.runtimes[:number]

    @property
    def has_several(self) -> bool:
        """There is more than one runtime."""
        return len(self.runtimes) > 1

    def state_names(self) -> List[str]:
        """All states that a thread can be in."""
        names = itertools.chain.from_iterable(r.state_names() for r in self.runtimes)
        return list(dict.fromkeys(names))

    # ---- Threads ----------------------------------------------------------------------------

    @cached_property
    def threads(self) -> List[Thread]:
        """Every thread of the process, in the debugger's order, each in one runtime."""
        if not self.has_several:
            return self.runtimes[0].threads
        return [self._choose(views) for views in zip(*(r.threads for r in self.runtimes))]

    def thread(self, target: "TargetThread") -> Thread:
        """One thread, without looking at the others."""
        known = self._single.get(target.number)
        if known is None:
            views = [Thread(runtime, target) for runtime in self.runtimes]
            known = self._choose(views) if self.has_several else views[0]
            self._single[target.number] = known
        return known

    @property
    def is_seen_whole(self) -> bool:
        """Something is known of every thread."""
        return not any(one.target.running or one.error is not None for one in self.threads)

    @property
    def selected_thread(self) -> Optional[Thread]:
        """The thread that the user has selected."""
        return next((thread for thread in self.threads if thread.target.selected), None)

    def views(self, thread: Thread) -> List[Thread]:
        """The same thread in all runtimes that know it; its own first."""
        number = thread.target.number
        others = [
            view
            for runtime in self.runtimes
            if runtime is not thread.runtime
            for view in runtime.threads
            if view.target.number == number and view.handle is not None
        ]
        return [thread, *others]

    def _choose(self, views: Sequence[Thread]) -> Thread:
        """The runtime in which the thread does what it does: the innermost region on its stack
        is that of the runtime whose frames come first."""
        known = [view for view in views if view.handle is not None]
        if len(known) < 2:
            return known[0] if known else next((v for v in views if v.error), views[0])
        working = [view for view in known if view.level]
        if len(working) == 1:
            return working[0]
        idle = [view for view in known if not view.level and _is_idle(view)]
        if idle and not working:
            return idle[0]
        candidates = working or known
        for name in self._runtimes_on_stack(candidates[0]):
            for view in candidates:
                if view.runtime.name == name:
                    return view
        return candidates[0]

    def _runtimes_on_stack(self, thread: Thread) -> Iterator[str]:
        """Names of the runtimes whose frames are on a stack, innermost first."""
        frames = self.services.stack(thread.target)
        for frame in itertools.islice(frames, _MAX_DEPTH):
            name = runtime_of_object(frame.object_file)
            if name is not None:
                yield name

    # ---- Teams ------------------------------------------------------------------------------

    @cached_property
    def teams(self) -> "List[Team]":
        """The teams of all parallel regions, runtime by runtime."""
        return [team for runtime in self.runtimes for team in runtime.teams]

    def named_team(self, label: str) -> "Optional[Team]":
        """The team that tables call `label`."""
        return next((team for team in self.teams if team.label == label), None)


def _is_idle(thread: Thread) -> bool:
    """It waits in the pool of its runtime."""
    try:
        return thread.handle is not None and thread.handle.state()[0] == IDLE
    except _ompd.Error:
        return False


def by_runtime(process: Process) -> "Dict[str, Runtime]":
    """Each runtime by its name; several of one name are numbered."""
    found: Dict[str, Runtime] = {}
    for runtime in process.runtimes:
        name = runtime.name or "OpenMP"
        number = sum(1 for known in found if known.partition(" ")[0] == name) + 1
        found[name if number == 1 else f"{name} {number}"] = runtime
    return found
