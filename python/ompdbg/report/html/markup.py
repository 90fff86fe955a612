# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of a page. Text of the program is escaped when it is put into one: what is no Markup
is text."""

from __future__ import annotations

import html
import re
from typing import Iterable, Union

# What no text of a document may have: control characters but line ends and tabs, and surrogates.
_FORBIDDEN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# What turns the direction of text around: names must read as they are.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f]")
_REPLACEMENT = "\ufffd"
_EMPTY = ("br", "hr", "meta", "path", "rect", "line", "circle", "use")

Content = Union[str, int, None, "Iterable[Content]"]


class Markup(str):
    """Text that is HTML already."""


def text(value: str) -> Markup:
    """Text, escaped."""
    clean = _TURNING.sub(_REPLACEMENT, _FORBIDDEN.sub(_REPLACEMENT, value))
    return Markup(html.escape(clean, quote=True))


def joined(content: Content) -> Markup:
    """Contents one after another."""
    if content is None:
        return Markup("")
    if isinstance(content, Markup):
        return content
    if isinstance(content, int):
        return Markup(str(content))
    if isinstance(content, str):
        return text(content)
    return Markup("".join(map(joined, content)))


def element(name: str, /, *content: Content, **attributes: Union[str, int, bool, None]) -> Markup:
    """`<name attributes>content</name>`. An attribute's name is written with "_" for "-", and
    with one at its end where it is a word of Python; None or False leaves it out."""
    told = "".join(
        f" {key.rstrip('_').replace('_', '-')}"
        + ("" if value is True else f'="{text(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _EMPTY:
        return Markup(f"<{name}{told}>" if name in ("br", "hr", "meta") else f"<{name}{told}/>")
    return Markup(f"<{name}{told}>{joined(content)}</{name}>")
