"""Functions named in strings of an RST trace."""

from __future__ import annotations

import numpy as np

from inst.formats.rst.batch import insert
from inst.formats.rst.record import encode_string
from inst.trace.batch import Batch
from inst.trace.view import View

LIMIT = 1 << 20
"""Functions named in one trace."""


def fill_symbols(view: View, named: set[str]) -> Batch:
    """Name each function in a string before the first record of it."""
    numbers, found = view.places()
    distinct, rows = np.unique(numbers, return_index=True)
    pcs, _ = view.columns("pc")[0]
    places = []
    for row, number in sorted(zip(rows.tolist(), distinct.tolist(), strict=True)):
        function = found[number][2]
        if function and function not in named and len(named) < LIMIT:
            named.add(function)
            locator = view.batch.source.locator
            place = locator(int(pcs[row])) if locator else None
            start = int(pcs[row]) - (place.offset if place else 0)
            text = encode_string(f"symbol={function} base=0x{start:x}")
            places.append((int(view.starts[view.leader[row]]), text))
    return insert(view.batch, places)
