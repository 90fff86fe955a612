# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the notes of a core file say of its end (System V ABI; the layout of x86-64's elf_prstatus,
elf_prpsinfo and siginfo_t)."""

from __future__ import annotations

import struct
from typing import IO, Dict, List, NamedTuple, Optional, Tuple

_ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_NOTE = struct.Struct("<III")
_PT_NOTE = 4
_PRSTATUS, _PRPSINFO, _SIGINFO = 1, 3, 0x53494749
_SIGNAL = (12, struct.Struct("<h"))  # elf_prstatus: pr_cursig
_THREAD = (32, struct.Struct("<i"))  # pr_pid, that of the thread
_PROCESS = (24, struct.Struct("<i"))  # elf_prpsinfo: pr_pid
_MOST_HEADERS = 1 << 16
_MOST_NOTES = 64 << 20

# siginfo_t
_NUMBER_AND_CODE = struct.Struct("<iii")  # si_signo, si_errno, si_code
_SENDER = (16, struct.Struct("<i"))
_ADDRESS = (16, struct.Struct("<Q"))


class SignalInfo(NamedTuple):
    """What the kernel tells of a signal."""

    number: int
    code: int
    sender: int  # the process that has sent it, if one has
    address: int  # for which memory, if it is about that

    @property
    def is_sent(self) -> bool:
        """By kill() and the like; otherwise the thread's own doing has raised it."""
        return self.code <= 0

    @classmethod
    def parsed(cls, data: bytes) -> "Optional[SignalInfo]":
        """Of a siginfo_t; None if it is cut off."""
        if len(data) < _ADDRESS[0] + _ADDRESS[1].size:
            return None
        number, _, code = _NUMBER_AND_CODE.unpack_from(data)
        sender = _SENDER[1].unpack_from(data, _SENDER[0])[0]
        return cls(number, code, sender, _ADDRESS[1].unpack_from(data, _ADDRESS[0])[0])


class CoreEnd(NamedTuple):
    """How the program of a core file has ended; None is what the file does not tell."""

    process: Optional[int] = None
    thread: Optional[int] = None  # LWP of the one that the signal has reached
    number: Optional[int] = None  # of the signal
    info: Optional[SignalInfo] = None


def core_end(file: IO[bytes]) -> CoreEnd:
    """Of a core file that is open, from wherever it stands."""
    first: Dict[int, bytes] = {}
    try:
        for kind, body in _notes(file):
            first.setdefault(kind, body)
    except (OSError, struct.error):
        return CoreEnd()
    info = SignalInfo.parsed(first.get(_SIGINFO, b""))
    return CoreEnd(
        _number(first.get(_PRPSINFO), _PROCESS),
        _number(first.get(_PRSTATUS), _THREAD),
        _number(first.get(_PRSTATUS), _SIGNAL),
        info,
    )


def _number(note: Optional[bytes], field: Tuple[int, struct.Struct]) -> Optional[int]:
    offset, form = field
    if note is None or len(note) < offset + form.size:
        return None
    return int(form.unpack_from(note, offset)[0])


def _notes(file: IO[bytes]) -> List[Tuple[int, bytes]]:
    file.seek(0)
    begin = file.read(_ELF_HEADER.size)
    if not begin.startswith(b"\x7fELF"):
        return []
    header = _ELF_HEADER.unpack(begin)
    offset, count = header[5], header[10]
    for index in range(min(count, _MOST_HEADERS)):
        file.seek(offset + index * _PROGRAM_HEADER.size)
        segment = _PROGRAM_HEADER.unpack(file.read(_PROGRAM_HEADER.size))
        if segment[0] == _PT_NOTE:
            file.seek(segment[2])
            return _split(file.read(min(segment[5], _MOST_NOTES)))
    return []


def _split(notes: bytes) -> List[Tuple[int, bytes]]:
    found: List[Tuple[int, bytes]] = []
    at = 0
    while at + _NOTE.size <= len(notes):
        name_size, size, kind = _NOTE.unpack_from(notes, at)
        at += _NOTE.size
        body = at + (name_size + 3 & ~3)
        if notes[at : at + name_size].rstrip(b"\0") == b"CORE":
            found.append((kind, notes[body : body + size]))
        at = body + (size + 3 & ~3)
    return found
