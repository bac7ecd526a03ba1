"""What PowerPC adds to the language of tables, `inst.isa.rows`; its roles are in `roles.py`.

A row fits if it has as many operands as the instruction: what each is, registers and numbers alike,
may be written as a number.
"""

from __future__ import annotations

from inst.arch.powerpc.tables.registers import BIT, NAMES
from inst.arch.powerpc.tables.roles import ROLES
from inst.isa.rows import Language

WORDS = {
    # An SPE instruction: it works on the upper halves; those of other registers stay.
    "wide": "uses:upper defs:upper",
    "status": "uses:spefscr defs:spefscr",
    "sets": "defs:acc",
    "accumulates": "uses:acc defs:acc",
    # Eight bytes that only the run-time library decodes.
    "prefixed": "length:8 form:special",
    # A system call: the ABI of calls, but it reads r0 and leaves lr, cr1 and cr5-cr7 alone.
    "kernel": "uses:r0-r9 defs:r0,r3-r12,cr0,ctr,xer,ca",
    # Of an interrupt or a system call: everything from before is live again.
    "resume": f"return uses:{NAMES[0]}-{NAMES[-1]}",
}

ENDINGS = {
    "[.]": (".", "defs:cr0"),
    "[.1]": (".", "uses:fpscr defs:cr1"),  # floating point records in cr1
    "[.6]": (".", "defs:cr6"),  # vector compares record in cr6
    "[o]": ("o", "uses:xer defs:xer"),  # keeps the carry, or the overflow
    "[u]": ("u", ""),
}

OMITTED = {"cd?": "defs:cr0", "cs?": "uses:cr0"}

LANGUAGE = Language(BIT, ROLES, WORDS, endings=ENDINGS, omitted=OMITTED)
