"""What the blocks of a recording hold, by the table of segments: registers and values of accesses.

Each segment of the output is executed with symbols for the registers that it begins with. At each
access of the table the sum of the slots and numbers that the table names has to be the address,
and the slot of the value has to be what the access loads or stores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from inst.asm.operands import split_operands
from inst.isa.model import Access, Form

from .knowledge import canonical
from .listing import Instruction, Listing

if TYPE_CHECKING:
    from .walk import Walk

_KNOWN, _CONSTANT, _WHOLE_ADDRESS, _INSTEAD = 1, 2, 8, 128
"""Flags of an item (docs/formats/rec.md, "Tables"); not the rewriter's own, on purpose."""
_SECTION = ".debug_inst_record"
_HOOKED = "+0x80000000"
_NUMBERS = (".byte", ".2byte", ".4byte", ".8byte", ".uaword", ".uaxword")
"""Directives that it is written with."""
_NUMBER = re.compile(r"-?(?:0x[0-9a-f]+|\d+)")
_HIGH = re.compile(r"%hi\((-?(?:0x[0-9a-f]+|\d+))\)")
FRAME_WORDS, _FRAME = 3, "16386"
"""Words of the block of a frame, and what the table has in place of them: 0x4002."""
_NEAR = 3
"""Instructions after a load of which one stores its value."""
INDEXED = {
    **{f"stxv{order}x": 16 for order in ("d2", "w4", "h8", "b16", "")},
    "stxsdx": 8,
    "stxsspx": 4,
    "stxsiwx": 4,
    "stfiwx": 4,
    "stxsihx": 2,
    "stxsibx": 1,
    **{f"stxvr{letter}x": size for letter, size in zip("bhwd", (1, 2, 4, 8), strict=True)},
}
"""Stores by which values of VSX registers are recorded, with their bytes."""
_PUT_BY = {
    **dict.fromkeys(("lxsd", "lxsdx", "lxvdsx", "stxsd", "stxsdx"), "stxsdx stfd stfdu"),
    **dict.fromkeys(("lxssp", "lxsspx", "stxssp", "stxsspx"), "stxsspx stfs stfsu"),
    **dict.fromkeys(("lxsiwax", "lxsiwzx", "lxvwsx", "stxsiwx"), "stxsiwx"),
    **dict.fromkeys(("lfiwax", "lfiwzx", "stfiwx"), "stfiwx"),
    "lxsihzx": "stxsihx",
    "lxsibzx": "stxsibx",
    "stxsihx": "stxsihx",
    "stxsibx": "stxsibx",
    **dict.fromkeys(("lxv", "lxvx", "stxv", "stxvx"), "stxvx"),
    **{f"{way}xvr{one}x": f"stxvr{one}x" for way in ("l", "st") for one in "bhwd"},
    **{f"{way}xv{one}x": f"stxv{one}x" for way in ("l", "st") for one in ("d2", "w4", "h8", "b16")},
    **dict.fromkeys(("lvx", "lvxl", "stvx", "stvxl"), "stxvd2x"),
}
"""By which stores the value of an access is laid out as in memory; of the last ones with halves
that have been exchanged, in little-endian code (Power ISA 3.1, book I, sections 6.7 and 7.6)."""
_EXCHANGED = " exchanged"
_PLAIN = (Form.SIMPLE, Form.SPECIAL)
"""Of accesses that may be recorded."""
_ROOM = re.compile(r"\.Linst\d+(room|set)")
_TERM = re.compile(r"([.A-Za-z_$][\w.$]*)-([.A-Za-z_$][\w.$]*)")


Value = tuple[tuple[str, ...], int]
"""The sum of some symbols and a number."""


@dataclass(frozen=True, slots=True)
class Item:
    """What the table says of one access."""

    label: str
    base: int
    index: int
    value: int
    flags: int
    addend: int
    value_addend: int


@dataclass(frozen=True, slots=True)
class Row:
    """A segment; one without words says what re-execution finds by itself."""

    label: str
    words: int
    items: tuple[Item, ...]


@dataclass(slots=True)
class Rows:
    """The table of an output."""

    width: int
    by_label: dict[str, Row] = field(default_factory=dict)
    is_loose: bool = False
    """Values follow each other, without names of segments."""
    labels: set[str] = field(default_factory=set)
    """Those of the accesses that are recorded, or follow from what is."""


def vsx_register(number: str) -> str:
    """Return the name of a VSX register: the later half of them are the vector registers."""
    return f"f{number}" if int(number) < 32 else f"v{int(number) - 32}"


def read_rows(listing: Listing, bits: int) -> Rows:
    """Read the table of an output."""
    rows = Rows(bits // 8)
    words = list(_words(listing))
    at = 0
    while at < len(words):
        label, count, number = words[at : at + 3]
        at += 3
        if count == "0" or not number.isdigit():
            for text in words[at + 1 : at + int(number)]:
                if (match := _TERM.match(text)) and not text.endswith(_HOOKED):
                    rows.labels.add(match[1])
            at += int(number)
            continue
        if count == _FRAME:
            rows.by_label[label] = Row(label, FRAME_WORDS, ())
        if int(number) == 0:  # a call, too
            continue
        items = []
        for _ in range(int(number)):
            place, *numbers = words[at : at + 7]
            items.append(Item(place.partition("-")[0], *map(int, numbers)))
            at += 7
        rows.is_loose |= not count.isdigit()
        rows.labels |= {item.label for item in items}
        rows.by_label[label] = Row(label, int(count) if count.isdigit() else 0, tuple(items))
    return rows


def _words(listing: Listing) -> Iterator[str]:
    for statement, section in zip(listing.statements, listing.section, strict=True):
        if section == _SECTION and statement.name in _NUMBERS:
            yield from ("".join(one.split()) for one in statement.operands.split(","))


def check_blocks(walk: Walk, rows: Rows) -> None:
    """Hold the table against what each segment stores."""
    owners = {place: index for index, places in walk.core.items() for place in places}
    if rows.is_loose:
        _check_values(walk, rows, owners)
        return
    starts = {walk.new.labels.get(label, -1) for label in rows.by_label}
    for row in rows.by_label.values():
        if row.label not in walk.new.labels:
            walk.problems.append(f"the segment {row.label} is not in the code")
        elif not row.items:
            _check_frame(walk, row, rows.width, owners)
        elif row.items[0].label in walk.new.labels:
            _Segment(walk, row, rows.width, owners, starts).check()


def _check_frame(walk: Walk, row: Row, width: int, owners: dict[int, int]) -> None:
    """Hold the words of a frame's block against where that is, and how large."""
    stores, made = {}, {"%sp": "%sp"}
    for at in range(walk.new.labels[row.label], len(walk.new.instructions)):
        found = walk.new.instructions[at]
        if at in owners:
            break
        *sources, target = split_operands(found.operands) or [""]
        if found.name in ("add", "sub"):
            made[target] = ",".join(sources)
        elif found.name in ("st", "stx"):
            stores.setdefault(target, made.get(sources[0], ""))
    stack = "%sp" if width == 4 else "%sp,2047"
    wanted = {f"[%g6-{2 * width}]": stack, f"[%g6-{width}]": "%fp,%sp"}
    if {place: stores.get(place) for place in wanted} != wanted:
        walk.problems.append(f"segment {row.label}: the frame is not what its block has")


def _check_values(walk: Walk, rows: Rows, owners: dict[int, int]) -> None:
    """Hold the loads of a table whose values follow each other against what is stored next."""
    for item in (item for row in rows.by_label.values() for item in row.items):
        place = walk.new.labels.get(item.label, -1)
        access = walk.new.instructions[place].facts.access if place in owners else None
        if access is None or item.flags & _INSTEAD or access.form not in _PLAIN:
            continue
        name = walk.new.instructions[place].name.removeprefix("p")  # of two words
        stored = list(_stored_after(walk, place, owners))
        wanted = f"{access.value}{_EXCHANGED}" if access.align else access.value
        allowed = _PUT_BY.get(name, "").split()
        if not any(
            value == wanted and (by in allowed or not allowed)
            for value, by in stored[: 1 + (access.size > rows.width)]
        ):
            walk.complain(owners[place], f"its value is not stored next, but {stored[:1]}")


def _stored_after(walk: Walk, place: int, owners: dict[int, int]) -> Iterator[tuple[str, str]]:
    """Yield what the inserted instructions after one of the input, which may stand in the slot of a
    check, store, and by which."""
    exchanged: dict[str, str] = {}
    target = walk.new.instructions[place - 1].facts.target if place else ""
    start = walk.new.labels[target] if _ROOM.fullmatch(target) else place + 1
    for at in range(start, min(start + _NEAR, len(walk.new.instructions))):
        found = walk.new.instructions[at]
        access = found.facts.access
        if at in owners:
            return
        if found.name == "xxswapd":
            into, of = map(vsx_register, split_operands(found.operands))
            exchanged[into] = f"{of}{_EXCHANGED}"
        elif access is not None:
            yield exchanged.get(access.value or "", access.value or ""), found.name


class _Segment:
    """One segment, executed with symbols."""

    def __init__(
        self,
        walk: Walk,
        row: Row,
        width: int,
        owners: dict[int, int],
        starts: set[int],
    ) -> None:
        self.walk, self.row, self.width, self.owners = walk, row, width, owners
        self.starts = starts
        """Where segments begin."""
        self.registers: dict[str, Value] = {}
        self.slots: dict[int, Value] = {}
        self.put_by: dict[int, str] = {}
        """By which instructions."""
        self.items: dict[int, Item] = {}
        self.wanted: list[tuple[int, Item, Value]] = []
        """Accesses with the values that their slots have to hold at the end."""
        for item in row.items:
            self.items[walk.new.labels.get(item.label, -1)] = item
        self.pointer = ""

    def check(self) -> None:
        at, left = self.walk.new.labels[self.row.label], set(self.items)
        if -1 in left:
            self.walk.problems.append(f"an access of the segment {self.row.label} is lost")
            return
        after, others = 0, self.starts - {at}
        while (left or (after < 3 and at not in others)) and at < len(self.walk.new.instructions):
            found = self.walk.new.instructions[at]
            if _ROOM.fullmatch(found.facts.target):
                if found.facts.delay_slot:
                    self._step(at + 1)
                at = self.walk.new.labels[found.facts.target]
                continue
            self._step(at)
            after = 0 if left else after + 1
            left.discard(at)
            at += 1
        for place, item, value in self.wanted:
            self._check_value(place, item, value)

    def value(self, register: str | None) -> Value:
        """Return what a register holds."""
        if register in (None, "", "g0"):
            return (), 0
        return self.registers.get(str(register), ((str(register),), 0))

    def _complain(self, place: int, text: str) -> None:
        index = self.owners.get(place)
        if index is None:
            self.walk.problems.append(f"segment {self.row.label}: {text}")
        else:
            self.walk.complain(index, text)

    def _step(self, at: int) -> None:
        found = self.walk.new.instructions[at]
        facts, access = found.facts, found.facts.access
        item = self.items.get(at)
        if item is not None and access is not None and at in self.owners:
            self._check_address(at, item, access)
            if access.store and item.flags & _KNOWN:
                self.wanted.append((at, item, self._as_stored(at, access)))
        elif item is not None:
            self.wanted.append((at, item, self.value(access.value if access else "")))
        if access is not None and access.store and at not in self.owners:
            self._store(found, access)
        computed = self._computed(found)
        is_glue = at not in self.owners and facts.target.startswith("inst.")  # keeps the link
        for register in self.walk.known.names(0 if is_glue else facts.defs):
            self.registers[register] = ((f"{register} of {at}",), 0)
        if computed is not None:
            self.registers[computed[0]] = computed[1]
        is_load = access is not None and access.load and at in self.owners
        if item is not None and access is not None and is_load and item.flags & _KNOWN:
            self.wanted.append((at, item, self._as_stored(at, access)))

    def _as_stored(self, at: int, access: Access) -> Value:
        """Return what a slot has to hold for the value of an access."""
        name, value = self.walk.new.instructions[at].name, self.value(access.value)
        if name not in _PUT_BY:
            return value
        symbols, number = value
        return tuple(f"{one}{_EXCHANGED * bool(access.align)}" for one in symbols), number

    def _store(self, found: Instruction, access: Access) -> None:
        """Take a slot, or the name: the pointer is where that is stored."""
        if "inst.segments" in found.operands:
            return
        if access.index is not None:
            at, here = self.value(access.index), self.value(self.pointer)
            if found.name in INDEXED and access.base is None and at[0] == here[0]:
                self.slots[here[1] - at[1]] = self.value(access.value)
                self.put_by[here[1] - at[1]] = found.name
            return
        offset = int(access.offset) if re.fullmatch(r"-?\d+", access.offset) else 0
        if access.update or (not access.offset and access.base != self.walk.known.stack):
            self.pointer = access.base or ""
            return
        if access.base == self.pointer and offset < 0:
            self.slots[-offset] = self.value(access.value)
            self.put_by[-offset] = found.name

    def _check_address(self, at: int, item: Item, access: Access) -> None:
        if not self.walk.addresses:
            return
        given: list[Value] = [
            self.slots.get(slot * self.width, (("nothing",), 0)) if slot else ((), 0)
            for slot in (item.base, item.index)
        ]
        symbols, number = _sum(*given)
        if item.flags & _WHOLE_ADDRESS:
            base, more = self.value(access.base)
            wanted = tuple(sorted((*base, access.offset))), more
        else:
            wanted = _sum(self.value(access.base), self.value(access.index))
        found = symbols, number + item.addend
        if found[0] != wanted[0] or (found[1] - wanted[1]) % (1 << 8 * self.width):
            self._complain(at, f"recorded at {found}, and lies at {wanted}")

    def _check_value(self, place: int, item: Item, value: Value) -> None:
        if item.flags & _CONSTANT:
            found: Value = (), item.value_addend
        else:
            found = _sum(
                self.slots.get(item.value * self.width, (("nothing",), 0)), ((), item.value_addend)
            )
        if found[0] != value[0] or (found[1] - value[1]) % (1 << 8 * self.width):
            self._complain(place, f"recorded as {found}, and its value is {value}")
        allowed = _PUT_BY.get(self.walk.new.instructions[place].name, "").split()
        by = self.put_by.get(item.value * self.width, "")
        if allowed and by not in allowed:
            self._complain(place, f"its value is recorded by {by or 'nothing'}")

    def _computed(self, found: Instruction) -> tuple[str, Value] | None:
        """Return what an instruction leaves in a register, where that is a sum."""
        facts, access = found.facts, found.facts.access
        if access is not None:
            number = re.fullmatch(r"-?\d+", access.offset or "0")
            if access.update and access.base and access.index is None and number:
                return access.base, _sum(self.value(access.base), ((), int(number[0])))
            return None
        names = self.walk.known.names(facts.defs)
        if len(names) != 1 or facts.uses & self.walk.known.registers.special:
            return None
        computed = self.walk.known.computed(found)
        if computed is None or computed[1][0] in ("sethi", "or", "sra"):
            return self._other(found, names[0])
        register, terms = computed
        return register, _sum(*(self._operand(term) for term in terms))

    def _operand(self, text: str) -> Value:
        number = _number(text)
        if number is not None:
            return (), number
        if text in self.walk.known.registers.bit:
            return self.value("" if text == "r0" else text)
        return (text,), 0

    def _other(self, found: Instruction, register: str) -> tuple[str, Value] | None:
        """Return the same of further forms of sums and numbers, and of exchanged halves."""
        if found.name == "xxswapd":
            symbols, number = self.value(vsx_register(split_operands(found.operands)[1]))
            return register, (tuple(f"{one}{_EXCHANGED}" for one in symbols), number)
        syntax = "powerpc" if self.walk.known.may_store else "sparc"
        operands = [canonical(one, syntax) for one in split_operands(found.operands)]
        if self.walk.known.may_store:
            number = _number(operands[-1]) if found.name == "lis" else None
            return None if number is None else (register, ((), number << 16))
        values = [self._operand(one) for one in operands[:-1]]
        if found.name == "sethi" and (high := _HIGH.fullmatch(operands[0])):
            return register, ((), int(high[1], 0) & 0xFFFFFC00)
        if found.name == "clr" and not values:
            return register, ((), 0)
        if found.name in ("inc", "dec"):
            values = [self.value(register), *(values or [((), 1)])]
        if found.name in ("sub", "dec") and len(values) == 2 and not values[1][0]:
            return register, _sum(values[0], ((), -values[1][1]))
        is_sum = found.name == "inc" or (found.name == "or" and ((), 0) in values)
        return (register, _sum(*values)) if is_sum and len(values) == 2 else None


def _number(text: str) -> int | None:
    return int(text, 0) if _NUMBER.fullmatch(text) else None


def _sum(*values: Value) -> Value:
    symbols = tuple(sorted(symbol for some, _ in values for symbol in some))
    return symbols, sum(number for _, number in values)
