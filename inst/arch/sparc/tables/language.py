"""What SPARC adds to the language of tables, `inst.isa.rows`; its roles are in `roles.py`."""

from __future__ import annotations

from inst.arch.sparc.tables.registers import REGISTERS
from inst.arch.sparc.tables.roles import ROLES
from inst.isa.rows import Language

WORDS = {
    # Condition codes are defined in both widths: V8's %icc is V9's %icc and %xcc.
    "codes": "defs:icc,xcc",
    # Floating-point arithmetic reads the rounding mode and adds to the exception bits.
    "status": "uses:fsr defs:fsr",
    "coprocessor": "uses:coprocessor defs:coprocessor",
    "plain": "branch slot suffix:a reach:8M",
    "predicted": "branch slot suffix:a,pt,pn reach:1M",
    # A software trap passes what a system call may read, and returns its results and the
    # condition codes; what it may leave unchanged is in both sets.
    "kernel": "uses:g1-g7,o0-o7,icc,xcc defs:g1,o0-o1,icc,xcc",
}

MARKS = frozenset(
    (
        "never",  # a branch that is never taken; with ,a it skips the next instruction
        "space",  # size and form depend on the address space identifier
        "mask",  # the operand is the mask of a barrier
    )
)

LANGUAGE = Language(REGISTERS.bit, ROLES, WORDS, MARKS)
