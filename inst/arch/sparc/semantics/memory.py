"""Loads and stores, from the table of accesses, and what orders memory.

Sources: The SPARC Architecture Manual, Versions 8 and 9 (appendices B and A); for the spaces of
LEON's casa its manual, section 4 (address spaces 10 and 11).
"""

from __future__ import annotations

from collections.abc import Iterator

from inst.arch.sparc.semantics.rows import pattern, rows_of
from inst.arch.sparc.words.accesses import ROWS
from inst.replay.model import Row
from inst.words.access import READ, Access

_OTHERS = """
    flush[i] 2.3b rd=0 | ;
    prefetch[i] 3.2d   | ;
    prefetcha 3.3d     | ;
    ldfsr[i] 3.21 rd=0  | u64 at = AT, v; ALIGNED(at, 4); LOAD(v, 4, at); load_fsr(s, v, (u32)FSR_LOADED);
    ldxfsr[i] 3.21 rd=1 | u64 at = AT, v; ALIGNED(at, 8); LOAD(v, 8, at); load_fsr(s, v, FSR_LOADED);
    stfsr[i] 3.25 rd=0  | u64 at = AT; ALIGNED(at, 4); STORE(4, at, s->fsr);
    stxfsr[i] 3.25 rd=1 | u64 at = AT; ALIGNED(at, 8); STORE(8, at, s->fsr);
"""
_EXCHANGES = {
    "ldstub": "EXCHANGE(1, at, 255, 0, 0);",
    "swap": "EXCHANGE(4, at, s->g[FD], 0, 0);",
    "casa": "EXCHANGE(4, at, s->g[FD], 1, (u32)s->g[F2]);",
    "casxa": "EXCHANGE(8, at, s->g[FD], 1, s->g[F2]);",
}
_PAIRS = {
    "ldd": "if (FD & 1) UNDEFINED; u64 v; LOAD(v, 8, at); s->g[FD + 1] = (u32)v; TO_RD(v >> 32);",
    "std": "if (FD & 1) UNDEFINED; STORE(8, at, s->g[FD] << 32 | (u32)s->g[FD + 1]);",
}
_FLOATS = {
    "ldf": "u64 v; LOAD(v, 4, at); s->f[FD] = v;",
    "stf": "STORE(4, at, s->f[FD]);",
    "lddf": "u64 v; LOAD(v, 8, at); set_double(s, DOUBLE(FD), v);",
    "stdf": "STORE(8, at, get_double(s, DOUBLE(FD)));",
}
_BLOCKS = {
    "lddfa": "if (SPACE == BLOCK) { u64 at = AT, v[8]; BLOCK_AT(at); LOAD_SEVERAL(v, 8, 8, at);"
    " for (unsigned n = 0; n < 8; n++) set_double(s, DOUBLE(FD) + 2 * n, v[n]); NEXT(); DISPATCH(); } ",
    "stdfa": "if (SPACE == BLOCK || SPACE == BLOCK_COMMITTED) { u64 at = AT, v[8]; BLOCK_AT(at);"
    " for (unsigned n = 0; n < 8; n++) v[n] = get_double(s, DOUBLE(FD) + 2 * n);"
    " STORE_SEVERAL(v, 8, 8, at); NEXT(); DISPATCH(); } ",
}
"""What double accesses do in the spaces of blocks of 64 bytes."""
_FLOAT_ALIGNMENT = 4
"""Linux executes what the processor only does at multiples of the size."""


def rows() -> Iterator[Row]:
    """Yield the rows of accesses and of what orders them."""
    yield from rows_of(_OTHERS)
    for code, access in ROWS.items():
        text = _statement(access)
        for immediate in (0, 1) if text else ():
            between = "" if immediate or access.mnemonic.endswith("a") else " 12:5=0"
            mask, value = pattern(f"3.{code:02x} i={immediate}{between}")
            constants = (("IMMEDIATE", immediate),)
            yield Row(access.mnemonic + ".i" * immediate, mask, value, text, constants)


def _statement(access: Access) -> str:
    """Return what an access does; nothing if it is not executed."""
    name = access.mnemonic
    plain = name.removesuffix("a")
    body = _EXCHANGES.get(name) or _EXCHANGES.get(plain) or _PAIRS.get(plain) or _FLOATS.get(plain)
    if body is None and access.value == "general" and plain[:2] in ("ld", "st"):
        body = _load(access) if access.what == READ else f"STORE({access.size}, at, s->g[FD]);"
    if body is None or plain in ("ldm", "stm"):
        return ""
    space = _BLOCKS.get(name, "") + _space(access) if name.endswith("a") else ""
    where = "A" if name in ("casa", "casxa") else "AT"
    size = _FLOAT_ALIGNMENT if access.value == "float" else access.size
    return f"{space}u64 at = {where}; ALIGNED(at, {size}); {body}"


def _space(access: Access) -> str:
    if access.mnemonic == "casa":
        return "if (SPACE != LEON_USER && SPACE != LEON_SUPERVISOR) IN_SPACE(0); "
    return "IN_SPACE(WITHOUT_FAULT); " if access.what == READ else "IN_SPACE(0); "


def _load(access: Access) -> str:
    value = f"(s64)(s{8 * access.size})v" if access.algebraic else "v"
    return f"u64 v; LOAD(v, {access.size}, at); TO_RD({value});"
