"""The memory instructions of SPARC: the one table, read here and rendered to C for the runtimes.

Sources: The SPARC Architecture Manual, Versions 8 and 9 (appendices F and E: op3 of format 3), and
Oracle SPARC Architecture 2015 for block and short spaces and the loads and stores at any address.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.arch.sparc.tables.wide_spaces import BLOCK, BLOCKS, SHORT, TWINS
from inst.words.access import Access, Array, Words, read_rows

ALTERNATE = 0x10
"""What is added to op3 of _INTEGER for alternate spaces."""
# op3 in hexadecimal.
_INTEGER = """
00 lduw R4   01 ldub R1   02 lduh R2   03 ldd R8    04 stw W4    05 stb W1   06 sth W2
07 std W8    08 ldsw R4s  09 ldsb R1s  0a ldsh R2s  0b ldx R8    0d ldstub B1
0e stx W8    0f swap B4"""
_OTHERS = "3c casa B4  3e casxa B8  31 ldm R4  35 stm W4"
_FLOAT = """
20 ldf R4    22 ldqf R16  23 lddf R8   24 stf W4    26 stqf W16  27 stdf W8  30 ldfa R4
32 ldqfa R16 33 lddfa R8  34 stfa W4   36 stqfa W16 37 stdfa W8  21 ldfsr R4 25 stfsr W4"""

# M8's loads and stores at any address, by the opm field.
_ANY_ADDRESS = dict(read_rows("0 sh R2s 1 uh R2 2 sw R4s 3 uw R4 5 x R8 6 fs R4 7 fd R8"))
_STORES_ANYWHERE = dict(read_rows("1 h W2 3 w W4 5 x W8 6 fs W4 7 fd W8"))


def _rows() -> dict[int, Access]:
    plain = dict(read_rows(_INTEGER))
    others = dict(read_rows(_OTHERS)) | dict(read_rows(_FLOAT, "float"))
    alternate = {
        int(code, 16) + ALTERNATE: replace(access, mnemonic=access.mnemonic + "a")
        for code, access in plain.items()
    }
    return {int(code, 16): access for code, access in (plain | others).items()} | alternate


ROWS = _rows()
"""op3 -> access, under op 3."""
_BY_FIELDS = frozenset({"ldfsr", "stfsr", "lddfa", "stdfa", "ldda", "ldm", "stm"})
"""Accesses whose size another field of the word decides."""


SAVE, RESTORE, RETURN = 0x3C, 0x3D, 0x39
"""op3 of the instructions that change the window, under op 2."""
TRAP_ALWAYS = 0x91D02000
"""`ta 0`, to which a number is added."""
FLUSHES = (TRAP_ALWAYS | 3, 0x81580000)
"""`ta 3` and `flushw`."""


def op3(word: Words) -> Words:
    """Return the operation of a word of format 3."""
    return word >> 19 & 0x3F


def target(word: Words) -> Words:
    """Return the number of the register that is loaded, stored or computed (rd)."""
    return word >> 25 & 31


def base(word: Words) -> Words:
    """Return the number of the first register of an address or sum (rs1)."""
    return word >> 14 & 31


def immediate(word: int) -> int | None:
    """Return the number that a word of format 3 adds to the base; None if a register is added."""
    return (word & 0x1FFF) - ((word & 0x1000) << 1) if word & 0x2000 else None


def changes_window(words: Array) -> Array:
    """Return which words save, restore or return."""
    return np.asarray((words >> 30 == 2) & np.isin(op3(words), (SAVE, RESTORE, RETURN)))


def access_of(word: int) -> Access | None:
    """Return the memory access that an instruction word makes, or None."""
    if word >> 30 != 3:
        return None
    access = ROWS.get(word >> 19 & 0x3F)
    return _by_fields(access, word) if access and access.mnemonic in _BY_FIELDS else access


def _by_fields(access: Access, word: int) -> Access | None:
    """Resolve what depends on rd (the wide state register), the address space or M8's opm field."""
    if access.mnemonic in ("ldm", "stm"):
        rows = _ANY_ADDRESS if access.mnemonic == "ldm" else _STORES_ANYWHERE
        found = rows.get(str(word >> 10 & 7))
        return replace(found, mnemonic=access.mnemonic + found.mnemonic) if found else None
    if access.mnemonic in ("ldfsr", "stfsr"):
        return replace(access, size=8) if word >> 25 & 0x1F else access
    if word & 0x2000:  # the space is in %asi
        return access
    space = word >> 5 & 0xFF
    if access.mnemonic == "ldda":
        return replace(access, size=16) if space in TWINS else access
    return replace(access, size=BLOCK if space in BLOCKS else SHORT.get(space, 8))


def _columns() -> Array:
    table = np.zeros((0x41, 2), "u1")
    for code, access in ROWS.items():
        table[code] = access.marks, access.size
    return table


_NONE = 0x40
"""The row of words that are no memory instructions."""
_COLUMNS = _columns()
_FIELDS_DECIDE = np.isin(
    np.arange(_NONE + 1), [code for code, row in ROWS.items() if row.mnemonic in _BY_FIELDS]
)


def lookup(words: Array) -> tuple[Array, Array]:
    """Return for a column of words what each accesses (bits) and how many bytes."""
    key = np.where(words >> 30 == 3, words >> 19 & 0x3F, _NONE)
    what, size = _COLUMNS[key, 0], _COLUMNS[key, 1]
    for row in np.flatnonzero(_FIELDS_DECIDE[key]):
        access = access_of(int(words[row]))
        what[row], size[row] = (access.what, access.size) if access else (0, 0)
    return what, size
