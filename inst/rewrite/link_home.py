"""Where lr can wait around a probe of 64-bit PowerPC when no register is dead.

The doubleword at 16(r1) is the caller's, for the return address of whom it calls; a function with
a frame of its own has another there, for whom it calls itself (ELFv1 chapter 3, "The Stack
Frame"; ELFv2 2.3.3).  In compilers' code, where lr is live and there is no frame, it is the return
address, and that is what the doubleword holds, if anything.  Only assembly that changes lr itself
can have it otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inst.asm.model import Kind
from inst.flow.code import Code, described
from inst.isa.model import Isa
from inst.rewrite.straight import Line

PLACE = "16(1)"
"""The doubleword as an operand."""
_OFFSET, _SIZE = 16, 8
UNWOUND: tuple[str, ...] = (".cfi_remember_state", ".cfi_escape 0x10,65,2,0x71,16")
"""What says that lr waits there: DW_CFA_expression(65, DW_OP_breg1 16)."""
UNWOUND_BEFORE: tuple[str, ...] = (".cfi_restore_state",)
"""What follows behind the access."""


@dataclass(slots=True)
class LinkHome:
    """The doubleword for lr in one part of a file, whose sites ask in order."""

    code: Code
    line: Line
    """Since when it holds lr, while neither that nor r1 changes."""
    described: frozenset[int]
    """Statements that unwinding tables describe."""

    def serves(self, index: int) -> bool:
        """Tell whether lr may wait there around an access: not if that is what is accessed."""
        fact = self.code.facts[index]
        access = fact.access
        if access is None or fact.defs & self.line.changed or self._is_prologue(index):
            return False
        if "r1" not in (access.base, access.index):
            return True
        try:
            offset = int(access.offset or "0", 0)
        except ValueError:
            return False
        return not access.index and not _OFFSET - access.size < offset < _OFFSET + _SIZE

    def take(self, index: int) -> bool:
        """Use it for the site of access `index`; tell whether it holds lr already."""
        held = self.line.reaches(index)
        self.line.leave(index)
        return held

    def is_described(self, index: int) -> bool:
        """Tell whether unwinding tables say where lr is at instruction `index`."""
        return self.code.statement[index] in self.described

    def _is_prologue(self, index: int) -> bool:
        """Tell whether unwinding changes behind an instruction: site and change would mix."""
        position = self.code.statement[index] + 1
        while position < len(self.code.statements):
            statement = self.code.statements[position]
            if statement.kind in (Kind.INSTRUCTION, Kind.LABEL):
                break
            if statement.name.startswith(".cfi_"):
                return statement.name != ".cfi_endproc"
            position += 1
        return False


def link_home(code: Code, isa: Isa) -> LinkHome | None:
    """Return where lr can wait in a part of a file, or None if it cannot."""
    link = isa.registers.link
    if isa.name != "powerpc" or isa.bits != 64 or not code.compiled:
        return None
    if any(code.facts[index].defs & link for index in _inline(code)):
        return None
    line = Line(code, link | isa.registers.bit["r1"])
    return LinkHome(code, line, frozenset(described(code.statements)))


def _inline(code: Code) -> Iterator[int]:
    """Yield the instructions of inline assembly: compilers put it between #APP and #NO_APP."""
    index_of = {position: index for index, position in enumerate(code.statement)}
    inline = False
    for position, statement in enumerate(code.statements):
        if inline and statement.kind == Kind.INSTRUCTION:
            yield index_of[position]
        mark = statement.text.rfind("APP")  # to its assembler a comment behind this statement
        if mark > 0:
            inline = statement.text[mark - 1] == "#"
