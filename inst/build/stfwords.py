"""The instruction words that the STF library names: C tables, generated when it is built.

What a word accesses, and by which registers, follows what readers of STF expect, so that they
interpret a trace as its writer meant it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from inst.words import decode
from inst.words.disassemble import disassembler
from inst.words.powerpc_access import FROM_XER, operands_of

EXTENDED = 31
"""The primary opcode whose words have an extended one."""
SHORT = (57, 58, 61, 62)
"""Primary opcodes whose words are distinguished by their two low bits."""
_OPERANDS = 3 << 21 | 4 << 16 | 5 << 11
"""Registers that no form treats as a special case."""
_UNKNOWN = ".word"


@dataclass(frozen=True, slots=True)
class Form:
    """A row of the C table `forms`: words of hooks/stf/stf.h."""

    name: str
    bank: str = "NO_BANK"
    flags: str = "0"
    displacement: str = "0"


def tables() -> dict[str, Any]:
    """Return what the template of the C tables is rendered with."""
    name_of = disassembler("ppc64")
    forms = [Form(_UNKNOWN)]

    def numbered(words: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        found = []
        for place, word in words:
            form = _form(word, name_of(word, 0).partition(" ")[0])
            if form.name != _UNKNOWN:
                if form not in forms:
                    forms.append(form)
                found.append((place, forms.index(form)))
        return found

    direct = [n for n in range(64) if n not in (EXTENDED, *SHORT)]
    return {
        "primary": numbered((n, n << 26 | _OPERANDS) for n in direct),
        "short": numbered((n * 4 + low, n << 26 | _OPERANDS | low)
                          for n in SHORT for low in range(4)),
        "extended": numbered((n, EXTENDED << 26 | _OPERANDS | n << 1 | _is_recording(n))
                             for n in range(1024)),
        "forms": forms,
    }  # fmt: skip


def _is_recording(extended: int) -> bool:
    """Return whether only words with their lowest bit set are instructions: the dotted ones."""
    access = decode.POWERPC_EXTENDED.get(extended)
    return access is not None and access.mnemonic.endswith(".")


def _form(word: int, name: str) -> Form:
    operands = operands_of(word)
    if operands is None:
        return Form(name)
    bank = {"R": "GENERAL", "F": "DOUBLE", "": "NO_BANK"}[operands.bank]
    bank = {"single": "SINGLE", "low": "INTEGER_BITS"}.get(operands.form, bank)
    flags = {
        "IS_ACCESS": True,
        "INDEXED": operands.index >= 0,
        "UPDATES": operands.updates,
        "REVERSED": operands.form == "reversed",
        "ALGEBRAIC": operands.form == "algebraic",
        "LENGTH_IN_XER": operands.length == FROM_XER,
    }
    chosen = " | ".join(flag for flag, is_set in flags.items() if is_set)
    return Form(operands.access.mnemonic, bank, chosen, _displacement_mask(word))


def _displacement_mask(word: int) -> str:
    """Return which bits of a word are its displacement; those of lswi are its length."""
    primary = word >> 26
    return (
        "0"
        if primary == EXTENDED
        else {56: "0xfff0", 58: "0xfffc", 62: "0xfffc"}.get(primary, "0xffff")
    )
