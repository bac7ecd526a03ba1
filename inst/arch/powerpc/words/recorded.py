"""What readers of recordings take from PowerPC's words.

Sources: Power ISA 3.1, book I, section 1.6.1 (D, DS, DQ and X forms); SPEPEM, chapter 5 (a count of
units of the access's size).
"""

from __future__ import annotations

import numpy as np

from inst.arch.powerpc.sites import SEGMENTS, WORDS
from inst.arch.powerpc.words import accesses
from inst.words.access import Array
from inst.words.model import Recorded, signed

_LIS, _ORI = accesses.LIS << 26, 24 << 26
_STORES = [WORDS[one.store] >> 26 for one in SEGMENTS.values()]
"""Operations: after `ori` and the store of the block's name, which moves the pointer, may come the
store of the new cursor."""
_UPDATES = [WORDS[one.update] for one in SEGMENTS.values()]
_KEPT = [int(one.kept[1:]) for one in SEGMENTS.values()]
"""Registers in which code keeps the pointer."""
_WITHOUT_REGISTERS = 0xFC00FFFF
MTLR_0, MFLR_0 = 0x7C0803A6, 0x7C0802A6
_STACK_FROM_11, _BLR = 0x7D615B78, 0x4E800020
_LI_R12, _STVX_R12, _LVX_R12 = 0x3980, 0x7C0C01CE, 0x7C0C00CE
_MASKS = {0: 0xFFFF, 2: 0xFFFC, 3: 0xFFF0, 4: 0xFFF0}
"""Low bits that belong to the operation -> the bits of the displacement: D, DS, DQ, DQ."""


def _masks() -> Array:
    """Return for each key of a word without an extended opcode the bits of its displacement."""
    found = np.zeros(accesses.KEYS, "i8")
    for code in accesses.ROWS:
        _, colon, low = code.partition(":")
        if code[0] != "P" and "/" not in code:
            for key in accesses.keys(code):
                found[key] = _MASKS[len(low) if colon else 0]
    return found


_OF_KEY = _masks()


def _displacements(words: Array) -> Array:
    plain = signed(words & _OF_KEY[accesses.keys_of(words)], 16)
    spe = (words >> 26 == accesses.SPE_OPCODE) & (words & 1 != 0)
    if not spe.any():
        return plain
    _, sizes = accesses.lookup(words.astype("u4"), has_spe=True)
    return np.where(spe, accesses.second(words) * sizes.astype("i8"), plain)


_ALIGNED = {16: (103, 359, 231, 487), 4: (71, 199), 2: (39, 167)}
"""Extended opcodes of lvx, lvxl, stvx, stvxl; lvewx, stvewx; lvehx, stvehx, by the bytes of which
their addresses are multiples."""


def _aligned(words: Array) -> Array:
    found, extended = np.ones_like(words), np.where(words >> 26 == 31, words >> 1 & 0x3FF, 0)
    for size, opcodes in _ALIGNED.items():
        found[np.isin(extended, opcodes)] = size
    return found


def _reserves(words: Array, name: int, size: int) -> int:
    moves = np.flatnonzero(_moves_kept(words, size))
    return _reserves_by_name(words, name) or (int(moves[0]) + 1 if len(moves) else 0)


def _moves_kept(words: Array, size: int) -> Array:
    """Return which words move the pointer by so many bytes where it is kept: its name may be made
    in several ways."""
    moves = np.isin(words & _WITHOUT_REGISTERS, [word | size for word in _UPDATES])
    return np.asarray(moves & np.isin(accesses.base(words), _KEPT))


def _reserves_by_name(words: Array, name: int) -> int:
    high = (words & 0xFC1FFFFF) == (_LIS | name >> 16)
    low = (words & 0xFC00FFFF) == (_ORI | name & 0xFFFF)
    found = np.flatnonzero(low & np.logical_or.accumulate(high))
    if not len(found) or found[0] + 3 > len(words):
        return 0
    named = int(found[0])
    moves, keeps = words[named + 1 : named + 3]
    stores = keeps >> 26 in _STORES and accesses.target(keeps) == accesses.base(moves)
    return named + 2 + bool(stores)


def _restores(words: Array) -> Array:
    """Return lwz for stw, ld for std, lfd for stfd: operations of which each is 4 less."""
    return np.asarray(words - (4 << 26))


def _restored_by_linker(words: Array) -> Array:
    """Return which words load the TOC pointer from where linkage code saved it.

    It is 24 bytes above the stack pointer, by the first ABI 40 (OpenPOWER ELF V2 ABI 1.5, section
    2.3.6; 64-bit PowerPC ELF ABI 1.9, section 3.5.11).
    """
    return np.isin(words, (0xE8410018, 0xE8410028))


def _loads_bytes(words: Array) -> Array:
    """Return which words are lswi and lswx."""
    return np.isin(words & 0xFC0007FE, (31 << 26 | 597 << 1, 31 << 26 | 533 << 1))


def _saves_registers(words: Array) -> tuple[Array, Array]:
    """Return which words _savegpr_14, _restfpr_14_x, _savevr_20 and their kin consist of.

    They load and store registers at displacements from r1, r11 and r12, vector registers by numbers
    in r12, and may move the stack and the link register (64-bit PowerPC ELF ABI 1.9, section 3.4.1,
    "Register saving functions").
    """
    opcodes, base = words >> 26, accesses.base(words)
    moves = np.isin(opcodes, (32, 36, 50, 54, 58, 62)) & np.isin(base, (1, 11, 12))
    moves |= (words >> 16 == _LI_R12) | np.isin(words & 0xFC1FFFFF, (_STVX_R12, _LVX_R12))
    moves |= np.isin(words, (MTLR_0, MFLR_0, _STACK_FROM_11))
    return moves, words == _BLR


def _thread_word(word: int, bits: int) -> int | None:
    segment = SEGMENTS[bits]
    load = WORDS[segment.load] | int(segment.thread[1:]) << 16
    if word & (0xFC1F0000 | segment.form) != load:
        return None
    return (word & 0xFFFF ^ 0x8000) - 0x8000


_OPEN = (491, 459, 489, 457, 779, 267, 777, 265, 339, 371, 755)
"""Extended opcodes of divw, divwu, divd, divdu, modsw, moduw, modsd, modud, mfspr, mftb, darn."""


def _left_open(words: Array) -> Array:
    """Return the targets of these, and of lwz and ld, which may load a function's address."""
    is_open = (words >> 26 == 31) & (words & 1 == 0) & np.isin(words >> 1 & 0x3FF, _OPEN)
    is_open |= (words >> 26 == 32) | ((words >> 26 == 58) & (words & 3 == 0))
    return np.where(is_open, accesses.target(words), -1)


def _stored(words: Array) -> Array:
    is_store = np.isin(words >> 26, [*_STORES, *(word >> 26 for word in _UPDATES)])
    return np.where(is_store, accesses.target(words), -1)


def _may_change(words: Array, register: int) -> Array:
    return np.asarray((accesses.target(words) == register) | (accesses.base(words) == register))


RECORDED = Recorded(
    displacements=_displacements,
    reserves=_reserves,
    aligned=_aligned,
    restores=_restores,
    restored_by_linker=_restored_by_linker,
    loads_bytes=_loads_bytes,
    saves_registers=_saves_registers,
    thread_word=_thread_word,
    thread_pointers={bits: segment.thread for bits, segment in SEGMENTS.items()},
    nop=0x60000000,
    left_open=_left_open,
    may_change=_may_change,
    stored=_stored,
)
