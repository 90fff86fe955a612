# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Names of functions as users type them: scopes, arguments, and those of templates left out; and
of files, with as many of their folders as they like."""

from __future__ import annotations

import os.path
import re

_ANONYMOUS = "(anonymous namespace)::"
_ARGUMENTS = re.compile(r"\(.*$", re.S)
_TEMPLATE = re.compile(r"<[^<>]*>")


def means(wanted: str, name: str) -> bool:
    """Whether what the user typed is a name of that function."""
    whole = name.replace(_ANONYMOUS, "")
    plain = _ARGUMENTS.sub("", whole)
    bare = plain
    while _TEMPLATE.search(bare):
        bare = _TEMPLATE.sub("", bare)
    wanted = wanted.replace(_ANONYMOUS, "")
    return any(one == wanted or one.endswith("::" + wanted) for one in (whole, plain, bare))


def same_file(wanted: str, file: str) -> bool:
    """Whether what the user typed is a name of that file. Either may have more of the folders:
    debug information has the name that the compiler was given."""
    typed, known = os.path.normpath("/" + wanted), os.path.normpath("/" + file)
    return bool(wanted and file) and (known.endswith(typed) or typed.endswith(known))
