"""Files of rstzip version 2: blocks of records, in which those of each cpu are by themselves.

A file is gzip data (which may have been unpacked). In it are a header of 512 bytes, text that
begins with `RZ2` and has a line `Numcpus=N.`; blocks; and 184 bytes of statistics. With `Numcpus=1`
a block is the number of its bytes (32 bits) and the chunks of one cpu. Otherwise what comes first
is the number of bytes of a list, and the list: whose records come next and how many, a cpu in one
byte and a count in one, or after a zero byte in two, or after two more zero bytes in four. Then
come the chunks of each cpu in the list, in the order of their numbers, each ended by a byte of 161.
The last block has no records. All numbers are big-endian.

Facts: the compressor that came with the OpenSPARC T1 and T2 architecture models, version 2.01.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from inst.formats.rst.codes import CPU
from inst.formats.rst.layout import put_bits
from inst.formats.rst.record import RECORD
from inst.formats.rst.rstzip.chunks import Chunks, Reading
from inst.formats.rst.rstzip.source import Bytes, Unreadable
from inst.formats.rst.table import BY_NAME, SIZE
from inst.trace.model import Array
from inst.trace.source import CHUNK

HEADER_SIZE, FOOTER_SIZE = 512, 184
MOST_BYTES = 1 << 26
"""More bytes than any block has: the compressor reads 131,072 records at a time."""
MOST_RECORDS = 1 << 20
CPUS = 64
NUMBERED = ("instr", "tlb", "trap", "trapexit", "regval", "preg", "pavadiff")
"""Types (and CPU) whose records are of a cpu; all others are among those of cpu 0, as they are."""
_COUNT = 4


def records(source: Bytes) -> Iterator[bytes]:
    """Yield the records of a file in chunks; raises TraceError where it is damaged."""
    single = _is_single(source.take(HEADER_SIZE, "the header"))
    cpus: dict[int, Chunks] = {}
    while True:
        runs = [] if single else _runs(source)
        start = source.offset
        size = int.from_bytes(source.take(_COUNT, "the size of a block"), "big")
        if size > MOST_BYTES:
            raise source.error(f"a block of {size} bytes", offset=start)
        reading = Reading(source.take(size, "a block"))
        data, wrong = _block(reading, cpus, runs, single)
        for place in range(0, len(data), CHUNK):
            yield data[place : place + CHUNK]
        if wrong:
            raise source.error(wrong, offset=start + _COUNT + reading.place)
        if not data:
            break
    source.take(FOOTER_SIZE, "the statistics at the end")


def _is_single(header: bytes) -> bool:
    """Return whether a file has the records of one cpu, without their numbers."""
    found = re.search(rb"Numcpus=(\d+)", header)
    return found is not None and int(found[1]) == 1


def _runs(source: Bytes) -> list[tuple[int, int]]:
    """Return whose records come next, and how many, run after run."""
    start = source.offset
    size = int.from_bytes(source.take(_COUNT, "the size of a list of cpus"), "big")
    if size > MOST_BYTES:
        raise source.error(f"a list of cpus of {size} bytes", offset=start)
    data = source.take(size, "a list of cpus")
    runs, place = [], 0
    while place + 1 < size:
        cpu, count, place = data[place], data[place + 1], place + 2
        for width in (2, 4):
            if not count and place < size:
                count = int.from_bytes(data[place : place + width], "big")
                place += width
        if count and cpu >= CPUS:
            raise source.error(f"cpu {cpu}: version 2 has {CPUS}", offset=start + place)
        runs.append((cpu, count))
    if sum(count for _, count in runs) > MOST_RECORDS:
        raise source.error("a block of more records than the compressor reads", offset=start)
    return [run for run in runs if run[1]]


def _block(
    reading: Reading, cpus: dict[int, Chunks], runs: list[tuple[int, int]], single: bool
) -> tuple[bytes, str]:
    """Return a block's records in the order of the trace, and what is wrong after them."""
    parts: dict[int, bytes] = {}
    wrong = ""
    for cpu in [0] if single else sorted({cpu for cpu, _ in runs}):
        chunks = cpus.setdefault(cpu, Chunks())
        data, wrong = _chunks_of(chunks, reading)
        parts[cpu] = _numbered(data, cpu)
        if wrong:
            break
    if single:
        return parts[0], wrong
    return _in_order(parts, runs, wrong)


def _chunks_of(chunks: Chunks, reading: Reading) -> tuple[bytes, str]:
    """Return the records of one cpu in a block."""
    output = bytearray()
    try:
        while chunks.take(reading, output):
            pass
    except Unreadable as error:
        return bytes(output), str(error)
    return bytes(output), ""


def _in_order(
    parts: dict[int, bytes], runs: list[tuple[int, int]], wrong: str
) -> tuple[bytes, str]:
    places = dict.fromkeys(parts, 0)
    result: list[bytes] = []
    for cpu, count in runs:
        place = places.get(cpu, 0)
        piece = parts.get(cpu, b"")[place : place + count * SIZE]
        result.append(piece)
        places[cpu] = place + len(piece)
        if len(piece) < count * SIZE:
            wrong = wrong or f"cpu {cpu} has fewer records than the list of cpus counts"
            break
    return b"".join(result), wrong


def _numbered(data: bytes, cpu: int) -> bytes:
    """Return records with their cpu, which the chunks leave out."""
    records: Array = np.frombuffer(bytearray(data), RECORD)
    for name in NUMBERED:
        kind = BY_NAME[name]
        rows = np.flatnonzero(records["rtype"] == kind.code)
        put_bits(records, rows, kind.field("cpuid").parts, np.full(len(rows), cpu, "u8"))
    words = records["word"]
    switches = records["rtype"] == CPU
    words[switches] = words[switches] & 0xFFFF0000 | cpu
    return records.tobytes()
