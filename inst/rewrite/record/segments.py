"""Finds the segments of a file: runs of plain accesses of one basic block.

Nothing that calls glue, transfers control, is reached by a label or changes the register window
lies between the accesses of a segment, but for an instruction that reads where it is (`bcl`); and
one register is free from the first to the last: it points into the buffer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inst.isa.model import Access, Form, RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.counter import counted_places
from inst.rewrite.edits import DEBUG_LABELS
from inst.rewrite.label_differences import DIFFERENCE
from inst.rewrite.record.model import MOST_ITEMS, Reservation, Segment
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.record.slots import can_stand_before, is_on_one_way
from inst.rewrite.record.writing import arriving_words, is_loose, passed_places
from inst.rewrite.sites import NO_BRANCH, Site

_WHOLE = (Form.SIMPLE, Form.SPECIAL)
"""Of accesses that are reported as one."""
_AHEAD = 4
"""Instructions that a segment may begin before its first access, where a register is dead."""
_ACCESS_SLOTS = 4
"""Of an access, at most: two registers of its address, and a value of two words."""


def find_segments(work: Rewriting, sites: Iterable[Site]) -> list[Segment]:
    """Return the segments in the order of the code."""
    return _Finder(work).find(sites)


def plain_stores(work: Rewriting, sites: Iterable[Site]) -> list[Site]:
    """Return the stores that can be recorded inline, of which re-execution computes everything."""
    finder = _Finder(work)
    return [site for site in sites if site.access and not site.access.load and finder.takes(site)]


class _Finder:
    def __init__(self, work: Rewriting) -> None:
        self.work = work
        self.recorder = work.isa.part(Recorder)
        self.read_places = passed_places(work)
        self.labelled = work.code.labelled(DEBUG_LABELS) - self.read_places
        self.switches = {place for one in work.leaving.values() for place in (one.start, one.end)}
        """Where the stack changes, before an instruction."""
        self.counted = frozenset(counted_places(work))
        self.before = -1
        """The instruction of the site before the present one."""
        self.found: list[Segment] = []
        self.used: RegisterSet = 0
        """What is in use anywhere between the first and the last access of the last segment."""

    def find(self, sites: Iterable[Site]) -> list[Segment]:
        open_until = before = -1
        for site in sites:
            self.before, before = before, max(before, site.index)
            if not self.takes(site):
                open_until = -1
                continue
            begins = open_until < 0 or site.named or site.frame or is_on_one_way(self.work, site)
            if begins or self._is_cut(open_until, site.place) or not self._add(site):
                self._begin(site)
            stays = site.branch == NO_BRANCH and not (site.entry or site.frame)
            goes_on = stays and self.found and self.found[-1].last == site.index
            open_until = site.index if goes_on else -1
        return self.found

    def takes(self, site: Site) -> bool:
        """Return whether a site can be recorded inline: accesses cannot where hooks choose."""
        work, access, index = self.work, site.access, site.index
        if site.arriving or site.named or site.frame:
            return True
        if work.options.windows or access is None or not site.reported or site.switches_stack:
            return False
        if site.from_table and not is_loose(work):
            return False
        if access.form not in _WHOLE or not self._can_stand(site, access):
            return False
        special = (work.orders, work.marked, work.reserved)
        if any(index in one for one in special) or (access.load and access.store):
            return False
        if index in work.originals and not is_loose(work):
            return False
        if access.store and self._may_be_unknown(access):
            return False
        return site.from_table or self.recorder.takes(work, index)

    def _may_be_unknown(self, access: Access) -> bool:
        """Return whether the value of a store may come from registers that are not recorded, which
        others with as many bytes have parts of."""
        unknown, bit = self.work.unknown_values, self.work.isa.registers.bit
        return bool(unknown and (access.size > 8 or bit.get(access.value or "", 0) & unknown))

    def _can_stand(self, site: Site, access: Access) -> bool:
        """Return whether the code of a site can stand where it would."""
        if site.branch == NO_BRANCH:
            return True
        if is_loose(self.work) and access.store and not access.load:
            return True  # nothing is recorded
        if is_on_one_way(self.work, site):
            is_fixed = site.branch in self.switches or site.branch in self.counted
            return bool(self.work.code.facts[site.branch].inverse) and not is_fixed
        return site.branch not in self.switches and can_stand_before(self.work, site, access)

    def _begin(self, site: Site) -> None:
        """Begin a segment with a site, if there are registers for it there or before."""
        for first in self._places(site):
            self.used = self._use(first, site)
            pointer = self._pointer([site], self.used, first)
            if pointer:
                begins = site.index if is_on_one_way(self.work, site) else first
                self.found.append(Segment([site], pointer, begins))
                return
        arrives = site.access is None and not site.frame
        pointer = self.recorder.spilled(self.work, site.arriving) if arrives else ""
        if pointer:
            spill = self.recorder.spill_pointer(self.work, pointer)
            self.found.append(Segment([site], pointer, site.place, spill=spill))

    def _places(self, site: Site) -> Iterator[int]:
        """Yield the instructions before which a segment may begin: the site's, and where the
        pointer is kept also those before it, back to what comes before the site in its block."""
        work = self.work
        yield site.place
        if site.access is None or is_loose(work) or is_on_one_way(work, site):
            return
        if not self.recorder.kept(work):
            return
        for index in range(site.place - 1, max(self.before, site.place - _AHEAD), -1):
            fact, is_apart = work.code.facts[index], index + 1 in self.labelled
            ends = fact.transfer != Transfer.NONE or fact.window or work.code.is_slot(index)
            special = (self.switches, self.counted, work.reserved)
            is_fixed = any(index in one or index + 1 in one for one in special)
            if ends or is_apart or is_fixed or DIFFERENCE.search(work.code.at(index).operands):
                return
            yield index

    def _add(self, site: Site) -> bool:
        """Add a site to the last segment, if a register is free that long."""
        segment = self.found[-1]
        if (
            segment.spill[0]
            or sum(_slots(self.work, one) for one in (*segment.sites, site)) > MOST_ITEMS
        ):
            return False
        first = segment.last + (segment.sites[-1].access is not None)
        used = self.used | self._use(first, site)
        pointer = self._pointer([*segment.sites, site], used, segment.first)
        if not pointer:
            return False
        segment.sites.append(site)
        segment.pointer, self.used = pointer, used
        return True

    def _pointer(self, sites: list[Site], used: RegisterSet, first: int) -> str:
        """Return a register for the pointer of a segment; empty if not all can be written."""
        work, recorder = self.work, self.recorder
        pointer = recorder.pointer(work, used)
        if not pointer:
            return ""
        arrives = any(site.access is None for site in sites)
        trial = Reservation(first, ".", pointer, 8, checked=False, arrives=arrives)
        if recorder.reserve(work, trial) is None:
            return ""
        for site in sites:
            if site.access is None or not work.addresses:
                continue
            if recorder.needs_address(work, site.index) and (
                recorder.linked_address(work, site.index, pointer) is None
            ):
                return ""
            if work.records_values and not recorder.can_put_raw(work, site.index, pointer):
                return ""
        return pointer

    def _use(self, first: int, site: Site) -> RegisterSet:
        """Return the registers that are live or named from an instruction to that of a site.

        What arrives is stored before that one, which may change any register.
        """
        facts, live = self.work.code.facts, self.work.liveness
        bits = self.work.isa.registers.bit
        used = live.before[site.index]
        for name in site.arriving:  # also what only code reads that liveness takes for dead
            used |= bits.get(name, 0)
        for index in range(first, site.index + (site.access is not None)):
            fact = facts[index]
            used |= live.before[index] | live.after[index] | fact.uses | fact.defs
        return used

    def _is_cut(self, before: int, index: int) -> bool:
        """Return whether a segment cannot go on from one access to another."""
        work = self.work
        for place in range(before + 1, index + 1):
            fact = work.code.facts[place - 1]
            passes = fact.transfer == Transfer.NONE or place in self.read_places
            if place in self.labelled or not passes or fact.window:
                return True
            if place in work.reserved or place in self.switches or place in self.counted:
                return True
        return False


def _slots(work: Rewriting, site: Site) -> int:
    """Return how many slots a site takes, at most."""
    if site.access:
        return _ACCESS_SLOTS
    return sum(max(arriving_words(work, register), 2) for register in site.arriving)
