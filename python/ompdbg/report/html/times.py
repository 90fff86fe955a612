# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times in words."""

from __future__ import annotations

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
_LONG = 100


def duration(nanoseconds: float) -> str:
    """Write it in words: "12.3 s"."""
    size, unit = next((one for one in _UNITS if nanoseconds >= one[0]), _UNITS[-1])
    number = nanoseconds / size
    return f"{number:,.0f} {unit}" if number >= _LONG else f"{number:.3g} {unit}"
