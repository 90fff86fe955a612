# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why a program does not go on, in words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Dict, Iterable, List, Optional, Sequence, Tuple

from ompdbg.model import diagnosis, waiting as graph
from ompdbg.model.doing import doing, own_place
from ompdbg.model.locks import BY_CODE
from ompdbg.model.region import END_OF_REGION
from ompdbg.model.spinning import spin_of
from ompdbg.render.numbers import counted
from ompdbg.render.palette import PLAIN, TITLE, Palette
from ompdbg.render.table import Column, cut_place, table, wrap
from ompdbg.render.threads import place
from ompdbg.render.unseen import nobody, unseen
from ompdbg.render.why_notes import notes
from ompdbg.render.why_words import kind_text, label_text, name_text, task_text, threads_text

if TYPE_CHECKING:
    from ompdbg.model.diagnosis import Finding
    from ompdbg.model.region import Region
    from ompdbg.model.spinning import Spin
    from ompdbg.model.thread import Thread
    from ompdbg.model.waiting import Waiting

WAITS = "waits for another"
NOTHING = f"No thread {WAITS}."

_INDENT = "  "
_LEAST_WIDTH = 20
_COLUMNS = (
    Column("", squeeze=10),
    Column("", squeeze=16, paint=Palette.wait),
    Column("", squeeze=20, cut=cut_place, paint=Palette.place),
)

# `sleeps in poll`, `works, or spins`, `runs`, of several threads.
_SEVERAL_DO = re.compile(r"\b(sleep|work|spin|run)s\b(?= in | on |, or |$)")

_FOR_TASKS = ("taskwait", "taskgroup")

_Row = Tuple[str, str, str]


def why_lines(
    waiting: "Waiting",
    findings: "Sequence[Finding]",
    width: Optional[int],
    palette: Palette = PLAIN,
) -> List[str]:
    """Each finding: what it is, then a row for each thread that has to do with it."""
    lines: List[str] = []
    for finding in findings:
        head, *more = wrap(headline(finding), width)
        lines.append(palette.paint(TITLE, head))
        lines.extend(palette.paint(TITLE, line) for line in more)
        lines.extend(_rows(_told(waiting, finding), width, palette))
        for note in notes(waiting, finding):
            lines.extend(_INDENT + line for line in wrap(note, _inner(width)))
    threads = waiting.process.threads
    lines = lines or nobody(threads, WAITS)
    return [*lines, *unseen(threads, width)]


def chain_lines(
    waiting: "Waiting", threads: "Sequence[Thread]", width: Optional[int], palette: Palette = PLAIN
) -> List[str]:
    """A row for a thread, and for each for which it waits."""
    return _rows([_row(waiting, thread) for thread in threads], width, palette)


def _inner(width: Optional[int]) -> Optional[int]:
    return None if width is None else max(width - len(_INDENT), _LEAST_WIDTH)


def _rows(rows: "Iterable[_Row]", width: Optional[int], palette: Palette) -> List[str]:
    lines = table(_COLUMNS, list(rows), _inner(width), palette)[1:]
    return [_INDENT + line for line in lines]


# ---- Headlines ------------------------------------------------------------------------------


def headline(finding: "Finding") -> str:
    """What was found."""
    return _HEADS[finding.rule](finding)


def _deadlock(finding: "Finding") -> str:
    begin = "Deadlock" if finding.certain else "Probably a deadlock"
    if len(finding.edges) == 1:
        edge = finding.edges[0]
        what = kind_text(edge.lock) if edge.lock is not None else "task"
        return f"{begin}: thread {label_text(edge.waiter)} waits for a {what} that it holds itself"
    return f"{begin}: {len(finding.edges)} threads wait for one another"


def _owner_ended(finding: "Finding") -> str:
    assert finding.lock is not None
    verb = "waits" if len(finding.waiters) == 1 else "wait"
    who = f"{threads_text(finding.waiters)} {verb} for it"
    return f"{name_text(finding.lock)} is probably held by a thread that has ended; {who}"


def _held(finding: "Finding") -> str:
    lock = finding.lock
    assert lock is not None
    who = threads_text(finding.waiters)
    verb = "waits" if len(finding.waiters) == 1 else "wait"
    if lock.owner is None:
        held = "is held" if lock.is_held else "may be held"
        return f"{name_text(lock)} {held}, by whom is not known; {who} {verb} for it"
    probably = "probably " if lock.how == BY_CODE else ""
    held = f"{probably}held by thread {label_text(lock.owner)}"
    return f"{name_text(lock)} is {held}; {who} {verb} for it"


def _ordered(finding: "Finding") -> str:
    lock = finding.lock
    assert lock is not None
    turn = "whose turn it is is not known"
    if lock.owner is not None:
        turn = f"it is the turn of thread {label_text(lock.owner)}"
    verb = "waits" if len(finding.waiters) == 1 else "wait"
    return f"{threads_text(finding.waiters).capitalize()} {verb} for an ordered region: {turn}"


def _different(finding: "Finding") -> str:
    assert finding.region is not None
    return f"Threads of region {finding.region.team.label} wait at different barriers"


def _lost(finding: "Finding") -> str:
    region = finding.region
    assert region is not None
    lost, size = len(region.team.lost), region.team.size or 0
    does = "does" if lost == 1 else "do"
    return f"Region {region.team.label}: {lost} of its {size} threads {does} not exist"


def _barrier(finding: "Finding") -> str:
    region = finding.region
    assert region is not None
    total = region.team.size or 0
    at_tasks = [region.runs_task_at_barrier(thread) for thread in finding.others]
    missing, unknown = at_tasks.count(False), at_tasks.count(None)
    come = len(region.at_barrier) + at_tasks.count(True)
    unseen = f", nothing is known of {region.unseen}" if region.unseen else ""
    label = region.team.label
    left = region.progress is not None and region.progress.tasks_left
    if left or come == total:
        return f"Region {label}: all {total} threads have come to a barrier, tasks run"
    if not finding.certain:
        # They may have been let go already, and the others have gone on before them.
        are, were = ("is", "was") if come == 1 else ("are", "were")
        here = f"{come} of {total} threads {are} at a barrier, or just {were}{unseen}"
        return f"Region {label}: {here}{_at_several(region)}"
    here = f"{come} of {total} threads {'has' if come == 1 else 'have'} come to a barrier"
    if missing:
        here += f", {missing} {'has' if missing == 1 else 'have'} not"
    if unknown:
        here += f", {unknown} run{'s a task' if unknown == 1 else ' tasks'}"
    return f"Region {label}: {here}{unseen}"


def _event(finding: "Finding") -> str:
    if finding.task is not None:
        return f"The event of a detached task is not fulfilled: {task_text(finding.task)}"
    verb = "waits" if len(finding.waiters) == 1 else "wait"
    who = f"{threads_text(finding.waiters)} {verb}"
    return f"Probably the event of a detached task is not fulfilled: {who} for it"


def _awaited(finding: "Finding") -> str:
    verb = "waits" if len(finding.waiters) == 1 else "wait"
    who = f"{threads_text(finding.waiters).capitalize()} {verb}"
    if not finding.others:
        return f"{who} for a task that is blocked: {task_text(finding.task)}"
    runner = f"thread {label_text(finding.others[0])}"
    through = next((edge.through for edge in finding.edges if edge.through is not None), None)
    if through is not None:
        return f"{who} for a blocked task; before it comes one that {runner} runs"
    return f"{who} for a task that {runner} runs"


def _queued(finding: "Finding") -> str:
    assert finding.region is not None
    tasks = counted(len(finding.edges), "task")
    verb = "is" if len(finding.edges) == 1 else "are"
    label = finding.region.team.label
    return f"{tasks} of region {label} {verb} queued, and all of its threads sleep elsewhere"


def _spins(finding: "Finding") -> str:
    spin, one = spin_of(finding.waiters[0]), len(finding.waiters) == 1
    who = threads_text(finding.waiters).capitalize()
    if spin is None or spin.is_endless:
        return f"{who} {'is' if one else 'are'} in an endless loop"
    what = " or ".join(spin.variables) or "what the loop reads"
    return f"{who} spin{'s' * one} until somebody else changes {what}"


def _at_several(region: "Region") -> str:
    return ", but not at the same one" if diagnosis.at_several_places(region) else ""


def _unknown(finding: "Finding") -> str:
    if finding.region is not None:
        size, label = finding.region.team.size or 0, finding.region.team.label
        seen, several = len(finding.region.at_barrier), _at_several(finding.region)
        if seen < size:
            others = "other" if size - seen == 1 else "others"
            here = f"{seen} of {size} threads {'is' if seen == 1 else 'are'} at a barrier"
            return f"Region {label}: {here}, of the {others} nothing is known"
        if several:
            return f"Region {label}: all {size} threads are at a barrier, or just were{several}"
        return f"Region {label}: all {size} threads are at a barrier, none is missing"
    verb = "waits" if len(finding.waiters) == 1 else "wait"
    why = "for what is not known"
    for_tasks = all(t.wait is not None and t.wait.kind in _FOR_TASKS for t in finding.waiters)
    if for_tasks and finding.certain:
        why = "no task is left that is known"
    return f"{threads_text(finding.waiters).capitalize()} {verb}, or just did: {why}"


_HEADS = {
    diagnosis.UNKNOWN: _unknown,
    diagnosis.DEADLOCK: _deadlock,
    diagnosis.ENDED_OWNER: _owner_ended,
    diagnosis.HELD_LOCK: _held,
    diagnosis.ORDERED_TURN: _ordered,
    diagnosis.LOST_THREADS: _lost,
    diagnosis.DIFFERENT_BARRIERS: _different,
    diagnosis.INCOMPLETE_BARRIER: _barrier,
    diagnosis.UNFULFILLED_EVENT: _event,
    diagnosis.TASK_WAIT: _awaited,
    diagnosis.QUEUED_TASKS: _queued,
    diagnosis.SPIN: _spins,
}


# ---- Rows -----------------------------------------------------------------------------------


def _told(waiting: "Waiting", finding: "Finding") -> "List[_Row]":
    threads = [*finding.waiters]
    threads += [thread for thread in finding.others if thread not in threads]
    if finding.rule == diagnosis.DEADLOCK:
        return [_edge_row(edge) for edge in finding.edges]
    merged: "Dict[Tuple[str, str], List[Thread]]" = {}
    for thread in threads:
        _, what, where = _row(waiting, thread, finding.rule)
        region = waiting.region_of(thread)
        if region is not None and _is_not_in_body(thread):
            where = place(region.opened)
        merged.setdefault((what, where), []).append(thread)
    return [
        (threads_text(group), what if len(group) == 1 else _SEVERAL_DO.sub(r"\1", what), where)
        for (what, where), group in merged.items()
    ]


def _is_not_in_body(thread: "Thread") -> bool:
    """It waits at the end of its region, or the region's code made that wait its last call."""
    if thread.wait is None:
        return False
    return thread.wait.kind == END_OF_REGION or (
        thread.location is None and thread.wait.kind != "idle"
    )


def _row(waiting: "Waiting", thread: "Thread", rule: Optional[str] = None) -> _Row:
    edges = waiting.edges.get(thread.target.number, [])
    told_in_head = (diagnosis.INCOMPLETE_BARRIER, diagnosis.DIFFERENT_BARRIERS)
    if edges and rule in told_in_head and edges[0].kind == graph.BARRIER:
        edges = []
    return f"thread {label_text(thread)}", _what(edges, thread), _where(thread)


def _for_whom(edges: "Sequence[graph.Edge]") -> str:
    if not edges:
        return ""
    threads = [edge.thread for edge in edges if edge.thread is not None]
    if edges[0].kind == graph.LOCK:
        if not threads:
            return ""
        lock = edges[0].lock
        mark = "?" if lock is not None and lock.how == BY_CODE else ""
        return f", held by {label_text(threads[0])}{mark}"
    if threads:
        unique = {thread.target.number: thread for thread in threads}
        return f", for {threads_text(list(unique.values()))}"
    return ", for an event" if edges[0].kind == graph.EVENT else ""


def _edge_row(edge: "graph.Edge") -> _Row:
    return f"thread {label_text(edge.waiter)}", _what([edge], edge.waiter), _where(edge.waiter)


def _what(edges: "Sequence[graph.Edge]", thread: "Thread") -> str:
    """What it does, and for whom it waits."""
    if thread.wait is not None:
        return thread.wait.title + _for_whom(edges)
    lock = edges[0].lock if edges else None
    return _doing_text(thread) if lock is None else lock.title + _for_whom(edges)


def _where(thread: "Thread") -> str:
    return place(thread.location if thread.wait is not None else own_place(thread))


def _doing_text(thread: "Thread") -> str:
    if thread.target.running:
        return "runs"
    if thread.is_outside:
        return "begins, or ends"
    spin = spin_of(thread)
    if spin is not None:
        return _spin_text(spin)
    if thread.in_runtime:
        return thread.state or "in the runtime"
    does = doing(thread)
    if does.function is None:
        return "works, or spins"
    return f"sleeps in {does.function}" if does.in_kernel else f"in {does.function}"


def _spin_text(spin: "Spin") -> str:
    if spin.is_endless:
        return "in an endless loop"
    return f"spins on {', '.join(spin.variables)}" if spin.variables else "spins"
