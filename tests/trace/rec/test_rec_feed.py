"""What re-execution takes from the records of a thread, piece by piece."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from inst.formats.rec.feed import Feed
from inst.formats.rec.instrumented import Program
from inst.formats.rst.codes import EVENT_RECORD, EVENT_SIZE, EVENT_TEXT, REGVAL
from inst.formats.rst.record import RECORD
from inst.trace.model import Array, Flag, Kind
from inst.words.decode import words_of

INTEGER = 1
"""The type of an integer register in a REGVAL record."""


def _program() -> Program:
    """Return what a feed asks of a program whose values follow each other."""
    tables = SimpleNamespace(is_loose=True)
    program = SimpleNamespace(
        arch="ppc",
        words=words_of("ppc"),
        tables=tables,
        windowed=np.zeros(0, "u8"),
        instructions=lambda pcs: np.zeros(len(pcs), "u8"),
        are_instrumented=lambda pcs: np.ones(len(pcs), bool),
    )
    return cast(Program, program)


def _records() -> Array:
    """Return r2 to r5, an order, r6 and r7, and a signal's event."""
    found = np.zeros(7, RECORD)
    found["rtype"] = REGVAL, REGVAL, EVENT_RECORD, REGVAL, EVENT_TEXT, EVENT_RECORD, EVENT_SIZE
    for row, number in ((0, 2), (1, 4), (3, 6)):
        found["half"][row] = INTEGER << 8 | INTEGER
        found["word"][row] = number << 24 | number + 1 << 16
        found["first"][row], found["second"][row] = number, number + 1
    found["flags"][2] = Kind.ORDER
    found["first"][4] = int.from_bytes(b"signal\0\0", "big")
    found["half"][5] = Flag.HAS_ADDRESS | Flag.HAS_VALUE
    found["first"][5], found["second"][5] = 0x1000, 14
    return found


@pytest.mark.parametrize("cuts", [(), (1,), (2,), (3,), (4,), (1, 2, 3, 4)])
def test_registers_are_those_of_the_signal_after_them(cuts: tuple[int, ...]) -> None:
    """Also where a chunk of events ends between them, and the next one begins with an order."""
    feed, records = Feed(_program()), _records()
    edges = [0, *cuts, len(records)]
    for start, end in itertools.pairwise(edges):
        feed.take(-1, records[start:end], 0)
        assert feed.waits == (end < len(records) and end > 0)
    signals = [one for one in feed.others if one.signal]
    assert [one.registers for one in signals] == [{f"r{n}": n for n in range(2, 8)}]
