"""Accesses that records state: of instructions of one word by INSTRs, of those of two by EVENTs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from inst.formats.rec.instrumented import Program
from inst.formats.rst.codes import EVENT_PC, EVENT_RECORD, EVENT_SIZE, INSTR, MEMVAL
from inst.trace.model import Array, Kind


@dataclass(frozen=True, slots=True)
class Stated:
    """Records, with what they state of accesses."""

    codes: Array
    """The types of the records; as if every access were an INSTR, and values after it."""
    valued: Array
    """Which records have a value."""
    values: Array
    """u8, of those."""
    heads: Array
    """Which records begin an access."""
    pcs: Array
    """u8, of each access."""
    instructions: Array
    """Of each access, as `Words.prefix` says."""


def stated(records: Array, program: Program) -> Stated:
    """Return what records state."""
    codes = records["rtype"]
    valued, values = codes == MEMVAL, records["second"].astype("u8")
    heads = np.flatnonzero(codes == INSTR)
    pcs, words = records["first"][heads].astype("u8"), records["word"][heads].astype("u4")
    if program.words.prefix is None or not len(own := _own(records)):
        return Stated(codes, valued, values, heads, pcs, words)
    own_pcs = records["first"][own + 1].astype("u8")
    instructions = program.instructions(own_pcs)
    is_long = instructions >> np.uint64(32) != 0
    own, own_pcs, instructions = own[is_long], own_pcs[is_long], instructions[is_long]
    codes = codes.copy()
    codes[own], codes[own + 1], codes[own + 2] = INSTR, MEMVAL, MEMVAL
    is_wide = records["first"][own + 2] > values.itemsize
    low, high = values[own], values[own + 2]
    swapped = is_wide & (program.target.byte_order == "big")
    values[own + 1], values[own + 2] = np.where(swapped, (high, low), (low, high))
    valued[own + 1], valued[own + 2] = True, is_wide
    order = np.argsort(np.concatenate([heads, own]), kind="stable")
    return Stated(
        codes,
        valued,
        values,
        np.concatenate([heads, own])[order],
        np.concatenate([pcs, own_pcs])[order],
        np.concatenate([words.astype("u8"), instructions])[order],
    )


def _own(records: Array) -> Array:
    """Return where events of accesses begin that have a place and a size."""
    codes = records["rtype"]
    found = (codes[:-2] == EVENT_RECORD) & np.isin(records["flags"][:-2], (Kind.READ, Kind.WRITE))
    return np.flatnonzero(found & (codes[1:-1] == EVENT_PC) & (codes[2:] == EVENT_SIZE))
