"""Record types of RST as filters group them: what leads, what follows, what has an address."""

from __future__ import annotations

import numpy as np

from inst.trace import rst_table
from inst.trace.model import Array

(TRACEINFO, THREAD, TRAP, TRAPEXIT, REGVAL, CPU, PREG, PHYSADDR, PAVADIFF, NULLREC) = (
    4, 6, 7, 8, 9, 11, 17, 18, 19, 20,
)  # fmt: skip
EVENT, EVENT_PC, EVENT_SIZE = 40, 41, 42
HEADER, INSTR, STRDESC, STRCONT, MARKER, STATUS, PATCH, MEMVAL = 2, 3, 14, 21, 22, 23, 24, 26
RFS_CW, RFS_BT, TRAPPING, TSB = 31, 32, 34, 29


def _set_of(*codes: int) -> Array:
    table = np.zeros(256, bool)
    table[list(codes)] = True
    return table


INSTRUCTIONS = _set_of(INSTR, TRAPPING)
LEADERS = _set_of(INSTR, TRAPPING, EVENT)
BEFORE = _set_of(TRAP, TRAPEXIT, REGVAL, CPU, THREAD, PREG, PHYSADDR, PAVADIFF, NULLREC)
"""What may stand between an instruction and the records before it that belong to it."""
BEHIND = _set_of(EVENT_PC, EVENT_SIZE, MEMVAL, REGVAL, PHYSADDR, PAVADIFF, NULLREC)
FOLLOWERS = _set_of(MEMVAL, EVENT_PC, EVENT_SIZE)
EVENTS = _set_of(
    INSTR, 5, TRAP, TRAPEXIT, 13, MEMVAL, 27, 28, TSB, RFS_CW, RFS_BT, 33, TRAPPING, EVENT
)
"""What is not context. Unknown types are context: nobody knows what they are about."""
WITH_PC = _set_of(INSTR, TRAP, RFS_BT, TRAPPING)
WITH_WORD = _set_of(INSTR, RFS_BT, TRAPPING)
CLASSES = (
    "load",
    "store",
    "access",
    "atomic",
    "reserve",
    "branch",
    "instruction",
    "context",
    "unknown",
)
TYPE_WORDS = [kind.name for kind in rst_table.TYPES]
CPU_FIELD = {
    (kind.code, kind.variant or 0): kind
    for kind in rst_table.TYPES
    if any(field.name == "cpuid" for field in kind.fields)
}
FLAGS: dict[str, int] = {
    "ea_valid": 0x40, "trapped": 0x20, "hpriv": 0x10, "privileged": 0x08, "bt": 0x04,
    "annulled": 0x02,
}  # fmt: skip
