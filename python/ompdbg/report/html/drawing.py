# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws graphs of threads, locks and tasks."""

from __future__ import annotations

from typing import Hashable, Iterable, List, NamedTuple, Optional, Sequence

from ompdbg.report.html.graph import NODE_HEIGHT, NODE_WIDTH, Point, layout
from ompdbg.report.html.markup import Content, Markup, element

LETTERS = 24  # of a line in a node
_LINES = ("name", "line", "status")


class Node(NamedTuple):
    """A box with up to three lines, the most telling first."""

    name: Hashable
    lines: Sequence[str]
    tone: str  # class
    title: str
    href: Optional[str] = None


class Edge(NamedTuple):
    """An arrow from one node to another. Several between the same nodes are drawn once."""

    begin: Hashable
    end: Hashable
    tone: str = ""  # class


def figure(nodes: Sequence[Node], edges: Iterable[Edge], label: str, caption: Content) -> Markup:
    """Draw nodes with edges; those to or from other nodes are left out."""
    index = {node.name: number for number, node in enumerate(nodes)}
    drawn = {(one.begin, one.end): one for one in edges if one.begin in index and one.end in index}
    lines = [edge for edge in drawn.values() if edge.begin != edge.end]
    own = [edge for edge in drawn.values() if edge.begin == edge.end]
    plan = layout(len(nodes), [(index[edge.begin], index[edge.end]) for edge in lines])
    drawing = element(
        "svg",
        [_edge(edge, points) for edge, points in zip(lines, plan.edges)],
        [_own_edge(edge, plan.nodes[index[edge.begin]]) for edge in own],
        [_node(node, place) for node, place in zip(nodes, plan.nodes)],
        viewBox=f"0 0 {plan.width:g} {plan.height:g}",
        width=f"{plan.width:g}",
        height=f"{plan.height:g}",
        role="group",
        aria_label=label,
    )
    return element(
        "figure",
        element("div", drawing, class_="scroll", tabindex="0", role="region", aria_label=label),
        element("figcaption", caption),
        class_="graph",
    )


def _edge(edge: Edge, points: List[Point]) -> Markup:
    (x, y), *rest = points
    told = [f"M{x:g} {y:g}"]
    before = y
    for next_x, next_y in rest:
        middle = (y + next_y) / 2
        told.append(f"C{x:g} {middle:g} {next_x:g} {middle:g} {next_x:g} {next_y:g}")
        x, before, y = next_x, y, next_y
    back = 7 if before < y else -7
    head = f"M{x - 4:g} {y - back:g}L{x:g} {y:g}L{x + 4:g} {y - back:g}"
    return element(
        "g",
        element("path", d="".join(told)),
        element("path", d=head, class_="head"),
        class_=f"edge {edge.tone}".strip(),
    )


def _own_edge(edge: Edge, place: Point) -> Markup:
    """Draw a loop below a node."""
    x, y = place[0] + NODE_WIDTH - 44, place[1] + NODE_HEIGHT
    loop = element("path", d=f"M{x:g} {y:g}c-4 22 32 22 28 0")
    head = element("path", d=f"M{x + 22:g} {y + 6:g}l6 -6l4 7", class_="head")
    return element("g", loop, head, class_=f"edge {edge.tone}".strip())


def _node(node: Node, place: Point) -> Markup:
    x, y = place
    lines = [
        element("text", _cut(line), x="14", y=20 + 14 * number, class_=_LINES[number])
        for number, line in enumerate(node.lines)
        if line
    ]
    inside = [
        element("title", node.title),
        element("rect", width=NODE_WIDTH, height=NODE_HEIGHT, rx="4"),
        element("rect", width="4", height=NODE_HEIGHT, rx="2", class_="mark"),
        lines,
    ]
    return element(
        "g",
        inside if node.href is None else element("a", inside, href=node.href),
        transform=f"translate({x:g} {y:g})",
        class_=f"node {node.tone}",
    )


def _cut(line: str) -> str:
    return line if len(line) <= LETTERS else line[: LETTERS - 1] + "…"
