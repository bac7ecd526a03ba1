"""What PowerPC's calling conventions promise.

System V ABI, PowerPC supplement, chapter 3; 64-bit PowerPC ELF ABI 1.9 (ELFv1), chapter 3, and
OpenPOWER ELF V2 ABI 1.5, chapter 2.
"""

from __future__ import annotations

from dataclasses import replace

from inst.flow.model import CallRegisters, Conventions

_REGISTERS = CallRegisters(
    killed="r0 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 cr0 cr1 cr5 cr6 cr7 lr ctr xer ca",
    returned="r3 r4 r5 r6",
    local_arguments="r11 r12",
    landing="r3 r4",
)
PART = Conventions(
    calls={
        "svr4": _REGISTERS,
        "elfv1": replace(_REGISTERS, descriptors=True),
        "elfv2": _REGISTERS,
    },
    parameters=("r3", "r4", "r5", "r6", "r7", "r8"),
    stack_pointer="r1",
    stack_names=("1", "r1", "%r1", "sp"),
    destination_first=True,
    preserving=r"_(save|rest)(gpr|fpr|vr)",
    returns_elsewhere=False,
)
