"""What the comparison with the emulator's record takes for a wrong value."""

from __future__ import annotations

import numpy as np
import pytest

from truth.canonical import ROW
from truth.compare import replay
from truth.rst import EVENT

AT = 0x1000
OTHERS = np.dtype([*ROW.descr, ("row", "u8")])


def wrong(*elsewhere: tuple[int, int], loaded: int = 2) -> int:
    """Return how many bytes are wrong of a word that was stored as 1 and is loaded as another.

    In between other code has accessed memory: addresses and sizes.
    """
    events = np.zeros(2, EVENT)
    events["address"], events["size"], events["value"], events["known"] = AT, 4, (1, loaded), True
    others = np.zeros(len(elsewhere), OTHERS)
    for row, (address, size) in enumerate(elsewhere):
        others[row] = (0x40, address, size, 1, 1 + row)
    rows, stores = np.array([0, 9], "u8"), np.array([True, False])
    return len(replay(events, stores, rows, others, np.zeros(2, bool)).differences)


@pytest.mark.parametrize(
    "access", [(AT, 4), (AT + 3, 1), (AT - 8, 16), (AT + 3, 16), (AT - 0x40, 0x80)]
)
def test_other_code_may_have_changed_what_is_loaded(access: tuple[int, int]) -> None:
    """Also with an access that begins or ends in another line of memory."""
    assert wrong(access) == 0


@pytest.mark.parametrize(
    "access", [(AT - 4, 4), (AT + 4, 12), (AT + 0x100, 4), (AT - 0x40, 0x40), (AT, 3)]
)
def test_what_nobody_has_stored_is_wrong(access: tuple[int, int]) -> None:
    assert wrong() == wrong(access) == 1
    assert wrong(access, loaded=1) == 0
