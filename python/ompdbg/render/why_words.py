# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a diagnosis calls threads, locks and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence

from ompdbg.model.mutexes import KIND
from ompdbg.render.numbers import ranges

if TYPE_CHECKING:
    from ompdbg.model.locks import Lock
    from ompdbg.model.task import Task
    from ompdbg.model.thread import Thread


def label_text(thread: "Thread") -> str:
    """As the debugger calls it."""
    return thread.target.label


def threads_text(threads: "Sequence[Thread]") -> str:
    """`threads 1, 3-4`"""
    labels = [thread.target.label for thread in threads]
    noun = "thread" if len(labels) == 1 else "threads"
    if all(label.isdigit() for label in labels):
        return f"{noun} {ranges(map(int, labels))}"
    return f"{noun} {', '.join(labels)}"


def kind_text(lock: "Optional[Lock]") -> str:
    """`nest lock`"""
    if lock is None:
        return "lock"
    return {"nest_lock": "nest lock", "mutex": "lock or critical", KIND: "mutex"}.get(
        lock.kind, lock.kind
    )


def name_text(lock: "Lock") -> str:
    """At the begin of a sentence."""
    return lock.title[:1].upper() + lock.title[1:]


def task_text(task: "Optional[Task]") -> str:
    """By the place of its construct."""
    if task is None or task.function is None:
        return "a task"
    return f"task of {task.function.place}"
