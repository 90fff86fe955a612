# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The state of things as a whole."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Tuple

from ompdbg.model.status import LAYOUT_SOURCES
from ompdbg.render import json

if TYPE_CHECKING:
    import _ompd

    from ompdbg.model.status import RuntimeStatus, Status

Stats = Dict[str, Dict[str, int]]

_LABEL_WIDTH = 14
_SOURCES = {
    "none": "not known",
    "runtime": "told by the runtime itself",
    "debug_info": "from debug information",
    "table": "built-in table",
}
_STATS = (("last_command", "last command"), ("this_command", "this command"))


def status_lines(status: "Status", stats: Optional[Stats], width: Optional[int]) -> List[str]:
    """A few lines, the most telling first."""
    rows: List[Tuple[str, str]] = []
    for runtime in status.runtimes:
        rows.extend(_runtime(runtime, len(status.runtimes) > 1))
    rows.append(("Threads", _threads(status)))
    rows.append(("Teams", _teams(status)))
    for index, text in enumerate(_unavailable(status)):
        rows.append(("" if index else "Unavailable", text))
    if stats is not None:
        rows.extend((label.capitalize(), _counted(stats[key])) for key, label in _STATS)
    return [line for label, text in rows for line in _wrapped(label, text, width)]


def _runtime(status: "RuntimeStatus", is_one_of_several: bool) -> Iterator[Tuple[str, str]]:
    layout = status.layout
    known_by_file = status.object_name or "unknown"
    text = known_by_file if layout is None else f"{layout.runtime}, {layout.release}"
    if status.omp_version is not None:
        text += f", OpenMP {status.omp_version}"
    yield "Runtime", text
    yield "OMPD library", status.library_version
    yield "", status.library
    if layout is not None:
        yield "Layout", layout_in_words(layout)
    if is_one_of_several:
        threads = "1 thread" if status.threads == 1 else f"{status.threads} threads"
        teams = "1 team" if status.teams == 1 else f"{status.teams} teams"
        yield "", f"{threads}, {teams}"


def layout_in_words(layout: "_ompd.Layout") -> str:
    """`built-in table, confirmed by 14 code probes; 2 could not tell`."""
    source = _SOURCES[LAYOUT_SOURCES.get(layout.source, "none")]
    if not layout.probes_agreed and not layout.probes_silent:
        return source
    silent = f"; {layout.probes_silent} could not tell" if layout.probes_silent else ""
    fields = "field" if layout.doubted == 1 else "fields"
    doubted = f"; {layout.doubted} {fields} not proven, and not used" if layout.doubted else ""
    return f"{source}, confirmed by {layout.probes_agreed} code probes{silent}{doubted}"


def _wrapped(label: str, text: str, width: Optional[int]) -> List[str]:
    """A label and its text, folded; a path longer than the line stays whole."""
    head = f"{label:<{_LABEL_WIDTH}}"
    if width is None:
        return [head + text]
    return textwrap.wrap(
        text,
        max(width, 2 * _LABEL_WIDTH),
        initial_indent=head,
        subsequent_indent=" " * _LABEL_WIDTH,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [head]


def _unavailable(status: "Status") -> List[str]:
    """One text for each reason."""
    found: Dict[Tuple[Optional[str], str], List[str]] = {}
    for missing in status.unavailable:
        found.setdefault((missing.runtime, missing.reason), []).append(missing.what)
    return [
        f"{f'{runtime}: ' if runtime else ''}{', '.join(names)}: {reason}"
        for (runtime, reason), names in found.items()
    ]


def _threads(status: "Status") -> str:
    text = f"{status.threads}, {status.openmp_threads} of them OpenMP"
    return f"{text}, {status.running_threads} running" if status.running_threads else text


def _teams(status: "Status") -> str:
    return f"{status.teams}, nested {status.nesting} deep" if status.teams else "0"


def _counted(stats: Dict[str, int]) -> str:
    return (
        f"{stats.get('fetches', 0)} reads of the target, {stats.get('fetched', 0)} bytes"
        f" ({stats.get('direct', 0)} direct); {stats.get('requests', 0)} requests,"
        f" {stats.get('symbols', 0)} symbols"
    )


def status_json(status: "Status", stats: Optional[Stats]) -> List[str]:
    """The same as a JSON document."""
    return json.document(**status_object(status, stats))


def status_object(status: "Status", stats: Optional[Stats] = None) -> Dict[str, Any]:
    """The same as JSON."""
    runtimes = [_runtime_json(runtime) for runtime in status.runtimes]
    sections: Dict[str, Any] = {
        **{key: runtimes[0][key] for key in ("library", "openmp", "layout")},
        "runtimes": runtimes,
        "threads": {
            "total": status.threads,
            "openmp": status.openmp_threads,
            "running": status.running_threads,
        },
        "teams": {"total": status.teams, "nesting": status.nesting},
        "unavailable": [
            {"what": missing.what, "reason": missing.reason, "runtime": missing.runtime}
            for missing in status.unavailable
        ],
    }
    if stats is not None:
        sections["stats"] = stats
    return sections


def _runtime_json(status: "RuntimeStatus") -> Dict[str, Any]:
    layout = None
    if status.layout is not None:
        layout = {
            "runtime": status.layout.runtime,
            "release": status.layout.release,
            "source": LAYOUT_SOURCES.get(status.layout.source, "none"),
            "probes_agreed": status.layout.probes_agreed,
            "probes_silent": status.layout.probes_silent,
            "doubted": status.layout.doubted,
        }
    return {
        "name": status.name,
        "library": {
            "path": status.library,
            "version": status.library_version,
            "api_version": status.api_version,
        },
        "openmp": {"version": status.omp_version, "version_string": status.omp_version_string},
        "layout": layout,
        "threads": status.threads,
        "teams": status.teams,
    }
