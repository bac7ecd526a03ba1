"""Accesses in delay slots: what a segment writes for them stands before their branch.

A store stays in its slot. A load whose value is recorded moves before the branch. Where values
follow each other, one that only runs if the branch is taken stays, and its value is stored on that
way: the branch becomes its opposite, around that and a jump.
"""

from __future__ import annotations

from inst.isa.model import Access
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import DEBUG_LABELS, first_of_relocation
from inst.rewrite.sites import NO_BRANCH, Site


def can_stand_before(work: Rewriting, site: Site, access: Access) -> bool:
    """Return whether the access in a slot can be recorded before its branch."""
    code = work.code
    branch, slot = code.facts[site.branch], code.facts[site.index]
    if branch.annul or branch.window or branch.defs & slot.uses:
        return False
    return not moves(work, access) or _can_move(work, site)


def runs_before(work: Rewriting, site: Site) -> bool:
    """Return whether what is no access can leave its slot, and run before its branch."""
    code = work.code
    branch, slot = code.facts[site.branch], code.facts[site.index]
    if branch.annul or branch.window or branch.defs & slot.uses:
        return False
    return _can_move(work, site) and site.index not in code.labelled(DEBUG_LABELS)


def _can_move(work: Rewriting, site: Site) -> bool:
    """Return whether an instruction that changes registers can move before its branch."""
    code = work.code
    branch, position = code.facts[site.branch], code.statement[site.index]
    if first_of_relocation(code.statements, position) != position:
        return False
    return not code.facts[site.index].defs & (branch.uses | branch.defs)


def is_on_one_way(work: Rewriting, site: Site) -> bool:
    """Return whether an access in a slot only runs if its branch is taken."""
    return site.branch != NO_BRANCH and work.code.facts[site.branch].annul


def moves(work: Rewriting, access: Access) -> bool:
    """Return whether the access in a slot moves before its branch."""
    return access.load and work.records_values
