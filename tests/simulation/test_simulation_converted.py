"""A converted trace gives a simulation what the original did."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from emulated import Step, run, stf

from inst.convert import BY_NAME, convert
from inst.formats.stf.record import make_header, make_instruction, make_state
from inst.simulation import Instruction, instructions
from inst.simulation.model import Memory, Register
from inst.trace import open_trace
from inst.trace.writing import Job, Losses


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory, require: Callable[..., None]) -> list[Step]:
    require("qemu-ppc", "powerpc-linux-gnu-gcc")
    return run("ppc32", tmp_path_factory.mktemp("converted"))


def converted(data: bytes, target: str) -> tuple[bytes, Losses]:
    output, losses = io.BytesIO(), Losses()
    convert(Job(open_trace(io.BytesIO(data), name="t"), output, losses), BY_NAME[target])
    return output.getvalue(), losses


def said(data: bytes) -> list[tuple[object, ...]]:
    """Return what a simulation gets, less what is about the file."""
    return [_values(each) for each in instructions(io.BytesIO(data))]


def _values(each: Instruction) -> tuple[object, ...]:
    return each.address, each.word, each.input, each.output, each.kill, each.taken


@pytest.mark.parametrize("everything", [False, True])
def test_registers_go_from_stf_to_rst(steps: list[Step], everything: bool) -> None:
    original = stf(steps, everything=everything)
    trace, losses = converted(original, "rst")
    assert not losses.counts
    expected, found = said(original), said(trace)
    assert len(found) == len(expected) == len(steps)
    different = [pair for pair in zip(expected, found, strict=True) if pair[0] != pair[1]]
    assert not different[:-1], different[0]


def test_registers_go_from_rst_to_stf(steps: list[Step]) -> None:
    original = stf(steps, everything=False)
    there, _ = converted(original, "rst")
    back, losses = converted(there, "stf")
    assert not [what for what in losses.counts if "register" in what], losses.counts
    expected, found = said(original), said(back)
    assert len(found) == len(steps)
    different = [pair for pair in zip(expected, found, strict=True) if pair[0] != pair[1]]
    assert not different[:-1], (len(different), different[0])


def test_instructions_of_two_words_leave_their_registers_and_memory() -> None:
    """RST has them as events, without an object; what they did is known afterwards."""
    registers = {f"{bank}{n:02d}": 0 for bank in "RF" for n in range(32)} | {"R01": 0x1000}
    text = make_header({"VERSION": "SNOOP 2"}).text + make_state(registers, wide=True).text
    pc = 0x400
    for word, changed in (
        (0x38600005, {"R03": 5}),  # li r3, 5
        (0x04000000_E4C10010, {"R06": 0x88}),  # pld r6, 16(r1)
        (0x04000000_F4C10030, {"R06": 0x88}),  # pstd r6, 48(r1)
        (0x7C663214, {"R03": 0x110}),  # add r3, r6, r6
        (0x90610034, {"R03": 0x110}),  # stw r3, 52(r1)
    ):
        text += make_instruction(pc, word, "x", registers=changed, wide=True).text
        pc += 8 if word >> 32 else 4
    everything = list(instructions(io.BytesIO(text)))
    assert [each.address for each in everything] == [0x400, 0x404, 0x40C, 0x414, 0x418]
    assert everything[1].output == (Register("r6", 0x88),)
    trace, _ = converted(text, "rst")
    first, added, stored = instructions(io.BytesIO(trace))
    assert (first.address, added.address, stored.address) == (0x400, 0x414, 0x418)
    assert added.input == (Register("r6", 0x88),)
    assert stored.kill == (Memory(0x1034, 4, 0x88),)
