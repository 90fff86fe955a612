# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Control variables and the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ompdbg.render.numbers import ranges
from ompdbg.render.palette import PLAIN, Palette
from ompdbg.render.table import Column, table, without_empty, wrap

if TYPE_CHECKING:
    from ompdbg.model.icvs import ControlVariable, Icv
    from ompdbg.model.thread import Thread

UNKNOWN = "?"

_INDENT = "  "

_COLUMNS = (
    Column("Variable"),
    Column("Value", squeeze=10),
    Column("Threads", squeeze=8),
    Column("Initially", squeeze=9),
    Column("Environment", squeeze=25),
)
_ENV_COLUMNS = (
    Column("Variable"),
    Column("Value", squeeze=12),
    Column("Set to", squeeze=12),
)

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
    last: Tuple[str, str] = ("", "")
    heads: Dict[int, str] = {}
    for icv, threads in rows:
        labels = [thread.target.label for thread in threads]
        numbers = ranges(map(int, labels)) if all(map(str.isdigit, labels)) else ", ".join(labels)
        if icv.scope != last[0]:
            heads[len(cells)] = f"Of the {icv.scope}:"
        initial = icv.initial or ""
        cells.append(
            [
                _INDENT + ("" if (icv.scope, icv.name) == last else icv.name),
                UNKNOWN if icv.value is None else icv.value,
                numbers if len(threads) < everyone else "",
                initial if initial != icv.value else "",
                "" if icv.setting is None else f"{icv.setting.name}={icv.setting.value}",
            ]
        )
        last = (icv.scope, icv.name)
    columns, shown = without_empty(_COLUMNS, cells)
    head, *body = table(columns, shown, width, palette)
    lines = [head]
    for number, line in enumerate(body):
        lines.extend([heads[number]] if number in heads else [])
        lines.append(line)
    lines.extend(_reasons(rows, width))
    return lines


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
    shown = [v for v in variables if all_of_them or v.value is not None or v.setting is not None]
    rows = [
        [
            variable.name,
            UNKNOWN if variable.value is None else variable.value,
            _set_to(variable),
        ]
        for variable in shown
    ]
    lines = table(_ENV_COLUMNS, rows, width, palette)
    left = len(variables) - len(shown)
    if left:
        lines.append(f"{left} more are not set.")
    return lines


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
