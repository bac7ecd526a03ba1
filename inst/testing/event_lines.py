"""A trace as lines that are the same on every run: no load addresses, no stack addresses.

    write pool+0x8 8 0x4000000443 table.c:46
    read m1+4 4 pointer suite.c:12
    tlbi ipas2e1is 0x80000 table.c:91

Addresses in the program's variables are the variable and an offset; other memory is numbered,
8 bytes at a time, in the order of first use. A value that points into either is `pointer`.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator
from pathlib import Path

from inst.program.program import Locator, Program
from inst.trace.model import Event, Flag, Kind, Trace

LEFT_OUT = frozenset(
    {
        *(Kind.PRODUCER, Kind.IMAGE, Kind.GAP, Kind.OTHER, Kind.ORDER, Kind.FRAME),
        *(Kind.ENTER, Kind.LEAVE),
    }
)
_LOWEST_POINTER = 1 << 16
_PAGE = 12


class _Addresses:
    """Names for the addresses of a trace."""

    def __init__(self, program: Program, bias: int) -> None:
        self._bias = bias
        self._start, self._end = program.start + bias, program.end + bias
        self._variables = program.variables()
        self._numbers: dict[int, int] = {}
        self.pages: set[int] = set()

    def name(self, address: int) -> str:
        at = bisect.bisect_right(self._variables, (address - self._bias, 1 << 64, "")) - 1
        if at >= 0:
            start, size, name = self._variables[at]
            offset = address - self._bias - start
            if offset < size:
                return f"{name}+{offset:#x}" if offset else name
        number = self._numbers.setdefault(address >> 3, len(self._numbers) + 1)
        return f"m{number}+{address & 7}" if address & 7 else f"m{number}"

    def points(self, value: int) -> bool:
        return value >= _LOWEST_POINTER and (
            self._start <= value < self._end or value >> _PAGE in self.pages
        )


def event_lines(trace: Trace, program: Path) -> Iterator[str]:
    """Yield a line for each event; the trace should be a short one."""
    events = [event for event in trace.objects() if event.kind not in LEFT_OUT]
    elf = Program(program)
    image = next((i for i in trace.facts.images), None)
    bias = image.base - elf.start if image is not None and elf.relocatable else 0
    addresses = _Addresses(elf, bias)
    addresses.pages = {e.address >> _PAGE for e in events if e.address is not None}
    locator = Locator([str(program)], trace)
    several = len({event.thread for event in events}) > 1
    numbers: dict[int, int] = {}
    for event in events:
        number = numbers.setdefault(event.thread, len(numbers) + 1)
        parts = [f"thread {number}:"] if several else []
        yield " ".join([*parts, *_words(event, addresses), _where(event, locator)]).rstrip()


def _words(event: Event, addresses: _Addresses) -> Iterator[str]:
    yield event.kind.name.lower()
    if event.detail not in ("", "plain"):
        yield event.detail
    if event.address is not None:
        yield addresses.name(event.address)
    if event.size:
        yield str(event.size)
    if event.value is not None:
        yield "pointer" if addresses.points(event.value) else f"{event.value:#x}"
    if event.flags & Flag.ATOMIC:
        yield "atomic"


def _where(event: Event, locator: Locator) -> str:
    """Return file and line without directories, which differ from one place to another."""
    site = event.site
    if event.pc is not None:
        place = locator(event.pc)
        site = f"{place.file}:{place.line}" if place and place.line else ""
    return site.rpartition("/")[2]
