"""What PowerPC's calling conventions promise.

System V ABI, PowerPC supplement, chapter 3; 64-bit PowerPC ELF ABI 1.9 (ELFv1), chapter 3, and
OpenPOWER ELF V2 ABI 1.5, chapter 2.

Inline PLT calls (-fno-plt, -mlongcall): `.reloc` directives mark such a sequence for the linker,
which turns it into a direct call if it finds the function near enough.  The load of the function's
address and the store of the TOC pointer become nops then, and the load of the TOC pointer after
the call as well (64-bit PowerPC ELF ABI, "PLT call sequences").
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from inst.asm.model import Kind, Statement
from inst.dataclass import replace
from inst.flow.model import CallRegisters, Conventions

_BEHIND = re.compile(r"\.\s*-\s*\d+\s*,\s*R_PPC(64)?_PLT")
"""Of a directive that refers to the instruction before it."""
_CALL = re.compile(r"\.\s*,\s*R_PPC64_PLTCALL")
"""Of a directive that refers to the call after it."""
_TOC_RELOAD = re.compile(r"(%?r)?2\s*,\s*\d+\s*\((%?r)?1\)")


def dropped_by_linker(statements: list[Statement], relocations: Iterable[int]) -> set[int]:
    """Return the accesses that the linker may drop, given where the `.reloc` directives are."""
    found: set[int] = set()
    for position in relocations:
        operands = statements[position].operands
        if _BEHIND.match(operands):
            found.add(_instruction(statements, position, -1))
        elif _CALL.match(operands):
            call = _instruction(statements, position, 1)
            reload = _instruction(statements, call, 1)
            if _TOC_RELOAD.fullmatch(statements[reload].operands):
                found.add(reload)
    return found


def _instruction(statements: list[Statement], position: int, step: int) -> int:
    """Return the next instruction in a direction; the last statement if there is none."""
    here = position + step
    while 0 < here < len(statements) - 1 and statements[here].kind != Kind.INSTRUCTION:
        here += step
    return min(max(here, 0), len(statements) - 1)


# Of vector registers those in which nothing is passed (OpenPOWER ELF V2 ABI 1.5, section 2.2.2.1).
_REGISTERS = CallRegisters(
    killed="r0 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 f0 cr0 cr1 cr5 cr6 cr7 lr ctr xer ca"
    " v0 v1 v14 v15 v16 v17 v18 v19",
    returned="r3 r4 r5 r6",
    local_arguments="r11 r12 f0",
    unread_at_entry="r12",
    landing="r3 r4",
)
_UNWOUND = (
    {f"r{number}": number for number in range(14, 32)}
    | {f"f{number}": 32 + number for number in range(14, 32)}
    | {f"cr{number}": 68 + number for number in (2, 3, 4)}
)
"""64-bit PowerPC ELF ABI 1.9, section 3.11.  ELFv1 has but 70, for all three condition fields."""
PART = Conventions(
    calls={
        "svr4": _REGISTERS,
        # A call by a descriptor passes r11; r12 is for the linker's code, which sets it itself.
        "elfv1": replace(
            _REGISTERS,
            descriptors=True,
            local_arguments="r11 f0",
            not_passed="r12",
            unread_at_entry="",
        ),
        "elfv2": _REGISTERS,
    },
    parameters=("r3", "r4", "r5", "r6", "r7", "r8"),
    stack_pointer="r1",
    stack_names=("1", "r1", "%r1", "sp"),
    destination_first=True,
    preserving=r"_(save|rest)(gpr|fpr|vr)",
    returns_elsewhere=False,
    unwound=_UNWOUND,
    toc=("r2",),
    restores_link=r"_mcount\b",
    link_copy=("r0",),
    dropped_by_linker=dropped_by_linker,
)
