"""The sites of a file: what is reported, where it stands, and what is live there.

How a site is written is not decided here: see `inst.rewrite.writers`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inst.asm.operands import split_operands
from inst.flow.code import Code, statement_error
from inst.isa.model import Access, Form, RegisterSet
from inst.rewrite.context import Rewriting

NO_BRANCH = -1


@dataclass(slots=True)
class Site:
    """An access, a system call, or an instruction that switches stacks."""

    index: int
    access: Access | None
    """None for a system call, and for a move to the stack pointer."""
    live_before: RegisterSet
    live_after: RegisterSet
    branch: int = NO_BRANCH
    """The transfer in whose delay slot it stands."""
    switches_stack: bool = False
    """A region begins here in which hooks stay on the old stack (`inst.rewrite.leaving`)."""
    from_table: bool = False
    """The linker may turn it into an addition: a load of an address from a table."""
    reported: bool = True
    """False where a reservation is open: such an access is only counted."""


def collect_sites(work: Rewriting) -> Iterator[Site]:
    """Yield the sites in the order of the code."""
    facts, ends = work.code.facts, set(work.code.section_end)
    before, after = work.liveness.before, work.liveness.after
    removed = _between_entries(work)
    branch = NO_BRANCH
    for index, fact in enumerate(facts):
        access = fact.access
        if branch != NO_BRANCH:
            if access is not None:
                yield Site(index, access, before[index], after[index], branch)
            branch = NO_BRANCH
        elif fact.runs_slot:
            if index + 1 in ends:
                message = "the file ends where a delay slot should be"
                raise statement_error(work.code, index, message)
            branch = index
        elif fact.system_call or index in work.leaving:
            switches = index in work.leaving
            yield Site(index, access, before[index], after[index], switches_stack=switches)
        elif access is not None and index not in removed:
            site = Site(index, access, before[index], after[index])
            if work.isa.name == "sparc" or _is_wanted(work, site, access):
                yield site


def _is_wanted(work: Rewriting, site: Site, access: Access) -> bool:
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


def _between_entries(work: Rewriting) -> frozenset[int]:
    """Return loads between a function's two entry points (-mcmodel=large has one).

    They make the TOC pointer, as `addis` and `addi` do elsewhere; the assembler insists on the
    distance between the two points.
    """
    code = work.code
    if work.isa.name != "powerpc" or work.isa.bits != 64:
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
