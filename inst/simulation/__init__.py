"""Traces for simulations: one object for each instruction, with its values.

    from inst.simulation import instructions

    for instruction in instructions("program.rst"):
        for place in instruction.reads:
            ...

Records come from `inst.trace`, registers from `inst.isa`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from inst.errors import InstError
from inst.simulation.model import Instruction, Memory, Register, Value
from inst.trace import open_trace
from inst.trace.model import Trace
from inst.trace.registry import codec_of

__all__ = ["Instruction", "Memory", "Register", "Value", "instructions"]


def instructions(source: str | Path | BinaryIO | Trace) -> Iterator[Instruction]:
    """Return the instructions of an RST or STF trace, front to back.

    Registers and memory are known as far as the trace shows them; what is not known is None.
    A memory operand whose address no record and no register gives is left out. `kill` of
    memory is the last content that the trace showed: stores by system calls and by code outside the
    trace are unknown.
    """
    trace = source if isinstance(source, Trace) else open_trace(source)
    if codec_of(trace).offers("instructions"):
        return codec_of(trace).part("instructions")(trace)  # type: ignore[no-any-return]
    raise InstError(
        f"{trace.name}: a trace of format {trace.format} has no instruction words",
        hint="instructions need RST or STF; `inst.trace.open_trace(...).events()` reads any format",
    )
