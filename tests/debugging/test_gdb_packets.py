"""Packets of gdb's protocol, however they arrive."""

from __future__ import annotations

import random

import pytest

from inst.common.gdb_packets import INTERRUPT, Packets, packed

CONTENTS = [b"", b"OK", bytes(range(32, 35)) * 700, b"m400,10", b"}\x03binary}\x04"]
STREAM = b"+".join(packed(one) for one in CONTENTS)


def packets(stream: bytes, size: int) -> tuple[Packets, list[bytes]]:
    """Return what reads a stream in pieces of a size, and what it has sent."""
    pieces = iter([stream[at : at + size] for at in range(0, len(stream), size)])
    sent: list[bytes] = []
    return Packets(lambda: next(pieces), sent.append), sent


@pytest.mark.parametrize("size", [1, 2, 3, 64, len(STREAM)])
def test_packets_in_pieces(size: int) -> None:
    found, sent = packets(STREAM, size)
    assert [found.next() for _ in CONTENTS] == CONTENTS
    assert sent == [b"+"] * len(CONTENTS)


def test_a_damaged_packet_is_asked_for_again() -> None:
    """Any of its bytes but the first may be damaged, and the next packet is as it was."""
    chance = random.Random(1)
    good = packed(b"m400,10")
    for place in range(1, len(good)):
        damaged = bytearray(good)
        damaged[place] = chance.choice([one for one in b"xyz" if one != damaged[place]])
        if place == good.index(b"#"):
            continue  # what comes after it belongs to the packet, then
        found, sent = packets(bytes(damaged) + good, 5)
        assert found.next() is None and sent == [b"-"]
        assert found.next() == b"m400,10" and sent == [b"-", b"+"]


def test_an_interrupt_and_a_request_for_the_last_packet() -> None:
    found, _ = packets(INTERRUPT + b"+-" + packed(b"g"), 2)
    assert [found.next() for _ in range(3)] == [INTERRUPT, None, b"g"]
