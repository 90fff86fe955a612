# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers that are told when all tests are done, by however many processes."""

import resource
from collections import Counter
from typing import Any, Dict, List

compared: "Counter[str]" = Counter()  # values of the program's routines, by name
unavailable: "Counter[str]" = Counter()  # values that OMPD called unavailable, "name: reason"
skipped: "Counter[str]" = Counter()  # threads that were not asked, by reason
stops: "Counter[str]" = Counter()  # stops at which the program was asked, by kind
agreed: "Counter[str]" = Counter()  # answers that LLVM's OMPD library gives as ours, by question
# Differences to it that docs/llvm-libompd.md explains; starts of GDB; milliseconds of processor
# time of all that was started, and of the tests themselves.
numbers: "Counter[str]" = Counter()

_all = {
    "compared": compared,
    "unavailable": unavailable,
    "skipped": skipped,
    "stops": stops,
    "agreed": agreed,
    "numbers": numbers,
}


def told() -> Dict[str, Dict[str, int]]:
    """What this process counted, for add()."""
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        numbers["processor"] += int((usage.ru_utime + usage.ru_stime) * 1000)
    return {name: dict(counter) for name, counter in _all.items()}


def add(others: Any) -> None:
    """Counts what another process has told."""
    for name, counter in _all.items():
        counter.update(others[name])


def report() -> List[str]:
    """Lines for the end of the test run."""
    return _report_agreement() + _report_oracle() + _report_cost()


def _report_cost() -> List[str]:
    if not numbers["gdb"]:
        return []
    return [
        "",
        "GDB was started {} times; {:.0f} s of processor time in all".format(
            numbers["gdb"], numbers["processor"] / 1000
        ),
    ]


def _report_agreement() -> List[str]:
    if not agreed:
        return []
    return [
        "",
        "LLVM's OMPD library: {} answers as ours to {} kinds of questions, {} explained"
        " differences".format(sum(agreed.values()), len(agreed), numbers["explained"]),
    ]


def _report_oracle() -> List[str]:
    if not compared:
        return []
    lines = [
        "",
        "Oracle: {} values compared at {} stops ({})".format(
            sum(compared.values()), sum(stops.values()), _list(stops)
        ),
        "  threads not asked: " + (_list(skipped) or "none"),
    ]
    lines += ["  unavailable {:6} x {}".format(n, what) for what, n in unavailable.most_common()]
    return lines


def _list(counter: "Counter[str]") -> str:
    return ", ".join("{} {}".format(number, name) for name, number in counter.most_common())
