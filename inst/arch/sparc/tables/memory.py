"""Loads, stores, atomics, and what only looks like them (prefetch, flush)."""

from __future__ import annotations

from inst.arch.sparc.tables.wide_spaces import BLOCK, BLOCKS, PARTIAL, SHORT
from inst.dataclass import dataclass
from inst.isa.model import Form

LOADS = """
    ldub ldsb                | mem,d                | load:1
    lduh ldsh                | mem,d                | load:2
    ld lduw ldsw             | mem,d                | load:4
    ldx                      | mem,d                | load:8
    ldd ldtw                 | mem,pd               | load:8
    ld                       | mem,fd               | load:4
    ldd                      | mem,dd               | load:8
    ldq                      | mem,qd               | load:16
    ld                       | mem,=fsr             | load:4 form:special defs:fsr,fcc0
    ldx                      | mem,=fsr ; mem,=efsr | load:8 form:special defs:fsr,fcc0-fcc3
    ld                       | mem,cpm              | load:4 form:special
    ldd                      | mem,cpm              | load:8 form:special
"""

STORES = """
    stb stsb stub            | s,mem                | store:1
    sth stsh stuh            | s,mem                | store:2
    st stw stsw stuw spill   | s,mem                | store:4
    stx                      | s,mem                | store:8
    std sttw spilld          | ps,mem               | store:8
    st                       | fs,mem               | store:4
    std                      | ds,mem               | store:8
    stq                      | qs,mem               | store:16
    clrb                     | mem                  | store:1
    clrh                     | mem                  | store:2
    clr                      | mem                  | store:4
    clrx                     | mem                  | store:8
    st                       | =fsr,mem             | store:4 form:special uses:fsr,fcc0
    stx                      | =fsr,mem             | store:8 form:special uses:fsr,fcc0-fcc3
    st                       | cps,mem              | store:4 form:special
    std                      | cpm,mem              | store:8 form:special
"""

ALTERNATE_LOADS = """
    lduba ldsba              | alt,d                | load:1
    lduha ldsha              | alt,d                | load:2
    lda lduwa ldswa          | alt,d                | load:4
    ldxa                     | alt,d                | load:8
    ldda ldtwa               | alt,pd               | load:8 space
    ldtxa                    | alt,pd               | load:16 form:special
    lda                      | alt,fd               | load:4
    ldda                     | alt,dd               | load:8 space
    ldqa                     | alt,qd               | load:16
"""

ALTERNATE_STORES = """
    stba stsba stuba         | s,alt                | store:1
    stha stsha stuha         | s,alt                | store:2
    sta stwa stswa stuwa     | s,alt                | store:4
    stxa                     | s,alt                | store:8
    stda sttwa               | ps,alt               | store:8 space
    sta                      | fs,alt               | store:4
    stda                     | ds,alt               | store:8 space
    stqa                     | qs,alt               | store:16
"""

ATOMICS = """
    ldstub                   | mem,d                | atomic:1
    ldstuba                  | alt,d                | atomic:1
    swap                     | mem,m                | atomic:4
    swapa                    | alt,m                | atomic:4
    cas casl                 | mem,s,m              | atomic:4
    casx casxl               | mem,s,m              | atomic:8
    casa                     | alt,s,m              | atomic:4
    casxa                    | alt,s,m              | atomic:8
"""

NO_ACCESSES = """
    prefetch                 | mem,any              |
    prefetcha                | alt,any              |
    flush iflush             | mem ; address ;      | event:barrier  # no address: GNU as reads 0
    iprefetch                | target               |
    membar                   | any                  | mask event:barrier
    stbar                    |                      | barrier:stores event:barrier
"""

TABLES = (LOADS, STORES, ALTERNATE_LOADS, ALTERNATE_STORES, ATOMICS, NO_ACCESSES)


@dataclass(frozen=True, slots=True)
class Space:
    """What an address space makes of a doubleword load or store."""

    size: int
    form: Form
    width: int  # registers


def _spaces() -> dict[int, Space]:
    spaces = dict.fromkeys(BLOCKS, Space(BLOCK, Form.SPECIAL, 16))
    spaces.update((space, Space(size, Form.SIMPLE, 2)) for space, size in SHORT.items())
    return spaces | dict.fromkeys(PARTIAL, Space(8, Form.SPECIAL, 2))


SPACES = _spaces()
"""Spaces in which ldda and stda move other than 8 bytes; not listed: 8 bytes."""

ORDINARY = 0x80
"""The ordinary space of a V9 program."""

SPACE_NAMES = (
    ("#ASI_BLK_INIT", 0x24),
    ("#ASI_BLK", 0xF0),
    ("#ASI_FL8", 0xD0),
    ("#ASI_FL16", 0xD2),
    ("#ASI_PST", 0xC0),
    ("#ASI_TWINX", 0x24),
    ("#ASI_QUAD_LDD", 0x24),
    ("#ASI_NUCLEUS_QUAD_LDD", 0x24),
)
"""How the assembler's names of such spaces begin -> a space that moves as many bytes."""
