"""Recordings: what is read of them is the RST trace of the same run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inst.formats.rst.trace import RstTrace
from inst.trace import open_trace
from tests.trace.rec.encoder import MACHINES, Does, Encoder, Item, Segment


def records_of(path: Path) -> bytes:
    trace = open_trace(path)
    assert isinstance(trace, RstTrace)
    return b"".join(batch.tobytes() for batch in trace.batches())


def items(chance: random.Random, arch: str) -> list[Item]:
    instructions = MACHINES[arch][2]
    found = []
    for _ in range(chance.randrange(1, 6)):
        name = chance.choice(sorted(instructions))
        low = instructions[name].low
        moved = chance.choice((0, 8, -8, 0x7F0, -0x800)) if low else 0
        value = chance.choice(("slot", "slot", "slot", "constant", "unknown"))
        addend = chance.choice((0, 0, 4, -4, 0x12345))
        more = chance.choice((0, 0, 1, -3)) if instructions[name].kind != "raw" else 0
        if value == "constant":
            more = chance.randrange(-(1 << 31), 1 << 31)
        whole = chance.random() < 0.1
        shares = chance.random() < 0.3
        found.append(Item(name, moved, addend, more, value, shares, whole))
    return found


def does(chance: random.Random, segment: Segment) -> list[Does]:
    return [
        Does(*(chance.choice((0, chance.getrandbits(16), chance.getrandbits(64))) for _ in "bid"))
        for _ in segment.items
    ]


@pytest.mark.parametrize("arch", MACHINES)
def test_one_thread(arch: str, tmp_path: Path) -> None:
    chance = random.Random(arch)
    encoder = Encoder(arch, chunk=24 * 512, step=1024)
    segments = [encoder.segment(items(chance, arch), chance.randrange(3)) for _ in range(20)]
    thread = encoder.thread(77)
    for _ in range(2000):
        one = chance.choice(segments)
        encoder.block(thread, one, does(chance, one))
    path = tmp_path / "t.rec"
    path.write_bytes(encoder.finish())
    assert records_of(path) == encoder.expected()
