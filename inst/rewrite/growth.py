"""Code that depends on its own length, or writes to itself: inserting anything would break it.

Branches to a label plus a distance, jumps by the difference of two labels (into unrolled loops)
and stores to instructions are refused with their place.  Differences of labels in data grow with
the code and stay right; the assembler reports those that no longer fit.
"""

from __future__ import annotations

import re

from inst.asm.model import Kind, Statement
from inst.flow.code import LABEL, Code, label_of, statement_error
from inst.isa.model import Transfer
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
            _refuse_jump_by_length(code, index)


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


def _refuse_jump_by_length(code: Code, index: int) -> None:
    """Refuse a jump from some place by the distance of two labels."""
    here = code.statement[index]
    if not code.compiled and _is_computed(code, index):
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


def _is_computed(code: Code, index: int) -> bool:
    """Return whether a jump's target is the sum of a label of instructions and another register.

    What comes from memory comes from a table, which names each target by itself.
    """
    wanted, named, joins = code.facts[index].uses, False, 0
    for earlier in range(index - 1, max(index - _CHAIN, -1), -1):
        fact = code.facts[earlier]
        if fact.transfer not in (Transfer.NONE, Transfer.TRAP):
            break
        if not fact.defs & wanted:
            continue
        if fact.access is not None:
            return False
        here = code.statement[earlier]
        operands = code.statements[here].operands
        if not fact.uses and _DIFFERENCE.search(operands):
            joins -= 1  # with a place a distance is one label's address: that sum is its own
        names = _NAMED.findall(operands)
        named |= any(_is_instruction(code, name, here) for name in names)
        joins += (fact.uses & fact.uses - 1) != 0
        wanted = wanted & ~fact.defs | fact.uses
    return named and joins > 0


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
