"""Virtual and physical addresses: PAVADIFF records added, removed, applied."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from inst.filter.arguments import address
from inst.filter.model import Filter, Parameter, Stage
from inst.formats.rst.batch import insert
from inst.formats.rst.codes import (
    EA_VALID,
    EVENTS,
    INSTR,
    MEMVAL,
    PAIR_VALID,
    PAVADIFF,
    VARIANT,
    VIRTUAL,
)
from inst.formats.rst.groups import rst_views
from inst.formats.rst.record import encode
from inst.formats.rst.view import RstView
from inst.trace.batch import Batch, Batches
from inst.trace.model import Array


def _add(pc: int, ea: int, icontext: int, dcontext: int) -> Stage:
    """Put a PAVADIFF before the first event of each cpu that has none yet."""

    def stage(batches: Batches) -> Batches:
        stated: set[int] = set()
        for view in rst_views(batches):
            cpus, known = view.cpu_column
            places = []
            wanted = np.flatnonzero(known & ((view.codes == PAVADIFF) | EVENTS[view.codes]))
            distinct, firsts = np.unique(cpus[wanted], return_index=True)
            for cpu, row in sorted(
                zip(distinct.tolist(), wanted[firsts].tolist(), strict=True), key=lambda x: x[1]
            ):
                if cpu not in stated and view.codes[row] != PAVADIFF:
                    data = encode(
                        "pavadiff",
                        version=view.batch.version,
                        ea_valid=1,
                        cpuid=cpu,
                        icontext=icontext,
                        dcontext=dcontext,
                        pc_pa_va=pc,
                        ea_pa_va=ea,
                    )
                    places.append((int(view.starts[view.leader[row]]), data))
                stated.add(cpu)
            yield insert(view.batch, places)

    return stage


def _strip() -> Stage:
    return lambda batches: (batch.take(batch.records["rtype"] != PAVADIFF) for batch in batches)


class _Differences:
    """The differences in force on each cpu."""

    def __init__(self) -> None:
        self._pc: dict[int, int] = {}
        self._ea: dict[int, int] = {}

    def columns(self, view: RstView) -> tuple[Array, Array]:
        """Return what to add to the pc and to the ea of each row."""
        cpus, _ = view.cpu_column
        add_pc, add_ea = np.zeros(len(view), "u8"), np.zeros(len(view), "u8")
        marks = view.codes == PAVADIFF
        valid = marks & (view.raw["flags"] & PAIR_VALID != 0)
        for cpu in np.unique(cpus).tolist():
            rows = np.flatnonzero(cpus == cpu)
            for known, table, changes, column in (
                (self._pc, add_pc, marks, "first"),
                (self._ea, add_ea, valid, "second"),
            ):
                here = np.flatnonzero(changes[rows])
                found = view.raw[column][rows[here]].astype("u8")
                values = np.concatenate([np.array([known.get(cpu, 0)], "u8"), found])
                table[rows] = values[np.searchsorted(here, np.arange(len(rows)), side="right")]
                known[cpu] = int(values[-1])
        return add_pc, add_ea


def _physical() -> Stage:
    def stage(batches: Batches) -> Batches:
        differences = _Differences()
        for view in rst_views(batches):
            yield _translated(view, *differences.columns(view))

    return stage


def _translated(view: RstView, add_pc: Array, add_ea: Array) -> Batch:
    """Return the batch with physical addresses, and its differences 0."""
    records = view.raw.copy()
    instr = view.codes == INSTR
    memory = view.accesses[0] & 3 != 0
    records["first"][instr] = records["first"][instr] + add_pc[instr]
    rows = instr & memory & view.flag("ea_valid")
    records["second"][rows] = records["second"][rows] + add_ea[rows]
    # A target has the translation of the place it names, which is not known here.
    targets = instr & ~memory & view.flag("ea_valid")
    records["flags"][targets] &= np.uint8(~EA_VALID & 0xFF)
    records["second"][targets] = 0
    values = (view.codes == MEMVAL) & (view.raw["flags"] & (VARIANT | VIRTUAL) == VIRTUAL)
    records["first"][values] = records["first"][values] + add_ea[values]
    records["flags"][values] &= np.uint8(~VIRTUAL & 0xFF)
    marks = view.codes == PAVADIFF
    records["first"][marks] = 0
    records["second"][marks] = 0
    return replace(view.batch, records=records)


_DIFFERENCE = Parameter("pc", address, "HEX", 0, False)

FILTERS = (
    Filter(
        "add-pavadiff", "change", "Put a PAVADIFF (physical minus virtual address, and contexts) "
        "before the first event of each cpu that has none.", "add-pavadiff pc=400000 ea=400000",
        _add,
        (
            _DIFFERENCE,
            Parameter("ea", address, "HEX", 0, False),
            Parameter("icontext", address, "HEX", 0, False),
            Parameter("dcontext", address, "HEX", 0, False),
        ),
        "rst",
    ),
    Filter(
        "strip-pavadiff", "change", "Remove PAVADIFF records: addresses are virtual and nothing "
        "more.",
        "strip-pavadiff", _strip, (), "rst",
    ),
    Filter(
        "physical", "change", "Make addresses physical: add the differences in force to each pc "
        "and "
        "each access's address, and make the differences 0. Branch targets, which PAVADIFF does "
        "not "
        "translate, are left out. Wide values (MEMVAL128) keep their address.", "physical",
        _physical,
        (), "rst",
    ),
)  # fmt: skip
