"""What PAVADIFF and PHYSADDR records state of physical addresses, and whether they agree.

PHYSADDR has the physical address of the pc that follows, and PAVADIFF the differences (physical
minus virtual) from there on: both are before the instruction. Older traces may have
TLB records instead of PAVADIFF.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.formats.rst import FORMAT
from inst.formats.rst.codes import PAIR_VALID, PAVADIFF, PHYSADDR, TLB
from inst.formats.rst.record import RstBatch
from inst.formats.rst.tlb import Buffers, Columns
from inst.trace.finding import ERROR, WARNING
from inst.trace.model import Array

PAGE_BITS = np.uint64(0xFFF)

Problem = tuple[int, str, str]
"""Record, message, severity."""


class Translations:
    """The translations that were stated, and those that instructions still have to agree with."""

    def __init__(self) -> None:
        self._differences: dict[int, int] = {}
        """Physical minus virtual address of the pc, for each cpu."""
        self._waiting: dict[int, tuple[int, int]] = {}
        """Record and address of a PHYSADDR whose instruction has not come, for each cpu."""
        self._known: set[int] = set()
        """Processors that have a translation, or were reported to have none."""
        self._has_tlb = False
        self._buffers = Buffers()

    def problems(
        self, batch: RstBatch, instructions: Array, cpus: Array, *, has_begin: bool
    ) -> Iterator[Problem]:
        """Yield what is wrong with the next batch, which has INSTRs in these rows.

        `has_begin` is False where a ring has overwritten what threads did first.
        """
        kinds = batch.raw["rtype"]
        buffers = self._buffers.columns(batch, FORMAT.usual_arch)
        stated = np.flatnonzero((kinds == PAVADIFF) | (kinds == PHYSADDR))
        owners = batch.column("pavadiff", "cpuid", stated)
        yield from _parts_of_pages(batch, stated[kinds[stated] == PAVADIFF])
        if has_begin:
            yield from self._without(batch, instructions, cpus, stated, owners)
        for cpu in {*np.unique(owners).tolist(), *self._waiting}:
            own, rows = stated[owners == cpu], instructions[cpus == cpu]
            yield from self._disagreements(batch, cpu, own, rows, buffers)

    def _without(
        self, batch: RstBatch, rows: Array, cpus: Array, stated: Array, owners: Array
    ) -> Iterator[Problem]:
        """Find processors whose first instruction comes before any translation."""
        tlbs = np.flatnonzero(batch.raw["rtype"] == TLB)
        for cpu, place in _firsts(cpus):
            if cpu in self._known:
                continue
            row = int(rows[place])
            if not (self._has_tlb or (owners[stated < row] == cpu).any() or (tlbs < row).any()):
                message = f"cpu {cpu} has instructions before any PAVADIFF, PHYSADDR or TLB"
                yield batch.first + row, message, WARNING
            self._known.add(cpu)
        self._known.update(np.unique(owners).tolist())
        self._has_tlb = self._has_tlb or len(tlbs) > 0

    def _disagreements(
        self, batch: RstBatch, cpu: int, stated: Array, rows: Array, buffers: Columns
    ) -> Iterator[Problem]:
        """Hold the PHYSADDRs of a cpu against the differences in force at the next pc.

        Before its first PAVADIFF they are those of its TLB records.
        """
        kinds, first = batch.raw["rtype"], batch.raw["first"]
        maps, physical = stated[kinds[stated] == PAVADIFF], stated[kinds[stated] == PHYSADDR]
        waiting = [self._waiting.pop(cpu)] if cpu in self._waiting else []
        records = np.array([*(record for record, _ in waiting), *(physical + batch.first)], "i8")
        addresses = np.array([*(address for _, address in waiting), *first[physical]], "u8")
        known = np.array([cpu in self._differences, *[True] * len(maps)], bool)
        differences = np.array([self._differences.get(cpu, 0), *first[maps]], "u8")
        self._differences.update({cpu: int(differences[-1])} if known[-1] else {})
        place = np.searchsorted(rows, records - batch.first)
        if len(records) and place[-1] == len(rows):
            self._waiting[cpu] = int(records[-1]), int(addresses[-1])
        come = place < len(rows)
        at = rows[place[come]]
        force = np.searchsorted(maps, at)
        pcs = first[at].astype("u8")
        stated_here = known[force]
        wanted = pcs + np.where(stated_here, differences[force], buffers.pc[at])
        wrong = (stated_here | buffers.pc_known[at]) & (addresses[come] != wanted)
        for each in np.flatnonzero(wrong).tolist():
            source = "PAVADIFF" if stated_here[each] else "TLB"
            message = (
                f"PHYSADDR {int(addresses[come][each]):#x}; the pc {int(pcs[each]):#x} after it "
                f"and {source} give {int(wanted[each]):#x}"
            )
            yield int(records[come][each]), message, ERROR


def _firsts(numbers: Array) -> list[tuple[int, int]]:
    """Return the distinct numbers of a column in their order, and where each is first."""
    if len(numbers) and (numbers == numbers[0]).all():  # nearly all batches
        return [(int(numbers[0]), 0)]
    distinct, places = np.unique(numbers, return_index=True)
    return list(zip(distinct.tolist(), places.tolist(), strict=True))


def _parts_of_pages(batch: RstBatch, rows: Array) -> Iterator[Problem]:
    """Find differences that are no whole number of pages; one without ea_valid is none."""
    raw = batch.raw[rows]
    pc = raw["first"].astype("u8")
    ea = np.where(raw["flags"] & PAIR_VALID != 0, raw["second"], 0).astype("u8")
    bad = np.where(pc & PAGE_BITS != 0, pc, ea)
    cpus = batch.column("pavadiff", "cpuid", rows)
    for at in np.flatnonzero(bad & PAGE_BITS).tolist():
        message = f"PAVADIFF of cpu {cpus[at]}: {bad[at]:#x} is no whole number of pages"
        yield batch.first + int(rows[at]), message, ERROR
