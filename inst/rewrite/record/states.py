"""What is known of the buffer at each segment: how much has been written, where the pointer is.

From one check of the limit to the next, code writes at most `UNCHECKED` bytes on every path. What
has been written is not known where a function is entered, after calls, and at labels that control
may reach unseen; a loop needs a check in it.

Where an instruction set has a register for the pointer alone, a segment leaves it there for the
next one of the function. It is loaded where a path comes from elsewhere (from a function's entry, a
call, glue), and stored before control leaves to where it is loaded.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from heapq import heapify, heappop, heappush

from inst.dataclass import dataclass, field
from inst.flow.blocks import NOWHERE, Block, find_blocks
from inst.flow.code import addressed_labels
from inst.flow.conventions import convention_of
from inst.flow.functions import entry_labels
from inst.flow.hidden import Way, hidden_ways
from inst.isa.model import Transfer
from inst.isa.segments import UNCHECKED, UNCHECKED_GLOBALLY
from inst.rewrite.context import Rewriting
from inst.rewrite.counter import GOT, counted_places
from inst.rewrite.edits import DEBUG_LABELS
from inst.rewrite.label_differences import DIFFERENCE
from inst.rewrite.record.loops import BEFORE, COUNTED, Graph, Loop, counted_loops
from inst.rewrite.record.model import Reservation, Segment
from inst.rewrite.record.names import Flow, follow_names
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.record.slots import is_on_one_way
from inst.rewrite.record.writing import is_loose, passed_places
from inst.rewrite.sites import NO_BRANCH, Site

_UNKNOWN = UNCHECKED + 1
_VISITS = 4
"""After so many visits of a loop's head each time with more written, that counts as not known."""
_COUNTED = BEFORE + COUNTED
"""Bytes that may have been written since a look at the limit in a loop whose checks are counted."""
_LATE = 256
"""Bytes of a segment, at most, that checks the limit after it has written: what is written
unchecked leaves more of the `ZONE` after the limit (runtime/segments/room.c)."""
_LEAVES = (Transfer.CALL, Transfer.RETURN, Transfer.JUMP, Transfer.TRAP)


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
        self.unchecked = UNCHECKED_GLOBALLY if work.options.global_cursor else UNCHECKED
        self.recorder = work.isa.part(Recorder)
        self.kept = self.recorder.kept(work)
        ways, demands = hidden_ways(work.code, work.isa, convention_of(work.isa))
        self.entered = {work.code.labels[name] for name in entry_labels(work.code, work.isa)}
        self.entered -= passed_places(work)
        self.entered |= set(work.code.local_entries().values())
        names = addressed_labels(work.code, work.code.jump_table_words())
        taken = {work.code.labels[name] for name in names if name in work.code.labels}
        self.entered |= taken - passed_places(work)
        starts = [Way(at, at, at, 0) for at in self.entered if at >= 0]  # blocks begin there
        self.blocks = find_blocks(work.code, [*ways, *starts], demands)
        self.firsts = [block.first for block in self.blocks]
        self.labelled = work.code.labelled(DEBUG_LABELS)
        self.switches = {place for one in work.leaving.values() for place in (one.start, one.end)}
        self.sizes = {id(segment): size for segment, size in zip(segments, sizes, strict=True)}
        self.dropped: set[int] = set()
        self.entries = self._find_entries()
        self.states: list[State | None] = [None] * len(self.blocks)
        self.loops: list[Loop] = []
        self.counted: frozenset[int] = frozenset()
        """The blocks of loops whose checks are counted."""
        self.backward: list[tuple[int, int]] = []
        self.steps: list[list[tuple[int, Segment | None]]] = [[] for _ in self.blocks]
        """For each block its segments, and the sites that call glue, in order."""
        self.on_way: dict[int, Segment] = {}
        """The segments that only run if the branch is taken which ends a block."""
        self._sort(segments, sites)

    def _sort(self, segments: list[Segment], sites: list[Site]) -> None:
        recorded = {site.index for one in segments for site in one.sites if site.access}
        if is_loose(self.work):  # each value moves the pointer, which is stored where a block ends
            assert all(self._block_of(one.first) == self._block_of(one.last) for one in segments)
        steps: list[tuple[int, Segment | None]] = []
        for one in segments:
            if is_on_one_way(self.work, one.sites[0]):
                self.on_way[self._block_of(one.sites[0].branch)] = one
            else:
                steps.append((one.first, one))
        called = (one for one in sites if one.index not in recorded and one.reported)
        steps += [(site.place, None) for site in called]
        steps += [(index, None) for index in self._mentions() if index not in recorded]
        steps += [(index, None) for index in counted_places(self.work)]
        steps += [(index, None) for index in self.recorder.changes_kept(self.work)]
        for step in sorted(steps, key=lambda one: one[0]):
            self.steps[self._block_of(step[0])].append(step)

    def _mentions(self) -> list[int]:
        """Return the instructions that use the pointer's register for the program."""
        bit = self.work.isa.registers.bit[self.kept] if self.kept else 0
        if not bit & self.work.mentioned:
            return []
        return [
            index
            for index, fact in enumerate(self.work.code.facts)
            if (fact.uses | fact.defs) & bit and fact.transfer == Transfer.NONE
        ]

    def _block_of(self, index: int) -> int:
        return bisect_right(self.firsts, index) - 1

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
            [(at, one if one and id(one) not in self.dropped else None) for at, one in steps]
            for steps in self.steps
        ]
        leaving = {number for number, block in enumerate(self.blocks) if self._leaves(block)}
        following = [self._successors(block) for block in self.blocks]
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
            None if self._leaves(block) else self._kept_segments(number)
            for number, block in enumerate(self.blocks)
        ]
        following = [
            self._successors(block) if self.states[number] is not None else set()
            for number, block in enumerate(self.blocks)
        ]
        return Graph(self.blocks, following, segments, self.entries, self.backward)

    def _kept_segments(self, number: int) -> list[Segment] | None:
        """Return the segments of a block; None if something else moves the pointer there."""
        found = [segment for _, segment in self.steps[number]]
        written = [
            one for one in found if one and one.pointer == self.kept and id(one) not in self.dropped
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
        order, heads = self._order()
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
            for following in self._successors(self.blocks[number]):
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

    def _order(self) -> tuple[dict[int, int], set[int]]:
        """Return places in reverse postorder, and the heads of loops: each cycle has one."""
        finished: list[int] = []
        self.backward = []
        active: set[int] = set()
        seen: set[int] = set()
        heads: set[int] = set()
        for entry in sorted(self.entries):
            path = [] if entry in seen else [(entry, iter(self._successors(self.blocks[entry])))]
            seen.add(entry)
            active.update(number for number, _ in path)
            while path:
                number, rest = path[-1]
                following = next(rest, None)
                if following is None:
                    path.pop()
                    active.remove(number)
                    finished.append(number)
                elif following in active:
                    heads.add(following)
                    self.backward.append((number, following))
                elif following not in seen:
                    seen.add(following)
                    active.add(following)
                    path.append((following, iter(self._successors(self.blocks[following]))))
        return {number: place for place, number in enumerate(reversed(finished))}, heads

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
        if self._may_return(block):  # the pointer is stored before
            return State(state.written, state.ready)
        return _ENTERED if self._leaves(block) else state

    def _after_way(self, number: int, state: State) -> State:
        """Return what is known after what only runs if the branch is taken that ends a block."""
        segment = self.on_way.get(number)
        return self._after_step(segment, state) if segment else state

    def _is_dropped(self, number: int) -> bool:
        """Return whether a hook is called instead where a branch is taken."""
        return id(self.on_way.get(number)) in self.dropped

    def _on_way_to(self, number: int, following: int, falls: State, taken: State) -> State:
        """Return what is known on the way from a block to a following one."""
        block = self.blocks[number]
        if following != block.taken:
            return falls
        return falls.joined(taken) if following == block.falls else taken

    def _after_step(self, segment: Segment | None, state: State) -> State:
        """Return what is known after a segment, or after a site that calls glue (None)."""
        if segment is None or not self._can_write(segment, state):
            return State(state.written, ready=False)
        if segment.sites[-1].entry:  # other callers come in after it
            return _ENTERED
        size = self.sizes[id(segment)]
        written = size if segment.checked else state.written + size if segment.late < 0 else 0
        keeps = segment.pointer == self.kept
        return State(written, ready=keeps, dirty=keeps)

    def _can_write(self, segment: Segment, state: State) -> bool:
        """Return whether a segment is written; mark it if it has to check first."""
        if id(segment) in self.dropped:
            return False
        is_decided = segment.checked or segment.late >= 0
        if is_decided or state.written + self.sizes[id(segment)] <= self.unchecked:
            return True
        can_check = partial(self._can_check, segment)
        begins = next(filter(can_check, self._places(segment)), None)
        if begins is None:
            segment.late = next(filter(can_check, self._late_places(segment)), -1)
            if segment.late < 0:
                self.dropped.add(id(segment))
            return segment.late >= 0
        segment.checked = True
        if begins != segment.first:
            self._move_to(segment, begins)
        return True

    def _can_check(self, segment: Segment, index: int) -> bool:
        """Return whether a segment can begin with a check before an instruction."""
        trial = Reservation(index, ".", segment.pointer, 8, checked=True, arrives=segment.arrives)
        return self.recorder.reserve(self.work, trial) is not None

    def _places(self, segment: Segment) -> Iterator[int]:
        """Yield the instructions before which a segment may begin, its first site's first.

        Where the pointer is kept these are the ones back to what else moves it, or to where the
        block begins, as long as the register is free.
        """
        yield segment.first
        is_movable = segment.pointer == self.kept and not segment.arrives
        if not is_movable or is_on_one_way(self.work, segment.sites[0]):
            return
        number = self._block_of(segment.first)
        used = self.work.code.facts[segment.first].uses | self.work.liveness.before[segment.first]
        for index in range(segment.first - 1, self._last_step(number, segment), -1):
            fact = self.work.code.facts[index]
            used |= fact.uses | fact.defs | self.work.liveness.before[index]
            if self._is_fixed(index) or self.recorder.pointer(self.work, used) != self.kept:
                return
            yield index

    def _late_places(self, segment: Segment) -> Iterator[int]:
        """Yield the instructions before which a short segment may check that it has had room: there
        is some after the limit. They go on to the next step, or to where the block ends."""
        site, number = segment.sites[-1], self._block_of(segment.first)
        is_short = self.sizes[id(segment)] <= _LATE and segment.pointer == self.kept
        if not is_short or site.branch != NO_BRANCH or segment.arrives:
            return
        block = self.blocks[number]
        last = self._end(block) if block.terminator >= 0 else block.end - 1
        steps = self.steps[number]
        later = [at for at, other in steps if other is not segment and at > segment.last]
        for index in range(segment.last + 1, min([last, *later]) + 1):
            if self.work.code.facts[index - 1].window or index in self.labelled:
                return
            yield index

    def _last_step(self, number: int, segment: Segment) -> int:
        """Return the instruction before which nothing of a segment can stand in its block."""
        last = self.blocks[number].first - 1
        for index, other in self.steps[number]:
            if other is segment:
                break
            last = index if other is None else other.last
        return last

    def _is_fixed(self, index: int) -> bool:
        """Return whether nothing that a segment needs may stand before an instruction."""
        fact, work = self.work.code.facts[index], self.work
        moves = fact.transfer != Transfer.NONE or fact.window or index in self.switches
        is_apart = index + 1 in self.labelled or index in work.reserved
        return bool(moves or is_apart or DIFFERENCE.search(work.code.at(index).operands))

    def _move_to(self, segment: Segment, index: int) -> None:
        """Let a segment begin before an instruction."""
        steps = self.steps[self._block_of(index)]
        place = next(n for n, (_, one) in enumerate(steps) if one is segment)
        steps[place] = index, segment
        segment.first = index

    def _place(self, number: int, state: State, result: Placed) -> None:
        """Decide what each segment of a block does, and where the pointer is stored."""
        block = self.blocks[number]
        for index, segment in self.steps[number]:
            written = segment is not None and id(segment) not in self.dropped
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
            result.stores_before.add(self._end(block))
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

    def _leaves(self, block: Block) -> bool:
        """Return whether nothing is known of the pointer after a block."""
        if block.terminator < 0 or block.jumps:
            return False
        fact = self.work.code.facts[block.terminator]
        passes = self._may_return(block) or self._is_passed(block)
        return fact.transfer in _LEAVES and not passes

    def _end(self, block: Block) -> int:
        """Return the instruction before which code at the end of a block stands: its terminator, or
        the first of what finds the GOT with that, and stays in one piece."""
        at, code = block.terminator, self.work.code
        while at > block.first and self._is_passed(block) and GOT in code.at(at - 1).operands:
            at -= 1
        return at

    def _is_passed(self, block: Block) -> bool:
        """Return whether a block ends in a call that leaves the pointer alone."""
        fact = self.work.code.facts[block.terminator]
        return fact.transfer == Transfer.CALL and self.recorder.passes(fact.target)

    def _may_return(self, block: Block) -> bool:
        """Return whether a block ends in a conditional return."""
        fact = self.work.code.facts[block.terminator] if block.terminator >= 0 else None
        return fact is not None and fact.transfer == Transfer.RETURN and fact.conditional

    def _has_to_store(self, block: Block) -> bool:
        """Return whether control may go from a block to where the pointer is loaded."""
        if self._leaves(block) or self._may_return(block):
            return True
        followed = self._successors(block)
        fact = self.work.code.facts[block.terminator] if block.terminator >= 0 else None
        if not followed or (fact and fact.transfer == Transfer.BRANCH and block.taken < 0):
            return True
        states = (self.states[one] for one in followed)
        return any(state is None or not state.ready for state in states)

    def _successors(self, block: Block) -> set[int]:
        found = {target for target, _ in block.ways} | {block.taken, *block.jumps}
        if block.terminator < 0:
            found.add(block.falls)
        else:
            fact = self.work.code.facts[block.terminator]
            leaves = (Transfer.BRANCH, Transfer.JUMP, Transfer.RETURN)
            if fact.conditional or fact.transfer not in leaves:
                found.add(block.falls)
        return found - {NOWHERE}

    def _find_entries(self) -> set[int]:
        """Return the blocks to which control may come from where nothing is known."""
        reached = {one for block in self.blocks for one in self._successors(block)}
        known = {one for block in self.blocks for one, _ in block.ways}
        found = {self._block_of(at) for at in self.entered if at >= 0}
        return found | known | (set(range(len(self.blocks))) - reached)
