# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control variables and the environment."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ompdbg.render.numbers import ranges
from ompdbg.render.palette import PLAIN, Palette
from ompdbg.render.table import Column, table, without_empty, wrap

if TYPE_CHECKING:
    from ompdbg.model.icvs import ControlVariable, Icv
    from ompdbg.model.thread import Thread

UNKNOWN = "?"
# What stands in the table for values that say nothing.
_SAID = {"": "none", "undefined": "not set"}

_INDENT = "  "

_COLUMNS = (
    Column("Variable"),
    Column("Value", squeeze=10),
    Column("Threads", squeeze=16),
    Column("Initially", squeeze=29),
)
_ENV_COLUMNS = (
    Column("Variable"),
    Column("Value", squeeze=12),
    Column("Set to", squeeze=12),
)
# What tells threads apart, so that there are as many values as threads: two are worth rows.
_OF_EACH_THREAD = {
    "thread-num-var",
    "team-num-var",
    "place-partition-var",
    "place-assignment-var",
}
_FEW_VALUES = 2

_OfThreads = Tuple["Icv", "List[Thread]"]


def merged(found: "Iterable[Tuple[Thread, List[Icv]]]") -> "List[_OfThreads]":
    """Each variable with each of its values, and the threads that have it."""
    rows: "Dict[Tuple[str, str, Optional[str]], _OfThreads]" = {}
    for thread, variables in found:
        for icv in variables:
            key = (icv.scope, icv.name, icv.value)
            rows.setdefault(key, (icv, []))[1].append(thread)
    order = list(dict.fromkeys(key[:2] for key in rows))
    return [rows[key] for key in sorted(rows, key=lambda key: order.index(key[:2]))]


def icv_table(
    rows: "Sequence[_OfThreads]",
    everyone: int,
    width: Optional[int],
    palette: Palette = PLAIN,
) -> List[str]:
    """One row for each value. `everyone`: of how many threads these are."""
    cells: List[List[str]] = []
    heads: Dict[int, str] = {}
    scope = ""
    for (of_scope, name), found in groupby(rows, lambda row: (row[0].scope, row[0].name)):
        values = list(found)
        if of_scope != scope:
            heads[len(cells)] = f"Of the {of_scope}:"
            scope = of_scope
        first, initially = _INDENT + name, _initially(values)
        for value, threads in _by_value(values):
            whose = _labels(threads) if len(threads) < everyone else ""
            cells.append([first, value, whose, initially])
            first = initially = ""
    columns, shown = without_empty(_COLUMNS, cells)
    head, *body = table(columns, shown, width, palette)
    lines = [head]
    for number, line in enumerate(body):
        lines.extend([heads[number]] if number in heads else [])
        lines.append(line)
    lines.extend(_reasons(rows, width))
    return lines


def _by_value(rows: "Sequence[_OfThreads]") -> "Iterator[Tuple[str, List[Thread]]]":
    """The values of one variable. Those by which threads are told apart share a row: which of
    them has which, `omp threads` and the variables of one thread tell."""
    numbers = [icv.value for icv, _ in rows if icv.value is not None and icv.value.isdecimal()]
    if rows[0][0].name in _OF_EACH_THREAD and _FEW_VALUES < len(rows) == len(numbers):
        yield ranges(map(int, numbers)), [thread for _, threads in rows for thread in threads]
        return
    for icv, threads in rows:
        yield (UNKNOWN if icv.value is None else _SAID.get(icv.value, icv.value)), threads


def _labels(threads: "Sequence[Thread]") -> str:
    labels = [thread.target.label for thread in threads]
    return ranges(map(int, labels)) if all(map(str.isdigit, labels)) else ", ".join(labels)


def _initially(rows: "Sequence[_OfThreads]") -> str:
    """What a variable was when the program began, where it is not so now, and what set it."""
    icv = rows[0][0]
    values = {one.value for one, _ in rows}
    began = icv.initial
    if began is None and icv.setting is not None:
        began = icv.setting.value
    told = [began] if began is not None and values != {began} else []
    if icv.setting is not None:
        told.append(f"from {icv.setting.name}")
    return " ".join(told)


def _reasons(rows: "Sequence[_OfThreads]", width: Optional[int]) -> Iterator[str]:
    """Why values are not known, each reason once."""
    by_reason: Dict[str, List[str]] = {}
    for icv, _ in rows:
        if icv.value is None and icv.name not in by_reason.setdefault(icv.reason or "", []):
            by_reason[icv.reason or ""].append(icv.name)
    for reason, names in by_reason.items():
        yield from wrap(f"{UNKNOWN} {', '.join(names)}: {reason}", width)


def env_table(
    variables: "Sequence[ControlVariable]",
    all_of_them: bool,
    width: Optional[int],
    palette: Palette,
) -> List[str]:
    """One row for each variable that has a value."""
    shown = [v for v in variables if all_of_them or v.value or v.setting is not None]
    rows = [
        [
            variable.name,
            _in_force(variable),
            _set_to(variable),
        ]
        for variable in shown
    ]
    lines = table(_ENV_COLUMNS, rows, width, palette)
    left = len(variables) - len(shown)
    if left:
        lines.append(f"{left} more are not set.")
    return lines


def _in_force(variable: "ControlVariable") -> str:
    return variable.value or (UNKNOWN if variable.value is None and variable.setting else "")


def _set_to(variable: "ControlVariable") -> str:
    told = "" if variable.setting is None else variable.setting.value
    return "" if told == variable.value else told


def icv_json(row: "_OfThreads") -> Dict[str, Any]:
    """The same as JSON."""
    icv, threads = row
    return {
        "name": icv.name,
        "scope": icv.scope,
        "value": icv.value,
        "reason": icv.reason,
        "initial": icv.initial,
        "environment": None if icv.setting is None else icv.setting._asdict(),
        "threads": [thread.target.number for thread in threads],
    }


def environment_json(found: "Dict[str, List[ControlVariable]]") -> List[Dict[str, Any]]:
    """The variables of each runtime as JSON."""
    return [
        {"runtime": name, "variables": [env_json(one) for one in variables]}
        for name, variables in found.items()
    ]


def env_json(variable: "ControlVariable") -> Dict[str, Any]:
    """The same as JSON."""
    return {
        "name": variable.name,
        "value": variable.value,
        "set_to": None if variable.setting is None else variable.setting.value,
    }
