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
    sync 31 x 598 25=0 24=0 23=0 ra 0 rb 0 0=0 | ;
    isync 19 x 150 rt 0 ra 0 rb 0 0=0 | ;
    eieio 31 x 854 rt 0 ra 0 rb 0 0=0 | ;
    icbi 31 x 982 rt 0 0=0 | ;
    dcbf 31 x 86 25=0 24=0 23=0 0=0 | ;
    dcbst 31 x 54 rt 0 0=0 | ;
    dcbt 31 x 278 0=0 | ;
    dcbtst 31 x 246 0=0 | ;
"""
_SEVERAL = """
    lmw 46 | u64 v[32]; if (INST_LITTLE || FA >= FT) UNDEFINED; unsigned first = FT;
           | LOAD_SEVERAL(v, 4, 32 - first, RA0 + SI);
           | for (unsigned n = first; n < 32; n++) s->g[n] = v[n - first];
    stmw 47 | u64 v[32]; if (INST_LITTLE) UNDEFINED; unsigned first = FT;
           | for (unsigned n = first; n < 32; n++) v[n - first] = s->g[n];
           | STORE_SEVERAL(v, 4, 32 - first, RA0 + SI);
    lswi 31 x 597 0=0 | u64 v[32]; unsigned count = FB ? FB : 32; if (INST_LITTLE) UNDEFINED;
           | if (((FA - FT) & 31) < (count + 3) / 4) UNDEFINED;
           | LOAD_SEVERAL(v, 1, count, RA0); from_string(s, FT, v, count);
    lswx 31 x 533 0=0 | u64 v[128]; unsigned count = s->xer & 127; if (INST_LITTLE || !count) UNDEFINED;
           | if (((FA - FT) & 31) < (count + 3) / 4 || ((FB - FT) & 31) < (count + 3) / 4) UNDEFINED;
           | LOAD_SEVERAL(v, 1, count, RA0 + RB); from_string(s, FT, v, count);
    stswi 31 x 725 0=0 | u64 v[32]; unsigned count = FB ? FB : 32; if (INST_LITTLE) UNDEFINED;
           | to_string(s, FT, v, count); STORE_SEVERAL(v, 1, count, RA0);
    stswx 31 x 661 0=0 | u64 v[128]; unsigned count = s->xer & 127; if (INST_LITTLE) UNDEFINED;
           | to_string(s, FT, v, count); STORE_SEVERAL(v, 1, count, RA0 + RB);
    dcbz 31 x 1014 rt 0 0=0 | u64 v[16] = {0}; STORE_SEVERAL(v, 8, DCBZ_BYTES / 8, (RA0 + RB) & ~(ureg)(DCBZ_BYTES - 1));
    lq 56 (64) | u64 v[2]; if (FT & 1 || FA == FT || (RA0 + SI) & 15) UNDEFINED;
           | LOAD_SEVERAL(v, 8, 2, RA0 + (SI & ~15)); RT = v[INST_LITTLE]; s->g[FT + 1] = v[!INST_LITTLE];
    stq 62 ds 2 (64) | u64 v[2]; if (FT & 1 || (RA0 + (SI & ~3)) & 15) UNDEFINED; v[INST_LITTLE] = RT; v[!INST_LITTLE] = s->g[FT + 1];
           | STORE_SEVERAL(v, 8, 2, RA0 + (SI & ~3));
"""
_INDEXED = 31
_CONDITIONAL = ("150", "182", "214", "694", "726")
"""Extended opcodes of the conditional stores, which have the lowest bit."""
_REGISTERS = ("general", "reversed", "float", "first")
_FORMS = ("simple", "reserve", "conditional")


def rows() -> Iterator[Row]:
    """Yield the rows of accesses and of what orders them."""
    yield from rows_of(_ORDER)
    yield from rows_of(_SEVERAL)
    for code, access in ROWS.items():
        text = _statement(code, access)
        if text is not None:
            yield Row(access.mnemonic, *_pattern(code), text, (), access.bits)


def _pattern(code: str) -> tuple[int, int]:
    """Return mask and value of the words of a code, as `inst.arch.powerpc.words` writes it."""
    if "/" in code:
        primary, _, extended = code.partition("/")
        return pattern(f"{primary} x {extended} 0={int(extended in _CONDITIONAL)}")
    primary, _, low = code.partition(":")
    mask, value = pattern(primary)
    return (mask | (1 << len(low)) - 1, value | int(low, 2)) if low else (mask, value)


def _statement(code: str, access: Access) -> str | None:
    """Return what a load or store of one general register does; None for any other access."""
    if code[0] == "P" or access.mnemonic in ("eciwx", "ecowx") or access.size > 8:
        return None
    if access.value not in _REGISTERS or access.form not in _FORMS or access.bank != "low":
        return None
    parts = [f"ureg at = {_address(code, access)};"]
    if access.form in ("reserve", "conditional"):
        parts.append(f"if (at & {access.size - 1}) UNDEFINED;")
        return " ".join(parts) + (_reserve if access.form == "reserve" else _conditional)(
            access.size
        )
    if access.updates:
        is_general = access.value in ("general", "reversed")
        wrong = "!FA || FA == FT" if access.what == READ and is_general else "!FA"
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


def _reserve(size: int) -> str:
    return f" u64 v; LOAD(v, {size}, at); RT = (ureg)v; s->reserved = at; s->has_reservation = 1;"


def _conditional(size: int) -> str:
    """Return a conditional store, which the feed says the success of."""
    return (
        f" u64 stores; OR_STOP(room_for(&m->control, d, 1)); RECORDED(stores); if (stores) STORE({size}, at, RT);"
        " s->has_reservation = 0; set_field(s, 0, (stores ? 2 : 0) | s->xer >> 31);"
    )


def _load(access: Access) -> str:
    bits = 8 * access.size
    value = f"(sreg)(s{bits})v" if access.algebraic else "(ureg)v"
    if access.value == "reversed":
        value = f"__builtin_bswap{bits}(v)"
    if access.value in ("float", "first"):
        is_single = access.value == "float" and access.size == 4
        value = (
            "widened((u32)v)"
            if is_single
            else f"(u64)(s64)(s{bits})v"
            if access.algebraic or access.mnemonic == "lfiwax"
            else "v"
        )
        return f"u64 v; LOAD(v, {access.size}, at); SET_FRT({value});"
    return f"u64 v; LOAD(v, {access.size}, at); RT = {value};"


def _store(access: Access) -> str:
    value = f"__builtin_bswap{8 * access.size}(RT)" if access.value == "reversed" else "RT"
    if access.value in ("float", "first"):
        value = "narrowed(FRT)" if access.value == "float" and access.size == 4 else "FRT"
    return f"STORE({access.size}, at, {value});"
