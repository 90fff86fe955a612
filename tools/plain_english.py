#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check the words of summary comments and messages in C: plain_english.py FILE..."""
import re
import sys
from pathlib import Path
from typing import List, Tuple

SUMMARY = re.compile(r"/\*\*\s+(?:\*\s+)?(.*?)\*/\s*([^\n]*)", re.DOTALL)
# Words that leave a summary without a subject of its own.
BAD_BEGINNING = re.compile(r"(Of|The same|Those|As|It|And|What|Whether|Whose|Whom)\b")
# A function's summary is an order: no "A lock", no "Adds".
NO_VERB = re.compile(r"(An?|The|Its?|All|One|Some|No|By|How|Where|Why|[A-Z][a-z]+[^s\W]s)\b")
FUNCTION = re.compile(r"(?!typedef\b|struct \w+ \{|#)[\w\s*]*\b\w+\(|static inline\b")
BAD_PHRASES = re.compile(
    r"\b(is told|tells of|is no level|is not known here|no condition behind|nothing is known of"
    r"|by whom is not known|is being run|is tied to no)\b",
    re.IGNORECASE,
)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
# What a user reads: "no X", "invalid X" or "not an X" in place of "it is no X".
BAD_IN_STRINGS = re.compile(
    r"((?<!there )\b(is|are) no [a-z]+|no place for|not to be found|is not known"
    r"|(cannot|can't) be told|are told|which (command|reports?|core file)\?)",
    re.IGNORECASE,
)


def complaints(text: str) -> List[Tuple[int, str]]:
    """Return the lines with bad words, and what is bad about them."""
    found = []
    for comment in SUMMARY.finditer(text):
        words, code = comment.groups()
        begin = BAD_BEGINNING.match(words)
        if not begin and FUNCTION.match(code):
            begin = NO_VERB.match(words)
        if begin:
            line = text.count("\n", 0, comment.start(1)) + 1
            found.append((line, f'a summary begins with "{begin.group()}"'))
    for phrase in BAD_PHRASES.finditer(text):
        line = text.count("\n", 0, phrase.start()) + 1
        found.append((line, f'"{phrase.group()}" is not plain English'))
    code = re.sub(r"(?m)^\s*(//|\*|/\*).*$", "", text)  # lines stay
    for string in STRING.finditer(code):
        phrase = BAD_IN_STRINGS.search(string.group())
        if phrase:
            line = code.count("\n", 0, string.start()) + 1
            found.append((line, f'"{phrase.group()}" in a message is not plain English'))
    return found


def main() -> int:
    """Check the files that are named, and print what is bad."""
    status = 0
    for name in sys.argv[1:]:
        for line, complaint in complaints(Path(name).read_text()):
            print(f"{name}:{line}: {complaint}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
