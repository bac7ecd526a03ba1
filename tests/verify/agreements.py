"""What the ABIs say of registers at calls and returns, for the rule of `contents`.

Sources: SPARC Compliance Definition 2.4.1 and System V ABI, SPARC supplement, chapter 3; System
V ABI, PowerPC supplement, chapter 3; 64-bit PowerPC ELF ABI 1.9, chapter 3; OpenPOWER ELF V2
ABI 1.5, chapter 2.  They bind compilers; in other code everything counts everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inst.target.targets import Target

_COMPILER = re.compile(r'\.ident\s+"(GCC|clang|[^"]*clang version|GNU )', re.IGNORECASE)
_OUTS = "o0 o1 o2 o3 o4 o5"
_POWERPC_KILLED = (
    "r0 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 f0 cr0 cr1 cr5 cr6 cr7 lr ctr xer ca"
    " v0 v1 v14 v15 v16 v17 v18 v19"
)
# A caller of a variadic function sets bit 6 of the condition register, which is in cr1.
_ARGUMENTS = "r1 r2 r3 r4 r5 r6 r7 r8 r9 r10 r11 r12 r13 f0 cr1"


@dataclass(frozen=True, slots=True)
class _Row:
    killed: str
    """Without meaning after a call."""
    arguments: str
    """May be read by the one called."""
    chain: str
    """Of these, what only functions of the same file or called by pointers read."""
    returned: str
    """May be read after a return, though a call kills it."""


_SPARC = _Row(f"g1 {_OUTS} o7 icc xcc fcc0 fcc1 fcc2 fcc3 y", f"{_OUTS} o6 g2 g7", "g2", _OUTS)
_POWERPC = _Row(_POWERPC_KILLED, _ARGUMENTS, "r11 r12 f0", "r3 r4 r5 r6")
_ROWS = {
    "sparc-v8": _SPARC,
    "sparc-v9": _Row(f"g5 {_SPARC.killed}", f"{_OUTS} o6 g5 g7", "g5", _OUTS),
    "ppc32": _POWERPC,
    "ppc64": _Row(_POWERPC_KILLED, _ARGUMENTS.replace(" r12", ""), "r11 f0", "r3 r4 r5 r6"),
    "ppc64le": _POWERPC,
}
SAVING = re.compile(r"__sparc_get_pc_thunk\b|_(save|rest)(gpr|fpr|vr)")
"""Functions that compilers call by rules of their own."""
_READ_BY_SAVING = "r0 r1 r11 r12 " + " ".join(f"r{n}" for n in range(14, 32))
_ALWAYS_KEPT = "cr1 cr2 cr3 cr4"
"""By every entry of the glue (PowerPC): part of the agreement between sites and entries."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """Sets of registers, by name; None is all of them."""

    compiled: bool
    killed: frozenset[str]
    arguments: frozenset[str] | None
    chain: frozenset[str]
    at_return: frozenset[str] | None
    at_tail_call: frozenset[str] | None
    read_by_saving: frozenset[str]
    always_kept: frozenset[str]
    unwinder_sets: frozenset[str]
    """Hold the exception and its kind where it lands."""
    free: frozenset[str]
    """Left to probes in this file: nothing of it names them."""
    unchained: frozenset[str] = frozenset()
    """Of `chain` those in which nothing of this file puts an address."""

    def preserves(self, target: str) -> bool:
        """Return whether a call's target preserves more than the ABI requires."""
        return SAVING.match(target) is not None


def agreement_of(
    target: Target, source: str, everything: list[str], free: frozenset[str]
) -> Agreement:
    """Return what holds in one file; `everything` are all registers."""
    row = _ROWS[target.name]
    compiled = _COMPILER.search(source) is not None
    killed, arguments = frozenset(row.killed.split()), frozenset(row.arguments.split())
    at_return = frozenset(everything) - killed | frozenset(row.returned.split())
    link = frozenset(("o7", "lr"))
    return Agreement(
        compiled,
        killed,
        arguments if compiled else None,
        frozenset(row.chain.split()),
        at_return if compiled else None,
        (at_return | arguments | link) - frozenset(row.chain.split()) if compiled else None,
        frozenset(_READ_BY_SAVING.split()) if target.isa == "powerpc" else frozenset(),
        frozenset(_ALWAYS_KEPT.split()),
        frozenset(("r3", "r4") if target.isa == "powerpc" else ("i0", "i1")),
        free,
    )
