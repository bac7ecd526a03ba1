"""Instructions of the output that differ from the input's in ways that are declared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from inst.asm.operands import split_operands

from .listing import Instruction
from .probes import Probe

if TYPE_CHECKING:
    from .walk import Walk

_HERE = re.compile(r"\(\.\+\d+\)")


def disguised(walk: Walk, theirs: Instruction, ours: Instruction, probe: Probe) -> bool:
    """Return whether an instruction differs only in declared ways from the input's.

    A result for nowhere goes into a stand-in, and an operand that is a difference of labels.
    """
    known = walk.known
    if theirs.name != ours.name:
        return False
    if known.may_store:
        return walk.measures.same(theirs, theirs.operands, ours.operands)
    old, new = split_operands(theirs.operands), split_operands(ours.operands)
    if len(old) != len(new):
        return False
    register = f"%{known.address_register}"
    for before, now in zip(old, new, strict=True):
        if "".join(before.split()) == "".join(now.split()):
            continue
        if not _stands_for(walk, theirs, before, now, probe, register):
            return False
    return True


def _stands_for(
    walk: Walk, theirs: Instruction, before: str, now: str, probe: Probe, register: str
) -> bool:
    access = theirs.facts.access
    if now != register and walk.measures.same(theirs, before, now):
        return True
    if access is None:
        halves = f"%hi({before})|%lo({before})"
        kind, constant = probe.address or ("", "")
        wanted = "extended" if walk.known.link_frame else "constant"
        known = now == register and kind == wanted
        return known and walk.measures.same(theirs, halves, _HERE.sub(".", constant))
    return before == "%g0" and access.load and now == register
