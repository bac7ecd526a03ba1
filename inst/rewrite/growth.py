"""Code that depends on its own length, or writes to itself: inserting anything would break it.

Branches to a label plus a distance, jumps by the difference of two labels (into unrolled loops)
and stores to instructions are refused with their place.  Differences of labels in data grow with
the code and stay right; the assembler reports those that no longer fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.asm.model import Kind, Statement
from inst.asm.operands import split_operands
from inst.flow.code import LABEL, Code, label_of, statement_error
from inst.flow.encoded import value_of
from inst.isa.model import RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.neighbours import may_grow

_COMPUTED = re.compile(r"[-+*]")
_DIFFERENCE = re.compile(rf"({LABEL})\s*-\s*({LABEL})(?![\w.$])")
_NAMED = re.compile(rf"(?<![\w.$%@]){LABEL}(?![\w.$(])")
_CHAIN = 16
"""How many instructions are searched for a jump's target."""
_THROUGH_REGISTER = frozenset((Transfer.JUMP, Transfer.CALL))


def refuse_jumps_by_length(work: Rewriting) -> None:
    """Refuse jumps by the length of code, as they are written."""
    code = work.code
    for index, fact in enumerate(code.facts):
        if fact.transfer in _THROUGH_REGISTER and not fact.target:
            _refuse_jump_by_length(work, index)


def refuse_code_by_length(work: Rewriting) -> None:
    """Refuse code that depends on its length; branches over some bytes must be opened."""
    code = work.code
    for index, fact in enumerate(code.facts):
        if fact.transfer == Transfer.BRANCH and not fact.pc_relative_data:
            _refuse_computed_target(code, index)
        elif fact.access is not None and fact.access.store and not code.compiled:
            _refuse_store_to_code(code, index)


def _refuse_computed_target(code: Code, index: int) -> None:
    target, place = code.facts[index].target, code.target(index)
    if not _COMPUTED.search(target.split("@")[0]):
        return
    if place < 0 or any(map(may_grow, code.facts[index + 1 : place])):
        raise statement_error(
            code,
            index,
            f"a branch to {target} depends on the length of the code in between",
            "name the target by a label of its own, or compile this file with INST_DISABLE=1",
        )


def _refuse_jump_by_length(work: Rewriting, index: int) -> None:
    """Refuse a jump from some place by the distance of two labels."""
    code = work.code
    here = code.statement[index]
    if not code.compiled and _is_computed(work, index):
        raise statement_error(
            code,
            index,
            "a jump to a label plus what is in a register depends on the length of the code there",
            "let it go through a table of addresses, or compile this file with INST_DISABLE=1",
        )
    found = _DIFFERENCE.search(code.statements[here].operands)
    if found and all(_is_instruction(code, name, here) for name in found.groups()):
        raise statement_error(
            code,
            index,
            f"a jump by {found[0]} depends on the length of the code in between",
            "load the target's own address, or compile this file with INST_DISABLE=1",
        )


def _is_computed(work: Rewriting, index: int) -> bool:
    """Return whether a jump's target is the sum of a label of instructions and another register.

    What comes from memory comes from a table, which names each target by itself.  It is no matter
    if a mask limits how far the target is from the label, and nothing is inserted up to there.
    """
    code = work.code
    steps, read = _computing(code, index)
    if not read & work.isa.registers.integer:  # it is always the same
        return False
    if any(code.facts[step].access is not None for step in steps):
        return False
    joins = sum(_adds_registers(work, step) - _is_distance(code, step) for step in steps)
    labels = [place for step in steps for place in _named(code, step)]
    return joins > 0 and bool(labels) and not _is_fixed(code, labels[0], _reach(work, steps))


def _computing(code: Code, index: int) -> tuple[list[int], RegisterSet]:
    """Return a jump, and what computes where it goes, the last one first; and the registers that
    these read."""
    steps, read = [index], code.facts[index].uses
    for earlier in range(index - 1, max(index - _CHAIN, -1), -1):
        fact = code.facts[earlier]
        is_straight = fact.transfer in (Transfer.NONE, Transfer.TRAP)
        if not is_straight and code.target(earlier) != earlier + 1 + fact.delay_slot:
            break  # `call 1f; nop; 1:` only tells where it is
        if fact.defs & read:
            steps.append(earlier)
            read = read & ~fact.defs | fact.uses
    return steps, read


def _adds_registers(work: Rewriting, index: int) -> bool:
    """Return whether an instruction reads two general registers or more, as `jmp %g3+%g1`."""
    read = work.code.facts[index].uses & work.isa.registers.integer
    return read & read - 1 != 0


def _is_distance(code: Code, index: int) -> bool:
    """Return whether it sets a distance: with a place that is one label's address, and no sum."""
    statement = code.statements[code.statement[index]]
    return not code.facts[index].uses and bool(_DIFFERENCE.search(statement.operands))


def _named(code: Code, index: int) -> Iterator[int]:
    """Yield the instructions whose labels an instruction names, unless it goes there itself."""
    here = code.statement[index]
    if code.facts[index].transfer != Transfer.NONE:
        return
    for name in _NAMED.findall(code.statements[here].operands):
        place = code.place_of(name, here)
        if place is not None and _is_instruction(code, name, here):
            yield place


def _reach(work: Rewriting, steps: list[int]) -> int:
    """Return how many bytes after its label a jump goes at most; -1: it is not known.

    On SPARC the jump adds what it reads, and a mask may be what a register was set to last.
    """
    code, (jump, *earlier) = work.code, steps
    for place, step in enumerate(earlier):
        statement, masked = code.at(step), code.facts[step].defs & code.facts[jump].uses
        is_last = masked and not any(code.facts[one].uses & masked for one in earlier[:place])
        if statement.name == "and" and is_last:
            mask = value_of(split_operands(statement.operands)[1], work.isa)
            return -1 if mask is None else mask
    return -1


def _is_fixed(code: Code, first: int, reach: int) -> bool:
    """Return whether nothing is inserted from an instruction up to one so many bytes after it."""
    last = first + reach // 4
    return reach >= 0 and not any(
        may_grow(code.facts[index]) and not _goes_ahead(code, index)
        for index in range(first, min(last, len(code.facts)))
    )


def _goes_ahead(code: Code, index: int) -> bool:
    """Return whether an instruction is a branch that goes forward: it is not counted."""
    fact = code.facts[index]
    return fact.transfer == Transfer.BRANCH and not fact.window and code.target(index) > index


def _refuse_store_to_code(code: Code, index: int) -> None:
    """Refuse a store whose address names an instruction: it would change another one."""
    access, here = code.facts[index].access, code.statement[index]
    assert access is not None
    for name in _NAMED.findall(access.offset.split("@")[0]):
        if _is_instruction(code, name, here):
            raise statement_error(
                code,
                index,
                f"a store to the instruction at {name}: code that writes to itself cannot be"
                " instrumented",
                "compile this file with INST_DISABLE=1",
            )


def _is_instruction(code: Code, name: str, here: int) -> bool:
    """Return whether a label of this file stands before an instruction, and not before data."""
    place = code.place_of(name, here)
    if place is None or not 0 <= place < len(code.facts):
        return False
    label = label_of(name)
    following = code.statements[: code.statement[place]]
    for statement in reversed(following):
        if statement.kind == Kind.LABEL and statement.name == label:
            return True
        if statement.kind not in (Kind.LABEL, Kind.BLANK) and not _is_silent(statement):
            return False
    return False


def _is_silent(statement: Statement) -> bool:
    """Return whether a directive puts nothing between a label and its instruction."""
    return statement.name.startswith((".cfi_", ".align", ".balign", ".p2align", ".loc", ".type"))
