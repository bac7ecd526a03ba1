"""From a mnemonic and its operand text to facts, by the tables."""

from __future__ import annotations

from functools import cache, lru_cache

from inst.arch.powerpc.tables.operands import THREAD_POINTER, WIDE_THREAD_POINTER
from inst.arch.powerpc.tables.refused import reason_for
from inst.arch.powerpc.tables.roles import (
    ALWAYS,
    IGNORES_BIT,
    IGNORES_COUNTER,
    OPERAND_ERRORS,
    ROLES,
    Draft,
)
from inst.arch.powerpc.tables.routines import special_target
from inst.arch.powerpc.tables.system_registers import REGISTERS
from inst.arch.powerpc.tables.table import Rows, all_rows_of, mnemonics, rows_of
from inst.asm.operands import split_operands
from inst.dataclass import replace
from inst.isa.model import Access, Facts, Form, SystemEvent, Transfer, UnknownInstruction
from inst.isa.rows import Row

COPIES = frozenset(("mr", "fmr", "vmr"))
JOINS = frozenset(("and", "or", "vand", "vor", "xxland", "xxlor"))
"""Instructions that change nothing if all of their operands are one register."""
ADJUSTS = frozenset(("ori", "oris", "xori", "xoris"))
ADDS = frozenset(("addi", "addis", "subi", "subis"))
"""Instructions that change nothing with an immediate 0; those that add read r0 as a number."""

READS_COUNTER = ("20", "31")
"""First operands of the branch-and-link that processors know is no call."""


@cache
def facts(mnemonic: str, operands: str) -> Facts:
    """Return what the instruction reads, writes, accesses and where it goes, in 32-bit code.

    Raises UnknownInstruction if no row fits.
    """
    return _found(mnemonic, operands)


@cache
def wide_facts(mnemonic: str, operands: str) -> Facts:
    """Return the same for 64-bit code, which has the thread pointer in another register."""
    found = _found(mnemonic, operands)
    if "@tls" not in operands or not THREAD_POINTER.search(operands):
        return found
    named = _found(mnemonic, f"{operands.rpartition(',')[0]},{WIDE_THREAD_POINTER}")
    access = found.access
    if access is not None and named.access is not None:
        access = replace(access, index=named.access.index)
    return replace(found, uses=named.uses, access=access)


def _found(mnemonic: str, operands: str) -> Facts:
    texts = split_operands(operands) if operands else ()
    row = rows_of(mnemonic).get(len(texts)) or _uncommon_row(mnemonic, operands, len(texts))
    draft = Draft(row.facts.uses, row.facts.defs, row.facts.access.size if row.facts.access else 0)
    try:
        for role, text in zip(row.roles, texts, strict=True):
            ROLES[role](draft, text)
    except OPERAND_ERRORS as error:
        raise _unknown(mnemonic, operands, str(error)) from error
    return _complete(row, draft, tuple(texts))


def _uncommon_row(mnemonic: str, operands: str, count: int) -> Row:
    rows = all_rows_of(mnemonic)
    if not rows:
        raise _unknown(mnemonic, operands, _closest(mnemonic))
    if count not in rows:
        raise _unknown(mnemonic, operands, _expected(rows))
    return rows[count]


def _complete(row: Row, draft: Draft, texts: tuple[str, ...]) -> Facts:
    if row.facts.transfer not in (Transfer.NONE, Transfer.TRAP):
        return _branch(row, draft, texts)
    access = row.facts.access
    return Facts(
        idle=_is_idle(row.mnemonic, draft, texts),
        uses=draft.uses,
        defs=draft.defs,
        access=_access(access, draft) if access else None,
        transfer=row.facts.transfer,
        conditional=row.facts.conditional,
        system_call=row.facts.system_call,
        barrier=row.facts.barrier,
        event=_event(row, draft),
        recorded=row.facts.recorded,
        length=row.facts.length,
    )


def _event(row: Row, draft: Draft) -> SystemEvent:
    """Return the event of an instruction; a move is one to some special-purpose registers only."""
    if draft.special >= 0 and draft.special not in REGISTERS:
        return SystemEvent.NONE
    return row.facts.event


def _is_idle(mnemonic: str, draft: Draft, texts: tuple[str, ...]) -> bool:
    """Return whether an instruction leaves its only register as it was.

    GCC and the architecture have several: `ori 2,2,0` ends a group of instructions for the
    scheduler, `or 31,31,31` is a hint of priority (Power ISA 3.1, book II, 3.2).
    """
    if mnemonic in ADJUSTS or mnemonic in ADDS:
        is_zero = texts[2] == "0" or texts[2].lower() == "0x0"
        return is_zero and draft.uses == draft.defs != 0
    return (mnemonic in COPIES or mnemonic in JOINS) and draft.uses == draft.defs


_STORED = ("cr0", 2)
"""EQ of cr0: set if a conditional store stored."""


def _access(pattern: Access, draft: Draft) -> Access:
    return Access(
        load=pattern.load,
        store=pattern.store,
        size=draft.size,
        value=draft.value,
        base=draft.base,
        index=draft.index,
        offset=draft.offset,
        form=pattern.form,
        update=draft.update,
        linker_rewrites=draft.linker_rewrites,
        align=pattern.align,
        byte_reversed=pattern.byte_reversed,
        stored=_STORED if pattern.form == Form.CONDITIONAL else None,
    )


def _branch(row: Row, draft: Draft, texts: tuple[str, ...]) -> Facts:
    result = replace(
        row.facts,
        uses=draft.uses,
        defs=draft.defs,
        target=draft.target,
        target_operand=len(texts) - 1 if draft.target else -1,
    )
    if "option" in row.roles:
        result = _by_option(result, draft.option, texts)
    return special_target(result, draft.target) if draft.target else result


def _by_option(result: Facts, option: int, texts: tuple[str, ...]) -> Facts:
    """`bc` and its family are conditional by their first operand."""
    always = bool(option & IGNORES_BIT and option & IGNORES_COUNTER)
    result = replace(result, conditional=not always)
    if option == ALWAYS and texts[:2] == READS_COUNTER and result.transfer == Transfer.CALL:
        return replace(result, transfer=Transfer.BRANCH, pc_relative_data=True)
    return result


def _unknown(mnemonic: str, operands: str, hint: str) -> UnknownInstruction:
    text = f"{mnemonic} {operands}".rstrip()
    return UnknownInstruction(f"unknown PowerPC instruction `{text}`", source=text, hint=hint)


@lru_cache
def _closest(mnemonic: str) -> str:
    """Return a hint; comparing names takes milliseconds, and a trace has a word many times."""
    reason = reason_for(mnemonic)
    if reason:
        return f"not supported: {reason}"
    import difflib

    close = difflib.get_close_matches(mnemonic, mnemonics(), n=1)
    return f"did you mean `{close[0]}`?" if close else "no known mnemonic is close to it"


def _expected(rows: Rows) -> str:
    counts = " or ".join(str(count) for count in sorted(rows))
    return f"it takes {counts} operands"
