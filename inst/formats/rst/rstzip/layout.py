"""What a file of rstzip version 3 consists of: its headers, and the arrays of a section.

All numbers are big-endian. A file is gzip data (which may have been unpacked); in it are a header
of 24 bytes and one section after the other. A section has a header of 232 bytes and then one array
after the other, in the order of `ARRAYS`: each in whole words of 64 bits, in which the elements
follow each other from the least significant bit on, and may go on in the next word.

| header | bytes | section header | bytes |
|---|---|---|---|
| `RZ3 5948486328$` and a zero byte | 0-15 | `3ZR SHDR297302$` and a zero byte | 0-15 |
| major version, 3 | 16 | records, at most 131,072 | 16-19 |
| minor version, 15 to 20 | 17 | bytes of the section with this header | 24-31 |
| zero | 18-23 | elements of each array, 32 bits each | 32-231 |

Facts: the compressor that came with the OpenSPARC T1 and T2 architecture models, version 3.20.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

MAGIC = b"RZ3 5948486328$\0"
SECTION_MAGIC = b"3ZR SHDR297302$\0"
HEADER = struct.Struct(">16sBB6x")
SECTION = struct.Struct(">16si4xQ50i")
SECTION_RECORDS = 1 << 17
"""The most records of a section."""
MINOR, OLDEST = 20, 15
"""The minor version that is written, and the first one whose layout is known."""
WIDE_CPUS = 20
"""The first minor version with cpu numbers of ten bits, and hyperprivileged instructions."""
PAGE = 13
"""Bits of an address within a page."""

KEY_INSTR, KEY_REGVAL, KEY_PAVADIFF, KEY_OTHER = range(4)
WHOLE = 255
"""The type that stands for a record stored as its 24 bytes, whose first one is the real type.

Every type that is not predicted is stored so. The original sets the type from these bytes too, so
that any record can be: those that their own type's form cannot hold in full.
"""


@dataclass(frozen=True, slots=True)
class BitArray:
    """One array of a section: its name and the bits of an element."""

    name: str
    bits: int
    old_bits: int
    """... before minor version 20."""


_ROWS = """\
type_key 2, type 8, cpu_hit 1, cpu 10 6, instr_hit 1, instr_hits 8 7, word 32, target_hit 1,
value_zero 1, value_level 3, value_0 7, value_1 11, value_2 13, value_3 15, value_4 18, value_5 21,
value_6 25, number 64, regval_post 1, regtype_hit 1, regtype 8, regid_hit 1, regid 8,
memval_flag 1, memval_size 3, memval_high 8, memval_low 32,
icontext_hit 1, icontext 13, pc_difference_hit 1, pavadiff_valid 1, dcontext_hit 1, dcontext 13,
ea_difference_hit 1, pavadiff_ahead 1, tlb 30 26, trap 49, dma_write 1, dma_bytes 32,
rfs_type_hit 1, rfs_pc_hit 1, rfs_word_hit 1, rfs_taken_hit 1, rfs_reference 3, rfs_cpu 10,
rfs_dma_bytes 32, rfs_asi 8, rfs_function 5, rfs_valid 1, rfs_pa_hit 1
"""


def _parse(text: str) -> BitArray:
    name, bits, *old = text.split()
    return BitArray(name, int(bits), int(old[0]) if old else int(bits))


ARRAYS = tuple(_parse(text) for text in _ROWS.split(",") if text.strip())
FIRST_VALUE = next(place for place, each in enumerate(ARRAYS) if each.name == "value_0")
"""The arrays of the seven levels of the value cache; that of whole numbers is the eighth."""

LEVELS = ((7, 4), (31, 6), (61, 7), (127, 8), (509, 9), (2039, 10), (8191, 12))
"""The value cache's levels: entries, and low bits of a number that are not part of a tag."""

HIT_PC, HIT_WORD, HIT_TAKEN, HIT_ANNULLED, HIT_TRAPPED, HIT_PRIVILEGED, HIT_VALID, HIT_HYPER = (
    1 << bit for bit in range(8)
)
"""Which of an instruction's fields were as predicted: the bits of `instr_hits`."""
ALL_HITS = 255
