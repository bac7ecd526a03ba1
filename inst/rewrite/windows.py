"""SPARC's register windows: a call of glue behind every save, restore and move of %sp.

Behind a save the glue gets the new frame, behind a restore the window that came back. A
restore in the delay slot of a return, a jump or a call is moved in front of it, with what
the transfer reads renamed to the window behind it: %i registers are %o there, and locals
are copied to a free global register first. A call with a restore (a tail call) keeps %o7
by way of %g5, which nothing changes between the call and its slot.

Moves of %sp alone (alloca, leaf functions' frames) move the area in which the window may be
saved at any time, so the glue is told of them as well.
"""

from __future__ import annotations

import re

from inst.asm.operands import split_operands
from inst.flow.code import statement_error
from inst.flow.liveness import dead_registers
from inst.isa.model import Facts, RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.sparc import call_sequence

SAVE, RESTORE, MOVE = "inst.save", "inst.restore", "inst.move"
_FRAME = "mov %fp,%g5"
"""What a save's glue is passed in the delay slot of its call."""
_NAMES = {"fp": "i6", "sp": "o6", **{f"r{n}": f"{'goli'[n // 8]}{n % 8}" for n in range(32)}}
_REGISTER = re.compile(r"%(fp|sp|[goli][0-7]|r\d+)\b")
_SUPPORTED = frozenset(("v8",))


def place_windows(work: Rewriting, frames: bool, restores: bool) -> bool:
    """Put a call at each turn of the window; tell whether there was any.

    `frames` asks for saves and moves of %sp, `restores` for restores.
    """
    if work.isa.abi not in _SUPPORTED:
        return False
    stack = work.isa.registers.bit["o6"]
    before = _Slots(work)
    found = False
    for index, fact in enumerate(work.code.facts):
        if fact.window < 0 and restores:
            _restore(work, index, before)
        elif fact.window >= 0 and fact.defs & stack and frames and not before.is_slot(index):
            _behind(work, index, SAVE if fact.window else MOVE, _FRAME)
        else:
            continue
        found = True
    return found


class _Slots:
    """Which instructions stand in delay slots."""

    def __init__(self, work: Rewriting) -> None:
        self.facts = work.code.facts

    def is_slot(self, index: int) -> bool:
        """Tell whether an instruction runs as a slot of the one in front of it."""
        if not index:
            return False
        before = self.facts[index - 1]
        return before.delay_slot and not (before.annul and not before.conditional)


def _behind(work: Rewriting, index: int, entry: str, slot: str) -> None:
    """Call an entry behind an instruction and behind the directives that describe it."""
    sequence = call_sequence(work, index, entry, work.liveness.after[index], slot)
    statements = work.code.statements
    place = work.code.statement[index]
    while place + 1 < len(statements) and _describes(statements[place + 1].name):
        place += 1
    work.edits.at(place).after += sequence


def _describes(name: str) -> bool:
    return name.startswith(".cfi_") and name != ".cfi_endproc"


def _restore(work: Rewriting, index: int, slots: _Slots) -> None:
    fact = work.code.facts[index]
    if fact.transfer == Transfer.RETURN:
        _split_return(work, index)
    elif slots.is_slot(index):
        _in_slot(work, index - 1, work.code.facts[index - 1])
    else:
        _behind(work, index, RESTORE, "nop")


def _split_return(work: Rewriting, index: int) -> None:
    """Write V9's `return` as a restore and a jump; its slot is in the new window already."""
    copies, text = _in_new_window(work, index, work.code.facts[index].defs, 0)
    sequence = _sequence(work, work.liveness.after[index], index)
    text = f"jmp {text.split(None, 1)[1]}"
    edit = work.edits.at(work.code.statement[index])
    edit.instead = "; ".join([*copies, "restore", *sequence, text])


def _in_slot(work: Rewriting, branch: int, fact: Facts) -> None:
    """Move a restore out of the delay slot of instruction `branch`."""
    code, slot = work.code, branch + 1
    restored = code.facts[slot]
    at_branch = work.edits.at(code.statement[branch])
    at_slot = work.edits.at(code.statement[slot])
    live = work.liveness.after[slot]
    restore = work.text(slot)
    if fact.annul:
        skip = work.edits.new_label()
        inverted = _inverted(work, branch, skip)
        at_branch.instead = f"{inverted}; nop"
        sequence = _sequence(work, live, slot)
        at_slot.instead = "; ".join([restore, *sequence, f"ba {fact.target}", "nop", f"{skip}:"])
        return
    copies, text = _in_new_window(work, branch, restored.defs, restored.uses | restored.defs)
    flags_read = fact.uses & work.isa.registers.special
    sequence = _sequence(work, live | flags_read, slot)
    if fact.transfer == Transfer.CALL:
        at_branch.instead = "; ".join([*copies, restore, *sequence, "mov %o7,%g5", text])
        at_slot.instead = "mov %g5,%o7"
    else:
        at_branch.instead = "; ".join([*copies, restore, *sequence, text])
        at_slot.instead = "nop"


def _sequence(work: Rewriting, live: RegisterSet, index: int) -> list[str]:
    """Return the call behind a restore that a jump follows, which may read %o7."""
    return call_sequence(work, index, RESTORE, live | work.isa.registers.link)


def _inverted(work: Rewriting, branch: int, target: str) -> str:
    code = work.code
    fact = code.facts[branch]
    if not fact.inverse:
        raise statement_error(code, branch, "no opposite of this annulled branch is known")
    statement = code.statements[code.statement[branch]]
    operands = list(split_operands(statement.operands))
    operands[fact.target_operand] = target
    return f"{fact.inverse.replace(',a', '')} {','.join(operands)}"


def _in_new_window(
    work: Rewriting, branch: int, written: RegisterSet, avoid: RegisterSet
) -> tuple[list[str], str]:
    """Return a transfer as it reads behind the restore that stood in its slot.

    With it come the moves, in front of the restore, of what only the old window holds.
    """
    registers = work.isa.registers
    code = work.code
    statement = code.statements[code.statement[branch]]
    if not statement.operands:  # ret reads %i7, retl %o7
        returns = "i7" if code.facts[branch].uses & registers.bit["i7"] else "o7"
        text = f"jmp %{returns}+8"
    else:
        text = work.text(branch)
    copies: list[str] = []

    def renamed(match: re.Match[str]) -> str:
        name = _NAMES.get(match[1], match[1])
        if name == "o7" and code.facts[branch].defs & registers.bit["o7"]:
            return match[0]  # jmpl's own result
        there = f"o{name[1]}" if name[0] == "i" else name
        if name[0] in "gi" and not written & registers.bit[there]:
            return f"%{there}"
        free = _free_global(work, branch, avoid)
        copies.append(f"mov %{name},%{free}")
        return f"%{free}"

    return copies, _REGISTER.sub(renamed, text)


def _free_global(work: Rewriting, branch: int, avoid: RegisterSet) -> str:
    registers = work.isa.registers
    live = work.liveness.before[branch] | work.liveness.after[branch]
    if branch + 1 < len(work.code.facts):
        live |= work.liveness.after[branch + 1]
    usable = registers.mask("g1", "g2", "g3", "g4")
    dead = dead_registers(work.isa, live | registers.integer & ~usable, avoid)
    if dead:
        return dead[0]
    raise statement_error(
        work.code, branch, "no register is free for where this goes behind its restore"
    )
