"""PowerPC, of 32 and of 64 bits."""

from __future__ import annotations

from inst.arch.model import Architecture

ARCHITECTURE = Architecture(
    name="powerpc",
    title="PowerPC",
    package=__name__,
    producers=("ppc", "power"),
    words=("ppc", "ppc64", "ppc64le"),
    wide=("64", "970"),
    little=("le",),
    local_entries=(("64le", 8),),  # ELFv2: after the two instructions that set up r2
    formats=("stf",),
)
