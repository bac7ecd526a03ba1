"""How sites of SPARC code hand over an address and keep what a call would change: by ABI.

V8: GCC never uses %g5 and %g6 and a call may change both, so both are free inside one
inserted sequence; %o7 waits in %g6.  V9: only %g6 is free, for %g5 is an ordinary register
there; where %o7 is live and an address is passed the site makes a frame for it, of which the
window spill may have the first 128 bytes at any moment, and the entry gives it back.
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
    keep_alone: tuple[str, ...]
    """The same where the entry gets no address: the address register takes it."""
    kept_value: str
    """The value register's name for an entry when it is %o7, and kept."""
    displaced: tuple[str, ...]
    """Registers that are something else behind `keep` and the call."""
    loads_into_link: bool
    """Whether a load for %o7 can run in the call's slot, into `kept_value` instead."""
    frame: int
    """Bytes of a frame that a site makes for what has no register."""
    kept_at: int
    """Distance from %sp to the first free bytes in it: behind what belongs to the window spill,
    and in 32-bit code to callees."""
    width: int
    """Bytes of an integer register."""
    store: str
    load: str
    """What stores and loads one."""
    spare: tuple[str, ...]
    """Global registers that code may use without asking the assembler."""
    bias: int
    """What %sp is less than the stack's address."""
    wide: bool
    """Integer registers have 64 bits: pairs of them, and other spaces, are decoded in C."""
    declaration: str
    """What the assembler wants to know once of a file that uses `scratch`."""


_BIAS = 2047
_WIDE_FRAME = 192
_WIDE_KEPT = _BIAS + 176

SITES = {
    "v8": Site(
        address="g5",
        scratch=("g5", "g6"),
        keep=("mov %o7,%g6",),
        keep_alone=("mov %o7,%g6",),
        kept_value="g6",
        displaced=("o7",),
        loads_into_link=True,
        frame=112,
        kept_at=96,
        width=4,
        store="st",
        load="ld",
        spare=("g1", "g2", "g3", "g4"),
        bias=0,
        wide=False,
        declaration="",
    ),
    "v9": Site(
        address="g6",
        scratch=("g6",),
        keep=(f"add %sp,-{_WIDE_FRAME},%sp", f"stx %o7,[%sp+{_WIDE_KEPT}]"),
        keep_alone=("mov %o7,%g6",),
        kept_value="o7",
        displaced=("o7", "o6"),
        loads_into_link=False,
        frame=_WIDE_FRAME,
        kept_at=_WIDE_KEPT,
        width=8,
        store="stx",
        load="ldx",
        spare=("g1", "g4", "g5"),
        bias=_BIAS,
        wide=True,
        declaration=".register %g6,#scratch",
    ),
}
"""Agreement by ABI (`Isa.abi`)."""
