"""Names of segments by the names of others: one addition where a number takes two instructions.

A segment leaves its name in a register that is free, and those that follow add their distance to
it, as long as every path to them comes from that segment and leaves the register alone. Calls and
glue leave nothing alone. The register becomes live on the way: other inserted code has another.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from inst.asm.model import Kind
from inst.dataclass import dataclass, field
from inst.flow.blocks import Block
from inst.isa.model import RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import Segment
from inst.rewrite.record.recorder import Recorder

_LEFT = 2
"""Registers that have to remain free for other inserted code, besides the one with the name."""
_FARTHEST = 120
"""Instructions between two segments whose distance fits an addition, whatever is inserted."""
_EMPTY = re.compile(r"\.(cfi_|loc|type|size|globl|p2align [0-5]\b|align [0-5]\b)")
"""Directives that add no bytes there, or few."""
_AHEAD = 16
"""Blocks that are looked at for a register that is free in them."""

Step = tuple[int, Segment | None]
Named = tuple[Segment, RegisterSet] | None
"""A segment, and the register that has its name; None: no register has one."""


@dataclass(slots=True)
class Flow:
    """The blocks of some code, and what is in them."""

    blocks: list[Block]
    following: list[set[int]]
    """Which blocks follow each."""
    steps: list[list[Step]]
    """For each block its segments, and where glue is called (None), in order."""
    entries: set[int]
    """The blocks to which control comes from elsewhere."""
    leaving: set[int]
    """The blocks after which other code may run before those that follow."""


def follow_names(work: Rewriting, flow: Flow, segments: list[Segment]) -> None:
    """Choose the segments that leave their names in a register, and those that use them."""
    recorder = work.isa.part(Recorder)
    if recorder.adds_to_name and recorder.kept(work):
        _Follower(work, flow, segments).follow()


@dataclass(slots=True)
class _Use:
    """What came of a name that was left in a register."""

    users: list[Segment] = field(default_factory=list)
    places: set[int] = field(default_factory=set)
    """The instructions before which the register has it."""


class _Follower:
    def __init__(self, work: Rewriting, flow: Flow, segments: list[Segment]) -> None:
        self.work, self.flow = work, flow
        recorder, registers = work.isa.part(Recorder), work.isa.registers
        kept = recorder.kept(work)
        self.others = registers.integer & ~registers.reserved & ~registers.bit[kept]
        self.candidates = self.others & ~registers.mask(*recorder.read_as_zero)
        self.written = {id(one) for one in segments if one.pointer == kept and not one.stores}
        edited = work.edits.by_statement
        self.edited = {n for n, one in enumerate(work.code.statement) if one in edited}
        """Instructions around which there may be code that has registers of its own."""
        self.data = [
            position
            for position, one in enumerate(work.code.statements)
            if one.kind == Kind.DIRECTIVE and not _EMPTY.match(f"{one.name} {one.operands}")
        ]
        """Statements that may stand for any number of bytes."""
        self.free = [self._free_in(number) for number in range(len(flow.blocks))]
        self.choice: dict[int, RegisterSet] = {}

    def follow(self) -> None:
        before = self._solved()
        uses: dict[tuple[int, RegisterSet], _Use] = {}
        for number, named in before.items():
            self._through(number, named, uses)
        for (_, bit), use in uses.items():
            if use.users:
                self._take(bit, use)

    def _take(self, bit: RegisterSet, use: _Use) -> None:
        """Let a segment leave its name, and make the register live while it is there."""
        live = self.work.liveness
        base = use.users[0].base
        assert base is not None
        base.leaves_name = self.work.isa.registers.listed(bit)[0]
        base.label = base.label or self.work.edits.new_label()
        for index in use.places:
            live.before[index] |= bit
            live.after[index] |= bit

    def _solved(self) -> dict[int, Named]:
        """Return what is known before each block that control reaches."""
        before: dict[int, Named] = dict.fromkeys(sorted(self.flow.entries))
        pending = sorted(before, reverse=True)
        while pending:
            number = pending.pop()
            after = self._through(number, before[number])
            after = None if number in self.flow.leaving else after
            for one in sorted(self.flow.following[number], reverse=True):
                if one not in before:
                    before[one] = after
                elif before[one] in (None, after):
                    continue
                else:
                    before[one] = None
                pending.append(one)
        return before

    def _through(
        self,
        number: int,
        named: Named,
        uses: dict[tuple[int, RegisterSet], _Use] | None = None,
    ) -> Named:
        """Return what is known after a block; note the uses of names in it."""
        block, steps = self.flow.blocks[number], dict(self.flow.steps[number])
        for index in range(block.first, max(block.end, block.terminator + 1)):
            if named and not named[1] & self._free_at(index):
                named = None
            if index in steps:
                named = self._after_step(steps[index], number, named, uses)
            if named and uses is not None:
                uses.setdefault((id(named[0]), named[1]), _Use()).places.add(index)
        return named

    def _after_step(
        self,
        segment: Segment | None,
        number: int,
        named: Named,
        uses: dict[tuple[int, RegisterSet], _Use] | None,
    ) -> Named:
        if segment is None or id(segment) not in self.written:
            return None
        if named and self._is_near(named[0], segment):
            if uses is not None:
                segment.base = named[0]
                uses.setdefault((id(named[0]), named[1]), _Use()).users.append(segment)
            return named
        bit = self._chosen(segment, number)
        return (segment, bit) if bit else None

    def _is_near(self, one: Segment, other: Segment) -> bool:
        statement = self.work.code.statement
        low, high = sorted((one.first, other.first))
        if high - low > _FARTHEST:
            return False
        between = (statement[low], statement[high])
        return bisect_left(self.data, min(between)) == bisect_left(self.data, max(between))

    def _chosen(self, segment: Segment, number: int) -> RegisterSet:
        """Return the register in which a segment would leave its name; 0: there is none."""
        found = self.choice.get(id(segment))
        if found is None:
            found = self.choice[id(segment)] = self._choose(segment.first, number)
        return found

    def _choose(self, index: int, number: int) -> RegisterSet:
        block = self.flow.blocks[number]
        found = self._free_at(index)
        for place in range(index + 1, max(block.end, block.terminator + 1)):
            found = found & self._free_at(place) or found
        seen, pending = {number}, self._next(number)
        while pending and len(seen) < _AHEAD:
            number = pending.pop(0)
            if number in seen:
                continue
            seen.add(number)
            if self.free[number] & found:
                found &= self.free[number]
                pending += self._next(number)
        return found & -found

    def _next(self, number: int) -> list[int]:
        flow = self.flow
        return [] if number in flow.leaving else sorted(flow.following[number])

    def _free_in(self, number: int) -> RegisterSet:
        """Return the registers that are free in all of a block; none if it calls glue."""
        block, found = self.flow.blocks[number], self.candidates
        if any(segment is None for _, segment in self.flow.steps[number]):
            return 0
        for index in range(block.first, max(block.end, block.terminator + 1)):
            found &= self._free_at(index)
        return found

    def _free_at(self, index: int) -> RegisterSet:
        """Return the registers that may keep a name over an instruction; none if few are free."""
        fact, live = self.work.code.facts[index], self.work.liveness
        used = live.before[index] | live.after[index] | fact.uses | fact.defs
        left = (self.others & ~used).bit_count() - 1
        return self.candidates & ~used if left >= _LEFT and index not in self.edited else 0
