# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all commands have in common."""

from __future__ import annotations

import textwrap
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    ClassVar,
    Dict,
    Iterable,
    List,
    NoReturn,
    Optional,
    Sequence,
)

import gdb

from ompdbg.commands import options
from ompdbg.console import encoding
from ompdbg.console.output import printed
from ompdbg.text import STYLE, shown, visible

if TYPE_CHECKING:
    import _ompdbg

    from ompdbg.commands.options import Arguments, Option


_CUT = "*** List may be truncated"
_LINES_AT_ONCE = 32
_LEAST_WIDTH = 28


class OmpCommand(gdb.Command):
    """A command with options, run on the selected program. Its docstring is its help."""

    name = ""
    options: "Sequence[Option]" = ()
    positional = 0
    keeps_selection = True  # of thread and frame
    made: "ClassVar[Dict[str, OmpCommand]]" = {}  # by name

    def __init__(self) -> None:
        self.made[self.name] = self
        dedent(self)
        super().__init__(self.name, gdb.COMMAND_STATUS)  # a completer class would hide complete()

    def run(self, arguments: "Arguments") -> None:
        """What the command does."""
        raise NotImplementedError

    def invoke(self, argument: str, from_tty: bool) -> None:
        """Called by GDB."""
        self._invoke(gdb.string_to_argv(argument), put_text)

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

    def check(self, arguments: "Arguments") -> None:
        """Raises options.Wrong for a command line that makes no sense."""

    def fail(self, reason: str) -> NoReturn:
        """Ends the command with one line."""
        raise encoding.failure(f"{self.name}: {reason}")

    def complete(self, text: str, word: Optional[str]) -> List[str]:
        """Called by GDB, also without a word to ask where words break."""
        return [] if word is None else options.complete(self.options, text, word)

    def program(self) -> "_ompdbg.Process":
        """The selected program as libompdbg understands it."""
        from ompdbg.inferior import session

        return session.program(self.name)

    def thread(self, label: str) -> int:
        """The number of the thread that a user means."""
        for thread in self.program().threads():
            if label in (thread.label, str(thread.number)):
                return thread.number
        self.fail(f'no thread "{label}".')

    def show(self, view: str, arguments: "Arguments", **options: Any) -> None:
        """Prints what libompdbg shows of the selected program."""
        json = arguments.has("-json")
        print_view(self.program(), view, arguments.write_text, json=json, **options)


def print_view(
    program: "_ompdbg.Process", view: str, write_text: Callable[[str], object], **options: Any
) -> None:
    """Print what libompdbg shows, as GDB's settings have it."""
    from ompdbg.console import styles
    from ompdbg.inferior import session

    program.print(
        view,
        write_text,
        width=max(terminal_width() or 0, 0),
        palette=styles.sequences(),
        addresses=bool(gdb.parameter("print address")),
        signal=session.signal(),
        **options,
    )


def printed_view(program: "_ompdbg.Process", view: str, **options: Any) -> str:
    """Return the same, as lines for write()."""
    found: List[str] = []
    print_view(program, view, found.append, **options)
    return "".join(found).replace("\033", STYLE)


def dedent(command: object) -> None:
    """Takes the indentation out of a docstring, which is a help text; GDB does so since 14."""
    kind = type(command)
    kind.__doc__ = (kind.__doc__ or "").replace("\n    ", "\n")


def why_not_openmp(threads: "Iterable[_ompdbg.Thread]") -> str:
    """What is to be said of the selected one of them, of which OpenMP knows nothing."""
    for thread in threads:
        if thread.is_selected:
            if thread.error is not None:
                return f"cannot read thread {thread.label}: {thread.error}"
            what = "running" if thread.is_running else "no OpenMP thread"
            return f"thread {thread.label} is {what}"
    return "no thread is selected"


def write(lines: Iterable[str]) -> None:
    """Prints lines, through GDB's pager: many at once, for each time takes its time."""
    pending: List[str] = []
    for line in lines:
        pending.append(shown(line) + "\n")
        if len(pending) == _LINES_AT_ONCE:
            gdb.write(encoding.printable("".join(pending)))
            pending.clear()
    gdb.write(encoding.printable("".join(pending)))


def put_text(text: str) -> None:
    """Print text, through GDB's pager."""
    gdb.write(encoding.printable(text))


def wrap(text: str, first: str = "", others: str = "  ") -> List[str]:
    """Return the lines of a text on the terminal, with what each begins with."""
    width, text = terminal_width(), visible(text)
    if width is None:
        return [first + text]
    return textwrap.wrap(
        text,
        max(width, _LEAST_WIDTH),
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
    )


def terminal_width() -> Optional[int]:
    """Columns that a line may have; None if it may be as long as it likes. The last column of the
    terminal stays free: in the TUI an empty line would follow."""
    width = gdb.parameter("width")
    return int(width) - 1 if width else None


def completed(line: str, word: str) -> List[str]:
    """Return what GDB completes a command line with. `word`: what of it is replaced."""
    told = filter(encoding.is_printable, printed("complete " + line).split("\n"))
    kept = line[: len(line) - len(word)]
    return [one[len(kept) :] for one in told if one.startswith(kept) and _CUT not in one]
