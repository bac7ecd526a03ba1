"""What an instruction word does, for a producer's word for its architecture.

The tables are `inst.words.powerpc`, `inst.words.sparc` and `inst.words.transfers`.
"""

from __future__ import annotations

from inst.arch.registry import architecture, produced_by, unknown
from inst.words.access import Access, Array
from inst.words.model import Transfers, Words

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


def words_of(arch: str) -> Words:
    """Return the decoders for a producer's word."""
    return architecture(family(arch)).part(Words)


def access_of(word: int, arch: str) -> Access | None:
    """Return the memory access an instruction word makes, or None."""
    return words_of(arch).access_of(word, has_spe(arch))


def lookup(words: Array, arch: str) -> tuple[Array, Array]:
    """Return for a column of instruction words what each accesses (bits) and the size."""
    return words_of(arch).lookup(words.astype("u4"), has_spe(arch))


def transfers_of(words: Array, addresses: Array, arch: str) -> Transfers:
    """Decode how a column of instruction words at these addresses transfers control."""
    return words_of(arch).transfers(words.astype("i8"), addresses.astype("u8"))


def have_addresses(words: Array, arch: str) -> Array:
    """Return which words have a target, or an address although they access no memory."""
    return words_of(arch).have_addresses(words.astype("u4"))
