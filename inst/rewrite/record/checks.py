"""Where segments look whether the limit of the buffer is reached.

From one check to the next, code writes at most `UNCHECKED` bytes on every path. A check needs
registers: where none is free it moves back in its block, or after what the segment writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from inst.isa.model import Transfer
from inst.isa.segments import UNCHECKED, UNCHECKED_GLOBALLY
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import DEBUG_LABELS
from inst.rewrite.label_differences import DIFFERENCE
from inst.rewrite.record.control import Control
from inst.rewrite.record.model import Reservation, Segment
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.record.slots import is_on_one_way
from inst.rewrite.sites import NO_BRANCH

_LATE = 256
"""Bytes of a segment, at most, that checks the limit after it has written: what is written
unchecked leaves more of the `ZONE` after the limit (runtime/segments/room.c)."""

Steps = list[list[tuple[int, Segment | None]]]
"""For each block its segments, and the sites that call glue, in order."""


class Checks:
    """The segments that check the limit, as far as that is decided."""

    def __init__(
        self, work: Rewriting, control: Control, steps: Steps, sizes: dict[int, int]
    ) -> None:
        self.work = work
        self._control = control
        self._steps = steps
        self._sizes = sizes
        self._recorder = work.isa.part(Recorder)
        self._kept = self._recorder.kept(work)
        self._labelled = work.code.labelled(DEBUG_LABELS)
        self._switches = {at for one in work.leaving.values() for at in (one.start, one.end)}
        self._unchecked = UNCHECKED_GLOBALLY if work.options.global_cursor else UNCHECKED
        self._dropped: set[int] = set()
        """Those that cannot check: hooks are called instead."""

    def is_written(self, segment: Segment) -> bool:
        """Return whether a segment is written, as far as is known."""
        return id(segment) not in self._dropped

    def can_write(self, segment: Segment, written: int) -> bool:
        """Return whether a segment is written; mark it if it has to check first."""
        if not self.is_written(segment):
            return False
        is_decided = segment.checked or segment.late >= 0
        if is_decided or written + self._sizes[id(segment)] <= self._unchecked:
            return True
        can_check = partial(self._can_check, segment)
        begins = next(filter(can_check, self._places(segment)), None)
        if begins is None:
            segment.late = next(filter(can_check, self._late_places(segment)), -1)
            if segment.late < 0:
                self._dropped.add(id(segment))
            return segment.late >= 0
        segment.checked = True
        if begins != segment.first:
            self._move_to(segment, begins)
        return True

    def _can_check(self, segment: Segment, index: int) -> bool:
        """Return whether a segment can begin with a check before an instruction."""
        trial = Reservation(index, ".", segment.pointer, 8, checked=True, arrives=segment.arrives)
        return self._recorder.reserve(self.work, trial) is not None

    def _places(self, segment: Segment) -> Iterator[int]:
        """Yield the instructions before which a segment may begin, its first site's first.

        Where the pointer is kept these are the ones back to what else moves it, or to where the
        block begins, as long as the register is free.
        """
        yield segment.first
        is_movable = segment.pointer == self._kept and not segment.arrives
        if not is_movable or is_on_one_way(self.work, segment.sites[0]):
            return
        number = self._control.block_of(segment.first)
        used = self.work.code.facts[segment.first].uses | self.work.liveness.before[segment.first]
        for index in range(segment.first - 1, self._last_step(number, segment), -1):
            fact = self.work.code.facts[index]
            used |= fact.uses | fact.defs | self.work.liveness.before[index]
            if self._is_fixed(index) or self._recorder.pointer(self.work, used) != self._kept:
                return
            yield index

    def _late_places(self, segment: Segment) -> Iterator[int]:
        """Yield the instructions before which a short segment may check that it has had room: there
        is some after the limit. They go on to the next step, or to where the block ends."""
        site, number = segment.sites[-1], self._control.block_of(segment.first)
        is_short = self._sizes[id(segment)] <= _LATE and segment.pointer == self._kept
        if not is_short or site.branch != NO_BRANCH or segment.arrives:
            return
        block = self._control.blocks[number]
        last = self._control.end(block) if block.terminator >= 0 else block.end - 1
        steps = self._steps[number]
        later = [at for at, other in steps if other is not segment and at > segment.last]
        for index in range(segment.last + 1, min([last, *later]) + 1):
            if self.work.code.facts[index - 1].window or index in self._labelled:
                return
            yield index

    def _last_step(self, number: int, segment: Segment) -> int:
        """Return the instruction before which nothing of a segment can stand in its block."""
        last = self._control.blocks[number].first - 1
        for index, other in self._steps[number]:
            if other is segment:
                break
            last = index if other is None else other.last
        return last

    def _is_fixed(self, index: int) -> bool:
        """Return whether nothing that a segment needs may stand before an instruction."""
        fact, work = self.work.code.facts[index], self.work
        moves = fact.transfer != Transfer.NONE or fact.window or index in self._switches
        is_apart = index + 1 in self._labelled or index in work.reserved
        return bool(moves or is_apart or DIFFERENCE.search(work.code.at(index).operands))

    def _move_to(self, segment: Segment, index: int) -> None:
        """Let a segment begin before an instruction."""
        steps = self._steps[self._control.block_of(index)]
        place = next(n for n, (_, one) in enumerate(steps) if one is segment)
        steps[place] = index, segment
        segment.first = index
