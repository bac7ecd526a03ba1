"""`races` of a thread alone: columns and tables remember the same, and find the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from inst.check import race_alone
from inst.check.happens import AFTER, BEFORE
from inst.check.races import Races
from inst.trace.finding import Finding
from inst.trace.model import EVENT, Flag, Kind, Trace

BASE = 0x40000000
SIZES = (1, 2, 4, 4, 4, 8, 8, 16, 17, 100, 5000)
BLOCKS = (1, 7, 8, 16, 24, 100, 600, 9000)


class Events(Trace):
    """A trace that consists of tables of events."""

    format = "rst"

    def batches(self) -> Iterator[object]:
        return iter(())

    records = batches
    events = batches  # type: ignore[assignment]


@dataclass
class Maker:
    """Writes random events: accesses, blocks that are given and freed, locks, atomic accesses."""

    chance: random.Random
    span: int
    reuse: float
    """How often an access is to memory that may have been freed."""

    def __post_init__(self) -> None:
        self.rows: list[np.ndarray] = []
        self.blocks: dict[int, int] = {}
        self.thread = 1

    def row(self, kind: Kind, address: int, **columns: int) -> None:
        row = np.zeros((), EVENT)
        row["record"] = row["id"] = len(self.rows)
        row["kind"], row["address"], row["thread"] = kind, address, self.thread
        for name, value in columns.items():
            row[name] = value
        self.rows.append(row)

    def hint(self, word: int, address: int, size: int = 0) -> None:
        self.row(Kind.HINT, address, detail=word, value=size, site=self.chance.randrange(3))

    def access(self) -> None:
        chance = self.chance
        size = chance.choice(SIZES)
        address = BASE + chance.randrange(self.span)
        if chance.random() < 0.8:
            address -= address % min(size, 8)
        if chance.random() >= self.reuse and self.blocks:
            start, block = chance.choice(list(self.blocks.items()))
            size = min(size, block)
            address = start + chance.randrange(block - size + 1)
        placed = size <= 16 and chance.random() < 0.9
        self.row(
            chance.choice((Kind.READ, Kind.WRITE)), address, size=size,
            pc=0x1000 + 4 * chance.randrange(30) if placed else 0,
            flags=int(Flag.ATOMIC) if chance.random() < 0.01 else 0,
        )  # fmt: skip

    def something(self) -> None:
        what = self.chance.random()
        if what < 0.06:
            address, size = BASE + 8 * self.chance.randrange(self.span // 8), 0
            size = self.chance.choice(BLOCKS)
            self.blocks[address] = size
            self.hint(2, address, size)
        elif what < 0.12 and self.blocks:
            address = self.chance.choice(list(self.blocks))
            del self.blocks[address]
            self.hint(1, address)
        elif what < 0.125:
            self.row(Kind.GAP, 0)
        elif what < 0.15:
            kind = self.chance.choice((Kind.LOCK, Kind.UNLOCK))
            self.row(kind, 0x900 + 8 * self.chance.randrange(2))
        else:
            self.access()


def events(seed: int) -> list[np.ndarray]:
    """Return a random trace in batches; two threads act from some event on, or one alone."""
    chance = random.Random(seed)
    maker = Maker(chance, chance.choice((64, 512, 20000)), chance.choice((0.0, 0.0, 0.02, 0.3)))
    count = chance.choice((60, 400))
    second = chance.randrange(count * 3 // 2)
    for number in range(count):
        if number >= second and chance.random() < 0.2:
            maker.thread = chance.choice((1, 2))
        maker.something()
    table = np.array(maker.rows, EVENT)
    cuts = sorted(chance.sample(range(1, count), chance.choice((0, 1, 10, 30))))
    return np.split(table, cuts)


def found(batches: list[np.ndarray], *, alone: bool) -> list[Finding]:
    trace = Events("t")
    for word in (BEFORE, AFTER):
        trace.words.number(word)
    for site in ("a.c:1", "a.c:2"):
        trace.sites.number(site)
    check = Races(trace)
    if not alone:
        check.leave_alone()
    findings = [finding for batch in batches for finding in check.events(batch)]
    return [*findings, *check.finish()]


@pytest.mark.parametrize("room", [race_alone.ROOM, 10])
@pytest.mark.parametrize("seeds", [40, pytest.param(150, marks=pytest.mark.campaign)])
def test_columns_and_tables_find_the_same(
    seeds: int, room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(race_alone, "ROOM", room)
    codes: set[str] = set()
    for seed in range(seeds):
        batches = events(seed)
        expected = found(batches, alone=False)
        assert found(batches, alone=True) == expected, seed
        codes |= {finding.code for finding in expected}
    assert codes == {"race", "use-after-free"}


def test_an_access_to_a_freed_block_ends_the_columns() -> None:
    """And one to a block that was given again does not."""
    for given, codes in ((True, []), (False, ["use-after-free"])):
        maker = Maker(random.Random(1), 64, 0)
        maker.hint(2, BASE, 16)
        maker.row(Kind.WRITE, BASE, size=4, pc=0x1000)
        maker.hint(1, BASE)
        if given:
            maker.hint(2, BASE, 8)
        maker.row(Kind.READ, BASE, size=4, pc=0x1004)
        findings = found([np.array(maker.rows, EVENT)], alone=True)
        assert [finding.code for finding in findings] == codes


@pytest.mark.parametrize(("offset", "gone"), [(0, True), (4, False), (8, False), (12, True)])
def test_what_a_smaller_block_leaves_stays_freed(offset: int, gone: bool) -> None:
    maker = Maker(random.Random(1), 64, 0)
    maker.hint(2, BASE, 16)
    maker.row(Kind.WRITE, BASE, size=4, pc=0x1000)
    maker.hint(1, BASE)
    maker.hint(2, BASE + 4, 8)
    maker.row(Kind.READ, BASE + offset, size=4, pc=0x1004)
    findings = found([np.array(maker.rows, EVENT)], alone=True)
    assert [finding.code for finding in findings] == ["use-after-free"] * gone


@pytest.mark.parametrize("published", [False, True])
def test_a_given_block_forgets_what_was_published(published: bool) -> None:
    """What its former owner did since it last released anything may still race."""
    maker = Maker(random.Random(1), 64, 0)
    maker.row(Kind.WRITE, BASE, size=4, pc=0x1000)
    if published:
        maker.row(Kind.UNLOCK, 0x900)
    maker.hint(2, BASE, 8)
    batches = [np.array(maker.rows, EVENT)]
    maker.rows, maker.thread = [], 2
    maker.row(Kind.WRITE, BASE, size=4, pc=0x1004)
    findings = found([*batches, np.array(maker.rows, EVENT)], alone=True)
    assert [finding.code for finding in findings] == ([] if published else ["race"])
