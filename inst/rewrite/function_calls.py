"""Calls of glue where functions are entered and left, for enterhook and leavehook.

A site passes how far the function lies from the call, so code may lie anywhere; entries add the
call's own address.

PowerPC: the distance goes into r12 and the return address is held in r0, where the entry reads it
for enterhook; `.f` says that both are live here and are saved in a frame of the site, whose back
chain is the program's stack pointer.  SPARC: the distance goes into the site's register and %o7 is
saved as for accesses; `.i6` says that the function has a register window, so that %fp was the stack
pointer at its entry.

A function with an entry or exit where a reservation is open has no calls at all, and neither has a
SPARC file that uses the site's registers itself: events come in pairs.
"""

from __future__ import annotations

import re

from inst.arch.powerpc.sites import SITES
from inst.flow.functions import Functions
from inst.isa.model import RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.powerpc_site import flags_of
from inst.rewrite.sparc_site import saving, site_of

ENTER, LEAVE = "inst.enter", "inst.leave"
_RESTORES_STACK = re.compile(r"_rest(32|64)?(gpr|fpr)_\d+_x")
"""Routines that also restore the stack pointer (32-bit PowerPC)."""


def report_functions(work: Rewriting) -> None:
    """Insert calls where functions are entered and left, if the user wants them reported."""
    if not work.options.functions or (work.isa.name == "sparc" and _names_scratch(work)):
        return
    enter, leave = (_enter_sparc, _leave_sparc) if work.isa.name == "sparc" else (
        _enter_powerpc, _leave_powerpc)  # fmt: skip
    switching = {region.end for region in work.leaving.values()}
    for function in Functions(work.code, work.isa).found:
        if function.entry in work.left_out:
            continue
        if work.reserved.intersection((function.entry, *function.exits)):
            continue
        work.file.calls_glue = True
        label = work.edits.new_label()
        work.edits.at(function.place).before[:0] = enter(work, function.entry, label)
        work.edits.at(function.label + 1).before.insert(0, f"{label}:")
        for index in function.exits:
            if index not in switching or work.code.facts[index].transfer != Transfer.JUMP:
                sequence = leave(work, index, label, work.liveness.before[index])
                work.edit(index).before += sequence
        for index in function.falls:
            sequence = leave(work, index, label, work.liveness.after[index])
            work.edit(index).after += sequence


def _names_scratch(work: Rewriting) -> bool:
    scratch = work.isa.registers.mask(*site_of(work).scratch)
    return bool(scratch & work.mentioned)


def _enter_powerpc(work: Rewriting, index: int, label: str) -> list[str]:
    here = work.edits.new_label()
    live = work.liveness.before[index]
    return _on_powerpc(work, live, ENTER, [f"li %r12,{label}-{here}"], here)


def _leave_powerpc(work: Rewriting, index: int, label: str, live: RegisterSet) -> list[str]:
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


def _enter_sparc(work: Rewriting, index: int, label: str) -> list[str]:
    del label  # all that stands between the function's label and the call is the site's own
    live = work.liveness.before[index] | work.isa.registers.link
    saved = saving(work, live)
    distance = f"mov {-4 * len(saved.save)},%{site_of(work).address}"
    return [*saved.save, f"call {ENTER}{saved.flags}", distance]


def _leave_sparc(work: Rewriting, index: int, label: str, live: RegisterSet) -> list[str]:
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
    code = work.code
    if not code.facts[index].delay_slot or index + 1 >= len(code.facts):
        return []
    slot, stack = code.facts[index + 1], work.isa.registers.bit["o6"]
    alone = slot.defs == stack and slot.uses == stack and not slot.window and not slot.access
    if not alone or code.facts[index].uses & stack or code.facts[index].annul:
        return []
    work.edits.at(code.statement[index + 1]).instead = "nop"
    return [work.code.text(index + 1)]
