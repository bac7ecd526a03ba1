"""What calling conventions promise about registers at calls and at a function's end.

Compilers keep to these; hand-written code need not, so they are applied only to files
that a compiler made (see `inst.flow.code.made_by_compiler`).  Neither GCC's SPARC nor its
PowerPC back end takes part in -fipa-ra (which would let a caller keep values in volatile
registers across calls of local functions), so a call always kills them.

Sources: SPARC Compliance Definition 2.4.1 and System V ABI, SPARC supplement, chapter 3;
System V ABI, PowerPC supplement, chapter 3; 64-bit PowerPC ELF ABI 1.9 (ELFv1), chapter 3, and
OpenPOWER ELF V2 ABI 1.5, chapter 2.  SPARC %g2-%g4 belong to the application (a program may
keep a global register variable there), so no call kills them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inst.isa.model import Isa, RegisterSet


@dataclass(frozen=True, slots=True)
class Convention:
    """Sets of registers at the places where code leaves a function."""

    everything: RegisterSet
    killed: RegisterSet
    """Undefined after a call, unless the call itself returns something there."""
    arguments: RegisterSet
    """May be read by a call."""
    local_arguments: RegisterSet
    """Read only by functions of the same file: the static chain of nested functions."""
    at_return: RegisterSet
    """May be read after a return."""
    at_tail_call: RegisterSet
    """May be read after a branch to another function."""
    at_landing: RegisterSet
    """Hold at an exception's landing pad what they hold at the throw."""
    preserving: re.Pattern[str]
    """Callees that change nothing but what their instruction's facts say."""


_POWERPC_KILLED = "r0 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 cr0 cr1 cr5 cr6 cr7 lr ctr xer ca"
_KILLED = {
    "v8": "g1 o0 o1 o2 o3 o4 o5 o7 icc xcc fcc0 fcc1 fcc2 fcc3 y",
    "v9": "g1 g5 o0 o1 o2 o3 o4 o5 o7 icc xcc fcc0 fcc1 fcc2 fcc3 y",
    "svr4": _POWERPC_KILLED,
    "elfv1": _POWERPC_KILLED,
    "elfv2": _POWERPC_KILLED,
}
_RETURNED = {  # generous: also complex numbers and long doubles
    "v8": "o0 o1 o2 o3 o4 o5",
    "v9": "o0 o1 o2 o3 o4 o5",
    "svr4": "r3 r4 r5 r6",
    "elfv1": "r3 r4 r5 r6",
    "elfv2": "r3 r4 r5 r6",
}
_LOCAL_ARGUMENTS = {
    "v8": "g2",
    "v9": "g5",
    "svr4": "r11 r12",
    "elfv1": "r11 r12",
    "elfv2": "r11 r12",
}
_UNWINDER_SETS = {  # EH_RETURN_DATA_REGNO of gcc's back ends: the exception, and which one it is
    "v8": "i0 i1",
    "v9": "i0 i1",
    "svr4": "r3 r4",
    "elfv1": "r3 r4",
    "elfv2": "r3 r4",
}
_PRESERVING = {
    "sparc": r"__sparc_get_pc_thunk\b",
    "powerpc": r"_(save|rest)(gpr|fpr|vr)",
}


def convention_of(isa: Isa) -> Convention:
    """Return the calling convention's sets in the registers of `isa`."""
    registers = isa.registers
    everything = 0
    for mask in registers.bit.values():
        everything |= mask
    killed = registers.mask(*_KILLED[isa.abi].split())
    at_return = everything & ~killed | registers.mask(*_RETURNED[isa.abi].split())
    return Convention(
        everything=everything,
        killed=killed,
        arguments=registers.arguments,
        at_return=at_return,
        local_arguments=registers.mask(*_LOCAL_ARGUMENTS[isa.abi].split()),
        at_tail_call=at_return | registers.arguments | registers.link,
        at_landing=everything & ~killed & ~registers.mask(*_UNWINDER_SETS[isa.abi].split()),
        preserving=re.compile(_PRESERVING[isa.name]),
    )
