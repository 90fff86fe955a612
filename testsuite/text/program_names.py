# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with any names: those of symbols, types and files are exchanged in the finished file."""

import re
import subprocess
from pathlib import Path
from typing import Dict, Mapping

SOURCE = Path(__file__).resolve().parent / "programs" / "foreign.c"

# Each has a newline with what would be a row behind it, a sequence that terminals obey, and bytes
# that are not UTF-8; one has HTML, one turns the direction of text around.
HOSTILE = {
    "FUNCTION": b"f\xff\n9  \x1b[31mforged\xe2",
    "LOCK": b"l\xff\n9  \x1b[32mforged\xe2\xe2",
    "TYPE": b"t\xff\n9  \x1b[33mforged\xc3(",
    "FIELD": b"d\xff\n9  \x1b[34mforged",
    "GLOBAL": b"g\xff\n9  \x9b31mforged",
    "PARAMETER": b"p\xff\n9  \x1b]0;forged\x07",
    "CRITICAL": b"c\xff<u>\n9  \xe2\x80\xaeforged",
    "FILE": b"\xff\n9  \x1b[36m",
}
# The letters of a language, and nothing else.
LETTERS = {
    "FUNCTION": "löse_größe".encode(),
    "LOCK": "schloß".encode(),
    "CRITICAL": "abschnitt_é".encode(),
    "FILE": "quelle_ü".encode(),
}
# GDB would take what follows the newline for a command.
COMMAND = b"n\nshell echo >taken"


def compile_to(target: Path, compiler: str = "gcc", lengths: Mapping[str, int] = {}) -> None:
    """Build the program with the names that it has in the source; some may be longer."""
    source = SOURCE
    if lengths:
        text = SOURCE.read_text(encoding="utf-8")
        for kind, length in lengths.items():
            begin = "xx" + kind
            text = re.sub(begin + "x+", begin + "x" * (length - len(begin)), text)
        source = target.with_suffix(".c")
        source.write_text(text, encoding="utf-8")
    command = [compiler, "-g", "-O1", "-fopenmp", str(source), "-o", str(target)]
    subprocess.run(command, check=True, capture_output=True)


def repeated(part: bytes, end: bytes, length: int) -> bytes:
    """Return a name of that length, which is one part again and again but for its end."""
    return (part * (length // len(part) + 1))[: length - len(end)] + end


def exchange(plain: Path, target: Path, names: Mapping[str, bytes]) -> Dict[str, bytes]:
    """Write the program with other names. Return them, filled up with "_"."""
    data = plain.read_bytes()
    found: Dict[str, bytes] = {}
    for kind, name in names.items():
        begin = b"xx" + kind.encode() + b"x"
        at = data.index(begin)
        end = at + len(begin)
        while data[end : end + 1] == b"x":
            end += 1
        old = data[at:end]
        assert len(name) <= len(old), kind
        found[kind] = name + b"_" * (len(old) - len(name))
        data = data.replace(old, found[kind])
    target.write_bytes(data)
    target.chmod(0o755)
    return found


def as_text(name: bytes) -> str:
    """Return how JSON has a name."""
    text = name.decode("utf-8", "surrogateescape")
    return "".join(f"\\x{ord(c) - 0xDC00:02x}" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text)
