# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Completion by GDB of what is a command of its own within one of ours."""

from __future__ import annotations

from typing import List

from ompdbg.console import encoding
from ompdbg.console.output import printed

_CUT = "*** List may be truncated"


def as_in(line: str, word: str) -> List[str]:
    """What GDB completes a command line with. `word`: what of it is replaced."""
    told = filter(encoding.is_printable, printed("complete " + line).split("\n"))
    kept = line[: len(line) - len(word)]
    return [one[len(kept) :] for one in told if one.startswith(kept) and _CUT not in one]
