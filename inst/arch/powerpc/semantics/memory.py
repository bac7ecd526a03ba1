"""Loads and stores of general registers, from the table of accesses, and what orders memory.

Source: Power ISA 3.0B, Book I, section 3.3; Book II, chapter 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from inst.arch.powerpc.semantics.rows import rows_of
from inst.arch.powerpc.words.accesses import PAIRS, ROWS
from inst.arch.powerpc.words.patterns import pattern
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
    dst 31 x 342 24=0 23=0 0=0 | ;
    dstst 31 x 374 24=0 23=0 0=0 | ;
    dss 31 x 822 24=0 23=0 ra 0 rb 0 0=0 | ;
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
_PREFIXED_PAIRS = """
    plq 8ls 56 (64) | u64 v[2]; PREFIXED_ADDRESS; if (FT & 1 || FA == FT || at & 15) UNDEFINED;
           | LOAD_SEVERAL(v, 8, 2, at); RT = v[0]; s->g[FT + 1] = v[1];
    pstq 8ls 60 (64) | u64 v[2]; PREFIXED_ADDRESS; if (FT & 1 || at & 15) UNDEFINED;
           | v[0] = RT; v[1] = s->g[FT + 1]; STORE_SEVERAL(v, 8, 2, at);
"""
_WITH_PREFIX = ("lbz", "lhz", "lha", "lwz", "stb", "sth", "stw", "lfs", "lfd", "stfs", "stfd")
"""Accesses whose words may follow a prefix (MLS) that extends the displacement."""
_INDEXED = 31
_CONDITIONAL = ("150", "182", "214", "694", "726")
"""Extended opcodes of the conditional stores, which have the lowest bit."""
_HINTED = ("20", "52", "84", "116")
"""Extended opcodes of loads that reserve, whose lowest bit is a hint."""
_FORMS = ("simple", "reserve", "conditional")
_BANKS = {
    "low": "s->vs[FT]",
    "high": "VT",
    "by_bit_0": "XT",
    "by_bit_3": "s->vs[FT | W(3, 3) << 5]",
}
_ORDERS = {
    "whole": "IN_WHOLE",
    "doublewords": "IN_DOUBLEWORDS",
    "words": "IN_WORDS",
    "halfwords": "IN_HALFWORDS",
    "bytes": "IN_BYTES",
}
_OTHERS = ("eciwx", "ecowx", "lq", "stq", "lqarx", "stqcx.")
"""Accesses that are not executed, or not from here."""
_GENERAL = ("general", "reversed")
_RESTORING = ("lfd", "lfdu")
"""Loads as which the stores are executed by which registers are recorded where they arrive: of
those of vectors that is the first half, and the second one may have been computed."""


def rows() -> Iterator[Row]:
    """Yield the rows of accesses and of what orders them."""
    yield from rows_of(_ORDER)
    yield from rows_of(_SEVERAL)
    yield from rows_of(_PREFIXED_PAIRS)
    for code, access in ROWS.items():
        text = _statement(code, access)
        if text:
            is_prefixed = code[0] == "P"
            yield Row(access.mnemonic, *_pattern(code), text, (), access.bits, is_apart=is_prefixed)
        if access.mnemonic in _WITH_PREFIX:
            mask, value = pattern(f"mls {code}")
            text = f"PREFIXED_ADDRESS; {_moved(access)}"
            yield Row(f"p{access.mnemonic}", mask, value, text, (), 64, is_apart=True)


def _pattern(code: str) -> tuple[int, int]:
    """Return mask and value of the words of a code, as `inst.arch.powerpc.words` writes it."""
    if code[0] == "P":
        return pattern(f"8ls {code[1:]}")
    primary, _, extended = code.partition("/")
    if extended:
        mask, value = pattern(f"{primary} x {extended}")
        if ("x" in ROWS[code].mnemonic and ROWS[code].bank == "by_bit_0") or extended in _HINTED:
            return mask, value
        return mask | 1, value | (extended in _CONDITIONAL)
    primary, _, low = code.partition(":")
    mask, value = pattern(primary)
    return (mask | (1 << len(low)) - 1, value | int(low, 2)) if low else (mask, value)


def _statement(code: str, access: Access) -> str:
    """Return what an access does; "" for those that are not executed, or not from here."""
    if access.form not in _FORMS or access.mnemonic in _OTHERS:
        return ""
    moved = _moved(access)
    if not moved:
        return ""
    parts = [_address(code, access), moved]
    if access.updates:
        of_target = access.what == READ and access.value in _GENERAL
        parts.insert(0, f"if (!FA{' || FA == FT' * of_target}) UNDEFINED;")
        parts.append("RA = at;")
    return " ".join(parts)


def _address(code: str, access: Access) -> str:
    """Return what computes the address, `at`."""
    if code[0] == "P":
        return "PREFIXED_ADDRESS;"
    base = "RA" if access.updates else "RA0"
    if int(code.partition("/")[0].partition(":")[0]) == _INDEXED:
        offset = "RB"
    else:
        offset = {0: "SI", 2: "(SI & ~3)", 3: "(SI & ~15)", 4: "(SI & ~15)"}[
            len(code.partition(":")[2])
        ]
    if access.mnemonic.startswith(("lv", "stv")):
        return f"ureg at = ({base} + {offset}) & ~(ureg){access.size - 1};"
    return f"ureg at = {base} + {offset};"


def _moved(access: Access) -> str:
    """Return what moves the value from or to `at`; "" for what is not known here."""
    size, is_load = access.size, access.what == READ
    if access.form == "reserve":
        return f"u64 v; if (at & {size - 1}) UNDEFINED; LOAD(v, {size}, at); RT = (ureg)v;"
    if access.form == "conditional":
        return (
            f"u64 stores; if (at & {size - 1}) UNDEFINED; OR_STOP(room_for(&m->control, d, 1));"
            f" RECORDED(stores); if (stores) STORE({size}, at, RT);"
            " set_field(s, 0, (stores ? 2 : 0) | s->xer >> 31);"
        )
    if access.value in _GENERAL and access.bank == "low":
        return _general(access)
    if access.bank in PAIRS:
        return f"{'LOAD' if is_load else 'STORE'}_PAIR(FIRST_OF_PAIR, at);"
    register = _BANKS.get(access.bank)
    if register is None:
        return ""
    if access.value == "second":
        if is_load:
            return f"u64 v; LOAD(v, {size}, at); SET_BOTH({register}, 0, v);"
        return f"STORE({size}, at, {register}[1]);"
    if access.value in _ORDERS:
        name = "LOAD_VECTOR" if is_load else "STORE_VECTOR"
        return f"{name}({register}, {_ORDERS[access.value]}, at);"
    if access.value == "element":
        return _element(8 * size, is_load)
    return _first(access, register)


def _general(access: Access) -> str:
    bits, is_reversed = 8 * access.size, access.value == "reversed"
    if access.what == READ:
        value = f"(sreg)(s{bits})v" if access.algebraic else "(ureg)v"
        value = f"__builtin_bswap{bits}(v)" if is_reversed else value
        return f"u64 v; LOAD(v, {access.size}, at); RT = {value};"
    return f"STORE({access.size}, at, {f'__builtin_bswap{bits}(RT)' if is_reversed else 'RT'});"


def _element(bits: int, is_load: bool) -> str:
    """Return the access of one element of a vector register, at its place in memory."""
    place = f"PLACE_IN({bits}, at)"
    if is_load:
        return f"u64 v; LOAD(v, {bits // 8}, at); set_element(VT, {bits}, {place}, v);"
    return f"STORE({bits // 8}, at, GET(VT, {bits}, {place}));"


def _first(access: Access, register: str) -> str:
    """Return the access of the first doubleword of a register, or of a part of it."""
    is_single = access.value == "float" and access.size == 4
    if access.value not in ("float", "first", "first_high"):
        return ""
    if access.what != READ:
        value = f"{register}[0]"
        return f"STORE({access.size}, at, {f'narrowed({value})' if is_single else value});"
    value = "widened((u32)v)" if is_single else "v"
    if access.mnemonic.endswith("iwax"):
        value = "(u64)(s64)(s32)v"
    second = f"d->marks & ARRIVES ? {register}[1] : 0" if access.mnemonic in _RESTORING else "0"
    made = f"SET_BOTH({register}, {value}, {second});"
    if access.bank == "by_bit_0":
        made = f"SET_FIRST({register}, {value});"
    if access.mnemonic == "lxvdsx":
        made = f"SET_BOTH({register}, v, v);"
    elif access.mnemonic == "lxvwsx":
        made = f"MAKE({register}, 32, v);"
    return f"u64 v; LOAD(v, {access.size}, at); {made}"
