# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The environment in which GDB starts a program that shall be recorded."""

from __future__ import annotations

import os
import re
from typing import List, Optional

from ompdbg import gdb_plugin
from ompdbg.console.output import printed

_PRELOAD = "LD_PRELOAD"
# GCC's sanitizer ends programs in which it is not the first library.
_ASAN_OPTIONS, _ANY_ORDER = "ASAN_OPTIONS", "verify_asan_link_order=0"


def switch(is_wanted: bool) -> Optional[str]:
    """Change the environment of the selected inferior. Returns what is wrong."""
    libraries = gdb_plugin.recording_libraries()
    for path in libraries if is_wanted else []:
        if re.search("[ :$]", path):
            return f"{path} cannot be preloaded (blank, colon or $ in its path)."
        if not os.path.isfile(path):
            return f"no file {path}."
    _change(_PRELOAD, libraries, is_wanted)
    _change(_ASAN_OPTIONS, [_ANY_ORDER], is_wanted)
    return None


def is_on() -> bool:
    """Check the environment of the selected inferior."""
    return set(gdb_plugin.recording_libraries()) <= set(_words(_PRELOAD))


def _words(variable: str) -> List[str]:
    text, name = printed(f"show environment {variable}"), f"{variable} = "
    return text[len(name) :].rstrip("\n").split(":") if text.startswith(name) else []


def _change(variable: str, ours: List[str], is_wanted: bool) -> None:
    """Put our words in front of a variable's others, or take them away."""
    before = _words(variable)
    after = [word for word in before if word not in ours]
    if is_wanted:
        after = [*ours, *after]
    if after == before:
        return
    if after:
        printed(f"set environment {variable} {':'.join(after)}")
    else:
        printed(f"unset environment {variable}")
