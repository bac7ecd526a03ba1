"""SPARC's registers as gdb knows them, and the register windows that it reads from memory.

Sources: gdb's features/sparc; The SPARC Architecture Manual, Version 8, appendix D.5 (register
windows and the stack).
"""

from __future__ import annotations

from collections.abc import Iterator

from inst.arch.sparc.semantics import PART as SEMANTICS
from inst.arch.sparc.semantics.windows import stack_bias
from inst.arch.sparc.tables.registers import INTEGER_NAMES
from inst.replay.model import Debugger, Processor, Shown

_CPU, _FLOATING, _OTHERS = (f"org.gnu.gdb.sparc.{name}" for name in ("cpu", "fpu", "cp0"))
_SYSTEMS = ("g6", "g7")
"""What code that records and the thread library keep there is another address in a re-execution."""
_FRAME, _FRAME_IN_WINDOW = 30, 14
"""%fp in the state's registers, and in a window, which begins with %l0."""


def _features(bits: int) -> tuple[tuple[str, tuple[Shown, ...]], ...]:
    integer = f"int{bits}"
    pointers = {"sp": "data_ptr", "fp": "data_ptr"}
    cpu = tuple(
        Shown(_name(n), bits, "" if name in _SYSTEMS else name, pointers.get(_name(n), integer))
        for n, name in enumerate(INTEGER_NAMES)
    )
    floating = tuple(Shown(f"f{n}", 32, f"f{n}", "ieee_single") for n in range(32))
    if bits == 32:
        others = (
            Shown("y", 32, "y", "int32"),
            *(Shown(name, 32, "", "int32") for name in ("psr", "wim", "tbr")),
            Shown("pc", 32, "pc", "code_ptr"),
            Shown("npc", 32, "npc", "code_ptr"),
            *(Shown(name, 32, "", "int32") for name in ("fsr", "csr")),
        )
        return (_CPU, cpu), (_FLOATING, floating), (_OTHERS, others)
    floating += tuple(Shown(f"f{n}", 64, f"f{n} f{n + 1}", "ieee_double") for n in range(32, 64, 2))
    others = (
        Shown("pc", 64, "pc", "code_ptr"),
        Shown("npc", 64, "npc", "code_ptr"),
        *(Shown(name, 64, "", "int64") for name in ("state", "fsr", "fprs")),
        Shown("y", 64, "y", "int64"),
    )
    return (_CPU, cpu), (_FLOATING, floating), (_OTHERS, others)


def _name(number: int) -> str:
    return {14: "sp", 30: "fp"}.get(number, INTEGER_NAMES[number])


def _unknown(register: str, bits: int) -> int | None:
    """Return what an unwritten register of a window holds, too; conditions keep what they have."""
    assert SEMANTICS.unwritten is not None
    if register in ("g0", *_SYSTEMS) or register in ("icc", "xcc", "fsr", "asi", "gsr"):
        return None
    if register.startswith("fcc"):
        return None
    width = bits if register in INTEGER_NAMES else 32
    return SEMANTICS.unwritten & (1 << width) - 1


def _on_stack(machine: Processor) -> Iterator[tuple[int, list[int | None]]]:
    """Yield the windows that the processor holds, the youngest first, by their places on the stack.

    gdb reads the registers of callers there, where the system saves them.
    """
    state, bits = machine.state, machine.target.bits
    mask = (1 << bits) - 1
    unknown, frame = _unknown("l0", bits), int(state.g[_FRAME]) & mask
    for number in reversed(range(state.kept)):
        window = [int(value) & mask for value in state.windows[number]]
        known: list[int | None] = [None if value == unknown else value for value in window]
        yield frame + stack_bias(bits) & mask, known
        frame = window[_FRAME_IN_WINDOW]


PART = Debugger(
    architecture=lambda bits: "sparc:v9" if bits == 64 else "sparc",
    features=_features,
    unknown=_unknown,
    recording=lambda bits: (),
    watched_before=False,
    return_addresses=(),  # without a caller's address gdb refuses to show what is on the stack
    on_stack=_on_stack,
    program_counter=272,
    steps_by_breakpoints=True,
)
