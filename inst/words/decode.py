"""Which memory access an instruction word makes: enough to read RST, no more.

The tables name the memory instructions of SPARC (op 3, by op3) and PowerPC (by primary
opcode, and by extended opcode under 31). `lookup` decodes whole columns of words at once.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

READ, WRITE, BOTH = 1, 2, 3
"""What an access does; BOTH reads and writes in one instruction."""


@dataclass(frozen=True, slots=True)
class Access:
    """The memory access of an instruction."""

    mnemonic: str
    what: int
    size: int
    """Bytes; of one element for `multiple`; 0 when known only at run time."""
    multiple: bool = False
    """Several elements in a row: lmw, string forms."""
    reserve: bool = False
    """Makes or uses a reservation."""


# op3: mnemonic, what, size. Alternate-space forms are 0x10 higher.
_SPARC_ROWS = """
00 lduw R 4   01 ldub R 1   02 lduh R 2   03 ldd R 8    04 stw W 4    05 stb W 1
06 sth W 2    07 std W 8    08 ldsw R 4   09 ldsb R 1   0a ldsh R 2   0b ldx R 8
0d ldstub B 1 0e stx W 8    0f swap B 4
20 ldf R 4    21 ldfsr R 4  22 ldqf R 16  23 lddf R 8   24 stf W 4    25 stfsr W 4
26 stqf W 16  27 stdf W 8   30 ldfa R 4   32 ldqfa R 16 33 lddfa R 8  34 stfa W 4
36 stqfa W 16 37 stdfa W 8  3c casa B 4   3e casxa B 8
31 ldm R 4    35 stm W 4
"""

# primary opcode: mnemonic, what, size; * for several elements.
_POWERPC_ROWS = """
32 lwz R 4    33 lwzu R 4   34 lbz R 1    35 lbzu R 1   36 stw W 4    37 stwu W 4
38 stb W 1    39 stbu W 1   40 lhz R 2    41 lhzu R 2   42 lha R 2    43 lhau R 2
44 sth W 2    45 sthu W 2   46 lmw R 4*   47 stmw W 4*  48 lfs R 4    49 lfsu R 4
50 lfd R 8    51 lfdu R 8   52 stfs W 4   53 stfsu W 4  54 stfd W 8   55 stfdu W 8
56 lq R 16
"""

# extended opcode under primary opcode 31; ! for reservations.
_POWERPC_EXTENDED_ROWS = """
20 lwarx R 4!    52 lbarx R 1!    84 ldarx R 8!    116 lharx R 2!   276 lqarx R 16!
150 stwcx. W 4!  182 stqcx. W 16! 214 stdcx. W 8!  694 stbcx. W 1!  726 sthcx. W 2!
23 lwzx R 4      55 lwzux R 4     87 lbzx R 1      119 lbzux R 1    151 stwx W 4
183 stwux W 4    215 stbx W 1     247 stbux W 1    279 lhzx R 2     311 lhzux R 2
343 lhax R 2     375 lhaux R 2    407 sthx W 2     439 sthux W 2    534 lwbrx R 4
662 stwbrx W 4   790 lhbrx R 2    918 sthbrx W 2   532 ldbrx R 8    660 stdbrx W 8
533 lswx R 1*    597 lswi R 1*    661 stswx W 1*   725 stswi W 1*   535 lfsx R 4
567 lfsux R 4    599 lfdx R 8     631 lfdux R 8    663 stfsx W 4    695 stfsux W 4
727 stfdx W 8    759 stfdux W 8   983 stfiwx W 4   855 lfiwax R 4   887 lfiwzx R 4
21 ldx R 8       53 ldux R 8      149 stdx W 8     181 stdux W 8    341 lwax R 4
373 lwaux R 4    1014 dcbz W 0    7 lvebx R 1      39 lvehx R 2     71 lvewx R 4
103 lvx R 16     359 lvxl R 16    135 stvebx W 1   167 stvehx W 2   199 stvewx W 4
231 stvx W 16    487 stvxl W 16   12 lxsiwzx R 4   76 lxsiwax R 4   140 stxsiwx W 4
524 lxsspx R 4   652 stxsspx W 4  588 lxsdx R 8    716 stxsdx W 8   332 lxvdsx R 8
780 lxvw4x R 16  908 stxvw4x W 16 844 lxvd2x R 16  972 stxvd2x W 16
"""

_DOUBLE_FORMS = {  # primary opcode, low two bits
    (58, 0): ("ld", READ, 8),
    (58, 1): ("ldu", READ, 8),
    (58, 2): ("lwa", READ, 4),
    (62, 0): ("std", WRITE, 8),
    (62, 1): ("stdu", WRITE, 8),
    (62, 2): ("stq", WRITE, 16),
}

# SPE's, by the eleven low bits under primary opcode 4; the odd ones have a displacement.
_SPE_ROWS = """
768 evlddx R 8         769 evldd R 8          770 evldwx R 8        771 evldw R 8
772 evldhx R 8         773 evldh R 8          776 evlhhesplatx R 2  777 evlhhesplat R 2
780 evlhhousplatx R 2  781 evlhhousplat R 2   782 evlhhossplatx R 2 783 evlhhossplat R 2
784 evlwhex R 4        785 evlwhe R 4         788 evlwhoux R 4      789 evlwhou R 4
790 evlwhosx R 4       791 evlwhos R 4        792 evlwwsplatx R 4   793 evlwwsplat R 4
796 evlwhsplatx R 4    797 evlwhsplat R 4     800 evstddx W 8       801 evstdd W 8
802 evstdwx W 8        803 evstdw W 8         804 evstdhx W 8       805 evstdh W 8
816 evstwhex W 4       817 evstwhe W 4        820 evstwhox W 4      821 evstwho W 4
824 evstwwex W 4       825 evstwwe W 4        828 evstwwox W 4      829 evstwwo W 4
"""

_BLOCK_ASIS = frozenset({0x16, 0x17, 0x1E, 0x1F, 0xE0, 0xE1, 0xF0, 0xF1, 0xF8, 0xF9})
"""Alternate spaces whose lddfa and stdfa move 64 bytes."""
_SHORT_ASIS = {0xD0: 1, 0xD1: 1, 0xD8: 1, 0xD9: 1, 0xD2: 2, 0xD3: 2, 0xDA: 2, 0xDB: 2}
"""... and those that move one or two."""


def _rows(text: str, base: int) -> dict[int, Access]:
    words = text.split()
    table = {}
    for code, mnemonic, what, size in zip(*[iter(words)] * 4, strict=True):
        table[int(code, base)] = Access(
            mnemonic,
            {"R": READ, "W": WRITE, "B": BOTH}[what],
            int(size.rstrip("*!")),
            size.endswith("*"),
            size.endswith("!"),
        )
    return table


def _sparc() -> dict[int, Access]:
    plain = _rows(_SPARC_ROWS, 16)
    alternate = {
        code + 0x10: Access(access.mnemonic + "a", access.what, access.size)
        for code, access in plain.items()
        if code < 0x10
    }
    return plain | alternate


SPARC = _sparc()
POWERPC = _rows(_POWERPC_ROWS, 10)
POWERPC_EXTENDED = _rows(_POWERPC_EXTENDED_ROWS, 10)
SPE = _rows(_SPE_ROWS, 10)
"""Their words are AltiVec's on processors with that: a producer's word `ppcspe` marks SPE's."""


def family(arch: str) -> str:
    """Return "powerpc" or "sparc" for a producer's word; RST comes from SPARC."""
    return "powerpc" if arch.lower().startswith(("ppc", "powerpc", "power")) else "sparc"


def has_spe(arch: str) -> bool:
    """Return whether words under primary opcode 4 are SPE's for a producer's word."""
    return arch.lower().endswith("spe")


def is_known(arch: str) -> bool:
    """Return whether the word is one for an instruction set that is read here."""
    return arch.lower().startswith("sparc") or family(arch) == "powerpc"


def access_of(word: int, arch: str) -> Access | None:
    """Return the memory access an instruction word makes, or None."""
    if family(arch) == "powerpc":
        if word >> 26 == 4:
            return SPE.get(word & 0x7FF) if has_spe(arch) else None
        return _powerpc_access(word)
    if word >> 30 != 3:
        return None
    access = SPARC.get(word >> 19 & 0x3F)
    if access is not None and access.mnemonic in _WIDTH_BY_FIELD:
        return _sparc_by_field(access, word)
    return access


_WIDTH_BY_FIELD = {"ldfsr", "stfsr", "lddfa", "stdfa", "ldm", "stm"}

# M8's loads and stores at any address, by the opm field: suffix, size.
_MISALIGNED = {
    0: ("sh", 2),
    1: ("uh", 2),
    2: ("sw", 4),
    3: ("uw", 4),
    5: ("x", 8),
    6: ("fs", 4),
    7: ("fd", 8),
}
_MISALIGNED_STORES = {1: ("h", 2), 3: ("w", 4), 5: ("x", 8), 6: ("fs", 4), 7: ("fd", 8)}


def _sparc_by_field(access: Access, word: int) -> Access | None:
    """Resolve what depends on rd (the wide state register), the address space or M8's opm field."""
    if access.mnemonic in ("ldm", "stm"):
        found = (_MISALIGNED if access.mnemonic == "ldm" else _MISALIGNED_STORES).get(
            word >> 10 & 7
        )
        return Access(access.mnemonic + found[0], access.what, found[1]) if found else None
    if access.mnemonic in ("ldfsr", "stfsr"):
        wide = word >> 25 & 0x1F
        return Access(access.mnemonic, access.what, 8) if wide else access
    if word & 0x2000:  # the space is in %asi
        return access
    space = word >> 5 & 0xFF
    size = 64 if space in _BLOCK_ASIS else _SHORT_ASIS.get(space, 8)
    return Access(access.mnemonic, access.what, size)


def _powerpc_access(word: int) -> Access | None:
    primary = word >> 26
    if primary == 31:
        return POWERPC_EXTENDED.get(word >> 1 & 0x3FF)
    if primary in (58, 62):
        form = _DOUBLE_FORMS.get((primary, word & 3))
        return Access(*form) if form else None
    return POWERPC.get(primary)


MULTIPLE_LIMIT = 128
"""Bytes the longest multiple or string access moves: 32 registers of 4."""

MULTIPLE_BIT, RESERVE_BIT = 4, 8


@functools.cache
def _index(arch: str) -> Array:
    """Return a table from a small key of the word to (what bits, size), as u1 pairs."""
    powerpc = family(arch) == "powerpc"
    keys = _powerpc_sample_words(arch) if powerpc else {n: 3 << 30 | n << 19 for n in range(64)}
    table = np.zeros((max(keys) + 2, 2), "u1")
    for key, word in keys.items():
        access = access_of(word, arch) if powerpc else SPARC.get(key)
        if access is not None:
            marks = access.multiple * MULTIPLE_BIT | access.reserve * RESERVE_BIT
            table[key] = (access.what | marks, access.size)
    return table


_SPE_KEYS = 2048


def _powerpc_sample_words(arch: str) -> dict[int, int]:
    """Key: 1024 extended opcodes, then primary opcode * 4 + low two bits from 1024 on.

    The low bits of SPE's words follow from `_SPE_KEYS` on.
    """
    keys = {number: 31 << 26 | number << 1 for number in range(1024)}
    for primary in range(64):
        for low in range(4):
            if primary != 31:
                keys[1024 + primary * 4 + low] = primary << 26 | low
    if has_spe(arch):
        keys |= {_SPE_KEYS + low: 4 << 26 | low for low in range(2048)}
    return keys


def lookup(words: Array, arch: str) -> tuple[Array, Array]:
    """Return for a column of instruction words what each accesses (bits) and the size."""
    words = words.astype("u4")
    table = _index(arch)
    if family(arch) == "powerpc":
        primary = words >> 26
        key = np.where(primary == 31, words >> 1 & 0x3FF, 1024 + primary * 4 + (words & 3))
        if has_spe(arch):
            key = np.where(primary == 4, _SPE_KEYS + (words & 0x7FF), key)
        return table[key, 0], table[key, 1]
    key = np.where(words >> 30 == 3, words >> 19 & 0x3F, len(table) - 1)
    what, size = table[key, 0].copy(), table[key, 1].copy()
    special = np.isin(key, [code for code, row in SPARC.items() if row.mnemonic in _WIDTH_BY_FIELD])
    for row in np.flatnonzero(special):
        access = access_of(int(words[row]), arch)
        size[row] = access.size if access else 0
        what[row] = what[row] if access else 0
    return what, size
