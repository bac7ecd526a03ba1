"""Blocks that a signal interrupted: their later accesses come after its handler, or never.

A segment reserves its block before its accesses happen, and the handler's blocks follow. The
record of the signal states where it interrupted the program, and so which accesses happened.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from inst.formats.rec.columns import Decoder
from inst.formats.rec.events import EVENT, RANKS, UNORDERED, Groups
from inst.formats.rec.expand import Expander
from inst.formats.rec.tables import Tables
from inst.formats.rec.window import Window
from inst.formats.rst.codes import EVENT_RECORD, EVENT_TEXT, IS_SITE
from inst.formats.rst.record import RECORD
from inst.trace.model import Array, Flag, Kind
from inst.words.model import Recorded

BACK = b"back from signal"
SIGNAL = b"signal"
DEEPEST = 4096
"""Handlers that have not returned which are remembered: programs may leave them by longjmp."""


Handlers = tuple[int, tuple[tuple[int, tuple[int, bytes, bytes] | None], ...]]
"""The handlers that run: the last event's place, and for each the signal, and what comes after it:
where that begins, records, and the addresses of their instructions."""


@dataclass(slots=True)
class _Later:
    """Records that come after a handler, with the addresses of their instructions."""

    start: int
    """Where the program was interrupted."""
    records: Array
    pc: Array

    def kept(self) -> tuple[int, bytes, bytes]:
        """Return it as bytes, for `again`."""
        return self.start, self.records.tobytes(), self.pc.tobytes()

    @classmethod
    def again(cls, start: int, records: bytes, pc: bytes) -> _Later:
        """Return what `kept` has given."""
        return cls(start, np.frombuffer(records, RECORD), np.frombuffer(pc, "u8"))

    def split(self, pc: int) -> tuple[_Later, _Later | None]:
        """Return those that come before another interruption, and those after it."""
        if not self.start <= pc <= self.pc.max(initial=0):
            return self, None
        late = self.pc >= pc
        return (
            _Later(self.start, self.records[~late], self.pc[~late]),
            _Later(pc, self.records[late], self.pc[late]),
        )


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal's event, or that of its handler's return."""

    returns: bool
    """Its handler returns."""
    number: int
    pc: int | None
    """Where it interrupted the program, if that is known."""
    in_hook: bool
    """That is in what a hook does."""


@dataclass(slots=True)
class Cut:
    """What the signals of some groups change."""

    groups: Groups
    blocks: Array
    """How many blocks come before each group."""
    removed: dict[int, Array] = field(default_factory=dict)
    """Which records of a block come later."""


class Signals:
    """The signals of one thread."""

    def __init__(
        self, tables: Tables, decoder: Decoder, expander: Expander, recorded: Recorded
    ) -> None:
        self._tables, self._decoder, self._expander = tables, decoder, expander
        self._recorded = recorded
        self._running: list[tuple[int, _Later | None]] = []
        self._last_key = -1

    def kept(self) -> Handlers:
        """Return what `resume` needs to go on from here."""
        return self._last_key, tuple(
            (number, later.kept() if later else None) for number, later in self._running
        )

    def resume(self, kept: Handlers) -> None:
        """Go on from where handlers ran."""
        self._last_key = kept[0]
        self._running = [
            (number, _Later.again(*later) if later else None) for number, later in kept[1]
        ]

    def cut(self, window: Window | None, groups: Groups, blocks: Array) -> Cut:
        """Take the accesses that come later out of blocks, and put them after the handlers.

        `blocks` states how many come before each group.
        """
        result = Cut(groups, blocks)
        places = window.block_ends(blocks - 1) if window else np.full(len(groups), self._last_key)
        added: dict[int, _Later] = {}
        for group, signal in _signals(groups):
            if signal.returns:
                self._return(group, signal, added)
                continue
            later: _Later | None = None
            before = self._before(groups, places, group)
            if signal.pc is not None and before == places[group]:
                later = self._again(group, signal.pc, added)
            elif signal.pc is not None and window is not None:
                block = int(blocks[group]) - 1
                later = self._interrupted(window, block, signal.pc, result)
            self._running = [*self._running, (signal.number, later)][-DEEPEST:]
        events = np.flatnonzero(groups.key % RANKS == EVENT)
        if len(events):
            self._last_key = int(places[events[-1]])
        if added:
            _insert(result, added)
        return result

    def _before(self, groups: Groups, places: Array, group: int) -> int:
        """Return after which block the event before a group's comes."""
        events = np.flatnonzero(groups.key[:group] % RANKS == EVENT)
        return int(places[events[-1]]) if len(events) else self._last_key

    def _return(self, group: int, signal: Signal, added: dict[int, _Later]) -> None:
        for place in range(len(self._running) - 1, -1, -1):
            number, later = self._running[place]
            if number == signal.number:
                del self._running[place:]
                if later is not None:
                    added[group] = later
                return

    def _again(self, group: int, pc: int, added: dict[int, _Later]) -> _Later | None:
        """Split what came after the handler before this one."""
        found = added.get(group - 1)
        if found is None:
            return None
        added[group - 1], later = found.split(pc)
        return later

    def _interrupted(self, window: Window, block: int, pc: int, cut: Cut) -> _Later | None:
        """Split a block at an address, if that lies after the code that reserves it."""
        tables, segment = self._tables, int(window.segments[block])
        one = slice(block, block + 1)
        found = self._decoder.accesses(window.data, window.trailers[one], window.segments[one])
        pcs = found.pc.astype("u8")
        if not len(pcs) or not tables.address(segment) <= pc <= int(pcs.max()):
            return None
        if pc < tables.reserved(segment, self._recorded):
            return None
        late = np.repeat(pcs >= pc, self._expander.counts[found.item])
        cut.removed[block] = late
        records = self._expander.expanded(found)
        return _Later(pc, records[late], np.repeat(pcs, self._expander.counts[found.item])[late])


def _signals(groups: Groups) -> Iterator[tuple[int, Signal]]:
    """Yield the signals among groups, each after the number of its group."""
    records = groups.records
    for row in may_be_signals(records).tolist():
        group = int(np.searchsorted(groups.first, row, side="right")) - 1
        if group < 0 or row >= groups.last[group]:
            continue
        found = signal_of(records[int(groups.first[group]) : row + 1])
        if found is not None:
            yield group, found


def may_be_signals(records: Array) -> Array:
    """Return the rows of events of no kind, which name themselves: among them are signals."""
    valued = records["half"] & Flag.HAS_VALUE != 0
    return np.flatnonzero(
        (records["rtype"] == EVENT_RECORD) & (records["flags"] == Kind.OTHER) & valued
    )


def signal_of(records: Array) -> Signal | None:
    """Return what an event says of a signal, with the records that spell its word, or None."""
    text, record = _text(records[:-1]), records[-1]
    known = int(record["half"]) & Flag.HAS_ADDRESS
    number, pc = int(record["second"]), int(record["first"]) if known else None
    if text == BACK:
        return Signal(True, number, None, False)
    return Signal(False, number, pc, text != SIGNAL) if text.startswith(SIGNAL) else None


def _text(records: Array) -> bytes:
    """Return the word that records spell."""
    spelled = (records["rtype"] == EVENT_TEXT) & (records["flags"] & IS_SITE == 0)
    data = records[spelled].tobytes()
    return b"".join(data[at + 8 : at + 24] for at in range(0, len(data), 24)).rstrip(b"\0")


def _insert(cut: Cut, added: dict[int, _Later]) -> None:
    """Put records after groups, as groups of their own."""
    groups = cut.groups
    places = np.array(sorted(added), "i8")
    parts = [added[place].records for place in places.tolist()]
    lengths = np.array([len(part) for part in parts], "i8")
    first = len(groups.records) + np.cumsum(lengths) - lengths
    records = np.empty(len(groups.records) + int(lengths.sum()), groups.records.dtype)
    records[: len(groups.records)] = groups.records
    for at, part in zip(first.tolist(), parts, strict=True):
        records[at : at + len(part)] = part
    cut.groups = Groups(
        records,
        np.insert(groups.first, places + 1, first),
        np.insert(groups.last, places + 1, first + lengths),
        np.insert(groups.key, places + 1, groups.key[places]),
        np.insert(groups.order, places + 1, UNORDERED),
    )
    cut.blocks = np.insert(cut.blocks, places + 1, cut.blocks[places])
