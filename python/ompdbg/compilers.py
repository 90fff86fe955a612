# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which compilers made an ELF file: each leaves its version in the section .comment."""

from __future__ import annotations

import os
import re
import stat
import struct
from typing import BinaryIO, Iterator, NamedTuple, Optional

# "GCC: (Debian 12.2.0-14) 12.2.0", "GCC: (GNU) 17.0.0 20261101 (experimental)"
_GCC = re.compile(rb"^GCC: \(.*\) (\d{1,4})\.\d+")
_HEADER = struct.Struct("<16s2HI3QI6H")
_SECTION = struct.Struct("<2I4Q2I2Q")
_ELF64 = b"\x7fELF\x02\x01"  # of the bytes' order that x86-64 has
_COMPRESSED = 0x800
_MOST_BYTES, _MOST_SECTIONS = 1 << 20, 16  # that are read


class _Section(NamedTuple):
    name: int
    offset: int
    size: int
    is_plain: bool


def newest_gcc(path: str) -> Optional[int]:
    """The latest major release of GCC that any part of the file is of; None: none is told."""
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            comments = _comments(file) if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else b""
    except OSError:
        return None
    found = [_GCC.match(one) for one in comments.split(b"\0") if one.startswith(b"GCC")]
    releases = [int(match.group(1)) for match in found if match]
    return max(releases, default=None) if len(releases) == len(found) else None


def _open_at_once(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK)  # a pipe has nobody at its other end


def _comments(file: BinaryIO) -> bytes:
    head = file.read(_HEADER.size)
    if len(head) < _HEADER.size or not head.startswith(_ELF64):
        return b""
    *_, table, _flags, _size, _count, _width, width, count, names = _HEADER.unpack(head)
    sections = list(_sections(file, table, count)) if width == _SECTION.size else []
    text = _content(file, sections[names]) if names < len(sections) else b""
    called = [one for one in sections if text.startswith(b".comment\0", one.name) and one.is_plain]
    return b"\0".join(_content(file, one) for one in called[:_MOST_SECTIONS])


def _sections(file: BinaryIO, offset: int, count: int) -> Iterator[_Section]:
    data = _at(file, offset, count * _SECTION.size)
    for one in _SECTION.iter_unpack(data[: len(data) - len(data) % _SECTION.size]):
        yield _Section(one[0], one[4], one[5], not one[2] & _COMPRESSED)


def _content(file: BinaryIO, section: _Section) -> bytes:
    return _at(file, section.offset, section.size) if section.size <= _MOST_BYTES else b""


def _at(file: BinaryIO, offset: int, size: int) -> bytes:
    if offset >= 1 << 63:
        return b""
    file.seek(offset)
    return file.read(size)
