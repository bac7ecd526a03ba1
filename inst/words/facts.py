"""From an instruction word to its facts in the translator's tables.

The word is disassembled and the text is looked up in `inst.isa`, the same tables that
instrumented the program; where the disassembler has no text, or one that assemblers would
read otherwise, the word's fields are read here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inst import isa
from inst.arch.registry import is_wide, producer
from inst.errors import InstError
from inst.isa.model import Facts, Isa, RegisterFile, Tables
from inst.words.disassemble import disassembler
from inst.words.model import Words

UNKNOWN = ".word"


@dataclass(frozen=True, slots=True)
class Decoded:
    """An instruction word with its text and facts; facts are None if nothing decodes it."""

    mnemonic: str
    operands: str
    facts: Facts | None


def registers_of(arch: str) -> RegisterFile:
    """Return the registers of a producer's architecture word."""
    return isa.get(producer(arch).name).registers


def _of_width(tables: Tables, bits: int) -> Isa:
    """Return the instructions of code of that width, where an instruction set has it."""
    return next((one for one in tables.isas if one.bits == bits), tables.isas[0])


def decoder(arch: str) -> Callable[[int], Decoded]:
    """Return a function from instruction words to their text and facts, for a producer's word."""
    found = producer(arch)
    facts_of = _of_width(found.part(Tables), 64 if is_wide(arch) else 32).facts
    candidates = found.part(Words).candidates(arch, disassembler(arch))

    def decode(word: int) -> Decoded:
        for mnemonic, operands in candidates(word):
            try:
                return Decoded(mnemonic, operands, facts_of(mnemonic, operands))
            except InstError:
                continue
        return Decoded(UNKNOWN, f"0x{word:08x}", None)

    return decode
