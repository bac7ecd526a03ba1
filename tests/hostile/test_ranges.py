"""Ranges are counted and compared as ranges, with the results that their elements would give."""

from __future__ import annotations

import random

import numpy as np

from inst.check import race_history
from inst.check.cells import CELL
from inst.check.race_history import History, freed
from inst.check.shadow import Memory
from inst.statistics.counts import Distinct
from inst.statistics.reuse import ReuseDistances
from inst.statistics.statistics import PIECE, _touched
from inst.trace.model import EVENT, Array, Kind


def test_reuse_distances_of_ranges() -> None:
    for seed in range(60):
        chance = random.Random(seed)
        whole, parts = (ReuseDistances(bound=8, chunk=16) for _ in range(2))
        for _ in range(30):
            first = chance.randrange(40)
            lines = range(first, first + chance.choice((1, 2, 9, 17, 18, 40)))
            whole.add_range(lines)
            parts.add(np.array(lines, "u8"))
        whole.finish()
        parts.finish()
        assert whole.unseen == parts.unseen, seed
        assert whole.counts.tolist() == parts.counts.tolist(), seed


def test_distinct_numbers_of_ranges() -> None:
    for seed in range(20):
        chance = random.Random(seed)
        distinct, expected = Distinct(1 << 12), set[int]()
        for _ in range(50):
            first = chance.randrange(2000)
            numbers = range(first, first + chance.randrange(1, 60))
            expected |= set(numbers)
            distinct.add_range(numbers)
            single = np.array([chance.randrange(4000) for _ in range(5)], "u8")
            expected |= set(single.tolist())
            distinct.add(single)
        assert distinct.count == len(expected), seed
    distinct.add_range(range(5000, 1 << 62))
    assert distinct.count == len(expected) + (1 << 62) - 5000


def test_a_range_ends_with_the_address_space() -> None:
    first = np.array([(1 << 64) - 4096, 0], "u8")
    last = first + np.array([1 << 40, (1 << 63)], "u8") - np.uint64(1)
    found = list(_touched(first, last, 64))
    assert [int(n) for n in found[0]] == list(range((1 << 58) - 64, 1 << 58))
    assert found[1:] == [range(1 << 57)] and PIECE < 1 << 57


def rows(kind: Kind, *places: tuple[int, int]) -> Array:
    found = np.zeros(len(places), EVENT)
    found["kind"] = kind
    found["address"], found["size"] = zip(*places, strict=True)
    found["record"] = np.arange(len(places))
    return found


def races(history: History, some: Array, thread: int, time: int) -> list[int]:
    """Return the bytes at which a step of a thread races, if it is ordered with no other."""
    calls = np.zeros(len(some), "i8")
    return [place for _, _, place in history.step(some, calls, thread, {thread: time})]


def test_a_frame_of_nearly_all_memory_is_forgotten_page_by_known_page() -> None:
    memory = Memory()
    memory.fill(0x1000, 64, 0, (0, 0, 0))
    memory.fill(1 << 40, 64, 0, (0, 0, 0))
    memory.forget(0x1000 // CELL, 1 << 62)
    slots = memory.slots(np.array([0x1000 // CELL, (1 << 40) // CELL], "u8"))
    assert memory.columns["known"][slots].tolist() == [0xF0, 0xF0]


def test_long_ranges_race_with_all_that_lies_in_them() -> None:
    size = race_history.LONG * 4
    history = History({}, {})
    assert races(history, rows(Kind.WRITE, (0x1008, 8), (0x3000, 100)), 1, 1) == []
    assert sorted(races(history, rows(Kind.READ, (0, size)), 2, 1)) == [0x1008, 0x3000]
    assert races(history, rows(Kind.WRITE, (size - 8, 8), (size, 8)), 3, 1) == [size - 8]
    assert races(history, rows(Kind.WRITE, (size - 5000, 64)), 4, 1) == [size - 5000]
    assert races(history, rows(Kind.READ, (0x5000, 8), (1 << 40, 8)), 5, 1) == []


def test_what_was_given_back_is_forgotten_in_long_ranges() -> None:
    history, size = History({}, {}), race_history.LONG
    assert races(history, rows(Kind.WRITE, (0, size)), 1, 1) == []
    history.forget(0x1000, 0x2000, {1: 1})
    assert races(history, rows(Kind.READ, (0x1000, 8), (0x1FF8, 8)), 2, 1) == []
    assert races(history, rows(Kind.READ, (0xFF8, 8), (0x2000, 8)), 2, 1) == [0xFF8, 0x2000]
    everything = freed(0, (1 << 64) - 4096, 3, 1, (0, 0x1000, 0))
    list(history.free(everything, {3: 1}))
    history.forget(0, (1 << 64) - 4096, {1: 9, 2: 9, 3: 9})
    assert races(history, rows(Kind.READ, (0xFF8, 8)), 4, 1) == []
