#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tests may be skipped in continuous integration: those that expected-skips.txt lists, and
no others. conftest.py asks for each test of pytest's; as a program:

    expected_skips.py meson LOG    the tests in a testlog.json of meson's
    expected_skips.py SUITE REASON a suite that is skipped as a whole
    expected_skips.py failed LOG   not about skips: the tests in such a file that failed, with the
                                   last lines that each wrote

Nothing is checked unless OMPDBG_EXPECTED_SKIPS is set: other machines lack other things.
"""

import json
import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from typing import List, Sequence, Tuple

LIST = Path(__file__).resolve().with_name("expected-skips.txt")


@lru_cache(maxsize=None)
def expected() -> List[Tuple[str, str]]:
    """Each suite, or `*`, and a regular expression for the whole reason."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    words = [line.split(None, 1) for line in lines if line.strip() and not line.startswith("#")]
    return [(suite, reason.strip()) for suite, reason in words]


def suite_of(test: str) -> str:
    """The folder of a test's file, or the release of Debian in whose folder it runs."""
    return os.environ.get("OMPDBG_TEST_SUITE") or test.split("testsuite/")[-1].split("/")[0]


def problem(suite: str, reason: str) -> str:
    """Why this skip is not expected; empty if it is, or if nobody asks."""
    if not os.environ.get("OMPDBG_EXPECTED_SKIPS"):
        return ""
    for name, pattern in expected():
        if name in ("*", suite) and re.fullmatch(pattern, reason.strip(), re.DOTALL):
            return ""
    return f"not in {LIST.name}"


def of_meson(log: Path, results: Sequence[str]) -> List[Tuple[str, str, List[str]]]:
    """The tests of which meson says one of these results, that result, and the lines each wrote."""
    if not log.exists():
        sys.exit(f"there is no {log}: meson ran no test")
    found = []
    for line in log.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        if entry["result"] in results:
            said = (entry.get("stdout") or "") + (entry.get("stderr") or "")
            name = entry["name"].rpartition(" ")[2] or entry["name"]
            found.append((name, entry["result"], said.strip().splitlines()))
    return found


def tell_failures(log: Path) -> None:
    """Each test of meson's that failed, and the end of what it wrote."""
    for name, result, said in of_meson(log, ["FAIL", "ERROR", "TIMEOUT", "UNEXPECTEDPASS"]):
        print("\n".join([f"{result} {name}"] + said[-20:]))


def main(words: Sequence[str]) -> int:
    """The command line: one line for each skip that is not expected."""
    if len(words) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    suite, argument = words
    if suite == "failed":
        tell_failures(Path(argument))
        return 0
    if suite == "meson":
        skipped = of_meson(Path(argument), ["SKIP"])
        skips = [(name, said[-1] if said else "no reason") for name, _, said in skipped]
    else:
        skips = [(suite, argument)]
    status = 0
    for test, reason in skips:
        told = f"{test}: {reason}" if suite == "meson" else reason
        if problem(suite, told):
            print(f"UNEXPECTED SKIP {test}: {reason}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
