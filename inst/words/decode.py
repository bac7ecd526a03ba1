"""Which memory access an instruction word makes, for a producer's architecture word.

The tables are `inst.words.powerpc` and `inst.words.sparc`; `lookup` decodes whole columns of words.
"""

from __future__ import annotations

from inst.arch.registry import produced_by, unknown
from inst.words import powerpc, sparc
from inst.words.access import (
    Access,
    Array,
)

MULTIPLE_LIMIT = 128
"""Bytes the longest multiple or string access moves: 32 registers of 4."""

_DEFAULT = "sparc"
"""RST traces whose producers name no architecture are SPARC's: the format was made for it."""


def family(arch: str) -> str:
    """Return the key of the instruction set that a producer's word means; another is an error."""
    found = produced_by(arch or _DEFAULT)
    if found is None:
        raise unknown(arch)
    return found.name


def has_spe(arch: str) -> bool:
    """Return whether words under primary opcode 4 are SPE's for a producer's word."""
    return arch.lower().endswith("spe")


def is_known(arch: str) -> bool:
    """Return whether the word is one for an instruction set that is read here."""
    return produced_by(arch) is not None


def access_of(word: int, arch: str) -> Access | None:
    """Return the memory access an instruction word makes, or None."""
    if family(arch) == "powerpc":
        return powerpc.access_of(word, has_spe(arch))
    return sparc.access_of(word)


def lookup(words: Array, arch: str) -> tuple[Array, Array]:
    """Return for a column of instruction words what each accesses (bits) and the size."""
    words = words.astype("u4")
    if family(arch) == "powerpc":
        return powerpc.lookup(words, has_spe(arch))
    return sparc.lookup(words)
