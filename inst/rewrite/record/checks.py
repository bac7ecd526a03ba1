"""Which segments have to check that the buffer has room: as few as is safe.

From one check to the next, code writes at most `UNCHECKED` bytes on every path. What has been
written is not known where a function is entered, after calls, and at labels that control may reach
unseen; a loop needs a check in it.
"""

from __future__ import annotations

from bisect import bisect_right

from inst.asm.model import Kind
from inst.flow.blocks import NOWHERE, Block, find_blocks
from inst.flow.code import NAME, referring
from inst.flow.conventions import convention_of
from inst.flow.hidden import hidden_ways
from inst.isa.model import Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import UNCHECKED, Recorder, Reservation, Segment

_UNKNOWN = UNCHECKED + 1
_VISITS = 4
"""After so many visits of a block it counts as one of a loop that writes more each time."""


def place_checks(work: Rewriting, segments: list[Segment], sizes: list[int]) -> list[Segment]:
    """Mark the segments that check; return those that can be written, with their checks."""
    if not segments:
        return []
    return _Placer(work, segments, sizes).placed()


class _Placer:
    def __init__(self, work: Rewriting, segments: list[Segment], sizes: list[int]) -> None:
        self.work = work
        self.recorder = work.isa.part(Recorder)
        self.blocks = find_blocks(
            work.code, *hidden_ways(work.code, work.isa, convention_of(work.isa))
        )
        self.sizes = {id(segment): size for segment, size in zip(segments, sizes, strict=True)}
        self.of_block: list[list[Segment]] = [[] for _ in self.blocks]
        self.firsts = [block.first for block in self.blocks]
        for segment in segments:
            self.of_block[bisect_right(self.firsts, segment.first) - 1].append(segment)
        self.dropped: set[int] = set()

    def placed(self) -> list[Segment]:
        """Follow the blocks until nothing changes."""
        written = [NOWHERE] * len(self.blocks)
        visits = [0] * len(self.blocks)
        pending = self._entries()
        for block in pending:
            written[block] = _UNKNOWN
        while pending:
            number = pending.pop()
            out = self._through(number, written[number])
            for following in self._successors(self.blocks[number]):
                if out > written[following]:
                    visits[following] += 1
                    written[following] = out if visits[following] <= _VISITS else _UNKNOWN
                    pending.append(following)
        return [
            segment
            for group in self.of_block
            for segment in group
            if id(segment) not in self.dropped
        ]

    def _through(self, number: int, written: int) -> int:
        """Return what may have been written after a block, when that may have been before it."""
        for segment in self.of_block[number]:
            size = self.sizes[id(segment)]
            if not segment.checked and written + size > UNCHECKED:
                segment.checked = True
                if not self._can_check(segment):
                    self.dropped.add(id(segment))
            if id(segment) not in self.dropped:
                written = size if segment.checked else written + size
        block = self.blocks[number]
        calls = block.terminator >= 0 and (
            self.work.code.facts[block.terminator].transfer == Transfer.CALL
        )
        return _UNKNOWN if calls else written

    def _can_check(self, segment: Segment) -> bool:
        trial = Reservation(segment.first, ".", segment.pointer, 8, checked=True)
        return self.recorder.reserve(self.work, trial) is not None

    def _successors(self, block: Block) -> set[int]:
        found = {target for target, _ in block.ways} | {block.taken}
        if block.terminator < 0:
            found.add(block.falls)
        else:
            fact = self.work.code.facts[block.terminator]
            leaves = (Transfer.BRANCH, Transfer.JUMP, Transfer.RETURN)
            if fact.conditional or fact.transfer not in leaves:
                found.add(block.falls)
        return found - {NOWHERE}

    def _entries(self) -> list[int]:
        """Return the blocks to which control may come from where nothing is known."""
        code = self.work.code
        reached = {one for block in self.blocks for one in self._successors(block)}
        known = {one for block in self.blocks for one, _ in block.ways}
        places = {at for name, at in code.labels.items() if not name.startswith(".L")}
        places |= {code.labels[name] for name in self._named() if name in code.labels}
        found = {bisect_right(self.firsts, place) - 1 for place in places if place >= 0}
        return sorted(found | known | (set(range(len(self.blocks))) - reached))

    def _named(self) -> set[str]:
        """Return the names that stand elsewhere than as the target of a branch."""
        code = self.work.code
        facts = dict(zip(code.statement, code.facts, strict=True))
        found: set[str] = set()
        for position in referring(code.statements):
            statement = code.statements[position]
            if statement.kind == Kind.INSTRUCTION:
                fact = facts.get(position)
                if fact is not None and fact.target:
                    continue
            if ".L" in statement.operands:
                found.update(NAME.findall(statement.operands))
        return found
