# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compressed core files: expanded by a program of the system into an unnamed file.

The first bytes are looked at before anything is written. What lies behind the last part that the
headers of the core file name is not written at all.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import tempfile
from contextlib import contextmanager
from typing import IO, Iterator, List, Optional

from ompdbg.target_services.failure import CannotOpen

_BLOCK = 1 << 16
_FIRST = 8 << 20  # all program headers are in these
_FREE = 256 << 20  # bytes that others keep on that disk
_LOOK_AT_DISK = 64 << 20

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_PROGRAM_HEADERS, _SIZE_OF_ONE, _COUNT = 5, 9, 10
_IDENT = b"\x7fELF\x02\x01"  # 64 bits, little endian
_CORE = 4
_COUNTED_ELSEWHERE = 0xFFFF  # PN_XNUM
_SEGMENT = struct.Struct("<IIQQQQQQ")
_OFFSET, _FILE_SIZE = 2, 5


@contextmanager
def expanded(name: str, tool: str, packed: IO[bytes]) -> Iterator[IO[bytes]]:
    """The plain core file. Raise CannotOpen."""
    if shutil.which(tool) is None:
        raise CannotOpen(f"{name} is compressed; to read it, install {tool}")
    with tempfile.TemporaryFile(prefix="ompdbg-core-") as plain:
        with subprocess.Popen(
            [tool, "-dc"], stdin=packed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as process:
            assert process.stdout is not None
            try:
                is_whole = _expand(name, process.stdout, plain)
            except OSError as error:
                raise CannotOpen(f"{name} cannot be expanded: {error.strerror}") from None
            finally:
                process.kill()  # what follows the core file is not of interest
        if not is_whole and not plain.tell():
            raise CannotOpen(f"{name} cannot be expanded: {tool} failed")
        yield plain


def _expand(name: str, source: IO[bytes], plain: IO[bytes]) -> bool:
    """Write what the source has of the core file. Return whether there was anything."""
    first = source.read(_FIRST)
    if not first:
        return False
    if not _is_core(first):
        raise CannotOpen(f"{name}: it is no core file")
    size = _size(first)
    _write(plain, first)
    written = 0
    while size is None or plain.tell() < size:
        block = source.read(_BLOCK)
        if not block:
            break
        if written % _LOOK_AT_DISK == 0 and _is_nearly_full(plain):
            raise CannotOpen(f"{name} cannot be expanded: the disk is nearly full (set TMPDIR)")
        written += _write(plain, block)
    plain.truncate()
    plain.flush()
    return True


def _write(plain: IO[bytes], data: bytes) -> int:
    """Write without zeros, which take no room on the disk. Return how much it takes."""
    written = 0
    for at in range(0, len(data), _BLOCK):
        block = data[at : at + _BLOCK]
        if block.count(0) == len(block):
            plain.seek(len(block), os.SEEK_CUR)
        else:
            plain.write(block)
            written += len(block)
    return written


def _is_nearly_full(plain: IO[bytes]) -> bool:
    found = os.fstatvfs(plain.fileno())
    return found.f_bavail * found.f_frsize < _FREE


def _is_core(first: bytes) -> bool:
    """Check the header; libtarget has more to say about one of another machine."""
    if len(first) < _HEADER.size or not first.startswith(_IDENT[:4]):
        return False
    return int.from_bytes(first[16:18], "big" if first[5] == 2 else "little") == _CORE


def _size(first: bytes) -> Optional[int]:
    """Return where the last part of the core file ends; None if its headers do not tell."""
    header = _HEADER.unpack_from(first)
    if not first.startswith(_IDENT):
        return len(first)
    if header[_COUNT] == _COUNTED_ELSEWHERE or header[_SIZE_OF_ONE] != _SEGMENT.size:
        return None
    end = header[_PROGRAM_HEADERS] + header[_COUNT] * _SEGMENT.size
    if end > len(first):
        return None
    segments = _SEGMENT.iter_unpack(first[header[_PROGRAM_HEADERS] : end])
    ends: List[int] = [end, *(one[_OFFSET] + one[_FILE_SIZE] for one in segments)]
    return max(ends)
