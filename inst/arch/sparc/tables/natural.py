"""Mnemonics of natural width: GNU as takes each for another one, by the width of the code."""

from __future__ import annotations

NATURAL = {
    # name in code of either width: name in 32-bit code, in 64-bit code
    "ldn": ("ld", "ldx"),
    "ldna": ("lda", "ldxa"),
    "stn": ("st", "stx"),
    "stna": ("sta", "stxa"),
    "slln": ("sll", "sllx"),
    "srln": ("srl", "srlx"),
    "sran": ("sra", "srax"),
    "casn": ("cas", "casx"),
    "casna": ("casa", "casxa"),
    "clrn": ("clr", "clrx"),
}


def of_width(bits: int) -> dict[str, str]:
    """Return natural mnemonic -> what it is in code of that width."""
    return {name: pair[bits == 64] for name, pair in NATURAL.items()}
