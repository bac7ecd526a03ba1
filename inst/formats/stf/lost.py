"""What removed STF instructions leave after: the registers they changed, who followed whom.

An STF trace that records changes means nothing without those of the instructions between. So
what a removed record stated goes along with the records that stay; `gap_texts` writes it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from inst.formats.stf.gap import Stated, stated_in
from inst.formats.stf.record import StfRecord
from inst.trace.batch import Batch
from inst.trace.model import Array


@dataclass(frozen=True, slots=True)
class Lost:
    """Records that were removed one after the other."""

    first: StfRecord
    count: int
    """Instructions among them."""
    stated: Stated
    """The last that they stated of each register."""
    banks: str = "RF"
    """Which registers the trace records."""

    def followed_by(self, later: Lost) -> Lost:
        """Return what is lost by both."""
        stated = recorded(self.stated, self.banks) if later.count else self.stated
        return Lost(self.first, self.count + later.count, stated | later.stated, self.banks)


def recorded(stated: Stated, banks: str) -> Stated:
    """Leave out registers that the trace does not record: they hold for one instruction only."""
    letters = "".join(letter for letter in "RF" if letter not in banks).encode()
    if not letters:
        return stated
    return {name: value for name, value in stated.items() if name[:1] not in letters}


@dataclass(frozen=True, slots=True)
class StfPart(Batch):
    """Consecutive STF records, and what was removed between them."""

    lost: dict[int, Lost] = field(default_factory=dict)
    """What was removed before records, by row; len(records) is after the last."""
    events: Array | None = None
    """The events of the records, where a filter asks for addresses or values."""
    banks: str = "RF"
    """Which registers the trace records."""

    def take(self, keep: Array, forgotten: Array | None = None) -> Self:
        """Return the batch with some records, and the registers that removed ones changed."""
        if keep.all():
            return self
        records, lost = taken(self.records, self.lost, keep, forgotten, self.banks)
        return replace(self, records=records, lost=lost)


def taken(
    records: list[StfRecord],
    lost: dict[int, Lost],
    keep: Array,
    forgotten: Array | None,
    banks: str,
) -> tuple[list[StfRecord], dict[int, Lost]]:
    """Return the records to keep, with what is lost between them by row."""
    before = np.concatenate(([0], np.cumsum(keep))).tolist()
    remaining: dict[int, Lost] = {}
    removed = np.flatnonzero(~keep).tolist()
    for row in sorted({*removed, *lost}):
        place = before[row]
        if row in lost:
            _add(remaining, place, lost[row])
        if row < len(keep) and not keep[row]:
            stated = forgotten is None or not forgotten[row]
            _remove(remaining, place, records[row], stated, banks)
    return [records[row] for row in np.flatnonzero(keep).tolist()], remaining


def _add(lost: dict[int, Lost], place: int, more: Lost) -> None:
    lost[place] = lost[place].followed_by(more) if place in lost else more


def _remove(lost: dict[int, Lost], place: int, record: StfRecord, stated: bool, banks: str) -> None:
    """Count a record among those lost at a place; its registers are kept if they are `stated`."""
    executed = record.kind == "instr"
    known = lost.get(place)
    registers = known.stated if known else {}
    if executed:
        registers = recorded(registers, banks)
    if stated and executed:
        stated_in(record.before, registers)
    if stated and record.kind != "header":
        stated_in(record.after, registers)
    lost[place] = Lost(
        known.first if known else record,
        executed + (known.count if known else 0),
        registers,
        banks,
    )
