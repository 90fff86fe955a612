# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stacks of many threads, the same one told once.

The threads of a team mostly wait in the same place. Two stacks are the same if the threads are of
one team, and all frames are at the same places and go on in the same threads.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, Dict, Hashable, Iterable, List, NamedTuple, Optional

if TYPE_CHECKING:
    from ompdbg.model.stack import LogicalStack, Part
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame


class Group(NamedTuple):
    """Threads with the same stack."""

    threads: "List[Thread]"
    stack: "Optional[LogicalStack]"  # that of the first thread; None: the threads are running


def grouped(
    threads: "Iterable[Thread]",
    stack_of: "Callable[[Thread], LogicalStack]",
    shown: "Callable[[LogicalStack], List[Part]]",
    place_of: "Callable[[Frame], Hashable]" = lambda frame: frame.pc,
) -> List[Group]:
    """The stacks of threads, in the order of the first thread of each. `shown`: the parts of a
    stack that count. `place_of`: what is the same for frames at the same place."""
    groups: Dict[Hashable, Group] = {}
    alike: Dict[Hashable, Group] = {}
    for thread in threads:
        if thread.target.running:
            groups.setdefault(None, Group([], None)).threads.append(thread)
            continue
        place = _place(thread)
        if place in alike:
            alike[place].threads.append(thread)
            continue
        stack = stack_of(thread)
        key = _key(stack, shown(stack), place_of)
        group = groups.setdefault(key, Group([], stack))
        group.threads.append(thread)
        if place is not None:
            alike[place] = group
    return list(groups.values())


def _place(thread: "Thread") -> Hashable:
    """What tells, before anything is unwound, that stacks are the same: where the threads are and
    where they return to, and their teams. None: nothing does."""
    runtime = thread.runtime
    chain = runtime.services.whole_stack_key(thread.target)
    if chain is None:
        return None
    views = [thread] if runtime.process is None else runtime.process.views(thread)
    teams = tuple(None if view.team is None else view.team.id for view in views)
    # What a thread outside of teams waits for is told with its stack.
    return None if all(team is None for team in teams) else (chain, id(runtime), teams)


def line_of(frame: "Frame") -> Hashable:
    """Frames are at the same place if they are in the same line of the same function."""
    return frame.pc if frame.line is None else (frame.function, frame.file, frame.line)


def _key(
    stack: "LogicalStack", parts: "List[Part]", place_of: "Callable[[Frame], Hashable]"
) -> Hashable:
    thread = stack.parts[0].thread
    told = tuple(
        (
            0 if index == 0 else part.thread.target.number,
            None if part.team is None else part.team.id,
            tuple(
                (item.frame.level, place_of(item.frame), item.construct) for item in part.frames
            ),
        )
        for index, part in enumerate(parts)
    )
    wait = None if thread.team is not None or thread.wait is None else thread.wait.title
    return id(thread.runtime), thread.openmp, wait, told, stack.note


def ranges(numbers: Iterable[int]) -> str:
    """`1-3,5`."""
    found: List[List[int]] = []
    for number in sorted(numbers):
        if found and found[-1][1] + 1 == number:
            found[-1][1] = number
        else:
            found.append([number, number])
    return ",".join(str(low) if low == high else f"{low}-{high}" for low, high in found)
