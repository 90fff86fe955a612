# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What each command prints of a process, line by line: the same in a debugger and without one."""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Union,
)

from ompdbg.render.palette import PLAIN, Palette

if TYPE_CHECKING:
    from ompdbg.model.diagnosis import Finding
    from ompdbg.model.inquiries import Inquiry
    from ompdbg.model.pool import AllTasks
    from ompdbg.model.process import Process
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.stack import Part
    from ompdbg.model.thread import Thread
    from ompdbg.model.waiting import Waiting
    from ompdbg.render.stack import Options
    from ompdbg.render.status import Stats
    from ompdbg.services import Variable

# Of more tasks alike than this only these are shown, and the number of the others.
_SHOWN_ALIKE = 5
_LISTED_ALIKE = 50


class Form(NamedTuple):
    """How it is printed."""

    as_json: bool = False
    width: Optional[int] = None  # of text; None: as long as lines are
    palette: Palette = PLAIN
    addresses: bool = True  # of frames of runtimes and libraries


# ---- Threads --------------------------------------------------------------------------------


def threads(process: "Process", chosen: "List[Thread]", form: Form) -> Iterable[str]:
    """These threads, and where they are in their teams."""
    if form.as_json:
        from ompdbg.render import json

        teams = [json.team(one) for one in process.teams]
        return json.lines("threads", map(json.thread, chosen), teams=teams)
    from ompdbg.render.threads import thread_table

    return thread_table(chosen, form.width, form.palette)


# ---- Tasks ----------------------------------------------------------------------------------


def tasks(process: "Process", form: Form, queued: bool = False) -> Iterator[str]:
    """The tasks of every team; `queued`: only those not begun."""
    if form.as_json:
        yield from _tasks_json(process, queued)
        return
    from ompdbg.model.pool import TaskPool
    from ompdbg.model.process import by_runtime
    from ompdbg.render import tasks as render

    for name, runtime in by_runtime(process).items():
        if process.has_several:
            yield f"-- {name} --"
        pool = TaskPool(runtime, keep=_LISTED_ALIKE if queued else _SHOWN_ALIKE)
        show = render.queued_table if queued else render.task_tree
        yield from show(pool, form.width, form.palette)


def _tasks_json(process: "Process", queued: bool) -> Iterator[str]:
    from ompdbg.model.pool import AllTasks
    from ompdbg.model.task import NOT_BEGUN
    from ompdbg.render import json

    found = [AllTasks(runtime) for runtime in process.runtimes]
    shown = (
        json.task(task)
        for tasks in found
        for task in tasks
        if not queued or task.info.status in NOT_BEGUN
    )
    teams = [json.team(team) for team in process.teams]
    return json.lines("tasks", shown, lambda: _whole(found), teams=teams)


def _whole(found: "List[AllTasks]") -> "Dict[str, Union[bool, Optional[int]]]":
    """What is known at the end."""
    unreached = [tasks.unreached for tasks in found]
    known = [number for number in unreached if number is not None]
    return {
        "damaged": any(tasks.damaged for tasks in found),
        "unreached": sum(known) if len(known) == len(unreached) else None,
    }


def tasks_by_function(process: "Process", form: Form) -> Iterable[str]:
    """How many tasks there are of each function."""
    from ompdbg.model.pool import count_by_function

    counts = [row for runtime in process.runtimes for row in count_by_function(runtime)]
    counts.sort(key=lambda row: -row.number)
    if form.as_json:
        from ompdbg.render import json

        return json.document(counts=[json.count(row) for row in counts])
    from ompdbg.render.tasks import count_table

    return count_table(counts, form.width, form.palette)


# ---- Stacks ---------------------------------------------------------------------------------


def stacks(
    process: "Process",
    threads: "List[Thread]",
    form: Form,
    raw: bool = False,
    full: bool = False,
    limit: Optional[int] = None,
) -> Iterator[str]:
    """How threads got where they are; those alike are told together."""
    from ompdbg.model.stack import logical_stack
    from ompdbg.render.stack import group_lines, shown_parts

    shown = _stack_options(process, form, raw, full, limit)
    if form.as_json:
        from ompdbg.render import json

        found = (logical_stack(thread) for thread in threads if not thread.target.running)
        objects = (json.stack(one, shown_parts(one, shown)) for one in found)
        yield from json.lines("stacks", objects)
        return
    for index, group in enumerate(_groups(threads, shown)):
        if index:
            yield ""
        yield from group_lines(group, shown)


def _groups(threads: "List[Thread]", shown: "Options") -> "Iterable[Any]":
    from ompdbg.model.stack import logical_stack
    from ompdbg.model.stack_groups import Group, grouped, line_of
    from ompdbg.render.stack import shown_parts

    if shown.variables is None:
        place_of = (lambda frame: frame.pc) if shown.raw and shown.addresses else line_of
        return grouped(threads, logical_stack, lambda stack: shown_parts(stack, shown), place_of)
    # Each thread has local variables of its own.
    return (
        Group([thread], None if thread.target.running else logical_stack(thread))
        for thread in threads
    )


def _stack_options(
    process: "Process", form: Form, raw: bool, full: bool, limit: Optional[int]
) -> "Options":
    from ompdbg.render.stack import Options

    def in_frame(part: "Part", item: "LogicalFrame") -> "List[Variable]":
        return process.services.arguments(part.thread.target, item.frame)

    def local_to(part: "Part", item: "LogicalFrame") -> "List[Variable]":
        return process.services.locals(part.thread.target, item.frame)

    variables = local_to if full else None
    return Options(
        raw, limit, in_frame, variables, form.palette, form.width, addresses=form.addresses
    )


# ---- Status ---------------------------------------------------------------------------------


def _not_counted() -> "Optional[Stats]":
    return None


def status(
    process: "Process", form: Form, counted: "Callable[[], Optional[Stats]]" = _not_counted
) -> Iterable[str]:
    """The runtimes, and how well they are known. `counted`: what was read for that, if that is
    of interest."""
    from ompdbg.model.status import status as find
    from ompdbg.render import status as render

    found = find(process)
    stats = counted()
    if form.as_json:
        return render.status_json(found, stats)
    return render.status_lines(found, stats, form.width)


# ---- Regions, locks -------------------------------------------------------------------------


def regions(process: "Process", form: Form) -> Iterable[str]:
    """The tree of parallel regions."""
    from ompdbg.model.region import regions as find
    from ompdbg.render import regions as render

    found = find(process)
    if form.as_json:
        from ompdbg.render import json

        return json.lines("regions", map(render.region_json, found))
    return render.region_lines(process, found, form.width, form.palette)


def locks(process: "Process", form: Form) -> Iterable[str]:
    """What threads wait for one another's turn at."""
    from ompdbg.model.locks import locks as find
    from ompdbg.render import locks as render

    found = find(process)
    if form.as_json:
        from ompdbg.render import json

        return json.lines("locks", map(render.lock_json, found))
    return render.lock_table(process, found, form.width, form.palette)


# ---- What OMPT answers ----------------------------------------------------------------------


def thread_info(threads: "List[Thread]", form: Form) -> Iterable[str]:
    """What ompt_get_state() and others would answer in these threads."""
    from ompdbg.model import inquiries
    from ompdbg.render import inquiries as render

    return _inquiries([inquiries.of_thread(one) for one in threads], render.THREAD, form)


def task_info(threads: "List[Thread]", form: Form, level: Optional[int]) -> Iterable[str]:
    """What ompt_get_task_info() would answer in these threads; at all levels, if none is given."""
    from ompdbg.model import inquiries
    from ompdbg.render import inquiries as render

    found = [found for one in threads for found in inquiries.of_tasks(one, level)]
    return _inquiries(found, render.TASK, form)


def parallel_info(threads: "List[Thread]", form: Form, level: Optional[int]) -> Iterable[str]:
    """What ompt_get_parallel_info() would answer in these threads; likewise."""
    from ompdbg.model import inquiries
    from ompdbg.render import inquiries as render

    found = [found for one in threads for found in inquiries.of_regions(one, level)]
    return _inquiries(found, render.REGION, form)


def _inquiries(found: "List[Inquiry]", titles: Dict[str, str], form: Form) -> Iterable[str]:
    from ompdbg.render import inquiries as render
    from ompdbg.render import json

    if form.as_json:
        return json.lines("inquiries", map(render.inquiry_json, found))
    return render.inquiry_lines(found, titles, form.width, form.palette)


# ---- Control variables ----------------------------------------------------------------------


def icvs(threads: "List[Thread]", form: Form, scope: Optional[str] = None) -> Iterable[str]:
    """The control variables of these threads. `scope`: only those."""
    from ompdbg.model import icvs as model
    from ompdbg.render import icvs as render

    rows = render.merged((thread, model.icvs(thread)) for thread in threads)
    if scope is not None:
        rows = [row for row in rows if row[0].scope == scope]
    if form.as_json:
        from ompdbg.render import json

        return json.lines("icvs", map(render.icv_json, rows))
    return render.icv_table(rows, len(threads), form.width, form.palette)


def environment(process: "Process", form: Form, all_of_them: bool = False) -> Iterator[str]:
    """The variables that steer the runtimes; `all_of_them`: also those without a value."""
    from ompdbg.model import icvs as model
    from ompdbg.model.process import by_runtime
    from ompdbg.render import icvs as render

    found = {name: model.control_variables(r) for name, r in by_runtime(process).items()}
    if form.as_json:
        from ompdbg.render import json

        yield from json.document(environment=render.environment_json(found))
        return
    for name, variables in found.items():
        if process.has_several:
            yield f"-- {name} --"
        yield from render.env_table(variables, all_of_them, form.width, form.palette)


# ---- Why it does not go on ------------------------------------------------------------------


class Diagnosed(NamedTuple):
    """What was found, and for whom a thread waits, if one was named."""

    waiting: "Waiting"
    findings: "List[Finding]"
    chain: "List[Thread]"


def diagnosed(process: "Process", thread: "Optional[Thread]" = None) -> Diagnosed:
    """Why the process does not go on, or one of its threads."""
    from ompdbg.model import diagnosis
    from ompdbg.model.waiting import Waiting

    waiting = Waiting(process)
    findings = diagnosis.diagnose(waiting)
    if thread is None:
        return Diagnosed(waiting, findings, [])
    chain = diagnosis.of_thread(waiting, thread)
    told = [one for one in findings if any(waiter in chain for waiter in one.waiters)]
    return Diagnosed(waiting, told, chain)


def why(found: Diagnosed, form: Form) -> Iterator[str]:
    """The same in words."""
    from ompdbg.render import why as render

    waiting, findings, chain = found
    if form.as_json:
        from ompdbg.render import json
        from ompdbg.render.why_json import finding_json

        rows = (finding_json(waiting, finding) for finding in findings)
        yield from json.lines("findings", rows)
        return
    if chain:
        yield from render.chain_lines(waiting, chain, form.width, form.palette)
    if findings or not chain:
        yield from render.why_lines(waiting, findings, form.width, form.palette)
