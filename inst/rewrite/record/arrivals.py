"""What re-execution cannot compute: registers that code brings which is not instrumented.

They are where a function is entered, which anything may call; after a call; where an exception or
a second return of setjmp goes to; and where an instruction reads the address that a function
returns to, or something else that is not followed. There the registers
that are read later are stored in slots of a segment, as the values of loads are. Each store is an
item of the table, an access whose address is not known: re-execution takes the register from it.

Which are read is found here, not by `inst.flow.liveness`: that keeps what a caller may rely on,
and counts for live what any function may read. Here a register that is only passed on counts for
nothing, to a function as to a caller: these record it again, if they read it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from inst.flow.blocks import NOWHERE, Block, find_blocks
from inst.flow.code import addressed_labels
from inst.flow.conventions import convention_of
from inst.flow.hidden import RETURNS_TWICE, Way, hidden_ways
from inst.flow.liveness import Windows
from inst.flow.model import Conventions
from inst.isa.model import Facts, RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import Recorder
from inst.rewrite.sites import Site


def find_arrivals(work: Rewriting) -> list[Site]:
    """Return the sites of registers that arrive, in the order of the code."""
    return _Finder(work).sites()


class _Finder:
    def __init__(self, work: Rewriting) -> None:
        self.work = work
        self.code = work.code
        self.recorder = work.isa.part(Recorder)
        convention = convention_of(work.isa)
        self.volatile = work.isa.registers.volatile
        stack_pointer = work.isa.part(Conventions).stack_pointer
        self.stack_pointer = work.isa.registers.bit[stack_pointer]
        self.entered = set(self._function_entries())
        """The instructions to which control may come with registers that are not known."""
        self.wanted: dict[int, RegisterSet] = {}
        """By instruction, what is recorded before it."""
        ways, demands = hidden_ways(work.code, work.isa, convention)
        starts = [Way(at, at + 1, at, 0) for at in sorted(self.entered)]
        self.blocks = find_blocks(work.code, [*ways, *starts], demands)
        functions = {n for n, block in enumerate(self.blocks) if block.first in self.entered}
        self.functions = sorted(functions)
        self.entered |= {way.target for way in ways if way.preserved != convention.everything}
        self.entered |= set(self._second_returns())
        self.windows = Windows(work.isa.registers)
        self.jumped_to = self._jumped_to()
        bits, carried = work.isa.registers.bit, self.recorder.carried(work)
        self.carried = work.isa.registers.mask(*(n for n in carried if bits.get(n)))
        self.bits = [(name, bits[name]) for name in carried if bits.get(name)]

    def sites(self) -> list[Site]:
        live = self._solved()
        self._add_entries(live)
        self._add_results(live)
        self._add_links()
        self._add_special()
        return [
            self._site(index)
            for index in sorted(self.wanted)
            if index not in self.work.left_out and self.wanted[index]
        ]

    def _function_entries(self) -> Iterator[int]:
        """Yield the first instructions of functions, or of the later one of two entry points."""
        code = self.code
        local = {
            statement.operands.split(",")[0].strip(): bisect_left(code.statement, position)
            for position, statement in enumerate(code.statements)
            if statement.name == ".localentry"
        }
        for name, at in code.labels.items():
            if not name.startswith(".L") or name[2:3] == ".":
                yield local.get(name, at)

    def _second_returns(self) -> Iterator[int]:
        """Yield the instructions to which setjmp and its kin return again."""
        for block in self.blocks:
            fact = self.code.facts[block.terminator] if block.terminator >= 0 else None
            if fact and block.falls >= 0 and RETURNS_TWICE.fullmatch(fact.target.split("+")[0]):
                yield self._behind_nop(self.blocks[block.falls])

    def _add_entries(self, live: list[RegisterSet]) -> None:
        """Add all that is read after places that are entered, and at least where the stack is."""
        for number, block in enumerate(self.blocks):
            for at in {block.first, self._behind_nop(block)} & self.entered:
                self._add(at, live[number] | self.stack_pointer)

    def _add_results(self, live: list[RegisterSet]) -> None:
        """Add what is read of what calls change; by the stack pointer a reader sees the return."""
        for block in self.blocks:
            if block.terminator < 0 or block.falls < 0:
                continue
            fact, after = self.code.facts[block.terminator], self.blocks[block.falls]
            returns = after.terminator >= 0 or after.falls != NOWHERE
            if returns and fact.transfer == Transfer.CALL and not self._reads_place(fact):
                results = live[block.falls] & self.volatile
                if not self._loads(after):
                    results |= self.stack_pointer
                self._add(self._behind_nop(after), results)

    def _behind_nop(self, block: Block) -> int:
        """Return where a block may begin with other code: a nop after a call is the linker's."""
        is_nop = self.code.at(block.first).name == "nop"
        return block.first + (is_nop and block.first + 1 < len(self.code.facts))

    def _loads(self, block: Block) -> bool:
        """Return whether a load in a block shows that the block has run."""
        facts = self.code.facts[block.first : block.end]
        return any(fact.access is not None and fact.access.load for fact in facts)

    def _add_links(self) -> None:
        """Add the address that functions return to, where they read it."""
        for number in self._before_calls():
            block = self.blocks[number]
            for index in range(block.first, block.end):
                self._add(index + 1, self.recorder.reads_link(self.work, index))

    def _add_special(self) -> None:
        """Add what is read of registers that are not followed, such as clocks."""
        for index in range(len(self.code.facts)):
            self._add(index + 1, self.recorder.reads_special(self.work, index))

    def _before_calls(self) -> set[int]:
        """Return the blocks that control reaches from functions' entries without a call."""
        found = set(self.functions)
        pending = list(self.functions)
        while pending:
            block = self.blocks[pending.pop()]
            fact = self.code.facts[block.terminator] if block.terminator >= 0 else None
            if fact and (fact.transfer == Transfer.CALL or fact.pc_relative_data):
                continue
            following = {block.taken, block.falls} - {NOWHERE}
            if fact and fact.transfer == Transfer.JUMP:
                following.update(self.jumped_to)
            pending += following - found
            found |= following
        return found

    def _add(self, index: int, registers: RegisterSet) -> None:
        if registers & self.carried:
            self.wanted[index] = self.wanted.get(index, 0) | registers

    def _site(self, index: int) -> Site:
        registers = tuple(name for name, bit in self.bits if bit & self.wanted[index])
        used = self.work.liveness.before[index]
        enters = index in self.entered
        return Site(index, None, used, used, arriving=registers, enters=enters)

    def _reads_place(self, fact: Facts) -> bool:
        """Return whether a call only reads where it is."""
        return fact.pc_relative_data or fact.target.startswith(".L")

    def _jumped_to(self) -> list[int]:
        """Return the blocks to which a computed jump may go."""
        labels = self.code.labels
        places = {labels[name] for name in addressed_labels(self.code) if name in labels}
        return [number for number, block in enumerate(self.blocks) if block.first in places]

    def _solved(self) -> list[RegisterSet]:
        """Return for each block the registers that it reads, or what may follow it."""
        live: list[RegisterSet] = [0] * len(self.blocks)
        changed = True
        while changed:
            changed = False
            for number in range(len(self.blocks) - 1, -1, -1):
                found = self._before(self.blocks[number], live)
                if found != live[number]:
                    live[number] = found
                    changed = True
        return live

    def _before(self, block: Block, live: list[RegisterSet]) -> RegisterSet:
        found = self._after(block, live)
        if block.slot >= 0:
            found = self._through(self.code.facts[block.slot], found)
        if block.terminator >= 0:
            found = self._through(self.code.facts[block.terminator], found)
        found |= _union(live[to] & preserved for to, preserved in block.ways)
        return found & ~block.kill | block.gen

    def _through(self, fact: Facts, live: RegisterSet) -> RegisterSet:
        if fact.window:
            return self.windows.renamed(fact.window, live & ~fact.defs) | fact.uses
        return live & ~(0 if fact.conditional else fact.defs) | fact.uses

    def _after(self, block: Block, live: list[RegisterSet]) -> RegisterSet:
        """Return what is read after a block, and what its terminator does not change."""
        falls = live[block.falls] if block.falls != NOWHERE else 0
        if block.terminator < 0:
            return falls
        fact = self.code.facts[block.terminator]
        if fact.transfer == Transfer.CALL and block.taken == NOWHERE:
            return falls if fact.pc_relative_data else falls & ~self.volatile
        found = falls if fact.conditional or fact.transfer in (Transfer.NONE, Transfer.TRAP) else 0
        if fact.transfer == Transfer.JUMP:
            return found | _union(live[to] for to in self.jumped_to)
        if block.taken != NOWHERE and not self._is_function(fact):
            found |= live[block.taken]
        return found

    def _is_function(self, fact: Facts) -> bool:
        return not fact.target.startswith((".", "$")) and not fact.target[:1].isdigit()


def _union(sets: Iterable[RegisterSet]) -> RegisterSet:
    """Return the union of sets."""
    found: RegisterSet = 0
    for one in sets:
        found |= one
    return found
