"""Which machine words access memory: the oracle's own table, checked against the emulator."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Manner(enum.IntEnum):
    """How an access shows in the emulator's log and in a trace."""

    PLAIN = 0
    PAIR = 1  # ldstub, swap: a load and a store at once; the emulator may show nothing
    COMPARE = 2  # casa: a load, and a store that may not happen; the emulator may show nothing
    CONDITIONAL = 3  # stwcx.: a store that may not happen; the emulator may show nothing
    BULK = 4  # lmw, stmw, lswi, stswi, dcbz: the emulator shows nothing
    COUNTED = 5  # lswx, stswx: as many bytes as xer says; the emulator shows nothing


@dataclass(frozen=True, slots=True)
class MemoryWord:
    """What an instruction word does to memory."""

    load: bool
    store: bool
    size: int
    """Bytes in all; 0 if known only at run time."""
    manner: Manner = Manner.PLAIN


def _load(size: int, manner: Manner = Manner.PLAIN) -> MemoryWord:
    return MemoryWord(True, False, size, manner)


def _store(size: int, manner: Manner = Manner.PLAIN) -> MemoryWord:
    return MemoryWord(False, True, size, manner)


# SPARC: the op3 field of words whose two top bits are set.
_SPARC = {
    0x00: _load(4), 0x01: _load(1), 0x02: _load(2), 0x03: _load(8), 0x08: _load(4),
    0x09: _load(1), 0x0A: _load(2), 0x0B: _load(8), 0x20: _load(4), 0x21: _load(4),
    0x22: _load(16), 0x23: _load(8), 0x04: _store(4), 0x05: _store(1), 0x06: _store(2),
    0x07: _store(8), 0x0E: _store(8), 0x24: _store(4), 0x25: _store(4), 0x26: _store(16),
    0x27: _store(8),
    0x0D: MemoryWord(True, True, 1, Manner.PAIR),
    0x0F: MemoryWord(True, True, 4, Manner.PAIR),
    0x3C: MemoryWord(True, True, 4, Manner.COMPARE),
    0x3E: MemoryWord(True, True, 8, Manner.COMPARE),
}  # fmt: skip
_SPARC |= {op3 + 0x10: word for op3, word in list(_SPARC.items()) if op3 < 0x10}
_SPARC |= {0x33: _load(8), 0x37: _store(8), 0x30: _load(4), 0x34: _store(4)}

# PowerPC: the primary opcode; pairs of it (plain, update) share a row.
_POWERPC = {
    32: _load(4), 34: _load(1), 36: _store(4), 38: _store(1), 40: _load(2), 42: _load(2),
    44: _store(2), 48: _load(4), 50: _load(8), 52: _store(4), 54: _store(8),
}  # fmt: skip
_POWERPC |= {opcode + 1: word for opcode, word in list(_POWERPC.items())}

# PowerPC opcode 31: the extended opcode.
_EXTENDED = {
    23: _load(4), 55: _load(4), 87: _load(1), 119: _load(1), 279: _load(2), 311: _load(2),
    343: _load(2), 375: _load(2), 534: _load(4), 790: _load(2), 535: _load(4), 567: _load(4),
    599: _load(8), 631: _load(8), 20: _load(4), 151: _store(4), 183: _store(4), 215: _store(1),
    247: _store(1), 407: _store(2), 439: _store(2), 662: _store(4), 918: _store(2),
    663: _store(4), 695: _store(4), 727: _store(8), 759: _store(8), 983: _store(4),
    150: _store(4, Manner.CONDITIONAL),
    1014: _store(0, Manner.BULK),
    533: _load(0, Manner.COUNTED), 661: _store(0, Manner.COUNTED),
    # 64-bit code.
    21: _load(8), 53: _load(8), 341: _load(4), 373: _load(4), 532: _load(8), 84: _load(8),
    149: _store(8), 181: _store(8), 660: _store(8), 214: _store(8, Manner.CONDITIONAL),
    52: _load(1), 116: _load(2), 694: _store(1, Manner.CONDITIONAL),
    726: _store(2, Manner.CONDITIONAL), 855: _load(4), 887: _load(4),
    # Vectors: 16 bytes are two accesses of 8.
    103: _load(16), 359: _load(16), 231: _store(16), 487: _store(16),
    7: _load(1, Manner.BULK), 39: _load(2, Manner.BULK), 71: _load(4, Manner.BULK),
    135: _store(1, Manner.BULK), 167: _store(2, Manner.BULK), 199: _store(4, Manner.BULK),
    12: _load(4), 76: _load(4), 140: _store(4), 268: _load(16), 332: _load(8), 364: _load(4),
    396: _store(16), 524: _load(4), 588: _load(8), 652: _store(4), 716: _store(8),
    780: _load(16), 812: _load(16), 844: _load(16), 876: _load(16), 908: _store(16),
    940: _store(16), 972: _store(16), 1004: _store(16), 781: _load(1), 813: _load(2),
    909: _store(1), 941: _store(2), 269: _load(0, Manner.COUNTED), 301: _load(0, Manner.COUNTED),
    397: _store(0, Manner.COUNTED), 429: _store(0, Manner.COUNTED),
}  # fmt: skip

# PowerPC: primary opcodes whose low bits say more, with how many of them.
_SHORT = {
    (57, 2): {2: _load(8), 3: _load(4)},
    (58, 2): {0: _load(8), 1: _load(8), 2: _load(4)},
    (61, 3): {1: _load(16), 5: _store(16), 2: _store(8), 6: _store(8), 3: _store(4), 7: _store(4)},
    (62, 2): {0: _store(8), 1: _store(8), 2: _store(16, Manner.BULK)},
    (56, 0): {0: _load(16, Manner.BULK)},
}
_SHORT_BITS = dict(_SHORT.keys())


# PowerPC: the primary opcode of the second of two words, where that is not the instruction's alone.
_LONGER = {
    41: _load(4), 42: _load(8), 43: _load(4), 46: _store(8), 47: _store(4), 50: _load(16),
    51: _load(16), 54: _store(16), 55: _store(16), 56: _load(16, Manner.BULK), 57: _load(8),
    58: _load(32), 60: _store(16, Manner.BULK), 61: _store(8), 62: _store(32),
}  # fmt: skip


def memory_word(isa: str, word: int) -> MemoryWord | None:
    """Return what an instruction does to memory; None if it does not touch it.

    One of two words is one number, the first word above the second.
    """
    return _sparc(word) if isa == "sparc" else _powerpc(word)


def _sparc(word: int) -> MemoryWord | None:
    return _SPARC.get(word >> 19 & 0x3F) if word >> 30 == 3 else None


def _powerpc(word: int) -> MemoryWord | None:
    if word >> 32:
        kind, opcode = word >> 55 & 7, word >> 26 & 63
        if kind == 0:
            return _LONGER.get(opcode)
        return _POWERPC.get(opcode) if kind == 4 and opcode % 2 == 0 else None
    opcode, extended = word >> 26, word >> 1 & 0x3FF
    if opcode in (46, 47):
        size = (32 - (word >> 21 & 31)) * 4
        return MemoryWord(opcode == 46, opcode == 47, size, Manner.BULK)
    if opcode == 31 and extended in (597, 725):
        size = (word >> 11 & 31) or 32
        return MemoryWord(extended == 597, extended == 725, size, Manner.BULK)
    if opcode in _SHORT_BITS:
        bits = _SHORT_BITS[opcode]
        return _SHORT[opcode, bits].get(word & (1 << bits) - 1)
    return _EXTENDED.get(extended) if opcode == 31 else _POWERPC.get(opcode)


def shape(isa: str, word: int) -> int:
    """Return an instruction word without its immediate, which differs from link to link."""
    if word >> 32:
        return (word >> 32 & ~0x3FFFF) ^ (word & 0xFFFF0000)
    if isa == "powerpc":
        return word if word >> 26 == 31 else word & ~0xFFFF
    return word & ~0x1FFF if word & 0x2000 else word
