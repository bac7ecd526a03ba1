"""What a program has recorded inline as a trace: its records are the RST records of its events."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO

import numpy as np

from inst.formats.flight.blocks import EVENT, LOST, Blocks, find_blocks
from inst.formats.flight.contexts import (
    DUMPED,
    INTERRUPTED,
    NOWHERE,
    RESUMED,
    TORN,
    Order,
    Said,
    order_of,
)
from inst.formats.flight.layout import Flight, read_flight
from inst.formats.flight.program import tables_of
from inst.formats.rec.columns import Accesses, Decoder
from inst.formats.rec.tables import Tables
from inst.formats.ring.events import START, arch_of, converted
from inst.formats.ring.layout import SLOT
from inst.formats.rst.trace import RstTrace
from inst.formats.table.trace import Rows, rst_records
from inst.program.firmware import Firmware
from inst.trace.model import EVENT as EVENT_ROW
from inst.trace.model import Array, Flag, Kind, Trace, joined
from inst.words.decode import words_of

_CONTEXTS = (START, INTERRUPTED, RESUMED, TORN)
_BATCH = 1 << 14


def open_flight(
    name: str, data: bytes, program: Firmware, stopped_at: int | None = None
) -> RstTrace:
    """Open what lay in memory; `stopped_at` is the pc of the processor then, if it is known."""
    recording = _Recording(name, data, program, stopped_at)

    def read(trace: Trace, _file: BinaryIO) -> Iterator[Array]:
        trace.facts.arch = recording.arch
        for text in (f"arch={recording.arch}", "hooks=flight", recording.counts()):
            trace.facts.add_string(text)
        trace.facts.add_image(program.image)
        return recording.batches(trace)

    trace = RstTrace(name, rst_records(Rows(name, io.BytesIO(data), read)))
    for sentence in recording.losses():
        trace.lacks(f"{name}: {sentence}")
    return trace


class _Recording:
    """The blocks of a recording, and the order of what they state."""

    def __init__(self, name: str, data: bytes, program: Firmware, stopped_at: int | None) -> None:
        self.flight: Flight = read_flight(data, name)
        self.program = program
        self.arch = arch_of(self.flight.head.machine)
        self.tables: Tables = tables_of(program, self.arch)
        self.blocks: Blocks = find_blocks(self.flight, self.tables)
        self.places = np.flatnonzero(self.blocks.segments == EVENT)
        """The blocks that are events."""
        self.slots = self._slots()
        self._reserved_at: dict[int, int] = {}
        self.order: Order = order_of(
            self.blocks, self.tables, self._reserved, self._contexts(), stopped_at
        )

    def _slots(self) -> Array:
        """Return the events as records of a ring."""
        slots = np.zeros(len(self.places), SLOT)
        names = self.blocks.trailers[self.places]
        for column, below in (("pc", 5), ("address", 4), ("high", 3), ("low", 2), ("done", 1)):
            slots[column] = self.blocks.data[names - below]
        return slots

    def _contexts(self) -> dict[int, Said]:
        numbers = self.slots["done"] >> 24
        rows = np.flatnonzero(np.isin(numbers, _CONTEXTS))
        columns = (numbers, *(self.slots[name] for name in ("address", "pc", "high", "low")))
        said = zip(*(column[rows].tolist() for column in columns), strict=True)
        return dict(zip(self.places[rows].tolist(), said, strict=True))

    def _reserved(self, segment: int) -> int:
        if segment not in self._reserved_at:
            found = self.tables.reserved(segment, words_of(self.arch).recorded)
            self._reserved_at[segment] = found
        return self._reserved_at[segment]

    def batches(self, trace: Trace) -> Iterator[Array]:
        """Yield the events in their order, numbered through."""
        accesses, after = self._accesses()
        others, places = self._others(trace)
        keys = np.concatenate([after, places])
        done = np.flatnonzero(keys != NOWHERE)
        every = joined([accesses, others])[done[np.argsort(keys[done], kind="stable")]]
        every["record"] = every["id"] = np.arange(len(every), dtype="u8")
        yield from (every[low : low + _BATCH] for low in range(0, len(every), _BATCH))

    def _accesses(self) -> tuple[Array, Array]:
        """Return the accesses of blocks, and after which blocks they come."""
        rows = np.flatnonzero(self.blocks.segments >= 0)
        segments = self.blocks.segments[rows]
        decoder = Decoder(self.tables, little=False)
        found = decoder.accesses(self.blocks.data, self.blocks.trailers[rows], segments)
        counts = decoder.counts(segments)
        after = np.repeat(rows, counts)
        starts = np.zeros(len(self.blocks.segments) + 1, "i8")
        starts[rows + 1] = counts
        starts = np.cumsum(starts)
        for (block, item), place in self.order.after.items():
            after[starts[block] + item : starts[block + 1]] = place
        events = _access_events(found)
        for block, item in self.order.unknown:
            row = starts[block] + item
            events["flags"][row] &= 0xFFFF ^ int(Flag.HAS_VALUE)
            events["value"][row] = 0
        return events, after

    def _others(self, trace: Trace) -> tuple[Array, Array]:
        """Return the events that are no accesses of blocks, and which blocks they are."""
        numbers = self.slots["done"] >> 24
        is_shown = (numbers != 0) & ~np.isin(numbers, (INTERRUPTED, RESUMED, TORN, DUMPED))
        shown = converted(0, self.slots[is_shown], trace, self.program)
        gone = np.flatnonzero(self.blocks.segments == LOST)
        lost = np.concatenate([gone, np.array(self.order.lost, "i8")])
        gaps = np.zeros(len(lost), EVENT_ROW)
        gaps["kind"], gaps["thread"] = Kind.GAP, 1
        gaps["detail"] = trace.words.number("overwritten")
        return joined([shown, gaps]), np.concatenate([self.places[is_shown], lost])

    @property
    def _incomplete(self) -> int:
        return int(np.count_nonzero(self.slots["done"] >> 24 == 0))

    def counts(self) -> str:
        """Return what the trace's header says of the memory."""
        flight, head = self.flight, self.flight.head
        return (
            f"flight={flight.used} pieces of {head.piece} bytes, {flight.overwritten} overwritten, "
            f"{head.starts} starts, {head.unreported} accesses unreported"
        )

    def losses(self) -> Iterator[str]:
        """Yield sentences about what is not here of the run."""
        flight, head, order = self.flight, self.flight.head, self.order
        if flight.overwritten:
            yield (
                f"of {flight.used} pieces of {head.piece} bytes {flight.overwritten} were "
                f"overwritten: what is here begins with piece {flight.pieces[0].number}"
            )
        if flight.cut:
            yield "a part lies beyond the end of the memory that was saved"
        if self.blocks.unreadable:
            yield (
                f"{self.blocks.unreadable} words are no blocks of the program: what is in them, "
                "and the accesses recorded before them in the same pieces, are left out"
            )
        if order.left_out:
            yield (
                f"{order.left_out} accesses of blocks are left out that may not have been done "
                "when the recording ended"
            )
        if order.torn:
            yield (
                f"{order.torn} contexts went on so late that the memory of their blocks had been "
                "taken for others, whose values may be wrong"
            )
        if self._incomplete:
            yield f"{self._incomplete} events were not complete"
        if head.unpinned:
            yield (
                f"{head.unpinned} interruptions were more than the table has room for: values of "
                "the blocks that they came in may be wrong"
            )
        if head.unreported:
            yield (
                f"{head.unreported} accesses between a load with reservation and its conditional "
                "store were not reported"
            )


def _access_events(found: Accesses) -> Array:
    events = np.zeros(len(found), EVENT_ROW)
    events["kind"] = np.where(found.write, Kind.WRITE, Kind.READ)
    events["flags"] = int(Flag.HAS_PC | Flag.HAS_ADDRESS | Flag.HAS_WORD)
    events["flags"][found.valued] |= int(Flag.HAS_VALUE)
    events["thread"] = 1
    for column in ("pc", "address", "size", "value", "word"):
        events[column] = getattr(found, column)
    return events
