"""Which memory access an instruction word makes, for a producer's architecture word.

The tables are `inst.words.powerpc` and `inst.words.sparc`; `lookup` decodes whole columns of words.
"""

from __future__ import annotations

from inst.errors import InstError
from inst.words import powerpc, sparc
from inst.words.access import (
    Access,
    Array,
)

MULTIPLE_LIMIT = 128
"""Bytes the longest multiple or string access moves: 32 registers of 4."""

_FAMILIES = {"ppc": "powerpc", "power": "powerpc", "sparc": "sparc"}
"""What a producer's word for an architecture begins with -> the instruction set."""


def family(arch: str) -> str:
    """Return "powerpc" or "sparc" for a producer's word; raise an error for any other word.

    An RST trace whose producer names no architecture is SPARC's: the format was made for it.
    """
    if not arch:
        return "sparc"
    for prefix, name in _FAMILIES.items():
        if arch.lower().startswith(prefix):
            return name
    known = " and ".join(f"`{prefix}...`" for prefix in _FAMILIES)
    raise InstError(
        f"the instruction words of the architecture `{arch}` are not known here",
        hint=f"the producer's words that begin with {known} are",
    )


def has_spe(arch: str) -> bool:
    """Return whether words under primary opcode 4 are SPE's for a producer's word."""
    return arch.lower().endswith("spe")


def is_known(arch: str) -> bool:
    """Return whether the word is one for an instruction set that is read here."""
    return arch.lower().startswith(tuple(_FAMILIES))


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
