"""Which registers are live where: a backward data-flow analysis over basic blocks.

A block is a run of instructions ended by one that transfers control (with its delay slot)
or changes the register window.  What is in a block before that is folded into one gen and one
kill set, so that the fixed point costs two operations a block and visit; a last sweep then
determines what is live after every instruction.
"""

from __future__ import annotations

import re

from inst.dataclass import dataclass, replace
from inst.flow.blocks import Block, Leads, find_blocks, settle
from inst.flow.code import Code
from inst.flow.conventions import convention_of, killing
from inst.flow.hidden import Way, computed_jumps, hidden_ways, in_asm, labelled_gotos
from inst.flow.model import Conventions
from inst.flow.unwinding import Unsaved
from inst.isa.model import Facts, Isa, RegisterFile, RegisterSet, Transfer


@dataclass(slots=True)
class Liveness:
    """For each instruction of a `Code`, the registers live before and after it.

    For an instruction in a delay slot, "after" means where its execution leads (the target,
    and the fall-through if it runs on both ways).  For one with a delay slot, "before" is
    the state in which it is reached and "after" the state in which its slot runs.
    """

    before: list[RegisterSet]
    after: list[RegisterSet]


_PLAIN_FUNCTION = re.compile(r"(?!_D\d)\w+(\.(constprop|isra|part|cold)\.\d+)*")
"""Names of functions that have no static chain: compilers number those of nested functions. Others
are D's, and Go's, which have dots."""


def find_liveness(code: Code, isa: Isa, dropped: RegisterSet = 0) -> Liveness:
    """Compute liveness for all of `code`.

    Code keeps nothing in `dropped` where it calls or leaves a function, whatever the convention
    says; if there are such registers, its computed jumps go to places whose address it takes.
    """
    return _Solver(code, isa, dropped).solve()


class _Solver:
    def __init__(self, code: Code, isa: Isa, dropped: RegisterSet = 0) -> None:
        code = _without_reads(code, dropped) if dropped else code
        self.code = code
        self.facts = code.facts
        self.convention = killing(convention_of(isa), dropped)
        self.beyond = self.convention.everything & ~dropped
        """What is live where control goes to places that are not known."""
        self.dropped = dropped
        """If there are such registers, it is looked at where jumps and traps go."""
        self.windows = Windows(isa.registers)
        self.sticky = isa.registers.sticky if _sets_sticky(code, isa) else 0
        self.live_in: list[RegisterSet] = []
        self.unsaved = Unsaved(code, isa)
        ways, demands = hidden_ways(code, isa, self.convention)
        everything = self.convention.everything
        self.at_trap = everything & ~self.convention.killed | isa.registers.link
        """What code after the trap may read that is not known."""
        self.plain_traps = _plain_traps(code)
        self.never_passed = _never_passed(code, isa, self.convention.local_arguments)
        """The static chain, where no call through a register passes one."""
        self.gotos = {} if self.dropped else labelled_gotos(code)
        if self.dropped:
            ways += computed_jumps(code, everything)
        for jump, places in self.gotos.items():
            ways += [Way(jump, jump + 1, place, everything) for place in places]
        self.blocks = find_blocks(code, ways, demands)

    def solve(self) -> Liveness:
        self.live_in = [0] * len(self.blocks)
        settle(self.blocks, self.live_in, self._before)
        return self._sweep()

    def _before(self, block: Block) -> RegisterSet:
        live = self._before_terminator(block) & ~block.kill | block.gen
        return live | self._unseen(block) if block.ways or block.demand else live

    def _sweep(self) -> Liveness:
        facts = self.facts
        before = [0] * len(facts)
        after = [0] * len(facts)
        for block in self.blocks:
            live = self._before_terminator(block)
            unseen = self._unseen(block)
            if block.terminator >= 0:
                self._record_terminator(block, before, after)
            for index in range(block.end - 1, block.first - 1, -1):
                fact = facts[index]
                after[index] = live
                live = live & ~fact.defs | fact.uses | unseen
                before[index] = live
        sticky = self.sticky
        if sticky:
            return Liveness([one | sticky for one in before], [one | sticky for one in after])
        return Liveness(before, after)

    def _record_terminator(
        self, block: Block, before: list[RegisterSet], after: list[RegisterSet]
    ) -> None:
        before[block.terminator] = self._before_terminator(block)
        taken, falls = self._leaving(block)
        fact = self.facts[block.terminator]
        if block.slot < 0:
            after[block.terminator] = taken | falls
            return
        slot_after = taken if fact.annul else taken | falls
        after[block.slot] = slot_after
        in_slot = self.before(block.slot, slot_after) | self._unseen(block)
        before[block.slot] = after[block.terminator] = in_slot

    def before(self, index: int, live: RegisterSet) -> RegisterSet:
        """Return what is live before instruction `index`, given what is live after it."""
        fact = self.facts[index]
        if fact.window:
            return self.windows.before(fact, live)
        return live & ~fact.defs | fact.uses

    def _unseen(self, block: Block) -> RegisterSet:
        """Return what is live at each instruction of a block because of ways without a branch."""
        live = block.demand
        for target, preserved in block.ways:
            live |= self.live_in[target] & preserved
        return live

    def _before_terminator(self, block: Block) -> RegisterSet:
        if block.terminator < 0:
            return self._at(block.falls)
        taken, falls = self._leaving(block)
        if block.slot < 0:
            live = taken | falls
        elif self.facts[block.terminator].annul:
            live = self.before(block.slot, taken) | falls
        else:
            live = self.before(block.slot, taken | falls)
        live = self.before(block.terminator, live)
        return live | self._unseen(block) if block.ways or block.demand else live

    def _leaving(self, block: Block) -> tuple[RegisterSet, RegisterSet]:
        """Return what is live where the terminator goes to, and where it falls through to.

        The second is 0 where control cannot fall through.
        """
        leads = block.leads
        if leads is None:
            leads = block.leads = self._leads(block, self.facts[block.terminator])
        taken = (
            self.live_in[leads.block] & leads.preserved | leads.live
            if leads.block >= 0
            else leads.live
        )
        for number in block.jumps:
            taken |= self.live_in[number]
        if block.ways or block.demand:
            taken |= self._unseen(block)
        if not leads.falls:
            return taken, 0
        return taken, self._at(block.falls)

    def _leads(self, block: Block, fact: Facts) -> Leads:
        """Return what a terminator makes live, however often the analysis reaches it."""
        convention = self.convention
        match fact.transfer:
            case Transfer.NONE:  # only a window change
                return self._to(block.falls)
            case Transfer.BRANCH:
                return self._branch(block, fact)
            case Transfer.CALL:
                return replace(self._through_call(fact, block), falls=fact.conditional)
            case Transfer.RETURN if self.code.compiled:
                return Leads(live=convention.at_return, falls=fact.conditional)
            case Transfer.JUMP if block.jumps:
                return Leads()
            case Transfer.JUMP if self.code.compiled and (
                self.dropped or block.terminator in self.gotos
            ):
                passed = convention.at_tail_call & ~self.never_passed
                return Leads(live=passed, falls=fact.conditional)
            case Transfer.TRAP if self.dropped:
                return self._to(block.falls)
            case Transfer.TRAP if block.terminator in self.plain_traps:
                after = self._to(block.falls)
                return replace(after, live=after.live | self.at_trap)
            case _:
                return Leads(live=self.beyond, falls=fact.conditional)

    def _branch(self, block: Block, fact: Facts) -> Leads:
        leads = replace(self._to_target(block), falls=fact.conditional)
        if not fact.conditional:
            leads.live |= self._unwound(block)
        return leads

    def _unwound(self, block: Block) -> RegisterSet:
        """Return what landing pads of callers may read if the function never returns from here.

        Where it returns that is live anyway, or is defined on the way: then it has been saved. But
        it may call what only throws, which looks as if it came back, or do so in an endless loop.
        """
        return self.unsaved.at(block.terminator) & ~self.dropped

    def _to(self, block: int) -> Leads:
        everything = self.convention.everything
        return Leads(block, everything, 0) if block >= 0 else Leads(live=self.beyond)

    def _to_target(self, block: Block) -> Leads:
        convention = self.convention
        if block.taken >= 0 and not self._is_tail_call(block):
            return self._to(block.taken)
        if not self.code.compiled:
            return Leads(live=self.beyond)
        return Leads(live=convention.at_tail_call & ~self._unread(self.facts[block.terminator]))

    def _is_tail_call(self, block: Block) -> bool:
        """Return whether a branch leaves its function: compilers name functions, and no other code.

        What the other function does with its registers does not matter then, even if it is
        known because that stands in the same part of the file.
        """
        target = self.facts[block.terminator].target
        return self.code.compiled and not target.startswith((".", "$")) and not target[:1].isdigit()

    def _unread(self, fact: Facts) -> RegisterSet:
        """Return the argument registers that this call's target cannot read."""
        name = fact.target.split("@")[0].split("+")[0]
        if not name:
            return self.never_passed
        is_local = name in self.code.labels or name in self.code.elsewhere
        if is_local and not _PLAIN_FUNCTION.fullmatch(name):
            return 0
        return self.convention.local_arguments & ~fact.uses

    def _through_call(self, fact: Facts, block: Block) -> Leads:
        convention = self.convention
        if not self.code.compiled:
            if self.dropped and (fact.pc_relative_data or convention.preserving.match(fact.target)):
                after = self._to(block.taken if block.taken >= 0 else block.falls)
                return replace(after, live=self.beyond)
            return Leads(live=self.beyond)
        if block.taken >= 0:
            return self._to(block.taken)
        if block.slot >= 0 and self.facts[block.slot].window < 0:
            return Leads(live=convention.at_tail_call)  # call with restore: never returns here
        after = self._to(block.falls)
        if fact.pc_relative_data or convention.preserving.match(fact.target):
            return after
        passed = convention.arguments & ~self._unread(fact) | self._unwound(block)
        if convention.restores_link.match(fact.target):
            passed |= convention.link_copy
        preserved = after.preserved & ~convention.killed
        return Leads(after.block, preserved, after.live & ~convention.killed | passed)

    def _at(self, block: int) -> RegisterSet:
        return self.live_in[block] if block >= 0 else self.beyond


def _never_passed(code: Code, isa: Isa, arguments: RegisterSet) -> RegisterSet:
    """Return the registers of a static chain in which no code puts an address.

    Compilers keep condition fields there on the way to a frame and back.
    """
    if not code.compiled:
        return 0
    registers = isa.registers
    fields = registers.mask(*(name for name in registers.bit if name.startswith("cr")))
    named = isa.part(Conventions).calls[isa.abi]
    found = arguments & ~registers.mask(*named.unread_at_entry.split())
    for fact in code.facts:
        if fact.defs & found:
            access = fact.access
            is_narrow = access is not None and access.load and access.size < isa.bits // 8
            copies_fields = fact.uses and not fact.uses & ~fields
            found &= ~0 if is_narrow or copies_fields else ~fact.defs
    return found


def _plain_traps(code: Code) -> set[int]:
    """Return the traps that a compiler has made to stop the program, and that call nothing.

    A handler that returns goes on after the trap, and one that throws leaves the function: neither
    reads what is dead there. Traps in asm statements may mean anything to their handlers.
    """
    traps = [
        index
        for index, fact in enumerate(code.facts if code.compiled else ())
        if fact.transfer == Transfer.TRAP and not fact.system_call
    ]
    written = in_asm(code) if traps else set()
    return {index for index in traps if code.statement[index] not in written}


def _without_reads(code: Code, dropped: RegisterSet) -> Code:
    """Return code whose traps, which may read anything, do not read some registers."""
    facts = [
        replace(fact, uses=fact.uses & ~dropped) if fact.transfer == Transfer.TRAP else fact
        for fact in code.facts
    ]
    return replace(code, facts=facts)


def _sets_sticky(code: Code, isa: Isa) -> bool:
    """Return whether anything sets registers that are read implicitly: compilers' code does not."""
    if not code.compiled:
        return True
    sticky = isa.registers.sticky
    return any(one.defs & sticky and one.transfer != Transfer.TRAP for one in code.facts)


class Windows:
    """What a change of SPARC's register window does to a live set.

    A `save` makes the outs the ins of a new window; its operands are read in the old one
    and its result is written in the new one.  Old locals and ins stay live unseen.
    """

    def __init__(self, registers: RegisterFile) -> None:
        bit = registers.bit
        self.outs = [bit.get(f"o{n}", 0) for n in range(8)]
        self.ins = [bit.get(f"i{n}", 0) for n in range(8)]
        self.hidden = sum(bit.get(f"l{n}", 0) for n in range(8)) | sum(self.ins)
        self.windowed = self.hidden | sum(self.outs)

    def before(self, fact: Facts, live: RegisterSet) -> RegisterSet:
        """Return what is live before a `save` or `restore`."""
        hidden = self.hidden if fact.window > 0 else 0
        return self.renamed(fact.window, live & ~fact.defs) | hidden | fact.uses

    def renamed(self, window: int, live: RegisterSet) -> RegisterSet:
        """Return what is live before save (+1) or restore (-1), by the names there."""
        source, target = (self.ins, self.outs) if window > 0 else (self.outs, self.ins)
        return (live & ~self.windowed) | self._moved(live, source, target)

    @staticmethod
    def _moved(live: RegisterSet, source: list[int], target: list[int]) -> RegisterSet:
        result = 0
        for old, new in zip(source, target, strict=True):
            if live & old:
                result |= new
        return result


def dead_registers(isa: Isa, live: RegisterSet, avoid: RegisterSet) -> list[str]:
    """Return integer registers that are dead where `live` is live, in table order."""
    registers = isa.registers
    free = registers.integer & ~live & ~avoid & ~registers.reserved
    return registers.listed(free)
