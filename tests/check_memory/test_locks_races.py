"""`locks` and `races`: for each code the shortest trace that has it and its clean neighbours."""

from __future__ import annotations

import random

import pytest

from inst.check import check_trace
from inst.check import locks as locks_check
from inst.check import races as races_check
from inst.formats.sexp.trace import SexpTrace


def trace(text: str) -> bytes:
    """Return a trace: words of `thread op place`, numbered."""
    records = []
    for number, event in enumerate(text.split(",")):
        thread, op, *rest = event.split()
        where = f"(address 0x{rest[0]})" if rest else ""
        if op in ("r", "w", "release"):
            size = f"(size {rest[1] if len(rest) > 1 else 4})"
            order = {"r": "", "w": "(mem-order plain) ", "release": "(mem-order release) "}[op]
            kind = "mem-read" if op == "r" else "mem-write"
            body = f"{kind} (id {number}) (tid {thread}) {order}{where} (value 0x0) {size}"
        elif op in ("reads", "writes"):  # a range
            body = f"event (id {number}) (tid {thread}) (what {op[:-1]}) {where} (size {rest[1]})"
        elif op.startswith("happens"):
            body = (f"hint (id {number}) (tid {thread}) (kind {op}) (location 0x{rest[0]}) "
                    f"(value 0x{rest[1] if len(rest) > 1 else 0})")  # fmt: skip
        else:
            body = f"{op} (id {number}) (tid {thread}) {where}"
        records.append(f'({body} (src "a.c:{number}"))\n')
    return "".join(records).encode()


def codes(check: str, text: str) -> list[tuple[str, int]]:
    report = check_trace(SexpTrace("t", [trace(text)]), (check,))
    assert report.error is None
    return [(finding.code, finding.record) for finding in report.findings]


LOCKS: list[tuple[str, list[tuple[str, int]]]] = [
    ("1 lock a,1 unlock a", []),
    ("1 unlock a", [("unlock-not-held", 0)]),
    ("1 lock a,1 unlock a,1 unlock a", [("unlock-not-held", 2)]),
    ("1 lock a,2 unlock a,1 unlock a", [("unlock-not-held", 1)]),
    ("1 lock a,2 lock a,1 unlock a,2 unlock a", []),  # threads in any order
    ("1 lock a,1 lock a,1 unlock a,1 unlock a", [("lock-again", 1)]),
    ("1 lock a,1 trylock a,1 unlock a,1 unlock a", []),
    ("1 lock a", []),  # of a kernel, perhaps: it goes on
    ("1 lock a,1 lock b,1 unlock b,1 unlock a,2 lock a,2 lock b,2 unlock a,2 unlock b", []),
    ("1 lock a,1 lock b,1 unlock b,1 unlock a,2 lock b,2 lock a,2 unlock a,2 unlock b",
     [("lock-order", 5)]),
    ("1 lock a,1 lock b,1 unlock b,1 unlock a,2 lock b,2 trylock a,2 unlock a,2 unlock b", []),
    ("1 lock a,1 lock b,1 unlock b,1 unlock a,1 lock b,1 lock c,1 unlock c,1 unlock b,"
     "1 lock c,1 lock a,1 unlock a,1 unlock c", [("lock-order", 9)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), LOCKS)
def test_locks(text: str, expected: list[tuple[str, int]]) -> None:
    assert codes("locks", text) == expected
    assert {code for code, _ in expected} <= set(locks_check.CODES)


KEPT: list[tuple[str, list[tuple[str, int]]]] = [
    ("1 lock a", [("lock-kept", 1)]),
    ("1 lock a,1 unlock a", []),
    ("1 lock a,2 trylock b,1 unlock a", [("lock-kept", 2)]),
]


@pytest.mark.parametrize(("text", "expected"), KEPT)
def test_a_program_gives_its_locks_back(text: str, expected: list[tuple[str, int]]) -> None:
    """Only of a program that this project's runtime watched the trace's end is the program's."""
    producer = b'(producer (id 0) (tid 1) (name "inst") (value "1"))\n'
    report = check_trace(SexpTrace("t", [producer + trace(text)]), ("locks",))
    assert [(finding.code, finding.record) for finding in report.findings] == expected


def test_an_inversion_names_both_places() -> None:
    text = "1 lock a,1 lock b,1 unlock b,1 unlock a,2 lock b,2 lock a,2 unlock a,2 unlock b"
    finding = check_trace(SexpTrace("t", [trace(text)]), ("locks",)).findings[0]
    assert finding.site == "a.c:5"
    assert [other.site for other in finding.others] == ["a.c:4", "a.c:0", "a.c:1"]


RACES: list[tuple[str, list[tuple[str, int]]]] = [
    ("1 w 100,1 r 100", []),
    ("1 r 100,2 r 100", []),
    ("1 w 100,2 r 100", [("race", 1)]),
    ("1 r 100,2 w 100", [("race", 1)]),
    ("1 w 100,2 w 100", [("race", 1)]),
    ("1 w 100,2 w 104", []),
    ("1 w 100 1,2 w 101 1", []),
    ("1 w 100 4,2 w 103 1", [("race", 1)]),
    ("1 w 106 4,2 w 108 1", [("race", 1)]),  # across cells
    ("1 w 106 4,2 w 10a 1", []),
    ("1 w 100 16,2 w 10f 1", [("race", 1)]),
    ("1 lock a,1 w 100,1 unlock a,2 lock a,2 w 100,2 unlock a", []),
    ("1 lock a,1 w 100,1 unlock a,2 lock b,2 w 100,2 unlock b", [("race", 4)]),
    ("1 lock a,1 unlock a,1 w 100,2 lock a,2 w 100,2 unlock a", [("race", 4)]),
    ("1 w 100,1 happens_before 7,2 happens_after 7,2 w 100", []),
    ("1 w 100,1 happens_before 7,2 happens_after 8,2 w 100", [("race", 3)]),
    ("1 w 100,2 happens_after 7,1 happens_before 7,2 w 100", [("race", 3)]),
    ("1 w 100,1 happens_before 7,2 happens_after 7,2 happens_before 8,"
     "3 happens_after 8,3 r 100",
     []),
    ("1 w 100,1 release 200,2 r 200,2 r 100", []),
    ("1 w 100,1 w 200,2 r 200,2 r 100", [("race", 2), ("race", 3)]),
    ("1 release 200,1 w 100,2 r 200,2 r 100", [("race", 3)]),
    ("1 w 100,1 happens_before 7,2 happens_after 7,2 r 100,1 w 100", [("race", 4)]),
    # Memory that an allocator gave: what was done there before is over.
    ("1 w 104,1 happens_before 7,2 happens_after 100 8,2 w 104", []),
    ("1 w 104,2 happens_after 100 8,2 w 104", [("race", 2)]),
    ("1 w 104,1 happens_before 7,2 happens_after 100 8,1 w 104,2 w 104", [("race", 4)]),
    ("1 w 104,1 happens_before 7,2 happens_after 100 4,2 w 104", [("race", 3)]),
    ("1 writes 100 64,1 happens_before 7,2 happens_after 110 20,2 writes 110 32", []),
    ("1 writes 100 64,1 happens_before 7,2 happens_after 110 20,2 writes 100 17", [("race", 3)]),
    ("1 writes 100 64,1 happens_before 7,2 happens_after 110 20,2 writes 12f 17", [("race", 3)]),
    ("1 writes 100 9000,1 happens_before 7,2 happens_after 180 1fff,2 writes 180 8000", []),
    ("1 writes 100 9000,2 w 2000", [("race", 1)]),
    ("1 w 2000,2 reads 100 9000", [("race", 1)]),
    ("1 r 2000,2 reads 100 9000", []),
    # A block that is given back: nobody may come there, unless he is given it.
    ("1 happens_after 100 8,1 w 100,1 happens_before 100,1 w 104", [("use-after-free", 3)]),
    ("1 happens_after 100 8,1 happens_before 100,1 happens_after 100 8,1 w 104", []),
    ("1 happens_after 100 8,1 happens_before 100,1 w 108", []),
    ("1 happens_after 100 8,1 happens_before 100,2 r 104", [("race", 2)]),
    ("1 happens_after 100 8000,1 happens_before 100,1 r 4000", [("use-after-free", 2)]),
    # The read of thread 2 is not forgotten when thread 1 reads after it.
    ("2 r 100,1 r 100,1 w 104,1 w 100", [("race", 3)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), RACES)
def test_races(text: str, expected: list[tuple[str, int]]) -> None:
    assert codes("races", text) == expected
    assert {code for code, _ in expected} <= set(races_check.CODES)


@pytest.mark.parametrize("seed", range(40))
def test_a_second_implementation_finds_the_same_races_of_ranges(seed: int) -> None:
    """Byte for byte: instructions' accesses and ranges, of several pages too."""
    chance = random.Random(seed)
    events, knows, left = [], dict.fromkeys((1, 2, 3), frozenset[int]()), frozenset[int]()
    racing = set()
    for number in range(30):
        thread = chance.choice((1, 2, 3))
        op = chance.choice(("r", "w", "reads", "writes", "happens_before", "happens_after"))
        if op == "happens_before":
            left |= knows[thread]
            events.append((thread, op, 0x50, 0))
        elif op == "happens_after":
            knows[thread] |= left
            events.append((thread, op, 0x50, 0))
        else:
            size = chance.choice((1, 4, 8)) if op in "rw" else chance.choice((17, 24, 40, 9000))
            address = chance.choice((0xFF8, 0x1000, 0x1003, 0x1010, 0x1FF9, 0x2004))
            events.append((thread, op, address, size))
            for earlier, (other, before, start, length) in enumerate(events[:-1]):
                touch = length and start < address + size and address < start + length
                conflict = touch and other != thread and "w" in before[0] + op[0]
                if conflict and earlier not in knows[thread]:
                    racing.add(number)
        knows[thread] |= {number}
    text = ",".join(f"{thread} {op} {at:x} {size}" for thread, op, at, size in events)
    found = {record for _, record in codes("races", text)}
    assert found <= racing and bool(found) == bool(racing)


def test_a_race_names_both_places() -> None:
    finding = check_trace(SexpTrace("t", [trace("1 w 100,2 r 100")]), ("races",)).findings[0]
    assert (finding.site, finding.others[0].site) == ("a.c:1", "a.c:0")
    assert "thread 2 reads 0x100, which thread 1 writes" in finding.message


@pytest.mark.parametrize("seed", range(30))
def test_a_second_implementation_finds_the_same_races(seed: int) -> None:
    """Happens-before straight from its definition: paths in a graph of all events."""
    chance = random.Random(seed)
    events = []
    for _ in range(40):
        thread = chance.randrange(1, 4)
        op = chance.choice(["r", "w", "r", "w", "lock", "unlock"])
        place = chance.choice(["100", "108", "110"]) if op in ("r", "w") else chance.choice("ab")
        events.append((thread, op, place))
    after: list[set[int]] = []
    for number, (thread, op, place) in enumerate(events):
        known: set[int] = set()
        for earlier, (other, before, there) in enumerate(events[:number]):
            handed = (before, op) == ("unlock", "lock") and there == place
            if other == thread or handed:
                known |= after[earlier] | {earlier}
        after.append(known)
    racing = set()
    for number, (thread, op, place) in enumerate(events):
        for earlier, (other, before, there) in enumerate(events[:number]):
            pair = {before, op}
            conflict = other != thread and place == there and pair in ({"w"}, {"r", "w"})
            if conflict and earlier not in after[number]:
                racing.add(number)
    text = ",".join(f"{thread} {op} {place}" for thread, op, place in events)
    found = {record for _, record in codes("races", text)}
    assert found <= racing and bool(found) == bool(racing)


@pytest.mark.parametrize("name", [b"runtime", b"inst"])
def test_order_that_is_not_known_is_said(name: bytes) -> None:
    """Chunks of this project's runtime say nothing of the order between threads."""
    start = b'(producer (id 0) (tid 1) (name "%s") (value "1.0"))\n' % name
    data = trace("1 w 100,2 r 100,1 w 100,2 w 100").replace(b"(id ", b"(id 1")
    report = check_trace(SexpTrace("t", [start, data]), ("races",))
    assert report.findings == []
    assert any("not looked for" in note for note in report.notes)


def test_every_code_is_tested() -> None:
    def raised(*tables: list[tuple[str, list[tuple[str, int]]]]) -> set[str]:
        return {code for table in tables for _, expected in table for code, _ in expected}

    assert raised(LOCKS, KEPT) == set(locks_check.CODES)
    assert raised(RACES) == set(races_check.CODES)
