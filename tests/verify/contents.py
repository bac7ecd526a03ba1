"""What registers hold in the output that they do not hold in the input, followed forwards.

Whatever inserted code writes is wrong from then on: until it has been put back, or until the
program itself writes there.  No instruction of the program may read what is wrong, no call may
be passed it, and nothing wrong may be left where the function's caller goes on.  The rewriter
computes backwards what is live (`inst.flow`); this goes the other way and shares nothing with it
but the instructions' facts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inst.isa.model import Form, RegisterSet, Transfer

from .agreements import Agreement
from .listing import Instruction
from .probes import LINK_HOME, takes_link_in_register
from .recording import Buffer

if TYPE_CHECKING:
    from .runs import Run
    from .walk import Walk

_LINKED = re.compile(r"\.,R_PPC64_PLTCALL(?:_NOTOC)?,([\w.$]+)")
_FLAGS = re.compile(r'\.([xkl]+)"?$')
_FRAMED = re.compile(r'"?inst\.(?:ld|st)[\w.]*\.[fw]"?')
"""Entries for accesses at sites with a frame, which preserve what entries with `x` do."""
_MOVED = "0"
"""Second part of an address that is a register alone."""
_SAVES_LINK = re.compile(r"_save(gpr0|fpr)_\d+")
"""Routines that store r0, which has the return address, at 16(1) (64-bit ELF V2 ABI, 2.3.3)."""
_WINDOW = re.compile(r"[oi][0-7]")


@dataclass(frozen=True, slots=True)
class Contents:
    """Registers and stack slots of probes, by what of the input's they hold."""

    wrong: tuple[tuple[str, str], ...] = ()
    """Register -> the register of the input whose value it holds; "": none."""
    saved: tuple[tuple[int, str], ...] = ()
    """Offset in a probe's frame -> the same."""
    overwritten: bool = False
    """Whether lr has been put, on some way, where the function may have its return address."""
    unset: frozenset[str] = frozenset()
    """Registers of compiled code in which neither caller nor call has left anything."""

    def holds(self, register: str) -> str:
        """Return the input's register whose value a register holds; "" for none."""
        return dict(self.wrong).get(register, register)

    def names(self) -> set[str]:
        """Return the registers that hold something else than in the input."""
        return {name for name, _ in self.wrong}

    def is_elsewhere(self, register: str) -> bool:
        """Return whether what a register holds in the input is in another one, or in a frame."""
        return any(value == register for _, value in (*self.wrong, *self.saved))

    def put(self, register: str, value: str) -> Contents:
        """Let a register hold what `value` holds in the input."""
        wrong = {**dict(self.wrong), register: value}
        if value == register:
            del wrong[register]
        return replace(self, wrong=tuple(sorted(wrong.items())))

    def changed(self, register: str) -> Contents:
        """Take note that the program writes a register: copies of it are out of date."""
        wrong = {name: "" if v == register else v for name, v in self.wrong if name != register}
        saved = {offset: "" if v == register else v for offset, v in self.saved}
        return replace(
            self,
            wrong=tuple(sorted(wrong.items())),
            saved=tuple(sorted(saved.items())),
            unset=self.unset - {register},
        )

    def joined(self, other: Contents) -> Contents:
        """Return what is wrong here or there; what differs holds nothing of use.

        What is unset on one side is as on the other: nothing that was there can be meant.
        """
        one, two = dict(self.wrong), dict(other.wrong)
        for name in self.unset - other.unset:
            one[name] = two.get(name, name)
        for name in other.unset - self.unset:
            two[name] = one.get(name, name)
        wrong = {name: one.get(name, name) for name in one.keys() | two.keys()}
        wrong = {name: v if two.get(name, name) == v else "" for name, v in wrong.items()}
        wrong = {name: v for name, v in wrong.items() if name != v}
        saved = {offset: v for offset, v in self.saved if (offset, v) in other.saved}
        overwritten = self.overwritten or other.overwritten
        unset = self.unset & other.unset
        return Contents(
            tuple(sorted(wrong.items())), tuple(sorted(saved.items())), overwritten, unset
        )

    def turned(self, outwards: bool) -> Contents:
        """Return what a restore (`outwards`) or a save makes of it, by the new names."""
        old, new = ("i", "o") if outwards else ("o", "i")

        def renamed(name: str) -> str:
            if name[:1] == old and _WINDOW.fullmatch(name):
                return new + name[1:]
            return name if name[:1] not in "oil" or not name[1:].isdigit() else ""

        wrong = {renamed(name): renamed(value) for name, value in self.wrong}
        unset = frozenset(map(renamed, self.unset)) - {""}
        return Contents(tuple(sorted((n, v) for n, v in wrong.items() if n)), unset=unset)


def at_own(walk: Walk, index: int, ours: Instruction, held: Contents, copies: set[str]) -> Contents:
    """Go on over an instruction of the input, which is `ours` in the output.

    `copies` are registers that it lawfully reads in the place of others.
    """
    theirs, known = walk.old.instructions[index], walk.known
    held = _at_home(walk, index, held)
    lawful = {*copies, known.address_register} if ours.text() != theirs.text() else set()
    access = theirs.facts.access
    bulk = access is not None and access.form in (Form.MULTIPLE, Form.STRING)
    saves = walk.agreed.preserves(theirs.facts.target)
    if bulk or saves or theirs.facts.transfer == Transfer.TRAP:
        lawful |= walk.agreed.free | held.unset  # only carried along with the others
    unset = held.unset
    for register in known.names(ours.facts.uses):
        if register in held.unset and known.mask(register) & (known.registers.special | known.link):
            continue  # `mfcr` reads all fields; what hand-written code does that says it is GCC's
        if register in held.names() - lawful:
            walk.complain(index, f"reads {register}, which inserted code has changed")
    if theirs.facts.window:
        hidden = {name for name in held.names() if name[0] in "il" and name[1:].isdigit()}
        hidden -= held.unset
        if theirs.facts.window > 0 and hidden:
            walk.complain(index, f"hides {sorted(hidden)}, which inserted code has changed")
        held = held.turned(theirs.facts.window < 0)
    link = "".join(known.names(known.link))
    meant, written = (known.names(found.facts.defs) for found in (theirs, ours))
    if not set(meant) & set(written) and len(meant) == len(written) == 1:
        if ours.facts.access is not None and meant[0] in (*known.stand_ins, link):
            return held.changed(meant[0]).put(meant[0], "").put(written[0], meant[0])
        meant = written  # in the window before
    for register in meant:
        held = held.changed(register)
        held = held if register in written else held.put(register, "")
    for register in set(written) - set(meant):
        held = held.put(register, "")
    if access is not None and access.form == Form.STRING:
        return replace(held, unset=unset)  # it may write to any, for all that its text says
    return held


def _at_home(walk: Walk, index: int, held: Contents) -> Contents:
    """Judge what the program does where lr may have been saved: in its caller's frame."""
    facts, known = walk.old.instructions[index].facts, walk.known
    access = facts.access
    if not known.carriers or not (held.saved or held.overwritten):
        return held
    if _SAVES_LINK.match(facts.target):  # the return address lies there from now on
        return replace(held, saved=(), overwritten=False)
    if held.overwritten and walk.agreed.preserves(facts.target):
        walk.complain(index, "reads where inserted code has saved the link register")
    if known.on_stack_pointer(facts.defs, facts):
        return replace(held, saved=(), overwritten=False)
    if access is None or access.base != known.stack or access.index:
        return held
    offset = int(access.offset) if re.fullmatch(r"-?\d+", access.offset) else LINK_HOME
    if LINK_HOME - access.size < offset < LINK_HOME + 8:
        if access.load and held.overwritten:
            walk.complain(index, "reads where inserted code has saved the link register")
        return replace(held, saved=(), overwritten=False)
    return held


def at_other(walk: Walk, ours: Instruction, held: Contents) -> Contents:
    """Go on over an inserted instruction."""
    known, facts = walk.known, ours.facts
    if facts.target.strip('"').startswith("inst."):
        return _at_glue(walk, ours, held)
    if facts.window < 0:
        return held.turned(outwards=True)
    if facts.access is not None:
        return _at_stack(walk, ours, held)
    written = known.names(facts.defs)
    computed = known.computed(ours)
    if known.stack in written:
        if known.carriers and computed:
            return _moved(held, -int(computed[1][1]))
        return held if computed and computed[1][1].startswith("-") else replace(held, saved=())
    read = known.names(facts.uses)
    moved = bool(computed and computed[1][1] == _MOVED) or known.link in (facts.uses, facts.defs)
    value = held.holds(read[0]) if moved and len(read) == 1 else ""
    for register in written:
        held = held.put(register, value)
    return held


def _at_stack(walk: Walk, ours: Instruction, held: Contents) -> Contents:
    """Follow a register into a probe's frame, or out of it."""
    known, access = walk.known, ours.facts.access
    assert access is not None
    offset = int(access.offset) if re.fullmatch(r"-?\d+", access.offset) else 0
    if access.update:
        return _moved(held, -offset)
    saved = dict(held.saved)
    if access.store:
        saved[offset] = held.holds(access.value or "")
        at_home = known.carriers and offset == LINK_HOME
        return replace(
            held,
            saved=tuple(sorted(saved.items())),
            overwritten=held.overwritten or bool(at_home),
        )
    for register in known.names(ours.facts.defs):
        held = held.put(register, saved.get(offset, ""))
    return held


def _moved(held: Contents, by: int) -> Contents:
    """Return what the stack holds by its distances from a pointer that has been lowered."""
    return replace(held, saved=tuple((at + by, value) for at, value in held.saved if at + by > 0))


def _at_glue(walk: Walk, ours: Instruction, held: Contents) -> Contents:
    """Go on over a call of glue: it changes what its name does not promise to preserve."""
    known = walk.known
    match = _FLAGS.search(ours.facts.target)
    flags = match[1] if match else ""
    if "x" not in flags and not _FRAMED.fullmatch(ours.facts.target):
        for register in known.names(known.registers.special):
            if register not in walk.agreed.always_kept:
                held = held.put(register, "")
    link = "".join(known.names(known.link))
    if known.scratch and not known.link_frame:
        for register in (known.address_register, *(() if "k" in flags else known.scratch)):
            held = held.put(register, "")
    if "k" not in flags:
        return held.put(link, "")
    if known.link_frame and takes_link_in_register(ours):
        return held.put(link, held.holds(known.address_register))
    if known.link_frame:
        value = next((value for _, value in held.saved), "")
        return replace(held, saved=()).put(link, value)
    return held.put(link, held.holds(known.scratch[0]))


def at_end(walk: Walk, run: Run, held: Contents, buffer: Buffer) -> Contents:
    """Judge what is wrong where control leaves the function, and forget what a call changes."""
    index = run.events[0][0]
    facts = walk.old.instructions[index].facts
    if facts.transfer == Transfer.CALL and not facts.pc_relative_data:
        windows = [walk.old.instructions[event].facts.window for event, _ in run.events]
        target = facts.target or _linked(walk, index)
        reads = walk.agreed.at_tail_call if min(windows) < 0 else _read_by(walk, target)
        _expect(walk, index, held, reads, "passed to a call")
        if walk.agreed.compiled and not walk.agreed.preserves(facts.target):
            wrong = tuple(one for one in held.wrong if one[0] not in walk.agreed.killed)
            unset = walk.agreed.killed - (walk.agreed.at_return or frozenset())
            return replace(held, wrong=wrong, unset=unset if walk.recording else frozenset())
        return held
    if run.leads is not None or facts.transfer in (Transfer.NONE, Transfer.TRAP):
        return held
    if facts.transfer == Transfer.RETURN:
        _expect(walk, index, held, walk.agreed.at_return, "left to the caller")
    elif facts.target:
        _expect(walk, index, held, walk.agreed.at_tail_call, "passed to another function")
    elif walk.agreed.compiled and index in walk.unseen.tables:
        walk.left.append((index, held, buffer))
    elif index in walk.entries.jumps:
        walk.left.append((index, held, buffer))
        _expect(walk, index, held, walk.agreed.at_tail_call, "passed to another function")
    else:
        _expect(walk, index, held, None, "live where a jump leads")
    return held


def may_leave(walk: Walk, indices: list[int], held: Contents) -> None:
    """Take note of what registers hold where control may leave without a branch."""
    unseen = walk.unseen
    for index in indices:
        if index in unseen.marked:
            _expect(walk, index, held, None, "live where a table may lead")
        if index in unseen.landings or index in unseen.jumps:
            walk.left.append((index, held, Buffer()))


def at_landing(walk: Walk, held: Contents, again: bool = False) -> Contents:
    """Return what registers hold where an exception lands, or a call returns `again`."""
    if not walk.agreed.compiled:
        return held
    fresh = walk.agreed.killed | (frozenset() if again else walk.agreed.unwinder_sets)
    wrong = tuple(one for one in held.wrong if one[0] not in fresh)
    return replace(held, wrong=wrong, saved=())


_NO_CHAIN = re.compile(r"(?!_D[0-9])[A-Za-z_0-9]+([.](constprop|isra|part|cold)[.][0-9]+)*")
"""Functions of a file that are nested in no other: GCC numbers the names of those."""


def _linked(walk: Walk, index: int) -> str:
    """Return the function whose address a call takes from the linker's table; "" if none."""
    old = walk.old
    before = old.statements[old.instructions[index].statement - 1]
    found = _LINKED.fullmatch(before.operands) if before.name == ".reloc" else None
    return found[1] if found else ""


def _read_by(walk: Walk, target: str) -> frozenset[str] | None:
    """Return what a call may read."""
    agreed: Agreement = walk.agreed
    name = target.split("@")[0].split("+")[0]
    if agreed.preserves(target):
        return agreed.read_by_saving
    is_nested = name in walk.old.labels and not _NO_CHAIN.fullmatch(name)
    if name and not is_nested and agreed.arguments is not None:
        return agreed.arguments - agreed.chain
    if not name and agreed.compiled and agreed.arguments is not None:
        return agreed.arguments - agreed.unchained
    return agreed.arguments


def _expect(
    walk: Walk, index: int, held: Contents, wanted: frozenset[str] | None, why: str
) -> None:
    """Complain of registers that are wrong and wanted (None: whichever)."""
    free = walk.agreed.free
    for register in sorted(held.names()):
        if register in free | held.unset:
            continue
        if wanted is None or register in wanted:
            walk.complain(index, f"{register} is {why}, and inserted code has changed it")


def mentioned(instructions: list[Instruction]) -> RegisterSet:
    """Return every register that some instruction names."""
    found = 0
    for instruction in instructions:
        if instruction.facts.transfer != Transfer.TRAP:
            found |= instruction.facts.uses | instruction.facts.defs
    return found
