"""`inst dump` of what code recorded inline: memory made here, whole, interrupted and damaged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from inst.formats.flight.blocks import EVENT_NAME
from inst.formats.flight.contexts import INTERRUPTED, RESUMED, START, TORN
from inst.formats.flight.layout import HEAD, PIECE
from inst.formats.flight.program import tables_of
from inst.formats.rec.tables import Tables
from inst.program.firmware import Firmware, RingPlace
from inst.trace import open_trace
from inst.trace.model import Flag, Kind, joined
from inst.words.decode import words_of
from tests.board.test_options import BARE, COMPILER, INLINE, LINK, PLACED, write_script
from tests.conftest import Shell, require_tools

SIZE, PIECES = 8192, 3
FIRST = 0x100000
"""Bytes of a piece, how many there are, and the address of the first: --inst-ring-size=32K."""
SOURCE = "int value[2];\nvoid _start(void) { value[0]++; value[1]++; for (;;) ; }\n"
ACCESSES = 4
FRAME = 0x4000


@dataclass(slots=True)
class Program:
    """A program whose code has one segment, of four accesses, and what its blocks are made of."""

    place: RingPlace
    tables: Tables

    @property
    def pcs(self) -> list[int]:
        """Return the addresses of the accesses."""
        return [int(pc) for pc in self.tables.pc]

    @property
    def reserved(self) -> int:
        """Return where the block has been reserved."""
        return self.tables.reserved(0, words_of("ppc").recorded)

    def block(self, number: int) -> list[int]:
        """Return a block whose slots have numbers of hundreds, in the order of their slots."""
        words = int(self.tables.words[0])
        name = -int(self.tables.distance[0]) & 0xFFFFFFFF
        return [100 * number + slot for slot in range(words - 1, 0, -1)] + [name]


@pytest.fixture
def program(shell: Shell) -> Program:
    """Link a program that records inline, as a.elf."""
    require_tools(COMPILER[0])
    (shell.directory / "a.c").write_text(SOURCE)
    write_script(shell.directory, PLACED)
    command = (BARE, INLINE, "--inst-ring-size=32K", *COMPILER, *LINK, "-Wl,-T,a.ld", "a.c")
    shell.check("inst-cc", *command, "-o", "a.elf")
    firmware = Firmware(shell.directory / "a.elf")
    found = Program(firmware.rings(), tables_of(firmware, "ppc"))
    assert len(found.pcs) == ACCESSES and len(found.tables.words) == 1
    return found


def event(number: int, pc: int = 0, frame: int = 0, end: tuple[int, int] = (0, 0)) -> list[int]:
    """Return a block that is an event."""
    return [pc, frame, *end, number << 24, EVENT_NAME]


def memory(program: Program, *pieces: list[int], numbers: tuple[int, ...] = ()) -> bytearray:
    """Return memory whose pieces have some words; the last is the present one."""
    numbers = numbers or tuple(range(1, len(pieces) + 1))
    head = np.zeros(1, HEAD)
    head["magic"], head["version"], head["machine"] = b"INSTFLGT", 1, 20
    head["build"], head["starts"] = program.place.build, 1
    head["piece"], head["pieces"], head["first"] = SIZE, PIECES, FIRST
    rows, content = np.zeros(PIECES, PIECE), b""
    for row, words in enumerate(pieces):
        end = FIRST + row * SIZE + 4 * len(words) - 4
        rows[row] = (numbers[row], end)
        head["cursor"] = end
        content += np.array(words, ">u4").tobytes().ljust(SIZE, b"\0")
    return bytearray(head.tobytes() + rows.tobytes() + content.ljust(PIECES * SIZE, b"\0"))


def dumped(shell: Shell, data: bytes, *options: str) -> tuple[list[tuple[int, int]], str]:
    """Return pc and value of the accesses (-1: not known; pc 0: a gap), and the notes."""
    (shell.directory / "memory.bin").write_bytes(data)
    done = shell.run("inst", "dump", *options, "-o", "t.rst", "a.elf", "memory.bin")
    said = done.stderr.decode()
    assert done.returncode == 0, said
    found = []
    for one in joined([*open_trace(shell.directory / "t.rst").events()]):
        is_gap = one["kind"] == Kind.GAP
        has_value = one["flags"] & int(Flag.HAS_VALUE)
        value = int(one["value"]) if has_value and not is_gap else -1
        found.append((0 if is_gap else int(one["pc"]), value))
    return found, said


def pcs(found: list[tuple[int, int]]) -> list[int]:
    return [pc for pc, _ in found]


def test_blocks_in_their_order(program: Program, shell: Shell) -> None:
    """The last block may not be complete: no event comes after it."""
    words = [*event(START), *program.block(1), *program.block(2)]
    found, said = dumped(shell, memory(program, words, program.block(3)))
    assert pcs(found) == [0, *program.pcs, *program.pcs]
    assert f"{ACCESSES} accesses of blocks are left out" in said
    found, said = dumped(shell, memory(program, words), "--pc", "0x10")
    assert pcs(found) == [0, *program.pcs, *program.pcs] and not said


def test_code_that_is_interrupted_and_goes_on(program: Program, shell: Shell) -> None:
    """The accesses from the interruption on come after those of what ran in between."""
    block, pc = program.block(1), program.pcs[2]
    words = [*event(START), *block]
    end = (1, len(words))
    words += [*event(INTERRUPTED, pc, FRAME), *program.block(2), *event(RESUMED, pc, FRAME, end)]
    whole = [*words, *event(INTERRUPTED, 0x10, FRAME)]
    found, said = dumped(shell, memory(program, whole))
    first, rest = program.pcs[:2], program.pcs[2:]
    assert pcs(found) == [0, *first, *program.pcs, *rest] and not said
    found, said = dumped(shell, memory(program, words))
    assert pcs(found) == [0, *first, *program.pcs]
    assert "2 accesses of blocks are left out" in said


def test_code_that_is_interrupted_before_it_has_stored_a_value(
    program: Program, shell: Shell
) -> None:
    """A load was done, and its value is in a register of code that does not go on."""
    first = program.pcs[0]
    words = [*event(START), *program.block(1)]
    for pc, value in ((first + 4, -1), (first + 12, 100 + int(program.tables.value[0]))):
        found, _ = dumped(shell, memory(program, [*words, *event(INTERRUPTED, pc, FRAME)]))
        assert found == [(0, -1), (first, value)]
    for pc in (program.reserved, first):
        found, _ = dumped(shell, memory(program, [*words, *event(INTERRUPTED, pc, FRAME)]))
        assert pcs(found) == [0]


def test_what_is_overwritten_is_a_gap(program: Program, shell: Shell) -> None:
    """Before the oldest piece, between pieces, and where code goes on in a block that is gone."""
    block = [*program.block(1), *event(INTERRUPTED, 0x10, FRAME)]
    gone = event(RESUMED, program.pcs[2], FRAME + 8, (1, 9))
    pieces = (block, [*program.block(2), *event(INTERRUPTED, 0x10, FRAME), *gone])
    found, said = dumped(shell, memory(program, *pieces, numbers=(4, 6)))
    assert pcs(found) == [0, *program.pcs, 0, *program.pcs, 0]
    assert "of 6 pieces of 8192 bytes 4 were overwritten" in said


def test_memory_that_was_taken_for_something_else(program: Program, shell: Shell) -> None:
    words = [*event(START), *program.block(1), *event(TORN, 0x20, FRAME)]
    _, said = dumped(shell, memory(program, words))
    assert "1 contexts went on so late" in said


def test_words_that_are_no_block(program: Program, shell: Shell) -> None:
    """What comes after them is read."""
    words = [*program.block(1), 0xBAD, *program.block(2)]
    found, said = dumped(shell, memory(program, [*words, *event(INTERRUPTED, 16, FRAME)]))
    assert pcs(found) == [0, *program.pcs]
    count = len(program.block(1)) + 1
    assert f"{count} words are no blocks of the program" in said


def test_events_that_are_not_complete(program: Program, shell: Shell) -> None:
    found, said = dumped(shell, memory(program, [*program.block(1), *event(0)]))
    assert pcs(found) == program.pcs and "1 events were not complete" in said


def _changed(data: bytearray, field: str, value: int) -> bytes:
    head = np.frombuffer(bytes(data[: HEAD.itemsize]), HEAD).copy()
    head[field] = value
    return head.tobytes() + bytes(data[HEAD.itemsize :])


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("build", 5, "the ring is of another build"),
        ("version", 9, "version 9 of the layout is unknown"),
        ("piece", 100, "a damaged head: 3 pieces of 100 bytes"),
        ("cursor", 0x10, "a damaged head"),
        ("pieces", 2, "bytes by its head"),
    ],
)
def test_heads_that_are_refused(
    field: str, value: int, message: str, program: Program, shell: Shell
) -> None:
    data = _changed(memory(program, program.block(1)), field, value)
    (shell.directory / "memory.bin").write_bytes(data)
    base = f"{program.place.address:#x}"
    done = shell.run("inst", "dump", "--base", base, "-o", "t.rst", "a.elf", "memory.bin")
    said = done.stderr.decode()
    assert done.returncode == 2 and message in said and "Traceback" not in said, said
    assert not (shell.directory / "t.rst").exists()


def test_memory_that_is_cut(program: Program, shell: Shell) -> None:
    data = memory(program, [*event(START), *program.block(1), *event(INTERRUPTED, 16, FRAME)])
    found, said = dumped(shell, bytes(data[:1000]))
    assert pcs(found) == [0, *program.pcs] and "beyond the end of the memory" in said


def test_nothing_was_recorded(program: Program, shell: Shell) -> None:
    (shell.directory / "memory.bin").write_bytes(bytes(4096))
    base = f"{program.place.address:#x}"
    done = shell.run("inst", "dump", "--base", base, "a.elf", "memory.bin")
    assert done.returncode == 2 and b"nothing was recorded" in done.stderr


def test_a_program_without_its_table(program: Program, shell: Shell) -> None:
    shell.check("powerpc-linux-gnu-objcopy", "-R", ".debug_inst_record", "a.elf")
    (shell.directory / "memory.bin").write_bytes(memory(program, program.block(1)))
    done = shell.run("inst", "dump", "a.elf", "memory.bin")
    said = done.stderr.decode()
    assert done.returncode == 2 and "does not say what its code records" in said


def test_lines_of_text(program: Program, shell: Shell) -> None:
    """Damaged lines are counted; a text without the head is refused."""

    def line(words: list[int]) -> str:
        data = np.array(words, ">u4").tobytes()
        return f"inst-flight 00 {data.hex()} {sum(data) & 0xFF:02x}\n"

    whole = memory(program, [])
    head = line(np.frombuffer(bytes(whole[: HEAD.itemsize]), ">u4").tolist())
    words = [*event(START), *program.block(1), *event(INTERRUPTED, 16, FRAME)]
    lines = [line([1, at, *words[at : at + 8]]) for at in range(0, len(words), 8)]
    text = "hello\n" + head + "".join(lines) + "inst-flight 00 12 xx\n"
    found, said = dumped(shell, text.encode())
    assert pcs(found) == [0, *program.pcs] and "1 lines of the ring are damaged" in said
    Path(shell.directory / "memory.bin").write_text("".join(lines))
    done = shell.run("inst", "dump", "a.elf", "memory.bin")
    assert done.returncode == 2 and b"no whole line has the head" in done.stderr
