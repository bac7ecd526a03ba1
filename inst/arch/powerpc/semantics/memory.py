"""Loads and stores of general registers, from the table of accesses, and what orders memory.

Source: Power ISA 3.0B, Book I, section 3.3; Book II, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from inst.arch.powerpc.semantics.rows import pattern, rows_of
from inst.arch.powerpc.words.accesses import ROWS
from inst.replay.model import Row
from inst.words.access import READ, Access

_ORDER = """
    sync 31 x 598 0=0 | ;
    isync 19 x 150 0=0 | ;
    eieio 31 x 854 0=0 | ;
    icbi 31 x 982 0=0 | ;
    dcbf 31 x 86 0=0 | ;
    dcbst 31 x 54 0=0 | ;
    dcbt 31 x 278 0=0 | ;
    dcbtst 31 x 246 0=0 | ;
"""
_INDEXED = 31


def rows() -> Iterator[Row]:
    """Yield the rows of accesses and of what orders them."""
    yield from rows_of(_ORDER)
    for code, access in ROWS.items():
        text = _statement(code, access)
        if text is not None:
            yield Row(access.mnemonic, *_pattern(code), text, (), access.bits)


def _pattern(code: str) -> tuple[int, int]:
    """Return mask and value of the words of a code, as `inst.arch.powerpc.words` writes it."""
    if "/" in code:
        primary, _, extended = code.partition("/")
        return pattern(f"{primary} x {extended} 0=0")
    primary, _, low = code.partition(":")
    mask, value = pattern(primary)
    return (mask | (1 << len(low)) - 1, value | int(low, 2)) if low else (mask, value)


def _statement(code: str, access: Access) -> str | None:
    """Return what a load or store of one general register does; None for any other access."""
    if code[0] == "P" or (access.form, access.bank) != ("simple", "low"):
        return None
    if access.value not in ("general", "reversed") or access.mnemonic in ("eciwx", "ecowx"):
        return None
    parts = [f"ureg at = {_address(code, access)};"]
    if access.updates:
        wrong = "!FA || FA == FT" if access.what == READ else "!FA"
        parts.insert(0, f"if ({wrong}) UNDEFINED;")
    parts.append(_load(access) if access.what == READ else _store(access))
    if access.updates:
        parts.append("RA = at;")
    return " ".join(parts)


def _address(code: str, access: Access) -> str:
    base = "RA" if access.updates else "RA0"
    if int(code.partition("/")[0].partition(":")[0]) == _INDEXED:
        return f"{base} + RB"
    return f"{base} + (SI & ~3)" if ":" in code else f"{base} + SI"


def _load(access: Access) -> str:
    bits = 8 * access.size
    value = f"(sreg)(s{bits})v" if access.algebraic else "(ureg)v"
    if access.value == "reversed":
        value = f"__builtin_bswap{bits}(v)"
    return f"u64 v; LOAD(v, {access.size}, at); RT = {value};"


def _store(access: Access) -> str:
    value = f"__builtin_bswap{8 * access.size}(RT)" if access.value == "reversed" else "RT"
    return f"STORE({access.size}, at, {value});"
