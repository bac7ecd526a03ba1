"""The blocks of a file for recording, and which registers are read after each.

Unlike `inst.flow.liveness` this counts what the file's own code reads, and nothing for callers and
functions elsewhere: re-execution knows what they leave by what is recorded where they come back.
"""

from __future__ import annotations

from collections.abc import Iterable

from inst.flow.blocks import NOWHERE, Block, settle
from inst.flow.code import addressed_labels
from inst.flow.conventions import convention_of
from inst.flow.liveness import Windows
from inst.flow.model import Conventions
from inst.isa.model import Facts, RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.record.within import Within


class Reading:
    """The blocks of a file, how calls lead from one to another, and what is read after each."""

    def __init__(
        self, work: Rewriting, blocks: list[Block], named: set[int], carried: RegisterSet
    ) -> None:
        self.work = work
        self.code = work.code
        self.blocks = blocks
        self._named = named
        """Where functions begin."""
        labels, local = self.code.labels, self.code.local_entries()
        self._followed = {labels[name] for name in local if name in labels}
        """Where functions with two entry points do: nothing else goes on there."""
        self._carried = carried
        """What is recorded where it arrives."""
        conventions = work.isa.part(Conventions)
        convention = convention_of(work.isa)
        self._preserving, self._restores_link = convention.preserving, convention.restores_link
        self.counting = {at for name, at in self.code.labels.items() if self._restores(name)}
        """Where functions begin that count calls: they may read `Convention.link_copy`."""
        self._stack_name = conventions.stack_pointer
        self._volatile = work.isa.registers.volatile
        self.windows = Windows(work.isa.registers)
        self._number_of = {block.first: number for number, block in enumerate(blocks)}
        self.jumped_to = self._jumped_to()
        """The blocks to which a computed jump without a table may go."""
        may_come_back = (n for n, one in enumerate(blocks) if one.terminator >= 0 <= one.falls)
        self.calls = [number for number in may_come_back if self.comes_back(blocks[number])]
        """The blocks that end in such calls."""
        self.within = Within(work)
        self.within.connect(blocks, self.calls)

    def solved(self) -> list[RegisterSet]:
        """Return for each block the registers that it reads, or what may follow it."""
        live: list[RegisterSet] = [0] * len(self.blocks)
        further = self.within.following
        settle(self.blocks, live, lambda block: self._before(block, live), self.jumped_to, further)
        return live

    def comes_back(self, block: Block) -> bool:
        """Return whether a block ends in a call that comes back and may change registers."""
        fact, after = self.code.facts[block.terminator], self.blocks[block.falls]
        returns = after.terminator >= 0 or after.falls != NOWHERE
        following = self.insertable(after)
        if following in self._followed or (self.code.compiled and following in self._named):
            return False  # it is the last instruction of its function
        if not returns or fact.transfer != Transfer.CALL or self._reads_place(fact):
            return False
        return not self.is_tail_call(block)

    def is_link_restored(self, block: Block) -> bool:
        """Return whether a block ends in a call after which code reads where it returns to."""
        return self._restores(self.code.callee(block.terminator))

    def _restores(self, function: str) -> bool:
        return self._restores_link.match(function.removeprefix(".L").lstrip(".")) is not None

    def is_tail_call(self, block: Block) -> bool:
        """Return whether the slot of a call makes the function called return to the caller."""
        if block.slot < 0:
            return False
        slot = self.code.facts[block.slot]
        return slot.window < 0 or bool(slot.defs & self.work.isa.registers.link)

    def insertable(self, block: Block) -> int:
        """Return where a block may begin with other code.

        After a call a nop is the linker's, and so is a load of the TOC pointer that it replaces by
        one; a word that is read as data says how the function called returns.
        """
        code, first = self.code, block.first
        fact = code.facts[first]
        access = fact.access
        is_reload = (
            access is not None and access.linker_rewrites and access.base == self._stack_name
        )
        stays = code.at(first).name == "nop" or fact.never_runs or is_reload
        return first + (stays and first + 1 < len(code.facts))

    def _reads_place(self, fact: Facts) -> bool:
        """Return whether a call only reads where it is."""
        is_local = fact.target.startswith(".L")
        if fact.pc_relative_data or (is_local and self._label(fact) not in self._named):
            return True
        return bool(self._preserving.match(fact.target))

    def _label(self, fact: Facts) -> int:
        """Return the instruction at a call's label, by which objects call functions whose symbols
        have no type."""
        return self.code.labels.get(fact.target, -1)

    def _jumped_to(self) -> list[int]:
        """Return the blocks to which a computed jump without a table may go."""
        code = self.code
        labels, names = code.labels, addressed_labels(code, code.jump_table_words())
        places = {labels[name] for name in names if name in labels}
        return [number for number, block in enumerate(self.blocks) if block.first in places]

    def _before(self, block: Block, live: list[RegisterSet]) -> RegisterSet:
        taken, falls = self._after(block, live)
        further = self.within.following.get(self._number_of[block.first], ())
        taken |= union(live[to] for to in further) & self.within.passed(block)
        found = taken | falls
        if block.slot >= 0:
            annuls = self.code.facts[block.terminator].annul
            found = self._through(self.code.facts[block.slot], taken if annuls else found)
            found |= falls if annuls else 0
        if block.terminator >= 0:
            found = self._through(self.code.facts[block.terminator], found)
        found |= union(live[to] & preserved for to, preserved in block.ways)
        return found & ~block.kill | block.gen

    def _through(self, fact: Facts, live: RegisterSet) -> RegisterSet:
        """Return what is read before an instruction; a return reads what re-execution knows."""
        uses = 0 if fact.transfer == Transfer.RETURN else fact.uses
        if fact.window:
            return self.windows.renamed(fact.window, live & ~fact.defs) | uses
        return live & ~(0 if fact.conditional else fact.defs) | uses

    def _after(self, block: Block, live: list[RegisterSet]) -> tuple[RegisterSet, RegisterSet]:
        """Return what is read where a block's terminator goes, and where it falls through to,
        without what the terminator changes."""
        falls = live[block.falls] if block.falls != NOWHERE else 0
        if block.terminator < 0:
            return 0, falls
        fact = self.code.facts[block.terminator]
        if fact.transfer == Transfer.CALL and block.taken == NOWHERE:
            return self._after_call(block, fact, falls), 0
        taken = 0
        if fact.transfer == Transfer.JUMP:
            taken = union(live[to] for to in block.jumps or self.jumped_to)
        elif block.taken != NOWHERE and not self._is_function(fact):
            taken = live[block.taken]
        stays = fact.conditional or fact.transfer in (Transfer.NONE, Transfer.TRAP)
        return taken, falls if stays else 0

    def _after_call(self, block: Block, fact: Facts, falls: RegisterSet) -> RegisterSet:
        if self._reads_place(fact):
            return falls
        if self.is_tail_call(block):
            return 0
        kept = self.within.preserved if self.within.returns(block) else 0
        return falls & (~self._volatile | kept)

    def _is_function(self, fact: Facts) -> bool:
        return not fact.target.startswith((".", "$")) and not fact.target[:1].isdigit()


def union(sets: Iterable[RegisterSet]) -> RegisterSet:
    """Return the union of sets."""
    found: RegisterSet = 0
    for one in sets:
        found |= one
    return found
