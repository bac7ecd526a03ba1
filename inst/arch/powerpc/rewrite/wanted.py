"""Which accesses of PowerPC code are sites: the linker removes or replaces some."""

from __future__ import annotations

import re

from inst.asm.operands import split_operands
from inst.flow.code import Code
from inst.isa.model import Access, Form
from inst.rewrite.context import Rewriting
from inst.rewrite.sites import Site

_TABLE = re.compile(r"[\w.$]+@got|\.LC\d+-\.LCTOC\d*")
"""Of an address in the GOT, or in `.got2` (32-bit code, -fPIC and -fPIE)."""


def is_wanted(work: Rewriting, site: Site, access: Access) -> bool:
    """Complete a site of PowerPC; return False if it belongs to what the linker removes."""
    site.from_table = is_table_load(work, access)
    site.reported = site.index not in work.reserved or access.form == Form.CONDITIONAL
    if not access.linker_rewrites or site.from_table:
        return True
    return bool(thread_operand(work.code, site.index))


def is_table_load(work: Rewriting, access: Access) -> bool:
    """Return whether an access loads an address from the GOT or TOC (PowerPC).

    The linker turns `addis 9,2,.LC0@toc@ha; ld 9,.LC0@toc@l(9)` into an addition when the
    address is near the TOC.
    """
    if work.isa.bits == 32:
        return access.linker_rewrites and access.load and "@got" in access.offset
    if not access.load or access.size != 8 or access.index is not None:
        return False
    name, _, suffix = access.offset.partition("@")
    if suffix.startswith("got"):
        return True
    return suffix in ("toc", "toc@l") and name in work.code.table


def loads_constant(work: Rewriting, index: int) -> bool:
    """Return whether an instruction loads an address from the GOT, the TOC, or a file's own table
    (`.LC0-.LCTOC1(30)`)."""
    access = work.code.facts[index].access
    if access is None or not access.load:
        return False
    return is_table_load(work, access) or _TABLE.fullmatch(access.offset) is not None


def thread_operand(code: Code, index: int) -> str:
    """Return the `x@tls` operand of an access to a thread-local variable; "" without one.

    The linker may turn it into an access relative to the thread pointer, and an `add` with
    the same operand into an `addi` by the same distance: the access itself stays.
    """
    operands = code.at(index).operands
    if "@tls" not in operands:
        return ""
    operand = split_operands(operands)[-1]
    return operand if operand.endswith(("@tls", "@tls@pcrel")) else ""


def between_entries(work: Rewriting) -> frozenset[int]:
    """Return loads between a function's two entry points (-mcmodel=large has one).

    They make the TOC pointer, as `addis` and `addi` do elsewhere; the assembler insists on the
    distance between the two points.
    """
    code = work.code
    if work.isa.bits == 32:
        return frozenset()
    toc = work.isa.registers.mask("r2")
    return frozenset(
        index
        for index, fact in enumerate(code.facts)
        if fact.defs & toc
        and fact.access is not None
        and any(
            one.name == ".localentry"
            for one in code.statements[code.statement[index] + 1 : code.statement[index] + 12]
        )
    )
