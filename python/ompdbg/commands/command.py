# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all commands have in common."""

from __future__ import annotations

import textwrap
from typing import Any, Callable, ClassVar, Dict, List, NoReturn, Optional, Sequence

import _ompdbg
import gdb

from ompdbg.commands import options
from ompdbg.commands.options import Arguments, Option
from ompdbg.console import encoding
from ompdbg.console.output import printed

_CUT = "*** List may be truncated"
_LEAST_WIDTH = 28
# Options that libompdbg's views have, too.
_OF_VIEWS = ("all", "by_function", "full", "json", "queued", "raw", "state", "team")
_WITH_FRAMES = ("stacks", "frame")


class OmpCommand(gdb.Command):
    """A command with options, run on the selected program. Its docstring is its help."""

    name = ""
    view = ""  # of libompdbg; by default it is called as the command
    options: Sequence[Option] = ()
    positional = 0
    keeps_selection = True  # of thread and frame
    made: ClassVar[Dict[str, OmpCommand]] = {}  # by name

    def __init__(self) -> None:
        self.made[self.name] = self
        dedent(self)
        super().__init__(self.name, gdb.COMMAND_STATUS)  # a completer class would hide complete()

    def check(self, arguments: Arguments) -> None:
        """Raise options.Wrong for a command line that makes no sense."""

    def run(self, arguments: Arguments) -> None:
        """Do what the command is for."""
        self.show(arguments)

    def invoke(self, argument: str, from_tty: bool) -> None:
        self._invoke(gdb.string_to_argv(argument), encoding.put)

    def document(self, words: Sequence[str]) -> str:
        """Return the JSON that the command prints with these words."""
        said: List[str] = []
        self._invoke(["-json", *words], said.append)
        return "".join(said)

    def _invoke(self, words: Sequence[str], write_text: Callable[[str], object]) -> None:
        try:
            arguments = options.parse(self.name, self.options, words, self.positional)
            arguments = arguments._replace(write_text=write_text)
            self.check(arguments)
        except options.Wrong as error:
            raise encoding.failure(str(error)) from None
        from ompdbg.inferior import session

        with session.guarded(self.name, self.keeps_selection):
            self.run(arguments)

    def fail(self, reason: str) -> NoReturn:
        """End the command with one line."""
        raise encoding.failure(f"{self.name}: {reason}")

    def complete(self, text: str, word: Optional[str]) -> List[str]:
        # Without a word GDB asks where words break.
        return [] if word is None else options.complete(self.options, text, word)

    def program(self) -> _ompdbg.Process:
        """Return the selected program as libompdbg understands it."""
        from ompdbg.inferior import session

        return session.program(self.name)

    def thread_number(self, arguments: Arguments) -> int:
        """Return the number of the thread that the argument names, or 0."""
        for label in arguments.positional:
            for thread in self.program().threads():
                if label in (thread.label, str(thread.number)):
                    return thread.number
            self.fail(f'no thread "{label}".')
        return 0

    def show(self, arguments: Arguments, **more: Any) -> None:
        """Print the command's view of the selected program."""
        for name, value in arguments.options.items():
            option = name[1:].replace("-", "_")
            if option in _OF_VIEWS:
                more.setdefault(option, value or True)
        view = self.view or self.name.partition(" ")[2]
        print_view(self.program(), view, arguments.write_text, **more)


class Applying(OmpCommand):
    """A command of which the rest of the line after the options is one argument, as it is."""

    positional = 1
    applied = ""  # command of GDB whose argument that is, for completion

    def invoke(self, argument: str, from_tty: bool) -> None:
        words, rest = options.split(self.options, argument)
        self._invoke([*words, options.END, rest] if rest else words, encoding.put)

    def complete(self, text: str, word: Optional[str]) -> List[str]:
        _, rest = options.split(self.options, text)
        if word is None or not rest:
            return super().complete(text, word)
        blanks = len(text) - len(text.rstrip())
        return completed(self.applied + rest + " " * blanks, word)


def print_view(
    program: _ompdbg.Process, view: str, write_text: Callable[[str], object], **more: Any
) -> None:
    """Print what libompdbg shows, as GDB's settings have it."""
    from ompdbg.inferior import session

    width, palette = terminal_width(), None
    if width is not None:
        from ompdbg.console import styles

        palette = styles.sequences()
    program.print(
        view,
        write_text,
        width=max(width or 0, 0),
        palette=palette,
        addresses=view in _WITH_FRAMES and bool(gdb.parameter("print address")),
        signal=session.signal(),
        **more,
    )


def dedent(command: object) -> None:
    """Take the indentation out of a docstring, which is a help text; GDB does so since 14."""
    kind = type(command)
    kind.__doc__ = (kind.__doc__ or "").replace("\n    ", "\n")


def why_not_openmp(thread: Optional[_ompdbg.Thread]) -> str:
    """Return why OpenMP knows nothing of the selected thread."""
    if thread is None:
        return "no thread is selected"
    if thread.error is not None:
        return f"cannot read thread {thread.label}: {thread.error}"
    return f"thread {thread.label} is {'running' if thread.is_running else 'no OpenMP thread'}"


def wrapped(text: str, first: str = "", others: str = "  ") -> str:
    """Return a text in lines for the terminal, with what each begins with."""
    width = terminal_width()
    if width is None:
        return f"{first}{text}\n"
    lines = textwrap.wrap(
        text,
        max(width, _LEAST_WIDTH),
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) + "\n"


def terminal_width() -> Optional[int]:
    """Return how many columns a line may have; None for any number. The last column of the
    terminal stays free: in the TUI an empty line would follow."""
    width = gdb.parameter("width")
    return int(width) - 1 if width else None


def completed(line: str, word: str) -> List[str]:
    """Return what GDB completes a command line with. `word`: what of it is replaced."""
    told = filter(encoding.is_printable, printed("complete " + line).split("\n"))
    kept = line[: len(line) - len(word)]
    return [one[len(kept) :] for one in told if one.startswith(kept) and _CUT not in one]
