# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of a page. Text of the program is escaped when it is put into one: what is no Markup
is text."""

from __future__ import annotations

import html
from typing import Iterable, List, Optional, Sequence, Union

from ompdbg.text import visible

_VOID = ("br", "hr", "input", "meta")
_EMPTY = (*_VOID, "path", "rect", "line", "circle", "use")

Content = Union[str, int, None, "Iterable[Content]"]


class Markup(str):
    """Text that is HTML already."""


def text(value: str) -> Markup:
    """Return text, escaped; in ASCII, for a page may be printed where that is all there is."""
    escaped = html.escape(visible(value), quote=True)
    return Markup(escaped.encode("ascii", "xmlcharrefreplace").decode())


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
        return Markup(f"<{name}{told}>" if name in _VOID else f"<{name}{told}/>")
    return Markup(f"<{name}{told}>{joined(content)}</{name}>")


def folded(items: Sequence[Markup], most: int, noun: str, name: str = "div") -> List[Markup]:
    """Return items; of more than `most`, half of so many, and a fold with the others."""
    if len(items) <= most:
        return list(items)
    shown, rest = items[: most // 2], items[most // 2 :]
    title = element("summary", f"{len(rest):,} more {noun}")
    return [
        *shown,
        element("li" if name == "ul" else name, element("details", title, element(name, rest))),
    ]


def stretched(
    content: Content, box: str, kind: str, told: str, row: Optional[int] = None
) -> Markup:
    """Return a picture without text that takes all the room that it has."""
    return element(
        "svg",
        content,
        viewBox=box,
        preserveAspectRatio="none",
        class_=kind,
        role="img",
        aria_label=told,
        data_row=row,
    )
