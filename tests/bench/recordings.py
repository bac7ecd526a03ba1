"""A recording of many accesses, and how fast its columns are decoded."""

from __future__ import annotations

import random
import struct
from pathlib import Path

from inst.formats.rec.blocks import Finder
from inst.formats.rec.columns import Decoder
from inst.formats.rec.containers import open_container
from inst.formats.rec.index import read_index
from inst.formats.rec.layout import File
from inst.formats.rec.table_reader import read_tables
from inst.formats.rec.trace import WINDOW
from inst.formats.rec.window import windows
from tests.trace.rec.encoder import BASE, Encoder
from tests.trace.rec.machines import Does, Item

NAMES = ("lwz", "stwu", "stb", "lwz", "lwz", "lhax")


def write(path: Path, wanted: int) -> int:
    """Write a recording of so many accesses in loops, or a few more; return how many."""
    chance, encoder = random.Random(1), Encoder("ppc")
    segments = [
        encoder.segment(
            [Item(chance.choice(NAMES), 8, shares=chance.random() < 0.4)
             for _ in range(chance.randrange(1, 5))], chance.randrange(30))
        for _ in range(200)
    ]  # fmt: skip
    thread, count = encoder.thread(77), 0
    while not thread.chunk or thread.cursor < encoder.size - 4096:
        for step, segment in enumerate(chance.choices(segments, k=6) * 20):
            does = [Does(0x40000000 + 8 * step, 4, step * 77) for _ in segment.items]
            encoder.block(thread, segment, does)
            count += len(does)
    data, start = encoder.finish(), thread.chunk * encoder.size
    chunk = bytearray(data[start : start + encoder.size])
    with path.open("wb") as file:
        file.write(data[:start])
        for order in range(2, 2 + -(-wanted // count)):
            struct.pack_into(">Q", chunk, 24, order)
            file.write(chunk)
    return count * -(-wanted // count)


def decode(path: Path) -> int:
    """Decode the columns of all accesses; return how many there are."""
    with path.open("rb") as stream:
        file = File(open_container(str(path), stream))
        index = read_index(file)
        assert index.tables is not None
        tables = read_tables(file, index.tables, "ppc", BASE)
        decoder, finder = Decoder(tables, little=False), Finder(tables)
        return sum(
            len(part)
            for thread in index.threads.values()
            for window in windows(file, thread, finder, WINDOW)
            for part in decoder.parts(window.data, window.trailers, window.segments)
        )
