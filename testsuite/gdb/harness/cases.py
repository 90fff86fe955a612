# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which states of which fixtures are tested in which variants, and how GDB comes to them."""

from dataclasses import dataclass
from typing import Iterable, List, Sequence, Tuple

from harness import setup

import build  # from fixtures/
import states

# How GDB comes to a state.
LIVE = "live"  # GDB runs the program
GCORE = "gcore"  # a core file that GDB wrote of the live program
ATTACHED = "attached"  # GDB attaches
KERNEL = "kernel"  # a core file that the kernel wrote
ASKED = "asked"  # GDB runs the program, and our and LLVM's OMPD library are asked everything
# How the command line does, without GDB and much faster.
PROCESS = "process"  # it attaches
CORE = "core"  # a core file that the kernel wrote

# LLVM 14's runtime fails in this program now and then, without a debugger, too: an assertion in
# kmp_dispatch.cpp, or a null queue of tasks from which a thread steals. So often in one test.
FAILURES = {("stress", "clang"): 3}

COMMAND_LINE = (PROCESS, CORE)
KERNEL_CORES = (KERNEL, CORE)

# Variants that keep the symbols that ompdbg needs. static-stripped does not: see test_bad_input.
VARIANTS = ("O2", "O0", "O3fp", "O3", "nopie", "static", "stripped", "noplt")
# Programs that Clang compiled, or GCC, on LLVM's runtime of several releases.
LLVM_VARIANTS = (
    "clang",
    "clang-O0",
    "clang-nopie",
    "clang-stripped",
    "omp13",
    "omp15",
    "omp16",
    "omp18",
    "omp19",
    "iomp5",
    "gcc-omp14",
    "gcc-omp19",
)

# States that are looked at in every variant.
EVERYWHERE = {
    "hung",
    "nested 3 2 4",
    "waits locks",
    "waits tasks",
    "tasks depend",
    "tasks undeferred",
    "fib 12 4",
    "cxx",
    "fortran",
    "foreign",
    "signal critical",
    "icvs env",
}
# Others that are asked of every runtime with LLVM's OMPD library: what it answers differs.
_ASKED_EVERYWHERE = {"waits_sharing single_copy"}
# States to which GDB attaches, and of which it gets a core file of the kernel's; others only in
# FULL. The command line does both with every state.
_ATTACHED = {"hung", "nested 2 2 2", "foreign", "waits idle", "tasks kinds", "signal raise"}
_KERNEL = {"hung", "many 64", "waits tasks", "signal altstack", "fortran", "regions before"}
# GDB writes the whole stacks of all threads into a core file.
_MAX_GCORE_THREADS = 16
_BIG = {"many": _MAX_GCORE_THREADS}
# One in so many states of the other variants is looked at in GDB, too.
_IN_GDB = 4
# One in so many live programs in GDB leaves a core file.
_CORE_FILES = 5


@dataclass(frozen=True)
class Case:
    """One stop of one program."""

    program: str
    arguments: Tuple[str, ...]
    variant: str
    mode: str

    @property
    def state(self) -> "states.State":
        """What the program's header says."""
        traits = build.VARIANTS[self.variant].traits
        return states.state(self.program, *self.arguments, traits=traits)

    @property
    def name(self) -> str:
        """As in `nested 3 2 4`."""
        return " ".join((self.program,) + self.arguments)

    @property
    def in_gdb(self) -> bool:
        """Whether GDB is asked, and not the command line."""
        return self.mode not in COMMAND_LINE

    @property
    def group(self) -> str:
        """The same for cases that are made together."""
        if self.in_gdb and self.mode != ASKED:
            return "{}-{}".format(self.program, self.variant)
        return str(self)

    def __str__(self) -> str:
        return "-".join((self.program,) + self.arguments + (self.variant, self.mode))


def has_gcore(program: str, arguments: Sequence[str]) -> bool:
    """Whether GDB can write its core file in a reasonable time."""
    return int((arguments or ["0"])[0]) <= _BIG[program] if program in _BIG else True


def openmp_states(variant: str = "O2") -> List["states.State"]:
    """Every state that fixtures that use OpenMP have in a variant."""
    return [
        state
        for program in build.programs()
        if program not in build.WITHOUT_OPENMP
        for state in states.states(program, build.VARIANTS[variant].traits)
    ]


def _modes(state: "states.State", index: int, place: int, variant: str, count: int) -> List[str]:
    """How the state with this index is looked at in the variant with this place of so many: in the
    first one, by GDB and the command line, and in one of the others in turns, there in GDB now and
    then; some in every one, there by the command line."""
    name = " ".join((state.program,) + state.arguments)
    turn = 1 + index % (count - 1)
    found = []
    if setup.FULL or name in EVERYWHERE or place in (0, turn):
        # In a static program abort(), by which it leaves a core file, looks like the user's.
        static = build.VARIANTS[variant].static
        turn_of = 0 if static else index // (count - 1) + index + place
        found.append(COMMAND_LINE[turn_of % 2])
    if setup.FULL or place == 0 or (place == turn and (index + place) % _IN_GDB == 0):
        found.append(LIVE)
        if (setup.FULL or (index + place) % _CORE_FILES == 0) and has_gcore(
            state.program, state.arguments
        ):
            found.append(GCORE)
    if setup.FULL or (name in _ATTACHED and (variant == "static" or place == 0)):
        found.append(ATTACHED)
    if setup.FULL or (name in _KERNEL and (variant == "stripped" or place == 0)):
        found.append(KERNEL)
    return found


def _cases(variants: Sequence[str]) -> List[Case]:
    """What is tested of some variants, live ones before the core files that they leave."""
    return [
        Case(state.program, state.arguments, variant, mode)
        for place, variant in enumerate(variants)
        for index, state in enumerate(openmp_states(variant))
        for mode in _modes(state, index, place, variant, len(variants))
    ]


def all_cases() -> List[Case]:
    """What is tested on libgomp."""
    return _cases(VARIANTS)


def llvm_cases() -> List[Case]:
    """What is tested on LLVM's runtime."""
    return _cases(LLVM_VARIANTS)


def in_gdb(found: Iterable[Case]) -> List[Case]:
    """Those of which GDB is asked."""
    return [case for case in found if case.in_gdb]


def asked_cases() -> List[Case]:
    """Every state on a runtime that LLVM's own OMPD library understands, some on each of them."""
    variants = ["ompd{}".format(release) for release in build.OMPD_RELEASES]
    return [
        Case(state.program, state.arguments, variant, ASKED)
        for place, variant in enumerate(variants)
        for index, state in enumerate(openmp_states(variant))
        if setup.FULL
        or index % len(variants) == place
        or " ".join((state.program,) + state.arguments) in EVERYWHERE | _ASKED_EVERYWHERE
    ]
