"""Record codes and flag bits of RST, by name: their numbers are those of the table.

Sets of codes are arrays that the codes of a batch index.
"""

from __future__ import annotations

import enum

import numpy as np

from inst.formats.rst.table import BY_NAME, TYPES
from inst.trace.model import Array


def _code(name: str) -> int:
    return BY_NAME[name].code


def _flag(name: str, field: str) -> int:
    """Return the bit of byte 1 that a field of one bit has."""
    flag = BY_NAME[name].field(field).flag
    assert flag, f"{name} {field} is no bit of byte 1"
    return flag


HEADER = _code("header")
INSTR = _code("instr")
TRACEINFO = _code("traceinfo")
TLB = _code("tlb")
THREAD = _code("thread")
TRAP = _code("trap")
TRAPEXIT = _code("trapexit")
REGVAL = _code("regval")
CPU = _code("cpu")
PROCESS = _code("process")
DMA = _code("dma")
STRDESC = _code("strdesc")
PREG = _code("preg")
PHYSADDR = _code("physaddr")
PAVADIFF = _code("pavadiff")
NULLREC = _code("nullrec")
STRCONT = _code("strcont")
MARKER = _code("filemarker")
STATUS = _code("status")
PATCH = _code("patch")
MEMVAL = _code("memval64")
BUSTRACE = _code("bustrace")
SNOOP = _code("snoop")
TSB = _code("tsb_access")
RFS_SECTION = _code("rfs_section")
RFS_CW = _code("rfs_cw")
RFS_BT = _code("rfs_bt")
TRAPPING = _code("trapping_instr")
EVENT_RECORD = _code("event")
EVENT_PC = _code("event_pc")
EVENT_SIZE = _code("event_size")
EVENT_TEXT = _code("event_text")

ONE = 1
"""The type of no record: never valid."""
RFS_RST = 33
"""Sun's rstf.h has it for a kind of sections: no record is of this type."""
POSITION = 0x50
"""The record before each event of a recording (`inst.formats.rec`): no RST trace has it."""

EA_VALID = _flag("instr", "ea_valid")
TRAPPED = _flag("instr", "tr")
HYPERPRIVILEGED = _flag("instr", "hpriv")
PRIVILEGED = _flag("instr", "pr")
TAKEN = _flag("instr", "bt")
ANNULLED = _flag("instr", "an")

TRAPPING_FLAGS = {
    "privileged": _flag("trapping_instr", "priv"),
    "hpriv": _flag("trapping_instr", "hpriv"),
    "ea_valid": _flag("trapping_instr", "ea_va_valid"),
}

VARIANT = 0x80
"""The bit that distinguishes two layouts of one code: RECNUM, MEMVAL128."""
VIRTUAL = _flag("memval64", "addrisVA")
POST = _flag("regval", "postInstr")
PAIR_VALID = _flag("pavadiff", "ea_valid")
LAST, IS_SITE = _flag("event_text", "last"), _flag("event_text", "is_site")
PLACED = _flag("event_size", "placed")

TRACE_LEVEL = 2
"""The rtype2 of a TRACEINFO that states the level."""
END_OF_FILE = 2
"""The status of a STATUS record that ends a trace."""


class Register(enum.IntEnum):
    """What kind of register a REGVAL states (`regtype0` and `regtype1`)."""

    INT = 1
    FLOAT = 2
    PRIV = 3  # privileged
    OTHER = 4
    EMPTY = 5  # no register
    CC = 6  # condition codes
    FCC = 7  # those of floating point


INT, FLOAT, PRIV, OTHER, EMPTY, CC, FCC = Register


def _set_of(*codes: int) -> Array:
    table = np.zeros(256, bool)
    table[list(codes)] = True
    return table


INSTRUCTIONS = _set_of(INSTR, TRAPPING)
LEADERS = _set_of(INSTR, TRAPPING, EVENT_RECORD)
BEFORE = _set_of(TRAP, TRAPEXIT, REGVAL, CPU, THREAD, PREG, PHYSADDR, PAVADIFF, NULLREC)
"""What may stand between an instruction and the records before it that belong to it."""
AFTER = _set_of(EVENT_PC, EVENT_SIZE, MEMVAL, REGVAL, PHYSADDR, PAVADIFF, NULLREC)
FOLLOWERS = _set_of(MEMVAL, EVENT_PC, EVENT_SIZE)
EVENTS = _set_of(
    INSTR, TLB, TRAP, TRAPEXIT, DMA, MEMVAL, BUSTRACE, SNOOP, TSB, RFS_CW, RFS_BT, RFS_RST,
    TRAPPING, EVENT_RECORD,
)  # fmt: skip
"""What is not context. Unknown types are context, since what they are about is unknown."""
FRAME = (HEADER, TRACEINFO, STRDESC, STRCONT, STATUS)
"""What describes the whole trace."""
WITH_PC = _set_of(INSTR, TRAP, RFS_BT, TRAPPING)
WITH_WORD = _set_of(INSTR, RFS_BT, TRAPPING)
CPU_FIELD = {
    (kind.code, kind.variant or 0): kind
    for kind in TYPES
    if any(field.name == "cpuid" for field in kind.fields)
}
FIRST_ADDRESS = (INSTR, TRAP, PHYSADDR, SNOOP, TSB, RFS_CW, RFS_BT, TRAPPING)
SECOND_ADDRESS = (INSTR, TRAP, PHYSADDR, BUSTRACE, TSB, RFS_CW, RFS_BT, TRAPPING)
"""Records whose first or second number is an address, whatever their flags."""
FLAGS: dict[str, int] = {
    "ea_valid": EA_VALID, "trapped": TRAPPED, "hpriv": HYPERPRIVILEGED, "privileged": PRIVILEGED,
    "bt": TAKEN, "annulled": ANNULLED,
}  # fmt: skip
