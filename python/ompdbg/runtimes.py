# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Opens the OpenMP runtimes of a process with an OMPD library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, List, NamedTuple, Optional, cast

import _ompd

if TYPE_CHECKING:
    from ompdbg.services import Services

_loaded: Dict[str, _ompd.Library] = {}


class NotOpened(Exception):
    """No runtime of the process is understood; the message says why."""

    def __init__(self, text: str, is_absent: bool) -> None:
        """is_absent: as far as is known, there is none."""
        super().__init__(text)
        self.is_absent = is_absent


class Found(NamedTuple):
    """The runtimes of a process, and what went wrong on the way."""

    spaces: List[_ompd.AddressSpace]
    problems: List[str]  # one line each, of our own library first
    absent: str = ""  # what was looked for and is not there

    def checked(self) -> "Found":
        """Itself, if a runtime was opened. Raises NotOpened."""
        if not self.spaces:
            raise NotOpened("; ".join(self.problems) or self.absent, not self.problems)
        return self


def library_at(path: str) -> _ompd.Library:
    """The OMPD library of a file, loaded once. Raises _ompd.Error for a file that is none."""
    if path not in _loaded:
        _loaded[path] = _ompd.Library(path)
    return _loaded[path]


def open_with(library: _ompd.Library, services: "Services") -> Found:
    """One library for all runtimes that it recognises."""
    for_library = cast("_ompd.Services", services)
    spaces: List[_ompd.AddressSpace] = []
    problems: List[str] = []
    names: List[Optional[str]] = list(library.runtimes()) or [None]
    for name in names:
        try:
            space = library.open(for_library) if name is None else library.open(for_library, name)
            spaces.append(space)
        except _ompd.Error as error:
            if name is None:
                problems.append(f"{library.path} does not understand the program: {error.reason}")
            elif not isinstance(error, _ompd.Unavailable):
                problems.append(error.reason)
    looked_for = " or ".join(", ".join(filter(None, names)).rsplit(", ", 1))
    return Found(spaces, problems, f"no {looked_for} in the program")
