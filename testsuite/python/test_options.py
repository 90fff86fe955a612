# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Command lines."""

import pytest
from ompdbg.commands.options import Option, Wrong, complete, exclude, parse

OPTIONS = (
    Option("-state", "STATE", lambda: ["work_serial", "wait_lock"]),
    Option("-team", "TEAM"),
    Option("-json"),
)


def test_parse() -> None:
    found = parse("omp threads", OPTIONS, ["-state", "wait", "-json", "3"], positional=1)
    assert found.options == {"-state": "wait", "-json": ""}
    assert found.positional == ["3"]


def test_unambiguous_begin_of_an_option() -> None:
    assert parse("omp threads", OPTIONS, ["-j"]).has("-json")


def test_end_of_the_options() -> None:
    found = parse("omp threads", OPTIONS, ["-json", "--", "-3"], positional=1)
    assert (found.options, found.positional) == ({"-json": ""}, ["-3"])
    assert parse("omp threads", OPTIONS, ["--"]).positional == []


@pytest.mark.parametrize(
    "words, message",
    [
        (["-x"], 'omp threads: no option "-x"; see "help omp threads".'),
        (["-"], 'omp threads: no option "-"; see "help omp threads".'),
        (["-team"], 'omp threads: option "-team" needs a value: TEAM.'),
        (["3"], 'omp threads: no argument "3" is expected; see "help omp threads".'),
    ],
)
def test_wrong(words: "list[str]", message: str) -> None:
    with pytest.raises(Wrong) as raised:
        parse("omp threads", OPTIONS, words)
    assert str(raised.value) == message


def test_exclude() -> None:
    found = parse("omp threads", OPTIONS, ["-json", "-team", "1"])
    with pytest.raises(Wrong):
        exclude("omp threads", found, "-json", "-team")
    exclude("omp threads", found, "-json", "-state")


@pytest.mark.parametrize(
    "text, word, completions",
    [
        ("", "", ["-state", "-team", "-json"]),
        ("-", "-", ["-state", "-team", "-json"]),
        ("-s", "s", ["state"]),  # GDB took the dash for the end of a word
        ("-s", "-s", ["-state"]),
        ("-json -", "-", ["-state", "-team"]),
        ("-state w", "w", ["work_serial", "wait_lock"]),
        ("-state wa", "wa", ["wait_lock"]),
        ("-team ", "", []),
        ("-json -- -s", "-s", []),
    ],
)
def test_complete(text: str, word: str, completions: "list[str]") -> None:
    assert complete(OPTIONS, text, word) == completions
