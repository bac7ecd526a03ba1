"""A converted trace gives a simulation what the original did."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from emulated import Step, run, stf

from inst.convert import BY_NAME, convert
from inst.simulation import Instruction, instructions
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
