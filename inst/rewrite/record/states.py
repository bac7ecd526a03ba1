"""What is known of the buffer at each segment: how much has been written, where the pointer is.

From one check of the limit to the next, code writes at most `UNCHECKED` bytes on every path. What
has been written is not known where a function is entered, after calls, and at labels that control
may reach unseen; a loop needs a check in it.

Where an instruction set has a register for the pointer alone, a segment leaves it there for the
next one of the function. It is loaded where a path comes from elsewhere (from a function's entry, a
call, glue), and stored before control leaves to where it is loaded.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

from inst.dataclass import dataclass, field
from inst.flow.blocks import NOWHERE, Block
from inst.isa.model import Transfer
from inst.isa.segments import UNCHECKED
from inst.rewrite.context import Rewriting
from inst.rewrite.counter import counted_places
from inst.rewrite.record.checks import Checks, Steps
from inst.rewrite.record.control import Control
from inst.rewrite.record.loops import BEFORE, COUNTED, Graph, Loop, counted_loops
from inst.rewrite.record.model import Segment
from inst.rewrite.record.names import Flow, follow_names
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.record.slots import is_on_one_way
from inst.rewrite.record.writing import is_loose
from inst.rewrite.sites import Site

_UNKNOWN = UNCHECKED + 1
_VISITS = 4
"""After so many visits of a loop's head each time with more written, that counts as not known."""
_COUNTED = BEFORE + COUNTED
"""Bytes that may have been written since a look at the limit in a loop whose checks are counted."""


@dataclass(frozen=True, slots=True)
class State:
    """What is known at a place, on all paths that come to it."""

    written: int = 0
    """Bytes since the last check, at most; more than `UNCHECKED`: not known."""
    ready: bool = True
    """The pointer is in its register."""
    dirty: bool = False
    """It may have been moved since it was stored."""

    def joined(self, other: State) -> State:
        """Return what is known where two paths meet; if it is not ready, both have stored it."""
        ready = self.ready and other.ready
        dirty = ready and (self.dirty or other.dirty)
        return State(max(self.written, other.written), ready, dirty)


_ENTERED = State(_UNKNOWN, ready=False)


@dataclass(slots=True)
class Placed:
    """The segments that are written, and before and after which instructions the pointer is
    stored."""

    segments: list[Segment] = field(default_factory=list)
    stores_first: set[int] = field(default_factory=set)
    """Before all else, also what reserves a block there by another register."""
    stores_before: set[int] = field(default_factory=set)
    stores_after: set[int] = field(default_factory=set)
    sets: dict[int, int] = field(default_factory=dict)
    """Before which instructions the register that counts checks is set, and to what."""
    sets_after: dict[int, int] = field(default_factory=dict)


def place(work: Rewriting, segments: list[Segment], sizes: list[int], sites: list[Site]) -> Placed:
    """Find which segments check the limit and load the pointer, and where it is stored."""
    return _Placer(work, segments, sizes, sites).placed() if segments else Placed()


class _Placer:
    def __init__(
        self, work: Rewriting, segments: list[Segment], sizes: list[int], sites: list[Site]
    ) -> None:
        self.work = work
        self.recorder = work.isa.part(Recorder)
        self.kept = self.recorder.kept(work)
        self.control = Control(work)
        self.blocks, self.entries = self.control.blocks, self.control.entries
        self.sizes = {id(segment): size for segment, size in zip(segments, sizes, strict=True)}
        self.steps: Steps = [[] for _ in self.blocks]
        self.checks = Checks(work, self.control, self.steps, self.sizes)
        self.states: list[State | None] = [None] * len(self.blocks)
        self.loops: list[Loop] = []
        self.counted: frozenset[int] = frozenset()
        """The blocks of loops whose checks are counted."""
        self.backward: list[tuple[int, int]] = []
        self.on_way: dict[int, Segment] = {}
        """The segments that only run if the branch is taken which ends a block."""
        self._sort(segments, sites)

    def _sort(self, segments: list[Segment], sites: list[Site]) -> None:
        recorded = {site.index for one in segments for site in one.sites if site.access}
        if is_loose(self.work):  # each value moves the pointer, which is stored where a block ends
            block_of = self.control.block_of
            assert all(block_of(one.first) == block_of(one.last) for one in segments)
        steps: list[tuple[int, Segment | None]] = []
        for one in segments:
            if is_on_one_way(self.work, one.sites[0]):
                self.on_way[self.control.block_of(one.sites[0].branch)] = one
            else:
                steps.append((one.first, one))
        called = (one for one in sites if one.index not in recorded and one.reported)
        steps += [(site.place, None) for site in called]
        steps += [(index, None) for index in self._mentions() if index not in recorded]
        steps += [(index, None) for index in counted_places(self.work)]
        steps += [(index, None) for index in self.recorder.changes_kept(self.work)]
        for step in sorted(steps, key=lambda one: one[0]):
            self.steps[self.control.block_of(step[0])].append(step)

    def _mentions(self) -> list[int]:
        """Return the instructions that use the pointer's register for something else."""
        bit = self.work.isa.registers.bit[self.kept] if self.kept else 0
        if not bit & self.work.named:
            return []
        return [
            index
            for index, fact in enumerate(self.work.code.facts)
            if (fact.uses | fact.defs) & bit and fact.transfer == Transfer.NONE
        ]

    def placed(self) -> Placed:
        """Follow the blocks until nothing changes; then go through each once more."""
        self._follow()
        self._count_checks()
        result = Placed()
        for number, state in enumerate(self.states):
            if state is not None:
                self._place(number, state, result)
        for loop in self.loops:
            self._set_counter(loop, result)
        if not is_loose(self.work):
            follow_names(self.work, self._flow(), result.segments)
        return result

    def _flow(self) -> Flow:
        """Return the blocks as far as control comes to them."""
        steps = [
            [(at, one if one and self.checks.is_written(one) else None) for at, one in steps]
            for steps in self.steps
        ]
        leaving = {number for number, block in enumerate(self.blocks) if self.control.leaves(block)}
        following = [self.control.successors(block) for block in self.blocks]
        return Flow(self.blocks, following, steps, self.entries, leaving)

    def _count_checks(self) -> None:
        """Choose the loops whose checks are counted, and follow the blocks with these again."""
        self.loops = counted_loops(self.work, self._graph(), lambda one: self.sizes[id(one)])
        while self.loops:
            self.counted = frozenset(one for loop in self.loops for one in loop.members)
            self.states = [None] * len(self.blocks)
            self._follow()
            kept = [loop for loop in self.loops if self._most_before(loop) <= _COUNTED]
            if len(kept) == len(self.loops):
                break
            self.loops = kept
        for loop in self.loops:
            for number in loop.members:
                for _, segment in self.steps[number]:
                    if segment is not None and segment.checked:
                        segment.count = loop.count

    def _graph(self) -> Graph:
        segments = [
            None if self.control.leaves(block) else self._kept_segments(number)
            for number, block in enumerate(self.blocks)
        ]
        following = [
            self.control.successors(block) if self.states[number] is not None else set()
            for number, block in enumerate(self.blocks)
        ]
        return Graph(self.blocks, following, segments, self.entries, self.backward)

    def _kept_segments(self, number: int) -> list[Segment] | None:
        """Return the segments of a block; None if something else moves the pointer there."""
        found = [segment for _, segment in self.steps[number]]
        written = [
            one for one in found if one and one.pointer == self.kept and self.checks.is_written(one)
        ]
        return written if len(written) == len(found) else None

    def _most_before(self, loop: Loop) -> int:
        """Return how many bytes may have been written where control comes into a loop."""
        states = [(number, self.states[number]) for number in loop.entered_from]
        return max((self._through(n, one).written for n, one in states if one), default=0)

    def _set_counter(self, loop: Loop, result: Placed) -> None:
        """Set the register that counts a loop's checks where control comes into it."""
        for number in loop.entered_from:
            state, block = self.states[number], self.blocks[number]
            if state is None:
                continue
            is_known = self._through(number, state).written <= BEFORE
            count = loop.count if is_known else 1
            ends = block.terminator >= 0
            sets, at = (
                (result.sets, block.terminator) if ends else (result.sets_after, block.end - 1)
            )
            sets[at] = min(count, sets.get(at, count))

    def _follow(self) -> None:
        order, heads, self.backward = self.control.order()
        visits = dict.fromkeys(heads, 0)
        for number in self.entries:
            self.states[number] = _ENTERED
        waiting = set(self.entries)
        pending = [(order[number], number) for number in waiting]
        heapify(pending)
        while pending:
            _, number = heappop(pending)
            waiting.remove(number)
            state = self.states[number]
            assert state is not None
            falls = self._through(number, state)
            taken = self._after_way(number, falls)
            if self._is_dropped(number):
                taken = falls = self._through(number, state)
            for following in self.control.successors(self.blocks[number]):
                before = self.states[following]
                after = self._on_way_to(number, following, falls, taken)
                joined = after if before is None else before.joined(after)
                if joined == before:
                    continue
                if following in visits:
                    visits[following] += 1
                    if visits[following] > _VISITS:
                        joined = State(_UNKNOWN, joined.ready, joined.dirty)
                self.states[following] = joined
                if following not in waiting:
                    waiting.add(following)
                    heappush(pending, (order[following], following))

    def _through(self, number: int, state: State) -> State:
        """Return what is known after a block."""
        if number in self.counted:
            ready, dirty = (True, True) if self.steps[number] else (state.ready, state.dirty)
            return State(max(state.written, _COUNTED), ready, dirty)
        for _, segment in self.steps[number]:
            state = self._after_step(segment, state)
        if self._is_dropped(number):
            state = State(state.written, ready=False)
        block = self.blocks[number]
        if self.control.may_return(block):  # the pointer is stored before
            return State(state.written, state.ready)
        return _ENTERED if self.control.leaves(block) else state

    def _after_way(self, number: int, state: State) -> State:
        """Return what is known after what only runs if the branch is taken that ends a block."""
        segment = self.on_way.get(number)
        return self._after_step(segment, state) if segment else state

    def _is_dropped(self, number: int) -> bool:
        """Return whether a hook is called instead where a branch is taken."""
        segment = self.on_way.get(number)
        return segment is not None and not self.checks.is_written(segment)

    def _on_way_to(self, number: int, following: int, falls: State, taken: State) -> State:
        """Return what is known on the way from a block to a following one."""
        block = self.blocks[number]
        if following != block.taken:
            return falls
        return falls.joined(taken) if following == block.falls else taken

    def _after_step(self, segment: Segment | None, state: State) -> State:
        """Return what is known after a segment, or after a site that calls glue (None)."""
        if segment is None or not self.checks.can_write(segment, state.written):
            return State(state.written, ready=False)
        if segment.sites[-1].entry:  # other callers come in after it
            return _ENTERED
        size = self.sizes[id(segment)]
        written = size if segment.checked else state.written + size if segment.late < 0 else 0
        keeps = segment.pointer == self.kept
        return State(written, ready=keeps, dirty=keeps)

    def _place(self, number: int, state: State, result: Placed) -> None:
        """Decide what each segment of a block does, and where the pointer is stored."""
        block = self.blocks[number]
        for index, segment in self.steps[number]:
            written = segment is not None and self.checks.is_written(segment)
            keeps = written and segment is not None and segment.pointer == self.kept
            if state.dirty and not keeps:
                (result.stores_first if written else result.stores_before).add(index)
            if segment is not None and written:
                self._write(segment, state, result)
            state = self._after_step(segment, state)
        if number in self.on_way and not self._is_dropped(number):
            self._place_on_way(block, self.on_way[number], state, result)
        if not state.dirty or not (self._is_dropped(number) or self._has_to_store(block)):
            return
        if block.terminator >= 0:
            result.stores_before.add(self.control.end(block))
        else:
            result.stores_after.add(block.end - 1)

    def _write(self, segment: Segment, state: State, result: Placed) -> None:
        """Decide what a segment does where it begins."""
        keeps = segment.pointer == self.kept
        segment.loads = not (keeps and state.ready)
        segment.stores = not keeps
        result.segments.append(segment)

    def _place_on_way(self, block: Block, segment: Segment, state: State, result: Placed) -> None:
        """Decide the same for what only runs if a branch is taken."""
        self._write(segment, state, result)
        target = self.states[block.taken] if block.taken != NOWHERE else None
        if segment.pointer == self.kept and not (target and target.ready):
            result.stores_after.add(segment.first)

    def _has_to_store(self, block: Block) -> bool:
        """Return whether control may go from a block to where the pointer is loaded."""
        if self.control.leaves(block) or self.control.may_return(block):
            return True
        followed = self.control.successors(block)
        fact = self.work.code.facts[block.terminator] if block.terminator >= 0 else None
        if not followed or (fact and fact.transfer == Transfer.BRANCH and block.taken < 0):
            return True
        states = (self.states[one] for one in followed)
        return any(state is None or not state.ready for state in states)
