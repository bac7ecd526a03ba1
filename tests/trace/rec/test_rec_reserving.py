"""Where the code of a PowerPC segment has reserved its block, by its words."""

from __future__ import annotations

import numpy as np
import pytest

from inst.words.decode import words_of

NAME = 0xFFFE_1234
LIS, ORI = 0x3C00_FFFE, 0x6000_1234  # lis 0,0xfffe; ori 0,0,0x1234
ADD = 0x3804_0040  # addi 0,4,64
MOVES_13, MOVES_9 = 0x940D_000C, 0x9409_000C  # stwu 0,12(13); stwu 0,12(9)
MOVES_11 = 0xF80B_0019  # stdu 0,24(11)
STORES_9 = 0x9122_8000  # stw 9,-32768(2)
PUSHES, PUTS = 0x9421_FFF0, 0x900D_FFFC  # stwu 1,-16(1); stw 0,-4(13)


@pytest.mark.parametrize(
    ("words", "size", "count"),
    [
        ([LIS, ORI, MOVES_13, PUTS], 12, 3),
        ([LIS, ORI, MOVES_9, STORES_9, PUTS], 12, 4),
        ([PUSHES, ADD, MOVES_13, PUTS], 12, 3),
        ([ADD, MOVES_11, PUTS], 24, 2),
        ([LIS, ORI, MOVES_9, STORES_9, ADD, MOVES_13], 12, 4),
        ([ADD, PUTS, PUTS], 12, 0),
    ],
    ids=["kept", "not-kept", "added", "added-64", "followed", "nowhere"],
)
def test_code_that_reserves_a_block_is_found(words: list[int], size: int, count: int) -> None:
    found = words_of("ppc64" if size == 24 else "ppc").recorded.reserves
    assert found(np.array(words, "i8"), NAME, size) == count
