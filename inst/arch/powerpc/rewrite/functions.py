"""Calls of glue where functions of PowerPC code are entered and left."""

from __future__ import annotations

import re

from inst.arch.powerpc.rewrite.site import flags_of
from inst.arch.powerpc.sites import SITES
from inst.asm.model import Statement
from inst.asm.operands import split_operands
from inst.isa.model import Facts, RegisterSet
from inst.rewrite.context import Rewriting

_RESTORES_STACK = re.compile(r"_rest(32|64)?(gpr|fpr)_\d+_x")
"""Routines that also restore the stack pointer (32-bit PowerPC)."""

_THROUGH_REGISTER = re.compile(r"(b\w*?)(lr|ctr|tar)([+-]?)")
ENTER, LEAVE = "inst.enter", "inst.leave"


def enter(work: Rewriting, index: int, label: str) -> list[str]:
    here = work.edits.new_label()
    live = work.liveness.before[index]
    return _on_powerpc(work, live, ENTER, [f"li %r12,{label}-{here}"], here)


def leave(work: Rewriting, index: int, label: str, live: RegisterSet) -> list[str]:
    here = work.edits.new_label()
    distance = [
        f"lis %r12,({label}-{here})@ha",
        f"addi %r12,%r12,({label}-{here})@l",
    ]
    chained = _RESTORES_STACK.match(work.code.facts[index].target) is not None
    return _on_powerpc(work, live, LEAVE, distance, here, chained)


def _on_powerpc(
    work: Rewriting,
    live: RegisterSet,
    entry: str,
    distance: list[str],
    here: str,
    chained: bool = False,
) -> list[str]:
    """Return a call, with register names that start with `%`.

    `chained`: the stack pointer at the function's entry is the back chain.  Then a routine follows
    that reads r11 and saved registers only.
    """
    framed = not chained and bool(live & work.isa.registers.mask("r0", "r12"))
    flags = (".f" if framed or chained else "") + flags_of(work, live)
    lines = ["mflr %r0", *distance, f"bl {entry}{flags}", f"{here}:", "mtlr %r0"]
    if not framed:
        return lines
    site = SITES[work.isa.abi]
    form, (first, second) = site.shared, site.function_slots
    return [
        f"{form.push} %r1,-{form.frame}(%r1)",
        f"{form.store} %r0,{first}(%r1)",
        f"{form.store} %r12,{second}(%r1)",
        *lines,
        f"{form.load} %r12,{second}(%r1)",
        f"{form.load} %r0,{first}(%r1)",
        f"addi %r1,%r1,{form.frame}",
    ]


def open_exit(statement: Statement, fact: Facts, leaving: str, past: str) -> list[str]:
    name, operands = statement.name, list(split_operands(statement.operands))
    if fact.target:
        operands[fact.target_operand] = leaving
        exit_itself = f"b {fact.target}"
    else:
        match = _THROUGH_REGISTER.fullmatch(name)
        if match is None:
            return []
        name = match[1] + match[3]
        operands = [*(operands[:2] if match[1] == "bc" else operands), leaving]
        exit_itself = f"b{match[2]}"
    return [f"{name} {','.join(operands)}", f"b {past}", f"{leaving}:", exit_itself, f"{past}:"]
