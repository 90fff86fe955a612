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

# Variants that keep the symbols that ompdbg needs. static-stripped does not: see test_bad_input.
VARIANTS = ("O2", "O0", "O3fp", "O3", "nopie", "static", "stripped", "noplt")

# States that are looked at in every variant.
_EVERYWHERE = {
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
# States to which GDB attaches, and of which the kernel writes a core file; others only in FULL.
_ATTACHED = {"hung", "nested 2 2 2", "foreign", "waits idle", "tasks kinds", "signal raise"}
_KERNEL = {
    "hung",
    "nested 3 2 4",
    "foreign",
    "many 64",
    "many 256",
    "waits locks",
    "waits tasks",
    "tasks detach",
    "signal altstack",
    "fib 12 4",
    "fortran",
    "regions before",
}
# GDB writes the whole stacks of all threads into a core file.
_MAX_GCORE_THREADS = 16
_BIG = {"many": _MAX_GCORE_THREADS}
# Of a state that is looked at in every variant, one in so many leaves a core file.
_CORE_FILES = 3


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

    def __str__(self) -> str:
        return "-".join((self.program,) + self.arguments + (self.variant, self.mode))


def has_gcore(program: str, arguments: Sequence[str]) -> bool:
    """Whether GDB can write its core file in a reasonable time."""
    return int((arguments or ["0"])[0]) <= _BIG[program] if program in _BIG else True


def _variants(name: str, index: int, variants: Sequence[str]) -> Iterable[str]:
    """All, or the first and one of the others in turns."""
    if setup.FULL or name in _EVERYWHERE:
        return variants
    return (variants[0], variants[1 + index % (len(variants) - 1)])


def _has_core(index: int, variants: Sequence[str], variant: str) -> bool:
    """Whether a core file is looked at too: of the first variant, and of others in turns."""
    place = variants.index(variant)
    return setup.FULL or place == 0 or (place + index) % _CORE_FILES == 0


def _modes(state: "states.State", name: str, variant: str, core: bool) -> List[str]:
    found = [LIVE]
    if core and has_gcore(state.program, state.arguments):
        found.append(GCORE)
    chosen = variant in ("O2", "static", "clang")
    if setup.FULL or (chosen and name in _ATTACHED):
        found.append(ATTACHED)
    if setup.FULL or (variant in ("O2", "stripped", "clang") and name in _KERNEL):
        found.append(KERNEL)
    return found


def openmp_states(variant: str = "O2") -> List["states.State"]:
    """Every state that fixtures that use OpenMP have in a variant."""
    return [
        state
        for program in build.programs()
        if program not in build.WITHOUT_OPENMP
        for state in states.states(program, build.VARIANTS[variant].traits)
    ]


def all_cases() -> List[Case]:
    """What is tested, live ones before the core files that they leave."""
    found = []
    for index, state in enumerate(openmp_states()):
        name = " ".join((state.program,) + state.arguments)
        for variant in _variants(name, index, VARIANTS):
            core = _has_core(index, VARIANTS, variant)
            for mode in _modes(state, name, variant, core):
                found.append(Case(state.program, state.arguments, variant, mode))
    return found


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


def llvm_cases() -> List[Case]:
    """The same as all_cases() for LLVM's runtime."""
    found = []
    for variant in LLVM_VARIANTS:
        for index, state in enumerate(openmp_states(variant)):
            name = " ".join((state.program,) + state.arguments)
            if variant not in _variants(name, index, LLVM_VARIANTS):
                continue
            core = _has_core(index, LLVM_VARIANTS, variant)
            for mode in _modes(state, name, variant, core):
                found.append(Case(state.program, state.arguments, variant, mode))
    return found


def asked_cases() -> List[Case]:
    """Every state on runtimes that LLVM's own OMPD library understands."""
    variants = ["ompd{}".format(release) for release in build.OMPD_RELEASES]
    return [
        Case(state.program, state.arguments, variant, ASKED)
        for variant in variants
        for state in openmp_states(variant)
    ]
