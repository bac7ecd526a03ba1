"""From an instruction word to its facts in the translator's tables.

The word is disassembled and the text is looked up in `inst.isa`, the same tables that
instrumented the program; where the disassembler has no text, or one that assemblers would
read otherwise, the word's fields are read here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inst import isa
from inst.errors import InstError
from inst.isa.model import Facts, RegisterFile
from inst.words import decode as trace_decode
from inst.words import powerpc_text, sparc_text
from inst.words.disassemble import disassembler

NOWHERE = 0x10000000
"""Stands for the address while facts are looked up: they do not depend on it."""

UNKNOWN = ".word"


@dataclass(frozen=True, slots=True)
class Decoded:
    """An instruction word with its text and facts; facts are None if nothing decodes it."""

    mnemonic: str
    operands: str
    facts: Facts | None


def registers_of(arch: str) -> RegisterFile:
    """Return the registers of a producer's architecture word."""
    return isa.get(trace_decode.family(arch)).registers


def version_of(arch: str) -> int:
    """Return 8 or 9 for SPARC; an old trace without a version is V9."""
    return 8 if "8" in arch or arch == "sparc" else 9


def decoder(arch: str) -> Callable[[int], Decoded]:
    """Return a function from instruction words to their text and facts, for a producer's word."""
    family = trace_decode.family(arch)
    facts_of = isa.get(family).facts
    candidates = (_powerpc if family == "powerpc" else _sparc)(arch)

    def decode(word: int) -> Decoded:
        for mnemonic, operands in candidates(word):
            try:
                return Decoded(mnemonic, operands, facts_of(mnemonic, operands))
            except InstError:
                continue
        return Decoded(UNKNOWN, f"0x{word:08x}", None)

    return decode


Candidates = Callable[[int], "list[tuple[str, str]]"]
"""From a word to the texts it may have, the likelier first."""


def _split(text: str) -> tuple[str, str]:
    mnemonic, _, operands = text.partition(" ")
    return mnemonic, operands


def _sparc(arch: str) -> Candidates:
    version, text = version_of(arch), disassembler(arch)

    def candidates(word: int) -> list[tuple[str, str]]:
        own = sparc_text.text_of(word, version)
        if own is not None:
            return [own]
        return [sparc_text.corrected(*_split(text(word, NOWHERE)))]

    return candidates


_ALWAYS = 0x14 << 21
"""The bits of a conditional branch's option that make it unconditional."""


def _powerpc(arch: str) -> Candidates:
    text = disassembler(arch)

    def candidates(word: int) -> list[tuple[str, str]]:
        found = []
        # Of absolute branches capstone omits the target; what always branches it prints as bdnz.
        if word >> 26 != 16 or (word & 2 == 0 and word & _ALWAYS != _ALWAYS):
            found.append(powerpc_text.corrected(*_split(text(word, NOWHERE))))
        if word >> 26 == 31 and word & powerpc_text.OVERFLOW:
            mnemonic, operands = _split(text(word & ~powerpc_text.OVERFLOW, NOWHERE))
            found.append((powerpc_text.with_overflow(mnemonic), operands))
        own = powerpc_text.text_of(word)
        return [*found, own] if own else found

    return candidates
