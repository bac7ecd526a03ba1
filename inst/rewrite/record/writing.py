"""Writes segments: what each access stores, and what need not be stored because it is known.

A register is stored once and followed from there: copies and additions of numbers give registers
whose values follow from the same slot, and what a load brought, or a store put, is known as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from inst.flow.code import read_places
from inst.isa.model import Access, RegisterSet
from inst.isa.segments import MOST_WORDS
from inst.rewrite.context import Rewriting, named_event
from inst.rewrite.edits import DEBUG_LABELS, Edit, first_of_relocation
from inst.rewrite.record.model import (
    CONSTANT,
    ENTERED,
    FRAME_WORDS,
    INSTEAD,
    KNOWN,
    LOOSE,
    NAME,
    RAW,
    WHOLE_ADDRESS,
    Item,
    Known,
    Reservation,
    Segment,
)
from inst.rewrite.record.recorder import Recorder
from inst.rewrite.record.slots import is_on_one_way, moves
from inst.rewrite.sites import NO_BRANCH, NO_INSTRUCTION, Site

_RANGE = 1 << 31


def size_of(work: Rewriting, segment: Segment) -> int:
    """Return the most bytes that a segment may write."""
    words = FRAME_WORDS if segment.is_frame else 1
    for site in segment.sites:
        words += sum(arriving_words(work, register) for register in site.arriving)
        access = site.access
        if access is None:
            continue
        if work.addresses:
            words += (access.base is not None) + (access.index is not None)
        words += work.records_values * _value_words(work, access)
    return words * (work.isa.bits // 8)


def _value_words(work: Rewriting, access: Access) -> int:
    width = work.isa.bits // 8
    return max(-(-work.isa.part(Recorder).raw_bytes(work, access) // width), 1)


def arriving_words(work: Rewriting, register: str) -> int:
    """Return how many words the value of a register that arrives takes."""
    size = work.isa.part(Recorder).arriving_bytes(register)
    return max(-(-size // (work.isa.bits // 8)), 1)


def _brought(site: Site, segment: Segment) -> list[str]:
    """Return the registers that arrive, without the pointer's: code that may read any register for
    all that its text says, as `lswx` may, reads nothing there."""
    return [register for register in site.arriving if register != segment.pointer]


def write_segment(work: Rewriting, segment: Segment) -> None:
    """Write a segment's code into the edits."""
    if is_loose(work):
        _LooseWriter(work, segment).write()
    else:
        _SegmentWriter(work, segment).write()


def is_loose(work: Rewriting) -> bool:
    """Return whether values are written one by one, for re-execution."""
    return not work.addresses


def passed_places(work: Rewriting) -> frozenset[int]:
    """Return the instructions after `bcl` that a segment goes on to, as if they had no label.

    Re-execution knows what is recorded by where the code says that control comes from elsewhere.
    """
    return frozenset() if is_loose(work) else read_places(work.code, DEBUG_LABELS)


class _LooseWriter:
    """Writes a segment whose values follow those of the segment that ran before."""

    def __init__(self, work: Rewriting, segment: Segment) -> None:
        self.work = work
        self.segment = segment
        self.recorder = work.isa.part(Recorder)
        loose = self.recorder.loose
        assert loose is not None
        self.loose = loose
        self.kept = self.recorder.kept(work)
        self.ahead = 0
        """Bytes that have been stored ahead of the pointer."""

    def write(self) -> None:
        work, segment = self.work, self.segment
        segment.label, segment.end = work.edits.new_label(), work.edits.new_label()
        edit = work.edit(segment.first)
        start = len(edit.before)
        place = Reservation(
            segment.first,
            segment.label,
            segment.pointer,
            work.isa.bits // 8,
            segment.checked,
            segment.loads,
            arrives=segment.arrives,
            count=segment.count,
            named=segment.sites[0].named,
        )
        name: list[str] = []
        if place.named:
            label = work.edits.new_label()
            name = [*self.loose.name(work, place, label), *self._stored(1)]
            flags = KNOWN | LOOSE | NAME | (ENTERED if segment.sites[0].enters else 0)
            segment.items.append(Item(label, 0, 0, 0, flags, 0, 0))
        for site in segment.sites:
            if site.access is None:
                self._write_arriving(site)
            else:
                self._write_access(site, site.access)
        self._move_behind(segment.sites[-1])
        _check_late(work, segment)
        save, restore = segment.spill
        edit.before += restore
        if segment.sites[-1].entry:
            self._end_for_others(edit, segment.sites[-1])
        if self.loose.fills(work, place) and not place.named:
            place = replace(place, slot=self._into_slot(edit, start))
        reserve = self.recorder.reserve(work, place)
        assert reserve is not None
        edit.before[start:start] = [*save, f"{segment.label}:", *reserve, *name, f"{segment.end}:"]

    def _end_for_others(self, edit: Edit, site: Site) -> None:
        """Store the pointer, and let calls of the same file enter the function."""
        if self.segment.pointer == self.kept:
            edit.before.append(self.recorder.store_pointer(self.work))
        edit.before.append(f"{site.entry}:")

    def _into_slot(self, edit: Edit, start: int) -> str:
        """Take the instruction that the segment begins before out of its place, with its label;
        return it, or nothing if it has to stay."""
        work, index = self.work, self.segment.first
        code = work.code
        *others, label = edit.before[start:] or [""]
        is_relocated = first_of_relocation(code.statements, code.statement[index])
        stays = is_relocated != code.statement[index] or code.facts[index].length != 4
        is_first = not others and label.endswith(":") and edit.instead is None
        if stays or not is_first or index != self.segment.sites[0].index:
            return ""
        edit.before.pop()
        edit.instead = ""
        return f"{label} {code.text(index)}"

    def _stored(self, words: int) -> list[str]:
        """Return what follows the store of so many words."""
        if self.loose.move is None:
            return self.loose.store_moved(self.work, self.segment.pointer)
        self.ahead += words * self.work.isa.bits // 8
        return []

    def _moved(self) -> list[str]:
        """Return the code that moves the pointer over all that has been stored ahead of it."""
        if self.loose.move is None or not self.ahead:
            return []
        pointer, ahead, self.ahead = self.segment.pointer, self.ahead, 0
        return [self.loose.move(pointer, ahead), *self.loose.store_moved(self.work, pointer)]

    def _move_behind(self, site: Site) -> None:
        """Move the pointer where the last store of the segment has been, that of a site."""
        edit, is_inside = self.work.edit(site.place), site.branch == NO_BRANCH
        (edit.after if is_inside and site.access is not None else edit.before).extend(self._moved())

    def _write_arriving(self, site: Site) -> None:
        """Store the registers that arrive before an instruction."""
        work = self.work
        before = work.edit(site.place).before
        if site.branch != NO_BRANCH:  # out of the slot, since what it leaves is stored there
            before.append(work.code.text(site.index))
            work.edit(site.index).instead = "nop"
        if site.left_by != NO_INSTRUCTION and self.segment.pointer not in site.arriving:
            self._mark_left(site)
        for register in _brought(site, self.segment):
            parts = self.loose.parts(work, site, register, self.segment.pointer)
            if parts is None:
                before += self._stored_item(register)
            elif parts.through:
                before += parts.before
                for copy, back in parts.copies:
                    before += [copy, *self._stored_item(parts.through), back]
                before += parts.after

    def _mark_left(self, site: Site) -> None:
        """Put a label at the instruction whose results are recorded."""
        work = self.work
        if site.branch != NO_BRANCH:
            label = work.edits.new_label()
            before = work.edit(site.place).before
            before[-1] = f"{label}: {before[-1]}"
        else:
            label = work.edits.new_pin()
            work.edit(site.left_by).before.append(f"{label}:")
        work.recorded_results[site.left_by] = label

    def _stored_item(self, register: str) -> list[str]:
        """Return code that stores a register that arrives, and add it to the segment's items."""
        label = self.work.edits.new_label()
        *code, store = self.loose.put(self.work, register, self.segment.pointer, self.ahead)
        flags = KNOWN | LOOSE | (RAW if self.recorder.arriving_bytes(register) else 0)
        self.segment.items.append(Item(label, 0, 0, 0, flags, 0, 0))
        words = arriving_words(self.work, register)
        return [*code, f"{label}: {store}", *self._stored(words)]

    def _write_access(self, site: Site, access: Access) -> None:
        work, edit = self.work, self.work.edit(site.index)
        raw = RAW if self.recorder.raw_bytes(work, access) else 0
        label = work.mark_site(site.index, named_event(access), access.size)
        put = self.loose.put_value(work, site.index, self.segment.pointer, self.ahead)
        self.segment.items.append(Item(label, 0, 0, 0, KNOWN | LOOSE | raw, 0, 0))
        if access.linker_rewrites:  # it may be made an addition, not the store
            after = work.edits.new_label()
            put[-1] = f"{after}: {put[-1]}"
            self.segment.items.append(Item(after, 0, 0, 0, KNOWN | LOOSE | INSTEAD, 0, 0))
        put += self._stored(_value_words(work, access))
        if is_on_one_way(work, site):
            _turn_branch(work, self.segment, site)
            edit.before.append(f"{label}:")
            edit.after += [*put, *self._moved()]
        elif site.branch == NO_BRANCH:
            mark_access(work, site.index, label)
            edit.after += put
        else:  # out of the slot, since its value is stored before the branch
            load = f"{label}: {work.code.text(site.index)}"
            work.edit(site.branch).before += [load, *put]
            edit.instead = "nop"


def _check_late(work: Rewriting, segment: Segment) -> None:
    """Make room after a segment, if there is none before it."""
    if segment.late < 0:
        return
    label = work.edits.new_label()
    place = Reservation(segment.late, label, segment.pointer, 0, checked=True, loads=False)
    check = work.isa.part(Recorder).reserve(work, place)
    assert check is not None
    work.edit(segment.late).before += [f"{label}:", *check]


def _turn_branch(work: Rewriting, segment: Segment, site: Site) -> None:
    """Make a branch its opposite, past what only runs if it is taken."""
    skip = segment.on_one_way = work.edits.new_label()
    inverse = work.code.facts[site.branch].inverse
    work.edit(site.branch).instead = f"{work.code.retargeted(site.branch, skip, inverse)}; nop"


def mark_access(work: Rewriting, index: int, label: str) -> None:
    """Put a label at an access, or at what it was before its registers were renamed."""
    edit, loose = work.edit(index), work.isa.part(Recorder).loose
    if index not in work.originals or loose is None:
        edit.before.append(f"{label}:")
    else:
        original, text = work.originals[index], work.code.text(index)
        edit.instead = loose.in_place_of(work, label, original, text)


def end_ways(work: Rewriting, segments: Iterable[Segment]) -> None:
    """Let the ways that only run if a branch is taken go to its target, after all else on them."""
    for segment in segments:
        if segment.on_one_way:
            site = segment.sites[-1]
            target = work.code.facts[site.branch].target
            work.edit(site.index).after += [f"{work.isa.jump} {target}", f"{segment.on_one_way}:"]


class _SegmentWriter:
    def __init__(self, work: Rewriting, segment: Segment) -> None:
        self.work = work
        self.segment = segment
        self.recorder = work.isa.part(Recorder)
        self.width = work.isa.bits // 8
        self.known: dict[RegisterSet, Known] = {}
        """What is known of registers, by their masks."""

    def write(self) -> None:
        work, segment = self.work, self.segment
        segment.label = segment.label or work.edits.new_label()
        edit = work.edit(segment.first)
        start = len(edit.before)
        sites = {max(segment.first, site.place): site for site in segment.sites}
        for index in range(segment.first, max(segment.first, segment.last) + 1):
            site = sites.get(index)
            if site is None:
                self._follow(index)
            elif site.access is not None:
                self._write_access(site, site.access)
            else:
                segment.words = FRAME_WORDS
                edit.before += self.recorder.put_frame(work, index, segment.pointer)
        assert segment.words <= MOST_WORDS
        place = Reservation(
            segment.first,
            segment.label,
            segment.pointer,
            segment.words * self.width,
            segment.checked,
            segment.loads,
            segment.stores,
            segment.arrives,
            segment.count,
            leaves_name=segment.leaves_name,
            base=(segment.base.leaves_name, segment.base.label) if segment.base else ("", ""),
        )
        reserve = self.recorder.reserve(work, place)
        assert reserve is not None
        edit.before[start:start] = [f"{segment.label}:", *reserve]
        _check_late(work, segment)

    def _write_access(self, site: Site, access: Access) -> None:
        work, index = self.work, site.index
        before: list[str] = []
        after: list[str] = []
        base = second = Known(0)
        flags = 0
        if self.recorder.needs_address(work, index):
            found = self.recorder.linked_address(work, index, self.segment.pointer)
            assert found is not None
            register, code = found
            before += code
            base, flags = Known(self._put(register, before)), WHOLE_ADDRESS
        else:
            base = self._read(access.base, before)
            second = self._read(access.index, before)
            if not -_RANGE <= base.addend + second.addend < _RANGE:
                base, second = (
                    self._read(one, before, anew=True) for one in (access.base, access.index)
                )
        value = Known(0)
        if work.records_values and access.store:
            value, more = self._value(index, access, before)
            flags |= more
        self._after_access(index, access, base)
        if work.records_values and access.load:
            value, more = self._value(index, access, after)
            flags |= more
        label = work.mark_site(index, named_event(access), access.size)
        self._insert(site, access, before, label, after)
        addend = base.addend + second.addend
        self.segment.items.append(
            Item(label, base.slot, second.slot, value.slot, flags, addend, value.addend)
        )

    def _insert(
        self, site: Site, access: Access, before: list[str], label: str, after: list[str]
    ) -> None:
        """Insert what an access stores before and after it."""
        work, edit = self.work, self.work.edit(site.index)
        if is_on_one_way(work, site):
            _turn_branch(work, self.segment, site)
        if site.branch == NO_BRANCH or is_on_one_way(work, site):
            edit.before += [*before, f"{label}:"]
            edit.after += after
        elif moves(work, access):
            work.edit(site.branch).before += [
                *before,
                f"{label}: {work.code.text(site.index)}",
                *after,
            ]
            edit.instead = "nop"
        else:
            work.edit(site.branch).before += before
            edit.before.append(f"{label}:")

    def _after_access(self, index: int, access: Access, base: Known) -> None:
        """Forget what an access changes; follow a base that receives the address."""
        self._forget(self.work.code.facts[index].defs)
        if access.update and access.base is not None and access.index is None:
            number = _number(access.offset)
            if number is not None and (base.slot or access.base is None):
                self._learn(access.base, Known(base.slot, base.addend + number))

    def _value(self, index: int, access: Access, code: list[str]) -> tuple[Known, int]:
        """Return where the value of an access is, storing it if need be, and its flags."""
        size = self.recorder.raw_bytes(self.work, access)
        if size:
            self.segment.words += -(-size // self.width)
            slot = self.segment.words - 1
            place = slot * self.width
            code += self.recorder.put_raw(self.work, index, self.segment.pointer, place)
            return Known(slot), KNOWN | RAW
        found = self._read(access.value, code)
        return found, KNOWN | (CONSTANT if not found.slot else 0)

    def _read(self, register: str | None, code: list[str], anew: bool = False) -> Known:
        """Return where a register's value is, storing it if it is not known."""
        if register is None:
            return Known(0)
        bit = self.work.isa.registers.bit[register]
        if not bit:
            return Known(0)
        found = self.known.get(bit)
        if found is None or anew:
            found = Known(self._put(register, code))
            self.known[bit] = found
        return found

    def _put(self, register: str, code: list[str]) -> int:
        """Store a register in a new slot."""
        slot = self.segment.words
        self.segment.words += 1
        place = slot * self.width
        code.append(self.recorder.put(self.work, register, self.segment.pointer, place))
        return slot

    def _follow(self, index: int) -> None:
        """Take what an instruction that is no access of the segment does to registers."""
        effect = self.recorder.effect(self.work, index)
        found: Known | None = None
        if effect is not None:
            bits = self.work.isa.registers.bit
            source = self.known.get(bits[effect.source]) if effect.source else Known(0)
            if source is not None:
                found = Known(source.slot, source.addend + effect.addend)
        self._forget(self.work.code.facts[index].defs)
        if effect is not None and found is not None:
            self._learn(effect.target, found)

    def _learn(self, register: str, what: Known) -> None:
        bit = self.work.isa.registers.bit[register]
        if bit and -_RANGE <= what.addend < _RANGE:
            self.known[bit] = what

    def _forget(self, changed: RegisterSet) -> None:
        self.known = {bit: one for bit, one in self.known.items() if not bit & changed}


def _number(text: str) -> int | None:
    try:
        return int(text or "0", 0)
    except ValueError:
        return None
