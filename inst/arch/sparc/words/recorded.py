"""What readers of recordings take from SPARC's words.

Source: The SPARC Architecture Manual, Version 9, section 6.2 (formats 2 and 3).
"""

from __future__ import annotations

import numpy as np

from inst.arch.sparc.sites import OPERATIONS, SEGMENTS, SITES, access_word, register_number
from inst.arch.sparc.words import accesses
from inst.words.access import Array
from inst.words.model import KeptLink, Recorded, signed

_IMMEDIATE = 0x2000
_OR, _SETHI = 0x80102000, 0x01000000
"""`or rs1, number, rd` and `sethi`, without registers and numbers."""
_AFTER = 4
"""`or`, `add`, and two stores: of the block's name, and maybe of the new cursor."""
_CALL, _CALL_BY_REGISTER, _UNIMP = 1, 0x9FC00000, 0
"""The field op of `call`, `jmpl` that leaves its address in %o7, and `unimp`."""
_RETL, _ADD_LINK = 0x81C3E008, 0x8003C000
"""`retl`; `add %o7,rd,rd` without the numbers of rd."""
_WITHOUT_TARGET = 0xC1FFE000
"""The bits of an access that say neither which register nor how far from the base."""
_MOVE_LINK = 0x8010000F
"""`mov %o7,rd` without rd."""
_SAVE, _SAVE_INTO = 0x81E00000, 0xFFF80000
"""`save` without its registers and number, and the bits that say that and rd."""
_SKIP = 0x20800002
"""`bn,a .+8`."""


def _displacements(words: Array) -> Array:
    return np.where(words & _IMMEDIATE != 0, signed(words, 13), 0)


def _reserves(words: Array, name: int, _size: int) -> int:
    high = (words & 0xC1FFFFFF) == (_SETHI | name >> 10)
    low = (words & 0xC1F83FFF) == (_OR | name & 0x3FF)
    found = np.flatnonzero(low & np.logical_or.accumulate(high))
    if not len(found) or found[0] + _AFTER > len(words):
        return 0
    moves, keeps = words[int(found[0]) + 1], words[int(found[0]) + _AFTER - 1]
    stores = keeps >> 30 == 3 and accesses.target(keeps) == accesses.target(moves)
    return int(found[0]) + _AFTER - (not stores)


def _restores(words: Array) -> Array:
    """Return ldx for stx, op3 of which is 3 less, and loads for others, op3 of which is 4 less.

    In alternate spaces it is 16 more.
    """
    op3 = accesses.op3(words)
    return np.asarray(words - (np.where(op3 & 0x2F == OPERATIONS["stx"], 3, 4) << 19))


def _thread_word(word: int, bits: int) -> int | None:
    segment = SEGMENTS[bits]
    load = access_word(segment.load, base=segment.thread)
    return accesses.immediate(word) if word & _WITHOUT_TARGET == load else None


def _read_as_data(words: Array) -> Array:
    """Return which words are `unimp` after the slot of a call."""
    is_call = (words >> 30 == _CALL) | (words & 0xFFF80000 == _CALL_BY_REGISTER)
    found = words & 0xFFC00000 == _UNIMP
    found[2:] &= is_call[:-2]
    found[:2] = False
    return np.asarray(found)


def _takes_frame(words: Array) -> Array:
    """Return which words are `save` into %sp, with a register or as many bytes as no callee has."""
    least = min(site.least for site in SITES.values())
    is_save = words & _SAVE_INTO == _SAVE | register_number("o6") << 25
    return np.asarray(is_save & ((words & _IMMEDIATE == 0) | (signed(words, 13) < -least)))


def _reads_place(words: Array) -> tuple[Array, Array]:
    """Return which words __sparc_get_pc_thunk.l7 and its kin consist of, and which are last."""
    register = accesses.target(words)
    adds = words == _ADD_LINK | register << 25 | register
    return words == _RETL, np.asarray(adds)


def _kept_links() -> dict[int, KeptLink]:
    """Return where sites of either width keep %o7."""
    narrow, wide = SITES["v8"], SITES["v9"]
    register = narrow.kept_value
    return {
        _MOVE_LINK | register_number(register) << 25: KeptLink(register),
        access_word(wide.store, "o7", "o6", wide.kept_at): KeptLink("o6", wide.kept_at, wide.frame),
    }


RECORDED = Recorded(
    displacements=_displacements,
    reserves=_reserves,
    restores=_restores,
    thread_word=_thread_word,
    thread_pointers={bits: segment.thread for bits, segment in SEGMENTS.items()},
    read_as_data=_read_as_data,
    saves_registers=_reads_place,
    takes_frame=_takes_frame,
    skips=_SKIP,
    kept_links=_kept_links(),
    nop=0x01000000,
)
