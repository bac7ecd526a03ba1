"""The instruction words that the STF library names: C tables, generated when it is built.

What a word accesses, and by which registers, follows what readers of STF expect, so that they
interpret a trace as its writer meant it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from inst.arch.powerpc.words import accesses
from inst.arch.powerpc.words.operands import FROM_XER, displacement_mask, operands_of

_UNKNOWN = ".word"


@dataclass(frozen=True, slots=True)
class Form:
    """A row of the C table `forms`: words of hooks/stf/stf.h."""

    name: str
    bank: str = "NO_BANK"
    flags: str = "0"
    displacement: int = 0


def tables() -> dict[str, Any]:
    """Return what the template of the C tables is rendered with."""
    by_key = {key: _form(word) for key, word in accesses.samples().items()}
    prefixed = {key: _form(accesses.prefixed_sample(key)) for key in accesses.BY_PREFIX}
    forms = [Form(_UNKNOWN), *dict.fromkeys([*by_key.values(), *prefixed.values()])]
    numbers = {form: number for number, form in enumerate(forms)}

    def places(found: dict[int, Form]) -> list[tuple[int, int]]:
        return [(key, numbers[form]) for key, form in sorted(found.items())]

    return {"forms": forms, "places": places(by_key), "prefixed": places(prefixed)}


def _form(word: int) -> Form:
    operands = operands_of(word)
    assert operands is not None
    mask = 0 if word >> 32 else displacement_mask(word)
    bank = {"R": "GENERAL", "F": "DOUBLE", "": "NO_BANK"}[operands.bank]
    bank = {"single": "SINGLE", "low": "INTEGER_BITS"}.get(operands.form, bank)
    flags = {
        "IS_ACCESS": True,
        "INDEXED": operands.index >= 0,
        "UPDATES": operands.updates,
        "REVERSED": operands.form == "reversed",
        "ALGEBRAIC": operands.form == "algebraic",
        "ASCENDING": operands.form == "ascending",
        "LENGTH_IN_XER": operands.length == FROM_XER,
    }
    chosen = " | ".join(flag for flag, is_set in flags.items() if is_set)
    return Form(operands.access.mnemonic, bank, chosen, mask)
