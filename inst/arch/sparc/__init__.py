"""SPARC, Versions 8 and 9."""

from __future__ import annotations

from inst.arch.model import Architecture

ARCHITECTURE = Architecture(
    name="sparc",
    title="SPARC",
    package=__name__,
    producers=("sparc",),
    words=("sparc", "sparc-v8", "sparc64"),
    wide=("64", "v9"),
    unnamed="sparc-v9",
)
