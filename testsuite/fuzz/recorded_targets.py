# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recorded targets (fixtures/recorded) in a form that recorded_target.c maps and reads in place.

    recorded_targets.py OUTPUT RECORDING...

All numbers are little endian; a text is its length in two bytes, its bytes, and a zero byte.

    "ompdbgR1", number of pages (4), the pages, number of targets (4), the targets

A target: its name; pages: count (4), each with its address (8) and number (4); symbols: count (4),
each with its name, the name of its file (empty: none) and its address (8; 0: there is none);
threads: count (4), each with pthread_t and LWP (8 each); places: count (4), each an address (8)
that a debugger would ask about: return addresses, and what is in the registers of threads.
"""

import struct
import sys
from pathlib import Path
from typing import Dict, List, Optional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures"))

import recording  # noqa: E402

NEWEST_GCC = "ompd_newest_gcc"
OUTSIDE = 0xF0D0_0000_0000_0000  # no address of a program
REGISTERS = ("rdi", "rsi", "rbx", "rbp", "r12", "r13")


# Programs that differ from others in what is known of them, not in what the library reads.
ALIKE = ("foreign", "icvs-default", "icvs-lists", "icvs-places", "regions", "waits-idle", "static")


def _text(text: Optional[str]) -> bytes:
    data = (text or "").encode()
    return struct.pack("<H", len(data)) + data + b"\0"


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
    return b"".join(parts)


def main(output: Path, recordings: List[Path]) -> None:
    """Write the targets of all recordings."""
    pool: Dict[bytes, int] = {}
    targets = []
    for path in recordings:
        release = recording.load(path)
        targets += [
            _target(release, target, pool)
            for target in release.targets
            if release.is_llvm or not any(word in target.name for word in ALIKE)
        ]
    output.write_bytes(
        b"ompdbgR1"
        + struct.pack("<I", len(pool))
        + b"".join(pool)
        + struct.pack("<I", len(targets))
        + b"".join(targets)
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(argument) for argument in sys.argv[2:]])
