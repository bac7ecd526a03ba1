"""How fast the checks are, and that their cost grows linearly: `python -m tests.bench.checks`.

Break-before-make runs on a trace of an ordinary program where one record in ten belongs to
its page tables: entries read, broken, invalidated and made under a lock, the rest reads and
writes of plain memory; and on a dense trace, of such changes only. The records go through the
whole check, from bytes to verdict.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from inst.check import Options, check_trace  # noqa: E402
from inst.trace import open_trace  # noqa: E402
from tests.bench.linear import GOAL, show  # noqa: E402

NAMES = ("break-before-make",)
TOGETHER, SPREAD, DENSE = "together", "spread", "dense"
"""How a change's ten records come: together, one in ten, or with no others between changes."""
LONG = 10_000_000
SIZES = (100_000, 1_000_000, LONG)
PLAIN = 0x8000_0000
PLAIN_PAGES = 2048
ROOT_TABLE, LEAVES, LOCK = 0x4000_0000, 0x4000_1000, 0x9000
GOALS = {TOGETHER: 3_000_000, SPREAD: 3_000_000, DENSE: 1_500_000}
"""Records a second of a long trace; what forms the changes have is learned at its beginning."""
BLOCK = 1000
"""Records of a block: a hundred of page tables, among nine hundred others."""


def prologue() -> list[str]:
    """Return the records that set a stage-2 tree of levels 2 and 3 up."""
    records = [
        f"mem-init (id %d) (tid 0) (address 0x{ROOT_TABLE:x}) (size 0x2000)",
        f"mem-init (id %d) (tid 0) (address 0x{PLAIN:x}) (size 0x{PLAIN_PAGES << 12:x})",
        f"mem-write (id %d) (tid 0) (mem-order plain) (address 0x{ROOT_TABLE:x})"
        f" (value 0x{LEAVES | 3:x})",
        f"hint (id %d) (tid 0) (kind set_root_lock) (location 0x{ROOT_TABLE:x}) (value 0x{LOCK:x})",
        "sysreg-write (id %d) (tid 0) (sysreg vtcr_el2) (value 0x22)",
        f"sysreg-write (id %d) (tid 0) (sysreg vttbr_el2) (value 0x{ROOT_TABLE:x})",
    ]
    return [f"({record})" for record in records]


def change(number: int) -> list[str]:
    """Return ten records that look at entries and replace one the right way."""
    slot = number % 512
    entry = f"(address 0x{LEAVES + 8 * slot:x})"
    old = f"0x{(number // 512 << 12) | 3:x}" if number >= 512 else "0x0"
    new = f"0x{(number // 512 + 1 << 12) | 3:x}"
    where = '(src "pgtable.c:%d")'
    steps = [
        f"lock (id %d) (tid 0) (address 0x{LOCK:x}) {where % 40}",
        f"mem-read (id %d) (tid 0) {entry} (value {old}) {where % 41}",
        f"mem-write (id %d) (tid 0) (mem-order plain) {entry} (value 0x0) {where % 42}",
        f"barrier (id %d) (tid 0) dsb (kind ish) {where % 43}",
        f"tlbi (id %d) (tid 0) ipas2e1is (value 0x{slot:x}) {where % 44}",
        f"barrier (id %d) (tid 0) dsb (kind ish) {where % 45}",
        f"tlbi (id %d) (tid 0) vmalle1is {where % 46}",
        f"barrier (id %d) (tid 0) dsb (kind ish) {where % 47}",
        f"mem-write (id %d) (tid 0) (mem-order release) {entry} (value {new}) {where % 48}",
        f"unlock (id %d) (tid 0) (address 0x{LOCK:x}) {where % 49}",
    ]
    return [f"({step})" for step in steps]


def plain(number: int) -> str:
    """Return a read or write of plain memory."""
    address = PLAIN + (number * 0x9E3779B1 & (PLAIN_PAGES << 12) - 8)
    value = number * 0x1234567 & 0xFFFFFFFF
    if number % 3:
        return (
            f"(mem-read (id %d) (tid {number & 3}) (address 0x{address:x})"
            f' (value 0x{value:x}) (src "program.c:{number % 900}"))'
        )
    return (
        f"(mem-write (id %d) (tid {number & 3}) (mem-order plain) (address 0x{address:x})"
        f' (value 0x{value:x}) (src "program.c:{number % 900}"))'
    )


def records(count: int, how: str) -> Iterator[str]:
    """Yield the records of a trace."""
    yield from prologue()
    if how == DENSE:
        steps = itertools.chain.from_iterable(map(change, itertools.count()))
        yield from itertools.islice(steps, max(count - len(prologue()), 0))
        return
    done, number = len(prologue()), 0
    while done < count:
        steps = [step for place in range(10) for step in change(number * 10 + place)]
        others = [plain(number * 900 + place) for place in range(900)]
        if how == TOGETHER:
            block = [
                each
                for place in range(10)
                for each in steps[place * 10 : place * 10 + 10]
                + others[place * 90 : place * 90 + 90]
            ]
        else:
            block = [
                each
                for place in range(100)
                for each in (steps[place], *others[place * 9 : place * 9 + 9])
            ]
        yield from block[: count - done]
        done, number = done + len(block), number + 1


def chunks(count: int, how: str) -> Iterator[bytes]:
    """Yield the trace's bytes."""
    lines = (record % number + "\n" for number, record in enumerate(records(count, how)))
    while piece := "".join(itertools.islice(lines, BLOCK)):
        yield piece.encode()


def seconds(count: int, *, how: str, check: bool) -> float:
    """Return the processor time that a file takes, once what is built once is there."""
    for size in (20_000, count):  # what is imported and built once is not the check's cost
        with tempfile.NamedTemporaryFile(suffix=".sexp") as file:
            file.writelines(chunks(size, how))
            file.flush()
            start = time.process_time()
            trace = open_trace(file.name)
            if check:
                report = check_trace(trace, NAMES, Options(chosen=frozenset(NAMES)))
                assert report.records == size and not report.counts, report.findings
            else:
                for _ in trace.batches():
                    pass
            took = time.process_time() - start
    return took


def main(arguments: list[str]) -> int:
    """Measure each size, with changes together, spread and alone; 1 where the goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.checks", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("sizes", nargs="*", type=int, metavar="RECORDS", help="records of a trace")
    sizes = parser.parse_args(arguments).sizes or list(SIZES)
    reading = partial(seconds, how=TOGETHER, check=False)
    fast = show("reading s-expressions, records", reading, sizes)
    for how in (TOGETHER, SPREAD, DENSE):
        title = f"break-before-make with reading, records; changes {how}"
        goals = [GOALS[how] if size >= LONG else 0 for size in sizes]
        fast &= show(title, partial(seconds, how=how, check=True), sizes, goals)
    checks = f"checks of {LONG:,} records {GOALS[SPREAD]:,}, or {GOALS[DENSE]:,} if they are dense"
    print(f"goal: {GOAL:,} records read a second; {checks}; and memory that does not grow")
    return int(not fast)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
