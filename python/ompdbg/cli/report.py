# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg report`: everything at once, for a person, a browser or a program."""

from __future__ import annotations

import argparse
import functools
from typing import TYPE_CHECKING, Any, Dict, Optional

from ompdbg import views
from ompdbg.cli import terminal
from ompdbg.cli.command import Command, Context, add_place
from ompdbg.cli.exits import Exit, Failed
from ompdbg.cli.looking import Looked, Place, looked_at
from ompdbg.cli.spool import STANDARD_OUTPUT, Spool

if TYPE_CHECKING:
    from ompdbg.report.crash import Crash

_DESCRIPTION = """\
Everything at once: the diagnosis, regions, threads, stacks, tasks, locks,
control variables and environment, and the runtime. Without options as text;
each of the options writes a file, "-" stands for standard output.

The HTML is one file that needs neither network nor scripts.

examples:
  ompdbg report core | less
  ompdbg report 4711 --html report.html --json report.json"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    add_place(parser, is_optional=True)
    parser.add_argument("--text", metavar="FILE", help="write text")
    parser.add_argument("--html", metavar="FILE", help="write a page for a browser")
    parser.add_argument(
        "--json",
        metavar="FILE",
        nargs="?",
        const=STANDARD_OUTPUT,
        help='write JSON, schema "ompdbg/1"; without FILE, to standard output',
    )


def _run(arguments: argparse.Namespace, context: Context) -> int:
    if arguments.target is None and arguments.json not in (None, STANDARD_OUTPUT):
        # `--json CORE`: the word behind an option that may have one.
        arguments.target, arguments.json = arguments.json, STANDARD_OUTPUT
    if arguments.target is None:
        raise Failed(Exit.USAGE, "which core file or process?")
    target = arguments.target
    place = Place(target, context.libompd, arguments.exe, arguments.sysroot)
    text = arguments.text
    if not (arguments.text or arguments.html or arguments.json):
        text = STANDARD_OUTPUT
    from ompdbg.report.document import is_suspicious
    from ompdbg.target_services.opening import is_process

    with Spool(is_process(target)) as spool, looked_at(place) as looked:
        spool.warn(looked.problems)
        files = Files(text, arguments.html, arguments.json)
        found = write_report(looked, target, files, spool)
    return Exit.FOUND if is_suspicious(found) else Exit.FINE


class Files:
    """Where a report is written; None: nowhere."""

    def __init__(self, text: Optional[str], html: Optional[str], json: Optional[str]) -> None:
        self.text = text
        self.html = html
        self.json = json


def write_report(
    looked: Looked,
    name: str,
    files: Files,
    spool: Spool,
    cause: Optional[str] = None,
    crash: "Optional[Crash]" = None,
) -> Dict[str, Any]:
    """Writes what is known of an open target, and returns it. `cause`: why now; `crash`: a signal
    is about to end it. Raises Failed."""
    from ompdbg.report import about as about_module
    from ompdbg.report import document
    from ompdbg.report.core_notes import core_end

    process = looked.process
    if looked.core is None:
        about = about_module.about_process(process, looked.pid, crash)
    else:
        about = about_module.about_core(process, name, core_end(looked.core))
    about["cause"] = cause
    about["problems"] += looked.problems
    diagnosed = functools.lru_cache(maxsize=None)(lambda: views.diagnosed(process))
    found = document.report(process, about, diagnosed)
    if files.json is not None:
        spool.write(files.json, document.lines(found))
    if files.html is not None:
        from ompdbg.report.html.page import page

        spool.write(files.html, page(found))
    if files.text is not None:
        from ompdbg.report import text

        form = views.Form(False, 80)
        if files.text == STANDARD_OUTPUT:
            form = terminal.form(False)
        spool.write(files.text, terminal.lines(text.lines(process, found, diagnosed, form)))
    return found


COMMAND = Command(
    "report", "everything at once: text, JSON, HTML", _DESCRIPTION, _add_options, _run
)
