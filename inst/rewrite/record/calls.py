"""Calls of library functions that re-execution reports from their arguments, not from events.

A call of `memcpy` by its name need not go to the wrapper that reports what the function touches:
the table of segments states where such calls return to, and what their arguments mean. Tail calls,
which return elsewhere, go to the wrapper by its own name. Where a file also uses the address of the
function, all of its calls stay as they are, since a file has one meaning for a name.

Calls that leave the context of their caller for another one are stated, too: they touch nothing.
"""

from __future__ import annotations

import re

from inst.calls.argued import Touched, touched_by
from inst.flow.hidden import SWITCHES_CONTEXT
from inst.isa.model import Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.options import Options
from inst.rewrite.record.recorder import Loose
from inst.rewrite.wrapping import PREFIX

_NAME = re.compile(rf"(?<![\w.$])({'|'.join(touched_by())})(?![\w.$])")
_SAYS_NOTHING = re.compile(r"\s*\.(type|size|extern|hidden|ident|file|string|asciz?)\s.*")
_SYMBOL = re.compile(r"[\w.$]+")


def called_by_name(source: str, options: Options, loose: Loose | None) -> frozenset[str]:
    """Return the functions of `inst.calls.argued` that an assembly file uses in calls, and in tail
    calls, only."""
    if not options.wrapping or options.selection.is_partial or loose is None:
        return frozenset()
    called: set[str] = set()
    otherwise: set[str] = set()
    for found in _NAME.finditer(source):
        start, end = source.rfind("\n", 0, found.start()) + 1, source.find("\n", found.end())
        if not _SAYS_NOTHING.fullmatch(source, start, end if end >= 0 else len(source)):
            (called if loose.calls.match(source, start) else otherwise).add(found[1])
    return frozenset(called - otherwise)


def add_calls(work: Rewriting) -> None:
    """Add the calls that reach such a function itself to the table of segments; others reach its
    wrapper."""
    names = work.file.wrapping.unwrapped
    touched = touched_by() if names else {}
    for index, fact in enumerate(work.code.facts):
        name = _SYMBOL.match(fact.target)
        if not name:
            continue
        if name[0] in names and not _comes_back(work, index):
            wrapper = fact.target.replace(name[0], f"{PREFIX}{name[0]}", 1)
            work.edit(index).instead = work.code.retargeted(index, wrapper)
        elif name[0] in names:
            _add_call(work, index, touched[name[0]])
        elif SWITCHES_CONTEXT.fullmatch(fact.target) and _comes_back(work, index):
            _add_call(work, index, Touched(0, (), ()))


def _add_call(work: Rewriting, index: int, touched: Touched) -> None:
    """State where a call returns to, after its delay slot, and what it touches."""
    label = work.edits.new_label()
    work.edit(index + work.code.facts[index].delay_slot).after.insert(0, f"{label}:")
    work.file.segments.add_call(label, touched)


def _comes_back(work: Rewriting, index: int) -> bool:
    """Return whether a transfer to a function is a call, and its slot lets that return to it."""
    fact, slot = work.code.facts[index], work.code.slot_of(index)
    links = work.isa.registers.link if fact.delay_slot else 0
    leaves = slot is not None and (slot.window < 0 or bool(slot.defs & links))
    return fact.transfer == Transfer.CALL and not leaves
