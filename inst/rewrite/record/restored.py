"""Loads of registers that a function has saved for its caller: re-execution knows what they load.

By its unwinding table the frame holds the caller's value of a register from the save to the
restore. Re-execution has stored it there; nothing but that function uses the place.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inst.dataclass import dataclass, field
from inst.flow.model import Conventions
from inst.isa.model import Access, Form
from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import Recorder
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
        for position, table in _tables(work)
        if position in loads and _is_restored(work, table, loads[position])
    ]


def saved_at(work: Rewriting, indices: Iterable[int]) -> dict[int, frozenset[int]]:
    """Return the registers that are saved in the frame at instructions, by the table's numbers."""
    index_of = {work.code.statement[index]: index for index in indices}
    return {
        index_of[position]: frozenset(table.saved)
        for position, table in _tables(work)
        if position in index_of
    }


def _tables(work: Rewriting) -> Iterator[tuple[int, _Table]]:
    """Yield each statement that is no directive of the table, and what that says there."""
    table = _Table()
    for position, statement in enumerate(work.code.statements):
        if statement.name.startswith(".cfi_"):
            table.take(statement.name, statement.operands)
        else:
            yield position, table


def _is_plain(work: Rewriting, site: Site, access: Access) -> bool:
    stack_pointer = work.isa.part(Conventions).stack_pointer
    is_simple = access.form == Form.SIMPLE and access.load and not access.store
    by_stack = access.base == stack_pointer and access.index is None and not access.update
    return is_simple and by_stack and site.reported and site.branch == NO_BRANCH


@dataclass(slots=True)
class _Table:
    """What the unwinding table says at an instruction."""

    size: int | None = 0
    """How far the frame reaches above the stack pointer; None: it is found another way."""
    saved: dict[int, int] = field(default_factory=dict)
    """Where registers are saved, from the frame's end, by the table's numbers."""
    remembered: list[tuple[int | None, dict[int, int]]] = field(default_factory=list)

    def take(self, name: str, operands: str) -> None:
        """Take a directive."""
        words = [one.strip() for one in operands.split(",")]
        numbers = [int(one) if _NUMBER.fullmatch(one) else None for one in words]
        first, second = [*numbers, None][0], [*numbers, None, None][1]
        if name in (".cfi_startproc", ".cfi_endproc"):
            self.size, self.saved, self.remembered = 0, {}, []
        elif name == ".cfi_def_cfa_offset":
            self.size = None if self.size is None else first
        elif name in (".cfi_def_cfa", ".cfi_def_cfa_register", ".cfi_adjust_cfa_offset"):
            self.size = None
        elif name == ".cfi_offset" and first is not None and second is not None:
            self.saved[first] = second
        elif name == ".cfi_remember_state":
            self.remembered.append((self.size, dict(self.saved)))
        elif name == ".cfi_restore_state" and self.remembered:
            self.size, self.saved = self.remembered.pop()
        elif name not in _OTHERS:
            for number in numbers:
                self.saved.pop(-1 if number is None else number, None)


_OTHERS = {".cfi_sections", ".cfi_lsda", ".cfi_personality", ".cfi_signal_frame"}


def _is_restored(work: Rewriting, table: _Table, site: Site) -> bool:
    access, loose = site.access, work.isa.part(Recorder).loose
    if access is None or access.value is None or loose is None or table.size is None:
        return False
    if not _NUMBER.fullmatch(access.offset or "0"):
        return False
    place = int(access.offset or "0") - table.size
    numbers = loose.saved_as(work, access)
    return any(table.saved.get(number) == place for number in numbers)
