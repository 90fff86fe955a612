# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers in words and lists."""

from __future__ import annotations

from typing import Iterable, List, Tuple


def runs(numbers: Iterable[int]) -> List[Tuple[int, int]]:
    """Return the first and the last of each run of numbers."""
    found: List[Tuple[int, int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found


def ranges(numbers: Iterable[int]) -> str:
    """`0, 2, 4-7`"""
    return ", ".join(_run(first, last) for first, last in runs(numbers))


def _run(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}-{last}"


def counted(number: int, noun: str) -> str:
    """`1 thread`, `2 threads`, `10,000 threads`"""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
