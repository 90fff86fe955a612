# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where a construct is in the source, as the runtime was told by Clang's and flang's code.

Programs whose debug information was stripped keep these texts: `;file;function;line;column;;`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Optional

from ompdbg.text import decoded

if TYPE_CHECKING:
    from ompdbg.model.runtime import Runtime

_STEP = 64
_MAX = 4096
_UNKNOWN = "unknown"  # what stands for all that was compiled without -g
_FLANGS = "FIRModule"  # which is no file


class Construct(NamedTuple):
    """The beginning of a construct."""

    function: str
    file: Optional[str]  # None: flang does not tell
    line: int


def construct_at(runtime: "Runtime", address: int) -> Optional[Construct]:
    """What the text at an address says; None if it says nothing, or is none."""
    return parse(_text_at(runtime, address)) if address else None


def parse(text: str) -> Optional[Construct]:
    """The parts of a text."""
    parts = text.split(";")
    if len(parts) < 5 or not parts[3].isdecimal():
        return None
    file, function, line = parts[1], parts[2], int(parts[3])
    if not line or _UNKNOWN in (file, function) or not file or not function:
        return None
    return Construct(function, None if file == _FLANGS else file, line)


def _text_at(runtime: "Runtime", address: int) -> str:
    """A zero-terminated text; empty if it has no end, or cannot be read."""
    data = b""
    while len(data) < _MAX:
        # Pieces do not cross the end of a page: the next one may not be there.
        size = _STEP - (address + len(data)) % _STEP
        try:
            data += runtime.services.read_memory(address + len(data), size)
        except runtime.services.errors:
            return ""
        if b"\0" in data:
            return decoded(data.partition(b"\0")[0])
    return ""
