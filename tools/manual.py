#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make man pages and the guide's tables from the help of the commands, which is their only source.

manual.py page PROGRAM TEMPLATE   print a man page: "@COMMANDS@" and so on stand for what is made
manual.py guide PROGRAM FILE      check the tables of commands in a Markdown file
manual.py renew PROGRAM FILE      write them
"""
import ast
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Tuple

COMMANDS = Path(__file__).resolve().parent.parent / "python/ompdbg/commands"
ITEM = re.compile(r" {2,6}(?! )(\S.*?)  +(\S.*)$")
TABLE = re.compile(r"(<!-- commands of (\w+) -->\n).*?(?=<!-- end -->)", re.DOTALL)


class Help(NamedTuple):
    """The help of one command, setting or function."""

    name: str
    usage: str  # what follows the name
    summary: str
    lines: List[str]  # all that follows these


def command_line(program: str) -> Iterator[Help]:
    """Ask the program for the help of its commands."""
    environment = {**os.environ, "ARGP_HELP_FMT": "rmargin=1000", "LC_ALL": "C"}

    def ask(*words: str) -> List[str]:
        done = subprocess.run(
            [program, *words, "--help"], env=environment, check=True, stdout=subprocess.PIPE
        )
        return done.stdout.decode().splitlines()

    lines = iter(ask())
    while next(lines) != "commands:":
        pass
    for line in lines:
        item = ITEM.match(line)
        if not item:
            break
        usage, summary, *rest = ask(item.group(1))
        yield Help(item.group(1), usage.partition("[OPTION...] ")[2], summary, rest)


def classes() -> Iterator[Tuple[ast.ClassDef, str]]:
    """Find the classes with a help text: commands, settings and functions of GDB."""
    for path in sorted(COMMANDS.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            doc = ast.get_docstring(node) if isinstance(node, ast.ClassDef) else None
            if doc and isinstance(node, ast.ClassDef):
                yield node, doc


def gdb_commands() -> List[Help]:
    """Read the docstrings of GDB's commands, in the order in which "help omp" names them."""
    found, order = [], ""
    for _, doc in classes():
        usage = re.search(r"\nUsage: omp (\[SUB|[\w-]+) ?((?:[^\n]|\n {2,})*)", doc)
        if usage and usage.group(1) == "[SUB":
            order = " ".join(doc.split())
        elif usage:
            words = " ".join(usage.group(2).split())
            rest = doc[usage.end() :].splitlines()
            found.append(Help("omp " + usage.group(1), words, doc.splitlines()[0], rest))

    def place(one: Help) -> int:
        match = re.search(rf'"{one.name}\b', order)
        return match.start() if match else len(order)

    return sorted(found, key=place)


def gdb_names() -> Iterator[Help]:
    """Read the help of settings, whose name is an argument of the base class, and of functions."""
    for node, doc in classes():
        texts = [str(one.value) for one in ast.walk(node) if isinstance(one, ast.Constant)]
        summary = [text for text in texts if text.startswith("Set ")]
        name = [text for text in texts if re.fullmatch(r"omp [a-z-]+", text)]
        call, _, value = doc.splitlines()[0].partition(": ")
        if summary and name and "Usage:" not in doc:
            yield Help(f"set {name[0]}", "", summary[0], doc.splitlines())
        elif call.startswith("$_omp_"):
            yield Help(call, "", value[:1].upper() + value[1:], doc.splitlines()[1:])


def escaped(text: str) -> str:
    """Escape what roff would take for its own."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def roff(lines: List[str]) -> Iterator[str]:
    """Write the lines of a help text: paragraphs, options, and what is indented as it is."""
    level = ""
    for line in lines:
        item = ITEM.match(line)
        kind = "item" if item else "more" if line.startswith("     ") else "code"
        if not line.startswith(" ") or (kind == "more" and level != "item"):
            kind = "text"
        if level == "code" != kind:
            yield ".fi\n.RE"
        elif level == "item" and kind in ("text", "code"):
            yield ".RE"
        if kind == "code" != level:
            yield ".RS\n.nf"
        elif kind == "item" != level:
            yield ".RS"
        level = "item" if kind == "more" else kind
        if item:
            yield f".TP\n\\fB{escaped(item.group(1).strip())}\\fR\n{escaped(item.group(2))}"
        else:
            yield escaped(line.strip()) or ".IP"
    yield {"code": ".fi\n.RE", "item": ".RE"}.get(level, ".")


def page(program: str, template: str) -> str:
    """Fill the template of a man page."""
    ours, names = list(command_line(program)), list(gdb_names())
    # What a view without options of its own has, all views have.
    (status,) = [one for one in ours if one.name == "status"]
    common = [line for line in status.lines if ITEM.match(line)]
    made: Dict[str, List[Help]] = {
        "COMMANDS": ours,
        "GDB": gdb_commands(),
        "SETTINGS": [one for one in names if one.name.startswith("set")],
        "FUNCTIONS": [one for one in names if one.name.startswith("$")],
    }
    for key, entries in made.items():
        text = ""
        for one in entries:
            text += (
                f".TP\n\\fB{escaped(one.name)}\\fR {escaped(one.usage)}\n{escaped(one.summary)}\n"
            )
            text += "\n".join(roff([line for line in one.lines if line not in common])) + "\n"
        template = template.replace(f"@{key}@\n", text)
    return template.replace("@OPTIONS@", "\n".join(roff(common)))


def tables(program: str, text: str) -> str:
    """Fill the tables of a Markdown file."""

    def table(found: "re.Match[str]") -> str:
        is_gdb = found.group(2) == "gdb"
        rows = gdb_commands() if is_gdb else command_line(program)
        cells = [(one.name if is_gdb else f"ompdbg {one.name}", one.summary) for one in rows]
        made = "".join(f"| `{name}` | {summary} |\n" for name, summary in cells)
        return f"{found.group(1)}| command | what it does |\n| --- | --- |\n{made}"

    return TABLE.sub(table, text)


def main() -> int:
    """Do what the command line says."""
    action, program, name = sys.argv[1:]
    text = Path(name).read_text()
    if action == "page":
        sys.stdout.write(page(program, text))
    elif action == "renew":
        Path(name).write_text(tables(program, text))
    elif tables(program, text) != text:
        print(f"{name}: not the commands' help (run tools/manual.py renew {program} {name})")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
