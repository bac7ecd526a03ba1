"""Which instructions of an STF trace leave other values than they compute or can load."""

from __future__ import annotations

import numpy as np

from inst.arch.powerpc.words.results import FIELDS, Computation, computations, special_moves
from inst.formats.stf.facts import FORMS, facts_of
from inst.formats.stf.moments import COUNT, LINK, Moments, Wrong
from inst.trace.model import Array
from inst.words.access import READ

_ALGEBRAIC = FORMS.index("algebraic")
_SPECIAL = {"lr": LINK, "ctr": COUNT}
_NAMES = {LINK: "lr", COUNT: "ctr"}


def results(moments: Moments) -> list[Wrong]:
    """Return the computations whose result is not what the registers before them give."""
    found: list[Wrong] = []
    for computation, rows in computations(moments.words):
        found += _computed(moments, computation, rows)
    return found


def _computed(moments: Moments, computation: Computation, rows: Array) -> list[Wrong]:
    words, known, values = moments.words[rows], np.ones(len(rows), "?"), []
    for name in computation.sources:
        register = words >> FIELDS[name] & 31
        value, here = moments.before(register, rows)
        if name == "z":
            value, here = np.where(register == 0, np.uint64(0), value), here | (register == 0)
        values.append(value)
        known &= here & moments.general[rows]
    expected = computation.compute(words, *values) & moments.mask
    return _compare(moments, rows, words >> FIELDS[computation.target] & 31, expected, known)


def loads(moments: Moments) -> list[Wrong]:
    """Return updates of a base to another address, and loads of what the memory cannot hold."""
    words, places = np.unique(moments.columns.word[: moments.count], return_inverse=True)
    facts = facts_of(words)[places]
    rows = np.flatnonzero((facts["updates"] != 0) & (facts["base"] >= 0))
    address, known = _addresses(moments, facts[rows], rows)
    found = _compare(moments, rows, facts["base"][rows], address, known)
    narrow = (facts["what"] == READ) & (facts["bank"] == 0) & (facts["multiple"] == 0)
    narrow &= (facts["size"] > 0) & (facts["size"] < (8 if moments.wide else 4))
    rows = np.flatnonzero(narrow)
    return found + _fits(moments, facts[rows], rows)


def _addresses(moments: Moments, facts: Array, rows: Array) -> tuple[Array, Array]:
    address, known = facts["displacement"].copy().view("u8"), np.ones(len(rows), "?")
    for name in ("base", "index"):
        absent = facts[name] < 0
        value, here = moments.before(np.maximum(facts[name], 0), rows)
        address += np.where(absent, np.uint64(0), value)
        known &= (here & moments.general[rows]) | absent
    return address & moments.mask, known


def _fits(moments: Moments, facts: Array, rows: Array) -> list[Wrong]:
    """Compare what narrow loads give with the same bits, extended as the load extends them."""
    value, _ = moments.after(facts["number"], rows)
    shift = (64 - 8 * facts["size"]).astype("u8")
    top = value << shift
    signed = (top.view("i8") >> shift.astype("i8")).view("u8")
    expected = np.where(facts["form"] == _ALGEBRAIC, signed, top >> shift) & moments.mask
    return _compare(moments, rows, facts["number"], expected, np.ones(len(rows), "?"))


def moves(moments: Moments) -> list[Wrong]:
    """Return moves to and from lr and ctr that give another value."""
    found: list[Wrong] = []
    for name, comes, goes in special_moves(moments.words):
        value, known = moments.status_before(_SPECIAL[name], comes)
        found += _compare(moments, comes, moments.words[comes] >> FIELDS["t"] & 31, value, known)
        value, known = moments.before(moments.words[goes] >> FIELDS["t"] & 31, goes)
        known &= moments.general[goes]
        found += compare_status(moments, goes, _SPECIAL[name], value, known)
    return found


def _compare(
    moments: Moments, rows: Array, registers: Array, expected: Array, known: Array
) -> list[Wrong]:
    value, stated = moments.after(registers, rows)
    wrong = known & stated & (value != expected)
    names = [f"R{number:02d}" for number in registers[wrong].tolist()]
    return _unlike(rows[wrong], names, value[wrong], expected[wrong])


def compare_status(
    moments: Moments, rows: Array, register: int, expected: Array, known: Array
) -> list[Wrong]:
    """Return the instructions after which lr or ctr is not as expected, where that is known."""
    value, stated = moments.status_after(register, rows)
    wrong = known & stated & (value != expected)
    names = [_NAMES[register]] * int(wrong.sum())
    return _unlike(rows[wrong], names, value[wrong], expected[wrong])


def _unlike(rows: Array, names: list[str], values: Array, expected: Array) -> list[Wrong]:
    columns = zip(rows.tolist(), names, values.tolist(), expected.tolist(), strict=True)
    return [
        Wrong(row, "stf-result", f"{name} is {have:#x} after the instruction, not {right:#x}", True)
        for row, name, have, right in columns
    ]
