"""How probes of 64-bit PowerPC get a register for the address, and save lr and other registers.

No register is free everywhere: r13 is the thread pointer and r2 the TOC pointer, which glue
never trusts.  The address goes into the first of r0, r12 and r11 that is dead; if another
register is dead, r12 (or r11, r0) is saved in it around the probe; if none is, on the stack,
below the red zone.  Where lr is live, it is saved in one more dead register, in the LR save slot
(`inst.rewrite.link_home`), or on the stack.

32-bit code that uses small data has the same probes, since r13 is its base of small data: the
linker turns `lwz 9,x@sda21(0)` into a load relative to r13, and `li 12,x@sda21` into the addition
that gives the same address.

An address is computed by the access's own base and relocation: the linker turns
`addis 9,2,x@toc@ha` into a nop and every `x@toc@l(9)` into the same distance from r2, that of
`addi 0,9,x@toc@l` too.
"""

from __future__ import annotations

from dataclasses import dataclass

from inst.arch.powerpc.sites import SITES
from inst.asm.operands import split_operands
from inst.flow.liveness import dead_registers
from inst.isa.model import Form, RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.link_home import PLACE, LinkHome
from inst.rewrite.powerpc import number, thread_operand

_PRESERVED = ("cr1", "cr2", "cr3", "cr4")
"""As in `inst.rewrite.powerpc`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Which register carries the address, and what stands around the call."""

    carrier: str
    save: tuple[str, ...]
    restore: tuple[str, ...]
    late: tuple[str, ...]
    """Instructions that may run after both access and call."""
    flags: str
    framed: bool
    unwound: bool = False
    """Whether unwinding tables must say where lr is, which stays saved over the access, too."""
    unnamed: str = "r0"
    """The carrier that entries' names do not mention."""

    def entry(self, ordinary: str, rare: str) -> str:
        """Return the symbol of an entry; only the rare ones can look past a frame."""
        carrier = "" if self.carrier == self.unnamed else f".a{self.carrier[1:]}"
        return f"inst.{rare if self.framed else ordinary}{carrier}{self.flags}"


def plan_of(
    work: Rewriting,
    index: int,
    live: RegisterSet,
    home: LinkHome | None = None,
) -> Plan:
    """Return the plan for an access whose probe is called where `live` is live.

    `home` serves entries that need not find the site's instructions.
    """
    registers = work.isa.registers
    fact = work.code.facts[index]
    flags = flags_of(work, live)
    involved = fact.uses | fact.defs
    everywhere = live | work.liveness.before[index] | work.liveness.after[index]
    dead = dead_registers(work.isa, everywhere, involved)
    form = SITES[work.isa.abi].shared
    carriers = [one for one in form.carriers if not involved & registers.bit[one]]
    carrier = next((one for one in carriers if one in dead), carriers[0] if carriers else "r10")
    others = [one for one in dead if one != carrier]
    displaced, linked = carrier not in dead, bool(live & registers.link)
    leaves = any(line.start < index < line.end for line in work.leaving.values())
    if leaves:  # nothing of the new stack is known
        home = None
    if home is None or not linked or len(others) != displaced or not home.serves(index):
        home = None
    if not carriers or len(others) < displaced + (linked and home is None):
        return _framed(work, index, flags)
    save: list[str] = []
    restore: list[str] = []
    late: list[str] = []
    to = carrier[1:]
    if displaced:
        keeper = others.pop()[1:]
        save.append(f"mr {keeper},{to}")
        late = [f"mr {to},{keeper}"]
    if home is not None:
        if not home.take(index):
            save += [f"mflr {to}", f"std {to},{PLACE}"]
        late = [f"ld {to},{PLACE}", f"mtlr {to}", *late]
    elif linked:
        keeper = others.pop()[1:]
        save.append(f"mflr {keeper}")
        restore = [f"mtlr {keeper}"]
    unwound = home is not None and home.is_described(index)
    around = (tuple(save), tuple(restore), tuple(late))
    return Plan(carrier, *around, flags, False, unwound, form.unnamed)


def flags_of(work: Rewriting, live: RegisterSet) -> str:
    """Return what an entry's name ends with where `live` is live."""
    registers = work.isa.registers
    return ".x" if live & registers.special & ~registers.mask(*_PRESERVED) else ""


def _framed(work: Rewriting, index: int, flags: str) -> Plan:
    """Return the plan that saves a register on the stack."""
    fact = work.code.facts[index]
    bit = work.isa.registers.bit
    candidates = ["r12", "r11"]
    if work.isa.bits == 64 and not uses_stack(work, index):  # as a base r0 is the number 0
        candidates.append("r0")
    free = [one for one in candidates if not (fact.uses | fact.defs) & bit[one]]
    if not free and fact.access is not None:
        # All are operands.  One of the address's own is used: `address_into` reloads it.
        free = [one for one in (fact.access.index, fact.access.base) if one in ("r12", "r11")]
    return on_stack(work, free[0] if free else "r12", flags)  # else lmw and its kin


def on_stack(work: Rewriting, register: str, flags: str) -> Plan:
    """Return the plan that saves a register and lr in a frame."""
    form, one = SITES[work.isa.abi].shared, register[1:]
    save = (
        f"{form.push} 1,-{form.frame}(1)",
        f"{form.store} {one},{form.slot}(1)",
        f"mflr {one}",
        f"{form.store} {one},{form.link_slot}(1)",
    )
    restore = (
        f"{form.load} {one},{form.link_slot}(1)",
        f"mtlr {one}",
        f"{form.load} {one},{form.slot}(1)",
        f"addi 1,1,{form.frame}",
    )
    return Plan(register, save, restore, (), flags, framed=True, unnamed=form.unnamed)


def wait_in_frame(work: Rewriting, index: int, plan: Plan) -> tuple[list[str], list[str]]:
    """Return what saves an address in the frame before an access and reloads it after, if needed.

    In `lwzx 12,12,11` it cannot be computed afterwards, and a carrier is needed meanwhile.
    """
    form, one = SITES[work.isa.abi].shared, plan.carrier[1:]
    fact = work.code.facts[index]
    if not (fact.uses | fact.defs) & work.isa.registers.bit[plan.carrier]:
        return [], []
    before = [f"{form.store} {one},{form.address_slot}(1)", f"{form.load} {one},{form.slot}(1)"]
    behind = [f"{form.store} {one},{form.slot}(1)", f"{form.load} {one},{form.address_slot}(1)"]
    return before, behind


def overwrites_address(work: Rewriting, index: int) -> bool:
    """Return whether the address cannot be computed any more once the access has run.

    Multiple and string forms that load a register of their address are invalid (Power ISA 3.1,
    book I, 3.3.5 and 3.3.6).
    """
    fact = work.code.facts[index]
    access = fact.access
    if access is None or access.update or access.form in (Form.MULTIPLE, Form.STRING):
        return False
    parts = [part for part in (access.base, access.index) if part]
    return bool(fact.defs & work.isa.registers.mask(*parts))


def uses_stack(work: Rewriting, index: int) -> bool:
    """Return whether an access's address is computed from the stack pointer."""
    access = work.code.facts[index].access
    return access is not None and "r1" in (access.base, access.index)


def address_into(work: Rewriting, index: int, plan: Plan, updated: bool = False) -> list[str]:
    """Return the instructions that put the effective address into the carrier.

    `updated` says that the access has run and that its base, if it is one that is updated,
    holds the address.
    """
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    to = plan.carrier[1:]
    base, second = number(access.base), number(access.index)
    form = SITES[work.isa.abi].shared
    first: list[str] = []
    if plan.framed and (fact.uses | fact.defs) & work.isa.registers.bit[plan.carrier]:
        first = [f"{form.load} {to},{form.slot}(1)"]
    if updated and access.update:
        stacked = plan.framed and base == "1"
        return [f"{form.load} {to},0(1)"] if stacked else [*first, f"mr {to},{base}"]
    operand = thread_operand(work, index)
    if operand:
        return [*first, f"add {to},{base},{operand}"]
    if plan.framed and uses_stack(work, index) and to in (base, second):
        return [*first, f"add {to},{base},{second}", f"addi {to},{to},{form.frame}"]
    if plan.framed and uses_stack(work, index):  # the frame's own back chain is the old r1
        first = [f"{form.load} {to},0(1)"]
        base, second = (to if one == "1" else one for one in (base, second))
    if fact.length == 8:
        return [*first, _prefixed_address(work, index, to, base)]
    if access.index is not None:
        if access.base is None:
            return [*first, f"mr {to},{second}"]
        return [*first, f"add {to},{base},{second}"]
    if access.base is None:
        return [f"li {to},{access.offset or 0}"]
    return [*first, f"addi {to},{base},{access.offset or 0}"]


def _prefixed_address(work: Rewriting, index: int, to: str, base: str) -> str:
    """Return `pla` with the operands of a prefixed access."""
    fact = work.code.facts[index]
    access = fact.access
    assert access is not None
    statement = work.code.at(index)
    memory, *relative = split_operands(statement.operands)[1:]
    if access.base is not None:
        memory = f"{access.offset}({base})"
    return f"pla {','.join([to, memory, *relative])}"
