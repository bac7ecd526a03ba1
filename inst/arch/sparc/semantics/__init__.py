"""The execution of SPARC's instructions.

Sources: The SPARC Architecture Manual, Versions 8 and 9. 32-bit programs have V9's instructions,
too: V8+ code of the C library uses them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inst.arch.sparc.semantics import control, floating, integer, memory
from inst.arch.sparc.semantics.rows import rows_of
from inst.arch.sparc.semantics.windows import enter_window, leave_windows
from inst.arch.sparc.tables.registers import INTEGER_NAMES
from inst.replay.model import Field, Row, Semantics

_TABLES = (integer.TABLE, control.TABLE, floating.TABLE)
_WINDOWS = 64
"""How many windows the state holds before it stores the oldest to the stack's memory."""


def _rows() -> Iterator[Row]:
    for table in _TABLES:
        yield from rows_of(table)
    yield from memory.rows()


def _registers(bits: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    del bits
    special = ("icc", "xcc", "y", "fsr", "asi", "gsr")
    return (
        {name: ("g", (n,)) for n, name in enumerate(INTEGER_NAMES)}
        | {f"f{n}": ("f", (n,)) for n in range(64)}
        | {name: (name, ()) for name in special}
    )


PART = Semantics(
    fields=(
        Field("g", 64, (32,), wider=True),
        Field("icc", 32),
        Field("xcc", 32),
        Field("y", 32),
        Field("asi", 32),
        Field("f", 32, (64,)),
        Field("fsr", 64),
        Field("gsr", 64),
        Field("kept", 32),
        Field("stored", 32),
        Field("windows", 64, (_WINDOWS, 16)),
    ),
    rows=_rows,
    prelude=tuple(Path(__file__).with_name(name) for name in ("integer.h", "floating.h")),
    registers=_registers,
    bit_fields={f"fcc{n}": ("fsr", 30 + 2 * n if n else 10, 2) for n in range(4)},
    link="o7",
    beyond_link=8,
    delay_slot=True,
    unwritten=0xA55AA55AC33CC33C,
    leave_windows=leave_windows,
    enter_window=enter_window,
)
