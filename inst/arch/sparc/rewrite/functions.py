"""Calls of glue where functions of SPARC code are entered and left."""

from __future__ import annotations

from inst.arch.sparc.rewrite.site import saving, site_of
from inst.asm.model import Statement
from inst.asm.operands import split_operands
from inst.flow.functions import Functions
from inst.isa.model import Facts, RegisterSet
from inst.rewrite.context import Rewriting

ENTER, LEAVE = "inst.enter", "inst.leave"


def may_report(work: Rewriting) -> bool:
    """Return whether the file leaves the registers of sites alone: events come in pairs."""
    scratch = work.isa.registers.mask(*site_of(work).scratch)
    return not scratch & work.mentioned


def enter(work: Rewriting, index: int, label: str) -> list[str]:
    del label  # all that stands between the function's label and the call is the site's own
    live = work.liveness.before[index] | work.isa.registers.link
    saved = saving(work, live)
    distance = f"mov {-4 * len(saved.save)},%{site_of(work).address}"
    return [*saved.save, f"call {ENTER}{saved.flags}", distance]


def leave(work: Rewriting, index: int, label: str, live: RegisterSet) -> list[str]:
    saved, register = saving(work, live), site_of(work).address
    windowed = ".i6" if Functions.restores_window(work.code, index) else ""
    return [
        *_stack_first(work, index),
        *saved.save,
        f"sethi %pc22({label}-4),%{register}",
        f"call {LEAVE}{windowed}{saved.flags}",
        f"or %{register},%pc10({label}+4),%{register}",
    ]


def _stack_first(work: Rewriting, index: int) -> list[str]:
    """Move what releases a leaf function's frame from the slot of its return to before it."""
    code, slot, stack = work.code, work.code.slot_of(index), work.isa.registers.bit["o6"]
    if slot is None:
        return []
    alone = slot.defs == stack and slot.uses == stack and not slot.window and not slot.access
    if not alone or code.facts[index].uses & stack or code.facts[index].annul:
        return []
    work.edits.at(code.statement[index + 1]).instead = "nop"
    return [work.code.text(index + 1)]


def open_exit(statement: Statement, fact: Facts, leaving: str, past: str) -> list[str]:
    if not fact.target:
        return []
    operands = list(split_operands(statement.operands))
    operands[fact.target_operand] = leaving
    itself = f"{statement.name} {','.join(operands)}"
    return [itself, f"ba {past}", "nop", f"{leaving}:", f"ba {fact.target}", "nop", f"{past}:"]
