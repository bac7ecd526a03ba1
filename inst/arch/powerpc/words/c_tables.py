"""What C of the runtime has of PowerPC's words: the memory instructions, and others it knows."""

from __future__ import annotations

from typing import Any

from inst.arch.powerpc.words import accesses
from inst.arch.powerpc.words.recorded import MFLR_0, MTLR_0
from inst.arch.powerpc.words.system_events import WORDS
from inst.words.access import WRITE, Access

_ORDERING = ("sync", "lwsync", "isync")
_SYSTEM_CALLS = {
    "WORD_SC": 0x44000002,
    "WORD_SCV": 0x44000001,
    "MASK_SCV": 0xFFFFF01F,
}
"""`scv` with any level (Power ISA 3.1, book III, section 4.3.1)."""


def tables() -> dict[str, Any]:
    """Return what the template of the C tables is rendered with."""
    spe = {(int(code[2:]) - accesses.SPE_FIRST) // 2: row for code, row in accesses.ROWS.items()
           if code.startswith("4/")}  # fmt: skip
    by_key = {key: accesses.BY_KEY[key] for key in sorted(accesses.samples())}
    rows = {key: _row(access) for key, access in by_key.items()}
    prefixed = {primary: _row(access) for primary, access in accesses.PREFIXED.items()}
    wide = {key: _row(access) for key, access in spe.items()}
    narrow = {key for key, access in by_key.items() if access.bits == 32}
    distinct = ["{ 0 }", *dict.fromkeys([*rows.values(), *prefixed.values(), *wide.values()])]

    def places(found: dict[int, str]) -> list[tuple[int, int]]:
        return [(key, distinct.index(row)) for key, row in found.items()]

    return {
        "rows": distinct,
        "narrow": places({key: row for key, row in rows.items() if key in narrow}),
        "wide": places({key: row for key, row in rows.items() if key not in narrow}),
        "prefixed": places(prefixed),
        "spe": places(wide),
        "spe_first": accesses.SPE_FIRST,
    }


def opcodes() -> dict[str, int]:
    """Return words by their names in C; of `mtlr` and `mflr` those with r0."""
    found = {"WORD_MTLR": MTLR_0, "WORD_MFLR": MFLR_0, **_SYSTEM_CALLS}
    for row in WORDS:
        if row.mnemonic in _ORDERING:
            found[f"WORD_{row.mnemonic.upper()}"] = row.match
            found[f"MASK_{row.mnemonic.upper()}"] = row.mask
    return found


def _row(access: Access) -> str:
    names = ", ".join(name.upper() for name in (access.value, access.form, access.bank))
    return f"{{ {access.size}, {int(access.what == WRITE)}, {names} }}"
