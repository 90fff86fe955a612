# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `ompdbg` starts for pages and pictures: reports come as JSON.

    generate.py page [OWNER]
                         a report or profile on standard input, as a page on standard output
    generate.py merge [--text FILE] [--html FILE] [--json FILE] [--to FILE=OPEN]... -- REPORT...

OWNER is whose rights source files are read with, in numbers: USER:GROUP,GROUP,...
OPEN is the descriptor of a file.
"""

import argparse
import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Sequence

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from ompdbg import text  # noqa: E402
from ompdbg.report import merging, regular_file  # noqa: E402
from ompdbg.report.owner import set_owner  # noqa: E402
from ompdbg.text import number_in  # noqa: E402

FINE, FOUND, UNREADABLE, NOT_WRITTEN, INTERNAL = 0, 1, 3, 5, 70
STANDARD_OUTPUT = "-"
_WIDTH = 199  # of text in files
_HALF = re.compile(r"\\u[dD][89a-fA-F]")  # of a UTF-16 pair, perhaps
_BEYOND_ASCII = re.compile("[\x7f-\U0010ffff]")
_DEEPEST = 10_000  # of calls: trees of stacks may be deep


class NotWritten(Exception):
    """What was to be written; the message says why not."""


# ---- Output ---------------------------------------------------------------------------------


def _say(line: str) -> None:
    """A line for people. Whether they get it changes nothing."""
    try:
        print(text.visible(line), file=sys.stderr, flush=True)
    except OSError:
        pass


def _write_file(path: str, descriptor: int, lines: Iterable[str]) -> None:
    """Write a file that is open. Who opened it gives it its name if all went well."""
    try:
        with open(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.writelines(line + "\n" for line in lines)
    except OSError as error:
        raise NotWritten(f"{path}: {error.strerror}") from None


def _for_json(document: str) -> str:
    r"""Return a JSON document in ASCII. Its strings have `\xff` for a byte that is not UTF-8."""
    if document.isascii() and "\x7f" not in document:
        return document
    return _BEYOND_ASCII.sub(_escape_in_json, document)


def _escape_in_json(found: "re.Match[str]") -> str:
    code = ord(found.group())
    if text.FIRST_BYTE <= code <= text.LAST_BYTE:
        return f"\\\\x{code - 0xDC00:02x}"
    if 0xD800 <= code < 0xE000:
        return "\\ufffd"
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD800 + (code - 0x10000 >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _write(path: str, opened: Dict[str, int], lines: Iterable[str]) -> None:
    if path != STANDARD_OUTPUT:
        _write_file(path, opened[path], lines)
        return
    try:
        sys.stdout.writelines(line + "\n" for line in lines)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise NotWritten(f"standard output: {error.strerror}") from None


def _width() -> Optional[int]:
    """Columns of the terminal, if there is one."""
    if not sys.stdout.isatty():
        return None
    told = number_in(os.environ.get("COLUMNS", ""))
    try:
        return told or os.get_terminal_size(1).columns or None
    except OSError:
        return None


# ---- What is made ---------------------------------------------------------------------------


def _page(owner: Sequence[str]) -> int:
    from ompdbg.report.html import page, profile

    for told in owner:
        set_owner(told)
    sys.setrecursionlimit(_DEEPEST)
    document = json.loads(sys.stdin.buffer.read())
    made = profile.page(document) if document["kind"] == "profile" else page.page(document)
    output = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", errors="replace")
    output.writelines(line + "\n" for line in made)
    output.flush()
    return FINE


def read(path: str) -> "merging.Member":
    """A report of the schema that is known here. Raises NoReport."""
    try:
        with regular_file.opened(path) as file:
            source = text.decoded(file.read())
        document = json.loads(source)
        if not source.isascii() or _HALF.search(source):
            document = _clean(document)
    except OSError as error:
        raise merging.NoReport(str(error.strerror)) from None
    except (ValueError, RecursionError, MemoryError):
        raise merging.NoReport("not JSON") from None
    return merging.member(path, document)


def _clean(value: Any) -> Any:
    """Return a document whose strings have no half characters."""
    if isinstance(value, str):
        return text.without_halves(value)
    if isinstance(value, list):
        return [_clean(one) for one in value]
    if isinstance(value, dict):
        return {text.without_halves(name): _clean(one) for name, one in value.items()}
    return value


def _merge(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser("ompdbg merge")
    for option in ("--text", "--html", "--json"):
        parser.add_argument(option)
    parser.add_argument("--to", action="append", default=[])
    parser.add_argument("reports", nargs="+")
    arguments = parser.parse_args(words)
    places = (one.rpartition("=") for one in arguments.to)
    opened = {path: int(descriptor) for path, _, descriptor in places}
    members: List["merging.Member"] = []
    unread: List[Dict[str, str]] = []
    for path in arguments.reports:
        try:
            members.append(read(path))
        except merging.NoReport as reason:
            unread.append({"source": regular_file.of_path(path), "reason": str(reason)})
    as_text = arguments.text or not (arguments.json or arguments.html)
    if not (members and as_text):
        for one in unread:
            _say(f"ompdbg merge: {one['source']}: {one['reason']}.")
    if not members:
        return UNREADABLE
    document = merging.merged(members, unread)
    if arguments.json:
        as_json = json.dumps(document, ensure_ascii=False, indent=1)
        _write(arguments.json, opened, [_for_json(as_json)])
    if arguments.html:
        from ompdbg.report.html.merged import page

        folder = os.path.dirname(arguments.html) if arguments.html != STANDARD_OUTPUT else ""
        _write(arguments.html, opened, page(document, folder or "."))
    if as_text:
        path = arguments.text or STANDARD_OUTPUT
        width = _width() if path == STANDARD_OUTPUT else _WIDTH
        _write(path, opened, map(text.shown, merging.lines(document, width)))
    if merging.is_suspicious(document):
        return FOUND
    return UNREADABLE if unread else FINE


def _encoding(chosen: str) -> str:
    """Return the locale's encoding, also where that is ASCII, and Python takes UTF-8 instead."""
    if not sys.flags.utf8_mode:
        return chosen
    import locale

    return locale.nl_langinfo(locale.CODESET)


def main(words: Sequence[str]) -> int:
    """Return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=_encoding(stream.encoding), errors=text.ESCAPED)
    try:
        return _page(words[1:]) if words[0] == "page" else _merge(words[1:])
    except NotWritten as error:
        _say(f"ompdbg merge: {error}.")
        return NOT_WRITTEN
    except BrokenPipeError:
        return FINE  # the reader has seen enough
    except Exception as error:  # pylint: disable=broad-except
        _say(f"ompdbg {words[0]}: internal error: {type(error).__name__}: {error}.")
        return INTERNAL


if __name__ == "__main__":
    STATUS = main(sys.argv[1:])
    os._exit(STATUS)
