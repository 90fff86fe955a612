# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The program and its libraries: where they are, and how the program calls them."""

from __future__ import annotations

import os
import struct
from enum import IntEnum
from typing import TYPE_CHECKING, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ompdbg.frames import VDSO, base_name
from ompdbg.text import decoded

if TYPE_CHECKING:
    import _target

# Of the auxiliary vector (getauxval(3)), of ELF's headers and dynamic section.
_AT_PHDR, _AT_PHENT, _AT_PHNUM, _AT_VDSO = 3, 4, 5, 33
_PT_LOAD, _PT_DYNAMIC, _PT_PHDR, _PT_GNU_EH_FRAME = 1, 2, 6, 0x6474E550
_DT_DEBUG = 21
_HEADER = struct.Struct("<IIQQQQQQ")
_DYNAMIC = struct.Struct("<qQ")
_LINK = struct.Struct("<QQQQ")  # of struct link_map: l_addr, l_name, l_ld, l_next
_ELF_HEADERS, _ELF_COUNT, _ELF_SIZE = (32, 8), (56, 2), 64
_R_MAP = 8  # in struct r_debug
_VDSO_SIZE = 0x4000
# More of them are taken for damaged memory.
_MAX_HEADERS, _MAX_DYNAMIC, _MAX_LINKS, _MAX_PATH = 256, 1024, 4096, 4096


class State(IntEnum):
    """How a file is: enum target_file_state."""

    VERIFIED = 0
    UNVERIFIED = 1
    MISMATCHED = 2
    MISSING = 3
    NO_OBJECT = 4


class File(NamedTuple):
    """A file of which something is mapped."""

    path: str
    opened: Optional[str]
    start: int
    end: int
    state: int
    is_program: bool
    in_memory: str  # build ids
    in_file: str

    @property
    def where(self) -> str:
        """The file that is read, as the user calls it."""
        found = self.opened or self.path
        # Of a process, as the process calls it.
        return self.path if found.startswith("/proc/") and found.endswith(self.path) else found

    @property
    def problem(self) -> Optional[str]:
        """Why it is not used; None if it is, or is no code."""
        where = self.where
        if self.state == State.MISSING:
            wanted = f" (build id {self.in_memory})" if self.in_memory else ""
            return f"{where}{wanted} is not there"
        if self.state == State.MISMATCHED and self.in_file and self.in_memory:
            return f"{where} has build id {self.in_file}, but {self.in_memory} is in memory"
        if self.state == State.MISMATCHED or (
            self.state == State.NO_OBJECT and self.is_program and self.opened
        ):
            return f"{where} is not the file that the program had, and is not used"
        return None

    def is_newer(self, seconds: float) -> bool:
        """Check whether a file that nothing vouches for was written after a time."""
        if self.state != State.UNVERIFIED:
            return False
        try:
            return os.stat(self.opened or self.path).st_mtime > seconds
        except OSError:
            return False


class _Header(NamedTuple):
    kind: int
    address: int
    size: int


class Objects:
    """All files of a target."""

    def __init__(self, target: "_target.Target") -> None:
        self._target = target
        self.files = [File(*one) for one in target.files()]
        self.program = next((i for i, one in enumerate(self.files) if one.is_program), None)
        self._maps: Optional[Dict[int, int]] = None
        self._names = self._loaded_names()
        self._ranges = sorted(self._all_ranges())

    def name(self, index: int) -> Optional[str]:
        """Path of a library as the program loaded it; None for the program itself."""
        return None if index == self.program else self._names.get(index, self.files[index].path)

    def is_named(self, index: int, file_name: str) -> bool:
        """`libgomp.so.1` names /usr/lib/libgomp.so.1 and /opt/lib/libgomp.so.1.0.0."""
        names = [base_name(path) for path in (self.name(index), self.files[index].path) if path]
        return any(name == file_name or name.startswith(file_name + ".") for name in names)

    def index_at(self, address: int) -> Optional[int]:
        """The file that an address belongs to, with memory that is not of the file itself."""
        found = self._target.file_at(address)
        if found is not None:
            return found
        for low, high, index in self._ranges:
            if low <= address < high:
                return index
        return None

    def object_of(self, address: int) -> Optional[str]:
        """Path of the shared object at an address; None in the program itself."""
        index = self.index_at(address)
        if index is not None:
            return self.name(index)
        vdso = self._target.auxiliary(_AT_VDSO)
        return VDSO if vdso is not None and vdso <= address < vdso + _VDSO_SIZE else None

    def is_in_program(self, address: int) -> bool:
        """The address is of code or data in the program's own file."""
        return self.program is not None and self.index_at(address) == self.program

    def in_order(self) -> List[int]:
        """Indices of the files that are used: the program, then as they were loaded."""
        loaded = list(self._names)
        others = [index for index in range(len(self.files)) if index not in self._names]
        first = [] if self.program is None else [self.program]
        found = dict.fromkeys(first + loaded + others)
        return [index for index in found if self.files[index].state <= State.UNVERIFIED]

    # ---- Headers ----------------------------------------------------------------------------

    def _all_ranges(self) -> Iterator[Tuple[int, int, int]]:
        for index, one in enumerate(self.files):
            if one.state > State.UNVERIFIED:
                continue
            for header in self._placed_headers(one):
                if header.kind == _PT_LOAD:
                    yield header.address, header.address + header.size, index

    def unwind_tables(self) -> Iterator[int]:
        """Where the sections .eh_frame_hdr are."""
        for one in self.files:
            for header in self._placed_headers(one):
                if header.kind == _PT_GNU_EH_FRAME:
                    yield header.address

    def _placed_headers(self, one: File) -> Iterator[_Header]:
        """With addresses as they are in memory."""
        headers = self._headers_of(one)
        first = next((h.address for h in headers if h.kind == _PT_LOAD), 0)
        bias = one.start - (first & ~0xFFF)
        return (header._replace(address=bias + header.address) for header in headers)

    def _headers_of(self, one: File) -> List[_Header]:
        head = self._target.read(one.start, _ELF_SIZE)
        if len(head) < _ELF_SIZE or head[:4] != b"\x7fELF":
            return []
        at, width = _ELF_HEADERS
        begin = int.from_bytes(head[at : at + width], "little")
        at, width = _ELF_COUNT
        return self._read_headers(
            one.start + begin, int.from_bytes(head[at : at + width], "little")
        )

    def _read_headers(self, address: int, count: int) -> List[_Header]:
        count = min(count, _MAX_HEADERS)
        data = self._target.read(address & _WORD, count * _HEADER.size)
        whole = data[: len(data) - len(data) % _HEADER.size]
        return [_Header(h[0], h[3], h[6]) for h in _HEADER.iter_unpack(whole)]

    # ---- What the loader knows --------------------------------------------------------------

    def link_map(self, index: int) -> int:
        """The loader's structure of a file; 0: it was linked statically, or is not loaded."""
        if self._maps is None:
            self._maps = {}
            for _, dynamic, address in self._links():
                found = self._target.file_at(dynamic)
                if found is not None:
                    self._maps.setdefault(found, address)
        return self._maps.get(index, 0)

    def _loaded_names(self) -> Dict[int, str]:
        """By the index of a file, in the order in which they were loaded."""
        found: Dict[int, str] = {}
        for name, dynamic, _ in self._links():
            index = self._target.file_at(dynamic)
            if index is not None and name:
                found.setdefault(index, name)
        return found

    def _links(self) -> Iterator[Tuple[str, int, int]]:
        debug = self._debug_structure()
        link = self._word(debug + _R_MAP) if debug else 0
        for _ in range(_MAX_LINKS):
            data = self._target.read(link, _LINK.size) if link else b""
            if len(data) < _LINK.size:
                return
            address = link
            _, name, dynamic, link = _LINK.unpack(data)
            yield self._string(name), dynamic, address

    def _debug_structure(self) -> int:
        """Address of the loader's struct r_debug; 0 if there is none."""
        address = self._target.auxiliary(_AT_PHDR)
        count = self._target.auxiliary(_AT_PHNUM)
        if address is None or count is None or self._target.auxiliary(_AT_PHENT) != _HEADER.size:
            return 0
        headers = self._read_headers(address, count)
        bias = next((address - h.address for h in headers if h.kind == _PT_PHDR), 0)
        for header in headers:
            if header.kind == _PT_DYNAMIC:
                size = min(header.size, _MAX_DYNAMIC * _DYNAMIC.size)
                data = self._target.read((bias + header.address) & _WORD, size)
                for tag, value in _DYNAMIC.iter_unpack(data[: len(data) // 16 * 16]):
                    if tag == _DT_DEBUG:
                        return int(value)
        return 0

    def _word(self, address: int) -> int:
        return int.from_bytes(self._target.read(address & _WORD, 8), "little")

    def _string(self, address: int) -> str:
        return decoded(self._target.read(address, _MAX_PATH).partition(b"\0")[0])


_WORD = (1 << 64) - 1
