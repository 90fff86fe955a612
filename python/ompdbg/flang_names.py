# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What flang, LLVM's Fortran compiler, calls the procedures and variables of a program.

Names of the source are in lower case and without a case of their own, so capital letters tell what
each is: `_QMheatFsolvePsmooth` is the procedure `smooth` within `solve` of the module `heat`. What
belongs to the main program has it as a host without a name, `_QFPsolve`.
"""

from __future__ import annotations

import re
from typing import Optional

MAIN = "_QQmain"
# What flang makes of the body of a parallel region or task: `_QFPsolve..omp_par`.
OUTLINED = r"\.\.omp_par(\.\d+)*"

_NAME = "[a-z0-9_$]"
_HOST = MAIN + "::"
_UNIQUE = re.compile(rf"_Q(?P<around>([MS]{_NAME}+|F{_NAME}*|B\d+)*)[PE](?P<name>{_NAME}+)")
_AROUND = re.compile(rf"[MSF]({_NAME}+)")


def source_name(symbol: str) -> Optional[str]:
    """A procedure or variable as the source has it, `heat::solve::smooth`; None: it is neither."""
    if symbol.startswith(_HOST):
        return symbol[len(_HOST) :]
    match = _UNIQUE.fullmatch(symbol)
    if match is None:
        return None
    return "::".join([*_AROUND.findall(match.group("around")), match.group("name")])
