# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a report is about: which process or core file, of which program, on which machine."""

from __future__ import annotations

import os
import struct
import time
from signal import Signals
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

import _ompd

if TYPE_CHECKING:
    from ompdbg.model.process import Process

# The number of a process among those of its program, as launchers tell it.
_RANKS = (
    "OMPI_COMM_WORLD_RANK",
    "PMIX_RANK",
    "PMI_RANK",
    "MPI_LOCALRANKID",
    "SLURM_PROCID",
    "FLUX_TASK_RANK",
)

# The notes of a core file (System V ABI; the offsets of x86-64's elf_prstatus and elf_prpsinfo).
_ELF_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_PROGRAM_HEADER = struct.Struct("<IIQQQQQQ")
_NOTE = struct.Struct("<III")
_PT_NOTE = 4
_PRSTATUS, _PRPSINFO = 1, 3
_SIGNAL_AT = 12  # pr_cursig
_PID_AT = 24  # pr_pid of elf_prpsinfo
_MOST_HEADERS = 1 << 16
_MOST_NOTES = 64 << 20

About = Dict[str, Any]


def about_process(process: "Process", pid: int) -> About:
    """Of a live process."""
    return {
        **_common(process),
        "kind": "process",
        "name": str(pid),
        "pid": pid,
        "command": _command_line(pid),
        "host": os.uname().nodename,
    }


def about_core(process: "Process", path: str) -> About:
    """Of a core file."""
    signal, pid = _of_notes(path)
    return {
        **_common(process),
        "kind": "core",
        "name": path,
        "pid": pid,
        "signal": signal,
        "taken": _time_of(path),
    }


def _common(process: "Process") -> About:
    return {
        "kind": None,
        "name": None,
        "pid": None,
        "program": process.services.program or None,
        "command": None,
        "host": None,
        "rank": _rank(process),
        "signal": None,
        "taken": _written(time.time()),
        "cause": None,
        "problems": [],
    }


def _written(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _time_of(path: str) -> Optional[str]:
    try:
        return _written(os.stat(path).st_mtime)
    except OSError:
        return None


def _command_line(pid: int) -> Optional[List[str]]:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read().decode("utf-8", "replace").split("\0")
    except OSError:
        return None
    return words[:-1] or None


def _rank(process: "Process") -> Optional[Dict[str, str]]:
    """The variable that tells it, and its value."""
    for name in _RANKS:
        try:
            value = process.runtimes[0].space.environment(name)
        except _ompd.Error:
            return None
        if value:
            return {"variable": name, "value": value}
    return None


def _of_notes(path: str) -> Tuple[Optional[str], Optional[int]]:
    """The signal that ended the program, and its process; of an expanded file, neither."""
    signal: Optional[str] = None
    pid: Optional[int] = None
    try:
        for kind, body in _notes(path):
            if kind == _PRSTATUS and signal is None and len(body) >= _SIGNAL_AT + 2:
                number = struct.unpack_from("<h", body, _SIGNAL_AT)[0]
                signal = _signal_name(number)
            elif kind == _PRPSINFO and len(body) >= _PID_AT + 4:
                pid = struct.unpack_from("<i", body, _PID_AT)[0]
    except (OSError, struct.error):
        return signal, pid
    return signal, pid


def _signal_name(number: int) -> Optional[str]:
    try:
        return Signals(number).name if number else ""
    except ValueError:
        return None


def _notes(path: str) -> List[Tuple[int, bytes]]:
    found: List[Tuple[int, bytes]] = []
    with open(path, "rb") as file:
        begin = file.read(_ELF_HEADER.size)
        if not begin.startswith(b"\x7fELF"):
            return found
        header = _ELF_HEADER.unpack(begin)
        offset, count = header[5], header[10]
        for index in range(min(count, _MOST_HEADERS)):
            file.seek(offset + index * _PROGRAM_HEADER.size)
            segment = _PROGRAM_HEADER.unpack(file.read(_PROGRAM_HEADER.size))
            if segment[0] == _PT_NOTE:
                file.seek(segment[2])
                found += _split(file.read(min(segment[5], _MOST_NOTES)))
                break
    return found


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
