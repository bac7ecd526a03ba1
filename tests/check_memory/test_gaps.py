"""Where accesses are missing on purpose, checks neither invent findings nor keep old knowledge."""

from __future__ import annotations

import pytest

from inst.check import Options, check_trace
from inst.formats.sexp.trace import SexpTrace

STRICT = Options(settings={"memory": "strict"})
PAUSE, RESUME = '1 event gap (detail "pause")', '1 event gap (detail "resume")'


def codes(check: str, records: list[str], options: Options | None = None) -> list[tuple[str, int]]:
    """Return what a check finds in records of `thread kind fields`, which are numbered."""
    parts = (one.split(" ", 2) for one in records)
    text = "".join(
        f'({kind} (id {number}) (tid {thread}) {rest} (src "a.c:{number}"))\n'
        for number, (thread, kind, rest) in enumerate(parts)
    )
    report = check_trace(SexpTrace("t", [text.encode()]), (check,), options or Options())
    assert report.error is None
    return [(finding.code, finding.record) for finding in report.findings]


def write(value: int, thread: int = 1) -> str:
    return f"{thread} mem-write (mem-order plain) (address 0x100) (value {value:#x}) (size 4)"


def read(value: int, thread: int = 1) -> str:
    return f"{thread} mem-read (address 0x100) (value {value:#x}) (size 4)"


def test_what_was_stored_during_a_gap_is_no_hole() -> None:
    assert codes("memory-sound", [write(1), read(2)], STRICT) == [("memory-hole", 1)]
    assert codes("memory-sound", [write(1), PAUSE, RESUME, read(2)], STRICT) == []
    found = codes("memory-sound", [write(1), PAUSE, RESUME, read(2), read(3)], STRICT)
    assert found == [("memory-hole", 4)]


@pytest.mark.parametrize("marks", [[PAUSE, RESUME], [PAUSE], [RESUME]])
def test_what_ordered_threads_may_be_in_a_gap(marks: list[str]) -> None:
    assert codes("races", [write(1), write(2, thread=2)]) == [("race", 1)]
    assert codes("races", [write(1), *marks, write(2, thread=2)]) == []
    last = len(marks) + 2
    assert codes("races", [write(1), *marks, write(2, thread=2), write(3)]) == [("race", last)]


def test_what_was_written_during_a_gap_is_initialised() -> None:
    given = "1 hint (kind uninitialised) (location 0x100) (value 0x4)"
    assert codes("uninitialised", [given, read(0)]) == [("uninitialised", 1)]
    assert codes("uninitialised", [given, PAUSE, RESUME, read(0)]) == []
