"""The chunks of one cpu in a file of rstzip version 2.

A chunk is some instructions that follow each other, with the records between them. It is a byte
(162, or 163 where the words of a chunk before it are repeated), the number of instructions (16
bits) and the first address (64); unless repeated their words (32 each); a byte of flags for each,
whose lowest bit states that other records follow it; the addresses of those that have one and are
no branch by a displacement or call (64 each, or, repeated, the distance from that of the chunk
before it: a signed byte, or one of four such bytes and 8, 16, 32 or 64 bits); for each that other
records follow their number (8 bits); and those records. After every sixteenth chunk comes a sum of
64 bits of all that is in those sixteen.

Another record is its 24 bytes, or a byte from 164 on: 164 to 171 are the PAVADIFF records last
seen, 172 to 189 integer registers after an instruction.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from inst.formats.rst.codes import CC, EMPTY, INSTR, INT, PAVADIFF, PREG, REGVAL
from inst.formats.rst.rstzip.predict import LOW, MASK
from inst.formats.rst.rstzip.source import Unreadable
from inst.formats.rst.rstzip.words import CALL, CONDITIONAL, classify
from inst.formats.rst.table import SIZE

END, PLAIN, REPEATED = 161, 162, 163
FIRST_PAIR, CONDITION, NUMBER, INDEX = 164, 172, 173, 178
MINUS_ONE, FIRST_SMALL, PAIR = 179, 180, 189
VALUES = {174: 1, 175: 2, 176: 4, 177: 8}
"""A register's value in so many bytes."""
SUMMED = 16
LONGER = {-125 & 0xFF: 1, -123 & 0xFF: 2, 123: 4, 125: 8}
"""Bytes that a distance takes after one of these."""
MASKED = 8
"""PSTATE.AM: addresses have 32 bits."""
_SETS, _WAYS, _PAIRS, _CACHED = 3391, 4, 8, 65535
_MOST = 1000
"""The most records before a chunk that are taken together."""


class Reading:
    """The bytes of a block, and where reading is."""

    def __init__(self, data: bytes) -> None:
        self.data, self.place = data, 0

    @property
    def next(self) -> int:
        """Return the next byte without taking it."""
        if self.place >= len(self.data):
            raise Unreadable("the block ends within a chunk")
        return self.data[self.place]

    def take(self, size: int) -> bytes:
        data = self.data[self.place : self.place + size]
        if len(data) < size:
            raise Unreadable("the block ends within a chunk")
        self.place += size
        return data

    def number(self, size: int, *, signed: bool = False) -> int:
        return int.from_bytes(self.take(size), "big", signed=signed)

    def numbers(self, count: int, size: int) -> list[int]:
        letter = {1: "B", 4: "I", 8: "Q"}[size]
        return list(struct.unpack(f">{count}{letter}", self.take(count * size)))


@dataclass(slots=True)
class _Kept:
    """The words and addresses of a chunk, by its first address."""

    age: int = 0
    pc: int = 0
    words: list[int] = field(default_factory=list)
    addresses: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Pair:
    """A PAVADIFF record that may be repeated."""

    age: int = 0
    record: bytes = bytes(SIZE)


def _renew(ways: list[_Kept] | list[_Pair], chosen: _Kept | _Pair, before: int) -> None:
    """Make one way the latest: those later than it was get older."""
    for way in ways:
        if way.age > before:
            way.age -= 1
    chosen.age = len(ways) - 1


class Chunks:
    """Makes the records of one cpu, chunk after chunk."""

    def __init__(self) -> None:
        self._kept: dict[int, list[_Kept]] = {}
        self._pairs = [_Pair() for _ in range(_PAIRS)]
        self._values: dict[int, int] = {}
        self._masked = False
        self._sum = self._count = 0

    def take(self, reading: Reading, output: bytearray) -> bool:
        """Append the records up to the end of a chunk; return whether more follow."""
        for _ in range(_MOST):
            if END <= reading.next <= REPEATED:
                break
            record = self._other(reading, None)
            self._observe(record)
            output += record
        else:
            return True
        if reading.next == END:
            reading.take(1)
            return False
        output += b"".join(self._chunk(reading))
        return True

    def _observe(self, record: bytes) -> None:
        if record[0] == PREG:
            self._masked = bool(record[7] & MASKED)

    def _chunk(self, reading: Reading) -> list[bytes]:
        kind, count, pc = reading.number(1), reading.number(2), reading.number(8)
        ways = self._kept.setdefault((pc >> 2) * 47 % _SETS, [_Kept() for _ in range(_WAYS)])
        kept = None
        if kind == PLAIN:
            words = reading.numbers(count, 4)
        else:
            kept = next((w for w in ways if w.pc == pc and len(w.words) >= count), None)
            if kept is None:
                raise Unreadable(f"the chunk at {pc:#x} repeats one that is not there")
            words = kept.words[:count]
        flags = reading.numbers(count, 1)
        with_address = [
            flag & 0x40 != 0 and not CONDITIONAL <= classify(word, 20).kind <= CALL
            for word, flag in zip(words, flags, strict=True)
        ]
        addresses = self._addresses(reading, sum(with_address), kept)
        self._keep(ways, kept, pc, words, addresses)
        followed = [flag & 1 for flag in flags]
        counts = reading.numbers(sum(followed), 1)
        others, types = self._others(reading, words, followed, counts)
        self._check(reading, kind + count + pc
                    + sum(word + flag & LOW for word, flag in zip(words, flags, strict=True))
                    + sum(addresses) + types + sum(counts))  # fmt: skip
        return self._records(pc, words, flags, with_address, addresses, others)

    def _addresses(self, reading: Reading, count: int, kept: _Kept | None) -> list[int]:
        if kept is None:
            return reading.numbers(count, 8)
        before = kept.addresses + [0] * (count - len(kept.addresses))
        return [before[place] + self._distance(reading) & MASK for place in range(count)]

    def _distance(self, reading: Reading) -> int:
        size = LONGER.get(reading.next)
        if size is None:
            return reading.number(1, signed=True)
        reading.take(1)
        return reading.number(size, signed=True)

    def _keep(
        self, ways: list[_Kept], kept: _Kept | None, pc: int, words: list[int], addresses: list[int]
    ) -> None:
        """Keep a chunk in the place of the oldest, or new addresses of one that is there."""
        if kept is None:
            new = next((way for way in ways if way.age == 0), ways[0])
            room = len(new.addresses) // 64 >= len(addresses) // 64
            rest = new.addresses[len(addresses) :] if room else []
            new.pc, new.words, new.addresses = pc, words, addresses + rest
            new.age = len(ways)
            _renew(ways, new, 0)
            return
        _renew(ways, kept, kept.age)
        kept.addresses = addresses + kept.addresses[len(addresses) :]

    def _others(
        self, reading: Reading, words: list[int], followed: list[int], counts: list[int]
    ) -> tuple[list[list[bytes]], int]:
        """Return the records after each instruction, and the sum of their types."""
        result: list[list[bytes]] = []
        numbers = iter(counts)
        types = 0
        for word, has in zip(words, followed, strict=True):
            register = word >> 25 & 31
            here = [self._other(reading, register) for _ in range(next(numbers) if has else 0)]
            types += sum(record[0] for record in here)
            result.append(here)
        return result, types

    def _check(self, reading: Reading, what: int) -> None:
        self._sum = self._sum + what & MASK
        self._count += 1
        if self._count % SUMMED == 0:
            stored = reading.number(8)
            if stored != self._sum:
                raise Unreadable(f"the sum of sixteen chunks is {self._sum:#x}, not {stored:#x}")
            self._sum = 0

    def _records(
        self, pc: int, words: list[int], flags: list[int], with_address: list[bool],
        addresses: list[int], others: list[list[bytes]],
    ) -> list[bytes]:  # fmt: skip
        result = []
        stated = iter(addresses)
        for word, flag, has, after in zip(words, flags, with_address, others, strict=True):
            ea = next(stated) if has else self._target(pc, word, flag)
            result.append(struct.pack(">BBHIQQ", INSTR, flag & 0x6E, 0, word, pc, ea))
            for record in after:
                self._observe(record)
                result.append(record)
            pc = pc + 4 & MASK
        return result

    def _target(self, pc: int, word: int, flags: int) -> int:
        """Return where a branch or call leads; 0 for any other instruction."""
        known = classify(word, 20)
        if flags & 2 or not CONDITIONAL <= known.kind <= CALL:
            return 0
        if not flags & 4:
            return pc + 8 & MASK
        return pc + known.displacement & (LOW if self._masked else MASK)

    def _other(self, reading: Reading, register: int | None) -> bytes:
        """Return one record that is no instruction; `register` is what that before it sets."""
        kind = reading.next
        if FIRST_PAIR <= kind < FIRST_PAIR + _PAIRS:
            reading.take(1)
            pair = self._pairs[kind - FIRST_PAIR]
            _renew(self._pairs, pair, pair.age)
            return pair.record
        if CONDITION < kind <= PAIR:
            return self._registers(reading, register)
        record = reading.take(SIZE)
        if kind == PAVADIFF:
            new = next((pair for pair in self._pairs if pair.age == 0), self._pairs[0])
            new.record, new.age = record, _PAIRS
            _renew(self._pairs, new, 0)
        return record

    def _registers(self, reading: Reading, register: int | None) -> bytes:
        pair = reading.next == PAIR
        if pair:
            reading.take(1)
        number, value = self._register(reading, register)
        kind, second, high = EMPTY, 0, 0
        if reading.place < len(reading.data) and reading.next == CONDITION:
            kind, second = CC, reading.take(2)[1]
        if pair:
            second, high = self._register(reading, register)
            kind = INT
        kinds = INT, kind, number, second
        return struct.pack(">BBBBBBxxQQ", REGVAL, 0x80, *kinds, value, high)

    def _register(self, reading: Reading, register: int | None) -> tuple[int, int]:
        """Return a register's number and value."""
        if reading.next == NUMBER:
            register = reading.take(2)[1]
        if register is None:
            raise Unreadable("a register without a number, and no instruction before it")
        kind = reading.number(1)
        if kind in VALUES:
            value = reading.number(VALUES[kind])
            if kind >= 176:
                self._values[value % _CACHED] = value
            return register, value
        if kind == INDEX:
            index = reading.number(2)
            if index not in self._values:
                raise Unreadable(f"register value {index} is not in the cache")
            return register, self._values[index]
        if MINUS_ONE <= kind < PAIR:
            return register, MASK if kind == MINUS_ONE else kind - FIRST_SMALL
        raise Unreadable(f"a register's value of type {kind}")
