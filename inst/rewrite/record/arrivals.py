"""What re-execution cannot compute: registers that code brings which is not instrumented.

They are where a function is entered, which anything may call; after a call; where an exception or
a second return of setjmp goes to; and where an instruction reads the address that a function
returns to, or something else that is not followed. There the registers
that are read later are stored in slots of a segment, as the values of loads are. Each store is an
item of the table, an access whose address is not known: re-execution takes the register from it.

Which are read is not what `inst.flow.liveness` finds: that keeps what a caller may rely on, and
counts for live what any function may read. Here a register that is only passed on counts for
nothing, to a function elsewhere as to its callers (`inst.rewrite.record.reading`): these record it
again, if they read it.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Iterator

from inst.flow.blocks import NOWHERE, Block, find_blocks
from inst.flow.code import statement_error
from inst.flow.conventions import convention_of
from inst.flow.functions import entry_labels
from inst.flow.hidden import RETURNS_TWICE, SWITCHES_CONTEXT, Demand, Way, hidden_ways
from inst.flow.model import Conventions
from inst.flow.sections import WORDS
from inst.isa.model import RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import DEBUG_LABELS
from inst.rewrite.label_differences import DIFFERENCE
from inst.rewrite.record.reading import Reading, union
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.record.restored import saved_at
from inst.rewrite.record.slots import runs_before
from inst.rewrite.sites import NO_BRANCH, Site

_TO_CALL = 8
"""Instructions from the load of a function's address to its call, at most."""
_COMES_FROM_ELSEWHERE = re.compile(f"{RETURNS_TWICE.pattern}|{SWITCHES_CONTEXT.pattern}")
"""Functions after whose calls registers may come from elsewhere."""
_OF_FUNCTIONS = (".LFB", ".LFE")
"""Prefixes of labels where functions begin, or where those before them end."""


def find_arrivals(work: Rewriting) -> list[Site]:
    """Return the sites of registers that arrive, in the order of the code.

    Where registers arrive that are not recorded, stores of such have to call hooks.
    """
    finder = _Finder(work)
    found = finder.sites()
    work.unknown_values = finder.unknown_values()
    return found


class _Finder:
    def __init__(self, work: Rewriting) -> None:
        self.work = work
        self.code = work.code
        self.recorder = work.isa.part(Recorder)
        convention = convention_of(work.isa)
        self.preserving, self.link_copy = convention.preserving, convention.link_copy
        conventions = work.isa.part(Conventions)
        named = conventions.calls[work.isa.abi]
        unread = convention.killed if work.code.compiled else 0
        self.unread_after_call = unread & ~work.isa.registers.mask(*named.returned.split())
        self.no_result = self.unread_after_call & work.isa.registers.integer
        """Registers in which no call leaves anything."""
        self.unread_at_entry = unread & ~(
            convention.arguments | convention.local_arguments | work.isa.registers.link
        )
        self.local_arguments = convention.local_arguments if work.code.compiled else 0
        self.never_read = work.isa.registers.mask(*named.unread_at_entry.split())
        self.volatile = work.isa.registers.volatile
        self.stack_pointer = work.isa.registers.bit[conventions.stack_pointer]
        self.entry_labels = entry_labels(work.code, work.isa)
        self.labelled = work.code.labelled(DEBUG_LABELS)
        """The instructions that labels precede, or that begin sections."""
        self.named = {work.code.labels[name] for name in self.entry_labels}
        """Where functions begin."""
        self.entered = set(self._function_entries())
        """The instructions to which control may come with registers that are not known."""
        self.wanted: dict[int, RegisterSet] = {}
        """By instruction, what is recorded before it."""
        self.optional: set[int] = set()
        """Where it is left out if no register is free for that."""
        self.unrecorded: RegisterSet = 0
        """What arrives anywhere and is not recorded."""
        self.passed: dict[int, tuple[str, ...]] = {}
        """By instruction, what is recorded besides since callers may read it."""
        self.arrived_at: set[int] = set()
        """Where control comes from other code."""
        ways, demands = hidden_ways(work.code, work.isa, convention)
        self._refuse_unknown(demands)
        self.after_system = set(self._after_system())
        starts = [Way(at, at + 1, at, 0) for at in sorted(self.entered | self.after_system)]
        self.blocks = find_blocks(work.code, [*ways, *starts], demands)
        bits, carried = work.isa.registers.bit, self.recorder.carried(work)
        self.carried = work.isa.registers.mask(*(n for n in carried if bits.get(n)))
        self.bits = [(name, bits[name]) for name in carried if bits.get(name)]
        self.reading = Reading(work, self.blocks, self.named, self.carried)
        self.within = self.reading.within
        windows = self.reading.windows
        self.fresh = windows.windowed & ~sum(windows.ins)
        """The registers of a new window that nothing has written yet."""
        functions = {n for n, block in enumerate(self.blocks) if block.first in self.entered}
        self.functions = sorted(functions)
        self.entered |= {way.target for way in ways if way.preserved != convention.everything}
        self.entered |= set(self._second_returns())

    def _refuse_unknown(self, demands: list[Demand]) -> None:
        """Refuse code whose landing pads are not known: nothing would be recorded there."""
        if any((one.first, one.end) == (0, len(self.code.facts)) for one in demands):
            message = "the tables of exceptions cannot be read, which re-execution needs"
            hint = "record values (--inst-record=values), or compile this file with INST_DISABLE=1"
            raise statement_error(self.code, 0, message, hint)

    def sites(self) -> list[Site]:
        live = self.reading.solved()
        self._narrow_liveness(live)
        self._add_entries(live)
        self._add_results(live)
        self._add_fresh(live)
        self._add_links()
        self._add_special()
        self._add_passed()
        self._add_system(live)
        self._enter_within()
        arriving = [site for index in self.wanted for site in self._sites(index)]
        found = (site for site in arriving if site.index not in self.work.left_out)
        return sorted((*found, *self._left()), key=lambda site: site.place)

    def _left(self) -> Iterator[Site]:
        """Yield the sites of what instructions leave that re-execution does not execute: right
        after them, or, for one in a slot, before its branch, where it goes then."""
        work, live = self.work, self.work.liveness
        for index, fact in enumerate(self.code.facts):
            is_slot = fact.recorded and self.code.is_slot(index)
            at, branch = (index, index - 1) if is_slot else (index + 1, NO_BRANCH)
            if not fact.recorded or at in work.reserved or at == len(live.before):
                continue
            site = Site(at, None, 0, 0, branch, left_by=index, optional=True)
            if index in work.left_out or (is_slot and not runs_before(work, site)):
                continue
            site.arriving = self.recorder.leaves(work, index)
            if site.arriving:
                live.after[index] |= fact.defs  # also what nothing reads has to stay up to there
                live.before[site.place] |= fact.defs
                site.live_before = site.live_after = live.before[at]
                yield site

    def _enter_within(self) -> None:
        """Let calls of the file's own functions enter these past what is recorded for others."""
        for number in self.reading.calls if self.within.enters else ():
            block = self.blocks[number]
            inner = self.within.called(block)
            if inner and inner.entry in self.wanted:
                labels, entry = self.within.labels, inner.entry
                label = labels[entry] = labels.get(entry) or self.work.edits.new_label()
                edit = self.work.edit(block.terminator)
                edit.instead = self.code.retargeted(block.terminator, label)

    def _function_entries(self) -> Iterator[int]:
        """Yield the first instructions of functions, or of the later one of two entry points."""
        code, local = self.code, self.code.local_entries()
        for name in self.entry_labels:
            if not self.preserving.match(name):
                yield local.get(name, code.labels[name])

    def _after_system(self) -> Iterator[int]:
        """Yield the instructions to which system calls return."""
        for index, fact in enumerate(self.code.facts):
            is_call = fact.system_call or fact.keeps_context
            returns = is_call and index + 1 not in self.code.section_end
            if returns and not self.code.is_slot(index) and index not in self.work.left_out:
                yield index + 1

    def _second_returns(self) -> Iterator[int]:
        """Yield the instructions to which setjmp and its kin return again, and contexts come back.

        Where data has the address of one, any call through a register may be of it.
        """
        words = (one.operands for one in self.code.statements if one.name in WORDS)
        is_addressed = any(_COMES_FROM_ELSEWHERE.fullmatch(operands.strip()) for operands in words)
        for block in self.blocks:
            if block.terminator < 0 or block.falls < 0 or not self.reading.comes_back(block):
                continue
            callee = self.code.callee(block.terminator)
            if _COMES_FROM_ELSEWHERE.fullmatch(callee) or (is_addressed and not callee):
                yield self.reading.insertable(self.blocks[block.falls])

    def _narrow_liveness(self, live: list[RegisterSet]) -> None:
        """Count for dead what functions read neither from callers nor after calls.

        A computed jump makes all registers live, but some have to be free for the pointer. They
        stay live where control comes in another way, too. What only functions of the file could
        read is dead at their entries if none of them does.
        """
        read = functools.reduce(operator.or_, (live[number] for number in self.functions), 0)
        read &= ~self.never_read
        unread_at_entry = self.unread_at_entry | (self.local_arguments & ~read)
        code, before, after = self.code, self.work.liveness.before, self.work.liveness.after
        jumped_to = {
            at
            for name, at in code.labels.items()
            if name.startswith(".L")
            and name not in self.entry_labels
            and not name.startswith((*DEBUG_LABELS, *_OF_FUNCTIONS))
        }
        for number in self.functions:
            at, unread = self.blocks[number].first, unread_at_entry
            if at in self.reading.counting:
                unread &= ~self.link_copy
            while at not in jumped_to:
                before[at] &= ~unread
                unread &= ~code.facts[at].defs
                after[at] &= ~unread
                if code.facts[at].transfer != Transfer.NONE or at + 1 in self.labelled:
                    break
                at += 1
        for block in self.blocks:
            if block.terminator >= 0 and block.falls >= 0 and self.reading.comes_back(block):
                behind = self.blocks[block.falls]
                places = range(behind.first, self.reading.insertable(behind) + 1)
                is_counted = self.reading.is_link_restored(block)
                if not is_counted and not any(at in self.labelled for at in places):
                    for at in places:
                        before[at] &= ~self.unread_after_call

    def _add_entries(self, live: list[RegisterSet]) -> None:
        """Add all that is read after places that are entered, and at least where the stack is."""
        functions = set(self._function_entries())
        for number, block in enumerate(self.blocks):
            for at in {block.first, self.reading.insertable(block)} & self.entered:
                self.arrived_at.add(at)
                read = live[number] & (self.carried if at in functions else -1)
                self._add(at, read | self.stack_pointer)  # other arguments come from known code

    def _add_results(self, live: list[RegisterSet]) -> None:
        """Add what is read of what calls change; a reader sees by the name that they return."""
        for block in self.blocks:
            if block.terminator < 0 or block.falls < 0:
                continue
            if self.reading.comes_back(block):
                after = self.blocks[block.falls]
                if self.within.returns(block):
                    continue
                if self._needs_more(after) and not self.reading.is_link_restored(block):
                    continue  # the call never returns: control comes to what follows another way
                self.arrived_at.add(self.reading.insertable(after))
                results = live[block.falls] & self.volatile
                at = self.reading.insertable(after)
                if self._is_executed(self.code.callee(block.terminator)):
                    results &= self.carried  # others are known: its code is executed again
                elif self.reading.is_link_restored(block):
                    registers = self.work.isa.registers
                    self.passed[at] = tuple(registers.listed(registers.link))
                self._add(at, results)

    def _is_executed(self, function: str) -> bool:
        """Return whether a function is the file's, and instrumented."""
        at = self.code.labels.get(function, -1)
        return at >= 0 and at in self.named and at not in self.work.left_out

    def _needs_more(self, block: Block) -> bool:
        """Return whether a block has the address of an access in a register that no call sets.

        That it reads one says nothing: `subfe 8,8,8` does, whatever is there.
        """
        unknown, bits = self.no_result, self.work.isa.registers.bit
        while unknown:
            for fact in self.code.facts[block.first : block.end]:
                if fact.access and fact.access.base and bits[fact.access.base] & unknown:
                    return True
                unknown &= ~fact.defs
            if block.terminator >= 0 or block.falls < 0:
                break
            block = self.blocks[block.falls]
        return False

    def _add_fresh(self, live: list[RegisterSet]) -> None:
        """Add what is read in a new window before it is written."""
        for block in self.blocks:
            if block.terminator >= 0 and block.falls >= 0:
                fact = self.code.facts[block.terminator]
                if fact.window > 0:
                    read = live[block.falls] & self.fresh & ~fact.defs
                    self._add(self._after_place(self.blocks[block.falls].first, read), read)

    def _after_place(self, index: int, read: RegisterSet) -> int:
        """Return where registers can be stored that are read from an instruction on.

        Code that finds its own place, by a call of what follows, stays in one piece: it has the
        distances from its own labels (clang for 32-bit SPARC).
        """
        facts, at = self.code.facts, index
        while at + 2 < len(facts):
            fact = facts[at]
            finds_place = fact.transfer == Transfer.CALL and self.code.target(at) == at + 2
            if not finds_place and not DIFFERENCE.search(self.code.at(at).operands):
                return at
            for passed in facts[at : at + 1 + finds_place]:
                if (passed.uses | passed.defs) & read:
                    return index
            at += 1 + finds_place
        return index

    def _add_links(self) -> None:
        """Add the address that functions return to, where they read it."""
        link = self.work.isa.registers.link
        for number in self._before_calls():
            block = self.blocks[number]
            for index in range(block.first, block.end):
                self._add(index + 1, self.recorder.reads_link(self.work, index))
                if self.code.facts[index].defs & link:
                    break  # it holds a number of the function's own

    def _add_special(self) -> None:
        """Add what is read of registers that are not followed, such as clocks."""
        for index in range(len(self.code.facts)):
            read = self.recorder.reads_special(self.work, index)
            if read:
                self._add(self._free_place(index + 1, read), read)
            left = self.recorder.leaves_open(self.work, index)
            if left and index + 1 not in self.wanted:
                self.optional.add(index + 1)
            self._add(index + 1, left)
            if left and self.code.facts[index].access is not None:
                self._narrow_at_callee(index, left)

    def _free_place(self, index: int, read: RegisterSet) -> int:
        """Return where registers are stored that hold something from an instruction on: there, or,
        if no register is free for the pointer, further on, as long as nothing touches them.

        Compilers save condition fields at the start of functions in the last free register.
        """
        facts, live = self.code.facts, self.work.liveness.before
        for at in range(index, len(facts)):
            if at in self.labelled or read & ~live[at]:
                break
            if self.recorder.pointer(self.work, live[at] | read):
                return at
            fact = facts[at]
            is_plain = fact.transfer == Transfer.NONE and not fact.window
            if not is_plain or at in self.work.reserved or (fact.uses | fact.defs) & read:
                break
        return index

    def _narrow_at_callee(self, index: int, callee: RegisterSet) -> None:
        """Count for dead, from the load of a callee's address up to the call, what only functions
        of the same file are passed: these are not called by way of the linker's table."""
        facts, live = self.code.facts, self.work.liveness
        passed = self.local_arguments & ~callee
        for at in range(index + 1, min(index + _TO_CALL, len(facts))):
            live.before[at] &= ~passed
            live.after[at - 1] &= ~passed
            if facts[at].transfer != Transfer.NONE or facts[at].uses & passed:
                break

    def _add_passed(self) -> None:
        """Add what callers read where control comes back past functions that have not restored it:
        at landing pads, and where setjmp returns again."""
        loose = self.recorder.loose
        places = self.entered & self.wanted.keys() - set(self._function_entries())
        if loose is None or not places:
            return
        passed, bits = loose.passed(self.work), self.work.isa.registers.bit
        for at, saved in saved_at(self.work, places).items():
            self.passed[at] = tuple(
                name
                for name, number in passed.items()
                if number not in saved and not self.wanted[at] & bits.get(name, 0)
            )

    def _add_system(self, live: list[RegisterSet]) -> None:
        """Add what system calls leave, and what is read after them: a thread may begin there.

        In code with small data nothing is recorded where no register is free for that.
        """
        names, bits = self.recorder.left_by_system, self.work.isa.registers.bit
        left = self.work.isa.registers.mask(*names)
        for number, block in enumerate(self.blocks):
            at = block.first
            if at not in self.after_system:
                continue
            self.work.liveness.before[at] |= left
            self.arrived_at.add(at)
            self.entered.add(at)
            if self.work.small_data:
                self.optional.add(at)
            self._add(at, live[number] & self.carried | left & self.carried | self.stack_pointer)
            self.passed[at] = tuple(name for name in names if not bits[name] & self.carried)

    def _before_calls(self) -> set[int]:
        """Return the blocks that control reaches from functions' entries without a call."""
        found = set(self.functions)
        pending = list(self.functions)
        while pending:
            block = self.blocks[pending.pop()]
            fact = self.code.facts[block.terminator] if block.terminator >= 0 else None
            calls = fact and (fact.transfer == Transfer.CALL or fact.pc_relative_data)
            if calls and not self.reading.is_link_restored(block):
                continue
            if block.kill & self.work.isa.registers.link:
                continue
            following = {block.taken, block.falls} - {NOWHERE}
            if fact and fact.transfer == Transfer.JUMP:
                following.update(block.jumps or self.reading.jumped_to)
            pending += following - found
            found |= following
        return found

    def unknown_values(self) -> RegisterSet:
        """Return the registers of accesses' values that are not recorded, if any arrives."""
        bits = self.work.isa.registers.bit
        accesses = (fact.access for fact in self.code.facts)
        values = union(bits.get(one.value or "", 0) for one in accesses if one) & ~self.carried
        return values if values & self.unrecorded else 0

    def _add(self, index: int, registers: RegisterSet) -> None:
        self.unrecorded |= registers & ~self.carried
        if registers & self.carried or index in self.arrived_at:
            self.wanted[index] = self.wanted.get(index, 0) | registers

    def _sites(self, index: int) -> list[Site]:
        """Return the sites of what is recorded before an instruction: two where calls of the same
        file enter in between, the second with what functions preserve for their callers."""
        wanted, entry = self.wanted[index], self.within.labels.get(index, "")
        known = self.within.known | self.stack_pointer if entry else -1
        used = self.work.liveness.before[index]
        first = Site(
            index,
            None,
            used,
            used,
            arriving=self._names(wanted & known) + self.passed.get(index, ()),
            optional=index in self.optional,
            enters=index in self.entered,
            named=index in self.arrived_at,
            entry=entry,
        )
        rest = self._names(wanted & ~known)
        return [first, Site(index, None, used, used, arriving=rest)] if rest else [first]

    def _names(self, registers: RegisterSet) -> tuple[str, ...]:
        return tuple(name for name, bit in self.bits if bit & registers)
