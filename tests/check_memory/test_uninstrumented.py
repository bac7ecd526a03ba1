"""What checks say of programs in which libraries or functions are not instrumented."""

from __future__ import annotations

import pytest

from inst.check import check_trace
from inst.formats.sexp.trace import SexpTrace
from inst.trace.finding import Options

RUNTIME = '(producer (id 0) (tid 1) (name "runtime") (value "1"))\n'
PRODUCER = '(producer (id 0) (tid 1) (name "uninstrumented") (value "%s"))\n'
WRITE = "(mem-write (id %d) (tid %d) (mem-order plain) (address 0x100) (value 0x1) (size 4))\n"
READ = "(mem-read (id %d) (tid %d) (address 0x100) (value 0x2) (size 4))\n"
RANGE = "(event (id 1) (tid 1) (what read) (address 0x900) (size 8))\n"
NAMES = (
    ("libstdc++", "libstdc++ in the program is not instrumented", "libstdc++ records none"),
    (
        "left-out-functions",
        "left-out functions in the program are not instrumented",
        "left-out functions record none",
    ),
    (
        "libc left-out-functions",
        "libc and left-out functions in the program are not instrumented",
        "libc and left-out functions record none",
    ),
)


def _notes(names: str, events: str, check: str, *settings: str) -> tuple[list[str], list[str]]:
    """Return the notes, and what the findings say was expected."""
    text = (PRODUCER % names if names else "") + events
    options = Options(settings=dict(each.split("=") for each in settings))
    report = check_trace(SexpTrace("t", [text.encode()]), (check,), options)
    assert report.error is None
    return report.notes, [finding.expected for finding in report.findings]


@pytest.mark.parametrize(("names", "sentence", "expected"), NAMES)
def test_checks_name_what_is_not_instrumented(names: str, sentence: str, expected: str) -> None:
    change = RUNTIME + RANGE + WRITE % (2, 1) + READ % (3, 1)
    notes, _ = _notes(names, change, "memory-sound")
    assert any(f"{sentence}, and may have written them" in note for note in notes)
    _, wanted = _notes(names, change, "memory-sound", "memory=strict")
    assert [text.rpartition("(")[2] for text in wanted] == [f"{expected})"]
    notes, _ = _notes(names, change, "uninitialised")
    assert notes == [f"uninitialised: {sentence}, so nothing was looked for"]


def test_openmp_orders_threads_unseen() -> None:
    race = WRITE % (1, 1) + READ % (2, 2)
    notes, found = _notes("libgomp", race, "races")
    assert not found
    assert [note for note in notes if "libgomp in the program is not instrumented" in note]
    assert _notes("libgomp", WRITE % (1, 1) + READ % (2, 1), "races") == ([], [])


def test_left_out_functions_may_order_threads() -> None:
    race = WRITE % (1, 1) + READ % (2, 2)
    notes, found = _notes("left-out-functions", race, "races")
    assert len(found) == 1
    assert [note for note in notes if "they may order threads without a record" in note]
    assert _notes("left-out-functions", WRITE % (1, 1), "races") == ([], [])
    assert _notes("libstdc++", race, "races") == ([], found)
