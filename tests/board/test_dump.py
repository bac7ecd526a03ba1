"""`inst dump` of rings that are damaged, cut or another program's; rings made here, no emulator."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from inst.formats.ring.events import ORDER
from inst.formats.ring.layout import HEAD, SLOT
from inst.hooktable import BY_NAME
from inst.program.firmware import Firmware, RingPlace
from inst.trace import open_trace
from inst.trace.model import Array, Kind, joined
from tests.board.test_options import BARE, COMPILER, LINK, PLACED, SOURCE, write_script
from tests.conftest import Shell, require_tools

RECORDS = 32
FIRST = 0x2000
"""The address of the first access of a ring made here; record N is at 4 N more."""
STORE = BY_NAME["stwhook"].id


@pytest.fixture
def program(shell: Shell) -> RingPlace:
    """Link a program with a ring of 32 records, as a.elf; return where its ring is."""
    require_tools(COMPILER[0])
    (shell.directory / "a.c").write_text(SOURCE)
    write_script(shell.directory, PLACED)
    command = (BARE, "--inst-ring-size=1K", *COMPILER, *LINK, "-Wl,-T,a.ld", "a.c", "-o", "a.elf")
    shell.check("inst-cc", *command)
    return Firmware(shell.directory / "a.elf").rings()


def ring(build: int, total: int, high: int = 0, cpu: int = 0, cpus: int = 1) -> bytearray:
    """Return a ring into which so many records were written, as it lies in memory."""
    head = np.zeros(1, HEAD)
    head["magic"], head["version"], head["build"], head["machine"] = b"INSTRING", 1, build, 20
    head["records"], head["next"], head["high"] = RECORDS, total & 0xFFFFFFFF, high
    head["cpu"], head["cpus"], head["starts"] = cpu, cpus, 1
    numbers = np.arange(max(total - RECORDS, 0), total, dtype="u8")
    slots = np.zeros(RECORDS, SLOT)
    slots["claim"] = (np.arange(RECORDS) - RECORDS).astype("u4")
    at = (numbers % RECORDS).astype("i8")
    slots["claim"][at], slots["low"][at] = numbers.astype("u4"), numbers.astype("u4")
    slots["address"][at] = (FIRST + 4 * numbers).astype("u4")
    slots["done"][at] = STORE << 24 | (numbers & 0xFFFFFF).astype("u4")
    return bytearray(head.tobytes() + slots.tobytes())


def slot(number: int, word: int) -> slice:
    """Return where a word of a record lies in a ring."""
    start = HEAD.itemsize + number % RECORDS * SLOT.itemsize + 4 * word
    return slice(start, start + 4)


def dumped(shell: Shell, memory: bytes) -> tuple[Array, str]:
    """Return the events that are read, and the notes."""
    (shell.directory / "m.bin").write_bytes(memory)
    done = shell.run("inst", "dump", "a.elf", "m.bin", "-o", "t.rst")
    said = done.stderr.decode()
    assert done.returncode == 0, said
    trace = open_trace(shell.directory / "t.rst")
    return joined([*trace.events()]), said


def refused(shell: Shell, *words: str) -> str:
    """Return the message of a dump that must fail, and leave no trace."""
    done = shell.run("inst", "dump", *words)
    said = done.stderr.decode()
    assert done.returncode == 2 and "Traceback" not in said, said
    assert not [*shell.directory.glob("*.rst")]
    return said


def test_a_ring_that_is_not_full(program: RingPlace, shell: Shell) -> None:
    events, said = dumped(shell, ring(program.build, 5))
    assert said == ""
    assert events["address"].tolist() == [FIRST + 4 * n for n in range(5)]
    assert (events["kind"] == Kind.WRITE).all() and events["value"].tolist() == [*range(5)]


def test_a_count_that_lags_behind(program: RingPlace, shell: Shell) -> None:
    """An interrupt came between a claim and the store of `next`, and its records are there."""
    memory = ring(program.build, 100)
    memory[24:28] = (90).to_bytes(4, "big")
    events, said = dumped(shell, memory)
    assert events["value"][0] == 68 and "of the 100 records of processor 0 68 were" in said
    assert events["address"][1:].tolist() == [FIRST + 4 * n for n in range(68, 100)]


def test_numbers_beyond_32_bits(program: RingPlace, shell: Shell) -> None:
    total = (3 << 32) + 7
    memory = ring(program.build, total, high=3)
    events, said = dumped(shell, memory)
    assert int(events["value"][0]) == total - RECORDS
    assert f"of the {total} records of processor 0 {total - RECORDS} were overwritten" in said
    assert len(events) == 1 + RECORDS


@pytest.mark.parametrize("word", [0, 5], ids=["claim", "done"])
def test_records_that_are_not_complete(word: int, program: RingPlace, shell: Shell) -> None:
    memory = ring(program.build, 10)
    for number in (4, 5):
        memory[slot(number, word)] = (0x7FFFFF).to_bytes(4, "big")
    events, said = dumped(shell, memory)
    assert "of the 10 records of processor 0 2 were not complete" in said
    gaps = np.flatnonzero(events["kind"] == Kind.GAP)
    assert gaps.tolist() == [4] and events["value"][4] == 2
    addresses = events["address"][events["kind"] == Kind.WRITE].tolist()
    assert addresses == [FIRST + 4 * n for n in (0, 1, 2, 3, 6, 7, 8, 9)]


def test_an_image_that_ends_within_the_ring(program: RingPlace, shell: Shell) -> None:
    memory = ring(program.build, 20)[: slot(12, 3).start]
    events, said = dumped(shell, memory)
    assert "8 lie beyond the end of the memory that was saved" in said
    assert events["address"][:12].tolist() == [FIRST + 4 * n for n in range(12)]


def test_the_ring_alone_is_a_trace(program: RingPlace, shell: Shell) -> None:
    (shell.directory / "ring.bin").write_bytes(ring(program.build, 50))
    text = shell.check("inst", "view", "--as", "sexp", "ring.bin")
    assert text.count("mem-write") == RECORDS and "overwritten" in text
    assert shell.run("inst", "check", "--strict", "ring.bin").returncode == 3


def test_a_ring_for_each_processor(shell: Shell) -> None:
    """The third of them has recorded nothing."""
    rings = [ring(1, 40, cpus=3), ring(1, 3, cpu=1, cpus=3), bytearray(len(ring(1, 0)))]
    (shell.directory / "ring.bin").write_bytes(b"".join(rings))
    events = joined([*open_trace(shell.directory / "ring.bin").events()])
    assert events["cpu"].tolist() == [0] * (1 + RECORDS) + [1] * 3
    assert events["thread"].tolist() == [1] * (1 + RECORDS) + [2] * 3
    assert events["address"][-3:].tolist() == [FIRST, FIRST + 4, FIRST + 8]


def placed(data: bytearray, places: dict[int, int]) -> bytearray:
    """Return a ring some of whose records are places in the order of processors."""
    for number, place in places.items():
        data[slot(number, 2)] = bytes(4)
        data[slot(number, 4)] = (place & 0xFFFFFFFF).to_bytes(4, "big")
        data[slot(number, 5)] = (ORDER << 24 | number & 0xFFFFFF).to_bytes(4, "big")
    return data


@pytest.mark.parametrize("first", [1, 0xFFFFFFFC, 0x80000000])
def test_order_of_processors(first: int, shell: Shell) -> None:
    """Places count modulo 2^32 from any number on; what interrupts a record comes before it."""
    rings = [
        placed(ring(1, 6, cpus=2), {0: first, 2: first + 4, 4: first + 3}),
        placed(ring(1, 6, cpu=1, cpus=2), {1: first + 1, 3: first + 2, 5: first + 5}),
    ]
    (shell.directory / "ring.bin").write_bytes(b"".join(rings))
    events = joined([*open_trace(shell.directory / "ring.bin").events()])
    found = [
        (int(row["cpu"]), int(row["value"]) if row["kind"] == Kind.ORDER else "store")
        for row in events
    ]
    assert found == [
        (1, "store"),
        (0, 1), (0, "store"),
        (1, 2), (1, "store"),
        (1, 3), (1, "store"),
        (0, 5), (0, "store"), (0, 4), (0, "store"),
        (1, 6),
    ]  # fmt: skip


def test_order_of_processors_where_one_is_overwritten(shell: Shell) -> None:
    """What is left of it before its first place comes right before that."""
    rings = [
        placed(ring(1, RECORDS + 4, cpus=2), {RECORDS + 2: 9}),
        placed(ring(1, 4, cpu=1, cpus=2), {0: 1, 2: 8}),
    ]
    (shell.directory / "ring.bin").write_bytes(b"".join(rings))
    events = joined([*open_trace(shell.directory / "ring.bin").events()])
    assert events["cpu"].tolist() == [1, 1] + [0] * (1 + RECORDS - 2) + [1] * 2 + [0] * 2


def test_other_memory(program: RingPlace, shell: Shell) -> None:
    good = ring(program.build, 3)
    images = {
        "other": bytes(ring(program.build ^ 1, 3)),
        "empty": bytes(len(good)),
        "two": bytes(good + good),
        "short": bytes(good[:40]),
    }
    for name, data in images.items():
        (shell.directory / name).write_bytes(data)
    base = f"{program.address:#x}"
    assert "is of another build" in refused(shell, "a.elf", "other")
    assert "is of another build" in refused(shell, "--base", base, "a.elf", "other")
    assert "no ring of a.elf in the image" in refused(shell, "a.elf", "empty")
    assert "has not been written to" in refused(shell, "--base", base, "a.elf", "empty")
    assert "has 2 rings of a.elf" in refused(shell, "a.elf", "two")
    assert "no ring of a.elf" in refused(shell, "a.elf", "short")
    assert "outside of the image" in refused(shell, "--base", base, "a.elf", "short")
    assert "outside of the image" in refused(shell, "--base", "0xf0000000", "a.elf", "two")


def test_a_damaged_head(program: RingPlace, shell: Shell) -> None:
    base = f"{program.address:#x}"
    for offset, value, words in (
        (8, 2, "a ring of version 2"),
        (20, 33, "the head of the ring is damaged: 33 records"),
        (36, 99, "processor 0 of 99"),
        (20, 64, "by its head, and"),
    ):
        memory = ring(program.build, 3)
        memory[offset : offset + 4] = value.to_bytes(4, "big")
        (shell.directory / "m.bin").write_bytes(memory)
        assert words in refused(shell, "--base", base, "a.elf", "m.bin")


def test_programs_without_a_ring(program: RingPlace, shell: Shell) -> None:
    (shell.directory / "m.bin").write_bytes(ring(program.build, 3))
    shell.check("powerpc-linux-gnu-strip", "a.elf", "-o", "bare.elf")
    assert "name the file as it was linked" in refused(shell, "bare.elf", "m.bin")
    (shell.directory / "b.c").write_text("void _start(void) { for (;;) ; }\n")
    shell.check(*COMPILER, *LINK, "b.c", "-o", "b.elf")
    assert "link it with inst-cc --inst-runtime=bare" in refused(shell, "b.elf", "m.bin")
    assert "is not an ELF file" in refused(shell, "m.bin", "m.bin")
    assert "cannot open" in refused(shell, "a.elf", "nowhere")
    assert "from an image or from a target" in refused(shell, "a.elf")
    assert "from an image or from a target" in refused(shell, "--gdb", ":1", "a.elf", "m.bin")


@contextmanager
def stub(answer: bytes) -> Iterator[str]:
    """Answer every packet with the same bytes on a port; yield HOST:PORT."""
    with socket.create_server(("localhost", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection, contextlib.suppress(ConnectionError):
                while connection.recv(4096) and answer:
                    connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"localhost:{server.getsockname()[1]}"
        thread.join()


def test_targets_that_do_not_answer(program: RingPlace, shell: Shell) -> None:
    assert "is no HOST:PORT" in refused(shell, "--gdb", "localhost", "a.elf")
    with socket.create_server(("localhost", 0)) as closed:
        port = closed.getsockname()[1]
    assert "cannot connect to" in refused(shell, "--gdb", f"localhost:{port}", "a.elf")
    with stub(b"+$E14#aa") as where:
        assert "does not give the 64 bytes" in refused(shell, "--gdb", where, "a.elf")
    with stub(b"+$00#00") as where:
        assert "answers of the target are damaged" in refused(shell, "--gdb", where, "a.elf")
    with stub(b"") as where:
        assert "has closed the connection" in refused(shell, "--gdb", where, "a.elf")


def test_reports_of_a_stop_are_skipped(program: RingPlace, shell: Shell, tmp_path: Path) -> None:
    """A stub may send one when it likes; what it answers then is the memory."""
    memory = bytes(ring(program.build, 3))
    replies = [memory[:64], memory]

    with socket.create_server(("localhost", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                for reply in replies:
                    while not connection.recv(4096).endswith(b"#", -3, -2):
                        pass
                    text = reply.hex().encode()
                    check = b"%02x" % (sum(text) & 0xFF)
                    connection.sendall(b"+$T05#b9$" + text + b"#" + check)
                connection.recv(4096)

        thread = threading.Thread(target=serve)
        thread.start()
        where = f"localhost:{server.getsockname()[1]}"
        shell.check("inst", "dump", "--gdb", where, "-o", "t.sexp", "a.elf")
        thread.join()
    assert (tmp_path / "t.sexp").read_text().count("mem-write") == 3
