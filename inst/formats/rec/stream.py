"""Everything one thread recorded, in its order: blocks with the events between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from inst.formats.rec.assembly import Assembly, cut_at_orders
from inst.formats.rec.blocks import Finder
from inst.formats.rec.columns import Decoder
from inst.formats.rec.events import BLOCK, EVENT, HEAD, RANKS, UNORDERED, Groups, groups_of
from inst.formats.rec.execution import Pieces
from inst.formats.rec.expand import Expander, beginning, frames, ranges
from inst.formats.rec.index import Thread
from inst.formats.rec.instrumented import Program
from inst.formats.rec.layout import File
from inst.formats.rec.reexecution import Reexecution
from inst.formats.rec.signals import Cut, Signals
from inst.formats.rec.states import Mark, Place, ThreadState
from inst.formats.rec.tables import RANGE_KINDS, Tables
from inst.formats.rec.window import PLACE, Window, key_of, windows
from inst.formats.rst.codes import INSTR
from inst.formats.rst.record import RECORD
from inst.replay.executed import Observation
from inst.trace.model import Array, Kind, TraceError
from inst.words.model import Recorded

_RANGES = np.array(RANGE_KINDS)
"""By what the tables have for a block."""


class Running(Protocol):
    """A thread of which records are being read."""

    stream: Stream | None
    order: int
    """Of the piece that it yields, or waits with."""
    at: int
    """What it waits for in the order of all threads."""


@dataclass(slots=True)
class Shared:
    """What the streams of a recording have in common."""

    file: File
    tables: Tables
    finder: Finder
    decoder: Decoder
    recorded: Recorded
    program: Program | None
    """Of a recording for re-execution."""
    window: int
    """Bytes of blocks that are read at once."""
    killed: bool
    """The program was, or became another: a thread's last block may not be filled."""
    replaced: bool
    """It became another by exec: unwritten space ends a thread's events."""
    inherited: Callable[[], Pieces] | None = None
    """What the first thread's parent recorded before it forked; None: it was not forked."""
    first: int = 0
    """The number of that thread."""
    by_columns: bool = False
    """Accesses are yielded as stretches, not as records."""
    is_divided: bool = True
    """What is yielded is divided at the places of an order: there are several threads."""
    observation: Observation | None = None
    """What takes the instructions that are executed again."""
    resumed: dict[int, ThreadState] = field(default_factory=dict)
    """The threads that are executed from a state on, by their numbers."""
    finished: frozenset[int] = frozenset()
    """Those that have ended before it."""
    running: dict[int, Running] = field(default_factory=dict)
    """The threads that have begun, and have not ended."""
    ends: list[Array] = field(default_factory=list)
    """The records that end the trace."""
    broken: set[int] = field(default_factory=set)
    """The threads whose events break off."""
    partial: int = 0
    """The blocks that were left out, since they may not be filled."""
    called: int = 0
    """The accesses that were recorded by calls of hooks, and not inline."""
    left_out: int = 0
    """The events that were, since the blocks before them were overwritten."""

    def end(self, number: int) -> None:
        """End a thread."""
        if self.observation:
            self.observation.steps.ended(number)
        del self.running[number]


class Stream:
    """The records of one thread."""

    def __init__(self, shared: Shared, thread: Thread) -> None:
        self._shared, self._thread = shared, thread
        self.again: Reexecution | None = None
        """What executes the thread again."""
        self._mark, self._count = Mark(), 0
        """Where the window begins that is being yielded, and the pieces that were, of it."""
        self._part = 0
        self._groups: Groups | None = None
        self._last_place = self._place_before = 0
        """The key of the last event, and of that before the part."""
        self._yielded = -1
        """The place up to which all has been yielded."""
        self._expander = Expander(shared.tables, thread.number)
        self._signals = Signals(shared.tables, shared.decoder, self._expander, shared.recorded)
        counts = np.concatenate([[0], np.cumsum(self._expander.counts)])
        first = shared.tables.first
        self._record_counts = counts[first[1:]] - counts[first[:-1]]
        self._is_loose = shared.tables.is_loose

    def pieces(self) -> Pieces:
        """Yield the thread's records, with the accesses that follow from those recorded."""
        shared = self._shared
        if not shared.program:
            yield from self.recorded()
            return
        again = Reexecution(shared.program, self._thread.number, shared.observation)
        self.again = again
        again.by_columns = shared.by_columns
        state = shared.resumed.get(self._thread.number)
        if state is None:
            again.inherit(self.inherited())
            yield from again.pieces(self.recorded(), self._place)
        else:
            given = self.recorded(state.place)
            yield from again.resumed(state, given, self._place)

    def _place(self) -> Place:
        """Return where the piece is that was yielded last."""
        return Place(self._mark, self._count - 1)

    def inherited(self) -> Pieces:
        """Return what the thread's parent recorded before it forked."""
        shared = self._shared
        if shared.inherited is None or self._thread.number != shared.first:
            return iter(())
        return shared.inherited()

    def recorded(self, place: Place | None = None) -> Pieces:
        """Yield the records that the thread has written, or those from a place on."""
        if place is None:
            for piece in self._recorded():
                self._count += 1
                yield piece
            return
        self._resume(place.mark)
        for piece in self._recorded():
            self._count += 1
            if self._mark != place.mark or self._count > place.pieces:
                yield piece

    def _resume(self, mark: Mark) -> None:
        self._mark, self._part, self._last_place = mark, mark.part, mark.last_place
        self._yielded = mark.yielded
        self._signals.resume(mark.handlers)
        if mark.is_within:
            groups = self._next_groups()
            assert groups is not None
            first = int(np.searchsorted(groups.key, (mark.yielded + 1) * RANKS))
            self._groups = groups.part(first, len(groups))

    def _begin(self, window: Window) -> None:
        """Note where a window begins."""
        is_within = self._groups is not None
        self._count = 0
        self._mark = Mark(
            window.begins,
            self._part - is_within,
            self._place_before if is_within else self._last_place,
            self._yielded,
            is_within,
            self._signals.kept(),
        )

    def _recorded(self) -> Pieces:
        file, thread, shared = self._shared.file, self._thread, self._shared
        end = 0
        last = self._last_event() if self._is_loose else -1
        begins = self._mark.begins
        for window in windows(file, thread, shared.finder, shared.window, last, begins):
            self._begin(window)
            may_be_partial = (shared.killed or window.may_be_partial) and not self._is_loose
            if window.is_last and may_be_partial and not window.damage:
                self._leave_out(window)
            yield from self._of_window(window)
            if window.damage:
                raise window.damage
            end = window.end
        while (groups := self._next_groups()) is not None:
            self._groups = None
            self._check_end(groups, end)
            cut = self._cut(None, groups, np.zeros(len(groups), "i8"))
            yield from cut_at_orders(np.zeros(0, RECORD), cut.groups, cut.blocks)

    def _check_end(self, groups: Groups, end: int) -> None:
        """Refuse events that come after blocks which are not there."""
        keys = groups.key // RANKS
        beyond = (keys > end) & (groups.key % RANKS == EVENT)
        if beyond.any():
            raise self._misplaced(int(keys[np.flatnonzero(beyond)[0]]))

    def _misplaced(self, key: int) -> TraceError:
        head = (key >> PLACE) - 1
        chunk = self._thread.heads[head].chunk if 0 <= head < len(self._thread.heads) else 0
        message = f"an event of thread {self._thread.number} where no block ends"
        return self._shared.file.damage(message, chunk, key & (1 << PLACE) - 1)

    def _next_groups(self) -> Groups | None:
        """Return the next groups that have not been yielded."""
        shared = self._shared
        while self._groups is None and self._part < len(self._thread.parts):
            part = self._thread.parts[self._part]
            self._part += 1
            self._place_before = self._last_place
            place, loose = self._last_place, self._is_loose
            found = groups_of(self._thread, shared.file, part, place, is_loose=loose)
            self._groups = found.groups
            if len(self._groups) > 1:
                self._last_place = int(self._groups.key[-1])
            shared.ends += [found.ends] if len(found.ends) else []
            shared.left_out += found.left_out
            shared.called += int((found.groups.records["rtype"] == INSTR).sum())
            is_end = shared.replaced and self._part == len(self._thread.parts)
            if found.breaks or (found.is_open and not is_end):
                shared.broken.add(self._thread.number)
        return self._groups

    def _of_window(self, window: Window) -> Pieces:
        """Yield the blocks of a window, with the events up to its end."""
        shared = self._shared
        assembly = Assembly(
            window,
            shared.decoder,
            self._expander,
            self._record_counts,
            is_loose=self._is_loose,
            by_columns=shared.by_columns and not shared.program,
            is_divided=shared.is_divided,
        )
        limit_key, whole_count = window.limit(shared.finder)
        heads = self._heads(window, limit_key).joined(self._ranges(window, limit_key))
        assembly.begin(self._already(window))
        while (groups := self._next_groups()) is not None:
            limit = int(np.searchsorted(groups.key, (limit_key + 1) * RANKS))
            whole = limit == len(groups)
            self._groups = None if whole else groups.part(limit, len(groups))
            groups = groups.part(0, limit)
            blocks, sound = self._places(window, groups)
            cut = self._cut(window, groups.part(0, sound), blocks[:sound])
            if sound:
                passed = int(np.searchsorted(heads.key, cut.groups.key[-1]))
                yield from assembly.up_to(self._with_heads(window, cut, heads.part(0, passed)))
                heads = heads.part(passed, len(heads))
            if sound < len(groups):
                raise window.damage or self._misplaced(int(groups.key[sound]) // RANKS)
            if not whole:
                break
        none = Cut(heads.part(0, 0), np.zeros(0, "i8"))
        yield from assembly.up_to(self._with_heads(window, none, heads), whole_count)
        self._yielded = limit_key

    def _cut(self, window: Window | None, groups: Groups, blocks: Array) -> Cut:
        """Put what signals interrupted after their handlers; loose values are in their order."""
        if self._is_loose:
            return Cut(groups, blocks)
        return self._signals.cut(window, groups, blocks)

    def _already(self, window: Window) -> int:
        """Return how many of a window's blocks have been yielded."""
        if self._yielded < 0:
            return 0
        words = window.words(np.array([self._yielded], "i8"))
        return int(window.blocks(words)[0][0]) if words[0] >= 0 else 0

    def _places(self, window: Window, groups: Groups) -> tuple[Array, int]:
        """Return how many blocks come before groups, and how many of these are where one ends."""
        words = window.words(groups.key // RANKS)
        blocks, ends, begins = window.blocks(words)
        wrong = np.flatnonzero((words < 0) | ~(ends | begins))
        return blocks, int(wrong[0]) if len(wrong) else len(groups)

    def _heads(self, window: Window, limit: int) -> Groups:
        """Return the records with which the heads begin that do so in a window, up to a place."""
        thread = self._thread
        numbers = [
            each.head
            for each in window.slabs
            if each.start == thread.heads[each.head].start
            and self._yielded < key_of(each.head, each.start) <= limit
        ]
        records = np.zeros(3 * len(numbers), RECORD)
        for row, number in enumerate(numbers):
            order = thread.heads[number].order
            records[3 * row : 3 * row + 3] = beginning(thread.number, thread.tid(order), order)
        first = np.arange(0, len(records), 3)
        keys = [key_of(number, thread.heads[number].start) * RANKS + HEAD for number in numbers]
        orders = [thread.heads[number].order for number in numbers]
        return Groups(records, first, first + 3, np.array(keys, "i8"), np.array(orders, "i8"))

    def _ranges(self, window: Window, limit: int) -> Groups:
        """Return what blocks of a window, up to a place, state of functions that touch memory."""
        found = self._shared.tables.ranges
        has_blocks = found.any() and not self._is_loose
        blocks = np.flatnonzero(found[window.segments]) if has_blocks else np.zeros(0, "i8")
        ends = window.block_ends(blocks)
        kept = (self._yielded < ends) & (ends <= limit)
        kept &= window.data[window.trailers[blocks] - 1] != 0  # a frame's, which a handler has left
        blocks, ends = blocks[kept], ends[kept]
        trailers, kinds = window.trailers[blocks], _RANGES[found[window.segments[blocks]]]
        address, size = window.data[trailers - 2], window.data[trailers - 1]
        records, is_frame = ranges(self._thread.number, kinds, address, size), kinds == Kind.FRAME
        first = np.arange(0, len(records), 2)
        made = frames(self._thread.number, address[is_frame], size[is_frame])
        records[first[is_frame]] = made
        orders = np.full(len(blocks), UNORDERED)
        return Groups(records, first, first + 2 - is_frame, ends * RANKS + BLOCK, orders)

    def _with_heads(self, window: Window, cut: Cut, heads: Groups) -> Cut:
        """Add the beginnings of heads to groups."""
        if not len(heads):
            return cut
        groups = cut.groups.joined(heads)
        blocks, _ = self._places(window, groups)
        return Cut(groups, blocks, cut.removed)

    def _leave_out(self, window: Window) -> None:
        """Leave out the last block, which may not be filled, unless an event came after it.

        The size in a block of a range is stored last and never 0: with it that block is whole.
        """
        is_range = self._shared.tables.ranges[window.segments[-1:]].any()
        if is_range and window.data[window.trailers[-1] - 1]:
            return
        last = self._last_event()
        if last < window.block_ends(np.array([len(window.trailers) - 1]))[0]:
            window.trailers, window.segments = window.trailers[:-1], window.segments[:-1]
            self._shared.partial += 1
            if self.again:
                self.again.is_cut = True

    def _last_event(self) -> int:
        """Return the place of the thread's last event."""
        for part in reversed(self._thread.parts):
            groups = groups_of(self._thread, self._shared.file, part).groups
            events = groups.key[groups.key % RANKS == EVENT]
            if len(events):
                return int(events[-1]) // RANKS
        return -1
