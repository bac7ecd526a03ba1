"""Which records rstzip's form of their type holds in full: all bits of the others would be lost.

The form of a type has room for some of a record's 192 bits. A record with others, as stale
bytes or addresses that are marked as not valid, is stored whole.
"""

from __future__ import annotations

import numpy as np

from inst.formats.rst.codes import (
    ANNULLED,
    DMA,
    EA_VALID,
    EMPTY,
    INSTR,
    MEMVAL,
    PAIR_VALID,
    PAVADIFF,
    PREG,
    REGVAL,
    TAKEN,
    TLB,
    TRAP,
    VARIANT,
)
from inst.formats.rst.record import RstBatch
from inst.formats.rst.rstzip.layout import MINOR
from inst.formats.rst.rstzip.words import FIRST_TRANSFER, classify
from inst.formats.rst.table import CURRENT, SIZE
from inst.trace.model import Array

_LAST_CPU = 1023
"""The compressor looks at the next cpu after that of an instruction, and there is none."""
_GOES_ON = 0x20
_NAMES = {INSTR: "instr", REGVAL: "regval", PAVADIFF: "pavadiff", MEMVAL: "memval64",
          TRAP: "trap", TLB: "tlb", PREG: "preg", DMA: "dma"}  # fmt: skip
_ROOM = {
    INSTR: "7e ff c0 ffffffff ffffffffffffffff ffffffffffffffff",
    REGVAL: "ff ffff ffff e0 00 ffffffffffffffff ffffffffffffffff",
    PAVADIFF: "ff e0 00 1fff 1fff ffffffffffffffff ffffffffffffffff",
    TRAP: "8f ffff ffff ffff ffffffffffffffff ffffffffffffffff",
    TLB: "c0 ffff ff f0 0000 ffffffffffffffff ffffffffffffffff",
    PREG: "ff 0000 07 ff ffff ff c0 000000000000 1fff 1fff 1fff 1fff",
    DMA: "01 0000 ffffffff ffffffffffffffff 0000000000000000",
}
"""The bits of bytes 1 to 23 that each form has room for."""
_MEMVAL64 = "43 ff 0f 00000000 ffffffffffffffff ffffffffffffffff"
_MEMVAL128 = "e3 ff ff ffffffff ffffffffffffffff ffffffffffffffff"


def cpus(records: Array) -> Array:
    """Return the cpu number in each record's bits; 0 where its type has none."""
    result = np.zeros(len(records), "u8")
    batch = RstBatch(0, records, CURRENT)
    for code, name in _NAMES.items():
        rows = np.flatnonzero(records["rtype"] == code)
        if len(rows) and code != DMA:
            result[rows] = batch.column(name, "cpuid", rows)
    return result


def held_in_full(records: Array, numbers: Array) -> Array:
    """Return which records the form of their type holds; `numbers` are their cpus."""
    octets = np.ascontiguousarray(records).view("u1").reshape(len(records), SIZE)
    result = np.zeros(len(records), bool)
    for code, room in _ROOM.items():
        rows = np.flatnonzero(records["rtype"] == code)
        result[rows] = _fits(octets[rows], room)
    _memvals(records, octets, result)
    _instructions(records, numbers, result)
    _others(records, octets, result)
    return result


def _fits(octets: Array, room: str) -> Array:
    outside = ~np.frombuffer(bytes.fromhex(room), "u1")
    return np.asarray(~(octets[:, 1:] & outside).any(axis=1), bool)


def _memvals(records: Array, octets: Array, result: Array) -> None:
    values, wide = records["rtype"] == MEMVAL, records["flags"] & VARIANT != 0
    rows = np.flatnonzero(values & ~wide)
    size = octets[rows, 3]
    result[rows] = _fits(octets[rows], _MEMVAL64) & (size >= 1) & (size <= 8)
    rows = np.flatnonzero(values & wide)
    nowhere = (octets[rows, 3] == 0) & (records["word"][rows] == 0)
    goes_on = records["flags"][rows] & _GOES_ON != 0
    result[rows] = _fits(octets[rows], _MEMVAL128) & (~goes_on | nowhere)


def _instructions(records: Array, numbers: Array, result: Array) -> None:
    """Leave out addresses that only a valid one, or the target of a transfer, has room for."""
    flags, instr = records["flags"], records["rtype"] == INSTR
    result[instr & (numbers == _LAST_CPU)] = False
    annulled = instr & (flags & ANNULLED != 0)
    result[annulled & ((flags & (EA_VALID | TAKEN) != 0) | (records["second"] != 0))] = False
    rows = np.flatnonzero(result & instr & (flags & EA_VALID == 0) & (records["second"] != 0))
    words, which = np.unique(records["word"][rows].astype("u4"), return_inverse=True)
    transfers = [classify(word, MINOR).kind >= FIRST_TRANSFER for word in words.tolist()]
    result[rows] = np.array(transfers, bool)[which]


def _others(records: Array, octets: Array, result: Array) -> None:
    codes = records["rtype"]
    missing = (codes == PAVADIFF) & (records["flags"] & PAIR_VALID == 0)
    result[missing & (records["second"] != 0)] = False
    for slot, number in ((2, "first"), (3, "second")):
        empty = (codes == REGVAL) & (octets[:, slot] == EMPTY)
        result[empty & ((octets[:, slot + 2] != 0) | (records[number] != 0))] = False
    result[(codes == PREG) & (octets[:, 16:20] != octets[:, 20:24]).any(axis=1)] = False
