"""Two streams of keys aligned: what is only in one of them, and where they are equal next.

At a difference the shortest edit script is sought that leads to a stretch of `SOLID` equal
rows. Beyond `EDITS` edits, equal stretches of that length are looked for in the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from inst.trace.compare import Block
from inst.trace.model import Array

SOLID = 16
"""Equal rows after a difference that end it."""
EDITS = 256
WINDOW = 16384
SHOWN = 100
"""Rows of one side of a difference that are stored to be shown."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One side of a difference: where it is in the file, how long, and its first rows."""

    first: int
    count: int
    shown: list[tuple[int, Any]]


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows of the old trace in whose place the new one has others; one may be empty."""

    old: Piece
    new: Piece


class Side:
    """One of the two streams, with a view ahead."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._blocks = blocks
        self._waiting: list[Block] = []
        self._position = 0

    def head(self) -> Block | None:
        """Return the next rows, as many as come together; None at the end."""
        self._fill(1)
        return self._waiting[0] if self._waiting else None

    def _fill(self, count: int) -> None:
        have = sum(map(len, self._waiting))
        while have < count:
            block = next(self._blocks, None)
            if block is None:
                return
            if len(block):
                self._waiting.append(block)
                have += len(block)

    def ahead(self, count: int) -> Array:
        """Return the keys of the next rows, at most `count`."""
        self._fill(count)
        keys = [block.keys[:count] for block in self._waiting]
        return np.concatenate(keys)[:count] if keys else np.zeros((0, 1), "u8")

    def skip(self, count: int) -> None:
        while count:
            block = self._waiting[0]
            step = min(count, len(block))
            self._position = int(block.index[step - 1]) + 1
            if step == len(block):
                self._waiting.pop(0)
            else:
                self._waiting[0] = block.part(step)
            count -= step

    def take(self, count: int) -> Piece:
        """Take rows away as one side of a difference."""
        self._fill(1)
        first = int(self._waiting[0].index[0]) if self._waiting else self._position
        shown: list[tuple[int, Any]] = []
        taken = 0
        while taken < count and self._waiting:
            block = self._waiting[0]
            step = min(count - taken, len(block))
            some = range(min(step, SHOWN - len(shown)))
            shown += [(int(block.index[row]), block.rows[row]) for row in some]
            self.skip(step)
            taken += step
            self._fill(1)
        return Piece(first, taken, shown)


Alike = Callable[[Block, Block], object]
"""Takes stretches of rows that are equal in both traces, of the same length."""


def differences(
    old: Side, new: Side, window: int = WINDOW, alike: Alike | None = None
) -> Iterator[Difference]:
    """Yield what differs, in order; what does not is passed to `alike`."""
    edits = EDITS
    while True:
        a, b = old.head(), new.head()
        if a is None or b is None:
            break
        length = min(len(a), len(b))
        if _pass(old, new, length, alike) < length:
            script = _meet(old, new, window, edits)
            edits = EDITS if len(script) == 1 or script[-1][2] else 32
            for left, right, equal in script:
                if left == right:
                    passed = _pass(old, new, left, None)
                    left, right = left - passed, right - passed
                if left or right:
                    yield Difference(old.take(left), new.take(right))
                _pass(old, new, equal, alike)
    if old.head() is not None or new.head() is not None:
        yield Difference(old.take(1 << 62), new.take(1 << 62))


def _pass(old: Side, new: Side, count: int, alike: Alike | None) -> int:
    """Go on by as many rows of both sides as are equal, `count` at most; return how many."""
    passed = 0
    while passed < count:
        a, b = old.head(), new.head()
        if a is None or b is None:
            break
        length = min(len(a), len(b), count - passed)
        a, b = a.part(0, length), b.part(0, length)
        unequal = np.flatnonzero(a.unequal(b))
        same = int(unequal[0]) if len(unequal) else length
        if alike and same:
            alike(a.part(0, same), b.part(0, same))
        old.skip(same)
        new.skip(same)
        passed += same
        if same < length:
            break
    return passed


Step = tuple[int, int, int]
"""Rows only in the old trace, rows only in the new one, equal rows after them."""


def _meet(old: Side, new: Side, window: int, edits: int) -> list[Step]:
    """Return how both sides get to where they are next the same."""
    near = min(window, edits + SOLID)
    a, b = _numbered(old.ahead(near + 1), new.ahead(near + 1))
    script = _shortest(a, b, edits, len(a) <= near, len(b) <= near)
    if script is not None:
        return script
    left, right = old.ahead(window), new.ahead(window)
    found = _common_stretch(left, right)
    if found is not None:
        return [(*found, 0)]
    return [(len(left), len(right), 0)]


def _numbered(left: Array, right: Array) -> tuple[list[int], list[int]]:
    """Return both sides with a small number for each distinct row."""
    known: dict[bytes, int] = {}
    sides = []
    for keys in (left, right):
        lines = np.ascontiguousarray(keys)
        sides.append([known.setdefault(line.tobytes(), len(known)) for line in lines])
    return sides[0], sides[1]


def _shortest(
    a: list[int], b: list[int], limit: int, a_ends: bool, b_ends: bool
) -> list[Step] | None:
    """Return the shortest edit script to a solid stretch (Myers' greedy algorithm), or None.

    Diagonal k holds the points (x, x - k). A side that ends here may meet the other's end.
    """
    reached = {1: 0}
    history = []
    for edits in range(limit + 1):
        history.append(reached.copy())
        best: tuple[int, int, int, int] | None = None
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and reached[k - 1] < reached[k + 1])
            x = reached[k + 1] if down else reached[k - 1] + 1
            y = x - k
            if x > len(a) or y > len(b):
                reached[k] = min(x, len(a) + 1)
                continue
            start = x
            while x < len(a) and y < len(b) and x - start < SOLID and a[x] == b[y]:
                x, y = x + 1, y + 1
            reached[k] = x
            ended = x == len(a) and y == len(b) and a_ends and b_ends
            if (x - start >= SOLID or ended) and (best is None or x - start > best[0]):
                best = (x - start, x, y, k)
        if best is not None:
            return _script(history, best[1], best[2], edits)
    return None


def _script(history: list[dict[int, int]], x: int, y: int, edits: int) -> list[Step]:
    """Walk the way back and return it forwards, neighbouring edits as one step."""
    moves: list[tuple[int, int]] = []  # (rows of a, rows of b) of each single move
    while edits:
        reached = history[edits]
        k = x - y
        down = k == -edits or (k != edits and reached[k - 1] < reached[k + 1])
        before_x = reached[k + 1] if down else reached[k - 1]
        before_y = before_x - (k + 1 if down else k - 1)
        equal = x - (before_x if down else before_x + 1)
        moves += [(1, 1)] * equal
        moves.append((0, 1) if down else (1, 0))
        x, y, edits = before_x, before_y, edits - 1
    moves += [(1, 1)] * x
    return _grouped(moves[::-1])


def _grouped(moves: list[tuple[int, int]]) -> list[Step]:
    steps: list[Step] = []
    left = right = equal = 0
    for from_a, from_b in moves:
        if from_a and from_b:
            equal += 1
            continue
        if equal:
            steps.append((left, right, equal))
            left = right = equal = 0
        left, right = left + from_a, right + from_b
    steps.append((left, right, equal))
    return steps


def _common_stretch(left: Array, right: Array) -> tuple[int, int] | None:
    """Return the nearest places where `SOLID` rows are the same on both sides."""
    a, b = _stretches(left), _stretches(right)
    if not len(a) or not len(b):
        return None
    values, places = np.unique(b, return_index=True)
    found = np.minimum(np.searchsorted(values, a), len(values) - 1)
    rows = np.flatnonzero(values[found] == a)
    if not len(rows):
        return None
    best = rows[np.argmin(rows + places[found[rows]])]
    return int(best), int(places[found[best]])


def _stretches(keys: Array) -> Array:
    """Return a hash of the `SOLID` rows from each row on."""
    prime = np.uint64(0x100000001B3)
    rows = np.zeros(len(keys), "u8")
    for column in range(keys.shape[1]):
        mixed = (rows ^ keys[:, column]) * np.uint64(0x9E3779B97F4A7C15)
        rows = mixed ^ mixed >> np.uint64(31)
    count = len(keys) - SOLID + 1
    if count <= 0:
        return np.zeros(0, "u8")
    result = np.zeros(count, "u8")
    for step in range(SOLID):
        result = result * prime + rows[step : step + count]
    return result
