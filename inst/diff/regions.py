"""How regions moved from one trace to the other, from the votes of `inst.diff.evidence`.

Each page of the old trace goes where most of its accesses went. Pages that went equally far are
one region, and a region moves as a whole: an address that went elsewhere is a difference. What is
taken for a region is a table of rules, `docs/commands/diff.md` states them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.diff.evidence import PAGE, Evidence
from inst.trace.model import Array
from inst.trace.places import Places

NEAR = 1 << 20
"""Bytes around a region that are its own where no other region is; regions that went equally far
are one up to that distance."""
ALIGNED = 16
"""Regions move by multiples of this many bytes; only a stack's arguments do not."""
WORD = 4
"""Bytes by which pointers to arguments and environment may move; their texts by any number."""
REGIONS = 1 << 12
"""Regions that are distinguished; of more, those with the most accesses."""
_PAGE_SIZE = 1 << int(PAGE)


@dataclass(frozen=True, slots=True)
class Region:
    """A range of old addresses and how far it moved (modulo 2^64)."""

    low: int
    high: int
    delta: int
    count: int
    stack: bool

    @property
    def new_low(self) -> int:
        """Return where it begins in the new trace."""
        return (self.low + self.delta) % (1 << 64)

    @property
    def new_high(self) -> int:
        """Return where it ends there."""
        return self.new_low + self.high - self.low


def regions(evidence: Evidence) -> list[Region]:
    """Return the regions, ascending in the old trace, disjoint in both."""
    votes = evidence.votes
    found = _joined(_winners(votes, evidence.images))
    good = [region for at, region in enumerate(found) if _holds(found, at, evidence)]
    good = _disjoint(good)
    stacks = [region for region in good if region.stack or region.delta % _PAGE_SIZE]
    tops = [top for region in stacks for top in _above(region, votes, good)]
    return sorted(_disjoint(good + tops), key=lambda region: region.low)


def _winners(votes: Array, images: list[tuple[int, int]]) -> list[Region]:
    """Return each page with the distance that most of its accesses went.

    Accesses by the stack pointer count before all others: above a program's frames are its
    arguments, which may go elsewhere. Values alone show nothing.
    """
    votes = votes[votes["count"] > 0]
    aligned = votes["delta"] % np.uint64(ALIGNED) == 0
    order = np.lexsort((votes["count"], aligned, votes["stack"], votes["page"]))
    last = np.ones(len(order), bool)
    pages = votes["page"][order]
    last[:-1] = pages[1:] != pages[:-1]
    result = [
        Region(low, high, delta, count, stack > 0)
        for _, delta, low, high, count, stack, _ in votes[order[last]].tolist()
    ]
    known = {region.low >> int(PAGE) for region in result}
    for old, new in images:
        if old >> int(PAGE) not in known:
            end = old + _PAGE_SIZE - 1
            result.append(Region(old, end, (new - old) % (1 << 64), 1, False))
    return sorted(result, key=lambda region: region.low)


def _joined(pages: list[Region]) -> list[Region]:
    """Return neighbours that went equally far as one."""
    result: list[Region] = []
    for page in pages:
        before = result[-1] if result else None
        if before and before.delta == page.delta and page.low - before.high <= NEAR:
            count, stack = before.count + page.count, before.stack or page.stack
            result[-1] = Region(before.low, page.high, page.delta, count, stack)
        else:
            result.append(page)
    return result


def _holds(found: list[Region], at: int, evidence: Evidence) -> bool:
    """Return whether there is enough to show that a region moved, not just an access.

    What begins with an image is not part of what lies below it, however near that is.
    """
    bases = {old for old, _ in evidence.images}
    region = found[at]
    if region.delta == 0:
        return True
    lone = all(
        abs(other.low - region.high) > NEAR and abs(region.low - other.high) > NEAR
        for other in found[max(at - 1, 0) : at + 2]
        if other is not region and not (other.low in bases and other.low > region.high)
    )
    if region.delta % _PAGE_SIZE == 0:
        return lone or region.high - region.low >= 4
    return region.delta % ALIGNED == 0 and (lone or (region.stack and region.high > region.low))


def _disjoint(found: list[Region]) -> list[Region]:
    """Return the regions that do not overlap in either trace; those of more accesses stay."""
    kept: list[Region] = []
    ordered = sorted(found, key=lambda region: (-region.count, region.low))
    for region in ordered[:REGIONS]:
        if not any(
            (region.low <= other.high and other.low <= region.high)
            or (region.new_low <= other.new_high and other.new_low <= region.new_high)
            for other in kept
        ):
            kept.append(region)
    return kept


def _above(stack: Region, votes: Array, others: list[Region]) -> list[Region]:
    """Return what lies above the frames of a stack and went elsewhere: arguments, environment.

    Such a piece shows as a pointer that is read or written and is followed, or as an aligned one
    that is read or written more than once.
    """
    limit = min([other.low for other in others if other.low > stack.high] + [stack.high + NEAR])
    rows = votes[(votes["low"] > np.uint64(stack.high)) & (votes["high"] < np.uint64(limit))]
    rows = rows[(rows["delta"] != np.uint64(stack.delta)) & (rows["count"] + rows["values"] >= 2)]
    result: list[Region] = []
    for delta in dict.fromkeys(rows["delta"].tolist()):
        piece = rows[rows["delta"] == np.uint64(delta)]
        if not piece["values"].any() or not (piece["count"].any() or delta % WORD == 0):
            continue
        low, high = int(piece["low"].min()), int(piece["high"].max())
        result.append(Region(low, high, delta, int(piece["count"].sum()), False))
    return [piece for piece in result if piece.new_low > stack.new_high]


def places(found: list[Region], *, wide: bool) -> tuple[Places, Places]:
    """Return where the regions are in the old trace and in the new one.

    Each is larger by what is free around it in both, up to `NEAR`.
    """
    below, above = _free(found)
    sides = []
    for old in (True, False):
        low = np.array([r.low if old else r.new_low for r in found], "u8")
        high = np.array([r.high if old else r.new_high for r in found], "u8")
        number = np.arange(len(found), dtype="u8")
        order = np.argsort(low)
        first, last = low - below, high + above
        origin = low - np.uint64(NEAR)
        sides.append(Places(first[order], last[order], origin[order], number[order], wide))
    return sides[0], sides[1]


def _free(found: list[Region]) -> tuple[Array, Array]:
    """Return how many bytes below and above each region are free in both traces."""
    below = np.full(len(found), NEAR, "u8")
    above = np.full(len(found), NEAR, "u8")
    for old in (True, False):
        ends = [(r.low, r.high, n) if old else (r.new_low, r.new_high, n)
                for n, r in enumerate(found)]  # fmt: skip
        ends.sort()
        floor, before = 0, -1
        for low, high, number in ends:
            room = low - floor if before < 0 else (low - floor - 1) // 2
            below[number] = min(int(below[number]), max(room, 0))
            if before >= 0:
                above[before] = min(int(above[before]), max(room, 0))
            floor, before = high, number
        if before >= 0:
            above[before] = min(int(above[before]), (1 << 64) - 1 - floor)
    return below, above


def found_places(evidence: Evidence) -> tuple[Places, Places]:
    """Return where both traces have their regions."""
    return places(regions(evidence), wide=evidence.wide)
