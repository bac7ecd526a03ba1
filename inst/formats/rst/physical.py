"""Physical addresses of the events of an RST trace: what PAVADIFF records add to virtual ones."""

from __future__ import annotations

import numpy as np

from inst.formats.rst.codes import PAIR_VALID, PAVADIFF
from inst.formats.rst.record import RstBatch
from inst.trace.model import Array, Flag, Kind, Trace


class Physical:
    """Follows a trace while it is read; the differences of each cpu hold from their record on."""

    def __init__(self, trace: Trace) -> None:
        self._records: dict[int, list[int]] = {}
        self._differences: dict[int, list[int]] = {}
        trace.observe(self._take)

    def _take(self, batch: RstBatch) -> None:
        marks = (batch.raw["rtype"] == PAVADIFF) & (batch.raw["flags"] & PAIR_VALID != 0)
        rows = np.flatnonzero(marks)
        if not len(rows):
            return
        cpus = batch.column("pavadiff", "cpuid", rows)
        differences = batch.raw["second"][rows]
        for row, cpu, difference in zip(
            rows.tolist(), cpus.tolist(), differences.tolist(), strict=True
        ):
            self._records.setdefault(cpu, []).append(batch.first + row)
            self._differences.setdefault(cpu, []).append(difference)

    def of(self, events: Array) -> tuple[Array, Array]:
        """Return the physical addresses of a batch, and which are known and not the virtual ones.

        Batches have to come in their order.
        """
        added = np.zeros(len(events), "u8")
        for cpu in np.unique(events["cpu"]).tolist() if self._records else ():
            records = self._records.get(cpu)
            if not records:
                continue
            rows = np.flatnonzero(events["cpu"] == cpu)
            at = np.searchsorted(np.array(records, "u8"), events["record"][rows], "right")
            differences = np.array([0, *self._differences[cpu]], "u8")
            added[rows] = differences[at]
            passed = int(at.max()) - 1
            if passed > 0:
                del records[:passed], self._differences[cpu][:passed]
        memory = np.isin(events["kind"], (Kind.READ, Kind.WRITE, Kind.RESERVE))
        memory &= events["flags"] & int(Flag.HAS_ADDRESS) != 0
        return events["address"] + added, memory & (added != 0)
