"""Rows as the lines that `inst view` prints: number, type, text, and place in the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from inst.shown import shown
from inst.trace.rows import Block

if TYPE_CHECKING:
    from inst.program.program import Locator
    from inst.trace.model import Array
    from inst.trace.place import Place


@dataclass(frozen=True, slots=True)
class Line:
    """One row; its strings may be shown as they are."""

    record: int
    kind: str
    text: str
    thread: int | None
    pc: int | None
    place: Place | None
    """Where the instruction is in the program."""
    site: str
    """The `file:line` that the record itself names."""

    def __str__(self) -> str:
        return _line(self.record, self.kind, self.text, self.where)

    @property
    def where(self) -> str:
        """Function, source line and original instruction; "" if they are not known."""
        return place_text(self.place)


def _line(record: int, kind: str, text: str, where: str) -> str:
    return f"{record:6} {kind:<8}: {text}  ; {where}" if where else f"{record:6} {kind:<8}: {text}"


def place_text(place: Place | None) -> str:
    """Return function, source line and original instruction; "" if they are not known."""
    if place is None:
        return ""
    return f"{place} | {place.text.strip()}" if place.text else str(place)


def lines_of(block: Block, rows: Array, locator: Locator | None) -> list[Line]:
    """Return some rows of a block."""
    names = [shown(name) for name in block.names]
    sites = block.sites(rows) if block.sites else [""] * len(rows)
    found = []
    for row, text, site in zip(rows.tolist(), block.texts(rows), sites, strict=True):
        pc = block.pc.item(row)
        place = locator(pc) if locator and pc is not None else None
        found.append(
            Line(
                int(block.records[row]),
                names[int(block.kinds[row])],
                shown(text),
                block.thread.item(row),
                pc,
                place,
                shown(site),
            )
        )
    return found


def texts_of(block: Block, locator: Locator | None) -> list[str]:
    """Return the lines of all rows of a block as text: what `str` gives for each."""
    names = [shown(name) for name in block.names]
    texts = block.texts(np.arange(len(block)))
    if not "".join(texts).isprintable():
        texts = [shown(text) for text in texts]
    places = [""] * len(texts)
    if locator is not None:
        for row in np.flatnonzero(block.pc.known).tolist():
            places[row] = place_text(locator(int(block.pc.values[row])))
    numbers, kinds = block.records.tolist(), [names[kind] for kind in block.kinds.tolist()]
    return list(map(_line, numbers, kinds, texts, places))
