"""Recordings: what is read of them is the RST trace of the same run."""

from __future__ import annotations

import io
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.formats.rec import trace
from inst.formats.rst.record import encode
from inst.formats.rst.trace import RstTrace
from inst.trace import open_trace
from tests.sizes import examples
from tests.trace.rec.encoder import FIRST_LABEL, Encoder
from tests.trace.rec.machines import MACHINES, Does, Item, Segment, Thread


def read(data: bytes, window: int = trace.WINDOW) -> bytes:
    """Return the records of a recording, which comes from a pipe, read in windows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "WINDOW", window)
        opened = open_trace(io.BytesIO(data))
        return b"".join(batch.tobytes() for batch in opened.batches())


def is_order(record: bytes) -> bool:
    return record[0] == 40 and record[1] == 19


def split(data: bytes) -> dict[int, list[bytes]]:
    """Return the records of each thread by its cpu; -1 has all."""
    found: dict[int, list[bytes]] = {-1: []}
    cpu = -2
    for at in range(0, len(data), 24):
        record = data[at : at + 24]
        if record[0] == 11:
            cpu = int.from_bytes(record[4:8], "big")
        found.setdefault(cpu, []).append(record)
        found[-1].append(record)
    return found


def without_switches(records: list[bytes] | bytes) -> list[bytes]:
    """Return the records but for those that name the thread, and the end."""
    if isinstance(records, bytes):
        records = [records[at : at + 24] for at in range(0, len(records), 24)]
    return [record for record in records if record[0] not in (11, 6, 23)]


def records_of(path: Path) -> bytes:
    opened = open_trace(path)
    assert isinstance(opened, RstTrace)
    return b"".join(batch.tobytes() for batch in opened.batches())


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


class Play:
    """Threads that do something at random."""

    def __init__(
        self, chance: random.Random, arch: str, threads: int, size: int | None = None
    ) -> None:
        self.chance = chance
        size = size or chance.choice((96, 128, 512))
        step, apart = chance.choice((256, 1024)), chance.random() < 0.6
        self.encoder = Encoder(arch, chunk=24 * size, step=step, apart=apart)
        self.segments = [
            self.encoder.segment(items(chance, arch), chance.randrange(3))
            for _ in range(chance.randrange(1, 20))
        ]
        self.encoder.name_ranges()
        self.threads = [self.encoder.thread(70 + number) for number in range(threads)]

    def act(self, thread: Thread) -> None:
        """Let a thread do one thing."""
        acts = (self.block, self.block, self.block, self.event, self.lock, self.signal, self.end)
        self.chance.choice((*acts, self.range, self.frame))(thread)

    def block(self, thread: Thread) -> None:
        for _ in range(self.chance.choice((1, 1, 2, 30))):
            one = self.chance.choice(self.segments)
            self.encoder.block(thread, one, does(self.chance, one))

    def range(self, thread: Thread) -> None:
        for _ in range(self.chance.choice((1, 1, 3, 40))):
            address, size = self.chance.getrandbits(64) | 1, self.chance.randrange(1, 9999)
            self.encoder.range(thread, address, size, writes=self.chance.random() < 0.5)

    def frame(self, thread: Thread) -> None:
        address, size = self.chance.choice(((0, 0), (self.chance.getrandbits(64) | 1, 208)))
        self.encoder.frame(thread, address, size)
        self.block(thread)

    def event(self, thread: Thread) -> None:
        access = {"cpuid": thread.number, "pc_va": self.chance.getrandbits(32)}
        self.encoder.event(thread, encode("instr", ea_valid=1, instr=0x7C001828, **access))

    def lock(self, thread: Thread) -> None:
        lock = encode("event", kind=12, flags=2, cpuid=thread.number, address=0x3000)
        self.encoder.event(thread, lock + encode("event_size"), ordered=True)

    def signal(self, thread: Thread) -> None:
        """Interrupt a segment, or code without one."""
        chance, encoder = self.chance, self.encoder
        number = chance.randrange(1, 65)
        registers = chance.choice((0, 0, 1, 3))
        if chance.random() < 0.3:
            elsewhere = encoder.run_time(chance.choice((0x1000, FIRST_LABEL - 4)))
            encoder.signal(thread, number, chance.choice((0, elsewhere)), registers=registers)
            return
        one = chance.choice(self.segments)
        happened = chance.randrange(len(one.items) + 1)
        # A place before the space was reserved is one of the next time that the code runs.
        early = chance.random() < 0.2
        later = encoder.block(thread, one, does(chance, one), 99 if early else happened)
        if early:
            pc = one.label + chance.randrange(0, encoder.reserved, 4)
        elif happened == len(one.items):
            pc = one.pcs[-1] + 4
        else:
            pc = chance.choice((one.pcs[happened], one.pcs[happened] - 4))
            pc = max(pc, one.label + encoder.reserved)
        encoder.signal(thread, number, encoder.run_time(pc), later, registers)

    def end(self, thread: Thread) -> None:
        """Return from a handler, or leave it by a jump."""
        if not thread.later:
            return
        if self.chance.random() < 0.8:
            self.encoder.back(thread)
        elif len({number for number, _ in thread.later}) == len(thread.later):
            self.encoder.jump(thread)


@pytest.mark.parametrize("arch", MACHINES)
@pytest.mark.parametrize("version", [1, 5, 8])
def test_one_thread(arch: str, version: int, tmp_path: Path) -> None:
    chance = random.Random(arch)
    encoder = Encoder(arch, chunk=24 * 512, step=1024)
    encoder.version = version
    segments = [encoder.segment(items(chance, arch), chance.randrange(3)) for _ in range(20)]
    thread = encoder.thread(77)
    for _ in range(2000):
        one = chance.choice(segments)
        encoder.block(thread, one, does(chance, one))
    path = tmp_path / "t.rec"
    path.write_bytes(encoder.finish())
    assert records_of(path) == encoder.expected()


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from(sorted(MACHINES)))
def test_what_a_thread_does(seed: int, arch: str) -> None:
    play = Play(random.Random(seed), arch, 1)
    for _ in range(play.chance.choice((5, 40, 200))):
        play.act(play.threads[0])
    found = read(play.encoder.finish(), play.chance.choice((0, 300, 2000, trace.WINDOW)))
    assert found == play.encoder.expected()


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 1 << 32), st.sampled_from(sorted(MACHINES)), st.integers(2, 5))
def test_what_threads_do(seed: int, arch: str, threads: int) -> None:
    """Each thread's records are those it made, and they come in the order of all threads."""
    play = Play(random.Random(seed), arch, threads)
    for _ in range(play.chance.choice((10, 60, 250))):
        play.act(play.chance.choice(play.threads))
    window = play.chance.choice((0, 2000, trace.WINDOW))
    records = split(read(play.encoder.finish(), window))
    for thread in play.threads:
        expected = b"".join(part for _, part in thread.expected)
        assert without_switches(records[thread.number]) == without_switches(expected)
    orders = [int.from_bytes(one[16:24], "big") for one in records[-1] if is_order(one)]
    assert orders == list(range(1, play.encoder.next_order))
