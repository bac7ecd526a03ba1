"""Which registers are live where: a backward data-flow analysis over basic blocks.

A block is a run of instructions ended by one that transfers control (with its delay slot)
or turns the register window.  Blocks' straight-line parts are folded into one gen and one
kill set, so that the fixed point costs two operations a block and visit; a last sweep then
says what is live after every instruction.
"""

from __future__ import annotations

from dataclasses import dataclass

from inst.flow.code import ENDS_BLOCK, Code
from inst.flow.conventions import convention_of
from inst.isa.model import Facts, Isa, RegisterFile, RegisterSet, Transfer

_NOWHERE = -1


@dataclass(slots=True)
class _Block:
    first: int
    end: int
    """Index after the straight-line part: of the terminator, if there is one."""
    terminator: int = _NOWHERE
    slot: int = _NOWHERE
    gen: RegisterSet = 0
    kill: RegisterSet = 0
    taken: int = _NOWHERE
    """Block of the direct target; `_NOWHERE` if it is not known."""
    falls: int = _NOWHERE


@dataclass(slots=True)
class Liveness:
    """For each instruction of a `Code`, the registers live before and after it.

    For an instruction in a delay slot, "after" means where its execution leads (the target,
    and the fall-through if it runs on both ways).  For one with a delay slot, "before" is
    the state in which it is reached and "after" the state in which its slot runs.
    """

    before: list[RegisterSet]
    after: list[RegisterSet]


def find_liveness(code: Code, isa: Isa) -> Liveness:
    """Compute liveness for all of `code`."""
    return _Solver(code, isa).solve()


class _Solver:
    def __init__(self, code: Code, isa: Isa) -> None:
        self.code = code
        self.facts = code.facts
        self.convention = convention_of(isa)
        self.windows = Windows(isa.registers)
        self.sticky = isa.registers.sticky if _sets_sticky(code, isa) else 0
        self.live_in: list[RegisterSet] = []
        self.blocks, self.block_at = _find_blocks(code)

    def solve(self) -> Liveness:
        self.live_in = [0] * len(self.blocks)
        predecessors: list[list[int]] = [[] for _ in self.blocks]
        for number, block in enumerate(self.blocks):
            for successor in {block.taken, block.falls} - {_NOWHERE}:
                predecessors[successor].append(number)
        pending = list(range(len(self.blocks)))
        queued = [True] * len(pending)
        while pending:
            number = pending.pop()
            queued[number] = False
            block = self.blocks[number]
            live = self._before_terminator(block) & ~block.kill | block.gen
            if live != self.live_in[number]:
                self.live_in[number] = live
                for predecessor in predecessors[number]:
                    if not queued[predecessor]:
                        queued[predecessor] = True
                        pending.append(predecessor)
        return self._sweep()

    def _sweep(self) -> Liveness:
        facts = self.facts
        before = [0] * len(facts)
        after = [0] * len(facts)
        for block in self.blocks:
            live = self._before_terminator(block)
            if block.terminator >= 0:
                self._record_terminator(block, before, after)
            for index in range(block.end - 1, block.first - 1, -1):
                fact = facts[index]
                after[index] = live
                live = live & ~fact.defs | fact.uses
                before[index] = live
        sticky = self.sticky
        if sticky:
            return Liveness([one | sticky for one in before], [one | sticky for one in after])
        return Liveness(before, after)

    def _record_terminator(
        self, block: _Block, before: list[RegisterSet], after: list[RegisterSet]
    ) -> None:
        before[block.terminator] = self._before_terminator(block)
        taken, falls = self._leaving(block)
        fact = self.facts[block.terminator]
        if block.slot < 0:
            after[block.terminator] = taken | falls
            return
        if fact.annul and not fact.conditional:
            after[block.terminator] = taken
            return  # the slot belongs to another block
        slot_after = taken if fact.annul else taken | falls
        after[block.slot] = slot_after
        before[block.slot] = after[block.terminator] = self.before(block.slot, slot_after)

    def before(self, index: int, live: RegisterSet) -> RegisterSet:
        """Return what is live before instruction `index`, given what is live after it."""
        fact = self.facts[index]
        if fact.window:
            return self.windows.before(fact, live)
        return live & ~fact.defs | fact.uses

    def _before_terminator(self, block: _Block) -> RegisterSet:
        if block.terminator < 0:
            return self._at(block.falls)
        taken, falls = self._leaving(block)
        fact = self.facts[block.terminator]
        if block.slot < 0 or (fact.annul and not fact.conditional):
            return self.before(block.terminator, taken | falls)
        if fact.annul:
            through_slot = self.before(block.slot, taken) | falls
        else:
            through_slot = self.before(block.slot, taken | falls)
        return self.before(block.terminator, through_slot)

    def _leaving(self, block: _Block) -> tuple[RegisterSet, RegisterSet]:
        """Return what is live where the terminator goes to, and where it falls through to.

        The second is 0 where control cannot fall through.
        """
        fact = self.facts[block.terminator]
        convention = self.convention
        falls = self._at(block.falls) if fact.conditional else 0
        match fact.transfer:
            case Transfer.NONE:  # only a window turn
                return self._at(block.falls), 0
            case Transfer.BRANCH:
                return self._at_target(block), falls
            case Transfer.CALL:
                return self._through_call(fact, block), falls
            case Transfer.RETURN if self.code.compiled:
                return convention.at_return, falls
            case _:
                return convention.everything, falls

    def _at_target(self, block: _Block) -> RegisterSet:
        convention = self.convention
        if block.taken >= 0 and not self._is_tail_call(block):
            return self.live_in[block.taken]
        if not self.code.compiled:
            return convention.everything
        return convention.at_tail_call & ~self._unread(self.facts[block.terminator])

    def _is_tail_call(self, block: _Block) -> bool:
        """Tell whether a branch leaves its function: compilers name functions, and no other code.

        What the other function does with registers of its own is then nothing to us, though it
        is known where it stands in the same part of the file.
        """
        target = self.facts[block.terminator].target
        return self.code.compiled and not target.startswith((".", "$")) and not target[:1].isdigit()

    def _unread(self, fact: Facts) -> RegisterSet:
        """Return the argument registers that this call's target cannot read."""
        name = fact.target.split("@")[0].split("+")[0]
        if not name or name in self.code.labels or name in self.code.elsewhere:
            return 0
        return self.convention.local_arguments & ~fact.uses

    def _through_call(self, fact: Facts, block: _Block) -> RegisterSet:
        convention = self.convention
        if not self.code.compiled:
            return convention.everything
        if block.taken >= 0:
            return self.live_in[block.taken]
        if block.slot >= 0 and self.facts[block.slot].window < 0:
            return convention.at_tail_call  # call with restore: never comes back here
        after = self._at(block.falls)
        if fact.pc_relative_data or convention.preserving.match(fact.target):
            return after
        return after & ~convention.killed | convention.arguments & ~self._unread(fact)

    def _at(self, block: int) -> RegisterSet:
        return self.live_in[block] if block >= 0 else self.convention.everything


def _sets_sticky(code: Code, isa: Isa) -> bool:
    """Tell whether anything sets registers that are read unseen: compilers' own code does not."""
    if not code.compiled:
        return True
    sticky = isa.registers.sticky
    return any(one.defs & sticky and one.transfer != Transfer.TRAP for one in code.facts)


class Windows:
    """What a turn of SPARC's register window does to a live set.

    A `save` makes the outs the ins of a new window; its operands are read in the old one
    and its result is written in the new one.  Old locals and ins live on unseen.
    """

    def __init__(self, registers: RegisterFile) -> None:
        bit = registers.bit
        self.outs = [bit.get(f"o{n}", 0) for n in range(8)]
        self.ins = [bit.get(f"i{n}", 0) for n in range(8)]
        self.hidden = sum(bit.get(f"l{n}", 0) for n in range(8)) | sum(self.ins)
        self.windowed = self.hidden | sum(self.outs)

    def before(self, fact: Facts, live: RegisterSet) -> RegisterSet:
        live &= ~fact.defs
        globals_ = live & ~self.windowed
        if fact.window > 0:
            return globals_ | self._moved(live, self.ins, self.outs) | self.hidden | fact.uses
        return globals_ | self._moved(live, self.outs, self.ins) | fact.uses

    @staticmethod
    def _moved(live: RegisterSet, source: list[int], target: list[int]) -> RegisterSet:
        result = 0
        for old, new in zip(source, target, strict=True):
            if live & old:
                result |= new
        return result


def _find_blocks(code: Code) -> tuple[list[_Block], dict[int, int]]:
    """Cut the code into blocks and connect them; also return block number by first index."""
    facts = code.facts
    targets = [
        code.target(i) if _stays_in_function(fact) else _NOWHERE for i, fact in enumerate(facts)
    ]
    leaders = set(targets)
    blocks: list[_Block] = []
    start = 0
    for end in code.section_end:
        _cut_section(facts, start, end, leaders, blocks)
        start = end
    block_at = {block.first: number for number, block in enumerate(blocks)}
    ends = set(code.section_end)
    for block in blocks:
        _connect(block, targets, block_at, ends, facts)
    return blocks, block_at


def _stays_in_function(fact: Facts) -> bool:
    """Tell whether the target is in the same function: branches, and calls that read the PC.

    Compilers give functions names of their own and call `.L` labels only to learn where
    they are.
    """
    if fact.transfer == Transfer.CALL:
        return fact.target.startswith(".L")
    return fact.transfer == Transfer.BRANCH


def _cut_section(
    facts: list[Facts], start: int, end: int, leaders: set[int], blocks: list[_Block]
) -> None:
    index = start
    while index < end:
        block = _Block(first=index, end=end)
        gen = kill = 0
        while index < end:
            fact = facts[index]
            if fact.transfer in ENDS_BLOCK or fact.window:
                break
            if index != block.first and index in leaders:
                break
            gen |= fact.uses & ~kill
            kill |= fact.defs
            index += 1
        block.end, block.gen, block.kill = index, gen, kill
        cut_by_label = index != block.first and index in leaders
        if index < end and not cut_by_label:
            index = _take_terminator(block, facts, index, end)
        blocks.append(block)


def _take_terminator(block: _Block, facts: list[Facts], index: int, end: int) -> int:
    """Make instruction `index` the block's last; return where the next block starts."""
    fact = facts[index]
    block.terminator = index
    if not fact.delay_slot or index + 1 >= end:
        return index + 1
    if fact.annul and not fact.conditional:
        return index + 1  # what follows never runs as its slot
    block.slot = index + 1
    return index + 2


def _connect(
    block: _Block, targets: list[int], block_at: dict[int, int], ends: set[int], facts: list[Facts]
) -> None:
    last = block.terminator if block.terminator >= 0 else block.end - 1
    following = (block.slot if block.slot >= 0 else last) + 1
    if following not in ends:
        block.falls = block_at.get(following, _NOWHERE)
    if block.terminator >= 0 and _stays_in_function(facts[block.terminator]):
        block.taken = block_at.get(targets[block.terminator], _NOWHERE)


def dead_registers(isa: Isa, live: RegisterSet, avoid: RegisterSet) -> list[str]:
    """Return integer registers that are free where `live` is live, in table order."""
    registers = isa.registers
    free = registers.integer & ~live & ~avoid & ~registers.reserved
    return registers.listed(free)
