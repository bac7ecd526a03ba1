"""The registers that REGVAL records of an RST trace state, for STF."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from inst.formats.rst.codes import CC, EMPTY, FCC, FLOAT, INT, OTHER, PRIV, REGVAL
from inst.formats.rst.events import WAITING_LIMIT
from inst.formats.rst.record import RstBatch
from inst.formats.rst.trace import RstTrace

STATUS_CODES = {"XER": (OTHER, 1), "MSR": (PRIV, 0), "CTR": (OTHER, 9), "LNK": (OTHER, 8),
                "CCR": (CC, 0), "MQ": (OTHER, 0), "FPSCR": (FCC, 0)}  # fmt: skip
"""regtype and regid: OTHER has the numbers of PowerPC's special registers."""

WAITING = 1 << 16
"""Registers that may wait for the instruction after them, which may never come."""

_NAMES = {(INT, n): f"R{n:02d}" for n in range(32)}
_NAMES |= {(FLOAT, n): f"F{n:02d}" for n in range(32)}
_NAMES |= {code: name for name, code in STATUS_CODES.items()}


class RstRegisters:
    """Registers that were read, waiting until their instructions are written."""

    def __init__(self, trace: RstTrace) -> None:
        self._waiting: deque[tuple[int, bool, str, int]] = deque()
        self.unnamed = 0
        """Registers of the trace that STF has no name for."""
        self.seen = False
        """Whether the trace states any registers."""
        trace.observe(self._take)

    def _take(self, batch: RstBatch) -> None:
        rows = np.flatnonzero(batch.raw["rtype"] == REGVAL)
        if not len(rows):
            return
        self.seen = True
        if len(self._waiting) > WAITING:
            self._shorten(batch.first - WAITING_LIMIT)
        names = ("postInstr", "regtype0", "regid0", "reg64_0", "regtype1", "regid1", "reg64_1")
        columns = (batch.column("regval", name, rows).tolist() for name in names)
        for row, (post, *slots) in zip(rows.tolist(), zip(*columns, strict=True), strict=True):
            for kind, number, value in (slots[:3], slots[3:]):
                name = _NAMES.get((kind, number))
                if name is not None:
                    self._waiting.append((batch.first + row, bool(post), name, value))
                else:
                    self.unnamed += kind not in (0, EMPTY)

    def _shorten(self, first: int) -> None:
        """Reduce what will be read at once to each register's last value."""
        last: dict[tuple[bool, str], tuple[int, bool, str, int]] = {}
        while self._waiting and self._waiting[0][0] < first:
            entry = self._waiting.popleft()
            last.pop(entry[1:3], None)
            last[entry[1:3]] = entry
        self._waiting.extendleft(reversed(last.values()))

    def until(self, record: int) -> tuple[dict[str, int], dict[str, int]]:
        """Return what is stated up to a record: after the instruction before, and since."""
        after: dict[str, int] = {}
        since: dict[str, int] = {}
        if not self._waiting:
            return after, since
        while self._waiting and self._waiting[0][0] < record:
            _, post, name, value = self._waiting.popleft()
            (after if post else since)[name] = value
        return after, since


@dataclass(frozen=True, slots=True)
class Regvals:
    """How one instruction set's registers are recorded."""

    register: Callable[[int, int, int], dict[str, int]]
    """Return registers by inst's names, of kind, number and value in a REGVAL record."""
    recorded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Word of the string `registers=` -> the registers that are unchanged without a record."""
