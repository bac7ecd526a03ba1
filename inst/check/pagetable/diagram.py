"""An SVG diagram of an entry's automaton, and the path that a trace took through it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 1330, 540
RADIUS = 30
LIMIT = 24
"""Moves that are listed; a longer path shows its last ones."""
SHOWN = 2
"""Records that are named at an arrow."""


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a location: the record, what it was, and where it led."""

    record: int
    label: str
    place: str
    """A node's name, or the finding's code."""
    violation: bool


# name, what is written below it, centre
_UPPER, _LOWER = 110, 280
_NODES = {
    "-": ("not initialised", 70, _UPPER),
    "plain": ("plain memory", 70, _LOWER),
    "I": ("invalid, clean", 340, _LOWER),
    "V": ("valid", 340, _UPPER),
    "n": ("unclean: nothing yet", 610, _UPPER),
    "d": ("unclean: dsb seen", 880, _UPPER),
    "ta": ("unclean: tlbi seen", 880, _LOWER),
    "ti": ("stage-2 tlbi seen", 1150, _UPPER),
    "td": ("... and dsb", 1150, _LOWER),
}

# from, to, what does it
_EDGES = (
    ("-", "plain", "mem-init"),
    ("plain", "I", "linked"),
    ("plain", "V", "linked"),
    ("I", "V", "write valid"),
    ("V", "n", "write invalid"),
    ("n", "d", "dsb"),
    ("d", "ta", "tlbi"),
    ("d", "ti", "tlbi ipas2"),
    ("ti", "td", "dsb ish"),
    ("td", "ta", "tlbi vmalle1"),
    ("ta", "I", "dsb ish"),
)
_FAULT = (610, 430)

_STYLE = """\
text { font: 12px sans-serif; text-anchor: middle; fill: #222 }
.right { text-anchor: start }
.left { text-anchor: end }
.name { font-weight: bold; font-size: 15px }
.list { text-anchor: start; font-family: monospace }
circle { fill: #fff; stroke: #555; stroke-width: 1.5 }
line { stroke: #bbb; stroke-width: 1.5; marker-end: url(#grey) }
.taken line { stroke: #1565c0; stroke-width: 3; marker-end: url(#blue) }
.taken text { fill: #1565c0; font-weight: bold }
.taken circle { stroke: #1565c0; stroke-width: 3 }
.fault line { stroke: #c62828; stroke-width: 3; marker-end: url(#red) }
.fault text { fill: #c62828; font-weight: bold }
.fault circle { stroke: #c62828; stroke-width: 3; fill: #ffebee }"""


def draw(address: int, path: list[Move]) -> str:
    """Return the diagram of a location with its path highlighted."""
    shown = path[-LIMIT:]
    height = HEIGHT + 18 * max(0, len(shown) - 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        f'viewBox="0 0 {WIDTH} {height}" role="img">',
        f"<title>The entry at {address:#x}</title>",
        f"<style>{_STYLE}</style>",
        "<defs>",
        *(_marker(name, colour) for name, colour in _MARKERS),
        "</defs>",
        f'<text x="{WIDTH / 2}" y="28" class="name">The entry at {address:#x}</text>',
        *_edges(path),
        *_nodes(path),
        *_listing(shown, len(path) - len(shown)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


_MARKERS = (("grey", "#bbb"), ("blue", "#1565c0"), ("red", "#c62828"))


def _marker(name: str, colour: str) -> str:
    return (
        f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" '
        f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
        f'<path d="M0,0 L10,5 L0,10 z" fill="{colour}"/></marker>'
    )


def _places(path: list[Move]) -> list[tuple[str, str, Move]]:
    """Return from, to and move for every step of the path."""
    found, before = [], "-"
    for move in path:
        found.append((before, "!" if move.violation else move.place, move))
        if not move.violation:
            before = move.place
    return found


def _edges(path: list[Move]) -> Iterator[str]:
    taken: dict[tuple[str, str], list[Move]] = {}
    for first, second, move in _places(path):
        taken.setdefault((first, second), []).append(move)
    for first, second, label in _EDGES:
        moves = taken.pop((first, second), [])
        yield _edge(_centre(first), _centre(second), label, moves, "taken" if moves else "")
    for (first, second), moves in taken.items():
        kind = "fault" if second == "!" else "taken"
        label = moves[-1].place if second == "!" else moves[-1].label
        yield _edge(_centre(first), _centre(second), label, moves, kind)


def _centre(name: str) -> tuple[int, int]:
    return _FAULT if name == "!" else _NODES[name][1:]


def _edge(
    first: tuple[int, int], second: tuple[int, int], label: str, moves: list[Move], kind: str
) -> str:
    """Return an arrow from circle to circle, with its label and the records that took it."""
    across, down = second[0] - first[0], second[1] - first[1]
    length = math.hypot(across, down) or 1.0
    step_x, step_y = across / length * RADIUS, down / length * RADIUS
    records = ", ".join(str(move.record) for move in moves[-SHOWN:])
    records = f"record {records}" if len(moves) == 1 else records
    records = "..., " + records if len(moves) > SHOWN else records
    lines = [
        f'<text x="{x:.1f}" y="{y:.1f}"{side}>{escape(text)}</text>'
        for text, (x, y, side) in zip(
            (label, records) if kind else (label,), _beside(first, second, kind), strict=False
        )
    ]
    return (
        f'<g class="{kind}"><line x1="{first[0] + step_x:.1f}" y1="{first[1] + step_y:.1f}" '
        f'x2="{second[0] - step_x:.1f}" y2="{second[1] - step_y:.1f}"/>{"".join(lines)}</g>'
    )


def _beside(
    first: tuple[int, int], second: tuple[int, int], kind: str
) -> tuple[tuple[float, float, str], ...]:
    """Return where an arrow's two lines of text go: clear of other arrows, circles and texts."""
    across, down = second[0] - first[0], second[1] - first[1]

    def point(part: float) -> tuple[float, float]:
        return first[0] + part * across, first[1] + part * down

    if down == 0:  # above and below; those of a long arrow near its start, out of others' way
        x, y = point(0.15 if abs(across) > _NODES["V"][1] else 0.5)
        below = 39 if (first, second) == (_centre("I"), _centre("plain")) else 0
        return (x, y - 7 + below, ""), (x, y + 16 + below - (7 if below else 0), "")
    x, y = point((0.8 if across < 0 else 0.7) if kind == "fault" else 0.3 if across else 0.5)
    side, away = "right", 8
    if kind != "fault" and across > 0:
        x, y = x + 6, y + 16
    elif kind != "fault" and across:  # the way back: on the other side
        x, y = point(0.2)
        side, away, y = "left", -16, y - 5
    elif kind != "fault" and first[0] == _NODES["V"][1]:  # arrows to the fault are on the right
        side, away = "left", -8
    elif first[0] == _NODES["-"][1]:
        y -= 20
    return tuple((x + away, y + line, f' class="{side}"') for line in (-4, 12))


def _nodes(path: list[Move]) -> Iterator[str]:
    visited = {move.place for move in path if not move.violation} | {"-"}
    for name, (text, x, y) in _NODES.items():
        kind = "taken" if name in visited else ""
        caption = y - RADIUS - 8 if y == _UPPER else y + RADIUS + 18
        yield (
            f'<g class="{kind}"><circle cx="{x}" cy="{y}" r="{RADIUS}"/>'
            f'<text x="{x}" y="{y + 5}" class="name">{escape(name)}</text>'
            f'<text x="{x}" y="{caption}">{escape(text)}</text></g>'
        )
    for move in path:
        if move.violation:
            x, y = _FAULT
            yield (
                f'<g class="fault"><circle cx="{x}" cy="{y}" r="{RADIUS}"/>'
                f'<text x="{x}" y="{y + 5}" class="name">!</text>'
                f'<text x="{x}" y="{y + RADIUS + 16}">{escape(move.place)}</text></g>'
            )
            return


def _listing(path: list[Move], left_out: int) -> Iterator[str]:
    y = 510
    if left_out:
        yield f'<text x="30" y="{y - 18}" class="list">({left_out} earlier moves)</text>'
    for move in path:
        text = f"record {move.record}: {move.label} -> {move.place}"
        kind = ' style="fill:#c62828"' if move.violation else ""
        yield f'<text x="30" y="{y}" class="list"{kind}>{escape(text)}</text>'
        y += 18
