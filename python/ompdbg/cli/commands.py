# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of `ompdbg`: one row each."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Callable, Iterable, NamedTuple

from ompdbg import views
from ompdbg.commands import choice

if TYPE_CHECKING:
    from ompdbg.model.process import Process


_CHOICE = (choice.STATE, choice.TEAM, choice.LEVEL, choice.NUMBERS)


class Command(NamedTuple):
    """A command that looks at one process."""

    name: str
    summary: str
    add_options: Callable[[argparse.ArgumentParser], None]
    lines: "Callable[[Process, argparse.Namespace, views.Form], Iterable[str]]"


def _no_options(parser: argparse.ArgumentParser) -> None:
    pass


# ---- threads --------------------------------------------------------------------------------


def _threads_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--state", metavar="STATE", help="only threads in that state")
    parser.add_argument("--team", metavar="TEAM", help="only threads of that team")
    parser.add_argument("--level", metavar="LEVEL", help="only threads on that level")
    parser.add_argument("--num", metavar="NUMBERS", help="only threads with these numbers: 0,4-7")


def _threads(process: "Process", arguments: argparse.Namespace, form: views.Form) -> Iterable[str]:
    given = {option.name: getattr(arguments, option.name[1:]) for option in _CHOICE}
    options = {name: value for name, value in given.items() if value is not None}
    return views.threads(process, choice.chosen(process, options), form)


# ---- tasks ----------------------------------------------------------------------------------


def _tasks_options(parser: argparse.ArgumentParser) -> None:
    view = parser.add_mutually_exclusive_group()
    view.add_argument("--queued", action="store_true", help="only tasks that have not begun")
    view.add_argument("--by-function", action="store_true", help="how many there are of each")


def _tasks(process: "Process", arguments: argparse.Namespace, form: views.Form) -> Iterable[str]:
    if arguments.by_function:
        return views.tasks_by_function(process, form)
    return views.tasks(process, form, arguments.queued)


# ---- bt -------------------------------------------------------------------------------------


def _bt_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--raw", action="store_true", help="frames of the runtime and of libraries, too"
    )
    parser.add_argument(
        "--limit", type=int, metavar="COUNT", help="only that many innermost frames"
    )
    parser.add_argument(
        "--thread", type=int, metavar="NUMBER", help="only that thread, by its number or LWP"
    )


def _bt(process: "Process", arguments: argparse.Namespace, form: views.Form) -> Iterable[str]:
    threads = process.threads
    if arguments.thread is not None:
        wanted = arguments.thread
        threads = [t for t in threads if wanted in (t.target.number, t.target.lwp)][:1]
        if not threads:
            raise choice.NoSuch(f"no thread {wanted}.")
    return views.stacks(process, threads, form, arguments.raw, limit=arguments.limit)


# ---- status ---------------------------------------------------------------------------------


def _status(process: "Process", arguments: argparse.Namespace, form: views.Form) -> Iterable[str]:
    return views.status(process, form)


COMMANDS = (
    Command("threads", "every thread and what it waits for", _threads_options, _threads),
    Command("tasks", "the tasks of every team", _tasks_options, _tasks),
    Command("bt", "how every thread got where it is", _bt_options, _bt),
    Command("status", "the OpenMP runtime, and how well it is known", _no_options, _status),
)
