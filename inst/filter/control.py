"""Control transfer in RST: targets filled in, untaken branches and annulled slots made alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from inst.filter.arguments import choice
from inst.filter.model import Filter, Parameter, Stage
from inst.formats.rst.codes import ANNULLED, EA_VALID, INSTR, TAKEN, TRAPPED
from inst.formats.rst.groups import rst_views
from inst.formats.rst.view import RstView
from inst.trace import branches as branch_words
from inst.trace.batch import Batch
from inst.trace.model import Array


def _each(change: Callable[[RstView], Batch]) -> Stage:
    return lambda batches: (change(view) for view in rst_views(batches))


def _done(view: RstView) -> Array:
    """Which rows are instructions that neither were annulled nor trapped."""
    return np.asarray((view.codes == INSTR) & (view.raw["flags"] & (ANNULLED | TRAPPED) == 0), bool)


def _fill_targets() -> Stage:
    def change(view: RstView) -> Batch:
        branches = view.branches
        always = branches.direct & ~branches.conditional
        taken = (view.raw["flags"] & TAKEN != 0) | always
        lacking = view.raw["flags"] & EA_VALID == 0
        rows = _done(view) & branches.direct & taken & lacking
        records = view.raw.copy()
        records["second"][rows] = branches.target[rows]
        records["flags"][rows] |= EA_VALID | TAKEN
        return replace(view.batch, records=records)

    return _each(change)


def _untaken(ea: str) -> Stage:
    def change(view: RstView) -> Batch:
        branches = view.branches
        rows = _done(view) & branches.conditional & (view.raw["flags"] & TAKEN == 0)
        if ea == "target":
            rows &= branches.direct
        records = view.raw.copy()
        if ea == "none":
            records["second"][rows] = 0
            records["flags"][rows] &= np.uint8(~EA_VALID & 0xFF)
        else:
            step = np.uint64(branch_words.slot(view.batch.source.arch))
            following = view.raw["first"].astype("u8") + step
            records["second"][rows] = (branches.target if ea == "target" else following)[rows]
            records["flags"][rows] |= EA_VALID
        return replace(view.batch, records=records)

    return _each(change)


def _annulled(how: str) -> Stage:
    def change(view: RstView) -> Batch:
        slots = view.flag("annulled")
        belonging = slots[view.leader]
        if how == "drop":
            return view.batch.take(~belonging)
        records = view.raw.copy()
        records["flags"][slots] &= np.uint8(~(EA_VALID | TRAPPED | TAKEN) & 0xFF)
        records["second"][slots] = 0
        return replace(view.batch, records=records).take(~belonging | slots)

    return _each(change)


FILTERS = (
    Filter(
        "fill-targets", "change", "Give taken direct branches and calls without an effective "
        "address "
        "their target, from the instruction word.", "fill-targets", _fill_targets, (), "rst",
    ),
    Filter(
        "untaken", "change", "Make untaken conditional branches alike: without effective address "
        "(ea=none, as the format says), with the next address (next: pc+8 on SPARC, pc+4 on "
        "PowerPC) "
        "or with the target not taken.", "untaken ea=none", _untaken,
        (Parameter("ea", choice("none", "next", "target"), "none|next|target", "none", False),),
        "rst",
    ),
    Filter(
        "annulled", "change", "Remove annulled delay slots, or compress them: all that is left "
        "is pc, "
        "word and the mark, without address and values, so that equal slots are equal records.",
        "annulled drop", _annulled, (Parameter("how", choice("drop", "compress"),
        "drop|compress"),),
        "rst",
    ),
)  # fmt: skip
