"""Which results of PowerPC's instructions are recorded for re-execution, and what others leave.

What a load brings is recorded where it stands (`segments`).  Here are the registers that arrive in
code, what re-execution does not know by itself (the link register, clocks, condition fields that
other code has set, divisions by 0), and what copies and additions leave in their register.
"""

from __future__ import annotations

import re

from inst.arch.powerpc.rewrite.parts import FIELDS
from inst.asm.model import Kind, Statement
from inst.asm.operands import split_operands
from inst.flow.hidden import AS_CALLED
from inst.flow.model import Conventions
from inst.isa.model import Access, RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import DEBUG_LABELS
from inst.rewrite.record.model import Effect

CALLS = re.compile(rf"[ \t]*bl?[ \t]+[\w.$]+{AS_CALLED}[ \t]*$", re.MULTILINE)
"""A call of a function by its name, or a tail call. The number is added where r30 is the base of
`.got2`."""

_COPY, _NUMBER, _HIGH = "mr", "li", "lis"


def passed(work: Rewriting) -> dict[str, int]:
    """Return what calls preserve, with its numbers in unwinding tables.

    Those of floating point are there where a 32-bit file uses any: others may be for processors
    without them.
    """
    unwound, bits = work.isa.part(Conventions).unwound, work.isa.registers.bit
    named = sum(bits[f"f{number}"] for number in range(32))
    kinds = "rf" if work.isa.bits == 64 or work.mentioned & named else "r"
    found = {name: number for name, number in unwound.items() if name[0] in kinds}
    return found | {FIELDS: unwound["cr2"]}


def saved_as(work: Rewriting, access: Access) -> tuple[int, ...]:
    """Return the numbers of a register in unwinding tables, and of lr, which goes through another.

    Source: 64-bit PowerPC ELF ABI 1.9, section 3.11 (DWARF register numbers).
    """
    link, floats = 65, 32
    value = access.value or ""
    if value.startswith("f"):
        return (floats + int(value[1:]),) if access.size == 8 else ()
    return (int(value[1:]), link) if access.size == work.isa.bits // 8 else ()


_CARRIED = ("r1", "r0", *(f"r{n}" for n in range(2, 32)), *(f"f{n}" for n in range(32)), "fpscr")

_UNKNOWN = re.compile(
    r"mf(cr|ocrf|tb[ul]?|spr(g\d)?|pvr|vrsave|dec|dsisr|dar|srr\d|cfar|ppr|[id]bat[ul])"
)
"""Instructions that read condition fields, which other code may have set, clocks, and registers
that the system sets."""

_ONE_FIELD = [128 >> field for field in range(8)]
"""Masks of condition fields, cr0's first."""

_DIVISION = re.compile(r"div[wd]u?|mod[us][wd]")
"""By 0 it leaves what the architecture does not define: code without a branch divides before it
chooses between that and another number."""


def carried(work: Rewriting) -> tuple[str, ...]:
    """Return the registers that are recorded where they arrive."""
    return _CARRIED


def reads_link(work: Rewriting, index: int) -> RegisterSet:
    """Return the register into which an instruction reads the link register."""
    return work.code.facts[index].defs if work.code.at(index).name == "mflr" else 0


def reads_special(work: Rewriting, index: int) -> RegisterSet:
    """Return the register into which an instruction reads what re-execution does not know."""
    statement = work.code.at(index)
    if not _UNKNOWN.fullmatch(statement.name) or _reads_own_field(work, index, statement):
        return 0
    return work.code.facts[index].defs


def _reads_own_field(work: Rewriting, index: int, statement: Statement) -> bool:
    """Return whether one condition field is read that code right before has set."""
    code, operands = work.code, split_operands(statement.operands)
    mask = _integer(operands[1]) if len(operands) == 2 and "cr" in statement.name else None
    if mask not in _ONE_FIELD:
        return False
    field = work.isa.registers.bit[f"cr{_ONE_FIELD.index(mask)}"]
    while index:
        index -= 1
        between = code.statements[code.statement[index] + 1 : code.statement[index + 1]]
        labels = [one.name for one in between if one.kind == Kind.LABEL]
        if any("_" in name or not name.startswith(DEBUG_LABELS) for name in labels):
            return False  # clang's .LBB0_1 is a block's
        if code.facts[index].transfer != Transfer.NONE:
            return False
        if code.facts[index].defs & field:
            return True
    return False


def leaves_open(work: Rewriting, index: int) -> RegisterSet:
    """Return the register of a division, or of the load of an inline PLT call."""
    fact = work.code.facts[index]
    is_open = _DIVISION.fullmatch(work.code.at(index).name) or _loads_callee(fact.access)
    return fact.defs if is_open else 0


def _loads_callee(access: Access | None) -> bool:
    """Return whether an access is the load of a function's address in an inline PLT call."""
    if access is None or not access.load or not access.linker_rewrites:
        return False
    return "@" not in access.offset and access.base != "r1"


def effect(work: Rewriting, index: int) -> Effect | None:
    """Return what copies, and additions and loads of numbers, leave in a register."""
    statement = work.code.at(index)
    name = statement.name
    if name not in (_COPY, _NUMBER, _HIGH, "addi", "subi", "la"):
        return None
    target, *rest = split_operands(statement.operands)
    if name == "la":
        return None
    register = _register(target)
    numbers = [_integer(one) for one in rest]
    if not register:
        return None
    if name == _COPY:
        source = _register(rest[0])
        return Effect(register, source, 0) if source else None
    if name in (_NUMBER, _HIGH):
        if numbers[0] is None:
            return None
        value = numbers[0] << 16 if name == _HIGH else numbers[0]
        return Effect(register, "", value - (1 << 32) if value >= 1 << 31 else value)
    source, number = _register(rest[0]), numbers[1]
    if not source or source == "r0" or number is None:
        return None
    return Effect(register, source, -number if name == "subi" else number)


def _register(text: str) -> str:
    number = text.lstrip("%").removeprefix("r")
    return f"r{number}" if number.isdigit() and int(number) < 32 else ""


def _integer(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None
