"""What rstzip 3 stores of records, worked out by hand from the rules of its compressor.

Reader and writer share what they predict by, so that a trace comes back even if both predict
otherwise than the original. These numbers hold them to it.
"""

from __future__ import annotations

import numpy as np
import pytest

from inst.formats.rst.record import RECORD, encode
from inst.formats.rst.rstzip import encode as writing
from inst.formats.rst.rstzip.layout import ARRAYS, LEVELS
from inst.formats.rst.rstzip.predict import Instructions, Returns, Values
from inst.formats.rst.rstzip.words import classify

BNE, BA, CALL, RETL, RESTORE, NOP, LD = (
    0x12800004, 0x10800004, 0x40000400, 0x81C3E008, 0x81E80000, 0x01000000, 0xC4004000
)  # fmt: skip
JMPL = 0x9FC04000
"""jmpl %g1, %o7"""


def step(word: int, pc: int, ea: int = 0, flags: int = 0, cpu: int = 0) -> bytes:
    record = bytearray(encode("instr", cpuid=cpu, instr=word, pc_va=pc, ea_va=ea))
    record[1] = flags
    return bytes(record)


def arrays(*records: bytes) -> dict[str, list[int]]:
    """Return what is stored of records, by the names of the arrays."""
    encoder = writing.Encoder()
    encoder.section(np.frombuffer(b"".join(records), RECORD))
    stored = encoder._arrays
    return {array.name: list(map(int, each)) for array, each in zip(ARRAYS, stored, strict=True)}


def test_there_are_fifty_arrays_of_these_widths() -> None:
    widths = [array.bits for array in ARRAYS]
    assert widths == [
        2, 8, 1, 10, 1, 8, 32, 1, 1, 3, 7, 11, 13, 15, 18, 21, 25, 64, 1, 1, 8, 1, 8, 1, 3, 8, 32,
        1, 13, 1, 1, 1, 13, 1, 1, 30, 49, 1, 32, 1, 1, 1, 1, 3, 10, 32, 8, 5, 1, 1,
    ]  # fmt: skip
    assert [a.old_bits for a in ARRAYS if a.bits != a.old_bits] == [6, 7, 26]


def test_values_have_these_levels_and_keys() -> None:
    assert [size for size, _ in LEVELS] == [7, 31, 61, 127, 509, 2039, 8191]
    assert [low for _, low in LEVELS] == [4, 6, 7, 8, 9, 10, 12]
    values, first = Values(), 1 << 40 | 0x345
    assert values.find(5) == (0, 7 << 4 | 5), "no upper bits: the index after the last entry"
    assert values.find(0x3FF) == (5, 2039 << 10 | 0x3FF), "none at the sixth level"
    assert values.find(first) == (7, first), "never seen"
    place = (first >> 4) % 7
    assert values.find(first) == (0, place << 4 | 5)
    assert values.find(first + 4) == (0, place << 4 | 9), "equal but for the low four bits"
    other = first + 0x70  # the same entry of the first level; equal but for the low eight bits
    assert values.find(other) == (3, (other >> 8) % 127 << 8 | 0xB5)
    assert values.find(other) == (0, place << 4 | 5), "it has taken that entry"


def test_a_branch_is_expected_to_do_what_it_mostly_did() -> None:
    loop = [step(BNE, 0x1000, 0x1010, 0x44), step(NOP, 0x1004)]
    back = [step(NOP, 0x1010)]
    found = arrays(*(loop + back) * 4)
    misses = [hits for hits in found["instr_hits"] if not hits & 4]
    assert len(misses) == 2, "a counter of two bits, which begins at 0"


def test_a_return_goes_to_the_call_unless_its_slot_restores() -> None:
    called = [step(CALL, 0x1000, 0x2000, 0x44), step(NOP, 0x1004)]
    back = [step(RETL, 0x2000, 0x1008, 0x44)]
    assert arrays(*called, *back)["target_hit"] == [1, 1]
    tail = [called[0], step(RESTORE, 0x1004)]
    assert arrays(*tail, *back)["target_hit"] == [1, 0]
    assert arrays(*back)["target_hit"] == [0]


def test_a_jump_with_a_link_goes_where_it_went() -> None:
    jump = [step(JMPL, 0x1000, 0x3000, 0x44), step(NOP, 0x1004), step(NOP, 0x3000)]
    assert arrays(*jump, *jump)["target_hit"] == [0, 1]


def test_cpus_are_expected_in_turn() -> None:
    turns = [step(NOP, 0x1000, cpu=cpu) for _ in range(2) for cpu in (0, 1, 2)]
    found = arrays(*turns)
    assert found["cpu_hit"] == [1, 0, 0, 1, 1, 1]
    assert found["cpu"] == [1, 2]


def test_targets_of_32_bits_once_the_upper_half_was_wrong() -> None:
    backwards = 0x10BFFFFE  # ba -8, from 0 to beyond the lowest address
    low = [step(NOP, 0xFFFFFFF8), step(backwards, 0, 0xFFFFFFF8, 0x44), step(NOP, 4),
           step(NOP, 0xFFFFFFF8), step(NOP, 0xFFFFFFFC), step(NOP, 0)]  # fmt: skip
    found = arrays(*low, *low[1:])
    assert found["target_hit"] == [0, 1], "masked once a pc of 2^32 turned out to be 0"


def test_registers_after_registers_are_two_further() -> None:
    saved = [encode("regval", postInstr=1, regtype0=1, regtype1=1, regid0=n, regid1=n + 1,
                    reg64_0=7, reg64_1=0) for n in (16, 18, 20)]  # fmt: skip
    found = arrays(step(NOP, 0x1000), *saved)
    assert found["regid_hit"] == [0, 0, 1, 1, 1, 1]
    assert found["regid"] == [16, 17]
    assert found["regtype"] == [1, 1] and found["regtype_hit"] == [0, 0, 1, 1, 1, 1]
    assert found["value_zero"] == [0, 1] * 3


def test_fields_of_context_records_are_packed() -> None:
    found = arrays(
        encode("tlb", demap=1, type=1, index=0x1234, unit=2, cpuid=0x155, tag=1, data=2),
        encode("trap", is_async=1, tl=3, ttype=0x108, pstate=0x16, syscall=4, pc=0, npc=0),
        encode("preg", asiReg=0x82, traplevel=1, traptype=0x68, pstate=0x16,
               primA=5, primD=5, secA=6, secD=6),
        encode("dma", iswrite=1, nbytes=64, start_pa=0x8000),
    )  # fmt: skip
    assert found["tlb"] == [1 << 29 | 0x1234 << 13 | 1 << 12 | 2 << 10 | 0x155]
    assert found["trap"] == [1 << 48 | 3 << 44 | 0x108 << 34 | 0x16 << 18 | 4 << 2 | 3]
    preg = 1 << 61 | 5 << 48 | 6 << 35 | 0x82 << 27 | 1 << 24 | 0x68 << 16 | 0x16
    assert found["number"] == [1, 2, preg, 0x8000]
    assert found["dma_write"] == [1] and found["dma_bytes"] == [64]


def test_wide_values_state_their_address_unless_they_go_on() -> None:
    address = 0xFFFFF80000000010
    found = arrays(encode("memval128", addrisVA=1, addr=address, val=1, val2=2),
                   encode("memval128", addrisVA=0, isContRec=1, val=1, val2=2),
                   encode("memval64", addrisVA=1, size=8, addr=3, val=4))  # fmt: skip
    assert found["memval_flag"] == [1, 0, 0, 1, 1, 1, 0, 0]
    assert found["memval_high"] == [address >> 36 & 0xFF]
    assert found["memval_low"] == [address >> 4 & 0xFFFFFFFF]
    assert found["memval_size"] == [7]


@pytest.mark.parametrize("first", [0x4000, 0])
def test_the_instruction_cache_has_two_words_for_a_set(first: int) -> None:
    cache, word = Instructions(), classify(NOP, 20)
    places = [first + n * (4 << 17) for n in (1, 2, 3)]
    cache.set(places[0], word, False)
    assert cache.get(places[0]) is not None  # so that the other way is replaced next
    cache.set(places[1], word, False)
    assert cache.get(places[1]) is not None and cache.get(places[0]) is not None
    cache.set(places[2], word, False)
    assert cache.get(places[1]) is None and cache.get(places[0]) is not None


def test_sixteen_calls_are_remembered() -> None:
    calls = Returns()
    for pc in range(20):
        calls.push(pc)
    assert [calls.pop() for _ in range(17)] == [*range(19, 3, -1), 0]
