"""Instruction words as text: capstone, and what capstone does not know."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from inst.words import decode, powerpc, sparc
from inst.words.access import READ, WRITE, Access

CACHE = 1 << 16
"""Distinct (word, pc) pairs remembered: a loop's body is decoded once."""


def disassembler(arch: str, remembered: int = CACHE) -> Callable[[int, int], str]:
    """Return a function from (word, pc) to text for a producer's architecture word.

    So many results are `remembered`. Words that nothing decodes come out as `.word 0x...`.
    """
    import capstone

    powerpc, spe = decode.family(arch) == "powerpc", decode.has_spe(arch)
    engines = [
        capstone.Cs(machine, mode | capstone.CS_MODE_BIG_ENDIAN)
        for machine, mode in _modes(capstone, arch.lower(), powerpc)
    ]

    @lru_cache(maxsize=remembered)
    def text(word: int, pc: int) -> str:
        data = word.to_bytes(4, "big")
        if spe and word >> 26 == 4:  # capstone decodes these as AltiVec's
            return spe_text(word) or f".word 0x{word:08x}"
        for engine in engines:
            for _, _, mnemonic, operands in engine.disasm_lite(data, pc):
                return f"{mnemonic} {operands}".rstrip()
        fallback = None if powerpc else sparc_memory_text(word)
        return fallback or f".word 0x{word:08x}"

    return text


def _modes(capstone: Any, arch: str, powerpc: bool) -> list[tuple[int, int]]:
    """Return the decoders to try, the likelier first."""
    if powerpc:
        wide = capstone.CS_MODE_64 if "64" in arch else capstone.CS_MODE_32
        return [(capstone.CS_ARCH_PPC, wide)]
    versions = [0, capstone.CS_MODE_V9]
    if "8" not in arch:  # an old SPARC trace does not say: it is V9
        versions.reverse()
    return [(capstone.CS_ARCH_SPARC, version) for version in versions]


def spe_text(word: int) -> str:
    """Return a load or store of SPE from its fields; "" for any other word."""
    access = powerpc.access_of(word, has_spe=True)
    if access is None or access.value != "wide":
        return ""
    value, base, last = (word >> shift & 31 for shift in (21, 16, 11))
    if word & 1:
        return f"{access.mnemonic} r{value}, {access.size * last:#x}(r{base})"
    return f"{access.mnemonic} r{value}, r{base}, r{last}"


def _register(number: int) -> str:
    if number in (14, 30):
        return "%sp" if number == 14 else "%fp"
    return "%" + "goli"[number >> 3] + str(number & 7)


def _sparc_address(word: int) -> str:
    base = _register(word >> 14 & 0x1F)
    if not word & 0x2000:
        index = word & 0x1F
        return f"[{base}+{_register(index)}]" if index else f"[{base}]"
    offset = (word & 0x1FFF) - ((word & 0x1000) << 1)
    if offset == 0:
        return f"[{base}]"
    return f"[{base}{'-' if offset < 0 else '+'}{abs(offset):#x}]"


def sparc_memory_text(word: int) -> str:
    """Return a SPARC load or store from its fields; "" for any other word."""
    access = sparc.access_of(word)
    if access is None:
        return ""
    opcode, number = word >> 19 & 0x3F, word >> 25 & 0x1F
    if opcode in (0x31, 0x35):
        return _misaligned_text(access, word, number)
    spelling = _SPELLING.get(access.mnemonic, access.mnemonic)
    address = _sparc_address(word)
    if opcode & 0x10:
        address += " %asi" if word & 0x2000 else f" {word >> 5 & 0xFF:#x}"
    register = _data_register(access, opcode, number)
    if opcode in (0x3C, 0x3E):  # compare and swap: the index field is a plain operand
        base = f"[{_register(word >> 14 & 0x1F)}]"
        space = " %asi" if word & 0x2000 else f" {word >> 5 & 0xFF:#x}"
        return f"{spelling} {base}{space}, {_register(word & 0x1F)}, {register}"
    if access.what == WRITE:
        return f"{spelling} {register}, {address}"
    return f"{spelling} {address}, {register}"


def _misaligned_text(access: Access, word: int, number: int) -> str:
    """Return one of M8's loads and stores at any address; their displacement has ten bits."""
    register = _register(number)
    if access.mnemonic.endswith(("fs", "fd")):
        wide = access.mnemonic.endswith("fd")
        register = f"%f{number & 0x1E | (number & 1) << 5}" if wide else f"%f{number}"
    name, address = access.mnemonic, f"[{_register(word >> 14 & 0x1F)}]"
    if word & 0x2000:
        offset = (word & 0x3FF) - ((word & 0x200) << 1)
        address = f"{address[:-1]}{offset:+#x}]" if offset else address
    else:
        index = word & 0x1F
        address = f"{address[:-1]}+{_register(index)}]" if index else address
        if word & 0x200:
            name, address = name + "a", address + " %asi"
    return (
        f"{name} {address}, {register}"
        if access.what == READ
        else (f"{name} {register}, {address}")
    )


_SPELLING = {
    "lduw": "ld", "stw": "st", "lduwa": "lda", "stwa": "sta", "ldf": "ld", "stf": "st",
    "lddf": "ldd", "stdf": "std", "ldqf": "ldq", "stqf": "stq", "ldfa": "lda", "stfa": "sta",
    "lddfa": "ldda", "stdfa": "stda", "ldqfa": "ldqa", "stqfa": "stqa",
    "ldfsr": "ld", "stfsr": "st",
}  # fmt: skip


def _data_register(access: Access, opcode: int, number: int) -> str:
    if access.mnemonic in ("ldfsr", "stfsr"):
        return "%fsr"
    if opcode & 0x20 == 0 or opcode >= 0x3C:
        return _register(number)
    if access.size <= 4 and "d" not in access.mnemonic[2:]:
        return f"%f{number}"
    return f"%f{number & 0x1E | (number & 1) << 5}"
