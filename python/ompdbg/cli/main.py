# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg COMMAND ...`"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any, Callable, NoReturn, Optional, Sequence, Tuple

from ompdbg.cli import merge, report, run, terminal, viewing
from ompdbg.cli.command import Context
from ompdbg.cli.exits import Exit, Failed
from ompdbg.text import visible

COMMANDS = (*viewing.COMMANDS, report.COMMAND, run.COMMAND, merge.COMMAND)

_DESCRIPTION = "What the OpenMP threads of a core file or a process do, without a debugger."
_EPILOG = """\
examples:
  ompdbg why core                    what ended it, and who waits for whom
  ompdbg threads 4711                every thread of a running program
  ompdbg bt core --sysroot image     stacks; the program's files lie in image/
  ompdbg report core --html FILE     everything, as a page for a browser
  ompdbg run --timeout 600 -- ctest  a report of what hangs or crashes

A process is stopped while it is looked at, and goes on afterwards; nothing is
ever written to it. "ompdbg COMMAND --help" tells more.

exit status:
  0  nothing suspicious       3  the target cannot be read
  1  something was found      4  no OpenMP runtime that is understood
  2  wrong usage              5  the report cannot be written
"""


_DEBUG = "OMPDBG_DEBUG"


def main(libompd: str, words: Optional[Sequence[str]] = None) -> int:
    """Run a command line. `libompd`: path of the OMPD library. Return the exit status, with all
    that is to be written out."""
    _open_standard_streams()
    # As an exception, so that a process goes on.
    signal.signal(signal.SIGTERM, _on_signal)
    signal.signal(signal.SIGHUP, _on_signal)
    terminal.prepare()
    told = sys.argv[1:] if words is None else list(words)
    status = _status(lambda: _run(libompd, told))
    flushed = _status(_flush)
    try:
        sys.stderr.flush()
    except OSError:
        pass
    return flushed or status


def _run(libompd: str, words: Sequence[str]) -> int:
    arguments = parser(words).parse_args(words)
    try:
        return int(arguments.command.run(arguments, Context(libompd)))
    except Failed as failed:
        terminal.say(f"ompdbg {arguments.command.name}: {failed.reason.rstrip('.')}.")
        return failed.status


def _flush() -> int:
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        terminal.say(f"ompdbg: standard output: {error.strerror}.")
        _drop_standard_output()
        return Exit.NOT_WRITTEN
    return Exit.FINE


def _status(do: Callable[[], int]) -> int:
    """Return an exit status, whatever happens."""
    try:
        return do()
    except BrokenPipeError:
        _drop_standard_output()  # the reader has seen enough
        return Exit.FINE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else Exit.FINE
    except Exception as error:  # pylint: disable=broad-except
        if os.environ.get(_DEBUG):
            import traceback

            for line in traceback.format_exc().splitlines():
                terminal.say(line)
        hint = "" if isinstance(error, MemoryError) else f" ({_DEBUG}=1 shows where)"
        terminal.say(f"ompdbg: internal error: {type(error).__name__}: {error}{hint}.")
        return Exit.INTERNAL


def _open_standard_streams() -> None:
    """Where one is closed, no other file may take its number. What is written there is lost."""
    for number, name, flags in (
        (0, "stdin", os.O_RDONLY),
        (1, "stdout", os.O_RDONLY),  # writing fails, and the exit status says so
        (2, "stderr", os.O_WRONLY),
    ):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)
        if getattr(sys, name) is None:
            mode = "r" if number == 0 else "w"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))


def _drop_standard_output() -> None:
    """Nothing that is still kept may be written at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _on_signal(number: int, frame: Any) -> NoReturn:
    sys.exit(128 + number)


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints about words can be seen."""

    def error(self, message: str) -> NoReturn:
        """Called for a command line that makes no sense."""
        super().error(visible(message))


def parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """What understands the command line. `words`: if they begin with a command, only that one's
    options are made."""
    whole = _Parser(
        "ompdbg",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = [command for command in COMMANDS if command.name == (words[0] if words else None)]
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in known or COMMANDS:
        told, behind_options = _parted(command.description)
        sub = commands.add_parser(
            command.name,
            help=command.summary,
            description=told,
            epilog=behind_options,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(command=command)
        command.add_options(sub)
    return whole


def _parted(description: str) -> Tuple[str, str]:
    """What a command does; and exit statuses and examples, which come last."""
    found = [description.find(f"\n\n{title}") for title in ("exit status:", "example")]
    begin = min((at for at in found if at >= 0), default=len(description))
    return description[:begin], description[begin:].strip()
