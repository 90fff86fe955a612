# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers in text that anybody may have written."""

from __future__ import annotations

from typing import Optional

_MOST_DIGITS = 18


def number_in(text: str) -> Optional[int]:
    """Return a number in ASCII digits; None for anything else. str.isdigit() knows more digits
    than int(), which takes its time with thousands of them."""
    if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        return int(text)
    return None
