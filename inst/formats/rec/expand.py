"""Accesses and orders as the RST records that the hook library `rst` writes for them."""

from __future__ import annotations

import numpy as np

from inst.formats.rec.columns import Accesses
from inst.formats.rec.tables import NONE, Tables
from inst.formats.rst.codes import CPU, EA_VALID, EVENT_RECORD, INSTR, MEMVAL, THREAD, VIRTUAL
from inst.formats.rst.record import RECORD
from inst.trace.model import Array, Flag, Kind

PAIR = np.dtype([("instr", RECORD), ("value", RECORD)])
"""What an access has whose value is known."""


class Expander:
    """Makes the records of one thread's accesses."""

    def __init__(self, tables: Tables, thread: int) -> None:
        self._valued = tables.kind != NONE
        self.counts = 1 + self._valued.astype("i8")
        """Records of each item."""
        self._all_valued = bool(self._valued.all())
        self._instr = np.zeros(len(tables.pc), RECORD)
        self._instr["rtype"], self._instr["flags"] = INSTR, EA_VALID
        self._instr["half"] = (thread & 63) << 10 | (thread >> 6 & 15) << 6
        self._instr["word"], self._instr["first"] = tables.word, tables.pc
        self._value = np.zeros(len(tables.pc), RECORD)
        self._value["rtype"] = MEMVAL
        self._value["flags"] = VIRTUAL | thread >> 8 & 3
        self._value["half"] = (thread & 255) << 8 | tables.size.astype("u2")
        self._pair = np.zeros(len(tables.pc), PAIR)
        self._pair["instr"], self._pair["value"] = self._instr, self._value

    def records(self, accesses: Accesses) -> Array:
        """Return an INSTR for each access, and a MEMVAL64 for each value."""
        item, address, value = accesses.item, accesses.address, accesses.value
        if self._all_valued:
            both = self._pair.take(item)
            both["instr"]["second"] = both["value"]["first"] = address.astype(">u8")
            both["value"]["second"] = value
            return both.view(RECORD)
        counts = self.counts[item]
        ends = np.cumsum(counts)
        result = np.empty(int(ends[-1]) if len(ends) else 0, RECORD)
        places = ends - counts
        result[places] = self._instr[item]
        result["second"][places] = address
        rows = np.flatnonzero(self._valued[item])
        places = places[rows] + 1
        result[places] = self._value[item[rows]]
        result["first"][places], result["second"][places] = address[rows], value[rows]
        return result


def switch(thread: int, tid: int) -> Array:
    """Return the records that name the thread of those after them."""
    records = np.zeros(2, RECORD)
    records["rtype"] = CPU, THREAD
    records["word"][0], records["first"][1] = thread & 1023, tid
    return records


def beginning(thread: int, tid: int, order: int) -> Array:
    """Return the records that begin a chunk of a thread."""
    records = np.zeros(3, RECORD)
    records[:2] = switch(thread, tid)
    records["rtype"][2], records["flags"][2] = EVENT_RECORD, Kind.ORDER
    records["half"][2], records["word"][2] = Flag.HAS_VALUE, thread & 1023
    records["second"][2] = order
    return records
