"""Whether r13 is the instrumentation's or the base of small data, in 32-bit PowerPC code.

By the System V and embedded ABIs r13 points at the small data of the program, but compilers
use it for that only with -msdata=eabi or -msdata=sysv.  The linker then writes r13, r2 or 0
into an instruction with the relocation R_PPC_EMB_SDA21, whatever the text says.  (System V ABI,
PowerPC supplement, "Small Data Area"; PowerPC Embedded ABI, relocation types 106 to 116.)
"""

from __future__ import annotations

import re

from inst.flow.code import Code
from inst.isa.model import Facts, Form, Isa, RegisterSet
from inst.isa.sites import Sites

_NAMED = re.compile(r"@sda|\b_SDA2?_BASE_\b|\bR_PPC_(?:EMB_)?SDA", re.IGNORECASE)
_RELATIVE = re.compile(r"@sda(?:21|rel|i16)", re.IGNORECASE)


def base(isa: Isa) -> RegisterSet:
    """Return the register that sites and small data both use; 0 if there is none."""
    name = isa.part(Sites).abis[isa.abi].small_data
    return isa.registers.bit[name] if name else 0


def names_small_data(source: str, isa: Isa) -> bool:
    """Return whether a file's text names small data or its base."""
    return base(isa) != 0 and _NAMED.search(source) is not None


def reads_register(code: Code, isa: Isa) -> bool:
    """Return whether an instruction reads r13; multiple and string forms only carry it along."""
    mask = base(isa)
    if not mask:
        return False
    return any(fact.uses & mask and not fact.idle and not _is_bulk(fact) for fact in code.facts)


def counts_on_register(code: Code, isa: Isa) -> bool:
    """Return whether code needs r13 to be what the start of the program has made it.

    Code that only sets it, or saves and restores it, does not: start files and context switches.
    """
    mask = base(isa)
    if not mask:
        return False
    return any(
        (fact.uses & mask and not fact.defs & mask and not _only_carries(fact))
        or _RELATIVE.search(code.statements[position].operands)
        for position, fact in zip(code.statement, code.facts, strict=True)
    )


def _is_bulk(fact: Facts) -> bool:
    return fact.access is not None and fact.access.form in (Form.MULTIPLE, Form.STRING)


def _only_carries(fact: Facts) -> bool:
    """Return whether an instruction saves r13, or does nothing with it."""
    access = fact.access
    if fact.idle or _is_bulk(fact):
        return True
    return access is not None and access.value == "r13" and "r13" not in (access.base, access.index)
