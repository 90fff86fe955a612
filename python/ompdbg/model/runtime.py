# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The OpenMP runtime of a program at one stop, and the way to everything else of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Hashable, List, Optional, Set, Tuple

import _ompd

from ompdbg.frames import Classifier, Namer
from ompdbg.lazy import cached_property
from ompdbg.model.forgotten import mark_forgotten
from ompdbg.model.function_code import Functions
from ompdbg.model.task import explicit_functions
from ompdbg.model.team import Team
from ompdbg.model.thread import Location, Thread

if TYPE_CHECKING:
    from ompdbg.model.activity import Top
    from ompdbg.model.icvs import Origin
    from ompdbg.model.process import Process
    from ompdbg.model.spinning import Spin
    from ompdbg.services import Frame, Services

# Regions nested deeper than this are taken for damaged memory.
_MAX_NESTING = 4096


def _around(thread: _ompd.Thread) -> Set[int]:
    """Identities of the regions around a thread."""
    found: Set[int] = set()
    try:
        region = thread.parallel()
        while region.id not in found and len(found) < _MAX_NESTING:
            found.add(region.id)
            region = region.enclosing()
    except _ompd.Error:  # the outermost is among them
        pass
    return found


_STATE_PREFIX = "ompt_state_"


_Argument = Tuple[int, Optional[str], int, int, int, int]

# Places in the program that are remembered.
_MAX_PLACES = 4096


class Constants:
    """What stays the same as long as the address space is open: names, and the program's code."""

    def __init__(self, space: _ompd.AddressSpace, services: "Services") -> None:
        self._space = space
        self._services = services
        self.tops: Dict[Hashable, "Top"] = {}  # of activity.py
        self.locations: Dict["Frame", "Location"] = {}  # of thread.py
        self.spins: Dict[int, Optional["Spin"]] = {}  # of spinning.py, by address
        self.lock_arguments: Dict[int, _Argument] = {}  # of waited_lock.py
        self.call_sites: Dict[int, "_ompd.WaitSite"] = {}  # of stack.py, by return address

    def tidy(self) -> None:
        """Forgets what has become too much."""
        places: Tuple[Dict[Any, Any], ...] = (self.tops, self.locations)
        for known in (*places, self.spins, self.lock_arguments, self.call_sites):
            if len(known) > _MAX_PLACES:
                known.clear()

    def is_permanent(self, frame: "Frame") -> bool:
        """Its code lies in an object file: while that is there, nothing else is at the address."""
        return frame.object_file is not None or self._services.is_in_program(frame.pc)

    @cached_property
    def classifier(self) -> Classifier:
        """Tells whose a frame is."""
        return Classifier(self._services)

    @cached_property
    def namer(self) -> Namer:
        """Names outlined functions."""
        return Namer(self._services)

    @cached_property
    def states(self) -> Dict[int, str]:
        """Names of states without their prefix."""
        begin = len(_STATE_PREFIX)
        return {
            state: name[begin:] if name.startswith(_STATE_PREFIX) else name
            for state, name in self._space.states().items()
        }

    @cached_property
    def icvs(self) -> Dict[str, int]:
        """Ids of control variables."""
        return {icv.name: icv.id for icv in self._space.icvs()}


class Runtime:
    """One runtime of one process. Made anew for each command."""

    def __init__(
        self,
        space: _ompd.AddressSpace,
        services: "Services",
        constants: Optional[Constants] = None,
    ) -> None:
        self.space = space
        self.constants = Constants(space, services) if constants is None else constants
        self.constants.tidy()
        self.services = services
        self.process: Optional["Process"] = None  # if that has several runtimes
        self.teams_before: List["Runtime"] = []  # whose teams have the lower numbers
        self._teams: Dict[int, Team] = {}
        self.classifier = self.constants.classifier
        self.namer = self.constants.namer
        self.tops: Dict[Hashable, "Top"] = {}  # of activity.py, where they may change
        self.icv_origins: Optional[List["Origin"]] = None  # of icvs.py
        self._instructions: Dict[Tuple[int, int], Optional[bytes]] = {}

    @cached_property
    def functions(self) -> Functions:
        """The code of functions, as far as it was looked at."""
        return Functions(self.services)

    @cached_property
    def name(self) -> Optional[str]:
        """What the runtime is called: `libgomp`, `libomp`; None if the OMPD library is mute."""
        layout = self.space.layout() if self.space.library.extended else None
        return layout.runtime if layout is not None else None

    def read_code(self, address: int, size: int) -> Optional[bytes]:
        """Instruction bytes; None if they cannot be read."""
        key = (address, size)
        if key not in self._instructions:
            try:
                self._instructions[key] = self.services.read_memory(address, size)
            except self.services.errors:
                self._instructions[key] = None
        return self._instructions[key]

    # ---- Names ------------------------------------------------------------------------------

    def state_name(self, state: int) -> str:
        """A state's name without its prefix."""
        return self.constants.states.get(state) or f"{state:#x}"

    def state_names(self) -> List[str]:
        """All states that a thread can be in."""
        return list(self.constants.states.values())

    def icv_id(self, name: str) -> Optional[int]:
        """The id of a control variable; None if the OMPD library has no such variable."""
        return self.constants.icvs.get(name)

    # ---- Threads ----------------------------------------------------------------------------

    @cached_property
    def threads(self) -> List[Thread]:
        """Every thread of the process, OpenMP or not, in the debugger's order."""
        threads = [Thread(self, target) for target in self.services.threads()]
        if len(threads) > 1 and self.name:
            mark_forgotten(self.name, threads)
        return threads

    @cached_property
    def _threads_by_handle(self) -> Dict[int, Thread]:
        return {t.handle.id: t for t in self.threads if t.handle is not None}

    def thread_of(self, handle: _ompd.Thread) -> Optional[Thread]:
        """The debugger's thread that a handle stands for."""
        return self._threads_by_handle.get(handle.id)

    @property
    def selected_thread(self) -> Optional[Thread]:
        """The thread that the user has selected."""
        return next((thread for thread in self.threads if thread.target.selected), None)

    # ---- Tasks -------------------------------------------------------------------------

    @cached_property
    def explicit_functions(self) -> Dict[int, int]:
        """Entry points of all explicit tasks, with texts about their constructs."""
        return explicit_functions(self)

    # ---- Teams ------------------------------------------------------------------------------

    def team(self, handle: _ompd.Parallel) -> Team:
        """The team of a parallel region."""
        team = self._teams.get(handle.id)
        if team is None:
            team = self._teams[handle.id] = Team(self, handle)
        return team

    @cached_property
    def helper_teams(self) -> Set[int]:
        """Identities of the regions of hidden helper threads, no teams of the program."""
        found: Set[int] = set()
        for thread in self.threads:
            if thread.is_helper and thread.handle is not None:
                found |= _around(thread.handle)
        return found

    def team_by_id(self, ident: int) -> Optional[Team]:
        """The team with that identity, if a thread is in it or in a region that it encloses."""
        return self._all_teams.get(ident)

    @cached_property
    def teams(self) -> List[Team]:
        """The teams of all parallel regions: a team before those that it encloses."""
        found = [team for team in self._all_teams.values() if team.level != 0]
        return sorted(found, key=lambda team: team.path)

    @cached_property
    def outermost_teams(self) -> List[Team]:
        """The teams that no other encloses, by the number of the thread that formed them."""
        found = [team for team in self._all_teams.values() if team.is_outermost]
        return sorted(found, key=lambda team: team.founder_number)

    @property
    def first_team(self) -> int:
        """The number of its first outermost team."""
        return 1 + sum(len(runtime.outermost_teams) for runtime in self.teams_before)

    @cached_property
    def _all_teams(self) -> Dict[int, Team]:
        """Every team in which a thread is, or that encloses one, by its identity."""
        for thread in self.threads:
            team = thread.team
            seen: Set[int] = set()
            while team is not None and team.id not in seen and len(seen) < _MAX_NESTING:
                seen.add(team.id)
                team = team.parent
        return self._teams

    def named_team(self, label: str) -> Optional[Team]:
        """The team that tables call `label`."""
        return next((team for team in self.teams if team.label == label), None)
