"""How fast memory is replayed, and that the cost grows linearly: `python -m tests.bench.memory`.

memory-sound runs on a trace of accesses with values: half of them bytes, words and doubles of
a few hot pages, half of them walks over eight megabytes. From events to verdict, and with the
reading of an RST file of the same accesses.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from inst.check import Options, check_trace  # noqa: E402
from inst.check.memory_sound import MemorySound  # noqa: E402
from inst.formats.rst.record import encode, encode_string  # noqa: E402
from inst.formats.rst.trace import RstTrace  # noqa: E402
from inst.trace.model import EVENT, Array, Flag, Kind  # noqa: E402
from tests.bench.linear import GOAL, show, timed  # noqa: E402

SIZES = (100_000, 1_000_000, 10_000_000)
BATCH = 50_000
WALK, HOT = 0x2000_0000, 0x7FFF_0000
REGION = 1 << 23
"""Bytes of the region that is walked over."""
STW, LWZ = 0x90640000, 0x80640000


def accesses(count: int, walk_over: int) -> Iterator[Array]:
    """Yield batches of accesses; every value is a function of its address, so all is sound."""
    chance = np.random.default_rng(1)
    for first in range(0, count, BATCH):
        rows = np.zeros(min(BATCH, count - first), EVENT)
        number = np.arange(first, first + len(rows), dtype="u8")
        rows["record"] = rows["id"] = number
        size = chance.choice(np.array([1, 2, 4, 4, 4, 4, 8], "u8"), len(rows))
        hot = HOT + chance.integers(0, 1 << 11, len(rows)).astype("u8") * 8
        walk = WALK + number * np.uint64(4) % np.uint64(walk_over)
        rows["size"] = np.where(number % 2 == 0, size, 4)
        rows["address"] = np.where(number % 2 == 0, hot, walk)
        rows["value"] = 0
        rows["kind"] = np.where(number % 3 == 0, int(Kind.WRITE), int(Kind.READ))
        rows["word"] = np.where(number % 3 == 0, STW, LWZ)
        rows["pc"] = 0x1000_0000 + number % 4096 * 4
        rows["flags"] = int(Flag.HAS_ADDRESS | Flag.HAS_VALUE | Flag.HAS_PC | Flag.HAS_WORD)
        rows["thread"] = 1
        yield rows


def replayed(count: int, walk: int = REGION) -> float:
    """Return the processor time of so many accesses, from events to verdict."""
    trace = RstTrace("bench", [])
    trace.facts.arch = "ppc"
    check = MemorySound(trace, "strict")
    spent = 0.0
    for rows in accesses(count, walk):
        start = time.process_time()
        found = list(check.events(rows))
        spent += time.process_time() - start
        assert not found, found[0]
    return spent


def _file(count: int, walk: int = REGION) -> Iterator[bytes]:
    yield encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    yield encode_string("arch=ppc")
    instr = np.dtype([("head", ">u4"), ("word", ">u4"), ("pc", ">u8"), ("ea", ">u8")])
    for rows in accesses(count, walk):
        records = np.zeros(2 * len(rows), instr)
        records["head"][::2], records["word"][::2] = 0x03400000, rows["word"]
        records["pc"][::2], records["ea"][::2] = rows["pc"], rows["address"]
        records["head"][1::2] = 0x1A400000 | np.minimum(rows["size"], 4)
        records["pc"][1::2], records["ea"][1::2] = rows["address"], rows["value"]
        yield records.tobytes()


def checked(count: int, walk: int = REGION) -> float:
    """Return the processor time of the whole check of an RST trace of so many accesses."""
    options = Options(settings={"memory": "strict"})
    for size in (20_000, count):  # what is imported and built once is not the check's cost
        spent = [0.0]
        start = time.process_time()
        trace = RstTrace("bench", timed(_file(size, walk), spent))
        report = check_trace(trace, ("memory-sound",), options)
        seconds = time.process_time() - start - spent[0]
        assert report.records > 2 * size and not report.counts, report.findings
    return seconds


def main(arguments: list[str]) -> int:
    """Print what each size costs; 1 when the goal is missed."""
    sizes = [int(argument) for argument in arguments] or list(SIZES)
    fast = show("memory-sound, accesses, from events to verdict", replayed, sizes)
    fast &= show("memory-sound, accesses, from an RST file to verdict", checked, sizes)
    print(f"goal: {GOAL:,} a second at every size")
    return int(not fast)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
