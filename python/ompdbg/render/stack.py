# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logical stacks as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Callable, List, NamedTuple, Optional, Sequence

from ompdbg import frames
from ompdbg.frames import base_name
from ompdbg.model.stack_groups import ranges
from ompdbg.render.palette import ADDRESS, FILE, FUNCTION, METADATA, PLAIN, VARIABLE, Palette

if TYPE_CHECKING:
    from ompdbg.model.constructs import LogicalFrame
    from ompdbg.model.stack import LogicalStack, Part
    from ompdbg.model.stack_groups import Group
    from ompdbg.model.thread import Thread
    from ompdbg.services import Frame, Variable

_SIGNAL = "<signal handler called>"
_INDENT = 3  # of what a heading continues with


class Options(NamedTuple):
    """What of a stack is shown."""

    raw: bool = False  # frames of runtime and libraries too
    limit: Optional[int] = None  # number of frames
    arguments: Optional[Callable[["Part", "LogicalFrame"], List["Variable"]]] = None
    variables: Optional[Callable[["Part", "LogicalFrame"], List["Variable"]]] = None
    palette: Palette = PLAIN
    width: Optional[int] = None  # of headings; None: as long as they are
    addresses: bool = True  # with raw


def shown_parts(stack: "LogicalStack", options: Options) -> "List[Part]":
    """The parts of a stack with the frames that are shown."""
    left = options.limit
    parts: List["Part"] = []
    for part in stack.parts:
        kept = [f for f in part.frames if options.raw or f.kind == frames.USER]
        if left is not None:
            if left <= 0:
                break
            kept = kept[:left]
            left -= len(kept)
        parts.append(part._replace(frames=kept))
    return parts


def group_lines(group: "Group", options: Options) -> List[str]:
    """The stack that several threads have. Arguments may differ, and are left out."""
    if group.stack is None:
        first = f"-- {_threads(group.threads)}: running --"
        return [options.palette.paint(METADATA, line) for line in _broken(first, options.width)]
    if len(group.threads) == 1:
        return stack_lines(group.stack, options)
    return stack_lines(group.stack, options, group.threads)


def stack_lines(
    stack: "LogicalStack", options: Options, threads: "Sequence[Thread]" = ()
) -> List[str]:
    """The stack, each part under the thread that it lies on. `threads`: those that have it, where
    there are several."""
    lines: List[str] = []
    parts = shown_parts(stack, options)
    shown = sum(len(part.frames) for part in parts)
    for part in parts:
        told = group_heading(part, threads) if threads and part is parts[0] else heading(part)
        lines.extend(options.palette.paint(METADATA, one) for one in _broken(told, options.width))
        if not part.frames:
            lines.append("no user frame")
        for frame in part.frames:
            is_alike = bool(threads) and part is parts[0]
            lines.append(frame_line(part, frame, options, is_alike))
            lines.extend(_variables(part, frame, options))
    total = sum(len(part.frames) for part in shown_parts(stack, options._replace(limit=None)))
    if shown < total:
        lines.append("(More stack frames follow...)")
    elif stack.note is not None:
        lines.append(f"(The stack ends here: {stack.note}.)")
    return lines


def heading(part: "Part") -> str:
    """`-- thread 3: OpenMP thread 2 of 4, team 1.0, level 2 --`."""
    words = f"thread {part.thread.target.label}"
    if part.team is not None and part.team.level and part.thread_num is not None:
        size = "?" if part.team.size is None else part.team.size
        words += f": OpenMP thread {part.thread_num} of {size}"
        words += f", team {part.team.label}, level {part.team.level}"
    elif part.team is not None:
        words += ": outside of parallel regions"
    elif part.thread.is_helper:
        words += ": hidden helper thread"
    elif part.thread.openmp is False:
        words += ": no OpenMP thread"
    elif part.thread.wait is not None:
        words += f": {part.thread.wait.title}"
    return f"-- {words} --"


def group_heading(part: "Part", threads: "Sequence[Thread]") -> str:
    """`-- threads 2-64: OpenMP threads 1-63 of 64, team 1, level 1 --`."""
    words = _threads(threads)
    if part.team is not None and part.team.level:
        size = "?" if part.team.size is None else part.team.size
        known = [thread.thread_num for thread in threads if thread.thread_num is not None]
        words += f": OpenMP threads {ranges(known)} of {size}"
        words += f", team {part.team.label}, level {part.team.level}"
    elif part.team is not None:
        words += ": outside of parallel regions"
    elif part.thread.is_helper:
        words += ": hidden helper threads"
    elif part.thread.openmp is False:
        words += ": no OpenMP threads"
    elif part.thread.wait is not None:
        words += f": {part.thread.wait.title}"
    return f"-- {words} --"


def _threads(threads: "Sequence[Thread]") -> str:
    """`threads 2-64`; with several inferiors `threads 1.2-64`."""
    label, number = threads[0].target.label, threads[0].target.number
    inferior = label[: -len(str(number))]
    noun = "thread" if len(threads) == 1 else "threads"
    return f"{noun} {inferior}{ranges(thread.target.number for thread in threads)}"


def _broken(line: str, width: Optional[int]) -> List[str]:
    """A line that is too long is broken behind commas."""
    lines = [line]
    while width is not None and len(lines[-1]) > width:
        end = lines[-1].rfind(",", 0, width) + 1
        if end <= _INDENT:
            break
        lines[-1:] = [lines[-1][:end], " " * _INDENT + lines[-1][end:].lstrip()]
    return lines


def frame_line(
    part: "Part", item: "LogicalFrame", options: Options, is_alike: bool = False
) -> str:
    """`#2  parallel region of solve at hung.c:71, line 84`. `is_alike`: it stands for frames of
    several threads, whose arguments may differ."""
    frame = item.frame
    number = f"#{frame.level}".ljust(4)
    if frame.is_signal:
        return f"{number}{_SIGNAL}"
    palette = options.palette
    address = ""
    if options.raw and options.addresses and not frame.is_inlined:
        address = palette.paint(ADDRESS, f"{frame.pc:#018x}") + " in "
    if item.construct is not None:
        return f"{number}{address}{_construct(part, item, palette)}"
    function = item.function
    if function is None and not options.raw:
        return f"{number}{palette.place(_bare(part, frame))}"
    function = palette.paint(FUNCTION, function or "??")
    text = f"{number}{address}{function} ({_arguments(part, item, options, is_alike)})"
    if frame.file is not None and frame.line is not None:
        return f"{text} at {palette.paint(FILE, base_name(frame.file))}:{frame.line}"
    if frame.object_file is not None:
        return f"{text} from {palette.paint(FILE, base_name(frame.object_file))}"
    return text


def _bare(part: "Part", frame: "Frame") -> str:
    """What a frame without any symbol is called."""
    return f"{frame.pc:#x} in {base_name(frame.object_file or part.program)}"


def _construct(part: "Part", item: "LogicalFrame", palette: Palette) -> str:
    """`parallel region of main at x.c:17, line 19`."""
    frame = item.frame
    begin = None if frame.start is None else f"{frame.start:#x}"
    text = f"{item.construct} of {palette.place(item.function or begin or _bare(part, frame))}"
    if item.construct_file is not None and item.construct_line is not None:
        file = palette.paint(FILE, base_name(item.construct_file))
        text += f" at {file}:{item.construct_line}"
    if frame.function is None and (item.function or begin):
        return f"{text}, at {palette.place(_bare(part, frame))}"
    if frame.file is None or frame.line is None:
        return text
    if frame.file == item.construct_file:
        return f"{text}, line {frame.line}"
    return f"{text}, at {palette.paint(FILE, base_name(frame.file))}:{frame.line}"


def _arguments(part: "Part", item: "LogicalFrame", options: Options, is_alike: bool) -> str:
    if options.arguments is None or item.kind != frames.USER:
        return ""
    found = options.arguments(part, item)
    if found and is_alike:
        return "..."
    paint = options.palette.paint
    return ", ".join(
        f"{paint(VARIABLE, one.name)}={one.value}" if one.name else one.value for one in found
    )


def _variables(part: "Part", item: "LogicalFrame", options: Options) -> List[str]:
    if options.variables is None or item.frame.is_signal or item.kind != frames.USER:
        return []
    found = options.variables(part, item)
    if not found:
        return ["        No locals."]
    return [
        f"        {options.palette.paint(VARIABLE, variable.name)} = {line}"
        if not index
        else f"        {line}"
        for variable in found
        for index, line in enumerate(variable.value.split("\n"))
    ]
