"""A writer of rstzip version 2, for the tests of its reader: from the format alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from struct import pack

INSTR, REGVAL, PAVADIFF = 3, 9, 19
WORD, PC, EA = slice(4, 8), slice(8, 16), slice(16, 24)
CPU_BITS = {3: 2, 5: 4, 7: 2, 8: 2, 9: 1, 17: 8, 19: 1}
"""Type -> byte with the low bits of its cpu (all below 16 here)."""


def cpu_of(record: bytes) -> int:
    """Return the cpu of a record, and 0 for those that rstzip finds none in."""
    code = record[0]
    if code == 11:
        return int.from_bytes(record[6:8], "big")
    if code not in CPU_BITS:
        return 0
    octet = record[CPU_BITS[code]]
    return octet >> 2 & 63 if code in (3, 7, 8) else octet & 63 if code == 5 else octet & 127


def is_relative(word: int) -> bool:
    """Return whether a word is a branch by a displacement, or a call."""
    op2 = word >> 22 & 7
    if word >> 30 == 1:
        return True
    bpr = op2 == 3 and not word >> 28 & 1 and word >> 25 & 3 != 0
    return word >> 30 == 0 and (op2 in (1, 2, 5, 6) or bpr)


class Packer:
    """Writes the chunks of one cpu."""

    def __init__(self) -> None:
        self.kept: dict[int, list[list]] = {}  # by set: [age, pc, words, addresses]
        self.pairs: list[list] = [[0, b""] for _ in range(8)]
        self.values: dict[int, int] = {}
        self.sum = self.count = self.repeated = 0

    def chunks(self, records: list[bytes]) -> bytes:
        """Return the records as chunks, and the byte that ends them."""
        out, place = b"", 0
        while place < len(records):
            if records[place][0] != INSTR:
                out += self.other(records[place], None)
                place += 1
                continue
            chunk = self.whole(records, place)
            out += self.chunk(chunk)
            place += len(chunk)
        return out + b"\xa1"

    def whole(self, records: list[bytes], start: int) -> list[bytes]:
        """Return the instructions that follow each other, and what is between them."""
        end = at = start
        pc = int.from_bytes(records[start][PC], "big")
        while at < len(records) and at - start < 200:
            if records[at][0] == INSTR:
                if int.from_bytes(records[at][PC], "big") != pc:
                    break
                end, pc = at + 1, pc + 4
            at += 1
        return records[start:end]

    def chunk(self, records: list[bytes]) -> bytes:
        instrs = [r for r in records if r[0] == INSTR]
        flags = [r[1] & 0x6E for r in instrs]
        groups, counts, number = [[] for _ in instrs], [], -1
        for record in records:
            if record[0] == INSTR:
                number += 1
            else:
                groups[number].append(record)
        for place, group in enumerate(groups):
            if group:
                flags[place] |= 1
                counts.append(len(group))
        words = [int.from_bytes(r[WORD], "big") for r in instrs]
        addresses = [int.from_bytes(r[EA], "big") for r, w in zip(instrs, words, strict=True)
                     if r[1] & 0x40 and not is_relative(w)]  # fmt: skip
        pc = int.from_bytes(instrs[0][PC], "big")
        ways = self.kept.setdefault((pc >> 2) * 47 % 3391, [[0, 0, [], []] for _ in range(4)])
        found = next((w for w in ways if w[1] == pc and len(w[2]) >= len(words)), None)
        if found is not None and found[2][: len(words)] != words:
            found = None
        if found is not None and len(found[3]) < len(addresses):
            found = None
        kind = 0xA3 if found else 0xA2
        self.repeated += found is not None
        out = pack(">BHQ", kind, len(words), pc)
        if found:
            out += bytes(flags) + b"".join(
                distance(a - b) for a, b in zip(addresses, found[3], strict=False)
            )
            renew(ways, found, found[0])
            found[3][: len(addresses)] = addresses
        else:
            out += pack(f">{len(words)}I", *words) + bytes(flags)
            out += pack(f">{len(addresses)}Q", *addresses)
            oldest = next(way for way in ways if way[0] == 0)
            oldest[:] = [4, pc, words, list(addresses)]
            renew(ways, oldest, 0)
        out += bytes(counts)
        types = 0
        for word, group in zip(words, groups, strict=True):
            for record in group:
                out += self.other(record, word >> 25 & 31)
                types += record[0]
        total = kind + len(words) + pc + sum(addresses) + sum(counts) + types
        total += sum(w + f & 0xFFFFFFFF for w, f in zip(words, flags, strict=True))
        self.sum, self.count = self.sum + total & (1 << 64) - 1, self.count + 1
        if self.count % 16 == 0:
            out, self.sum = out + pack(">Q", self.sum), 0
        return out

    def other(self, record: bytes, register: int | None) -> bytes:
        if record[0] == PAVADIFF:
            for place, pair in enumerate(self.pairs):
                if pair[1] == record:
                    renew(self.pairs, pair, pair[0])
                    return bytes([164 + place])
            oldest = next(pair for pair in self.pairs if pair[0] == 0)
            oldest[:] = [8, record]
            renew(self.pairs, oldest, 0)
        if record[0] == REGVAL and record[2] == 1 and record[3] in (1, 5, 6):
            return self.registers(record, register)
        return record

    def registers(self, record: bytes, register: int | None) -> bytes:
        first = self.register(record[4], record[8:16], register)
        if record[3] == 1:
            return b"\xbd" + first + self.register(record[5], record[16:24], register)
        return first + (bytes([172, record[5]]) if record[3] == 6 else b"")

    def register(self, number: int, octets: bytes, register: int | None) -> bytes:
        value = int.from_bytes(octets, "big")
        out = b"" if number == register else bytes([173, number])
        if self.values.get(value % 65535) == value:
            return out + b"\xb2" + pack(">H", value % 65535)
        if value < 9:
            return out + bytes([180 + value])
        if value == (1 << 64) - 1:
            return out + b"\xb3"
        size = next(size for size in (1, 2, 4, 8) if value < 1 << 8 * size)
        kind = {1: 174, 2: 175, 4: 176, 8: 177}[size]
        if size > 2:
            self.values[value % 65535] = value
        return out + bytes([kind]) + value.to_bytes(size, "big")


def renew(ways: list[list], chosen: list, before: int) -> None:
    for way in ways:
        way[0] -= way[0] > before
    chosen[0] = len(ways) - 1


def distance(value: int) -> bytes:
    reserved = {-125: 1, -123: 2, 123: 4, 125: 8}
    value = (value + (1 << 63)) % (1 << 64) - (1 << 63)
    if -128 <= value < 128 and value not in reserved:
        return value.to_bytes(1, "big", signed=True)
    for mark, size in reserved.items():
        if -(1 << 8 * size - 1) <= value < 1 << 8 * size - 1:
            return mark.to_bytes(1, "big", signed=True) + value.to_bytes(size, "big", signed=True)
    raise AssertionError(value)


def file_of(blocks: list[list[bytes]], *, single: bool, packers: dict[int, Packer]) -> bytes:
    """Return a file of blocks of records; `packers` become those of each cpu."""
    count = 1 if single else 0
    text = f"RZ2 -- Rstzip2 compressed RST file.\nRstzip2 version: 2.01.\nNumcpus={count}.\n"
    out = text.encode().ljust(512, b"\0")
    for block in [*blocks, []]:
        if single:
            data = packers.setdefault(0, Packer()).chunks(block)
        else:
            runs = list(_runs(block)) or [b"\xff\0"]
            out += pack(">I", len(b"".join(runs))) + b"".join(runs)
            cpus = sorted({cpu_of(record) for record in block})
            data = b"".join(
                packers.setdefault(cpu, Packer()).chunks([r for r in block if cpu_of(r) == cpu])
                for cpu in cpus
            )
        out += pack(">I", len(data)) + data
    return out + bytes(184)


def _runs(block: list[bytes]) -> Iterator[bytes]:
    for cpu, group in groupby(map(cpu_of, block)):
        count = len(list(group))
        if count < 256:
            yield bytes([cpu, count])
        else:
            yield bytes([cpu, 0]) + pack(">H", count)
