# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The texts by which Clang's code tells the runtime where a construct is."""

import pytest

from ompdbg.model.source import Construct, parse


@pytest.mark.parametrize(
    "text, expected",
    [
        (";/src/a.c;solve;80;1;;", Construct("solve", "/src/a.c", 80)),
        (";a b.cpp;ns::Field::sweep;7;12;;", Construct("ns::Field::sweep", "a b.cpp", 7)),
        (";FIRModule;solve;80;1;;", Construct("solve", None, 80)),
        (";unknown;unknown;0;0;;", None),
        (";/src/a.c;unknown;3;0;;", None),
        (";/src/a.c;solve;0;0;;", None),
        (";/src/a.c;solve;x;0;;", None),
        (";;;1;1;;", None),
        ("", None),
        ("\ufffd\x01", None),
    ],
)
def test_parse(text: str, expected: "Construct | None") -> None:
    assert parse(text) == expected
