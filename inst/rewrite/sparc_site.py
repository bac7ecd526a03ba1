"""How sites of SPARC code hand over an address and keep what a call would change: by ABI.

V8: GCC never uses %g5 and %g6 and a call may change both, so both are free inside one
inserted sequence; %o7 waits in %g6.  V9: only %g6 is free, for %g5 is an ordinary register
there; where %o7 is live the site makes a frame for it, of which the window spill may have the
first 128 bytes at any moment, and the entry gives it back.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Site:
    """One ABI's agreement between sites and the entries they call (`inst.glue`)."""

    address: str
    """Register in which the entry finds the effective address."""
    scratch: tuple[str, ...]
    """Registers that sites and entries change."""
    keep: tuple[str, ...]
    """Instructions that put %o7 where the entry finds it (flag `k`)."""
    kept_value: str
    """The value register's name for an entry when it is %o7, and kept."""
    displaced: tuple[str, ...]
    """Registers that are something else behind `keep` and the call."""
    loads_into_link: bool
    """Whether a load for %o7 can run in the call's slot, into `kept_value` instead."""
    wide: bool
    """Integer registers have 64 bits: pairs of them, and other spaces, are decoded in C."""
    declaration: str
    """What the assembler wants to know once of a file that uses `scratch`."""


SITES = {
    "v8": Site(
        address="g5",
        scratch=("g5", "g6"),
        keep=("mov %o7,%g6",),
        kept_value="g6",
        displaced=("o7",),
        loads_into_link=True,
        wide=False,
        declaration="",
    ),
    "v9": Site(
        address="g6",
        scratch=("g6",),
        keep=("add %sp,-192,%sp", "stx %o7,[%sp+2223]"),
        kept_value="o7",
        displaced=("o7", "o6"),
        loads_into_link=False,
        wide=True,
        declaration=".register %g6,#scratch",
    ),
}
"""Agreement by ABI (`Isa.abi`)."""
