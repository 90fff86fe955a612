# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Symbols, functions and objects of a program in GDB.

Symbols are found by `info address` and, where the object matters, in GDB's list of the object's
minimal symbols. GDB's expressions are not used: they depend on the language, an expression in
Fortran can make GDB call malloc() in the program, and they do not tell whose a symbol is.
"""

from __future__ import annotations

import re
from os.path import basename
from typing import Any, Callable, Dict, Hashable, List, NamedTuple, Optional, Set, Tuple

import _ompdbg
import gdb

from ompdbg.gdb_services import quiet, texts
from ompdbg.gdb_services.outlined import declared_line, full_name, linkage_name
from ompdbg.gdb_services.unwind_tables import UnwindTables
from ompdbg.gdb_services.variables import name_in
from ompdbg.gdb_services.values import Function, SymbolAt

# "[521] B 0x7ffff7ffca98 _dl_argv section .data.rel.ro  errname.c". A name may contain blanks.
_MINIMAL_SYMBOL = re.compile(r"^\[ *\d+\] (\S) (0x[0-9a-f]+) (.+?)(?: section (\S+).*)?$", re.M)
# Trampolines, GOT slots, absolute symbols (version names), and what has no address in memory.
_NO_DEFINITION = "SGA?"
_THREAD_LOCAL = (".tdata", ".tbss")

# "(<thread local variable, no debug info> *) 0x7ffff7d8673c". A warning may follow at once.
_POINTER = re.compile(r"^(?:\(.*?\) )?(0x[0-9a-f]+)")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.A)

_ADDRESS = re.compile(
    r"^Symbol \".*\" is (?:at|static storage at address|a function at address) (0x[0-9a-f]+)"
)
_SYMBOL_AT = re.compile(
    r"^(?P<name>(?s:.+?))(?: \+ (?P<offset>\d+))?"
    r" in section (?P<section>\S+)(?: of (?P<object>.+))?$",
    re.M,
)
# Clang's outlined functions; some versions of GDB take `.omp_task_entry.` for a name of Ada's, and
# print "omp_task_entry[]", or "omp_outlined." of `.omp_outlined..27`.
_CLANGS = re.compile(r"\.omp_|omp_(outlined|task_entry)\b(.*\[\]|\.*$)")
# "0x0000555555558060 - 0x0000555555558068 is .bss"; of a library, " in PATH" follows.
# A core file's own are called load1 and so on.
_OWN_SECTION = re.compile(r"^\s*(0x[0-9a-f]+) - (0x[0-9a-f]+) is (?!load\d)\S+$", re.M)
VDSO = "[vdso]"
_AUXV_VDSO = re.compile(r"^33 .*(0x[0-9a-f]+)$", re.M)
_VDSO_SIZE = 0x4000

_Table = Dict[str, int]


class _Object(NamedTuple):
    path: str  # as the program loaded it
    debug_path: str  # of the file that GDB reads the symbols from


def thread_local_address(name: str) -> Optional[int]:
    """Where the selected thread has a thread-local variable. Only an expression tells that; in C,
    a name alone does nothing to the program."""
    if not _IDENTIFIER.fullmatch(name):
        return None
    try:
        text = quiet.execute(f"with language c -- output &{name}")
    except gdb.error:
        return None
    match = _POINTER.match(text)
    return int(match.group(1), 16) if match is not None else None


class Symbols:
    """What can't change without new object files."""

    def __init__(self, program_space: gdb.Progspace) -> None:
        self._space = program_space
        self.forget()

    def forget(self) -> None:
        """Object files came or went."""
        self.unwind_tables = UnwindTables()
        self.places: Dict[Hashable, Any] = {}  # by place in code
        self._objects: Optional[List[_Object]] = None
        self._tables: Dict[str, _Table] = {}
        self._addresses: Dict[str, Optional[int]] = {}
        self._paths: Dict[int, Optional[str]] = {}
        self._symbols: Dict[int, Optional[SymbolAt]] = {}
        self._variables: Dict[Tuple[int, bool], Optional[str]] = {}
        self._functions: Dict[int, Optional[Function]] = {}
        self._names: Dict[str, Dict[int, str]] = {}
        self._named: Dict[str, Optional[Function]] = {}
        self._sections: Optional[List[Tuple[int, int]]] = None
        self._vdso: Optional[Tuple[int, int]] = None

    # ---- Objects ----------------------------------------------------------------------------

    def object_of(self, address: int) -> Optional[str]:
        """Path of the shared object at an address; None in the program itself."""
        try:
            return self._paths[address]
        except KeyError:
            pass
        path: Optional[str] = texts.told(gdb.solib_name, address)
        if path is None:
            low, high = self._vdso_range()
            if low <= address < high:
                path = VDSO
        self._paths[address] = path
        return path

    def is_in_program(self, address: int) -> bool:
        """The address is in a section of the program itself."""
        if self._sections is None:
            try:
                text = quiet.execute("info files")
            except gdb.error:
                text = ""
            self._sections = [
                (int(low, 16), int(high, 16)) for low, high in _OWN_SECTION.findall(text)
            ]
        return any(low <= address < high for low, high in self._sections)

    def _vdso_range(self) -> Tuple[int, int]:
        if self._vdso is None:
            try:
                match = _AUXV_VDSO.search(quiet.execute("info auxv"))
            except gdb.error:
                match = None
            start = int(match.group(1), 16) if match else 0
            self._vdso = (start, start + _VDSO_SIZE if start else 0)
        return self._vdso

    def _all_objects(self) -> List[_Object]:
        if self._objects is None:
            self._objects = []
            for objfile in self._space.objfiles():
                file = texts.of(objfile, "filename")
                owner = objfile.owner
                path = file if owner is None else texts.of(owner, "filename")
                if path and file and "'" not in file:
                    self._objects.append(_Object(path, file))
        return self._objects

    def opened(self, path: str) -> Optional[str]:
        """The file that GDB reads for what the program has loaded from a path."""
        for objfile in self._space.objfiles():
            if objfile.owner is None and texts.of(objfile, "filename") == path:
                return path
        return None

    def objfiles(self, file_name: str) -> List[gdb.Objfile]:
        """GDB's objects, separate debug information among them, whose file is called that."""
        found = []
        for objfile in self._space.objfiles():
            owner = objfile.owner if objfile.owner is not None else objfile
            path = texts.of(owner, "filename")
            if path and _is_named(path, file_name):
                found.append(objfile)
        return found

    # ---- Symbols by name --------------------------------------------------------------------

    def address(self, name: str, file_name: Optional[str]) -> Optional[int]:
        """Where `name` is defined: in the objects whose file is called `file_name`, or in any."""
        if file_name is None:
            return self._anywhere(name)
        for candidate in self._all_objects():
            if not _is_named(candidate.path, file_name):
                continue
            found = self._table(candidate.debug_path).get(name)
            if found is not None:
                return found
        return None

    def in_runtimes(self, name: str) -> List[int]:
        """Where the runtimes that the program has, or a program with one in it, define `name`.
        Through the interposer the program calls them: what it defines is what is called."""
        found = self._defined(name, _ompdbg.is_interposer_object)
        if found:
            return found
        found = self._defined(name, _ompdbg.is_runtime_object)
        anywhere = self._anywhere(name)
        if anywhere is not None and self.object_of(anywhere) is None:
            symbol = self.at(anywhere)
            if symbol is not None and symbol.name == name:  # no stub of the linker's: name@plt
                found.append(anywhere)
        return list(dict.fromkeys(found))

    def _defined(self, name: str, is_wanted: Callable[[str], bool]) -> List[int]:
        """Where objects define `name`, of those whose path is wanted."""
        wanted = [one for one in self._all_objects() if is_wanted(one.path)]
        found = [self._table(one.debug_path).get(name) for one in wanted]
        return [address for address in found if address is not None]

    def _anywhere(self, name: str) -> Optional[int]:
        if name not in self._addresses:
            try:
                text = quiet.execute(f"info address {name}")
            except gdb.error:
                text = ""
            match = _ADDRESS.match(text)
            address = int(match.group(1), 16) if match is not None else None
            # Of a thread-local symbol, GDB may print the offset; there is no symbol.
            symbol = self.at(address) if address is not None else None
            known = symbol is not None and symbol.offset == 0
            self._addresses[name] = address if known else None
        return self._addresses[name]

    def _table(self, debug_path: str) -> _Table:
        table = self._tables.get(debug_path)
        if table is None:
            table = {}
            try:
                text = quiet.execute(f"maint print msymbols -objfile '{debug_path}'")
            except gdb.error:
                text = ""
            for kind, value, name, section in _MINIMAL_SYMBOL.findall(text):
                if kind in _NO_DEFINITION or section in _THREAD_LOCAL:
                    continue
                # C++ names are followed by their demangled form.
                table.setdefault(name.split(" ", 1)[0], int(value, 16))
            self._tables[debug_path] = table
        return table

    # ---- Symbols by address -----------------------------------------------------------------

    def at(self, address: int) -> Optional[SymbolAt]:
        """The symbol that covers an address."""
        try:
            return self._symbols[address]
        except KeyError:
            pass
        try:
            text = quiet.execute(f"info symbol {address:#x}").strip()
        except gdb.error:
            text = ""
        match = _SYMBOL_AT.match(text)
        symbol = None
        if match is not None:
            offset = int(match.group("offset") or 0)
            symbol = SymbolAt(match.group("name"), offset, self.object_of(address))
        self._symbols[address] = symbol
        return symbol

    def variable_at(self, address: int, lock: bool, near: Optional[int]) -> Optional[str]:
        """The variable, or what is within it, that begins at an address."""
        key = (address, lock)
        if key not in self._variables:
            symbol = self.at(address)
            self._variables[key] = None
            if symbol is not None:
                start = address - symbol.offset
                self._variables[key] = name_in(symbol.name, start, symbol.offset, lock, near)
        return self._variables[key]

    # ---- Functions --------------------------------------------------------------------------

    def function_at(self, address: int) -> Optional[Function]:
        """The function that covers an address, not looking into what was inlined."""
        try:
            return self._functions[address]
        except KeyError:
            pass
        linked = self.at(address)
        is_clangs = linked is not None and _CLANGS.match(linked.name) is not None
        known = None if is_clangs else self._debug_symbol(address)
        function = self._from_debug_info(known) if known else self._from_symbol(address)
        self._functions[address] = function
        return function

    def code_place(self, address: int) -> Optional[Function]:
        """The innermost function at an address, inlined or not, and the source line there."""
        around = self.function_at(address)
        inlined = _innermost_inlined(address)
        place = gdb.find_pc_line(address)
        if inlined is not None:
            name = full_name(linkage_name(inlined), inlined.symtab, inlined.line)
            around = Function(texts.name(inlined), name, 0, None, None)
        if around is None or place.symtab is None:
            return around and around._replace(file=None, line=None)
        return around._replace(file=texts.file(place.symtab), line=place.line or None)

    def begins_inlined(self, address: int) -> bool:
        """An inlined function begins there: it does not have the code before, too."""
        return bool(_inlined_at(address) - _inlined_at(address - 1))

    def _debug_symbol(self, address: int) -> Optional[gdb.Symbol]:
        """The function in debug information. Of functions that are inlined into one another, or
        nested, it is the one that the linker knows; without such a name, the first that was not
        inlined."""
        linked = self.at(address)
        first = None
        block = gdb.block_for_pc(address)
        while block is not None:
            function = block.function
            if function is not None:
                if linked is not None and _is_part_of(
                    linked.name, texts.of(function, "linkage_name")
                ):
                    return function
                if first is None and not _is_inlined(block):
                    first = function
            block = block.superblock
        return first

    def _from_symbol(self, address: int) -> Optional[Function]:
        """What the linker's symbols and the lines tell. GCC gives some outlined functions no
        entry of their own in the debug information."""
        symbol = self.at(address)
        if symbol is None:
            return None
        start = address - symbol.offset
        place = gdb.find_pc_line(start)
        if _CLANGS.match(symbol.name):
            whole = self._linkage_name(start) or symbol.name
            if place.symtab is None:
                return Function(whole, whole, start, None, None)
            # Of tasks Clang says where the construct is. What comes first may be inlined code.
            line = declared_line(start) or self._first_line(start)
            name = full_name(whole, place.symtab, line)
            return Function(name, name, start, texts.file(place.symtab), line)
        if "._omp_" not in symbol.name:
            return Function(symbol.name, symbol.name, start, None, None)
        name = self._linkage_name(start) or symbol.name
        file = texts.file(place.symtab)
        return Function(name, name, start, file, self._first_line(start))

    def _linkage_name(self, start: int) -> Optional[str]:
        """The whole name of the symbol at an address; `info symbol` cuts off its end."""
        for candidate in self._all_objects():
            if candidate.debug_path not in self._names:
                table = self._table(candidate.debug_path)
                self._names[candidate.debug_path] = {at: name for name, at in table.items()}
            name = self._names[candidate.debug_path].get(start)
            if name is not None:
                return name
        return None

    def _from_debug_info(self, symbol: gdb.Symbol) -> Function:
        where = symbol.value().address
        start = int(where) if where is not None else 0
        file = texts.file(symbol.symtab)
        line = symbol.line or None
        if line is None or _ompdbg.is_outlined(texts.name(symbol)):
            line = self._first_line(start) or line
        if _ompdbg.is_flangs(texts.name(symbol)):  # an entry without a file
            place = gdb.find_pc_line(start)
            file = texts.file(place.symtab)
        name = full_name(linkage_name(symbol), symbol.symtab, symbol.line)
        return Function(texts.name(symbol), name, start, file, line)

    def _first_line(self, start: int) -> Optional[int]:
        """The line of the construct of an outlined function, which has no line of definition:
        that of the first line entry at its entry point. gfortran may have put there a line at
        the end of the construct; then that of the first statement is closer."""
        place = gdb.find_pc_line(start)
        if place.symtab is None:
            return None
        first = second = before = tail = 0
        for entry in place.symtab.linetable():
            if entry.pc < start or entry.line <= 0:
                before = entry.line
                continue
            if entry.pc == start and entry.line == before and not (first or tail):
                tail = before  # what the code before ends with, if there is more
                continue
            if first and entry.line != first:
                second = entry.line
                break
            if entry.pc == start:
                first = first or entry.line
            elif not first:
                break
        if second and second < first and _ompdbg.is_fortran(texts.of(place.symtab, "filename")):
            return second
        return first or tail or place.line or None

    def function_named(self, symbol: str) -> Optional[Function]:
        """The function whose linkage name is `symbol`."""
        try:
            return self._named[symbol]
        except KeyError:
            pass
        address = self.address(symbol, None)
        function = None if address is None else self.function_at(address)
        self._named[symbol] = function
        return function


def _is_named(path: str, file_name: str) -> bool:
    """`libgomp.so.1` names /usr/lib/libgomp.so.1 and /opt/lib/libgomp.so.1.0.0."""
    base = basename(path)
    return base == file_name or base.startswith(file_name + ".")


def _is_part_of(symbol: str, function: str) -> bool:
    """Is this the function itself, or a part that the compiler split off, as `f.cold`? GDB cuts
    off the number of an outlined function in symbols, though not in debug information."""
    if symbol.startswith((function + ".cold", function + ".part")):
        return True
    return symbol == function or symbol == function.rstrip("0123456789").rstrip(".")


def _inlined_at(address: int) -> Set[Tuple[int, int]]:
    """Where the inlined functions begin and end that have code at an address."""
    found = set()
    block = gdb.block_for_pc(address)
    while block is not None and (block.function is None or _is_inlined(block)):
        if block.function is not None:
            found.add((block.start, block.end))
        block = block.superblock
    return found


def _innermost_inlined(address: int) -> Optional[gdb.Symbol]:
    """The function that was inlined last at an address: it lies within another one."""
    block = _of_function(gdb.block_for_pc(address))
    around = None if block is None else _of_function(block.superblock)
    if block is None or around is None:
        return None
    return block.function if around.start <= block.start and block.end <= around.end else None


def _of_function(block: Optional[gdb.Block]) -> Optional[gdb.Block]:
    """The block itself, or the one around it, that is a function."""
    while block is not None and block.function is None:
        block = block.superblock
    return block


def _is_inlined(block: gdb.Block) -> bool:
    """A block whose function has its code elsewhere, or nowhere, was inlined."""
    if block.function is None:
        return False
    where = block.function.value().address
    return where is None or not block.start <= int(where) < block.end
