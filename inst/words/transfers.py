"""Transfers of control, from instruction words: whole columns at once, both instruction sets.

The one place that knows which words branch, call, return or leave the program, and where to.
Sources: The SPARC Architecture Manual, Version 9, appendix A (Bicc, BPcc, BPr, FBfcc, CALL, JMPL,
RETURN, Tcc, DONE) and Version 8, appendix B; Power ISA 3.0B, Book I, section 2.4 (branches), and
Book III (sc, rfi and the other returns from interrupts).
"""

from __future__ import annotations

import numpy as np

from inst.words.access import Array
from inst.words.model import Transfers


def may_branch(word: int) -> bool:
    """Return whether a PowerPC word is one of the primary opcodes of branches."""
    return word >> 26 in (16, 18, 19)


def are_system_calls(words: Array) -> Array:
    """Return which PowerPC words are system calls."""
    return np.asarray(words >> 26 == 17)


def _signed(field: Array, bits: int) -> Array:
    field = field & (1 << bits) - 1
    return field - ((field >> (bits - 1)) << bits)


def _reach(addresses: Array, base: Array, displacement: Array) -> Array:
    """Return targets; those of code below 4 GiB have 32 bits and wrap there."""
    target = base + displacement.astype("i8").view("u8")
    low = target & np.uint64(0xFFFFFFFF)
    return np.asarray(np.where(addresses >> np.uint64(32) == 0, low, target))


_FLUSH, _PREFETCHES = 0x3B, (0x2D, 0x3D)
"""op3 of words with an address but no access: flush; under op 3 prefetch and prefetcha."""
_SPARC_DISPLACEMENT = {1: 19, 2: 22, 5: 19, 6: 22, 7: 22}
"""op2 of format 2 -> bits of the displacement: BPcc, Bicc, FBPfcc, FBfcc, CBccc. BPr (3) has its
16 bits in two parts."""
_ALWAYS, _NEVER = 8, 0
"""Condition fields."""
_JMPL, _RETURN, _TRAP, _DONE = 0x38, 0x39, 0x3A, 0x3E
"""op3 of format 3: jmpl, return (V8: rett), Tcc, done and retry."""


def sparc(word: Array, address: Array) -> Transfers:
    op, op2, op3 = word >> 30, word >> 22 & 7, word >> 19 & 0x3F
    call = op == 1
    by_value = (op == 0) & (op2 == 3)
    compares = by_value & (word >> 28 & 1 != 0)
    on_register = by_value & ~compares
    displacement = np.where(call, _signed(word, 30), 0)
    split = word >> 6 & 0xC000 | word & 0x3FFF
    displacement = np.where(on_register, _signed(split, 16), displacement)
    on_codes = np.zeros(len(word), bool)
    for code, bits in _SPARC_DISPLACEMENT.items():
        found = (op == 0) & (op2 == code)
        displacement = np.where(found, _signed(word, bits), displacement)
        on_codes |= found
    condition = word >> 25 & 0xF
    jump, back = (op == 2) & (op3 == _JMPL), (op == 2) & (op3 == _RETURN)
    link, source = word >> 25 & 31, word >> 14 & 31
    by_number = word & 0x2000 != 0
    returning = jump & (link == 0) & ((source == 31) | (source == 15)) & by_number
    branch = on_codes | on_register
    return Transfers(
        is_transfer=branch | call | jump | back,
        is_direct=branch | call,
        is_conditional=on_register | (on_codes & (condition != _ALWAYS) & (condition != _NEVER)),
        is_never=on_codes & (condition == _NEVER),
        is_call=call | (jump & (link == 15)),
        is_return=returning | back,
        annuls=branch & (word >> 29 & 1 != 0),
        leaves=compares | (op == 2) & ((op3 == _TRAP) | (op3 == _DONE)),
        target=np.where(branch | call, _reach(address, address, displacement * 4), np.uint64(0)),
    )


_ADDRESSED = (54, 86, 246, 278, 470, 758, 982)
"""Extended opcodes under 31 of words with an address but no access: dcbst, dcbf, dcbtst, dcbt,
dcbi, dcba, icbi."""
_BY_REGISTER = (16, 528, 560)
"""Extended opcodes under 19: bclr, bcctr, bctar."""
_FROM_INTERRUPT = (18, 38, 39, 50, 51, 82, 146, 274, 402)
"""Extended opcodes under 19: rfid, rfmci, rfdi, rfi, rfci, rfscv, rfebb, hrfid, doze."""
_TO_THE_NEXT = 0x429F0005
"""`bcl 20,31,.+4`: how a program reads its own address."""
_UNCONDITIONAL = 0x14
"""Bits of BO that make a branch depend on neither a condition nor ctr."""


def powerpc(word: Array, address: Array) -> Transfers:
    primary, extended, options = word >> 26, word >> 1 & 0x3FF, word >> 21 & 31
    long, short = primary == 18, primary == 16
    register = (primary == 19) & np.isin(extended, _BY_REGISTER)
    displacement = np.where(long, _signed(word & 0x3FFFFFC, 26), _signed(word & 0xFFFC, 16))
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
        leaves=(primary == 17) | ((primary == 19) & np.isin(extended, _FROM_INTERRUPT)),
        target=np.where(long | short, _reach(address, base, displacement), np.uint64(0)),
    )


def powerpc_addresses(words: Array) -> Array:
    """Return which words have a target, or an address although they access no memory."""
    hint = (words >> 26 == 31) & np.isin(words >> 1 & 0x3FF, _ADDRESSED)
    return np.asarray(np.isin(words >> 26, (16, 17, 18, 19)) | hint)


def sparc_addresses(words: Array) -> Array:
    """Return which words have a target, or an address although they access no memory."""
    op, op2, op3 = words >> 30, words >> 22 & 7, words >> 19 & 0x3F
    branch = (op == 0) & (op2 != 4) & (op2 != 0)
    jump = (op == 2) & np.isin(op3, (_JMPL, _RETURN, _TRAP, _FLUSH, _DONE))
    return np.asarray(branch | (op == 1) | jump | (op == 3) & np.isin(op3, _PREFETCHES))
