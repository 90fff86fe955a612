# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lays out a graph in layers: edges lead down, but for those that close a circle."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

NODE_WIDTH, NODE_HEIGHT = 196, 56
_BEND_WIDTH = 12
_GAP, _LAYER_GAP = 20, 44
_MARGIN = 18
_SWEEPS = 4
_ASIDE = 28  # of what leads up from the middle of a node, beside what leads down

Point = Tuple[float, float]
_Item = Tuple[int, int]  # of a node (index, -1); of a bend (edge, layer)


class Layout(NamedTuple):
    """Where everything is: the upper left corners of nodes, and the points of edges."""

    width: float
    height: float
    nodes: List[Point]
    edges: List[List[Point]]


def layout(count: int, edges: Sequence[Tuple[int, int]]) -> Layout:
    """Place the nodes 0 to `count` - 1, with edges from one to the next below it."""
    turned = _closing(count, edges)
    downwards = [
        (end, begin) if index in turned else (begin, end)
        for index, (begin, end) in enumerate(edges)
    ]
    layer_of = _layers(count, downwards)
    layers, ways = _with_bends(count, downwards, layer_of)
    _untangle(layers, ways)
    places, width = _places(layers)
    nodes = [places[(index, -1)] for index in range(count)]
    lines = [_line(places, way, index in turned) for index, way in enumerate(ways)]
    height = len(layers) * (NODE_HEIGHT + _LAYER_GAP) - _LAYER_GAP + 2 * _MARGIN
    return Layout(width, max(height, 0), nodes, lines)


def _closing(count: int, edges: Sequence[Tuple[int, int]]) -> Set[int]:
    """Return the edges that close a circle: a search in depth comes back by them."""
    leaving: List[List[int]] = [[] for _ in range(count)]
    for index, (begin, _) in enumerate(edges):
        leaving[begin].append(index)
    found: Set[int] = set()
    entered, left = [False] * count, [False] * count
    for first in range(count):
        pending = [] if entered[first] else [(first, iter(leaving[first]))]
        entered[first] = True
        while pending:
            node, rest = pending[-1]
            index = next(rest, -1)
            if index < 0:
                left[node] = True
                pending.pop()
                continue
            end = edges[index][1]
            if not entered[end]:
                entered[end] = True
                pending.append((end, iter(leaving[end])))
            elif not left[end]:
                found.add(index)
    return found


def _layers(count: int, edges: Sequence[Tuple[int, int]]) -> List[int]:
    """Return the length of the longest way to each node."""
    after: Dict[int, List[int]] = {}
    missing = [0] * count
    for begin, end in edges:
        after.setdefault(begin, []).append(end)
        missing[end] += 1
    found = [0] * count
    ready = [node for node in range(count) if not missing[node]]
    while ready:
        node = ready.pop()
        for end in after.get(node, []):
            found[end] = max(found[end], found[node] + 1)
            missing[end] -= 1
            if not missing[end]:
                ready.append(end)
    return found


def _with_bends(
    count: int, edges: Sequence[Tuple[int, int]], layer_of: Sequence[int]
) -> Tuple[List[List[_Item]], List[List[_Item]]]:
    """Each layer, and the way of each edge through them."""
    layers: List[List[_Item]] = [[] for _ in range(max(layer_of, default=-1) + 1)]
    for node in range(count):
        layers[layer_of[node]].append((node, -1))
    ways: List[List[_Item]] = []
    for number, (begin, end) in enumerate(edges):
        bends = [(number, layer) for layer in range(layer_of[begin] + 1, layer_of[end])]
        for bend in bends:
            layers[bend[1]].append(bend)
        ways.append([(begin, -1), *bends, (end, -1)])
    return layers, ways


def _untangle(layers: List[List[_Item]], ways: Sequence[Sequence[_Item]]) -> None:
    """Orders each layer by where its neighbours are, downwards and upwards in turn."""
    above: Dict[_Item, List[_Item]] = {}
    below: Dict[_Item, List[_Item]] = {}
    for way in ways:
        for first, second in zip(way, way[1:]):
            below.setdefault(first, []).append(second)
            above.setdefault(second, []).append(first)
    for sweep in range(_SWEEPS):
        neighbours = below if sweep % 2 else above
        order = range(len(layers) - 2, -1, -1) if sweep % 2 else range(1, len(layers))
        for number in order:
            other = layers[number + 1 if sweep % 2 else number - 1]
            position = {item: index for index, item in enumerate(other)}
            layers[number] = _ordered(layers[number], neighbours, position)


def _ordered(
    layer: List[_Item], neighbours: Dict[_Item, List[_Item]], position: Dict[_Item, int]
) -> List[_Item]:
    def middle(pair: Tuple[int, _Item]) -> float:
        index, item = pair
        known = [position[one] for one in neighbours.get(item, []) if one in position]
        return sum(known) / len(known) if known else index

    return [item for _, item in sorted(enumerate(layer), key=middle)]


def _places(layers: Sequence[Sequence[_Item]]) -> Tuple[Dict[_Item, Point], float]:
    """Upper left corners, each layer in the middle; and the width of all."""
    widths = [sum(map(_width, layer)) + _GAP * (len(layer) - 1) for layer in layers]
    whole = max(widths, default=0)
    places: Dict[_Item, Point] = {}
    for number, layer in enumerate(layers):
        x = _MARGIN + (whole - widths[number]) / 2
        for item in layer:
            places[item] = (x, _MARGIN + number * (NODE_HEIGHT + _LAYER_GAP))
            x += _width(item) + _GAP
    return places, whole + 2 * _MARGIN


def _width(item: _Item) -> int:
    return NODE_WIDTH if item[1] < 0 else _BEND_WIDTH


def _line(places: Dict[_Item, Point], way: Sequence[_Item], turned: bool) -> List[Point]:
    """Go from below the first node to above the last, straight down beside the nodes between. What
    is turned goes up."""
    aside = _ASIDE if turned else 0
    points: List[Point] = []
    for item in way:
        x, y = places[item]
        if item[1] >= 0:
            points += [(x + _BEND_WIDTH / 2, y), (x + _BEND_WIDTH / 2, y + NODE_HEIGHT)]
        else:
            points.append((x + NODE_WIDTH / 2 + aside, y + (0 if points else NODE_HEIGHT)))
    return points[::-1] if turned else points
