"""Damaged recordings: what is before the damage is read, and then it is reported."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from inst.errors import InstError
from inst.trace import open_trace
from inst.trace.model import Kind, TraceError
from tests.hostile.mutants import changed
from tests.hostile.running import run
from tests.trace.rec.encoder import HEADER, Encoder
from tests.trace.rec.machines import Does, Item, Thread

SIZE = 24 * 100
BLOCKS = 60
SEGMENTS = 2
"""The first chunk of blocks: after that of events, and the tables."""


def recorded(*, killed: bool = False, ends: Callable[[Encoder, Thread], object] = id) -> bytes:
    """Return a recording of 60 loads and 60 stores, in runs of 64 bytes."""
    encoder = Encoder("ppc", chunk=SIZE, step=64)
    segment = encoder.segment([Item("lwz", 4), Item("stb", -1)])
    thread = encoder.thread(77)
    for number in range(BLOCKS):
        encoder.block(thread, segment, [Does(0x4000, 0, number), Does(0x5000, 0, number)])
    if ends is not id:
        ends(encoder, thread)
    return encoder.finish(killed=killed)


def put(data: bytes, chunk: int, offset: int, value: bytes) -> bytes:
    """Return a file with other bytes at a place of a chunk."""
    at = chunk * SIZE + offset
    return data[:at] + value + data[at + len(value) :]


def accesses(data: bytes) -> tuple[int, str]:
    """Return how many accesses are read, and what the damage is."""
    trace, count = open_trace(io.BytesIO(data), name="t"), 0
    try:
        for event in trace.objects():
            count += event.kind in (Kind.READ, Kind.WRITE)
    except TraceError as error:
        return count, str(error)
    return count, ""


WHOLE = recorded()
BLOCK = 20
"""Bytes of a block: two slots for each access, and the name."""
RUN = 80
"""Bytes of a run: the first end of a block after 64."""
DAMAGED = {
    "an unknown name": (
        put(WHOLE, SEGMENTS, HEADER + RUN + BLOCK - 4, b"\1\2\3\4"),
        f"a block of an unknown segment in chunk 2, at byte offset {2 * SIZE + HEADER + 96}",
        8,
    ),
    "a name of no address of code": (
        put(WHOLE, SEGMENTS, HEADER + RUN + BLOCK - 1, b"\7"), "a block of an unknown segment", 8),
    "a run that begins in a block": (
        put(WHOLE, SEGMENTS, 16, struct.pack(">I", HEADER + 4)),
        "a block that leaves its run in chunk 2", 0),
    "a run that begins in the header": (
        put(WHOLE, SEGMENTS, 16, struct.pack(">I", 16)), "a run that begins outside", 0),
    "a count of runs": (put(WHOLE, SEGMENTS, 12, b"\xff"), "a damaged table of runs", 0),
    "another thread's run": (
        put(WHOLE, SEGMENTS, 32 + 4, b"\0\0\0\7"), "a run that continues another thread's", 0),
    "no tables": (put(WHOLE, 1, 0, b"INST-XXX"), "events that begin without their thread", 0),
    "tables without an end": (put(WHOLE, 1, 8, b"\0" * 6 + b"\xff"), "cut short", 0),
    "a slot outside": (
        WHOLE.replace(struct.pack(">IBBB", 20, 1, 0, 2), struct.pack(">IBBB", 20, 9, 0, 2), 1),
        "an access outside its block, at 0x10001014", 0),
    "an access outside the code": (
        WHOLE.replace(struct.pack(">IBBB", 20, 1, 0, 2), struct.pack(">IBBB", 9920, 1, 0, 2), 1),
        "an access outside the code, at 0x100036c0", 0),
    "an instruction set": (WHOLE.replace(b"arch=ppc", b"arch=pdp"), "unknown instruction set", 0),
    "no base": (WHOLE.replace(b"image=", b"imago="), "where its program was loaded", 0),
    "a version": (put(WHOLE, 0, 8, b"\x0b"), "a recording of version 11", 0),
    "a width": (put(WHOLE, 0, 9, b"\3"), "first record is damaged", 0),
    "a size of chunks": (put(WHOLE, 0, 12, b"\0\0\0\x18"), "chunks of 24 bytes", 0),
    "a start": (WHOLE[:20], "the recording is cut short: 20 of 24 bytes", 0),
    "a cut header": (WHOLE[: SEGMENTS * SIZE + 300], "the recording is cut short in chunk 2", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_reported_where_it_is(name: str) -> None:
    data, message, before = DAMAGED[name]
    found, text = accesses(data)
    assert (found, message in text) == (before, True), text


def test_the_sample_is_whole() -> None:
    assert accesses(WHOLE) == (2 * BLOCKS, "")
    assert open_trace(io.BytesIO(WHOLE)).notes == []


def test_an_event_has_to_come_after_a_block() -> None:
    def event(encoder: Encoder, thread: Thread) -> None:
        thread.cursor -= 4
        encoder.event(thread, b"\x28\x0d\0\2" + bytes(20))

    found, text = accesses(recorded(ends=event))
    assert "an event of thread 0 where no block ends" in text
    assert found == 2 * BLOCKS or found < 2 * BLOCKS


def test_the_last_block_of_a_killed_program_is_left_out() -> None:
    trace = open_trace(io.BytesIO(recorded(killed=True)))
    assert sum(event.kind == Kind.READ for event in trace.objects()) == BLOCKS - 1
    assert "the last block of a thread is left out" in "".join(trace.notes)
    assert trace.incomplete


def test_a_block_with_an_event_after_it_was_filled() -> None:
    def lock(encoder: Encoder, thread: Thread) -> None:
        encoder.event(thread, b"\x28\x0c\0\2" + bytes(20))

    trace = open_trace(io.BytesIO(recorded(killed=True, ends=lock)))
    assert sum(event.kind == Kind.READ for event in trace.objects()) == BLOCKS
    assert "left out" not in "".join(trace.notes)


def test_damaged_bytes_never_give_a_traceback() -> None:
    written = [place for place, octet in enumerate(WHOLE) if octet]
    for mutant in changed(WHOLE, written, 1, 150):
        try:
            for _ in open_trace(io.BytesIO(mutant.data)).events():
                pass
        except InstError:
            continue


def test_commands_report_damage(tmp_path: Path) -> None:
    path = tmp_path / "t.rec"
    path.write_bytes(DAMAGED["an unknown name"][0])
    for command in ("stats", "view", "check"):
        outcome = run(command, path)
        assert "a block of an unknown segment in chunk 2" in outcome.err
        assert outcome.status == 2


def test_a_thread_that_still_ran_at_the_end() -> None:
    """A run without blocks, which continues another, says that the last block may not be filled."""

    def run_without_blocks(encoder: Encoder, thread: Thread) -> None:
        encoder.runs[thread.chunk].append((thread.cursor, thread.number, 0))

    trace = open_trace(io.BytesIO(recorded(ends=run_without_blocks)))
    assert sum(event.kind == Kind.READ for event in trace.objects()) == BLOCKS - 1
    assert "the last block of a thread is left out" in "".join(trace.notes)


def test_a_compressed_table() -> None:
    start = WHOLE.index(b"segments\0")
    (size,) = struct.unpack_from(">Q", WHOLE, start + 24)
    rows = WHOLE[start + 32 : start + 32 + size]
    packed = struct.pack(">III", 1, size, 1) + zlib.compress(rows)
    entry = struct.pack(">16sQQ", b"segments.z", 0, len(packed)) + packed.ljust(
        -(-len(packed) // 8) * 8, b"\0"
    )
    image = WHOLE[start + 32 + -(-size // 8) * 8 :][:32]
    (whole,) = struct.unpack_from(">Q", WHOLE, SIZE + 8)
    begin = WHOLE[SIZE + 16 : start]
    content = begin + entry + image
    assert whole == len(begin) + 32 + -(-size // 8) * 8 + 32
    tables = (b"INST-TAB" + struct.pack(">Q", len(content)) + content).ljust(SIZE, b"\0")
    assert accesses(WHOLE[:SIZE] + tables + WHOLE[2 * SIZE :]) == (2 * BLOCKS, "")
    broken = tables.replace(packed[12:20], b"\xff" * 8)
    assert "compressed table" in accesses(WHOLE[:SIZE] + broken + WHOLE[2 * SIZE :])[1]
