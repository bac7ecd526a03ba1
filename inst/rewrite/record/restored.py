"""Loads of registers that a function has saved for its caller: re-execution knows what they load.

By its unwinding table the frame holds the caller's value of a register from the save to the
restore. Re-execution has stored it there; nothing but that function uses the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from inst.flow.model import Conventions
from inst.flow.unwinding import Table, tables
from inst.isa.model import Access, Form
from inst.rewrite.context import Rewriting
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.sites import NO_BRANCH, Site

_NUMBER = re.compile(r"-?\d+")


def restores(work: Rewriting, sites: Iterable[Site]) -> list[Site]:
    """Return the sites that load a register of the caller from where the function saved it."""
    loads = {
        work.code.statement[site.index]: site
        for site in sites
        if site.access is not None and _is_plain(work, site, site.access)
    }
    return [
        loads[position]
        for position, table in tables(work.code.statements)
        if position in loads and _is_restored(work, table, loads[position])
    ]


def saved_at(work: Rewriting, indices: Iterable[int]) -> dict[int, frozenset[int]]:
    """Return the registers that are saved in the frame at instructions, by the table's numbers."""
    index_of = {work.code.statement[index]: index for index in indices}
    return {
        index_of[position]: frozenset(table.saved)
        for position, table in tables(work.code.statements)
        if position in index_of
    }


def _is_plain(work: Rewriting, site: Site, access: Access) -> bool:
    stack_pointer = work.isa.part(Conventions).stack_pointer
    is_simple = access.form == Form.SIMPLE and access.load and not access.store
    by_stack = access.base == stack_pointer and access.index is None and not access.update
    return is_simple and by_stack and site.reported and site.branch == NO_BRANCH


def _is_restored(work: Rewriting, table: Table, site: Site) -> bool:
    access, loose = site.access, work.isa.part(Recorder).loose
    if access is None or access.value is None or loose is None or table.size is None:
        return False
    if not _NUMBER.fullmatch(access.offset or "0"):
        return False
    place = int(access.offset or "0") - table.size
    numbers = loose.saved_as(work, access)
    return any(table.saved.get(number) == place for number in numbers)
