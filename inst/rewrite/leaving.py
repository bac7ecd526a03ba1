"""Code that switches to another stack and still reads the one it leaves.

`ld [%i0+8],%sp; ld [%i0+12],%g3; jmp %g1` is how GCC's __builtin_longjmp ends on SPARC, and the
buffer at %i0 may lie in a frame below the new stack pointer, where hooks would put theirs.
So hooks run on the old stack, with a small frame of ours on it, until control goes elsewhere:
what the program puts into the stack pointer is saved in that frame, and loaded into the stack
pointer right before the transfer.

This lasts within a basic block: to the next transfer, to a label, or to the next instruction
that uses the stack pointer, after which hooks are on the new stack.  It begins with a load of
the stack pointer, or with a move of another register into it; compilers end the scope
of an array with such a move, too, so that a move counts only where a computed jump follows.
"""

from __future__ import annotations

from inst.asm.operands import split_operands
from inst.dataclass import dataclass
from inst.flow.code import Code
from inst.flow.model import Conventions
from inst.isa.model import Form, Isa, RegisterSet, Transfer
from inst.rewrite.edits import DEBUG_LABELS


@dataclass(frozen=True, slots=True)
class Leaving:
    """The instructions of a basic block that run between two stacks."""

    start: int
    """What loads the stack pointer."""
    end: int
    """The instruction before which the stack pointer becomes what was loaded."""
    at_transfer: bool
    """Whether that is a transfer, before which probes may stand."""


def find_leaving(code: Code, isa: Isa) -> dict[int, Leaving]:
    """Return the regions in which hooks use the stack that is left, by their start."""
    conventions = isa.part(Conventions)
    stack = isa.registers.bit[conventions.stack_pointer]
    starts = [
        index
        for index, fact in enumerate(code.facts)
        if fact.defs & stack and _sets_stack(code, index, stack, conventions)
    ]
    if not starts:
        return {}
    stops = code.labelled(DEBUG_LABELS)
    found = (_region_of(code, start, stack, stops) for start in starts)
    return {region.start: region for region in found if region and _is_leaving(code, region, stack)}


def _sets_stack(code: Code, index: int, stack: RegisterSet, conventions: Conventions) -> bool:
    """Return whether an instruction sets the stack pointer to a value unrelated to it."""
    fact = code.facts[index]
    if fact.window or fact.transfer != Transfer.NONE or code.is_slot(index):
        return False
    access = fact.access
    if access is not None:
        loads = access.load and not access.store and not access.update
        return loads and access.form == Form.SIMPLE and access.value == conventions.stack_pointer
    operands = split_operands(code.at(index).operands)
    written = operands[:1] if conventions.destination_first else operands[-1:]
    moves = bool(fact.uses) and not fact.uses & stack  # a constant is the first stack of all
    return moves and bool(written) and written[0] in conventions.stack_names


def _region_of(code: Code, start: int, stack: RegisterSet, stops: frozenset[int]) -> Leaving | None:
    for index in range(start + 1, len(code.facts)):
        fact = code.facts[index]
        if index in stops:
            return Leaving(start, index, False) if index not in code.section_end else None
        if fact.transfer != Transfer.NONE:
            return Leaving(start, index, True)
        if fact.window or (fact.uses | fact.defs) & stack:
            return Leaving(start, index, False)
    return None


def _is_leaving(code: Code, region: Leaving, stack: RegisterSet) -> bool:
    """Return whether the region accesses memory by registers other than the new stack's."""
    last = code.facts[region.end]
    moves = code.facts[region.start].access is None
    if moves and code.compiled and not (region.at_transfer and last.transfer == Transfer.JUMP):
        return False
    inside = code.facts[region.start + 1 : region.end]
    return any(fact.access is not None for fact in inside) or (
        region.at_transfer and _slot_accesses(code, region.end, stack)
    )


def _slot_accesses(code: Code, index: int, stack: RegisterSet) -> bool:
    slot = code.slot_of(index)
    if slot is None:
        return False
    return slot.access is not None and not (slot.uses | slot.defs) & stack
