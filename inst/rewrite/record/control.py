"""How control goes through the blocks of a file, as far as it matters for the pointer.

Nothing is known of it where a function is entered, at labels that control may reach unseen, and
after calls but those that leave its register alone.
"""

from __future__ import annotations

from bisect import bisect_right

from inst.flow.blocks import NOWHERE, Block, find_blocks
from inst.flow.code import addressed_labels
from inst.flow.conventions import convention_of
from inst.flow.functions import entry_labels
from inst.flow.hidden import Way, hidden_ways
from inst.isa.model import Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.counter import GOT
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.record.writing import passed_places

_LEAVES = (Transfer.CALL, Transfer.RETURN, Transfer.JUMP, Transfer.TRAP)


class Control:
    """The blocks of a file, and where nothing is known of the pointer."""

    def __init__(self, work: Rewriting) -> None:
        self.work = work
        self._recorder = work.isa.part(Recorder)
        ways, demands = hidden_ways(work.code, work.isa, convention_of(work.isa))
        passed = passed_places(work)
        entered = {work.code.labels[name] for name in entry_labels(work.code, work.isa)} - passed
        entered |= set(work.code.local_entries().values())
        names = addressed_labels(work.code, work.code.jump_table_words())
        entered |= {work.code.labels[name] for name in names if name in work.code.labels} - passed
        starts = [Way(at, at, at, 0) for at in entered if at >= 0]  # blocks begin there
        self.blocks = find_blocks(work.code, [*ways, *starts], demands)
        self._firsts = [block.first for block in self.blocks]
        self.entries = self._find_entries(entered)

    def block_of(self, index: int) -> int:
        return bisect_right(self._firsts, index) - 1

    def successors(self, block: Block) -> set[int]:
        found = {target for target, _ in block.ways} | {block.taken, *block.jumps}
        if block.terminator < 0:
            found.add(block.falls)
        else:
            fact = self.work.code.facts[block.terminator]
            leaves = (Transfer.BRANCH, Transfer.JUMP, Transfer.RETURN)
            if fact.conditional or fact.transfer not in leaves:
                found.add(block.falls)
        return found - {NOWHERE}

    def leaves(self, block: Block) -> bool:
        """Return whether nothing is known of the pointer after a block."""
        if block.terminator < 0 or block.jumps:
            return False
        fact = self.work.code.facts[block.terminator]
        passes = self.may_return(block) or self._is_passed(block)
        return fact.transfer in _LEAVES and not passes

    def end(self, block: Block) -> int:
        """Return the instruction before which code at the end of a block stands: its terminator, or
        the first of what finds the GOT with that, and stays in one piece."""
        at, code = block.terminator, self.work.code
        while at > block.first and self._is_passed(block) and GOT in code.at(at - 1).operands:
            at -= 1
        return at

    def _is_passed(self, block: Block) -> bool:
        """Return whether a block ends in a call that leaves the pointer alone."""
        fact = self.work.code.facts[block.terminator]
        return fact.transfer == Transfer.CALL and self._recorder.passes(fact.target)

    def may_return(self, block: Block) -> bool:
        """Return whether a block ends in a conditional return."""
        fact = self.work.code.facts[block.terminator] if block.terminator >= 0 else None
        return fact is not None and fact.transfer == Transfer.RETURN and fact.conditional

    def _find_entries(self, entered: set[int]) -> set[int]:
        """Return the blocks to which control may come from where nothing is known."""
        reached = {one for block in self.blocks for one in self.successors(block)}
        known = {one for block in self.blocks for one, _ in block.ways}
        found = {self.block_of(at) for at in entered if at >= 0}
        return found | known | (set(range(len(self.blocks))) - reached)

    def order(self) -> tuple[dict[int, int], set[int], list[tuple[int, int]]]:
        """Return places in reverse postorder, the heads of loops (each cycle has one), and the ways
        back to them."""
        finished: list[int] = []
        backward: list[tuple[int, int]] = []
        active: set[int] = set()
        seen: set[int] = set()
        heads: set[int] = set()
        for entry in sorted(self.entries):
            path = [] if entry in seen else [(entry, iter(self.successors(self.blocks[entry])))]
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
                    backward.append((number, following))
                elif following not in seen:
                    seen.add(following)
                    active.add(following)
                    path.append((following, iter(self.successors(self.blocks[following]))))
        return {number: place for place, number in enumerate(reversed(finished))}, heads, backward
