"""Whether a processor can have executed what an STF trace shows, a batch at a time.

Checked is what follows from an instruction's word and the registers before it: where the next
instruction is, what integer instructions, updates of a base, moves to and from lr and ctr compute,
and how large a loaded value can be. Registers that the trace does not record are unknown, and
nothing is said of what follows from them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.formats.stf.columns import StfColumns, joined, stated_by
from inst.formats.stf.execution_flow import after_branches, flow
from inst.formats.stf.execution_results import loads, moves, results
from inst.formats.stf.moments import RECORDED, Moments, Wrong
from inst.formats.stf.record import StfRecord, lacks_code
from inst.formats.stf.registers import Registers
from inst.words.facts import decoder, registers_of

STACK, ARGUMENT = 1, 3
"""Numbers of the stack pointer and the first argument: a signal's handler begins with others."""
_OF_HANDLERS = np.array([STACK, ARGUMENT])
SIGNALS = 64
"""The greatest number of a signal."""
FRAME = 512
"""Bytes that the kernel stores of the registers before a handler, at least."""


class Execution:
    """The registers between batches, and the instruction that waits for the next one."""

    def __init__(self) -> None:
        self._judges = False
        """Whether the trace has every instruction; its header says who wrote it."""
        self._registers = Registers()
        self._waiting: StfColumns | None = None
        self._general = False
        self._nonzero = dict.fromkeys(RECORDED, False)
        self._wide = False

    def begin(self, version: str) -> Iterator[tuple[int, Wrong]]:
        """Take the version of a header; the registers come anew."""
        yield from self.flush()
        self._judges = bool(version) and not lacks_code(version)
        self._registers, self._general = Registers(), False
        self._nonzero = dict.fromkeys(RECORDED, False)

    def state(self, record: StfRecord) -> Iterator[tuple[int, Wrong]]:
        """Take registers that stand before the instructions."""
        yield from self.flush()
        self._registers.take(stated_by(record.after))

    def take(self, part: StfColumns, digits: int) -> Iterator[tuple[int, Wrong]]:
        """Yield ordinals and what is wrong there; the last instruction waits for the next."""
        if not self._judges:
            return
        self._wide = digits == 16
        whole = joined(self._waiting, part) if self._waiting is not None else part
        if len(whole) > 1:
            yield from self._some(whole, len(whole) - 1)
        self._waiting = whole.part(len(whole) - 1, len(whole))

    def flush(self) -> Iterator[tuple[int, Wrong]]:
        """Yield what is wrong with the instruction that nothing follows."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            yield from self._some(waiting, 1)

    def _some(self, columns: StfColumns, count: int) -> Iterator[tuple[int, Wrong]]:
        held = self._registers.over(columns)
        moments = Moments(columns, count, held, self._wide, self._general, self._nonzero)
        for wrong in _wrong(moments):
            yield columns.first + wrong.row, wrong
        self._general = bool(moments.general[-1])
        self._nonzero = {number: bool(seen[-1]) for number, seen in moments.nonzero.items()}
        self._registers.advance(columns.part(0, count))


def _wrong(moments: Moments) -> list[Wrong]:
    """Return what is wrong, in the order of the rows."""
    led = flow(moments)
    interrupted = {wrong.row for wrong in led if _is_signal(moments, wrong.row)}
    found = [*led, *results(moments), *loads(moments), *moves(moments), *after_branches(moments)]
    return sorted(wrong for wrong in found if wrong.row not in interrupted)


def _is_signal(moments: Moments, row: int) -> bool:
    """Return whether a signal's handler begins after an instruction: the stack pointer moves
    by more than a frame of the kernel's, which the instruction does not write, and the first
    argument is a signal's number."""
    rows = np.array([row, row])
    before, known = moments.before(_OF_HANDLERS, rows)
    after, stated = moments.after(_OF_HANDLERS, rows)
    moved = abs(int(after[0]) - int(before[0]))
    if not (known & stated).all() or moved < FRAME or not 1 <= after[1] <= SIGNALS:
        return False
    arch = "ppc64" if moments.wide else "ppc"
    facts = decoder(arch)(int(moments.words[row])).facts
    return facts is None or not facts.defs & registers_of(arch).mask(f"r{STACK}")
