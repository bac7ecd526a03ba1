"""What rstzip predicts records by: the state of one processor, the same on both sides.

Reader and writer go through the records in the same order and change the state in the same way,
so that what a record has as predicted need not be stored. All of it is bounded.
"""

from __future__ import annotations

from inst.formats.rst.codes import RFS_BT, RFS_CW
from inst.formats.rst.rstzip.layout import LEVELS
from inst.formats.rst.rstzip.words import (
    ALWAYS,
    CALL,
    CONDITIONAL,
    INDIRECT_CALL,
    MEMORY,
    NEVER,
    PLAIN,
    RETURN,
    TRAP_RETURN,
    Word,
    classify,
)

MASK = (1 << 64) - 1
LOW = (1 << 32) - 1
WARMING = RFS_CW, RFS_BT
"""Records for warming a simulator, which come in sections of one kind."""
MISSED = len(LEVELS)
"""The level of a number that no level of the value cache has."""
_SETS = 1 << 17
_COUNTERS = 1 << 14
_JUMPS, _PAGES, _DATA_PAGES = 2048, 512, 2048
_STACK = 16
_REGISTERS = 1 << 16


TRANSFERS = -1
_EXPECTED = {PLAIN: 0, MEMORY: 0x40, TRAP_RETURN: 0x44}


class Known:
    """An instruction word at an address, in the instruction cache."""

    __slots__ = ("flags", "group", "target", "way", "word")

    def __init__(self, word: Word, target: int, group: list[int], way: int) -> None:
        self.word, self.target, self.group, self.way = word, target, group, way
        self.flags = _EXPECTED.get(word.kind, TRANSFERS)
        """bt and ea_valid as they are expected; TRANSFERS if that is not known from the word."""


class Instructions:
    """The instruction words last seen: two for each of 131,072 sets of addresses."""

    def __init__(self) -> None:
        self.known: dict[int, Known] = {}
        self._groups: dict[int, list[int]] = {}
        first = self._group(0)  # all tags begin as 0, which is the tag of address 0
        self.known[0] = Known(classify(0, 0), 0, first, 0)
        first[1] = 0

    def get(self, pc: int) -> Known | None:
        """Return what is known at an address, and count the use."""
        found = self.known.get(pc >> 2)
        if found is not None:
            found.group[0] = 1 - found.way
        return found

    def set(self, pc: int, word: Word, annulled: bool) -> Known:
        """Take the place of the older one of a set; an annulled branch gets no target."""
        tag = pc >> 2
        group = self._group(tag)
        old = self.known.get(tag)
        if old is not None:
            way = old.way
            group[0] = 1 - way
        else:
            way = group[0]
            self.known.pop(group[1 + way], None)
        relative = CONDITIONAL <= word.kind <= CALL and not annulled
        target = pc + word.displacement & MASK if relative else 0
        group[1 + way] = tag
        known = self.known[tag] = Known(word, target, group, way)
        return known

    def _group(self, tag: int) -> list[int]:
        """Return the way to replace next, and the tags of both."""
        return self._groups.setdefault(tag & _SETS - 1, [0, -1, -1])


class Values:
    """The numbers last seen, in seven levels of which each has more than the one before."""

    def __init__(self) -> None:
        self._levels = [(size, low, [0] * size) for size, low in LEVELS]
        self._before = [self._levels[:level] for level in range(len(LEVELS))]

    def find(self, value: int) -> tuple[int, int]:
        """Return the level that has a number and its key there, and remember it."""
        for level, (size, low, tags) in enumerate(self._levels):
            tag = value >> low
            if not tag:
                return level, size << low | value
            place = tag % size
            if tags[place] == tag:
                return level, place << low | value & (1 << low) - 1
            tags[place] = tag
        return MISSED, value

    def read(self, level: int, key: int) -> int:
        """Return the number that has a key in a level, and remember it."""
        if level == MISSED:
            self.find(key)
            return key
        size, low, tags = self._levels[level]
        place = key >> low
        value = key & (1 << low) - 1
        if place != size:
            value |= tags[place] << low
        for bound, shift, known in self._before[level]:
            tag = value >> shift
            if not tag:
                return value
            known[tag % bound] = tag
        return value


class Returns:
    """Addresses of calls, the last sixteen; the one to be popped is last."""

    def __init__(self) -> None:
        self._calls: list[int] = []

    def push(self, pc: int) -> None:
        self._calls.append(pc)
        if len(self._calls) > _STACK:
            del self._calls[0]

    def pop(self) -> int:
        return self._calls.pop() if self._calls else 0

    def clear(self) -> None:
        self._calls.clear()


class Cpu:
    """What is expected of one processor."""

    __slots__ = (
        "annulled", "before", "call_slot", "counters", "data_pages", "dcontext", "hyper",
        "icontext", "instructions", "jumps", "masked", "next", "pages", "pc", "pending",
        "privileged", "register_ids", "register_types", "returns", "values",
    )  # fmt: skip

    def __init__(self) -> None:
        self.pc = self.next = self.before = 0
        self.icontext = self.dcontext = 0
        self.masked = self.annulled = self.hyper = self.privileged = 0
        self.call_slot = False
        self.pending: tuple[int, bool, bool] | None = None
        """A PAVADIFF that waits for the next instruction: its row, and what is predicted."""
        self.instructions = Instructions()
        self.values = Values()
        self.returns = Returns()
        self.counters = bytearray(_COUNTERS)
        self.jumps = [0] * _JUMPS
        self.pages = [0] * _PAGES
        self.data_pages = [0] * _DATA_PAGES
        self.register_types = (bytearray(_REGISTERS), bytearray(_REGISTERS))
        self.register_ids = (bytearray(_REGISTERS), bytearray(_REGISTERS))

    def advance(self, pc: int, hit: bool) -> None:
        """Take the address of the next instruction, and expect the one after it."""
        if not hit:
            if pc & LOW == self.pc & LOW:  # the upper half alone was wrong: 32-bit addresses?
                self.masked = int(not pc >> 32)
            self.next = pc + 4 & MASK
        self.pc = self.next
        self.next = self.next + 4 & MASK
        self.before = pc

    def expected(self) -> Known | None:
        """Return the next instruction, and go on to it, if all of it is known from its word.

        Otherwise nothing is changed.
        """
        known = self.instructions.known.get(self.pc >> 2)
        if known is None or known.flags < 0 or self.annulled or self.call_slot or self.hyper:
            return None
        known.group[0] = 1 - known.way
        self.before = self.pc
        self.pc = self.next
        self.next = self.next + 4 & MASK
        return known

    def leave_slot(self, word: Word) -> None:
        """Take the word in a call's delay slot: the caller's own return comes next, if any."""
        if self.call_slot:
            if word.pops:
                self.returns.pop()
            self.call_slot = False

    def taken(self, pc: int, kind: int) -> int:
        """Return whether a transfer is expected to be taken."""
        if kind == CONDITIONAL:
            return self.counters[pc >> 2 & _COUNTERS - 1] >> 1
        return int(kind != NEVER)

    def transfer(self, pc: int, known: Known, taken: int) -> int:
        """Take whether a transfer was taken; return the target that is expected."""
        kind = known.word.kind
        if kind == CONDITIONAL:
            place = pc >> 2 & _COUNTERS - 1
            count = self.counters[place]
            self.counters[place] = min(count + 1, 3) if taken else max(count - 1, 0)
        if (kind == CONDITIONAL and taken) or kind in (ALWAYS, CALL):
            self._expect(known.target)
        if kind in (CALL, INDIRECT_CALL):
            self.returns.push(pc)
            self.call_slot = True
        if kind == INDIRECT_CALL:
            self._expect(self.jumps[pc >> 2 & _JUMPS - 1])
        if kind == RETURN:
            self._expect(self.returns.pop() + 8 & MASK)
        if known.word.annuls and ((kind == CONDITIONAL and not taken) or kind in (ALWAYS, NEVER)):
            self.annulled = 1
        return self.next

    def _expect(self, address: int) -> None:
        self.next = address & LOW if self.masked else address

    def correct(self, pc: int, kind: int, target: int) -> None:
        """Take the target of a transfer that is not the expected one."""
        if kind == RETURN:
            self.returns.clear()
        elif kind == INDIRECT_CALL:
            self.jumps[pc >> 2 & _JUMPS - 1] = target
        self.next = target

    def page(self, address: int) -> int:
        """Return the place of an instruction's page among the differences."""
        return address >> 13 & _PAGES - 1

    def data_page(self, address: int) -> int:
        return address >> 13 & _DATA_PAGES - 1


def register_place(cpu: Cpu) -> int:
    """Return the place of the last instruction among the registers that follow one."""
    return cpu.before >> 2 & _REGISTERS - 1


class Cpus:
    """The processors that have been seen, and the one that is expected next."""

    def __init__(self) -> None:
        self.seen: dict[int, Cpu] = {}
        self.expected = self.last = 0
        self.type_before = 0
        self.phase = 0
        """The type of the warming records that are expected; 0 for none."""
        self.phase_records = self.phase_seen = 0

    def of(self, number: int) -> Cpu:
        found = self.seen.get(number)
        if found is None:
            found = self.seen[number] = Cpu()
        return found

    def step(self, number: int) -> Cpu:
        """Return the processor of an instruction; the next one is expected to be another's."""
        self.expected = number + 1 if number + 1 in self.seen else 0
        self.last = number
        return self.of(number)

    def begin_phase(self, section_type: int, count: int) -> None:
        """Take a header of warming records."""
        if section_type in WARMING:
            self.phase, self.phase_records, self.phase_seen = section_type, count, 0
