# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers in words and lists."""

from __future__ import annotations

from typing import Iterable, List, Tuple


def ranges(numbers: Iterable[int]) -> str:
    """`0, 2, 4-7`"""
    runs: List[Tuple[int, int]] = []
    for number in sorted(numbers):
        if runs and runs[-1][1] == number - 1:
            runs[-1] = (runs[-1][0], number)
        else:
            runs.append((number, number))
    return ", ".join(_run(first, last) for first, last in runs)


def _run(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first}, {last}" if last == first + 1 else f"{first}-{last}"


def counted(number: int, noun: str) -> str:
    """`1 thread`, `2 threads`"""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
