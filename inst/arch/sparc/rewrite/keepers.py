"""Code that uses the registers that sites need: its values are elsewhere at the sites.

It is that of objects, and what was written by hand. Compilers leave these registers to the system,
unless they are told that a call may change them, as the C library for 64-bit SPARC is compiled
(`-fcall-used-g6`). Around each access where such a register is live its value is moved to a keeper,
a register that is dead there, which the access has in its place:

    mov %g6,%g4; ldx [%g4+8],%o1; mov %g4,%g6

Where no register is dead, the keeper's own value waits in a frame on the stack meanwhile. Accesses
in delay slots get out of them first. It is text that sites are then put into like into any other.

A file is left as it is where a value of it comes out of a call or into a function in such a
register, or is set and never read: then it may be passed to others, which are not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.arch.sparc.sites import SITES, Site
from inst.asm.model import Kind
from inst.asm.split import split
from inst.dataclass import dataclass, field, replace
from inst.flow.code import NAME, NUMERIC, Code
from inst.flow.liveness import Liveness, find_liveness
from inst.flow.model import Conventions
from inst.flow.read import read_code
from inst.isa.model import Facts, Isa, RegisterSet, SystemEvent, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import Edits, apply_edits
from inst.rewrite.label_differences import LOCATION
from inst.rewrite.writer import Kept

_WAITS, _PAST = ".Lwaits", ".Lkept"
"""Prefixes of labels: of what stores and loads a keeper's own value, which are no accesses of the
program's; and of what comes after an access that was in a slot."""
_NEVER = "g7 o6 i6 i7"
_GLOBALS = "g1 g2 g3 g4 g5"
_OTHERS = "g2 g3 g4"
"""Registers that an application may have for itself: keepers where the object uses them."""
_SYSTEM_CALL = "g1 o0 o1 o2 o3 o4 o5 o6 g7"
"""What a system call reads; the others come back as they were."""
_ORDER = "lgoi"
"""Which keepers are taken first: those that no other function sees."""
_LARGEST = 4095
_ON_STACK = re.compile(r"\[%sp((?:\s*[+-]+\s*(?:0x[0-9a-fA-F]+|[1-9]\d*|0))*)\s*\]")
_NUMBER = re.compile(r"([+-]+)\s*(\w+)")


class _NoKeeper(Exception):
    """A value that there is no other place for."""


def left_out(work: Rewriting) -> frozenset[int]:
    """Return the instructions that store and load keepers' own values."""
    labels = work.code.labels
    return frozenset(labels[name] for name in labels if name.startswith(_WAITS))


def keep(text: str, isa: Isa, file: str, by_hand: bool) -> Kept:
    """Return an object's text with what it keeps in the registers of sites elsewhere at sites.

    What was written by hand may go to places that nothing names, and count bytes of code: then it
    stays as it is.
    """
    site = SITES[isa.abi]
    if not re.search(rf"%({'|'.join(site.scratch)})\b", text):
        return Kept(text)
    statements = split(text, isa.name, file)
    code = _by_convention(read_code(statements, isa, file), isa)
    if by_hand and _counts_bytes(code):
        return Kept(text)
    used = [name for name in site.scratch if isa.registers.bit[name] & code.mentioned()]
    scratch = isa.registers.mask(*used)
    free = _free_at_calls(code, isa, scratch)
    if not scratch or scratch & ~free or (not site.wide and _is_extended(code)):
        return Kept(text)
    live = find_liveness(code, isa, free)
    if any(
        _unread(fact, after, scratch) for fact, after in zip(code.facts, live.after, strict=True)
    ):
        return Kept(text)
    keepers = _Keepers(code, isa, site, tuple(used), live, free)
    try:
        keepers.run()
    except _NoKeeper:
        return Kept(text)
    return Kept(apply_edits(statements, keepers.edits), tuple(used))


def _by_convention(code: Code, isa: Isa) -> Code:
    """Return code that counts as a compiler's.

    Calls of labels are calls of functions; but for what reads its own place.
    """
    facts = [_conventional(fact, isa) for fact in code.facts]
    return replace(code, facts=facts, compiled=True)


def _counts_bytes(code: Code) -> bool:
    """Return whether code goes to a place that no label is at, or reads the location counter."""
    for fact in code.facts:
        is_label = not fact.target or NAME.fullmatch(fact.target) or NUMERIC.fullmatch(fact.target)
        if fact.transfer == Transfer.JUMP or not is_label:
            return True
    return any(
        LOCATION.search(statement.operands)
        for statement in code.statements
        if statement.kind in (Kind.INSTRUCTION, Kind.DIRECTIVE) and statement.name != ".size"
    )


def _conventional(fact: Facts, isa: Isa) -> Facts:
    if fact.transfer == Transfer.CALL and not fact.pc_relative_data:
        return replace(fact, target=fact.target.replace(".L", "L", 1))
    if fact.system_call:
        uses = isa.registers.mask(*_SYSTEM_CALL.split())
        return replace(fact, uses=uses, defs=fact.defs & ~isa.registers.mask(*_OTHERS.split()))
    return fact


def _free_at_calls(code: Code, isa: Isa, scratch: RegisterSet) -> RegisterSet:
    """Return those of some registers in which no function is passed a value, or returns one.

    Computed jumps count as returns: of the places where one may lead, some read registers that are
    set only before others of its kind.
    """
    names = isa.registers.mask(*_OTHERS.split()) | scratch
    free, facts = 0, []
    for fact in code.facts:
        free |= fact.defs & names if fact.transfer != Transfer.TRAP else 0
        is_jump = fact.transfer == Transfer.JUMP
        facts.append(replace(fact, transfer=Transfer.RETURN) if is_jump else fact)
    live = find_liveness(replace(code, facts=facts), isa, free | scratch)
    preserving = re.compile(isa.part(Conventions).preserving)
    for index in {*_entries(code), *_after_calls(code, preserving)}:
        free &= ~live.before[index]
    return free


def _is_extended(code: Code) -> bool:
    """Return whether 32-bit code has 64 bits in a register, of which hooks may lose the upper ones,
    or has the windows stored, and so may change the stack."""
    if any(one.transfer == Transfer.TRAP and not one.system_call for one in code.facts):
        return True
    accesses = [fact.access for fact in code.facts if fact.access is not None]
    return any(
        one.size == 8 and one.registers == 1 and one.value is not None and one.value[0] != "f"
        for one in accesses
    )


def _unread(fact: Facts, after: RegisterSet, scratch: RegisterSet) -> bool:
    """Return whether an instruction sets one of some registers, and nothing reads it then."""
    return bool(fact.defs & scratch & ~after) and fact.transfer != Transfer.TRAP


def _entries(code: Code) -> Iterator[int]:
    named = code.functions()
    yield from (at for name, at in code.labels.items() if name in named and at >= 0)


def _after_calls(code: Code, preserving: re.Pattern[str]) -> Iterator[int]:
    """Yield where calls return to and nothing else leads: calls of some functions do not return."""
    labelled = code.labelled()
    for index, fact in enumerate(code.facts):
        following = index + 1 + fact.delay_slot
        is_call = fact.transfer == Transfer.CALL and not fact.pc_relative_data
        is_alone = following < len(code.facts) and following not in labelled
        if is_call and is_alone and not preserving.match(fact.target):
            yield following


@dataclass(slots=True)
class _Keepers:
    code: Code
    isa: Isa
    site: Site
    names: tuple[str, ...]
    """The registers of sites that the code uses."""
    live: Liveness
    free: RegisterSet
    """Of the registers that others may have for themselves, those that this code uses freely."""
    edits: Edits = field(default_factory=lambda: Edits(label_prefix=_WAITS))

    def run(self) -> None:
        """Find a keeper for each value at each site."""
        code, ends = self.code, set(self.code.section_end)
        labelled = code.labelled()
        scratch = self.isa.registers.mask(*self.names)
        slot = False
        for index, fact in enumerate(code.facts):
            is_site = fact.access is not None or fact.system_call or fact.event != SystemEvent.NONE
            if is_site and fact.defs & self.isa.registers.mask("o6", "i6"):
                raise _NoKeeper  # the stack is left: hooks may be on the old one yet
            if slot and is_site:
                self._in_slot(index, index in labelled)
            elif is_site:
                self._in_sequence(index)
            slot = fact.runs_slot and not slot and index + 1 not in ends
            if slot and code.facts[index + 1].window and fact.uses & scratch:
                raise _NoKeeper  # a change of the window is reported before its branch reads them

    def _wanted(self, before: RegisterSet, after: RegisterSet) -> bool:
        return bool((before | after) & self.isa.registers.mask(*self.names))

    def _in_sequence(self, index: int) -> None:
        before, after = self.live.before[index], self.live.after[index]
        if self._wanted(before, after):
            first, text, last = self._around(index, before, after)
            edit = self.edits.at(self.code.statement[index])
            edit.before, edit.instead, edit.after = first, text, last

    def _in_slot(self, index: int, labelled: bool) -> None:
        """Take an access out of the slot of its branch."""
        code, branch = self.code, index - 1
        fact, slot = code.facts[branch], code.facts[index]
        before, after = self.live.before[index], self.live.after[index]
        hoisted = self.live.before[branch], after | fact.uses
        # The site of an annulled slot may compute its address on both ways.
        if not self._wanted(before | hoisted[0], after):
            return
        moves = not (fact.uses & slot.defs or fact.defs & slot.uses)
        at_branch, at_slot = (self.edits.at(code.statement[n]) for n in (branch, index))
        if labelled:
            if fact.window or fact.annul or not moves or fact.transfer != Transfer.BRANCH:
                raise _NoKeeper
            past = self._past()
            at_branch.before = self._lines(index, *hoisted, fact.uses | fact.defs)
            at_branch.after = ["nop", f"ba {past}", "nop"]
            at_slot.instead = "; ".join([*self._lines(index, before, after), f"{past}:"])
        elif fact.window:
            at_branch.before, at_slot.instead = self._in_callers_window(index, before, after)
        elif fact.annul:
            skip = self._past()
            at_branch.instead = f"{self._inverted(branch, skip)}; nop"
            lines = [*self._lines(index, before, after), f"ba {fact.target}", "nop", f"{skip}:"]
            at_slot.instead = "; ".join(lines)
        elif moves:
            at_branch.before = self._lines(index, *hoisted, fact.uses | fact.defs)
            at_slot.instead = "nop"
        else:
            skip = self._past()
            at_branch.instead = f"{self._inverted(branch, skip)}; nop"
            ways = self._lines(index, before, after), self._lines(index, before, after)
            lines = [*ways[0], f"ba {fact.target}", "nop", f"{skip}:", *ways[1]]
            at_slot.instead = "; ".join(lines)

    def _past(self) -> str:
        return self.edits.new_label().replace(_WAITS, _PAST)

    def _inverted(self, branch: int, target: str) -> str:
        fact = self.code.facts[branch]
        if not fact.inverse or not fact.conditional:
            raise _NoKeeper
        return self.code.retargeted(branch, target, fact.inverse.replace(",a", ""))

    def _in_callers_window(
        self, index: int, before: RegisterSet, after: RegisterSet
    ) -> tuple[list[str], str]:
        """Return what stands before `return`, and what in its slot: they share the globals."""
        fact = self.code.facts[index - 1]
        taken = self.live.before[index - 1] | fact.uses | fact.defs
        kept = self.isa.registers.mask(*self.names)
        if after & kept:
            raise _NoKeeper
        keepers = self._dead(index, before | after | taken, _GLOBALS.split())
        moves = [f"mov %{one},%{to}" for one, to in keepers.items() if before & self._bit(one)]
        return moves, self._renamed(index, keepers)

    def _lines(
        self, index: int, before: RegisterSet, after: RegisterSet, avoid: RegisterSet = 0
    ) -> list[str]:
        if not self._wanted(before, after):
            return [self.code.text(index)]
        first, text, last = self._around(index, before, after, avoid)
        return [*first, text, *last]

    def _around(
        self, index: int, before: RegisterSet, after: RegisterSet, avoid: RegisterSet = 0
    ) -> tuple[list[str], str, list[str]]:
        """Return what stands before an access, the access, and what stands after it."""
        try:
            keepers, waiting = self._dead(index, before | after | avoid), False
        except _NoKeeper:
            keepers, waiting = self._dead(index, avoid), True
        first, text, last = [], self._renamed(index, keepers), []
        if waiting:
            text = self._on_stack(index, text)
            site = self.site
            first = [f"add %sp,-{site.frame},%sp"]
            for number, to in enumerate(keepers.values()):
                place = f"[%sp+{site.kept_at + site.width * number}]"
                first.append(f"{self.edits.new_label()}: {site.store} %{to},{place}")
                last.append(f"{self.edits.new_label()}: {site.load} {place},%{to}")
            last.append(f"add %sp,{site.frame},%sp")
        first += [f"mov %{one},%{to}" for one, to in keepers.items() if before & self._bit(one)]
        back = [f"mov %{to},%{one}" for one, to in keepers.items() if after & self._bit(one)]
        return first, text, [*back, *last]

    def _bit(self, name: str) -> RegisterSet:
        return self.isa.registers.bit[name]

    def _dead(
        self, index: int, taken: RegisterSet, among: list[str] | None = None
    ) -> dict[str, str]:
        """Return keepers that an access does not use, and that are none of `taken`."""
        registers, fact = self.isa.registers, self.code.facts[index]
        never = registers.mask(*_NEVER.split(), *self.site.scratch)
        never |= registers.mask(*_OTHERS.split()) & ~self.free
        usable = registers.integer & ~(taken | fact.uses | fact.defs | never)
        found = [name for name in registers.listed(usable) if among is None or name in among]
        found.sort(key=lambda name: (name == "o7", _ORDER.index(name[0])))
        if len(found) < len(self.names):
            raise _NoKeeper
        return dict(zip(self.names, found, strict=False))

    def _renamed(self, index: int, keepers: dict[str, str]) -> str:
        """Return an access with the names of keepers; its facts tell whether that is all of it."""
        code, registers = self.code, self.isa.registers
        fact, statement = code.facts[index], code.at(index)
        operands = statement.operands
        if not (fact.uses | fact.defs) & registers.mask(*self.names) or fact.system_call:
            return code.text(index)
        for one, to in keepers.items():
            operands = re.sub(rf"%{one}\b", f"%{to}", operands)
        made = self.isa.facts(statement.name, operands)
        for mine, theirs in ((fact.uses, made.uses), (fact.defs, made.defs)):
            for one, to in keepers.items():
                if mine & self._bit(one):
                    mine = mine & ~self._bit(one) | self._bit(to)
            if mine != theirs:
                raise _NoKeeper
        return f"{statement.name} {operands}"

    def _on_stack(self, index: int, text: str) -> str:
        """Return an access where the stack pointer is a frame lower."""
        fact, stack = self.code.facts[index], self._bit("o6")
        if fact.system_call or fact.defs & stack:
            raise _NoKeeper
        if not fact.uses & stack:
            return text
        found = _ON_STACK.search(text)
        if found is None or "%sp" in text[found.end() :] or "%sp" in text[: found.start()]:
            raise _NoKeeper
        parts = _NUMBER.findall(found[1])
        offset = self.site.frame + sum(
            int(number, 0) * (-1) ** signs.count("-") for signs, number in parts
        )
        if offset > _LARGEST:
            raise _NoKeeper
        return f"{text[: found.start()]}[%sp+{offset}]{text[found.end() :]}"
