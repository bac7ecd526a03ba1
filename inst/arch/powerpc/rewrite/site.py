"""The site ABIs of PowerPC: which register carries the address, and what sites save.

32-bit code: r13 is free in every program without small data (-msdata), also across the C library,
so the address goes there.  Where lr is live it is saved in a dead register, or in a frame.

64-bit code: no register is free everywhere, for r13 is the thread pointer and r2 the TOC pointer,
which glue never trusts.  The address goes into the first of r0, r12 and r11 that is dead; if
another register is dead, r12 (or r11, r0) is saved in it around the probe; if none is, in a frame
below the red zone.  Where lr is live, it is saved in one more dead register, in the LR save slot
(`lr_slot`), or in the frame.

32-bit code that uses small data has such probes as well, since r13 is its base of small data: the
linker turns `lwz 9,x@sda21(0)` into a load relative to r13, and `li 12,x@sda21` into the addition
that gives the same address.

An address is computed by the access's own base and relocation: the linker turns
`addis 9,2,x@toc@ha` into a nop and every `x@toc@l(9)` into the same distance from r2, that of
`addi 0,9,x@toc@l` too.
"""

from __future__ import annotations

from inst.arch.powerpc.rewrite.lr_slot import PLACE
from inst.arch.powerpc.rewrite.wanted import thread_operand
from inst.arch.powerpc.sites import SITES
from inst.arch.powerpc.sites import Form as SiteForm
from inst.asm.operands import split_operands
from inst.dataclass import dataclass
from inst.flow.liveness import dead_registers
from inst.isa.model import Form, RegisterSet
from inst.rewrite.context import Rewriting

_PRESERVED = ("cr1", "cr2", "cr3", "cr4")
"""Special registers that every entry of the glue preserves: cr2-cr4 because hooks do, and
cr1, which is an argument of every call that may be variadic and hardly ever touched."""


def site_of(work: Rewriting) -> SiteForm:
    """Return the form of a file's sites."""
    site = SITES[work.isa.abi]
    return site.shared if site.free is None or work.small_data else site.free


@dataclass(frozen=True, slots=True)
class Plan:
    """Which register carries the address, and what stands around the call."""

    site: SiteForm
    carrier: str
    save: tuple[str, ...]
    restore: tuple[str, ...]
    flags: str
    late: tuple[str, ...] = ()
    """Instructions that may run after both access and call."""
    framed: bool = False
    unwound: bool = False
    """Whether unwinding tables must say where lr is, which stays saved over the access, too."""

    def entry(self, ordinary: str, rare: str) -> str:
        """Return the symbol of an entry; only the rare ones can look past a frame."""
        carrier = "" if self.carrier == self.site.unnamed else f".a{self.carrier[1:]}"
        return f"inst.{rare if self.framed else ordinary}{carrier}{self.flags}"

    def framed_entry(self, event: str, kind: str) -> str:
        """Return the symbol of an entry for an access by name, at a site with a frame."""
        carrier = "" if self.carrier == self.site.unnamed else f".a{self.carrier[1:]}"
        return f"inst.{event}{carrier}.{kind}"

    def with_address(self, address: list[str]) -> list[str]:
        """Return what saves registers, and the address: first if its register is always free."""
        return [*address, *self.save] if self.site.is_free else [*self.save, *address]


def plan_of(work: Rewriting, index: int, live: RegisterSet, shares_link: bool = False) -> Plan:
    """Return the plan for an instruction whose probe is called where `live` is live.

    `shares_link`: the entry need not find the site's instructions, so that lr may be saved in the
    LR save slot.
    """
    site, registers = site_of(work), work.isa.registers
    fact, liveness = work.code.facts[index], work.liveness
    flags, linked = flags_of(work, live), bool(live & registers.link)
    if site.is_free and not linked:
        return Plan(site, "r13", (), (), flags)
    involved = fact.uses | fact.defs
    dead = dead_registers(work.isa, live | liveness.before[index] | liveness.after[index], involved)
    if site.is_free:
        return _in_free_carrier(work, involved, dead, flags)
    carriers = [one for one in site.carriers if not involved & registers.bit[one]]
    carrier = next((one for one in carriers if one in dead), carriers[0] if carriers else "r10")
    others = [one for one in dead if one != carrier]
    displaced = carrier not in dead
    lr_slot = work.lr_slot if shares_link and linked and len(others) == displaced else None
    if lr_slot is not None and (_is_between_stacks(work, index) or not lr_slot.serves(index)):
        lr_slot = None
    if not carriers or len(others) < displaced + (linked and lr_slot is None):
        return _framed(work, index, flags)
    save: list[str] = []
    restore: list[str] = []
    late: list[str] = []
    to = carrier[1:]
    if displaced:
        keeper = others.pop()[1:]
        save.append(f"mr {keeper},{to}")
        late = [f"mr {to},{keeper}"]
    if lr_slot is not None:
        if not lr_slot.take(index):
            save += [f"mflr {to}", f"std {to},{PLACE}"]
        late = [f"ld {to},{PLACE}", f"mtlr {to}", *late]
    elif linked:
        keeper = others.pop()[1:]
        save.append(f"mflr {keeper}")
        restore = [f"mtlr {keeper}"]
    unwound = lr_slot is not None and work.code.is_described(index, index)
    around = (tuple(save), tuple(restore), flags, tuple(late))
    return Plan(site, carrier, *around, unwound=unwound)


def _is_between_stacks(work: Rewriting, index: int) -> bool:
    """Return whether hooks run on a stack that the program leaves: nothing of the new is known."""
    return any(region.start < index < region.end for region in work.leaving.values())


def _in_free_carrier(work: Rewriting, involved: RegisterSet, dead: list[str], flags: str) -> Plan:
    """Return the plan that saves lr alone: in a dead register, or through another in a frame."""
    site, bit = site_of(work), work.isa.registers.bit
    if dead:
        keeper = dead[0][1:]
        return Plan(site, "r13", (f"mflr {keeper}",), (f"mtlr {keeper}",), flags)
    candidates = ("r0", "r12", "r11", "r10")
    keeper = next((one for one in candidates if not involved & bit[one]), "r0")
    return Plan(site, "r13", *_frame(site, keeper), flags, framed=True)


def flags_of(work: Rewriting, live: RegisterSet) -> str:
    """Return what an entry's name ends with where `live` is live."""
    registers = work.isa.registers
    return ".x" if live & registers.special & ~registers.mask(*_PRESERVED) else ""


def _framed(work: Rewriting, index: int, flags: str) -> Plan:
    """Return the plan that saves a carrier on the stack."""
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
    """Return the plan that saves a carrier and lr in a frame."""
    site = site_of(work)
    return Plan(site, register, *_frame(site, register), flags, framed=True)


def _frame(site: SiteForm, register: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what saves a register and lr in a frame, and what restores them."""
    one, link = register[1:], f"{register[1:]},{site.link_slot}(1)"
    save = [f"{site.push} 1,-{site.frame}(1)", f"{site.store} {one},{site.slot}(1)", f"mflr {one}"]
    restore = [f"mtlr {one}", f"{site.load} {one},{site.slot}(1)", f"addi 1,1,{site.frame}"]
    if site.link_slot:
        save.append(f"{site.store} {link}")
        restore.insert(0, f"{site.load} {link}")
    return tuple(save), tuple(restore)


def has_framed_entry(work: Rewriting, index: int, plan: Plan) -> bool:
    """Return whether an ordinary access at a site with a frame has an entry by name.

    An instruction of two words may be moved by the assembler.
    """
    return plan.framed and plan.carrier != "r0" and work.code.facts[index].length == 4


def wait_in_frame(work: Rewriting, index: int, plan: Plan) -> tuple[list[str], list[str]]:
    """Return what saves an address in the frame before an access and reloads it after, if needed.

    In `lwzx 12,12,11` it cannot be computed afterwards, and a carrier is needed meanwhile.
    """
    site, one = plan.site, plan.carrier[1:]
    fact = work.code.facts[index]
    if not (fact.uses | fact.defs) & work.isa.registers.bit[plan.carrier]:
        return [], []
    before = [f"{site.store} {one},{site.address_slot}(1)", f"{site.load} {one},{site.slot}(1)"]
    after = [f"{site.store} {one},{site.slot}(1)", f"{site.load} {one},{site.address_slot}(1)"]
    return before, after


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


def number(register: str | None) -> str:
    """Return a register as an operand; no register is the number 0."""
    return register[1:] if register else "0"


def address_into(work: Rewriting, index: int, plan: Plan, updated: bool = False) -> list[str]:
    """Return the instructions that put the effective address into the carrier.

    They stand after the site's frame, unless the carrier is always free.  `updated` says that the
    access has run and that its base, if it is one that is updated, holds the address.
    """
    fact, site = work.code.facts[index], plan.site
    access = fact.access
    assert access is not None
    to = plan.carrier[1:]
    base, second = number(access.base), number(access.index)
    in_frame = plan.framed and not site.is_free
    first: list[str] = []
    if in_frame and (fact.uses | fact.defs) & work.isa.registers.bit[plan.carrier]:
        first = [f"{site.load} {to},{site.slot}(1)"]
    if updated and access.update:
        stacked = in_frame and base == "1"
        return [f"{site.load} {to},0(1)"] if stacked else [*first, f"mr {to},{base}"]
    operand = thread_operand(work.code, index)
    if operand:
        return [*first, f"add {to},{base},{operand}"]
    if in_frame and uses_stack(work, index) and to in (base, second):
        return [*first, f"add {to},{base},{second}", f"addi {to},{to},{site.frame}"]
    if in_frame and uses_stack(work, index):  # the frame's own back chain is the old r1
        first = [f"{site.load} {to},0(1)"]
        base, second = (to if one == "1" else one for one in (base, second))
    if fact.length == 8:
        return [*first, _prefixed_address(work, index, to, base)]
    if access.index is not None:
        plain = f"mr {to},{second}" if access.base is None else f"add {to},{base},{second}"
        return [*first, plain]
    if access.base is None:
        return [f"li {to},{access.offset or 0}"]
    return [*first, f"addi {to},{base},{access.offset or 0}"]


def _prefixed_address(work: Rewriting, index: int, to: str, base: str) -> str:
    """Return `pla` with the operands of a prefixed access."""
    access = work.code.facts[index].access
    assert access is not None
    memory, *relative = split_operands(work.code.at(index).operands)[1:]
    if access.base is not None:
        memory = f"{access.offset}({base})"
    return f"pla {','.join([to, memory, *relative])}"
