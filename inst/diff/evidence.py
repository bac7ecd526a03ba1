"""What two traces show of how regions moved: addresses of instructions that are alike in both.

Both are aligned by what does not move with a region: kinds, sizes, instruction words, the place of
a pc in its page. What stands side by side then is a pair of addresses, and the distance between
them is a vote for a page of the old trace. Votes of a page for one distance are one row of a table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from inst.arch.registry import producer
from inst.diff.align import Side, differences
from inst.errors import InstError
from inst.trace.compare import Block
from inst.trace.model import Array, Flag, Kind, Trace
from inst.words.model import Words

PAGE = np.uint64(12)
"""Bits of an address within its page."""
LIMIT = 1 << 18
"""Rows that are remembered; those with the fewest votes go first."""
WINDOW = 4096
"""Records looked ahead to find the traces alike again."""

VOTES = np.dtype(
    [
        ("page", "u8"),  # number of the page in the old trace
        ("delta", "u8"),  # new address - old address, modulo 2^64
        ("low", "u8"),  # the lowest old address that voted so
        ("high", "u8"),  # the highest
        ("count", "u8"),  # accesses and pcs
        ("stack", "u8"),  # of them accesses by the stack or frame pointer
        ("values", "u8"),  # values that differ so
    ]
)

_MOVED = (Kind.READ, Kind.WRITE, Kind.RESERVE, Kind.INIT, Kind.FREE, Kind.SET, Kind.HINT,
          Kind.LOCK, Kind.TRYLOCK, Kind.UNLOCK, Kind.IMAGE, Kind.FRAME)  # fmt: skip
"""Kinds of events whose address is one of memory."""
_LEFT_OUT = (Kind.ORDER, Kind.PRODUCER, Kind.OTHER)


@dataclass(slots=True)
class Evidence:
    """The votes of all pages."""

    votes: Array = field(default_factory=lambda: np.zeros(0, VOTES))
    wide: bool = False
    """Addresses beyond 32 bits occurred."""
    images: list[tuple[int, int]] = field(default_factory=list)
    """Old and new bases of images that both traces name."""

    def add(self, old: Array, new: Array, stack: Array, *, values: bool = False) -> None:
        """Take pairs of addresses, or of values that may be pointers."""
        if not len(old):
            return
        rows = np.zeros(len(old), VOTES)
        rows["page"], rows["delta"] = old >> PAGE, new - old
        rows["low"] = rows["high"] = old
        rows["values" if values else "count"] = 1
        rows["stack"] = stack
        self.votes = _joined(np.concatenate([self.votes, _joined(rows)]))
        if len(self.votes) > LIMIT:
            weight = self.votes["count"] * np.uint64(2) + self.votes["values"]
            kept = np.argsort(weight, kind="stable")[-LIMIT * 3 // 4 :]
            self.votes = self.votes[np.sort(kept)]


def _joined(rows: Array) -> Array:
    """Return the votes with one row for each page and distance, in that order."""
    rows = rows[np.lexsort((rows["delta"], rows["page"]))]
    first = np.ones(len(rows), bool)
    first[1:] = (rows["page"][1:] != rows["page"][:-1]) | (rows["delta"][1:] != rows["delta"][:-1])
    at = np.flatnonzero(first)
    result = rows[at].copy()
    result["low"] = np.minimum.reduceat(rows["low"], at)
    result["high"] = np.maximum.reduceat(rows["high"], at)
    for name in ("count", "stack", "values"):
        result[name] = np.add.reduceat(rows[name], at)
    return result


def gather(old: Trace, new: Trace) -> Evidence:
    """Read both traces and return the votes; what is after damage is left out."""
    evidence = Evidence()
    by_stack = _StackAccesses(old)

    def alike(a: Block, b: Block) -> None:
        _vote(evidence, np.asarray(a.rows), np.asarray(b.rows), by_stack)

    for _ in differences(Side(_shapes(old)), Side(_shapes(new)), WINDOW, alike):
        pass
    known = {image.path: image.base for image in new.facts.images}
    evidence.images = [
        (image.base, known[image.path]) for image in old.facts.images if image.path in known
    ]
    return evidence


def _shapes(trace: Trace) -> Iterator[Block]:
    """Yield events by what of them stays where regions move."""
    events = trace.events()
    while True:
        try:
            batch = next(events, None)
        except InstError:  # the comparison itself reports it
            return
        if batch is None:
            return
        batch = batch[~np.isin(batch["kind"], _LEFT_OUT)]
        flags = batch["flags"] & np.uint16(Flag.HAS_PC | Flag.HAS_ADDRESS | Flag.HAS_VALUE)
        head = batch["kind"].astype("u8") | flags.astype("u8") << np.uint64(16)
        place = batch["pc"] & np.uint64(0xFFF) | batch["word"].astype("u8") << np.uint64(16)
        keys = np.stack([head, place, batch["size"]], axis=1)
        yield Block(batch["record"].astype("i8"), keys, batch)


def _vote(evidence: Evidence, old: Array, new: Array, by_stack: _StackAccesses) -> None:
    """Let a stretch of events that are alike vote."""
    memory = np.isin(old["kind"], _MOVED) & (old["flags"] & int(Flag.HAS_ADDRESS) != 0)
    coded = old["flags"] & int(Flag.HAS_PC) != 0
    addresses = old["address"][memory]
    evidence.wide = evidence.wide or bool((addresses >> np.uint64(32)).any())
    evidence.wide = evidence.wide or bool((old["pc"][coded] >> np.uint64(32)).any())
    evidence.add(addresses, new["address"][memory], by_stack(old[memory]))
    evidence.add(old["pc"][coded], new["pc"][coded], np.zeros(int(coded.sum()), bool))
    valued = (old["flags"] & int(Flag.HAS_VALUE) != 0) & (old["value"] != new["value"])
    valued &= old["size"] == (8 if evidence.wide else 4)
    nowhere = np.zeros(int(valued.sum()), bool)
    evidence.add(old["value"][valued], new["value"][valued], nowhere, values=True)


class _StackAccesses:
    """Decides which accesses have the stack or frame pointer for their base."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __call__(self, events: Array) -> Array:
        with_word = events["flags"] & int(Flag.HAS_WORD) != 0
        if not with_word.any():
            return np.asarray(events["kind"] == Kind.FRAME)
        words = producer(self._trace.facts.arch).part(Words)
        linked = words.windows or words.chains
        if linked is None:
            return np.zeros(len(events), bool)
        pointers = {linked.stack, getattr(linked, "frame", linked.stack)}
        base: Callable[[Array], Array] = linked.base  # type: ignore[assignment]
        bases = base(events["word"].astype("i8"))
        return np.asarray(with_word & np.isin(bases, list(pointers)))
