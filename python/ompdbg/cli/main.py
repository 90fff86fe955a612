# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg COMMAND CORE|PID`"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
from enum import IntEnum
from typing import TYPE_CHECKING, Any, List, NoReturn, Optional, Sequence

from ompdbg.cli.commands import COMMANDS

if TYPE_CHECKING:
    from ompdbg.cli.commands import Command
    from ompdbg.target_services.debugger import TargetServices


class Exit(IntEnum):
    """What the shell is told."""

    FINE = 0
    FOUND = 1  # something is wrong with the program
    USAGE = 2
    UNREADABLE = 3  # the target, or what is needed to read it
    NO_OPENMP = 4  # no OpenMP runtime, or none that is understood


_DESCRIPTION = "Shows what the OpenMP threads of a core file or a process do, without a debugger."
_EPILOG = """\
examples:
  ompdbg threads core                  which thread waits for what
  ompdbg bt 4711                       how they got there, in a running program
  ompdbg status core --sysroot image   with the program's files below image/

A process is stopped while it is looked at, and goes on afterwards.

exit status:
  0  nothing suspicious       3  the target cannot be read
  1  a diagnosis was found    4  no OpenMP runtime that is understood
  2  wrong usage
"""


def main(libompd: str, words: Optional[Sequence[str]] = None) -> int:
    """Runs a command line. `libompd`: path of the OMPD library. Returns the exit status."""
    # As an exception, so that a process goes on.
    signal.signal(signal.SIGTERM, _on_signal)
    signal.signal(signal.SIGHUP, _on_signal)
    arguments = _parser().parse_args(words)
    try:
        status = _run(arguments.command, libompd, arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        # The reader has seen enough. Nothing may be flushed at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Exit.FINE
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _on_signal(number: int, frame: Any) -> NoReturn:
    sys.exit(128 + number)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "ompdbg",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.summary, description=command.summary)
        sub.set_defaults(command=command)
        sub.add_argument("target", metavar="CORE|PID", help="core file, or number of a process")
        command.add_options(sub)
        sub.add_argument("--exe", metavar="FILE", help="the program, if it is elsewhere now")
        sub.add_argument(
            "--sysroot", metavar="DIR", help="where the files of the program's machine are"
        )
        sub.add_argument("--json", action="store_true", help='print JSON, schema "ompdbg/1"')
    return parser


def _run(command: "Command", libompd: str, arguments: argparse.Namespace) -> int:
    import _ompd

    from ompdbg import runtimes
    from ompdbg.commands import choice
    from ompdbg.model.process import Process
    from ompdbg.target_services.debugger import TargetServices
    from ompdbg.target_services.opening import CannotOpen, opened

    try:
        with opened(arguments.target, arguments.exe, arguments.sysroot) as target:
            services = TargetServices(target.target, target.pid)
            problems = _problems(services)
            if target.is_truncated:
                problems.append("the core file is truncated: what it lacks cannot be told")
            try:
                library = runtimes.library_at(libompd)
                found = runtimes.open_with(library, services).checked()
            except runtimes.NotOpened as reason:
                return _fail(arguments, Exit.NO_OPENMP, "; ".join([str(reason), *problems]))
            for problem in problems:
                print(f"ompdbg: warning: {problem}", file=sys.stderr)
            process = Process(found.spaces, services, found.problems)
            for line in command.lines(process, arguments, _form(arguments)):
                print(line)
            for space in found.spaces:
                space.close()
            return Exit.FINE
    except CannotOpen as error:
        return _fail(arguments, Exit.UNREADABLE, str(error))
    except choice.NoSuch as error:
        return _fail(arguments, Exit.USAGE, str(error))
    except _ompd.Error as error:
        return _fail(arguments, Exit.UNREADABLE, error.reason)


def _problems(services: "TargetServices") -> List[str]:
    """Files that are missing or others than the program had."""
    return [one.problem for one in services.objects.files if one.problem is not None]


def _fail(arguments: argparse.Namespace, status: Exit, reason: str) -> int:
    print(f"ompdbg {arguments.command.name}: {reason.rstrip('.')}.", file=sys.stderr)
    return status


def _form(arguments: argparse.Namespace) -> Any:
    from ompdbg.views import Form

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return Form(arguments.json, width)
