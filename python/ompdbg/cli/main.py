# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg COMMAND ...`"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Any, NoReturn, Optional, Sequence, Tuple

from ompdbg.cli import merge, report, run, viewing
from ompdbg.cli.command import Context
from ompdbg.cli.exits import Exit, Failed

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


def main(libompd: str, words: Optional[Sequence[str]] = None) -> int:
    """Runs a command line. `libompd`: path of the OMPD library. Returns the exit status."""
    # As an exception, so that a process goes on.
    signal.signal(signal.SIGTERM, _on_signal)
    signal.signal(signal.SIGHUP, _on_signal)
    told = sys.argv[1:] if words is None else list(words)
    arguments = parser(told).parse_args(told)
    command = arguments.command
    try:
        status: int = command.run(arguments, Context(libompd))
        sys.stdout.flush()
        return status
    except Failed as failed:
        print(f"ompdbg {command.name}: {failed.reason.rstrip('.')}.", file=sys.stderr)
        return failed.status
    except BrokenPipeError:
        # The reader has seen enough. Nothing may be flushed at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FINE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _on_signal(number: int, frame: Any) -> NoReturn:
    sys.exit(128 + number)


def parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """What understands the command line. `words`: if they begin with a command, only that one's
    options are made."""
    whole = argparse.ArgumentParser(
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
