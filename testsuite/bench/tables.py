# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How run.py prints figures."""

from typing import Sequence


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints aligned columns, the first to the left."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    print(title)
    for row in [head, *rows]:
        cells = [row[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(row[1:], widths[1:])]
        print("  " + "  ".join(cells).rstrip())
    print(flush=True)


def milliseconds(value: float) -> str:
    """Three digits that say something."""
    return f"{1000 * value:.3g}" if value < 0.1 else f"{1000 * value:.0f}"
