"""Loads, stores, atomics, and what only looks like them (prefetch, flush)."""

from __future__ import annotations

from inst.arch.sparc.tables.row import Row, Touch
from inst.dataclass import dataclass
from inst.isa.model import Barrier, Form

FSR = "fsr fcc0"
LONG_FSR = "fsr fcc0 fcc1 fcc2 fcc3"


def _load(size: int, form: Form = Form.SIMPLE, by_space: bool = False) -> Touch:
    return Touch(True, False, size, form, by_space)


def _store(size: int, form: Form = Form.SIMPLE, by_space: bool = False) -> Touch:
    return Touch(False, True, size, form, by_space)


def _atomic(size: int) -> Touch:
    return Touch(True, True, size, Form.ATOMIC)


LOADS = (
    Row("ldub ldsb", "memory r:d", touch=_load(1)),
    Row("lduh ldsh", "memory r:d", touch=_load(2)),
    Row("ld lduw ldsw", "memory r:d", touch=_load(4)),
    Row("ldx", "memory r:d", touch=_load(8)),
    Row("ldd ldtw", "memory p:d", touch=_load(8)),
    Row("ld", "memory f:d", touch=_load(4)),
    Row("ldd", "memory d:d", touch=_load(8)),
    Row("ldq", "memory q:d", touch=_load(16)),
    Row("ld", "memory =fsr", defs=FSR, touch=_load(4, Form.SPECIAL)),
    Row("ldx", "memory =fsr", defs=LONG_FSR, touch=_load(8, Form.SPECIAL)),
    Row("ldx", "memory =efsr", defs=LONG_FSR, touch=_load(8, Form.SPECIAL)),
    Row("ld", "memory cp:x", touch=_load(4, Form.SPECIAL)),
    Row("ldd", "memory cp:x", touch=_load(8, Form.SPECIAL)),
)

STORES = (
    Row("stb stsb stub", "r:s memory", touch=_store(1)),
    Row("sth stsh stuh", "r:s memory", touch=_store(2)),
    Row("st stw stsw stuw spill", "r:s memory", touch=_store(4)),
    Row("stx", "r:s memory", touch=_store(8)),
    Row("std sttw spilld", "p:s memory", touch=_store(8)),
    Row("st", "f:s memory", touch=_store(4)),
    Row("std", "d:s memory", touch=_store(8)),
    Row("stq", "q:s memory", touch=_store(16)),
    Row("clrb", "memory", touch=_store(1)),
    Row("clrh", "memory", touch=_store(2)),
    Row("clr", "memory", touch=_store(4)),
    Row("clrx", "memory", touch=_store(8)),
    Row("st", "=fsr memory", uses=FSR, touch=_store(4, Form.SPECIAL)),
    Row("stx", "=fsr memory", uses=LONG_FSR, touch=_store(8, Form.SPECIAL)),
    Row("st", "cp:s memory", touch=_store(4, Form.SPECIAL)),
    Row("std", "cp:x memory", touch=_store(8, Form.SPECIAL)),
)

ALTERNATE_LOADS = (
    Row("lduba ldsba", "alternate r:d", touch=_load(1)),
    Row("lduha ldsha", "alternate r:d", touch=_load(2)),
    Row("lda lduwa ldswa", "alternate r:d", touch=_load(4)),
    Row("ldxa", "alternate r:d", touch=_load(8)),
    Row("ldda ldtwa", "alternate p:d", touch=_load(8, by_space=True)),
    Row("ldtxa", "alternate p:d", touch=_load(16, Form.SPECIAL)),
    Row("lda", "alternate f:d", touch=_load(4)),
    Row("ldda", "alternate d:d", touch=_load(8, by_space=True)),
    Row("ldqa", "alternate q:d", touch=_load(16)),
)

ALTERNATE_STORES = (
    Row("stba stsba stuba", "r:s alternate", touch=_store(1)),
    Row("stha stsha stuha", "r:s alternate", touch=_store(2)),
    Row("sta stwa stswa stuwa", "r:s alternate", touch=_store(4)),
    Row("stxa", "r:s alternate", touch=_store(8)),
    Row("stda sttwa", "p:s alternate", touch=_store(8, by_space=True)),
    Row("sta", "f:s alternate", touch=_store(4)),
    Row("stda", "d:s alternate", touch=_store(8, by_space=True)),
    Row("stqa", "q:s alternate", touch=_store(16)),
)

ATOMICS = (
    Row("ldstub", "memory r:d", touch=_atomic(1)),
    Row("ldstuba", "alternate r:d", touch=_atomic(1)),
    Row("swap", "memory r:x", touch=_atomic(4)),
    Row("swapa", "alternate r:x", touch=_atomic(4)),
    Row("cas casl", "memory r:s r:x", touch=_atomic(4)),
    Row("casx casxl", "memory r:s r:x", touch=_atomic(8)),
    Row("casa", "alternate r:s r:x", touch=_atomic(4)),
    Row("casxa", "alternate r:s r:x", touch=_atomic(8)),
)

NO_ACCESSES = (
    Row("prefetch", "memory any"),
    Row("prefetcha", "alternate any"),
    Row("flush iflush", "memory | address"),
    Row("flush iflush", ""),  # GNU as reads the missing address as 0
    Row("iprefetch", "label"),
    Row("membar", "any", masked=True),
    Row("stbar", barrier=Barrier.RELEASE),
)

ALL = LOADS + STORES + ALTERNATE_LOADS + ALTERNATE_STORES + ATOMICS + NO_ACCESSES


@dataclass(frozen=True, slots=True)
class Space:
    """What an address space makes of a doubleword load or store."""

    size: int
    form: Form
    width: int  # registers


def _spaces() -> dict[int, Space]:
    blocks = (0x16, 0x17, 0x1E, 0x1F, 0x70, 0x71, 0x78, 0x79, 0xE0, 0xE1, 0xF0, 0xF1, 0xF8, 0xF9)
    spaces = dict.fromkeys(blocks, Space(64, Form.SPECIAL, 16))
    spaces.update(dict.fromkeys((0xD0, 0xD1, 0xD8, 0xD9), Space(1, Form.SIMPLE, 2)))
    spaces.update(dict.fromkeys((0xD2, 0xD3, 0xDA, 0xDB), Space(2, Form.SIMPLE, 2)))
    partial = (*range(0xC0, 0xC6), *range(0xC8, 0xCE))
    spaces.update(dict.fromkeys(partial, Space(8, Form.SPECIAL, 2)))
    return spaces


SPACES = _spaces()
"""Spaces in which ldda and stda move other than 8 bytes; not listed: 8 bytes."""

ORDINARY = 0x80
"""The ordinary space of a V9 program."""

TWIN_SPACES = frozenset((0x22, 0x23, 0x24, 0x26, 0x27, 0x2A, 0x2B, 0x2C, 0x2E, 0x2F))
"""Spaces in which an integer ldda loads 16 bytes at once."""

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
