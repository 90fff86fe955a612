# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Styles change neither the text nor its width."""

import re

from ompdbg.render.palette import KINDS, PLAIN, Palette
from ompdbg.render.table import Column, cut_place, table
from ompdbg.text import STYLE

COLORED = Palette({kind: STYLE + "[3{}m".format(i) for i, kind in enumerate(KINDS)})
T, F, N, V, A = (STYLE + "[3{}m".format(i) for i in range(5))
END = STYLE + "[m"


def plain(text: str) -> str:
    return re.sub(STYLE + "\\[[0-9;]*m", "", text)


def test_place() -> None:
    assert COLORED.place("work at hang.c:12") == f"{F}work{END} at {N}hang.c{END}:12"
    assert COLORED.place("a::b<c at d>::e() at f.cpp:3") == (
        f"{F}a::b<c at d>::e(){END} at {N}f.cpp{END}:3"
    )
    assert COLORED.place("work") == f"{F}work{END}"
    assert COLORED.place("0x401136 in prog") == f"{A}0x401136{END} in prog"
    assert COLORED.place("") == ""


def test_wait() -> None:
    assert COLORED.wait("nest lock a.b[3]") == f"nest lock {V}a.b[3]{END}"
    assert COLORED.wait("lock or critical 0x7f00") == f"lock or critical {A}0x7f00{END}"
    assert COLORED.wait("critical") == "critical"
    assert COLORED.wait("barrier") == "barrier"


def test_task() -> None:
    line = "  task of solve at hung.c:80, running, thread 0, out: written"
    shown = f"  task of {F}solve{END} at {N}hung.c{END}:80, running, thread 0, out: written"
    assert COLORED.tasks(line) == shown
    assert COLORED.tasks("  implicit task 2, running") == "  implicit task 2, running"


def test_no_styles() -> None:
    assert PLAIN.place("work at hang.c:12") == "work at hang.c:12"
    assert PLAIN.tasks("task of solve at hung.c:80") == "task of solve at hung.c:80"


def test_table_is_as_wide_with_styles() -> None:
    columns = (
        Column("OMP", right=True),
        Column("Where", squeeze=12, cut=cut_place, paint=Palette.place),
    )
    rows = [["3", "a_long_name at hang.c:12"], ["12", "f at x.c:1"]]
    for width in (None, 40, 22, 5):
        as_text = table(columns, rows, width)
        assert [plain(line) for line in table(columns, rows, width, COLORED)] == as_text
    assert table(columns, rows, None, COLORED) == [
        f"{T}OMP{END}  {T}Where{END}".replace("Where" + END, "Where" + END + " " * 19).rstrip(),
        f"  3  {F}a_long_name{END} at {N}hang.c{END}:12",
        f" 12  {F}f{END} at {N}x.c{END}:1",
    ]
