# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text from outside: names of symbols, files and threads, strings and arguments of the program.

Inside, a name is what its bytes are in UTF-8. A byte that is not part of UTF-8 is a lone surrogate
(PEP 383): nothing is lost, and nothing raises. decoded() is the way in. On the way out, visible()
and shown() escape what a terminal would obey, and what it would not show.
"""

from __future__ import annotations

import codecs
import re
from typing import Optional, Tuple

# The name of the error handler for streams: a letter that they lack is escaped.
ESCAPED = "ompdbg.escaped"

# Control characters; what has no shape of its own (Unicode's Cf, Default_Ignorable_Code_Point), as
# what turns the direction of text around; what ends a line; half characters.
_SHAPELESS = (
    "\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
_OTHERS = f"\x7f-\x9f{_SHAPELESS}\u2028\u2029\ud800-\udfff\ufffe\uffff"
_HIDDEN = re.compile(f"[\0-\x1f{_OTHERS}]")
_HIDDEN_IN_LINE = re.compile(f"[\0-\x08\x0a-\x1f{_OTHERS}]")
_NAMED = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
FIRST_BYTE, LAST_BYTE = 0xDC80, 0xDCFF  # surrogates that stand for bytes
_NOT_BYTES = re.compile("[\ud800-\udc7f\udd00-\udfff]")
_REPLACEMENT = "\ufffd"
_MOST_DIGITS = 18


def decoded(data: bytes) -> str:
    """Return bytes from outside as text."""
    return data.decode("utf-8", "surrogateescape")


def encoded(text: str) -> bytes:
    """Return the bytes that a text was."""
    return without_halves(text).encode("utf-8", "surrogateescape")


def without_halves(text: str) -> str:
    """Return the text without the surrogates that stand for no byte."""
    return text if text.isascii() else _NOT_BYTES.sub(_REPLACEMENT, text)


def number_in(text: str) -> Optional[int]:
    """Return a number in ASCII digits; None for anything else. str.isdigit() knows more digits
    than int(), which takes its time with thousands of them."""
    if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        return int(text)
    return None


def visible(text: str) -> str:
    r"""Return one line in which everything can be seen: a newline as `\n`, a byte as `\xff`."""
    return text if text.isascii() and text.isprintable() else _HIDDEN.sub(_escape, text)


def shown(line: str) -> str:
    """Return a line for a terminal, which may have tabs."""
    return line if line.isascii() and line.isprintable() else _HIDDEN_IN_LINE.sub(_escape, line)


def _escape(found: re.Match[str]) -> str:
    letter = found.group()
    code = ord(letter)
    if letter in _NAMED:
        return _NAMED[letter]
    if code < 0x80:
        return f"\\x{code:02x}"
    if FIRST_BYTE <= code <= LAST_BYTE:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escape_unknown(error: UnicodeError) -> Tuple[str, int]:
    """Escape letters that a stream's encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    told = (
        f"\\u{ord(one):04x}" if ord(one) < 0x10000 else f"\\U{ord(one):08x}" for one in letters
    )
    return "".join(told), error.end


codecs.register_error(ESCAPED, _escape_unknown)
