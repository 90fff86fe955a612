# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`ompdbg merge`: many reports in one picture."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any, Dict, List

from ompdbg import regular_file
from ompdbg.cli import terminal
from ompdbg.cli.command import Command, Context
from ompdbg.cli.exits import Exit
from ompdbg.cli.spool import STANDARD_OUTPUT, write_file
from ompdbg.render.json import dumps
from ompdbg.text import decoded, of_path, without_halves

if TYPE_CHECKING:
    from ompdbg.report.merging import Member

_DESCRIPTION = """\
The reports of many processes, the ranks of an MPI program, say, or the shards
of a test run, in one picture: processes in the same state are one group, and
the smallest groups, the outliers, come first. Without options as text.

A report that cannot be read is named, and so are ranks that wrote none; the
picture is made of the others.

exit status:
  1 if a process has crashed or does not go on; otherwise 3 if a report could
  not be read, and else 0

examples:
  ompdbg merge reports/*.json
  ompdbg merge reports/*.json --html all.html --json all.json"""


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "reports", nargs="+", metavar="REPORT", help='what "ompdbg report --json" has written'
    )
    parser.add_argument("--text", metavar="FILE", help="write text")
    parser.add_argument("--html", metavar="FILE", help="write a page for a browser")
    parser.add_argument("--json", metavar="FILE", help='write JSON, schema "ompdbg/1"')


def read(path: str) -> "Member":
    """A report of the schema that is known here. Raises NoReport."""
    from ompdbg.report.merging import NoReport, member

    try:
        with regular_file.opened(path) as file:
            document = _clean(json.loads(decoded(file.read())))
    except OSError as error:
        raise NoReport(str(error.strerror)) from None
    except (ValueError, RecursionError, MemoryError):
        raise NoReport("it is no JSON") from None
    return member(path, document)


def _clean(value: Any) -> Any:
    """Return a document whose strings have no half characters."""
    if isinstance(value, str):
        return without_halves(value)
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, dict):
        return {without_halves(name): _clean(one) for name, one in value.items()}
    return value


def _run(arguments: argparse.Namespace, context: Context) -> int:
    from ompdbg.report import merging

    members: "List[Member]" = []
    unread: List[Dict[str, str]] = []
    for path in arguments.reports:
        try:
            members.append(read(path))
        except merging.NoReport as reason:
            unread.append({"source": of_path(path), "reason": str(reason)})
    as_text = arguments.text or not (arguments.json or arguments.html)
    if not (members and as_text):
        for one in unread:
            terminal.say(f"ompdbg merge: {one['source']}: {one['reason']}.")
    if not members:
        return Exit.UNREADABLE
    document = merging.merged(members, unread)
    if arguments.json:
        write_file(arguments.json, [dumps(document, indent=1)])
    if arguments.html:
        from ompdbg.report.html.merged import page

        write_file(arguments.html, page(document))
    if as_text:
        path = arguments.text or STANDARD_OUTPUT
        width = terminal.form(False).width if path == STANDARD_OUTPUT else 80
        write_file(path, terminal.lines(merging.lines(document, width)))
    if merging.is_suspicious(document):
        return Exit.FOUND
    return Exit.UNREADABLE if unread else Exit.FINE


COMMAND = Command("merge", "many reports in one picture", _DESCRIPTION, _add_options, _run)
