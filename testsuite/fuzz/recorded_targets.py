# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded targets (fixtures/recorded) in a form that recorded_target.c maps and reads in place.

    recorded_targets.py OUTPUT RECORDING...        without targets that are like others
    recorded_targets.py --all OUTPUT RECORDING...

All numbers are little endian; a text is its length in two bytes, its bytes, and a zero byte; an empty one is none.

    "ompdbgR2", number of pages (4), the pages, number of targets (4), the targets

A target: its name; pages: count (4), each with its address (8) and number (4); symbols: count (4),
each with its name, the name of its file (empty: none) and its address (8; 0: there is none);
threads: count (4), each with pthread_t and LWP (8 each); places: count (4), each an address (8)
that a debugger would ask about: return addresses, and what is in the registers of threads. What
follows is for the services of a debugger: its program; 1 if Clang has compiled it (1); the release of
the newest GCC (4; 0: unknown); ranges of the program's code: count (4), each its begin and end (8
each); symbols that cover an address: count (4), each the address (8), name, distance (8) and object;
functions at an address: count (4), each the address (8) and the FUNCTION; functions by name: count
(4), each the name and the FUNCTION; for each thread its number (4), whether it is selected (1), name,
registers: count (4), each its number in DWARF or services.h (1) and value (8); frames: count (4),
each its FUNCTION, pc (8), flags (1: 1 of a call, 2 of a signal, 4 inlined), object, and registers.

A FUNCTION: name, symbol, entry (8), file, line (4).
"""

import struct
import sys
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures"))

import recording  # noqa: E402

NEWEST_GCC = "ompd_newest_gcc"
OUTSIDE = 0xF0D0_0000_0000_0000  # no address of a program
REGISTERS = ("rdi", "rsi", "rbx", "rbp", "r12", "r13")
# By number: DWARF's, and those of services.h.
NUMBERED = "rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip orig_rax fs_base"
ALL_REGISTERS = NUMBERED.split()

# Programs that differ from others in what is known of them, not in what the library reads.
ALIKE = ("foreign", "icvs-default", "icvs-lists", "icvs-places", "regions", "waits-idle", "static")


def _text(text: Optional[str]) -> bytes:
    data = (text or "").encode()
    return struct.pack("<H", len(data)) + data + b"\0"


def _function(found: Dict[str, Any]) -> bytes:
    names = _text(found.get("name", found.get("function"))) + _text(found["symbol"])
    start = struct.pack("<Q", found["start"] or 0)
    return names + start + _text(found["file"]) + struct.pack("<I", found["line"] or 0)


def _registers(values: Dict[str, int]) -> bytes:
    known = [(number, values[one]) for number, one in enumerate(ALL_REGISTERS) if one in values]
    return struct.pack("<I", len(known)) + b"".join(struct.pack("<BQ", *one) for one in known)


def _counted(items: Sequence[bytes]) -> bytes:
    return struct.pack("<I", len(items)) + b"".join(items)


def _frame(frame: Dict[str, Any]) -> bytes:
    flags = frame["is_call"] | frame["is_signal"] << 1 | frame["is_inlined"] << 2
    place = struct.pack("<QB", frame["pc"], flags) + _text(frame["object_file"])
    return _function(frame) + place + _registers(frame.get("kept", {}))


def _known(pairs: Sequence[Tuple[Any, Any]]) -> List[Tuple[Any, Any]]:
    return [pair for pair in pairs if pair[1] is not None]


def _services(release: recording.Release, target: recording.Target) -> bytes:
    """What the services of a debugger know."""
    parts = [
        _text("/recorded/" + target.program),
        struct.pack("<BI", "clang" in target.variant, 0 if release.is_llvm else release.major),
        _counted([struct.pack("<QQ", *one) for one in target.program_ranges]),
        _counted(
            [
                struct.pack("<Q", address)
                + _text(found["name"])
                + struct.pack("<Q", found["offset"])
                + _text(found["object_file"])
                for address, found in _known(target.symbols_at)
            ]
        ),
        _counted([struct.pack("<Q", at) + _function(f) for at, f in _known(target.functions_at)]),
        _counted([_text(name) + _function(f) for name, f in _known(target.functions_named)]),
    ]
    for thread in target.threads:
        parts.append(struct.pack("<IB", thread.number, thread.selected) + _text(thread.name))
        parts.append(_registers(thread.registers))
        parts.append(_counted([_frame(frame) for frame in thread.frames]))
    return b"".join(parts)


def _places(target: recording.Target) -> List[int]:
    found: Dict[int, None] = {}
    for thread in target.threads:
        for frame in thread.frames:
            found[frame["pc"]] = None
        for name in REGISTERS:
            found[thread.registers.get(name, 0)] = None
    return [place for place in found if place]


def _target(release: recording.Release, target: recording.Target, pool: Dict[bytes, int]) -> bytes:
    pages = dict(target.pages)
    symbols = list(target.symbols)
    if not release.is_llvm:
        symbols.append((NEWEST_GCC, None, OUTSIDE))
        pages[OUTSIDE] = release.major.to_bytes(8, "little").ljust(recording.PAGE, b"\0")
    parts = [_text("{}-{}".format(release.name, target.name)), struct.pack("<I", len(pages))]
    for address in sorted(pages):
        number = pool.setdefault(pages[address], len(pool))
        parts.append(struct.pack("<QI", address, number))
    parts.append(struct.pack("<I", len(symbols)))
    for name, file, at in symbols:
        parts.append(_text(name) + _text(file) + struct.pack("<Q", at or 0))
    parts.append(struct.pack("<I", len(target.threads)))
    for thread in target.threads:
        parts.append(struct.pack("<QQ", thread.pthread, thread.lwp))
    places = _places(target)
    parts.append(struct.pack("<I", len(places)) + struct.pack(f"<{len(places)}Q", *places))
    parts.append(_services(release, target))
    return b"".join(parts)


def write(output: Path, recordings: Sequence[Path], with_all: bool) -> None:
    """Write the targets of recordings."""
    pool: Dict[bytes, int] = {}
    targets = []
    for path in recordings:
        release = recording.load(path)
        targets += [
            _target(release, target, pool)
            for target in release.targets
            if with_all or release.is_llvm or not any(word in target.name for word in ALIKE)
        ]
    output.write_bytes(
        b"ompdbgR2"
        + struct.pack("<I", len(pool))
        + b"".join(pool)
        + struct.pack("<I", len(targets))
        + b"".join(targets)
    )


if __name__ == "__main__":
    WORDS = [word for word in sys.argv[1:] if word != "--all"]
    write(Path(WORDS[0]), [Path(word) for word in WORDS[1:]], "--all" in sys.argv)
