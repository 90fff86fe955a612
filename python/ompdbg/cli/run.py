# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg run`: a test command that leaves a report if it hangs or crashes."""

from __future__ import annotations

import argparse
import gc
import os
import re
import sys
from typing import TYPE_CHECKING, Callable, List, Optional

from ompdbg.cli import terminal
from ompdbg.cli.command import Command, Context
from ompdbg.cli.exits import Exit, Failed
from ompdbg.cli.looking import Place, looked_at
from ompdbg.cli.report import Files, write_report
from ompdbg.cli.spool import Spool, is_scratch, write_file
from ompdbg.render.table import wrap
from ompdbg.report.ranks import rank_in
from ompdbg.text import visible

if TYPE_CHECKING:
    from ompdbg.report.crash import Crash
    from ompdbg.running.tracer import Halted
    from ompdbg.running.work import Answer

_DESCRIPTION = """\
Runs a command. If a program below it crashes, or the time-out passes, the
OpenMP report of that program, or of all OpenMP programs below the command, is
written before they end: NAME-PID.html, .json and .txt in DIR, and all.html if
there are several; NAME-rankN-PID of ranks of an MPI program. No process is left
behind. Whatever becomes of the reports, the exit status is the command's.

To see a crash before it has ended the program, all processes of the command are
traced (ptrace): that costs time only where threads and processes are made. A
program that wants to trace others itself, a debugger or LeakSanitizer, needs
--no-trace; then only the time-out is reported.

exit status:
  that of the command; 124 after the time-out or a hang; 128+N if signal N ended
  it; 127 or 126 if it was not found or could not be run; 2 for wrong usage

examples:
  ompdbg run --timeout 600 -- ctest
  ompdbg run --timeout 60 --on-hang --report artifacts -- ./test_solver --all
  ompdbg run --timeout 900 -- mpirun -n 4 ./solver"""

_SAFE = re.compile(r"[^A-Za-z0-9._+-]")
_MERGED = "all"
# Our own among the ranks of a job: several write into one folder, and to one terminal.
_OWN = rank_in(os.environ.get)
_RANK = "" if _OWN is None else _SAFE.sub("_", _OWN["value"])


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.usage = "ompdbg run [OPTION...] -- COMMAND..."
    parser.add_argument("--timeout", type=_seconds, metavar="S", help="end it after S seconds")
    parser.add_argument(
        "--report", metavar="DIR", default="ompdbg-report", help="for reports (ompdbg-report)"
    )
    parser.add_argument(
        "--on-hang",
        action="store_true",
        help="do not wait for the time-out if nothing happens for 10 s and the diagnosis says"
        " that nothing will",
    )
    parser.add_argument(
        "--on-term",
        action="store_true",
        help="when asked to end by SIGTERM, as schedulers do before they kill a job, take the"
        " reports first",
    )
    parser.add_argument(
        "--report-timeout",
        type=_seconds,
        default=60.0,
        metavar="S",
        help="give up a report that is not finished after S seconds (60)",
    )
    parser.add_argument("--core", action="store_true", help="let the kernel write core files, too")
    parser.add_argument(
        "--no-trace", action="store_true", help="do not trace, and do not report crashes"
    )
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)


def _seconds(word: str) -> float:
    seconds = float(word)
    if not 0 < seconds < 1e9:
        raise ValueError(word)
    return seconds


class Reporter:
    """Makes the reports of one run."""

    def __init__(self, folder: str, libompd: str) -> None:
        self._folder = folder
        self._libompd = libompd
        self._written: List[str] = []

    def look(self, halted: "Halted", reason: str, crash: "Optional[Crash]") -> "Answer":
        """Write the report of a process."""
        from ompdbg.model.severity import SEVERITIES
        from ompdbg.report import crash as words
        from ompdbg.running import below
        from ompdbg.running.work import Answer

        rank = f"-rank{_RANK}" if _RANK else ""
        name = f"{_SAFE.sub('_', below.program_name(halted.pid))}{rank}-{halted.pid}"
        path = os.path.join(self._folder, name)
        try:
            with looked_at(self._place(halted)) as looked:
                os.makedirs(self._folder, exist_ok=True)
                files = Files(f"{path}.txt", f"{path}.html", f"{path}.json")
                found = write_report(looked, str(halted.pid), files, Spool(False), reason, crash)
        except Failed as failed:
            is_other = failed.status == Exit.NO_OPENMP
            return Answer(lines=[] if is_other else [f"{name}: {failed.reason}"])
        except OSError as error:
            return Answer(lines=[f"{self._folder}: {error.strerror}"])
        verdict = found["verdict"] or {"text": "not known", "severity": None}
        signal = words.of_report(found)
        text = verdict["text"] if signal is None else words.where(signal, found)
        lines = [f"{name}: {text}", f"report: {path}.html"]
        return Answer(str(verdict["severity"] or SEVERITIES[-1]), lines, f"{path}.json")

    def ask(self, halted: "Halted") -> "Answer":
        """Find out only how bad it is."""
        from ompdbg import views
        from ompdbg.model.severity import SEVERITIES, severity
        from ompdbg.running.work import Answer

        try:
            with looked_at(self._place(halted)) as looked:
                found = views.diagnosed(looked.process)
                known = {severity(found.waiting, finding) for finding in found.findings}
        except Failed:
            return Answer()
        return Answer(next((name for name in SEVERITIES if name in known), SEVERITIES[-1]))

    def _place(self, halted: "Halted") -> Place:
        return Place(str(halted.pid), self._libompd, halted=halted)

    def take(self, answer: "Answer") -> None:
        """Keep in mind what was written."""
        if answer.written is not None:
            self._written.append(answer.written)

    def clear(self, writer: int) -> None:
        """Remove what a process was about to write when it was ended."""
        try:
            for name in os.listdir(self._folder):
                if is_scratch(name, writer):
                    os.unlink(os.path.join(self._folder, name))
        except OSError:
            pass

    def finish(self) -> "Optional[Callable[[], Answer]]":
        """One picture of all, if there are several."""
        return self._merge if len(self._written) > 1 else None

    def _merge(self) -> "Answer":
        from ompdbg.cli.merge import read
        from ompdbg.report.html.merged import page
        from ompdbg.report.merging import merged
        from ompdbg.running.work import Answer

        path = os.path.join(self._folder, f"{_MERGED}.html")
        try:
            write_file(path, page(merged([read(one) for one in self._written])))
        except Failed as failed:
            return Answer(lines=[failed.reason])
        return Answer(lines=[f"all of them: {path}"])


def say(text: str) -> None:
    """A line for people. Whether they get it changes nothing."""
    rank = f"rank {_RANK}: " if _RANK else ""
    told = f"ompdbg run: {rank}{visible(text)}"
    try:
        if sys.stderr.isatty():
            told = "\r\033[K" + "\n".join(wrap(told, terminal.width(sys.stderr)))
        print(told, file=sys.stderr, flush=True)
    except OSError:
        pass


def _run(arguments: argparse.Namespace, context: Context) -> int:
    from ompdbg.running.supervisor import Plan, Reports, Supervisor

    command = arguments.words
    if command[:1] == ["--"]:
        command = command[1:]
    if not command:
        raise Failed(Exit.USAGE, "which command? Write it behind --")
    gc.enable()  # it may run for hours
    reporter = Reporter(arguments.report, context.libompd)
    plan = Plan(
        command,
        arguments.timeout,
        arguments.report_timeout,
        arguments.on_hang,
        arguments.on_term,
        not arguments.no_trace,
        arguments.core,
    )
    reports = Reports(
        say, reporter.look, reporter.ask, reporter.take, reporter.clear, reporter.finish
    )
    return Supervisor(plan, reports).run()


COMMAND = Command(
    "run", "a command, with a report if it hangs or crashes", _DESCRIPTION, _add_options, _run
)
