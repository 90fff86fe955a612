# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tree of parallel regions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple

from ompdbg.render import json
from ompdbg.render.numbers import counted, ranges
from ompdbg.render.palette import PLAIN, TITLE, Palette
from ompdbg.render.table import Column, cut, cut_place, table, wrap
from ompdbg.render.threads import UNKNOWN, place, state_in_words, where
from ompdbg.render.unseen import nobody, unseen

if TYPE_CHECKING:
    from ompdbg.model.loops import Loop
    from ompdbg.model.process import Process
    from ompdbg.model.region import Group, Progress, Region

_INDENT = "  "
_LEAST_WIDTH = 20
_COLUMNS = (
    Column("", right=True),
    Column("", squeeze=16, paint=Palette.wait),
    Column("", squeeze=20, cut=cut_place, paint=Palette.place),
    Column("", squeeze=6),
)

_Alike = Tuple[Any, ...]


def region_lines(
    process: "Process",
    regions: "Sequence[Region]",
    width: Optional[int],
    palette: Palette = PLAIN,
) -> List[str]:
    """Each region with what its threads do, those within it below it."""
    lines: List[str] = []
    for alike in _merged(regions):
        lines.extend(_region(alike, width, palette))
    if not regions and process.is_seen_whole:
        lines.append("No parallel region is active.")
    elif not regions:
        lines.extend(nobody(process.threads, "is in a parallel region"))
    for text in _outside(process):
        lines.extend(wrap(text, width))
    return [*lines, *unseen(process.threads, width)]


def _merged(regions: "Sequence[Region]") -> "Iterator[List[Region]]":
    """Regions that say the same, and enclose no others, together."""
    parents = {region.team.parent.id for region in regions if region.team.parent is not None}
    found: "Dict[_Alike, List[Region]]" = {}
    for region in regions:
        key: _Alike = (region.team.id,)
        if region.team.id not in parents and region.team.parent is not None:
            groups = [(_doing(g), place(g.location), tuple(g.numbers)) for g in region.groups]
            opened = place(region.opened)
            loops = [loop_text(loop, region) for loop in region.loops]
            told = (tuple(groups), tuple(loops), region.progress)
            key = (region.team.parent.id, opened, region.team.size, *told)
        found.setdefault(key, []).append(region)
    yield from found.values()


def _region(alike: "List[Region]", width: Optional[int], palette: Palette) -> Iterator[str]:
    region = alike[0]
    indent = _INDENT * (len(region.team.path) - 1)
    inner = None if width is None else max(width - len(indent) - len(_INDENT), _LEAST_WIDTH)
    yield indent + _head(alike, None if inner is None else inner + len(_INDENT), palette)
    rows = _rows(_told(region.groups))
    for line in table(_COLUMNS, rows, inner, palette)[1:]:
        yield indent + _INDENT + line
    texts = [loop_text(loop, region) for loop in region.loops]
    if region.progress is not None:
        texts.extend(progress_texts(region.progress))
    for text in texts:
        yield indent + _INDENT + (text if inner is None else cut(text, inner))


def _head(alike: "List[Region]", width: Optional[int], palette: Palette) -> str:
    region = alike[0]
    labels = ", ".join(one.team.label for one in alike)
    each = "" if len(alike) == 1 else " each"
    noun = "Region" if len(alike) == 1 else "Regions"
    size = (
        UNKNOWN + " threads" if region.team.size is None else counted(region.team.size, "thread")
    )
    name = f"{noun} {labels}"
    several = region.team.runtime.process is not None
    runtime = f" of {region.team.runtime.name}" if several else ""
    text = f"{name}: {size}{each}{runtime}"
    opened = place(region.opened)
    if not opened:
        return _titled(cut(text, width) if width is not None else text, name, palette)
    joined = f"{text}, opened in "
    if width is not None:
        if len(joined) + _LEAST_WIDTH > width:
            joined = f"{cut(name, width - _LEAST_WIDTH - 2)}, "
        opened = cut_place(opened, width - len(joined))
    return _titled(joined, name, palette) + palette.place(opened)


def _titled(text: str, name: str, palette: Palette) -> str:
    if not text.startswith(name):
        return text
    return palette.paint(TITLE, name) + text[len(name) :]


def _told(groups: "Sequence[Group]") -> "Iterator[Group]":
    """Those that are in regions within this one are told of there."""
    inner: "Optional[Group]" = None
    for group in groups:
        if group.inner is None:
            yield group
        elif inner is None:
            inner = group
        else:
            numbers = [*inner.numbers, *group.numbers]
            inner = inner._replace(numbers=numbers, threads=[*inner.threads, *group.threads])
    if inner is not None:
        yield inner


def _doing(group: "Group") -> str:
    if group.inner is not None:
        return "in an inner region" if len(group.numbers) == 1 else "in inner regions"
    if group.wait is not None:
        return group.wait.title
    return state_in_words(group.threads[0])


def _rows(groups: "Iterable[Group]") -> List[List[str]]:
    """Those of whom the same is told share a row."""
    found: Dict[Tuple[str, str], List[int]] = {}
    for group in groups:
        told = "" if group.inner is not None else where(group.threads[0])
        found.setdefault((_doing(group), told), []).extend(group.numbers)
    return [
        [str(len(numbers)), doing, told, ranges(sorted(numbers))]
        for (doing, told), numbers in found.items()
    ]


def loop_text(loop: "Loop", region: "Region") -> str:
    """What of a loop is left to do, and who is in it."""
    noun = "section" if loop.is_sections else "iteration"
    name = "sections" if loop.is_sections else "ordered loop" if loop.is_ordered else "loop"
    if loop.schedule is not None and not loop.is_sections:
        name += f" {loop.schedule}" + (f",{loop.chunk}" if loop.chunk is not None else "")
    if loop.remaining is None:
        left = "" if loop.total is None else f": {counted(loop.total, noun)}"
    elif loop.total is None or loop.is_least:
        left = f": {counted(loop.remaining, noun)}{' or more' if loop.is_least else ''} left"
    else:
        left = f": {loop.remaining} of {counted(loop.total, noun)} left"
    who = "" if len(loop.numbers) == region.team.size else f", for {ranges(loop.numbers)}"
    return name + left + who


def progress_texts(progress: "Progress") -> Iterator[str]:
    """How far the threads have come, in words."""
    total = progress.total
    if progress.tasks_left:
        yield f"barrier: all {total} have arrived, tasks are left"
    elif progress.arrived:
        yield _arrived("barrier", progress.arrived, progress)
    if progress.arrived_end and not progress.tasks_left:
        yield _arrived("end of region", progress.arrived_end, progress)
    if progress.cancelled:
        yield "cancelled"


def _arrived(where: str, number: int, progress: "Progress") -> str:
    verb = "has" if number == 1 else "have"
    told = f"{verb} arrived" if progress.counted else "seen there"
    return f"{where}: {number} of {progress.total} {told}"


def _outside(process: "Process") -> Iterator[str]:
    """What the threads do that are in no region, and how many may be in any."""
    counts: Dict[str, int] = {}
    for thread in process.threads:
        if not thread.level and not thread.target.running and thread.error is None:
            told = state_in_words(thread)
            counts[told] = counts.get(told, 0) + 1
    if counts:
        counted_states = ", ".join(f"{number} {name}" for name, number in counts.items())
        yield f"Outside of regions: {counted_states}"


def region_json(region: "Region") -> Dict[str, Any]:
    """The same as JSON."""
    progress = region.progress
    return {
        **json.team(region.team),
        "opened": json.location_or_none(region.opened),
        "groups": [_group_json(group) for group in region.groups],
        "loops": [_loop_json(loop) for loop in region.loops],
        "progress": None if progress is None else _progress_json(progress),
    }


def _loop_json(loop: "Loop") -> Dict[str, Any]:
    return {
        "kind": "sections" if loop.is_sections else "loop",
        "schedule": loop.schedule,
        "ordered": loop.is_ordered,
        "chunk": loop.chunk,
        "total": loop.total,
        "remaining": loop.remaining,
        "remaining_is_least": loop.is_least,
        "thread_nums": loop.numbers,
        "threads": [thread.target.number for thread in loop.threads],
        "location": json.location_or_none(loop.location),
    }


def _progress_json(progress: "Progress") -> Dict[str, Any]:
    return {
        "total": progress.total,
        "arrived": progress.arrived,
        "arrived_end": progress.arrived_end,
        "source": "runtime" if progress.counted else "stacks",
        "tasks_left": progress.tasks_left,
        "cancelled": progress.cancelled,
    }


def _group_json(group: "Group") -> Dict[str, Any]:
    return {
        "thread_nums": group.numbers,
        "threads": [thread.target.number for thread in group.threads],
        "state": group.state,
        "wait": None if group.wait is None else json.wait(group.wait),
        "location": json.location_or_none(group.location),
        "region": None if group.inner is None else json.identity(group.inner.id),
    }
