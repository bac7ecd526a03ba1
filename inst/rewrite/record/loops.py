"""Loops in which a register counts the checks of the buffer's limit.

From one check to the next such a loop writes few bytes, so that only one check of many has to look
at the limit: where the register, which is set before the loop, has been counted down to zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from inst.dataclass import dataclass
from inst.flow.blocks import Block
from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import Segment
from inst.rewrite.record.recorder import Recorder

COUNTED, BEFORE = 2048, 1024
"""Bytes that such a loop may write from one look at the limit to the next, and that may have been
written before it if the first check of the loop is to be counted, too."""
_LEAST = 8
"""Checks for which it is worth to count."""


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop, by the numbers of its blocks."""

    members: frozenset[int]
    entered_from: tuple[int, ...]
    """The blocks from which control comes into it."""
    count: int
    """Of how many checks one looks at the limit."""


@dataclass(frozen=True, slots=True)
class Graph:
    """Blocks, what may follow each, and the segments in each."""

    blocks: list[Block]
    following: list[set[int]]
    segments: list[list[Segment] | None]
    """None: something else than segments moves the pointer there, or control leaves the code."""
    entries: set[int]
    """Blocks to which control comes from elsewhere."""
    backward: list[tuple[int, int]]
    """Edges that close cycles."""


def counted_loops(work: Rewriting, graph: Graph, size: Callable[[Segment], int]) -> list[Loop]:
    """Return loops that do not overlap, the outermost that can be counted."""
    loose = work.isa.part(Recorder).loose
    if loose is None or not loose.counter:
        return []
    finder = _Finder(work, graph, size, work.isa.registers.bit[loose.counter])
    return list(finder.find())


class _Finder:
    def __init__(
        self, work: Rewriting, graph: Graph, size: Callable[[Segment], int], counter: int
    ) -> None:
        self.work, self.graph, self.size, self.counter = work, graph, size, counter
        self.before: list[set[int]] = [set() for _ in graph.blocks]
        for number, following in enumerate(graph.following):
            for one in following:
                self.before[one].add(number)
        self.taken: set[int] = set()
        self.setting: set[int] = set()
        """Where the register is set."""

    def find(self) -> Iterator[Loop]:
        bodies: dict[int, set[int]] = {}
        for last, head in self.graph.backward:
            bodies.setdefault(head, {head}).update(self._body(head, last))
        for head, body in sorted(bodies.items(), key=lambda one: (-len(one[1]), one[0])):
            loop = self._loop(head, frozenset(body))
            if loop is not None:
                self.taken |= loop.members
                self.setting.update(loop.entered_from)
                yield loop

    def _body(self, head: int, last: int) -> set[int]:
        """Return what control goes through from a loop's head to the branch back to it."""
        found, pending = {head, last}, [last]
        while pending:
            number = pending.pop()
            more = self.before[number] - found if number != head else set()
            found |= more
            pending += more
        return found

    def _loop(self, head: int, body: frozenset[int]) -> Loop | None:
        """Return the loop if its checks can be counted."""
        entered_from = self.before[head] - body
        if not entered_from:
            return None
        if body & (self.taken | self.setting | self.graph.entries) or entered_from & self.taken:
            return None
        if any(self.before[number] - body for number in body if number != head):
            return None
        if not all(map(self._is_free, body)) or not all(map(self._can_set, entered_from)):
            return None
        most = self._most_written(body)
        count = COUNTED // most - 1 if most else 0
        return Loop(body, tuple(sorted(entered_from)), count) if count >= _LEAST else None

    def _is_free(self, number: int) -> bool:
        """Return whether the register is free in a block."""
        block, work = self.graph.blocks[number], self.work
        segments = self.graph.segments[number]
        if segments is None or block.ways or work.liveness.before[block.first] & self.counter:
            return False
        facts = work.code.facts[block.first : max(block.end, block.terminator + 1)]
        if any((fact.uses | fact.defs) & self.counter for fact in facts):
            return False
        loose = work.isa.part(Recorder).loose
        assert loose is not None
        checks = (one.first for one in segments if one.checked)
        return all(loose.set_counter(work, at, 1, True) is not None for at in checks)

    def _can_set(self, number: int) -> bool:
        """Return whether the register can be set at the end of a block."""
        block, work = self.graph.blocks[number], self.work
        if self.graph.segments[number] is None:
            return False
        if any(at in work.reserved for at in range(block.first, block.end + 1)):
            return False  # what records a reservation's value may come after it
        at = setting_place(block)
        fact = work.code.facts[at] if block.terminator >= 0 else None
        live = work.liveness.before[at]
        loose = work.isa.part(Recorder).loose
        assert loose is not None
        if (fact and (fact.uses | fact.defs) & self.counter) or live & self.counter:
            return False
        return loose.set_counter(work, at, 1, False) is not None

    def _most_written(self, body: frozenset[int]) -> int:
        """Return how many bytes may be written from one check to the next; 0: too many, or none."""
        written = dict.fromkeys(body, 0)
        pending = set(body)
        most = 0
        while pending:
            number = pending.pop()
            now = written[number]
            for segment in self.graph.segments[number] or ():
                now = self.size(segment) + (0 if segment.checked else now)
                most = max(most, now)
            if most > COUNTED:
                return 0
            for one in self.graph.following[number] & body:
                if written[one] < now:
                    written[one] = now
                    pending.add(one)
        return most


def setting_place(block: Block) -> int:
    """Return the instruction before which a register is set at the end of a block: the branch that
    ends it, or what follows."""
    return block.terminator if block.terminator >= 0 else block.end
