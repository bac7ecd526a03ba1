"""Statistics from the columns of a recording against those of the records it stands for."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inst.errors import InstError
from inst.formats.rec import tallies, trace
from inst.statistics.statistics import Statistics, gather
from inst.trace import open_trace
from inst.trace.model import Kind
from inst.trace.tally import tally_of
from tests.sizes import examples
from tests.trace.rec.encoder import Encoder
from tests.trace.rec.machines import MACHINES, Does, Item
from tests.trace.rec.test_rec_reader import Play


def of(opened: Any, line: int, *, plain: bool) -> tuple[Statistics, str, list[str]]:
    """Return a trace's statistics, how reading ended, and what was noted."""
    if plain:
        opened.tallies = lambda: map(tally_of, opened.events())
    try:
        return gather(opened, line=line, page=4 * line), "", opened.notes
    except InstError as error:
        partial: Any = error.partial  # type: ignore[attr-defined]
        return partial, error.render(), opened.notes


def compare(data: bytes, window: int, part: int, line: int) -> Statistics:
    """Read a recording in two ways, in windows of bytes and in parts of so many accesses."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "WINDOW", window)
        patch.setattr(tallies, "PART", part)
        found = of(open_trace(io.BytesIO(data)), line, plain=False)
        assert found == of(open_trace(io.BytesIO(data)), line, plain=True)
    return found[0]


@settings(max_examples=examples(12), deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    arch=st.sampled_from(sorted(MACHINES)),
    threads=st.integers(1, 4),
    part=st.sampled_from([1, 3, 50, 1000]),
)
@example(seed=1662, arch="ppc64", threads=1, part=1)  # cut short within a word
def test_what_threads_do(seed: int, arch: str, threads: int, part: int) -> None:
    """Blocks, ranges, locks, signals within blocks; also where the file is cut short or damaged."""
    chance = random.Random(seed)
    play = Play(chance, arch, threads)
    for _ in range(chance.choice((10, 60, 250))):
        play.act(chance.choice(play.threads))
    data = bytearray(play.encoder.finish())
    window, line = chance.choice((0, 300, 2000, trace.WINDOW)), chance.choice((1, 8, 64))
    compare(bytes(data), window, part, line)
    compare(bytes(data[: chance.randrange(len(data))]), window, part, line)
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    compare(bytes(data), window, part, line)


def test_accesses_over_the_ends_of_lines() -> None:
    encoder = Encoder("ppc")
    segment = encoder.segment([Item("lwz", 8)])
    thread = encoder.thread(77)
    for step in range(1000):
        encoder.block(thread, segment, [Does(0x4000 + 62 * step, 4, step)])
    statistics = compare(encoder.finish(), trace.WINDOW, 100, 64)
    assert statistics.kinds[Kind.READ, 4] == 1000
    assert statistics.line_accesses > 1000  # some are over the end of a line
