"""Counts in bounded memory against plain sets and dictionaries; the memory of `inst stats`."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.statistics.counts import Distinct, Frequent, Listed, mixed
from inst.statistics.reuse import ReuseDistances
from inst.statistics.statistics import gather
from inst.trace.model import Array

ROOT = Path(__file__).parents[2]
START = encode("header", majorVer=2, minorVer=13, percent=37) + encode_string("arch=ppc")


def random_accesses(count: int, seed: int = 1, words: Array | None = None) -> bytes:
    """Return loads (lwz) anywhere, each by its own instruction."""
    chance = np.random.default_rng(seed)
    rows = np.zeros(count, [("head", ">u4"), ("word", ">u4"), ("pc", ">u8"), ("ea", ">u8")])
    rows["head"], rows["word"] = 0x03400000, 0x80640000 if words is None else words
    rows["pc"] = chance.integers(0, 1 << 40, count, dtype="u8") * np.uint64(4)
    rows["ea"] = chance.integers(0, 1 << 46, count, dtype="u8") * np.uint64(4)
    return rows.tobytes()


def feed(counter: Distinct | Frequent | Listed, numbers: Array, step: int) -> None:
    for start in range(0, len(numbers), step):
        counter.add(numbers[start : start + step])


@given(numbers=st.lists(st.integers(0, 40) | st.integers(0, 2**64 - 1)), step=st.integers(1, 50))
def test_up_to_the_limit_all_is_exact(numbers: list[int], step: int) -> None:
    expected, row = Counter(numbers), np.array(numbers, "u8")
    distinct, frequent = Distinct(len(expected) + 1), Frequent(len(expected) + 1)
    feed(distinct, row, step)
    feed(frequent, row, step)
    assert len(distinct) == len(frequent.distinct) == len(expected)
    assert dict(frequent.pairs()) == expected
    assert distinct.estimate("x") == frequent.estimate("x") == []


def test_different_numbers_have_different_hashes() -> None:
    numbers = np.arange(1 << 20, dtype="u8") << np.uint64(6)
    assert len(np.unique(mixed(numbers))) == len(numbers)


@pytest.mark.parametrize("shape", ["random", "ascending", "strided", "often"])
def test_estimates_are_as_good_as_they_say(shape: str) -> None:
    """Of 40 independent sets, errors spread as the standard error that is stated."""
    errors = []
    for seed in range(40):
        chance = np.random.default_rng(seed)
        start = int(chance.integers(0, 1 << 50))
        numbers = {
            "random": lambda c=chance: c.integers(0, 1 << 60, 30_000, dtype="u8"),  # type: ignore[misc]
            "ascending": lambda s=start: s + np.arange(30_000, dtype="u8"),  # type: ignore[misc]
            "strided": lambda s=start: s + np.arange(30_000, dtype="u8") * np.uint64(4096),  # type: ignore[misc]
            "often": lambda c=chance, s=start: s + c.integers(0, 9000, 60_000, dtype="u8"),  # type: ignore[misc]
        }[shape]()
        distinct = Distinct(1000)
        feed(distinct, numbers, 777)
        (said,) = distinct.estimate("numbers")
        assert said.relative_error == pytest.approx(1 / np.sqrt(998))
        errors.append((len(distinct) / len(np.unique(numbers)) - 1) / said.relative_error)
    assert max(map(abs, errors)) < 4
    assert 0.7 < np.std(errors) < 1.3 and abs(np.mean(errors)) < 0.5


@given(st.lists(st.integers(0, 60), max_size=300), st.integers(1, 20), st.integers(1, 40))
def test_frequent_numbers_against_a_dictionary(numbers: list[int], limit: int, step: int) -> None:
    """Counts are never too high and at most the stated bound too low; decreases are reported."""
    taken: Counter[int] = Counter()

    def take(values: Array, counts: Array) -> None:
        taken.update(dict(zip(values.tolist(), counts.tolist(), strict=True)))

    frequent, expected = Frequent(limit, take), Counter(numbers)
    feed(frequent, np.array(numbers, "u8"), step)
    found = dict(frequent.pairs())
    assert len(found) <= limit
    assert frequent.too_low_by <= len(numbers) / (limit + 1)
    assert bool(frequent.too_low_by) == bool(frequent.estimate("x"))
    for number, count in expected.items():
        assert count - frequent.too_low_by <= found.get(number, 0) <= count
    assert Counter(found) + taken == expected


def test_numbers_that_are_too_many_to_be_listed_are_counted() -> None:
    listed = Listed(3)
    feed(listed, np.array([5, 5, 6, 7, 8, 9, 5, 9], "u8"), 3)
    assert (listed.counts, listed.others) == ({5: 3, 6: 1, 7: 1}, 3)


def test_statistics_of_random_accesses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that has a limit, beyond it: what is exact, and how far off the rest is."""
    from inst.statistics import statistics

    limits = {"LINES": 4096, "PAGES": 2048, "SITES": 1024, "WORDS": 64, "NUMBERS": 4}
    for name, limit in limits.items():
        monkeypatch.setattr(statistics, name, limit)
    count = 50_000
    words = (0x80000000 | np.random.default_rng(2).integers(0, 1 << 26, count)).astype("u4")
    hot = random_accesses(1, 9, words[:1])
    data = random_accesses(count, 1, words) + hot * 5000
    rows = np.frombuffer(data, [("head", ">u8"), ("pc", ">u8"), ("ea", ">u8")])
    found = gather(RstTrace("t", [START, data]))
    lines = len(np.unique(rows["ea"] // 64))
    errors = {each.figure: each for each in found.estimates}
    assert set(errors) == {
        "sites", "accesses of hottest sites", "lines of 64 bytes", "pages of 4096 bytes",
    }  # fmt: skip
    assert abs(found.lines / lines - 1) < 4 * errors["lines of 64 bytes"].relative_error
    assert abs(found.distinct_sites / (count + 1) - 1) < 4 * errors["sites"].relative_error
    pc, _, times = found.sites[0]
    assert pc == rows["pc"][-1]
    assert 5000 - errors["accesses of hottest sites"].too_low_by <= times <= 5000
    assert found.opcodes == {"lwz": count + 5000}
    assert sum(found.reuse) + found.lines + found.reuse_farther == found.line_accesses


def test_batches_of_a_few_take_no_more_memory_than_large_ones() -> None:
    """The slow path of a reader yields such; arrays of two would take 45 times as much."""
    numbers = np.arange(30_000, dtype="u8")
    tracemalloc.start()
    distinct, frequent, reuse = Distinct(1 << 20), Frequent(1 << 20), ReuseDistances()
    for start in range(0, len(numbers), 2):
        for counter in (distinct, frequent, reuse):
            counter.add(numbers[start : start + 2])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 * numbers.nbytes
    assert len(distinct) == len(frequent.pairs()) == len(numbers)


MEASURED = """
import sys
from inst.formats.rst.trace import RstTrace
from inst.statistics.statistics import gather
from tests.stats.test_statistics_counts import START, random_accesses

def chunks(count):
    yield START
    for seed in range(count):
        yield random_accesses(43690, seed)

found = gather(RstTrace("t", chunks(int(sys.argv[1]))))
status = open("/proc/self/status").read()
print(found.events, found.lines, status.partition("VmHWM:")[2].split()[0])
"""


def test_memory_is_the_same_for_any_number_of_lines() -> None:
    """Once every limit is reached nothing grows; the allocator's own peaks differ by some 20 MB.

    Eight bytes for each of the 8.7 million lines between the two would be 70 MB.
    """
    peaks = []
    for count in (40, 240):
        done = subprocess.run(
            [sys.executable, "-c", MEASURED, str(count)],
            check=True, capture_output=True, text=True, cwd=ROOT,
            env={"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        events, lines, kilobytes = map(int, done.stdout.split())
        assert events == count * 43690
        assert abs(lines / events - 1) < 0.005
        peaks.append(kilobytes // 1024)
    assert peaks[1] < peaks[0] + 40 and peaks[1] < 200, peaks
