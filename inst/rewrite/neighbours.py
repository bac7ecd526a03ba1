"""What stands beside an instruction: labels, its delay slot, or nothing."""

from __future__ import annotations

from collections.abc import Iterator

from inst.asm.model import Kind
from inst.flow.code import Code
from inst.isa.model import Facts, Transfer


def adjoins(code: Code, index: int) -> bool:
    """Return whether nothing, and no label, stands between an instruction and the next one."""
    if index + 1 >= len(code.statement):
        return False
    between = range(code.statement[index] + 1, code.statement[index + 1])
    return all(says_nothing(code, position) for position in between)


def labels_at(code: Code, index: int) -> Iterator[str]:
    """Yield the labels right before an instruction."""
    for position in range(code.statement[index] - 1, -1, -1):
        statement = code.statements[position]
        if statement.kind == Kind.LABEL:
            yield statement.name
        elif not says_nothing(code, position):
            return


def says_nothing(code: Code, position: int) -> bool:
    """Return whether a statement puts nothing where it stands, and no label."""
    statement = code.statements[position]
    return statement.kind == Kind.BLANK or statement.name.startswith((".cfi_", ".loc"))


def may_grow(fact: Facts) -> bool:
    """Return whether something may be inserted at an instruction."""
    return fact.access is not None or fact.transfer != Transfer.NONE or fact.window != 0
