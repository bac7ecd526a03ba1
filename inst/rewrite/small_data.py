"""Whether a register is the instrumentation's or the base of small data: r13 of 32-bit PowerPC.

By the System V and embedded ABIs r13 points at the small data of the program, but compilers
use it for that only with -msdata=eabi or -msdata=sysv.  The linker then writes r13, r2 or 0
into an instruction with the relocation R_PPC_EMB_SDA21, whatever the text says.
"""

from __future__ import annotations

from inst.flow.code import Code
from inst.isa.model import Facts, Form, Isa, RegisterSet
from inst.isa.sites import Sites, SmallData


def of(isa: Isa) -> SmallData | None:
    """Return the small data whose base sites use, too; None if there is none."""
    return isa.part(Sites).abis[isa.abi].small_data


def base(isa: Isa) -> RegisterSet:
    """Return the register that sites and small data both use; 0 if there is none."""
    found = of(isa)
    return isa.registers.bit[found.register] if found else 0


def names_small_data(source: str, isa: Isa) -> bool:
    """Return whether a file's text names small data or its base."""
    found = of(isa)
    return found is not None and found.named.search(source) is not None


def reads_register(code: Code, isa: Isa) -> bool:
    """Return whether an instruction reads the base; multiple and string forms only carry it."""
    mask = base(isa)
    if not mask:
        return False
    return any(fact.uses & mask and not fact.idle and not _is_bulk(fact) for fact in code.facts)


def counts_on_register(code: Code, isa: Isa) -> bool:
    """Return whether code needs the base to be what the start of the program has made it.

    Code that only sets it, or saves and restores it, does not: start files and context switches.
    """
    found, mask = of(isa), base(isa)
    if found is None:
        return False
    return any(
        (fact.uses & mask and not fact.defs & mask and not _only_carries(fact, found.register))
        or found.relative.search(code.statements[position].operands)
        for position, fact in zip(code.statement, code.facts, strict=True)
    )


def _is_bulk(fact: Facts) -> bool:
    return fact.access is not None and fact.access.form in (Form.MULTIPLE, Form.STRING)


def _only_carries(fact: Facts, register: str) -> bool:
    """Return whether an instruction saves the base, or does nothing with it."""
    access = fact.access
    if fact.idle or _is_bulk(fact):
        return True
    return (
        access is not None
        and access.value == register
        and register not in (access.base, access.index)
    )
