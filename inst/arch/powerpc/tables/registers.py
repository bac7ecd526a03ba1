"""The registers of PowerPC, and what the 32-bit SVR4 and the 64-bit ELF ABIs do with them.

Each field of the condition register is one register here: an instruction that writes a
single bit of a field therefore uses the field as well as it defines it.  The carry is `ca`,
`xer` the rest of its register: the overflow bits and the string count.  That compares and
recording instructions copy the summary overflow into their field is in no row: compilers
never set it, and with it `xer` would always be live.  It is `sticky` instead.

What few processors have comes last: the branch target of POWER8 (`tar`), the multiplier-quotient
register of POWER (`mq`), SPE's status and accumulator (`spefscr`, `acc`).  `upper` stands for
the upper halves that SPE's general registers have in 32-bit code, `paired` for the second
numbers of the 750CL's floating-point registers: ordinary instructions, and so probes and hooks
made of them, neither read nor write `upper`; but `lfd` writes `paired`.  `a0` to `a7` are POWER10's
accumulators, which are VSX registers as well.
"""

from __future__ import annotations

from inst.dataclass import replace
from inst.isa.model import RegisterFile, RegisterSet

GENERAL_NAMES = tuple(f"r{number}" for number in range(32))
FLOAT_NAMES = tuple(f"f{number}" for number in range(32))
VECTOR_NAMES = tuple(f"v{number}" for number in range(32))
FIELD_NAMES = tuple(f"cr{number}" for number in range(8))
VSX_NAMES = FLOAT_NAMES + VECTOR_NAMES
"""VSX registers 0-31 are the floating-point registers, 32-63 the vector registers."""

NAMES = (
    *GENERAL_NAMES,
    *FLOAT_NAMES,
    *VECTOR_NAMES,
    *FIELD_NAMES,
    *("lr", "ctr", "xer", "ca", "fpscr", "vscr"),
    *("tar", "mq", "spefscr", "acc", "upper", "paired"),
    *(f"a{number}" for number in range(8)),
)

BIT: dict[str, RegisterSet] = {name: 1 << position for position, name in enumerate(NAMES)}

SPECIAL_PURPOSE = {
    0: ("mq",),
    1: ("xer", "ca"),
    8: ("lr",),
    9: ("ctr",),
    512: ("spefscr",),
    815: ("tar",),
}
"""What special-purpose registers are in the model, by their numbers."""

VOLATILE_RANGES = (
    GENERAL_NAMES[0:1],
    GENERAL_NAMES[3:13],
    FLOAT_NAMES[0:14],
    VECTOR_NAMES[0:20],
    FIELD_NAMES[0:2],
    FIELD_NAMES[5:8],
    ("lr", "ctr", "xer", "ca", "fpscr", "vscr"),
)

ARGUMENT_RANGES = (
    GENERAL_NAMES[1:3],  # stack and thread pointers
    GENERAL_NAMES[3:11],
    GENERAL_NAMES[11:13],  # static chain, out-of-line prologues, entry address
    FLOAT_NAMES[1:9],
    VECTOR_NAMES[2:14],
    FIELD_NAMES[1:2],  # bit 6, "floating-point arguments follow", is cr1's third bit
)


def mask_of(names: tuple[str, ...]) -> RegisterSet:
    """Return the set of the registers named."""
    result = 0
    for name in names:
        result |= BIT[name]
    return result


def _union(ranges: tuple[tuple[str, ...], ...]) -> RegisterSet:
    result = 0
    for names in ranges:
        result |= mask_of(names)
    return result


REGISTERS = RegisterFile(
    names=NAMES,
    bit=BIT,
    integer=mask_of(GENERAL_NAMES),
    special=mask_of((*FIELD_NAMES, "ctr", "xer", "ca")),
    link=BIT["lr"],
    volatile=_union(VOLATILE_RANGES),
    arguments=_union(ARGUMENT_RANGES),
    reserved=mask_of(("r1", "r2", "r13")),
    sticky=BIT["xer"],
)

# 64-bit ELF V1 (function descriptors) and V2 (local entry points) agree in these.  Of VSX registers
# 14-31, whose first halves are f14-f31, a call preserves only those halves: all may change.
WIDE_VOLATILE_RANGES = (*VOLATILE_RANGES, FLOAT_NAMES, NAMES[NAMES.index("a0") :])

WIDE_ARGUMENT_RANGES = (
    GENERAL_NAMES[1:3],  # stack pointer and TOC
    GENERAL_NAMES[3:14],  # also the static chain, the entry's address, the thread pointer
    FLOAT_NAMES[1:14],
    VECTOR_NAMES[2:14],
    FIELD_NAMES[1:2],
)

WIDE_REGISTERS = replace(
    REGISTERS,
    volatile=_union(WIDE_VOLATILE_RANGES),
    arguments=_union(WIDE_ARGUMENT_RANGES),
)
