"""How PowerPC's words transfer control.

Sources: Power ISA 3.0B, Book I, section 2.4 (branches), and Book III (sc, rfi and the other returns
from interrupts).
"""

from __future__ import annotations

import numpy as np

from inst.arch.powerpc.words import accesses
from inst.words.access import Array
from inst.words.model import Transfers, reach, signed

_SHORT, _SYSTEM_CALL, _LONG, _OTHER = 16, 17, 18, 19
"""Primary opcodes: bc, sc, b, and what the extended opcode tells."""
_BY_REGISTER = (16, 528, 560)
"""Extended opcodes under 19: bclr, bcctr, bctar."""
_FROM_INTERRUPT = (18, 38, 39, 50, 51, 82, 146, 274, 402)
"""Extended opcodes under 19: rfid, rfmci, rfdi, rfi, rfci, rfscv, rfebb, hrfid, doze."""
_TO_THE_NEXT = 0x429F0005
"""`bcl 20,31,.+4`: how a program reads its own address."""
_UNCONDITIONAL = 0x14
"""Bits of BO that make a branch depend on neither a condition nor ctr."""


def transfers(word: Array, address: Array) -> Transfers:
    """Decode how a column of words (i8) at these addresses (u8) transfers control."""
    primary, extended, options = accesses.primary(word), word >> 1 & 0x3FF, word >> 21 & 31
    if not (primary >> 2 == 4).any():  # 16 to 19
        return Transfers.none(len(word))
    long, short = primary == _LONG, primary == _SHORT
    register = (primary == _OTHER) & np.isin(extended, _BY_REGISTER)
    displacement = np.where(long, signed(word & 0x3FFFFFC, 26), signed(word & 0xFFFC, 16))
    base = np.where(word & 2 != 0, np.uint64(0), address)
    links = word & 1 != 0
    none = np.zeros(len(word), bool)
    transfer = long | short | register
    return Transfers(
        is_transfer=transfer,
        is_direct=long | short,
        is_conditional=(short | register) & (options & _UNCONDITIONAL != _UNCONDITIONAL),
        is_never=none,
        is_call=transfer & links & (word != _TO_THE_NEXT),
        is_return=register & (extended == 16) & ~links,
        annuls=none,
        leaves=are_system_calls(word) | ((primary == _OTHER) & np.isin(extended, _FROM_INTERRUPT)),
        target=np.where(long | short, reach(address, base, displacement), np.uint64(0)),
    )


def may_branch(word: int) -> bool:
    """Return whether a word has one of the primary opcodes of branches."""
    return accesses.primary(word) in (_SHORT, _LONG, _OTHER)


def are_system_calls(words: Array) -> Array:
    """Return which words are system calls."""
    return np.asarray(accesses.primary(words) == _SYSTEM_CALL)
