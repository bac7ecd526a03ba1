"""Rings that a program has written as lines of text, among others: INST_DUMP and INST_DRAIN.

A line is `inst-ring`, the processor, the bytes of a head or of a record in hexadecimal, and the sum
of all of these modulo 256 (`hooks/ring/dump.c`). Records come by their numbers, so that lines of
several dumps of one run add up; the last head counts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from inst.errors import InstError
from inst.formats.ring.layout import ABSENT, HEAD, MOST_RECORDS, SLOT, Head, read_head

_LINE = re.compile(rb"inst-ring ([0-9a-f]{2}) ([0-9a-f]+) ([0-9a-f]{2})\r?$", re.MULTILINE)
_BEGIN = b"inst-ring "
_SIZES = (HEAD.itemsize, SLOT.itemsize)


@dataclass(slots=True)
class _Processor:
    """What the lines of a processor say."""

    head: bytes = b""
    records: list[bytes] = field(default_factory=list)


def has_lines(data: bytes) -> bool:
    """Return whether a file has lines of a ring."""
    return _LINE.search(data) is not None


def rings_of_lines(data: bytes, name: str) -> tuple[bytes, int]:
    """Return rings as they lie in memory, large enough for all, and how many lines are damaged.

    Raises InstError where a processor's head is missing, or the records are too many.
    """
    processors: dict[int, _Processor] = {}
    good = 0
    for match in _LINE.finditer(data):
        content = bytes.fromhex(match[2].decode()) if len(match[2]) % 2 == 0 else b""
        cpu = int(match[1], 16)
        if len(content) not in _SIZES or (cpu + sum(content)) & 0xFF != int(match[3], 16):
            continue
        good += 1
        found = processors.setdefault(cpu, _Processor())
        if len(content) == HEAD.itemsize:
            found.head = content
        else:
            found.records.append(content)
    bad = data.count(_BEGIN) - good
    heads = {}
    for cpu, found in sorted(processors.items()):
        if not found.head:
            raise InstError(f"{name}: no whole line has the head of the ring of processor {cpu}")
        heads[cpu] = read_head(found.head, name)
    if 0 not in heads:
        raise InstError(
            f"{name}: no line has a ring of processor 0",
            hint="the lines that INST_DUMP or INST_DRAIN wrote begin with `inst-ring 00`",
        )
    size = max(_records_for(heads[cpu], one, name) for cpu, one in processors.items())
    rings = [
        _ring(heads[cpu], processors[cpu], size) if cpu in heads else bytes(_bytes_of(size))
        for cpu in range(heads[0].cpus)
    ]
    return b"".join(rings), bad


def _bytes_of(records: int) -> int:
    return HEAD.itemsize + records * SLOT.itemsize


def _records_for(head: Head, found: _Processor, name: str) -> int:
    """Return for how many records a ring has to have room, a power of 2."""
    if not found.records or head.high:
        return head.records
    first = min(int.from_bytes(record[:4], "big") for record in found.records)
    needed = head.records
    while needed < head.next - first:
        needed *= 2
    if needed > MOST_RECORDS:
        raise InstError(
            f"{name}: the lines have records {first} to {head.next} of a run, and one trace can "
            f"have {MOST_RECORDS} of them",
            hint="read a part of the lines, such as the last million",
        )
    return needed


def _ring(head: Head, found: _Processor, size: int) -> bytes:
    """Return a ring with the records of the lines at their places."""
    row = np.frombuffer(found.head, HEAD, 1).copy()
    row["records"] = size
    slots = np.zeros(size, SLOT)
    slots["claim"] = ABSENT
    for content in found.records:
        record = np.frombuffer(content, SLOT, 1)[0]
        if int(record["claim"]) < head.next or head.high:
            slots[int(record["claim"]) % size] = record
    return row.tobytes() + slots.tobytes()
