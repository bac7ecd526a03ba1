"""Assembly that calls every entry of the 64-bit PowerPC glue with known junk in every register."""

from __future__ import annotations

from collections.abc import Callable

from glue_cases import (
    LOADS,
    POWERPC_ACCESS_FLAGS,
    POWERPC_FLAGS,
    SINGLE,
    SPECIAL,
    VALUED,
    Case,
    tables,
)

BEFORE = 64
"""The value is what its register held before: entries change r0."""
SIZES = {"b": 1, "h": 2, "w": 4, "d": 8}
CARRIERS = ("r0", "r12", "r11")
"""Registers that may pass the address; entries need not preserve the one that does."""
_LOADS = {1: "lbzx", 2: "lhzx", 4: "lwzx", 8: "ldx"}
_FLOAT_LOADS = {4: "lfsx", 8: "lfdx"}
_OWN = ("r1", "r2", "r13")
"""Nothing is loaded into these: stack, TOC and thread pointer.  r2 holds junk as others do."""
_LOADED = [0, *range(2, 13), *range(14, 32)]
# Bytes of the register file behind the 32 integer registers; WORDS counts words of 4 bytes.
_VECTORS, _CR, _CTR, _XER, _FIELDS, _STATE, _RED_ZONE = 256, 1280, 1288, 1296, 1304, 1312, 1320
WORDS = 384
_RED_ZONE_OFFSETS = {29: -8, 30: -288, 31: -512}
"""Registers that are stored below the stack pointer, and where: the two ABIs' zones end there."""
_FRAME = 1024
_KEPT_VECTORS = (*range(14, 32), *range(52, 64))


def word(register: str) -> int:
    """Return where matrix.c finds a register."""
    number = int(register[1:])
    return _VECTORS // 4 + 4 * number if register[0] == "f" else 2 * number


def cases() -> list[Case]:
    """Return a case for each name of the glue."""
    found = []
    for kind in ("ld", "st"):
        for letter, size in SIZES.items():
            for flags in POWERPC_ACCESS_FLAGS:
                for carrier in CARRIERS:
                    values = ["", *(one for one in _values(size) if one != carrier)]
                    values = values[:1] if kind == "ld" and "l" in flags else values
                    found += [_case(kind + letter, size, one, carrier, flags) for one in values]
        for letter, size in SIZES.items():
            for carrier in CARRIERS[1:]:
                values = ["", *(one for one in _values(size) if one in _SOME_VALUES)]
                found += [_framed(kind + letter, size, one, carrier, False) for one in values]
                if kind == "ld":
                    found += [
                        _framed("ld" + letter, size, one, carrier, True) for one in values[1:]
                    ]
    return found + [_rare(carrier, flags) for carrier in CARRIERS for flags in POWERPC_FLAGS]


def _values(size: int) -> list[str]:
    return [f"r{n}" for n in range(32)] + ([f"f{n}" for n in range(32)] if size >= 4 else [])


def _entry(event: str, value: str, carrier: str, flags: str) -> str:
    where = "" if carrier == CARRIERS[0] else f"a{carrier[1:]}"
    return ".".join(part for part in ("inst", event, value, where, flags) if part)


def _address(carrier: str) -> tuple[str, str]:
    number = carrier[1:]
    return f"lis {number}, data@h", f"ori {number}, {number}, data@l"


def _case(event: str, size: int, value: str, carrier: str, flags: str) -> Case:
    entry = _entry(event, value, carrier, flags)
    mask = (SPECIAL if "x" in flags else 0) | (VALUED if value else 0)
    mask |= SINGLE if value.startswith("f") and size == 4 else 0
    mask |= BEFORE if value == "r0" else 0
    lost, at = word(carrier), word(value) if value else 0
    number = carrier[1:]
    address = _address(carrier)
    if event.startswith("ld") and value:
        load = "nop"  # the value stays what it is
        if value not in (*_OWN, "r0"):
            mnemonic = (_FLOAT_LOADS if value[0] == "f" else _LOADS)[size]
            load, mask = f"{mnemonic} {value[1:]}, 0, {number}", mask | LOADS
        site = (*address, f"access: {load}", f'bl "{entry}"')
        return Case(entry, site, size, 0, at, mask, lost)
    behind = ("mtlr 31", "access: nop") if "l" in flags else ("access: nop",)
    site = (*address, f'bl "{entry}"', *behind)
    return Case(entry, site, size, int(event.startswith("st")), at, mask, lost)


_SOME_VALUES = ("r0", "r1", "r2", "r3", "r5", "r11", "r12", "r31", "f0", "f13")


def _framed(event: str, size: int, value: str, carrier: str, within: bool) -> Case:
    """Return a case of a site that has saved lr and the carrier in a frame."""
    to, kind = carrier[1:], "w" if within else "f"
    entry = f"{_entry(event, value, carrier, '')}.{kind}"
    mask = SPECIAL | (VALUED if value else 0)
    mask |= SINGLE if value.startswith("f") and size == 4 else 0
    ready = (
        *("stdu 1, -640(1)", f"std {to}, 112(1)", f"mflr {to}", f"std {to}, 120(1)"),
        *_address(carrier),
    )
    restore = (f"ld {to}, 120(1)", f"mtlr {to}", f"ld {to}, 112(1)", "addi 1, 1, 640")
    call, access = f'bl "{entry}"', "access: nop"
    site = (*ready, call, *restore, access)
    if event.startswith("ld") and value:
        site = (*((*ready, access) if within else (access, *ready)), call, *restore)
    at = word(value) if value else 0
    return Case(entry, site, size, int(event.startswith("st")), at, mask)


def _rare(carrier: str, flags: str) -> Case:
    entry = _entry("rare", "", carrier, flags)
    site = (*_address(carrier), f'bl "{entry}"', "access: std 25, -600(1)")
    mask = VALUED | (SPECIAL if flags else 0)
    return Case(entry, site, 8, 1, word("r25"), mask, word(carrier))


def _point_at(symbol: str) -> list[str]:
    return [f"\tlis 31, {symbol}@h", f"\tori 31, 31, {symbol}@l"]


def _loader() -> list[str]:
    """Return the function that puts the register file into the registers."""
    lines = ["load_all:", *_point_at("before"), f"\tlfd 0, {_STATE}(31)", "\tmtfsf 0xff, 0"]
    for instruction, at in (("mtcr", _CR), ("mtctr", _CTR), ("mtxer", _XER)):
        lines += [f"\tld 0, {at}(31)", f"\t{instruction} 0"]
    for number in range(64):
        lines += [f"\taddi 30, 31, {_VECTORS + 16 * number}", f"\tlxvd2x {number}, 0, 30"]
    lines += [f"\tld {n}, {8 * n}(31)" for n in _LOADED]
    return [*lines, *(f"\tstd {n}, {at}(1)" for n, at in _RED_ZONE_OFFSETS.items()), "\tblr"]


def _storer() -> list[str]:
    """Return the function that makes the other register file of what registers hold."""
    lines = ["store_all:", "\tstd 31, 32(1)", *_point_at("after")]
    lines += [f"\tstd {n}, {8 * n}(31)" for n in range(31)]
    lines += ["\tld 30, 32(1)", f"\tstd 30, {8 * 31}(31)"]
    for number in range(64):
        lines += [f"\taddi 30, 31, {_VECTORS + 16 * number}", f"\tstxvd2x {number}, 0, 30"]
    for instruction, at in (("mfcr", _CR), ("mfctr", _CTR), ("mfxer", _XER)):
        lines += [f"\t{instruction} 30", f"\tstd 30, {at}(31)"]
    lines += [f"\tld 30, {_CR}(31)", "\trlwinm 30, 30, 0, 4, 19", f"\tstd 30, {_FIELDS}(31)"]
    lines += ["\tmffs 0", f"\tstfd 0, {_STATE}(31)"]
    for place, at in enumerate(_RED_ZONE_OFFSETS.values()):
        lines += [f"\tld 30, {at}(1)", f"\tstd 30, {_RED_ZONE + 8 * place}(31)"]
    return [*lines, "\tblr"]


def _keeping(vector: str, general: str) -> list[str]:
    """Return what saves a caller's registers in a case's frame, or gives them back."""
    lines = []
    for place, number in enumerate(_KEPT_VECTORS):
        lines += [f"\taddi 11, 1, {320 + 16 * place}", f"\t{vector} {number}, 0, 11"]
    return lines + [f"\t{general} {n}, {48 + 8 * n}(1)" for n in (2, *range(14, 32))]


def _described(descriptors: bool) -> Callable[[int], list[str]]:
    """Return how a case begins: under ELFv1 its name is that of a descriptor."""

    def begin(number: int) -> list[str]:
        if not descriptors:
            return [f"case{number}:"]
        descriptor = f"case{number}: .quad .Lcase{number}, .TOC.@tocbase, 0"
        return ['\t.section .opd,"aw"', "\t.balign 8", descriptor, "\t.text", f".Lcase{number}:"]

    return begin


def assembly(wanted: list[Case], descriptors: bool) -> str:
    """Return the assembly file with all cases."""
    begin = _described(descriptors)
    lines = ["\t.machine power8", *([] if descriptors else ["\t.abiversion 2"]), "\t.text"]
    lines += [*_loader(), *_storer(), "save_all:", *_keeping("stxvd2x", "std"), "\tblr"]
    lines += ["restore_all:", *_keeping("lxvd2x", "ld"), "\tblr"]
    for number, case in enumerate(wanted):
        lines += [*begin(number), "\tmflr 0", "\tstd 0, 16(1)", "\tmfcr 0", "\tstd 0, 8(1)"]
        lines += [f"\tstdu 1, -{_FRAME}(1)", "\tbl save_all", "\tbl load_all"]
        lines += [f"\t{line}".replace("access:", f"access{number}:") for line in case.site]
        lines += ["\tbl store_all", "\tbl restore_all", f"\taddi 1, 1, {_FRAME}"]
        lines += ["\tld 0, 8(1)", "\tmtcr 0", "\tld 0, 16(1)", "\tmtlr 0", "\tblr"]
    whole = [*(8 * n for n in _LOADED if n), _FIELDS, *(_RED_ZONE + 8 * n for n in range(3))]
    promised = {at // 4 + half for at in whole for half in (0, 1)}
    promised |= set(range(_VECTORS // 4, _VECTORS // 4 + 256))
    special = {at // 4 + half for at in (_CR, _CTR, _XER) for half in (0, 1)}
    return "\n".join([*lines, *tables(wanted, promised, special, WORDS, WORDS, ".quad")]) + "\n"
