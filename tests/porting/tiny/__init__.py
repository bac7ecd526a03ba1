"""An invented instruction set: two loads, one store, a branch. `docs/porting.md` follows it."""

from __future__ import annotations

from inst.arch.model import Architecture

ARCHITECTURE = Architecture(
    name="tiny",
    title="Tiny",
    package=__name__,
    producers=("tiny",),
    words=("tiny",),
)
