"""Calls as text: a tree, a graph for Graphviz, collapsed stacks; and a flame graph as SVG.

A flame graph has a box for each chain of callers: it stands on its caller's and is as wide as what
it stands for, with all that was called from it. The picture is one file without links; its colours
depend on names only.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from hashlib import sha256

from inst.calltree.profile import ELSEWHERE, Profile
from inst.calltree.tree import ROOT

WEIGHTS = {
    "accesses": "accesses of memory",
    "bytes": "bytes accessed",
    "calls": "calls",
}
"""What boxes and lines count."""
WIDTH, HEIGHT, MARGIN, TITLE = 1200, 18, 10, 44
"""Of the picture, of a box, around it, and above it; in pixels."""
LETTER = 6.7
"""Mean width of a letter, in pixels."""
NARROWEST = 0.4
"""Boxes of fewer pixels are left out."""


def own_weights(profile: Profile, weight: str) -> list[int]:
    """Return what each node counts by itself."""
    tree = profile.tree
    if weight == "calls":
        return list(tree.calls)
    which = 0 if weight == "accesses" else 1
    return [profile.own(node)[which] for node in range(len(tree))]


def with_callees(profile: Profile, own: list[int]) -> list[int]:
    """Return what each node counts with all that it called."""
    totals = list(own)
    for node in range(len(totals) - 1, 0, -1):
        totals[profile.tree.parents[node]] += totals[node]
    return totals


def children_of(profile: Profile) -> dict[int, list[int]]:
    """Return the nodes called from each node, by their names."""
    tree, found = profile.tree, dict[int, list[int]]()
    for node in range(1, len(tree)):
        found.setdefault(tree.parents[node], []).append(node)
    for nodes in found.values():
        nodes.sort(key=lambda node: (tree.names[node], not tree.direct[node]))
    return found


def tree_text(profile: Profile, weight: str) -> Iterator[str]:
    """Yield a line for each chain of callers: its weight with its callees, its calls, its name."""
    tree, totals = profile.tree, with_callees(profile, own_weights(profile, weight))
    children = children_of(profile)
    yield f"{weight:>12}        calls  function"
    waiting = _heaviest_last(children.get(ROOT, []), totals)
    while waiting:
        node = waiting.pop()
        calls = f"{tree.calls[node]}{'' if tree.exact[node] else '+'}"
        via = "" if tree.direct[node] or tree.parents[node] == ROOT else "... "
        indent = "  " * (tree.depths[node] - 1)
        yield f"{totals[node]:12} {calls:>12}  {indent}{via}{tree.names[node]}"
        waiting += _heaviest_last(children.get(node, []), totals)


def _heaviest_last(nodes: list[int], totals: list[int]) -> list[int]:
    return sorted(nodes, key=lambda node: totals[node])


def collapsed(profile: Profile, weight: str) -> Iterator[str]:
    """Yield `outer;inner WEIGHT` for each chain of callers that has a weight of its own."""
    for node, count in enumerate(own_weights(profile, weight)):
        if count:
            path = profile.tree.path(node) or [ELSEWHERE]
            yield f"{';'.join(name.replace(';', ':') for name in path)} {count}"


def dot(profile: Profile) -> Iterator[str]:
    """Yield the call graph in the language of Graphviz: dashed where others may lie between."""
    yield "digraph calls {"
    yield '  node [shape=box, fontname="sans-serif", style=filled, fillcolor="#fff4e0"];'
    for row in profile.functions():
        if row.depth:
            label = f"{_quoted(row.name)}\\n{row.accesses} accesses"
            yield f'  "{_quoted(row.name)}" [label="{label}"];'
    for edge in profile.edges():
        if edge.caller:
            style = "" if edge.direct else ", style=dashed"
            count = f"{edge.calls}{'' if edge.exact else '+'}"
            yield (
                f'  "{_quoted(edge.caller)}" -> "{_quoted(edge.callee)}" [label="{count}"{style}];'
            )
    yield "}"


def _calls(count: int, exact: bool) -> str:
    return f"{count} or more calls" if not exact else f"{count} call{'s' * (count != 1)}"


def _quoted(name: str) -> str:
    return name.replace("\\", "\\\\").replace('"', '\\"')


def flame(profile: Profile, weight: str, title: str) -> Iterator[str]:
    """Yield the lines of the flame graph as SVG."""
    tree, own = profile.tree, own_weights(profile, weight)
    totals = with_callees(profile, own)
    boxes = list(_boxes(profile, totals))
    deepest = max((depth for _, depth, _, _ in boxes), default=0)
    height = TITLE + (deepest + 1) * (HEIGHT + 1) + MARGIN
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}"'
        f' viewBox="0 0 {WIDTH} {height}" style="max-width:100%;height:auto"'
        ' font-family="DejaVu Sans, Verdana, sans-serif">'
    )
    yield f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    yield _text(MARGIN, 18, title, size=14, weight="bold")
    yield _text(MARGIN, 35, f"width: {WEIGHTS[weight]}, {totals[ROOT]} in all", size=11)
    for node, depth, left, wide in boxes:
        name = tree.names[node] if node else "all"
        calls = f", {_calls(tree.calls[node], tree.exact[node])}" if node else ""
        top = height - MARGIN - (depth + 1) * (HEIGHT + 1)
        share = 100 * totals[node] / (totals[ROOT] or 1)
        note = f"{name}: {totals[node]} {weight} ({share:.2f} %), {own[node]} its own{calls}"
        loose = not tree.direct[node] and tree.parents[node] != ROOT
        border = ' stroke="#806040" stroke-dasharray="3 2"' if loose else ""
        yield f"<g><title>{html.escape(note)}</title>"
        yield (
            f'<rect x="{left:.2f}" y="{top}" width="{wide:.2f}" height="{HEIGHT}" rx="2"'
            f' fill="{_colour(name) if node else "#d8d8d8"}"{border}/>'
        )
        yield _text(left + 3, top + 13, _label(name, int((wide - 6) / LETTER)), size=11)
        yield "</g>"
    yield "</svg>"


def _boxes(profile: Profile, totals: list[int]) -> Iterator[tuple[int, int, float, float]]:
    """Yield node, depth, left edge and width of each box."""
    children, scale = children_of(profile), (WIDTH - 2 * MARGIN) / (totals[ROOT] or 1)
    waiting = [(ROOT, 0, float(MARGIN))] if totals[ROOT] else []
    while waiting:
        node, depth, left = waiting.pop()
        yield node, depth, left, totals[node] * scale - 0.5
        for child in children.get(node, []):
            wide = totals[child] * scale
            if wide >= NARROWEST:
                waiting.append((child, depth + 1, left))
            left += wide


def _label(name: str, room: int) -> str:
    """Return a name in so many letters: without a C++ function's parameters, or cut, or none."""
    if len(name) <= room:
        return name
    bare = name.partition("(")[0] or name
    if len(bare) <= room:
        return bare
    return f"{bare[: room - 2]}.." if room >= 6 else ""


def _colour(name: str) -> str:
    """Return a warm colour that depends on the name alone."""
    number = sha256(name.encode("utf-8", "surrogateescape")).digest()
    return f"#{225 + number[0] % 30:02x}{120 + number[1] % 105:02x}{60 + number[2] % 50:02x}"


def _text(left: float, bottom: float, text: str, *, size: int, weight: str = "normal") -> str:
    if not text:
        return ""
    return (
        f'<text x="{left:.2f}" y="{bottom}" font-size="{size}" font-weight="{weight}"'
        f' fill="#202020">{html.escape(text)}</text>'
    )


FORMS: dict[str, Callable[[Profile, str, str], Iterator[str]]] = {
    "tree": lambda profile, weight, title: tree_text(profile, weight),
    "dot": lambda profile, weight, title: dot(profile),
    "collapsed": lambda profile, weight, title: collapsed(profile, weight),
    "svg": flame,
}
"""How calls are drawn."""
