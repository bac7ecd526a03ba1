"""The order of numbers, by digits of 16 bits: numpy sorts those by counting, in linear time."""

from __future__ import annotations

import numpy as np

from inst.trace.model import Array

DIGIT = 16


def stable_order(keys: Array) -> Array:
    """Return the order (i8) of integers that are not negative, equal ones as they came.

    It is what a stable `numpy.argsort` returns, in a third to half of the time where the numbers'
    range has up to 48 bits.
    """
    if not len(keys):
        return np.zeros(0, "i8")
    above = keys - keys.min()
    order = np.argsort(above.astype("u2"), kind="stable")
    for shift in range(DIGIT, int(above.max()).bit_length(), DIGIT):
        digits = (above >> above.dtype.type(shift)).astype("u2")
        order = order[np.argsort(digits[order], kind="stable")]
    return order
