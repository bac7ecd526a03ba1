"""Direct branches to targets whose names mark them as no ordinary functions.

At -Os gcc saves and restores registers in routines of libgcc that follow no calling
convention: `bl _savegpr_27`, `bl _restgpr_27`, `b _restgpr_27_x`, and in 64-bit code
`bl _savegpr0_27`, `b _restgpr0_27`.  What they touch is known exactly.  And clang reads the
program counter by calling the next line, which it always labels `.L0$pb` and the like.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from inst.arch.powerpc.tables.registers import (
    BIT,
    FLOAT_NAMES,
    GENERAL_NAMES,
    VECTOR_NAMES,
    mask_of,
)
from inst.dataclass import replace
from inst.isa.model import Facts, RegisterSet, Transfer

CLASSES = {
    "gpr": GENERAL_NAMES,
    "gpr0": GENERAL_NAMES,
    "gpr1": GENERAL_NAMES,
    "32gpr": GENERAL_NAMES,
    "fpr": FLOAT_NAMES,
    "vr": VECTOR_NAMES,
}
FRAME = {
    "gpr": BIT["r11"],
    "gpr0": BIT["r0"],  # which is the caller's lr; the registers lie below r1
    "gpr1": BIT["r12"],
    "32gpr": BIT["r11"],
    "fpr": BIT["r11"] | BIT["r0"],  # 32-bit code has them below r11, 64-bit code as gpr0
    "vr": BIT["r0"],
}
SCRATCH = {"vr": BIT["r12"]}
EXIT_DEFS = mask_of(("r0", "r1", "lr"))

ROUTINE = re.compile(r"_(save|rest)(gpr[01]?|32gpr|fpr|vr)_(\d+)(_x)?$")
NEXT_LINE = re.compile(r"\.?L\d+\$pb$")


def special_target(facts: Facts, target: str) -> Facts:
    """Return the facts of a direct branch, changed if its target is a special one."""
    for pattern, change in SPECIAL_TARGETS:
        match = pattern.match(target)
        if match:
            return change(facts, match)
    return facts


def _out_of_line(facts: Facts, match: re.Match[str]) -> Facts:
    """Saves use the registers, restores define them; `_x`, or a branch, returns for its caller."""
    action, register_class, first, leaves = match.groups()
    saved: RegisterSet = mask_of(CLASSES[register_class][int(first) :])
    uses = facts.uses | FRAME[register_class]
    defs = facts.defs | SCRATCH.get(register_class, 0)
    if action == "save":
        uses |= saved
    else:
        defs |= saved
        uses &= ~BIT["r0"] if register_class != "vr" else ~0  # they load it, or leave it unchanged
    if leaves or (action == "rest" and facts.transfer == Transfer.BRANCH):
        return replace(facts, uses=uses, defs=defs | EXIT_DEFS, transfer=Transfer.RETURN)
    if facts.transfer == Transfer.CALL:
        return replace(facts, uses=uses, defs=defs, transfer=Transfer.NONE)
    return replace(facts, uses=uses, defs=defs)


def _reads_counter(facts: Facts, _: re.Match[str]) -> Facts:
    return replace(facts, transfer=Transfer.BRANCH, pc_relative_data=True)


SPECIAL_TARGETS: tuple[tuple[re.Pattern[str], Callable[[Facts, re.Match[str]], Facts]], ...] = (
    (ROUTINE, _out_of_line),
    (NEXT_LINE, _reads_counter),
)
