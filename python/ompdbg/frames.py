# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whose a frame is, and which function of the source an outlined function was cut from.

GCC moves the body of each parallel, task, taskloop, teams and target construct into a function
of its own, named after the enclosing one: `fib._omp_fn.0`. Clang's are called `fib.omp_outlined`,
those of flang `_QPfib..omp_par`.
"""

from __future__ import annotations

import re
from typing import Dict, NamedTuple, Optional

from ompdbg import flang_names
from ompdbg.demangle import without_parameters, without_return_type
from ompdbg.services import Frame, Function, Services, SymbolAt

USER = "user"
RUNTIME = "runtime"
SYSTEM = "system"

VDSO = "[vdso]"

_RUNTIME_OBJECT = re.compile(r"lib(gomp|omp|iomp5)\b.*\.so")
_SYSTEM_OBJECT = re.compile(
    r"(ld|ld-linux[\w-]*|lib(c|m|mvec|pthread|rt|dl|gcc_s|stdc\+\+|gfortran|quadmath))"
    r"(-[\d.]+)?\.so|lib([alt]|ub)san\.so"
)
# GCC names the variables of named critical constructs as if they were the runtime's.
_RUNTIME_SYMBOL = re.compile(r"(i?gomp_(?!critical_user_)|GOMP_|omp_|goacc_|GOACC_|acc_)")
# What the linker puts into a program for its calls of the runtime in a library.
_RUNTIME_STUB = re.compile(r"(GOMP_|omp_|GOACC_|acc_|__kmpc_)\w+@plt")
# Functions by which the start of the runtime's code in a static program is found.
_RUNTIME_ENTRIES = ("GOMP_parallel", "GOMP_barrier", "GOMP_task", "omp_get_thread_num")

_OUTLINED = re.compile(r"(?P<base>[\w$.]+?)\._omp_(?P<role>fn|cpyfn)\.\d+")
_DEMANGLED_OUTLINED = re.compile(
    r"(?P<base>.+?) \[clone (?:\.\w+)*?\._omp_(?P<role>fn|cpyfn)\.\d+"
)
# Clang's; before Clang 17 without the function's name. To those of C++ GDB adds their types.
_CLANG_OUTLINED = re.compile(
    r"(?P<base>[\w$.]*?)\.omp_(outlined|task_entry)(_debug__|\._debug__)?\.*\d*(\(.*\)( const)?)?"
)
_CODE = (
    "_debug__"  # of two functions that Clang makes of a region's code, in the name of the second
)
_FLANG_OUTLINED = re.compile(rf"(?P<base>[\w$.]+?){flang_names.OUTLINED}(\(.*\))?")
# Clang's of a target region, for the host.
_CLANG_TARGET = re.compile(
    r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_(?P<base>.+?)_l\d+(_\d+)?(_debug__)?(\(.*\))?"
)
_TARGET = "__omp_offloading_"
# What the user declared of a reduction, which has no name in the source.
_CLANG_REDUCTION = re.compile(r"\.omp_(?P<role>combiner|initializer)\.*\d*(\(.*\))?")
_CLONE = re.compile(r"(\.(part|constprop|isra|cold|lto_priv)(\.\d+)?)+$")
_FORTRAN_SUFFIXES = ("f", "for", "ftn", "f77", "f90", "f95", "f03", "f08", "f18", "fpp")
# What compilers call the main program, where debug information does not tell its name.
_MAIN_PROGRAMS = ("MAIN__", flang_names.MAIN)
_MAIN_PROGRAM = "the main program"
_FORTRAN_MODULE = re.compile(r"__(?P<module>\w+?)_MOD_(?P<name>\w+)$")


def base_name(path: str) -> str:
    """A file's name without its folders."""
    return path.rpartition("/")[2]


def is_runtime_object(path: Optional[str]) -> bool:
    """A shared object that is an OpenMP runtime."""
    return path is not None and _RUNTIME_OBJECT.match(base_name(path)) is not None


def runtime_of_object(path: Optional[str]) -> Optional[str]:
    """The name of the runtime that a shared object is by its own name; None if it is none."""
    match = _RUNTIME_OBJECT.match(base_name(path)) if path is not None else None
    return f"lib{match.group(1)}" if match is not None else None


def is_system_object(path: Optional[str]) -> bool:
    """A shared object of the C library or of a language's run-time support."""
    if path is None:
        return False
    return path == VDSO or _SYSTEM_OBJECT.match(base_name(path)) is not None


def is_runtime_stub(symbol: Optional[str]) -> bool:
    """What a program's call of the runtime goes through, until it is in the runtime's library."""
    return symbol is not None and _RUNTIME_STUB.fullmatch(symbol) is not None


class Classifier:
    """Tells users' frames from the runtime's and the system's."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._objects: Dict[Optional[str], str] = {}
        self._static_runtime: Optional[int] = self._find_static_runtime()

    def _find_static_runtime(self) -> Optional[int]:
        """Where the runtime's code begins in a program that contains it; None if it does not."""
        found = []
        for name in _RUNTIME_ENTRIES:
            entry = self._services.symbol_address(name, None, None)
            symbol = None if entry is None else self._services.symbol_at(entry)
            if entry is not None and symbol is not None and symbol.object_file is None:
                found.append(entry)
        return min(found, default=None)

    @property
    def knows_by_object(self) -> bool:
        """Whose a frame is, the object file with its code alone tells."""
        return self._static_runtime is None

    def kind(self, frame: Frame) -> str:
        """USER, RUNTIME or SYSTEM. A signal frame is a user's: it is part of his story."""
        if frame.is_signal:
            return USER
        path = frame.object_file
        if path is None and self._static_runtime is not None:
            return self._kind_in_static(frame, self._static_runtime)
        kind = self._objects.get(path)
        if kind is None:
            if is_runtime_object(path):
                kind = RUNTIME
            elif is_system_object(path):
                kind = SYSTEM
            else:
                kind = USER
            self._objects[path] = kind
        return kind

    def kind_of_code(self, address: int) -> Optional[str]:
        """Whose a function is that begins there; None if that is not known."""
        symbol = self._services.symbol_at(address)
        path = None if symbol is None else symbol.object_file
        if symbol is None and not self._services.is_in_program(address):
            # As functions of the C library that are made for one kind of processor.
            path = self._services.object_of(address)
            if path is None:
                return None
        if is_runtime_object(path):
            return RUNTIME
        if is_system_object(path):
            return SYSTEM
        if path is not None or self._static_runtime is None:
            return USER
        if symbol is not None and _RUNTIME_SYMBOL.match(symbol.name):
            return RUNTIME
        function = self._services.function_at(address)
        return USER if function is not None and function.line is not None else None

    def is_users_data(self, address: int, symbol: Optional[SymbolAt]) -> bool:
        """A variable of the program or of a library of the user's. `symbol`: the one there."""
        if symbol is None:
            return self._static_runtime is None and self._services.is_in_program(address)
        path = symbol.object_file
        if is_runtime_object(path) or is_system_object(path):
            return False
        if path is None and self._static_runtime is not None:
            return not _RUNTIME_SYMBOL.match(symbol.name)
        return True

    def _kind_in_static(self, frame: Frame, runtime: int) -> str:
        """In one object for all, symbols tell: the runtime's have its prefixes. Of what has no
        source line, the libraries' code is what the linker put behind the runtime's begin."""
        symbol = frame.symbol
        if symbol is not None and _RUNTIME_SYMBOL.match(symbol):
            return RUNTIME
        if frame.line is not None:
            return USER
        if symbol is not None and parse_outlined(symbol) is not None:
            return USER
        if frame.pc >= runtime or (symbol is not None and symbol.startswith("_")):
            return SYSTEM
        return USER


class Outlined(NamedTuple):
    """What the name of an outlined function tells."""

    base: str  # the enclosing function: linkage name, or demangled where only that was known
    role: str  # "fn", or "cpyfn" for the function that copies a task's firstprivate data


def is_outlined(symbol: str) -> bool:
    """It may be the name of an outlined function."""
    return "._omp_" in symbol or ".omp_" in symbol or symbol.startswith(_TARGET)


def is_target(symbol: Optional[str]) -> bool:
    """The code of a target region that Clang compiled."""
    return symbol is not None and _CLANG_TARGET.fullmatch(symbol) is not None


def is_flangs(symbol: Optional[str]) -> bool:
    """An outlined function that flang made: of a construct it records no line."""
    return symbol is not None and _FLANG_OUTLINED.fullmatch(symbol) is not None


def is_clangs(symbol: Optional[str]) -> bool:
    """An outlined function that Clang made."""
    return symbol is not None and _CLANG_OUTLINED.fullmatch(symbol) is not None


def only_passes_on(outer: Frame, inner: Frame) -> bool:
    """Clang makes two functions of a region's code: the one that the runtime is given only calls
    the other."""
    return _has_code(inner) and not _has_code(outer)


def _has_code(frame: Frame) -> bool:
    # What comes before may be another such function, around it.
    return _CODE in (frame.function or "").rpartition(".omp_outlined")[2]


def is_task_entry(function: Optional[str]) -> bool:
    """The function that Clang makes between the runtime and the code of a task."""
    return function is not None and function.startswith(".omp_task_entry.")


def parse_outlined(symbol: Optional[str]) -> Optional[Outlined]:
    """Takes an outlined function's name apart; None for a name that is none."""
    if symbol is None or not is_outlined(symbol):
        return None
    plain = _CLONE.sub("", symbol)
    patterns = (_CLANG_OUTLINED, _FLANG_OUTLINED, _CLANG_TARGET)
    llvms = next((one for one in (each.fullmatch(plain) for each in patterns) if one), None)
    if llvms is not None:
        return Outlined(llvms.group("base"), "fn")
    match = _DEMANGLED_OUTLINED.match(symbol) or _OUTLINED.search(symbol)
    if match is None:
        return None
    return Outlined(_CLONE.sub("", match.group("base")), match.group("role"))


def is_nameless(symbol: Optional[str]) -> bool:
    """An outlined function of an older Clang, whose name tells nothing: debug information names
    the function around it, or nothing does."""
    outlined = parse_outlined(symbol)
    return outlined is not None and not outlined.base


def source_function(symbol: Optional[str]) -> Optional[str]:
    """The function of the source to which the code of a function belongs."""
    found = parse_outlined(symbol)
    while found is not None:
        symbol = found.base
        found = parse_outlined(symbol)
    return symbol


def module_name(symbol: str) -> str:
    """A procedure or variable of a Fortran module as Fortran has it; other names as they are."""
    match = _FORTRAN_MODULE.match(symbol)
    if match is not None:
        return f"{match.group('module')}::{match.group('name')}"
    return flang_names.source_name(symbol) or symbol


def shown_name(name: Optional[str]) -> Optional[str]:
    """The function of a frame for people: of flang's main program debug information does not have
    the name of the source, nor of a declared reduction."""
    if name is None:
        return None
    reduction = _CLANG_REDUCTION.fullmatch(name) if name.startswith(".omp_") else None
    if reduction is not None:
        return f"{reduction['role']} of a reduction"
    if not name.startswith(flang_names.MAIN):
        return name
    return _MAIN_PROGRAM if name == flang_names.MAIN else module_name(name)


def plain_name(name: str) -> str:
    """The same without the parameters that symbols of C++ have: the place in the source tells
    overloaded functions apart."""
    return without_parameters(shown_name(name) or name)


class Namer:
    """Names of functions as the source has them."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._names: Dict[str, Optional[str]] = {}

    def enclosing(self, symbol: Optional[str], file: Optional[str]) -> Optional[str]:
        """The function of the source whose construct was outlined into `symbol`; None if that
        is no outlined function. With its parameters if that is one of C++."""
        if symbol is None or not is_outlined(symbol):
            return None
        if symbol not in self._names:
            outlined = parse_outlined(symbol)
            while outlined is not None and parse_outlined(outlined.base) is not None:
                outlined = parse_outlined(outlined.base)  # a construct within a construct
            self._names[symbol] = (
                None
                if outlined is None or not outlined.base
                else self._name(outlined.base, is_fortran(file))
            )
        return self._names[symbol]

    def _name(self, base: str, fortran: bool) -> str:
        found: Optional[Function] = self._services.function_named(base)
        if found is not None and found.name != base and base not in _MAIN_PROGRAMS[1:]:
            return shown_name(found.name) or found.name
        if base.startswith("_Z"):
            return without_return_type(self._services.demangle(base) or base)
        if base in _MAIN_PROGRAMS:
            return _MAIN_PROGRAM
        if module_name(base) != base:
            return module_name(base)
        if fortran and base.endswith("_"):
            return base[:-1]
        # Functions within functions are numbered.
        plain = base.rstrip("0123456789")
        return plain[:-1] if plain != base and plain.endswith(".") else base


def is_fortran(file: Optional[str]) -> bool:
    """A source file of Fortran, by its suffix."""
    return (file or "").rpartition(".")[2].lower() in _FORTRAN_SUFFIXES
