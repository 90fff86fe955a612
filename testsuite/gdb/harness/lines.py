# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures of commands have to be one clear line."""

from typing import Any, Dict, List

_FORBIDDEN = ("Traceback", "Error occurred in Python", "Python Exception", "internal-error")
_LONGEST = 300


def problems(said: List[Dict[str, Any]], fails: bool) -> List[str]:
    """What is wrong with what commands said; fails: each has to fail, and say why."""
    found = []
    for one in said:
        if "error" in one:
            found += ["{}: {}".format(one["command"], why) for why in error_problems(one["error"])]
        elif fails:
            found.append("{} did not fail: {!r}".format(one["command"], one["text"][:300]))
        found += [
            "{}: {!r} in its output".format(one["command"], sign)
            for sign in _FORBIDDEN
            if sign in one.get("text", "")
        ]
    return found


def error_problems(error: str) -> List[str]:
    """What is wrong with the message of a failed command."""
    found = []
    if "\n" in error.strip() or len(error) > _LONGEST:
        found.append("not one line: {!r}".format(error))
    if not error.startswith("omp "):
        found.append("does not say which command failed: {!r}".format(error))
    found += ["{!r} in {!r}".format(sign, error) for sign in _FORBIDDEN if sign in error]
    return found
