# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares what `omp bt` says with a stack written down in a test.

Of a stack, each part begins with `-- thread 1.0 of 2, level 2`: thread numbers from the outermost
region inwards, the size of the team, the level. Its frames follow, without those of the fixtures'
helpers, as `FUNCTION at LINE` or `CONSTRUCT of FUNCTION at LINE, line LINE`. In what is expected,
`{mark}` is the line with that mark, `{=text}` the one line that has the text, `*` any line (the
compiler's choice); a frame behind `?`, and text in `[]`, may be missing.
"""

import re
from typing import Any, Dict, List, Optional

from harness.cases import Case
from harness.expect import Thread, is_helper

import build  # from fixtures/

_REFERENCE = re.compile(r"\{(?:=([^}]*)|([a-z][a-z-]*))\}")


def told(stack: Dict[str, Any], paths: Dict[int, Thread]) -> List[str]:
    """A stack of `omp bt -all -json` as lines. paths: the threads by GDB's number."""
    lines = []
    for part in stack["parts"]:
        lines.append("-- " + _heading(part, paths[part["thread"]]))
        lines += [_frame(f) for f in part["frames"] if not _is_hidden(f)]
    if stack["note"] is not None:
        lines.append("note: " + stack["note"])
    return lines


def _is_hidden(frame: Dict[str, Any]) -> bool:
    return frame["kind"] in ("runtime", "system") or is_helper(frame["file"])


def _heading(part: Dict[str, Any], thread: Thread) -> str:
    if part["level"] is None:
        return "no OpenMP thread"
    if part["level"] == 0:
        return "outside"
    numbers = thread.path[: part["level"]]
    assert numbers[-1] == part["thread_num"]
    path = ".".join(map(str, numbers))
    return "thread {} of {}, level {}".format(path, part["team_size"], part["level"])


def _frame(frame: Dict[str, Any]) -> str:
    if frame["kind"] == "signal":
        return "<signal>"
    if frame["construct"] is None:
        return "{} at {}".format(frame["function"], frame["line"])
    return "{} of {} at {}, line {}".format(
        frame["construct"], frame["function"], frame["construct_at"]["line"], frame["line"]
    )


def problem(case: Case, expected: str, lines: List[str]) -> str:
    """Empty if the lines are as expected, else both."""
    pattern = ""
    wanted = [line.strip() for line in expected.strip().splitlines()]
    for line in wanted:
        regex = _pattern(case, line[1:] if line.startswith("?") else line)
        pattern += "(?:{}\n)?".format(regex) if line.startswith("?") else regex + "\n"
    if re.fullmatch(pattern, "".join(line + "\n" for line in lines)):
        return ""
    return "expected\n  {}\nfound\n  {}".format("\n  ".join(wanted), "\n  ".join(lines))


def _pattern(case: Case, line: str) -> str:
    parts = []
    end = 0
    for found in _REFERENCE.finditer(line):
        parts.append(_text(line[end : found.start()]))
        parts.append(str(_line(case, *found.groups())))
        end = found.end()
    parts.append(_text(line[end:]))
    return "".join(parts)


def _text(text: str) -> str:
    pattern = re.escape(text).replace(r"\*", r"(?:\d+|None)")
    return pattern.replace(r"\[", "(?:").replace(r"\]", ")?")


def _line(case: Case, text: Optional[str], mark: Optional[str]) -> int:
    if mark is not None:
        return build.line_of(case.program, mark)
    lines = build.source_of(case.program).read_text(encoding="utf-8").splitlines()
    found = [number for number, line in enumerate(lines, 1) if text is not None and text in line]
    if len(found) != 1:
        raise ValueError("{!r} is in lines {} of {}".format(text, found, case.program))
    return found[0]
