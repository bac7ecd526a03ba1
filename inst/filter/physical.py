"""Virtual and physical addresses: PAVADIFF records added, removed, applied.

Where a processor has no PAVADIFF record, its TLB records say the same.
"""

from __future__ import annotations

from collections.abc import Iterator
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
from inst.formats.rst.tlb import Buffers, Columns
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
        self._buffers = Buffers()
        self._stated: set[int] = set()
        """Processors with PAVADIFF records, whose TLB records no longer count."""

    def columns(self, view: RstView) -> tuple[Array, Array]:
        """Return what to add to the pc and to the ea of each row."""
        cpus, _ = view.cpu_column
        add_pc, add_ea = np.zeros(len(view), "u8"), np.zeros(len(view), "u8")
        marks = view.codes == PAVADIFF
        valid = marks & (view.raw["flags"] & PAIR_VALID != 0)
        buffers = self._buffers.columns(view.rst, view.batch.source.arch)
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
            if cpu not in self._stated and cpu in self._buffers.used:
                before = rows[np.cumsum(marks[rows]) == 0]
                add_pc[before] = buffers.pc[before]
                add_ea[before] = buffers.ea[view.leader[before]]
            self._stated.update([cpu] if marks[rows].any() else [])
        return add_pc, add_ea


def _from_buffers() -> Stage:
    """Put a PAVADIFF before each instruction that the TLB records translate otherwise."""

    def stage(batches: Batches) -> Batches:
        buffers = Buffers()
        last: dict[int, tuple[int, ...]] = {}
        for view in rst_views(batches):
            columns = buffers.columns(view.rst, view.batch.source.arch)
            yield insert(view.batch, list(_changes(view, columns, last)))

    return stage


def _changes(
    view: RstView, columns: Columns, last: dict[int, tuple[int, ...]]
) -> Iterator[tuple[int, bytes]]:
    """Yield where a PAVADIFF is needed, and it; `last` are those of each cpu so far."""
    numbers, _ = view.cpu_column
    rows = np.flatnonzero(columns.pc_known | columns.ea_known)
    kept = ("pc", "ea", "icontext", "dcontext", "pc_known", "ea_known")
    table = np.stack([numbers[rows], *(getattr(columns, name)[rows] for name in kept)], axis=1)
    fresh = np.ones(len(rows), bool)
    fresh[1:] = (table[1:] != table[:-1]).any(axis=1)
    for row, values in zip(rows[fresh].tolist(), table[fresh].tolist(), strict=True):
        cpu, pc, ea, icontext, dcontext, pc_known, ea_known = values
        old_pc, old_ea, _, old_dcontext, old_valid = last.get(cpu, (0, 0, 0, 0, 0))
        pc = pc if pc_known else old_pc
        new = pc, ea, icontext, dcontext, 1
        if not ea_known:
            new = pc, old_ea, icontext, old_dcontext, old_valid
        if cpu not in last or new != last[cpu]:
            last[cpu] = new
            yield int(view.starts[view.leader[row]]), encode(
                "pavadiff", version=view.batch.version, cpuid=cpu, ea_valid=new[4],
                pc_pa_va=pc, ea_pa_va=new[1], icontext=icontext, dcontext=new[3],
            )  # fmt: skip


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
        "tlb-pavadiff", "change", "Put a PAVADIFF before each instruction whose pages the TLB "
        "records translate otherwise than the last PAVADIFF, for readers that know only those.",
        "tlb-pavadiff", _from_buffers, (), "rst",
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
        "translate, are left out. A cpu without a PAVADIFF is translated by its TLB records. Wide "
        "values (MEMVAL128) keep their address.", "physical",
        _physical,
        (), "rst",
    ),
)  # fmt: skip
