"""What PowerPC instruction words do to registers and memory, by columns."""

from __future__ import annotations

import functools

import numpy as np

from inst.arch.powerpc.words.operands import alignment, operands_of
from inst.arch.powerpc.words.transfers import are_system_calls
from inst.formats.stf.columns import (
    FLOATING,
)
from inst.trace.model import Array
from inst.words.decode import transfers_of
from inst.words.singles import single_of

STRING, MULTIPLE, PAIR = 1, 2, 3
"""Of several events: string forms, lmw and stmw, pairs of vector registers."""
HALF = 16
"""Bytes of each of two vector registers."""
FORMS = ("", "reversed", "single", "low", "algebraic", "ascending")
_FACTS = np.dtype(
    [(name, "i8") for name in ("what", "size", "base", "index", "displacement", "bank", "number",
                               "form", "multiple", "reserve", "length", "align", "updates",
                               "relative", "branch", "system")]
)  # fmt: skip
"""What a word's operands are; multiple: 0, or STRING and the like; bank: first register's number,
-1 for none."""


def in_memory(value: Array, size: Array, form: Array) -> Array:
    """Return what registers' values are in memory, as numbers of `size` bytes."""
    bits = (8 * np.clip(size, 1, 8)).astype("u8")
    plain = value & np.uint64(0xFFFFFFFFFFFFFFFF) >> np.uint64(64) - bits
    reverse = np.flatnonzero(form == FORMS.index("reversed"))
    plain[reverse] = plain[reverse].byteswap() >> np.uint64(64) - bits[reverse]
    single = np.flatnonzero(form == FORMS.index("single"))
    if len(single):
        distinct, places = np.unique(value[single], return_inverse=True)
        plain[single] = np.array([single_of(each) for each in distinct.tolist()], "u8")[places]
    return np.asarray(plain)


def facts_of(words: Array) -> Array:
    """Return the facts of a column of words."""
    found = np.array([_facts(word) for word in words.tolist()], _FACTS)
    others = found["what"] == 0
    found["branch"] = others & transfers_of(words, np.zeros(len(words)), "ppc").is_transfer
    found["system"] = others & are_system_calls(words)
    return found


@functools.lru_cache(maxsize=1 << 16)
def _facts(word: int) -> tuple[int, ...]:
    operands = operands_of(word)
    if operands is None:
        return (0, 0, -1, -1, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0)
    access = operands.access
    bank = {"R": 0, "F": FLOATING}.get(operands.bank, -1)
    several = 0 if not access.multiple else STRING if operands.length else MULTIPLE
    several = PAIR if access.size == 2 * HALF else several
    return (
        access.what, access.size, operands.base, operands.index, operands.displacement, bank,
        operands.number, FORMS.index(operands.form), several, access.reserve, operands.length,
        alignment(operands), operands.updates, operands.relative, 0, 0,
    )  # fmt: skip
