# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands that show one side of a core file or process: the same as in GDB."""

from __future__ import annotations

import argparse
from itertools import chain, islice
from typing import TYPE_CHECKING, Callable, Iterable, List, NamedTuple, Optional

from ompdbg import views
from ompdbg.cli import terminal
from ompdbg.cli.command import Command, Context, add_place
from ompdbg.cli.exits import Exit, Failed
from ompdbg.cli.looking import Looked, Place, looked_at
from ompdbg.cli.spool import STANDARD_OUTPUT, Spool
from ompdbg.commands import choice
from ompdbg.number import number_in

if TYPE_CHECKING:
    from ompdbg.model.process import Process
    from ompdbg.model.thread import Thread

_CHOICE = (choice.STATE, choice.TEAM, choice.LEVEL, choice.NUMBERS)
_SCOPES = ("process", "thread", "region", "task")


class View(NamedTuple):
    """What is printed."""

    lines: Iterable[str]
    is_suspicious: bool = False


_Show = Callable[["Process", argparse.Namespace, views.Form], View]


def _no_options(parser: argparse.ArgumentParser) -> None:
    pass


def _add_thread(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--thread", type=int, metavar="NUMBER", help="only that thread, by its number or LWP"
    )


def _threads_named(process: "Process", arguments: argparse.Namespace) -> "List[Thread]":
    """All of them, or the one that was named."""
    wanted = arguments.thread
    if wanted is None:
        return process.threads
    found = [t for t in process.threads if wanted in (t.target.number, t.target.lwp)][:1]
    if not found:
        raise choice.NoSuch(f"no thread {wanted}")
    return found


# ---- What each shows ------------------------------------------------------------------------


def _threads_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", metavar="STATE", help="only threads in that state")
    parser.add_argument("--team", metavar="TEAM", help="only threads of that team")
    parser.add_argument("--level", metavar="LEVEL", help="only threads on that level")
    parser.add_argument("--num", metavar="NUMBERS", help="only threads with these numbers: 0,4-7")


def _threads(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    given = {option.name: getattr(arguments, option.name[1:]) for option in _CHOICE}
    options = {name: value for name, value in given.items() if value is not None}
    return View(views.threads(process, choice.chosen(process, options), form))


def _tasks_options(parser: argparse.ArgumentParser) -> None:
    view = parser.add_mutually_exclusive_group()
    view.add_argument("--queued", action="store_true", help="only tasks that have not begun")
    view.add_argument("--by-function", action="store_true", help="how many there are of each")


def _tasks(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    if arguments.by_function:
        return View(views.tasks_by_function(process, form))
    return View(views.tasks(process, form, arguments.queued))


def _bt_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--raw", action="store_true", help="frames of the runtime and of libraries, too"
    )
    parser.add_argument(
        "--limit", type=int, metavar="COUNT", help="only that many innermost frames"
    )
    parser.add_argument("--full", action="store_true", help="local variables, too")
    _add_thread(parser)


def _bt(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    threads = _threads_named(process, arguments)
    raw, full, limit = arguments.raw, arguments.full, arguments.limit
    return View(views.stacks(process, threads, form, raw, full, limit))


def _regions(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    return View(views.regions(process, form))


def _icvs_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scope", choices=_SCOPES, help="only those of the process, thread, ...")
    _add_thread(parser)


def _icvs(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    return View(views.icvs(_openmp_threads(process, arguments), form, arguments.scope))


def _openmp_threads(process: "Process", arguments: argparse.Namespace) -> "List[Thread]":
    threads = _threads_named(process, arguments)
    found = [thread for thread in threads if thread.handle is not None]
    if not found:
        from ompdbg.model.thread import why_no_openmp

        unread = next((thread.error for thread in threads if thread.error is not None), None)
        if unread is not None:
            raise Failed(Exit.UNREADABLE, unread)
        raise choice.NoSuch(why_no_openmp(threads, arguments.thread is None))
    return found


def _env_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--all", action="store_true", help="those too that have no value")


def _env(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    return View(views.environment(process, form, arguments.all))


def _locks(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    return View(views.locks(process, form))


def _why(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    from ompdbg.model.severity import is_suspicious

    thread = None if arguments.thread is None else _threads_named(process, arguments)[0]
    found = views.diagnosed(process, thread)
    return View(views.why(found, form), is_suspicious(found.waiting, found.findings))


def _crash(looked: Looked, form: views.Form) -> View:
    """Of a core file: the signal that has ended the program, if it did."""
    from ompdbg.report import crash
    from ompdbg.report.core_notes import core_end

    if looked.core is None:
        return View(())
    end = core_end(looked.core)
    found = crash.of_core(looked.process, end)
    if found is None:
        return View(())
    told = crash.crash_json(looked.process, found, end.process)
    own = () if form.as_json else crash.lines(looked.process, found, end.process, form.width)
    return View(own, crash.is_own(told))


def _thread_info(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    return View(views.thread_info(_openmp_threads(process, arguments), form))


def _level(arguments: argparse.Namespace) -> Optional[int]:
    text: Optional[str] = arguments.level
    level = None if text is None else number_in(text)
    if text is not None and level is None:
        raise choice.NoSuch(f'invalid level "{text}" (expected 0, 1, ...)')
    return level


def _level_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--level", metavar="LEVEL", help="only that one: 0 is the innermost")
    _add_thread(parser)


def _task_info(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    return View(views.task_info(_openmp_threads(process, arguments), form, _level(arguments)))


def _parallel_info(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    return View(views.parallel_info(_openmp_threads(process, arguments), form, _level(arguments)))


def _status(process: "Process", arguments: argparse.Namespace, form: views.Form) -> View:
    return View(views.status(process, form))


# ---- The commands ---------------------------------------------------------------------------


def _command(
    name: str,
    summary: str,
    description: str,
    add_options: Callable[[argparse.ArgumentParser], None],
    show: _Show,
) -> Command:
    def add_all(parser: argparse.ArgumentParser) -> None:
        add_place(parser)
        add_options(parser)
        parser.add_argument("--json", action="store_true", help='print JSON, schema "ompdbg/1"')

    def run(arguments: argparse.Namespace, context: Context) -> int:
        return _run(show, arguments, context)

    return Command(name, summary, description, add_all, run)


def _run(show: _Show, arguments: argparse.Namespace, context: Context) -> int:
    from ompdbg.target_services.opening import is_process

    is_detailed = getattr(arguments, "raw", False)
    place = Place(arguments.target, context.libompd, arguments.exe, arguments.sysroot, is_detailed)
    with Spool(is_process(place.name)) as spool, looked_at(place) as looked:
        try:
            form = terminal.form(arguments.json)
            view = show(looked.process, arguments, form)
        except choice.NoSuch as error:
            raise Failed(Exit.USAGE, str(error)) from None
        lines = iter(view.lines)
        first = list(islice(lines, 1))  # if even that fails, one line tells it all
        crash = _crash(looked, form) if show is _why else View(())
        spool.warn(looked.problems)
        spool.write(STANDARD_OUTPUT, terminal.lines(chain(crash.lines, first, lines)))
    return Exit.FOUND if view.is_suspicious or crash.is_suspicious else Exit.FINE


COMMANDS = (
    _command(
        "threads",
        "every thread and what it waits for",
        """\
One row for each thread: its number, its number in its team, the team, its state
or what it waits for, the kind of its task, and where it is.

Team 1.2 was formed by thread 2 of team 1. A "?" is what nobody knows.""",
        _threads_options,
        _threads,
    ),
    _command(
        "tasks",
        "the tasks of every team",
        """\
The tasks of each team as a tree, below those that created them: what they are
doing, their dependences, and for how many tasks they wait. Of many tasks alike
a few are shown, and the number of the others.""",
        _tasks_options,
        _tasks,
    ),
    _command(
        "bt",
        "how every thread got where it is",
        """\
The stacks of all threads in terms of source, without the frames of the runtime.
The stack of a thread in a parallel region goes on in the thread that met the
region, up to main. Threads of a team with the same stack are told together,
without arguments, unless with --full.""",
        _bt_options,
        _bt,
    ),
    _command(
        "regions",
        "the parallel regions, and how far their threads have come",
        """\
The tree of parallel regions: where each was opened, what its threads do and
where, and how many of them have come to its barrier.""",
        _no_options,
        _regions,
    ),
    _command(
        "icvs",
        "control variables by scope",
        """\
The control variables of all threads: each value, and which threads have it.
"Initially" is the value with which the program began, where it is another one
and is known; "Environment" the variable that gives it, as it was set.""",
        _icvs_options,
        _icvs,
    ),
    _command(
        "env",
        "environment variables of the runtime",
        """\
The environment variables that steer the runtime. "Value" is what the runtime
made of it, or, where it does not keep that, what it was set to; "Set to" what
the program's environment had when it started, where that is something else.""",
        _env_options,
        _env,
    ),
    _command(
        "locks",
        "locks and critical constructs, who holds them and who waits",
        """\
Locks, critical and ordered regions that threads wait for. The owner is what the
runtime records; a "?" tells that it was inferred from the threads' code.""",
        _no_options,
        _locks,
    ),
    _command(
        "why",
        "why the program does not go on",
        """\
Who waits for whom: deadlocks, threads that fork() has left behind, threads of
a team at different barriers, locks and who holds them, tasks that are not done,
events that nobody has fulfilled, and barriers to which not all threads have
come. A program that runs well has such waits too at any moment; only deadlocks,
threads left behind, different barriers, locks of threads that have ended, and
endless loops can never end.

Of a core file, the signal that has ended the program comes first.

The exit status is 1 if a signal has ended the program, or if there is a wait
that cannot end, or one for threads that sleep.""",
        _add_thread,
        _why,
    ),
    _command(
        "thread-info",
        "what OMPT says about threads",
        """\
State and what the thread waits for, as the runtime records them; what a tool
stored for it; the place that it is bound to, the places of its partition, and
the processor on which it last ran.""",
        _add_thread,
        _thread_info,
    ),
    _command(
        "task-info",
        "what OMPT says about the tasks of threads",
        """\
Of each task that a thread executes, and of those below it: its type, the number
of its thread, what a tool stored for it and for its region, its frames, and of
the innermost its memory.""",
        _level_options,
        _task_info,
    ),
    _command(
        "parallel-info",
        "what OMPT says about the regions of threads",
        """\
Of each region that a thread is in, from within: how many threads its team has,
and what a tool stored for it.""",
        _level_options,
        _parallel_info,
    ),
    _command(
        "status",
        "the OpenMP runtime, and how well it is known",
        """\
The OpenMP runtimes of the program, how their structures are known, and what
cannot be told, with the reason.""",
        _no_options,
        _status,
    ),
)
