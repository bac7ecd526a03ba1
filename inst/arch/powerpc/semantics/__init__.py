"""The execution of PowerPC's instructions.

Sources: Power ISA 3.0B and 3.1, books I and II. What it leaves undefined is not executed, but for high
halves of 32-bit results, which are zero or the sign as on the processors and emulators there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inst.arch.powerpc.semantics import branches, floating, integer, memory, power10, vector, vsx
from inst.arch.powerpc.semantics.rows import rows_of
from inst.arch.powerpc.words.accesses import PREFIX
from inst.replay.model import Field, Row, Semantics

_TABLES = (integer.TABLE, branches.TABLE)
_APART = (floating.TABLE, vector.TABLE, vsx.TABLE, power10.TABLE)


def _rows() -> Iterator[Row]:
    for table in _TABLES:
        yield from rows_of(table)
    for table in _APART:
        yield from rows_of(table, is_apart=True)
    yield from memory.rows()


def _registers(bits: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    del bits
    special = ("cr", "xer", "lr", "ctr", "fpscr", "vscr", "vrsave")
    return (
        {f"r{n}": ("g", (n,)) for n in range(32)}
        | {f"f{n}": ("vs", (n, 0)) for n in range(32)}
        | {f"v{n}": ("vs", (32 + n,)) for n in range(32)}
        | {name: (name, ()) for name in special}
    )


PART = Semantics(
    fields=(
        Field("g", shape=(32,)),
        Field("lr"),
        Field("ctr"),
        Field("cr", 32),
        Field("xer", 32),
        Field("vs", 64, (64, 2)),
        Field("fpscr", 64),
        Field("vscr", 32),
        Field("vrsave", 32),
    ),
    rows=_rows,
    prelude=tuple(
        Path(__file__).with_name(name)
        for name in ("integer.h", "floating.h", "vector.h", "power9.h", "ciphers.h", "power10.h")
    ),
    registers=_registers,
    link="lr",
    prefix=PREFIX,
    bit_fields={f"cr{n}": ("cr", 28 - 4 * n, 4) for n in range(8)} | {"ca": ("xer", 29, 1)},
)
