# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and the status lines."""

import json

from hung import hung
from ompdbg.model.process import Process
from ompdbg.model.status import status
from ompdbg.render.status import status_json, status_lines
from ompdbg.render.table import Column, cut, cut_place, natural_width, table, without_empty, wrap

COLUMNS = (Column("A", right=True), Column("Bee", squeeze=6), Column("C", drop=1))
ROWS = (("1", "a long cell", "x"), ("22", "b", "yy"))


def test_natural() -> None:
    assert natural_width(COLUMNS, ROWS) == 19
    assert table(COLUMNS, ROWS, None) == [
        " A  Bee          C",
        " 1  a long cell  x",
        "22  b            yy",
    ]


def test_squeeze_then_drop_then_cut() -> None:
    assert table(COLUMNS, ROWS, 16)[1] == " 1  a lon...  x"
    assert table(COLUMNS, ROWS, 11) == [" A  Bee", " 1  a lo...", "22  b"]
    assert table(COLUMNS, ROWS, 8)[1] == " 1  a..."


def test_empty_columns_are_left_out() -> None:
    columns, rows = without_empty(COLUMNS, (("1", "", "x"), ("2", "", "")))
    assert [column.title for column in columns] == ["A", "C"]
    assert rows == [["1", "x"], ["2", ""]]
    assert without_empty(COLUMNS, ()) == (list(COLUMNS), [])


def test_cut() -> None:
    assert [cut("abcdef", width) for width in (6, 5, 3, 2, 0)] == [
        "abcdef",
        "ab...",
        "...",
        "..",
        "",
    ]


def test_cut_place() -> None:
    text = "ns::A<int>::run(int) at c.cc:8"
    assert cut_place(text, 30) == text
    assert cut_place(text, 20) == "ns::A<i... at c.cc:8"
    assert cut_place(text, 8) == "ns::A..."
    assert cut_place("a long name", 8) == "a lon..."


def test_status() -> None:
    found = status(Process([hung().runtime.space], hung().runtime.services))
    assert status_lines(found, None, 80) == [
        "Runtime       libgomp, GCC 12, OpenMP 201511",
        "OMPD library  ompdbg",
        "              /lib/ompdbg/libompd.so",
        "Layout        built-in table, confirmed by 14 code probes; 2 could not tell",
        "Threads       6, 5 of them OpenMP",
        "Teams         2, nested 2 deep",
    ]


def test_status_with_counters() -> None:
    stats = {"last_command": {"fetches": 3, "fetched": 12288}, "this_command": {}}
    lines = status_lines(
        status(Process([hung().runtime.space], hung().runtime.services)), stats, None
    )
    assert lines[-2].startswith("Last command  3 reads of the target, 12288 bytes")


def test_status_json() -> None:
    found = status(Process([hung().runtime.space], hung().runtime.services))
    document = json.loads("\n".join(status_json(found, None)))
    assert document["schema"] == "ompdbg/1"
    assert document["layout"]["source"] == "table"
    assert document["teams"] == {"total": 2, "nesting": 2}


def test_lists_are_broken_behind_their_commas() -> None:
    text = "7 threads: 4 wait_barrier, 1 no OpenMP thread, 1 unknown"
    assert wrap(text, 50, ", ") == [
        "7 threads: 4 wait_barrier, 1 no OpenMP thread,",
        "  1 unknown",
    ]
    assert wrap(text, 45) == ["7 threads: 4 wait_barrier, 1 no OpenMP", "  thread, 1 unknown"]
    assert wrap(text, 80, ", ") == wrap(text, None) == [text]
