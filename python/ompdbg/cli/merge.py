# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg merge`: many reports in one picture."""

from __future__ import annotations

import argparse
import json
from typing import Any, Dict, List, Tuple

from ompdbg.cli import terminal
from ompdbg.cli.command import Command, Context
from ompdbg.cli.exits import Exit, Failed
from ompdbg.cli.report import STANDARD_OUTPUT, write_file

_DESCRIPTION = """\
The reports of many processes, the ranks of an MPI program, say, or the shards
of a test run, in one picture: processes in the same state are one group, and
the smallest groups, the outliers, come first. Without options as text.

The exit status is 1 if one of the processes does not go on.

example:
  ompdbg merge reports/*.json --html all.html"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reports", nargs="+", metavar="REPORT", help='what "ompdbg report --json" has written'
    )
    parser.add_argument("--text", metavar="FILE", help="write text")
    parser.add_argument("--html", metavar="FILE", help="write a page for a browser")
    parser.add_argument("--json", metavar="FILE", help='write JSON, schema "ompdbg/1"')


def read(path: str) -> Dict[str, Any]:
    """A report of the schema that is known here. Raises Failed."""
    from ompdbg.report.merging import NoReport, check

    try:
        with open(path, encoding="utf-8") as file:
            return check(json.load(file))
    except OSError as error:
        raise Failed(Exit.UNREADABLE, f"{path}: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise Failed(Exit.UNREADABLE, f"{path}: it is no JSON") from None
    except NoReport as reason:
        raise Failed(Exit.UNREADABLE, f"{path}: {reason}") from None


def _run(arguments: argparse.Namespace, context: Context) -> int:
    from ompdbg.model.severity import HELD_UP, STUCK
    from ompdbg.report import merging

    reports: List[Tuple[str, Dict[str, Any]]] = [(path, read(path)) for path in arguments.reports]
    try:
        document = merging.merged(reports)
    except (AttributeError, KeyError, TypeError):
        raise Failed(Exit.UNREADABLE, "one of the reports lacks what the schema demands") from None
    if arguments.json:
        write_file(arguments.json, [json.dumps(document, indent=1)])
    if arguments.html:
        from ompdbg.report.html.merged import page

        write_file(arguments.html, page(document))
    if arguments.text or not (arguments.json or arguments.html):
        path = arguments.text or STANDARD_OUTPUT
        width = terminal.form(False).width if path == STANDARD_OUTPUT else 80
        write_file(path, merging.lines(document, width))
    bad = any(group["severity"] in (STUCK, HELD_UP) for group in document["groups"])
    return Exit.FOUND if bad else Exit.FINE


COMMAND = Command("merge", "many reports in one picture", _DESCRIPTION, _add_options, _run)
