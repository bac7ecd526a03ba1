"""Recordings in rings and packed: they are read as the plain ones with the same chunks."""

from __future__ import annotations

import errno
import io
import random
import resource
from pathlib import Path

import numpy as np
import pytest

from inst.errors import InstError
from inst.formats.rec import packed as packed_module
from inst.formats.rec.packing import Packer
from inst.formats.rst.record import encode
from inst.trace import open_trace
from inst.trace.model import Kind, TraceError
from tests.sizes import examples
from tests.trace.rec.containers import chunks_of, packed, ring
from tests.trace.rec.encoder import Encoder
from tests.trace.rec.machines import MACHINES, Does, Item
from tests.trace.rec.test_rec_reader import Play, read


def played(seed: int, arch: str, threads: int = 2) -> bytes:
    """Return a recording of threads that do something at random."""
    play = Play(random.Random(seed), arch, threads, size=512)
    for _ in range(120):
        play.act(play.chance.choice(play.threads))
    return play.encoder.finish()


@pytest.mark.parametrize("arch", MACHINES)
def test_every_container_is_read_alike(arch: str) -> None:
    for seed in range(examples(3)):
        data = played(seed, arch)
        expected = read(data)
        for same in (packed(data), packed(data, 600), ring(data), ring(data, mode=b"d")):
            assert read(same) == expected, seed


def loads(chunks: int, ends: bool = False) -> bytes:
    """Return a recording of so many chunks of loads, in one thread, which may end by an event."""
    encoder = Encoder("ppc", chunk=24 * 512)
    segment = encoder.segment([Item("lwz", 4)])
    thread = encoder.thread(77)
    while len(encoder.chunks) < chunks:
        encoder.block(thread, segment, [Does(0x4000, 0, len(encoder.chunks))])
    if ends:
        encoder.event(thread, b"\x28\x0d\0\2" + bytes(20))
    return encoder.finish()


SAMPLE = packed(loads(5))


def test_a_packed_file_without_its_index_is_read() -> None:
    """It was killed: what is whole is read, and the note says that the rest is missing."""
    expected = read(loads(5))
    end = SAMPLE.index(b"INDX")
    unfinished = unfinished_start(SAMPLE)
    for size in (end, end + 10):
        trace = open_trace(io.BytesIO(unfinished[:size]))
        assert b"".join(batch.tobytes() for batch in trace.batches()) == expected
        assert trace.incomplete and "was killed" in "".join(trace.notes)


@pytest.mark.parametrize("kept", [1, 2, 4])
def test_a_disk_that_was_full_leaves_what_was_written(kept: int) -> None:
    """The first chunk may be newer than the last one there: its later events are left out."""
    data = loads(5, ends=True)
    chunks, file = chunks_of(data), io.BytesIO()
    packer = Packer(file, chunks[0])
    for number in sorted(chunks)[1:kept]:
        packer.add(number, chunks[number])
    packer.stop(errno.ENOSPC)
    trace = open_trace(io.BytesIO(file.getvalue()))
    found = b"".join(batch.tobytes() for batch in trace.batches())
    assert read(data).startswith(found)
    assert trace.incomplete
    assert "No space left on device" in str(trace.notes)
    assert "the events of thread 0 break off" in str(trace.notes)


def test_a_ring_has_no_events_whose_blocks_were_overwritten() -> None:
    """They are in a chunk that is kept, since the thread still writes to it."""
    encoder = Encoder("ppc", chunk=24 * 512)
    segment = encoder.segment([Item("lwz", 4)])
    thread, chunk_of, events = encoder.thread(77), list[int](), dict[int, int]()
    while len(encoder.chunks) < 6:
        number = len(chunk_of)
        encoder.block(thread, segment, [Does(0x4000, 0, number)])
        chunk_of.append(thread.chunk)
        if thread.chunk not in events:
            events[thread.chunk] = number
            encoder.event(thread, encode("event", kind=Kind.HINT, flags=4, value=number))
    data = encoder.finish()
    lost = sorted(events)[:2]
    for gone in (lost, lost[:1], lost[1:]):
        trace = open_trace(io.BytesIO(ring(data, lost=gone)))
        found = np.concatenate(list(trace.events()))
        loads = found["value"][found["kind"] == Kind.READ].tolist()
        assert loads == [each for each, chunk in enumerate(chunk_of) if chunk not in gone]
        kept = [each for chunk, each in events.items() if chunk not in gone]
        assert found["value"][found["kind"] == Kind.HINT].tolist() == kept
        assert ("2 events are" if gone == lost else "an event is") in str(trace.notes)
        assert trace.incomplete


def unfinished_start(data: bytes) -> bytes:
    """Return a packed file whose header says that it is being written."""
    header = bytearray(data[: packed_module.HEADER])
    packed_module.STATE.pack_into(header, packed_module.STATE_PLACE, 0, 0)
    total = packed_module.header_sum(bytes(header))
    packed_module.SUM.pack_into(header, packed_module.SUM_PLACE, total)
    return bytes(header) + data[packed_module.HEADER :]


def test_damage_at_any_byte_is_reported_with_its_place() -> None:
    """No byte can change and the rest be read as if nothing had happened."""
    expected, chance = read(SAMPLE), random.Random(1)
    places = {*range(32), *chance.sample(range(8192), 40), *range(8192, 8260)}
    places |= {*chance.sample(range(8192, len(SAMPLE)), 150), *range(len(SAMPLE) - 24, len(SAMPLE))}
    for place in sorted(places):
        data = bytearray(SAMPLE)
        data[place] ^= 1 << place % 8
        found, error = read_up_to_damage(bytes(data))
        assert (error and "at byte offset" in error) or (place < 8 and error), place
        assert expected.startswith(found) or place in range(8192)


def read_up_to_damage(data: bytes) -> tuple[bytes, str]:
    """Return the records before damage, and the message."""
    found = b""
    try:
        trace = open_trace(io.BytesIO(data), name="t")
        for batch in trace.batches():
            found += batch.tobytes()
    except (TraceError, InstError) as error:
        return found, str(error)
    return found, ""


@pytest.mark.parametrize("size", [-400, 8, 20, 5000, 8191, 8192, 8200, -1, -30])
def test_a_cut_packed_file(size: int) -> None:
    found, error = read_up_to_damage(SAMPLE[:size])
    assert "cut short" in error and "at byte offset" in error
    assert read(SAMPLE).startswith(found)


def test_a_damaged_ring_is_reported() -> None:
    data = ring(loads(4))
    size = len(chunks_of(loads(4))[0])
    for broken, message in (
        (data[:5000], "cut short"), (data[:-1], "cut short"),
        (data[:8192] + b"\0\0\0\7" + data[8196:], "a damaged table of a ring"),
        (data[:11] + b"x" + data[12:], "neither emptied nor overwritten"),
        (data[:16] + b"\1" + data[17:], "slots"),
        (data.replace(data[8192:8208], data[8208:8224], 1), "two slots"),
        (data[: 8192 + 16 * 3] + bytes(16) + data[8192 + 16 * 4 :], "without its first chunk"),
    ):  # fmt: skip
        found, error = read_up_to_damage(broken)
        assert message in error, error
        assert found == b""
    assert size < len(data)


def test_the_index_saves_unpacking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first records need only the chunks that hold them."""
    path = tmp_path / "t.rec"
    path.write_bytes(packed(loads(16)))
    unpacked: list[int] = []
    original = packed_module.Packed._unpacked

    def counted(self: packed_module.Packed, number: int) -> bytes:
        unpacked.append(number)
        return original(self, number)

    monkeypatch.setattr(packed_module.Packed, "_unpacked", counted)
    monkeypatch.setattr("inst.formats.rec.trace.WINDOW", 1 << 14)
    monkeypatch.setattr("inst.formats.rec.trace.GATHERED", 1 << 14)
    next(open_trace(path).batches())
    assert len(set(unpacked)) < 12


def test_memory_is_constant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache forgets chunks: a small one gives the same records."""
    monkeypatch.setattr(packed_module, "CACHED", 3 * 24 * 512)
    data = packed(loads(10))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert read(data, 4096) == read(loads(10))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000
