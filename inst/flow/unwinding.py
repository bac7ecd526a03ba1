"""What the unwinding table (`.cfi_` directives) says at the instructions of a file.

A function has saved some of its caller's registers, and the table says where.  What it has not
saved an unwinder leaves as it is: the caller's landing pad reads it where the exception passes
through the function, which need not return for that.

Source: DWARF 5, section 6.4; the numbers of registers are those of each ABI.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

from inst.asm.model import Statement
from inst.dataclass import dataclass, field
from inst.flow.code import Code
from inst.flow.model import Conventions
from inst.isa.model import Isa, RegisterSet

_NUMBER = re.compile(r"-?\d+")
_OTHERS = {".cfi_sections", ".cfi_lsda", ".cfi_personality", ".cfi_signal_frame"}
_WINDOW = range(16, 32)
"""SPARC's local and in registers; `.cfi_window_save` says where all of them are."""


@dataclass(slots=True)
class Table:
    """What the unwinding table says at an instruction."""

    size: int | None = 0
    """How far the frame reaches above the stack pointer; None: it is found another way."""
    saved: dict[int, int | None] = field(default_factory=dict)
    """Where registers are saved, from the frame's end, by the table's numbers; None: in the
    place for a register window."""
    base: int | None = None
    """The register from which the frame's end is found, if a directive names one."""
    remembered: list[tuple[int | None, dict[int, int | None], int | None]] = field(
        default_factory=list
    )
    open: bool = False
    """The instruction is described at all."""

    def take(self, name: str, operands: str) -> None:
        """Take a directive."""
        words = [one.strip() for one in operands.split(",")]
        numbers = [int(one) if _NUMBER.fullmatch(one) else None for one in words]
        first, second = [*numbers, None][0], [*numbers, None, None][1]
        if name in (".cfi_startproc", ".cfi_endproc"):
            self.size, self.saved, self.base, self.remembered = 0, {}, None, []
            self.open = name == ".cfi_startproc"
        elif name == ".cfi_def_cfa_offset":
            self.size = None if self.size is None else first
        elif name in (".cfi_def_cfa", ".cfi_def_cfa_register"):
            self.size, self.base = None, first
        elif name == ".cfi_adjust_cfa_offset":
            self.size = None
        elif name == ".cfi_offset" and first is not None and second is not None:
            self.saved[first] = second
        elif name == ".cfi_window_save":
            self.saved |= dict.fromkeys(_WINDOW)
        elif name == ".cfi_remember_state":
            self.remembered.append((self.size, dict(self.saved), self.base))
        elif name == ".cfi_restore_state" and self.remembered:
            self.size, self.saved, self.base = self.remembered.pop()
        elif name not in _OTHERS:
            for number in numbers:
                self.saved.pop(-1 if number is None else number, None)


def tables(statements: Iterable[Statement]) -> Iterator[tuple[int, Table]]:
    """Yield each statement that is no directive of the table, and what that says there."""
    table = Table()
    for position, statement in enumerate(statements):
        if statement.name.startswith(".cfi_"):
            table.take(statement.name, statement.operands)
        else:
            yield position, table


class Unsaved:
    """What an unwinder needs of the registers that calls preserve, at each instruction: those that
    the function has not saved, and the one by which it finds the others."""

    def __init__(self, code: Code, isa: Isa) -> None:
        numbers = isa.part(Conventions).unwound
        bits = [(number, isa.registers.bit[name]) for name, number in numbers.items()]
        everything = sum(bit for _, bit in bits)
        self._code = code
        self._positions = [0]
        self._registers: list[RegisterSet] = [
            everything if code.compiled and _has_other_tables(code) else 0
        ]
        if not code.compiled:
            return
        table, is_new = Table(), False
        for position, statement in enumerate(code.statements):
            if statement.name.startswith(".cfi_"):
                table.take(statement.name, statement.operands)
                is_new = True
            elif is_new:
                is_new = False
                saved = table.saved.keys() - {table.base}
                unsaved = sum(bit for number, bit in bits if number not in saved)
                self._positions.append(position)
                self._registers.append(unsaved if table.open else 0)

    def at(self, index: int) -> RegisterSet:
        """Return them at an instruction; none where nothing describes it: unwinding ends there."""
        row = bisect_right(self._positions, self._code.statement[index]) - 1
        return self._registers[row]


def _has_other_tables(code: Code) -> bool:
    """Return whether the file has a table that is no directives."""
    return any(
        one.name == ".section" and one.operands.lstrip('"').startswith(".eh_frame")
        for one in code.statements
    )
