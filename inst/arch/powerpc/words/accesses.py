"""The memory instructions of PowerPC: the one table, read here and rendered to C for the runtimes.

Sources: Power ISA 3.1, books I and II; Signal Processing Engine manual (SPEPEM), chapter 5.
An instruction of two words is one number here, prefix << 32 | word.
A code is the primary opcode; with `:` and binary digits it has these low bits, with `/` this
extended opcode; `P` stands before the primary opcode of a second word whose prefix (8LS) gives it
another meaning than it has alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.words.access import Access, Array, Words, read_rows

# (where the value is, how the access is done, which registers, narrowest programs): rows
_GROUPS = {
    ("general", "simple", "low", 32): """
    32 lwz R4         33 lwzu R4        34 lbz R1         35 lbzu R1        36 stw W4
    37 stwu W4        38 stb W1         39 stbu W1        40 lhz R2         41 lhzu R2
    42 lha R2s        43 lhau R2s       44 sth W2         45 sthu W2        31/23 lwzx R4
    31/55 lwzux R4    31/87 lbzx R1     31/119 lbzux R1   31/151 stwx W4    31/183 stwux W4
    31/215 stbx W1    31/247 stbux W1   31/279 lhzx R2    31/311 lhzux R2   31/343 lhax R2s
    31/375 lhaux R2s  31/407 sthx W2    31/439 sthux W2   31/310 eciwx R4   31/438 ecowx W4""",
    ("general", "simple", "low", 64): """
    58:00 ld R8       58:01 ldu R8      58:10 lwa R4s     62:00 std W8      62:01 stdu W8
    31/21 ldx R8      31/53 ldux R8     31/149 stdx W8    31/181 stdux W8   31/341 lwax R4s
    31/373 lwaux R4s  P41 plwa R4s      P57 pld R8        P61 pstd W8""",
    ("general", "multiple", "low", 32): "46 lmw R4  47 stmw W4",
    ("general", "indexed_string", "low", 32): "31/533 lswx R1  31/661 stswx W1",
    ("general", "counted", "low", 32): "31/597 lswi R1  31/725 stswi W1",
    ("general", "reserve", "low", 32): "31/20 lwarx R4  31/52 lbarx R1  31/116 lharx R2",
    ("general", "reserve", "low", 64): "31/84 ldarx R8  31/276 lqarx R16",
    ("general", "conditional", "low", 32): "31/150 stwcx. W4  31/694 stbcx. W1  31/726 sthcx. W2",
    ("general", "conditional", "low", 64): "31/182 stqcx. W16  31/214 stdcx. W8",
    ("general", "pair", "low", 64): "56 lq R16  62:10 stq W16  P56 plq R16  P60 pstq W16",
    ("general", "block", "low", 32): "31/1014 dcbz W0",
    ("reversed", "simple", "low", 32): """
    31/534 lwbrx R4   31/662 stwbrx W4  31/790 lhbrx R2   31/918 sthbrx W2""",
    ("reversed", "simple", "low", 64): "31/532 ldbrx R8  31/660 stdbrx W8",
    ("float", "simple", "low", 32): """
    48 lfs R4         49 lfsu R4        50 lfd R8         51 lfdu R8        52 stfs W4
    53 stfsu W4       54 stfd W8        55 stfdu W8       31/535 lfsx R4    31/567 lfsux R4
    31/599 lfdx R8    31/631 lfdux R8   31/663 stfsx W4   31/695 stfsux W4  31/727 stfdx W8
    31/759 stfdux W8""",
    ("float", "simple", "high", 64): """
    57:10 lxsd R8     57:11 lxssp R4    61:10 stxsd W8    61:11 stxssp W4
    P42 plxsd R8      P43 plxssp R4     P46 pstxsd W8     P47 pstxssp W4""",
    ("float", "simple", "by_bit_0", 64): "31/524 lxsspx R4  31/652 stxsspx W4",
    ("first", "simple", "low", 32): "31/855 lfiwax R4  31/887 lfiwzx R4  31/983 stfiwx W4",
    ("first", "simple", "by_bit_0", 64): """
    31/12 lxsiwzx R4  31/76 lxsiwax R4  31/140 stxsiwx W4 31/332 lxvdsx R8  31/588 lxsdx R8
    31/716 stxsdx W8  31/781 lxsibzx R1 31/813 lxsihzx R2 31/909 stxsibx W1 31/941 stxsihx W2""",
    ("first_high", "simple", "by_bit_0", 64): "31/364 lxvwsx R4",
    ("second", "simple", "by_bit_0", 64): """
    31/13 lxvrbx R1   31/45 lxvrhx R2   31/77 lxvrwx R4   31/109 lxvrdx R8
    31/141 stxvrbx W1 31/173 stxvrhx W2 31/205 stxvrwx W4 31/237 stxvrdx W8""",
    ("element", "simple", "high", 32): """
    31/7 lvebx R1     31/39 lvehx R2    31/71 lvewx R4
    31/135 stvebx W1  31/167 stvehx W2  31/199 stvewx W4""",
    ("whole", "simple", "high", 32): """
    31/103 lvx R16    31/231 stvx W16   31/359 lvxl R16   31/487 stvxl W16""",
    ("whole", "simple", "high", 64): "P51 plxv R16  P55 pstxv W16",
    ("whole", "simple", "low", 64): "P50 plxv R16  P54 pstxv W16",
    ("whole", "simple", "by_bit_0", 64): "31/268 lxvx R16  31/396 stxvx W16",
    ("whole", "simple", "by_bit_3", 64): "61:001 lxv R16  61:101 stxv W16",
    ("whole", "simple", "by_bit_26", 64): "31/333 lxvpx R32  31/461 stxvpx W32",
    ("whole", "simple", "even", 64): """
    6:0000 lxvp R32   6:0001 stxvp W32  P58 plxvp R32     P62 pstxvp W32""",
    ("whole", "length", "by_bit_0", 64): "31/269 lxvl R0  31/397 stxvl W0",
    ("bytes", "length", "by_bit_0", 64): "31/301 lxvll R0  31/429 stxvll W0",
    ("doublewords", "simple", "by_bit_0", 64): "31/844 lxvd2x R16  31/972 stxvd2x W16",
    ("words", "simple", "by_bit_0", 64): "31/780 lxvw4x R16  31/908 stxvw4x W16",
    ("halfwords", "simple", "by_bit_0", 64): "31/812 lxvh8x R16  31/940 stxvh8x W16",
    ("bytes", "simple", "by_bit_0", 64): "31/876 lxvb16x R16  31/1004 stxvb16x W16",
    ("wide", "simple", "low", 32): """
    4/768 evlddx R8         4/769 evldd R8          4/770 evldwx R8        4/771 evldw R8
    4/772 evldhx R8         4/773 evldh R8          4/800 evstddx W8       4/801 evstdd W8
    4/802 evstdwx W8        4/803 evstdw W8         4/804 evstdhx W8       4/805 evstdh W8""",
    ("wide_even", "simple", "low", 32): """
    4/776 evlhhesplatx R2   4/777 evlhhesplat R2    4/784 evlwhex R4       4/785 evlwhe R4
    4/816 evstwhex W4       4/817 evstwhe W4""",
    ("wide_odd", "simple", "low", 32): """
    4/780 evlhhousplatx R2  4/781 evlhhousplat R2   4/782 evlhhossplatx R2 4/783 evlhhossplat R2
    4/788 evlwhoux R4       4/789 evlwhou R4        4/790 evlwhosx R4      4/791 evlwhos R4
    4/796 evlwhsplatx R4    4/797 evlwhsplat R4     4/820 evstwhox W4      4/821 evstwho W4""",
    ("wide_upper", "simple", "low", 32): "4/824 evstwwex W4  4/825 evstwwe W4",
    ("wide_lower", "simple", "low", 32): """
    4/792 evlwwsplatx R4    4/793 evlwwsplat R4     4/828 evstwwox W4      4/829 evstwwo W4""",
}  # fmt: skip
ROWS = {
    code: access
    for (value, form, bank, bits), text in _GROUPS.items()
    for code, access in read_rows(text, value, form, bank, bits)
}
"""Code -> access, of all words."""

_DECIMAL = 10
"""Numbers below this one are decimal in text, others hexadecimal."""
EXTENDED, SPE_OPCODE, LI, LIS = 31, 4, 14, 15
"""Primary opcodes: of words with an extended one; of SPE's words, which are AltiVec's on processors
with that: a producer's word `ppcspe` marks SPE's; of addi and addis."""
SPE_FIRST = 768
"""The least low bits of SPE's loads and stores; their lowest bit selects an indexed address."""


_LOW_BITS, _PRIMARIES, _SPE = 16, 1024, 2048
KEYS = 2 * _SPE
"""Keys: extended opcodes under 31; from 1024 on the primary opcode and the four low bits; from
2048 on the eleven low bits of SPE's words."""


def primary(word: Words) -> Words:
    """Return the primary opcode."""
    return word >> 26


def target(word: Words) -> Words:
    """Return the number of the register that is loaded, stored or computed (rT, rS)."""
    return word >> 21 & 31


def base(word: Words) -> Words:
    """Return the number of the register that an address is made of (rA)."""
    return word >> 16 & 31


def second(word: Words) -> Words:
    """Return the number of the other register (rB), or a count of bytes."""
    return word >> 11 & 31


def first_of_pair(number: int) -> int:
    """Return the first of two VSX registers in a row, by the number of the target in the word."""
    return number & 30 | (number & 1) << 5


def displacement(instruction: int) -> int:
    """Return the signed number of 34 bits in both words of an instruction."""
    field = (instruction >> 32 & 0x3FFFF) << 16 | instruction & 0xFFFF
    return (field ^ 1 << 33) - (1 << 33)


def place_text(offset: int, base: int) -> str:
    """Return an address as text, as capstone has those of instructions of one word."""
    number = str(offset) if abs(offset) < _DECIMAL else f"{offset:#x}"
    return f"{number}({f'r{base}' if base > 0 else '0'})"


def immediate(word: int) -> int:
    """Return the signed number in the low 16 bits."""
    return ((word & 0xFFFF) ^ 0x8000) - 0x8000


def key_of(word: int) -> int:
    """Return the place of an unprefixed word in an index."""
    if word >> 26 == EXTENDED:
        return word >> 1 & 0x3FF
    return _PRIMARIES + (word >> 26) * _LOW_BITS + (word & _LOW_BITS - 1)


def keys(code: str) -> list[int]:
    """Return the places of an instruction in an index."""
    primary, _, extended = code.partition("/")
    if extended:
        return [int(extended) + (_SPE if int(primary) == SPE_OPCODE else 0)]
    primary, _, low = code.partition(":")
    first, step = (int(low, 2), 1 << len(low)) if low else (0, 1)
    return [_PRIMARIES + int(primary) * _LOW_BITS + n for n in range(first, _LOW_BITS, step)]


def samples() -> dict[int, int]:
    """Return a word with each key of an instruction but SPE's, with registers 3, 4 and 5."""
    fields = 3 << 21 | 4 << 16 | 5 << 11
    return {key: _word_of(key) | fields for key in BY_KEY if key < _SPE}


def _word_of(key: int) -> int:
    if key < _PRIMARIES:
        return EXTENDED << 26 | key << 1
    primary, low = divmod(key - _PRIMARIES, _LOW_BITS)
    return primary << 26 | low


BY_KEY = {key: access for code, access in ROWS.items() if code[0] != "P" for key in keys(code)}
PREFIXED = {int(code[1:]): access for code, access in ROWS.items() if code[0] == "P"}
"""Primary opcode of the second word -> access, where the prefix gives it a meaning of its own."""


PREFIX = 63 << 26, 1 << 26
"""Mask and value of the first words of instructions of two."""
PAIRS = ("even", "by_bit_26")
"""Banks of two registers in a row."""
_PREFIX_KEYS, _WORD = 512, 4
_8LS, _MLS = 0, 4
"""Types of prefixes, with the bit after them: of loads and stores with opcodes of their own, and of
those that have longer displacements than the word alone."""


def _prefixed() -> dict[int, Access]:
    """Return the accesses of instructions of two words, by type and primary opcode."""
    longer = {
        int(code): replace(access, mnemonic="p" + access.mnemonic)
        for code, access in ROWS.items()
        if code.isdigit() and access.form == "simple" and not access.updates
    }
    return {
        (kind << 6) + opcode: access
        for kind, found in ((_8LS, PREFIXED), (_MLS, longer))
        for opcode, access in found.items()
    }


BY_PREFIX = _prefixed()


def is_prefixed(words: Words) -> Words:
    """Return whether numbers are instructions of two words."""
    return words >> 58 == 1  # type: ignore[no-any-return]


def words_in(instruction: int) -> int:
    """Return of how many words an instruction is."""
    return 2 if instruction >> 32 else 1


def prefix_key(instruction: Words) -> Words:
    """Return the place of an instruction of two words in `BY_PREFIX`."""
    return (instruction >> 55 & 7) << 6 | instruction >> 26 & 63


def last_words(instructions: Array) -> Array:
    """Return of a column of instructions the words, of those of two words the second."""
    if instructions.dtype.itemsize <= _WORD:
        return instructions
    return np.asarray(instructions & instructions.dtype.type(0xFFFFFFFF))


def prefixed_sample(key: int) -> int:
    """Return an instruction of two words with a place in `BY_PREFIX`, with registers 3 and 4."""
    return 1 << 58 | key >> 6 << 55 | (key & 63) << 26 | 3 << 21 | 4 << 16


def access_of(word: int, has_spe: bool = False) -> Access | None:
    """Return the memory access of an instruction, or None."""
    if word >> 32:
        return BY_PREFIX.get(prefix_key(word)) if is_prefixed(word) else None
    if has_spe and word >> 26 == SPE_OPCODE:
        return BY_KEY.get(_SPE + (word & 0x7FF))
    return BY_KEY.get(key_of(word))


def prefixed_access_of(prefix: int, word: int) -> Access | None:
    """Return the memory access of two words, the first a prefix of type 8LS or MLS."""
    unprefixed = prefix >> 24 & 3 == 2
    return access_of(word) if unprefixed else PREFIXED.get(word >> 26)


def _columns() -> Array:
    table = np.zeros((KEYS + _PREFIX_KEYS, 2), "u1")
    for key, access in BY_KEY.items():
        table[key] = access.marks, access.size
    for key, access in BY_PREFIX.items():
        table[KEYS + key] = access.marks, access.size
    return table


_COLUMNS = _columns()


def keys_of(words: Array) -> Array:
    """Return the places of a column of words in an index; not those of SPE's."""
    primary = words >> 26
    low = _PRIMARIES + primary * _LOW_BITS + (words & _LOW_BITS - 1)
    return np.where(primary == EXTENDED, words >> 1 & 0x3FF, low)


def are(words: Array, names: tuple[str, ...]) -> Array:
    """Return which words of a column are memory instructions with one of these names."""
    return np.isin(keys_of(words), [key for key, row in BY_KEY.items() if row.mnemonic in names])


def lookup(words: Array, has_spe: bool = False) -> tuple[Array, Array]:
    """Return for a column of instructions what each accesses (bits) and how many bytes."""
    key = keys_of(last_words(words))
    if words.dtype.itemsize > _WORD:
        key = np.where(is_prefixed(words), KEYS + prefix_key(words), key)
    if has_spe:
        key = np.where(words >> 26 == SPE_OPCODE, _SPE + (words & 0x7FF), key)
    return _COLUMNS[key, 0], _COLUMNS[key, 1]
