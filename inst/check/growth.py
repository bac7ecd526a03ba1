"""Tables that grow by doubling, and cost memory only as far as they are used."""

from __future__ import annotations

import numpy as np

from inst.trace.model import Array


def doubled(table: Array) -> Array:
    """Return the table with as many rows of zeros again.

    The system gives the zeros page by page, when they are first written: writing them here, as
    joining two arrays does, would take all the memory and most of the time at once.
    """
    wider = np.zeros((2 * len(table), *table.shape[1:]), table.dtype)
    wider[: len(table)] = table
    return wider
