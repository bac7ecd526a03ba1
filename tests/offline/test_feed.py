"""What a hook is passed for each kind of event, in both byte orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from inst.errors import InstError
from inst.hooktable import BY_NAME, HOOKS
from inst.offline.driver import source, target_for
from inst.offline.feed import Feed
from inst.offline.layout import (
    BY_RUNTIME,
    CALLED,
    NOT_IN_TRACES,
    NUMBERS,
    TEXT,
    header_type,
    record_type,
)
from inst.target.targets import TARGETS
from inst.trace.model import EVENT, Array, Flag, Kind, Trace

LOAD, STORE, RESERVE, CLEAR = 0x80000000, 0x90000000, 0x7C000028, 0x7C0007EC
"""lwz, stw, lwarx, dcbz."""
PPC32, PPC64LE = TARGETS["ppc32"], TARGETS["ppc64le"]
ACCESS = Flag.HAS_PC | Flag.HAS_ADDRESS | Flag.HAS_WORD
VALUED = ACCESS | Flag.HAS_VALUE


class Given(Trace):
    """A trace of events that a test gives."""

    def __init__(self) -> None:
        super().__init__("given")
        self.facts.arch = "ppc"

    def batches(self) -> Iterator[Any]:
        yield from ()

    records = batches

    def events(self) -> Iterator[Array]:
        yield from ()


def events(*rows: dict[str, int]) -> Array:
    """Return events, each with a record of its own unless it names one."""
    made = np.zeros(len(rows), EVENT)
    for number, row in enumerate(rows):
        made[number]["record"] = 100 + number
        for name, value in row.items():
            made[number][name] = value
    return made


def fed(
    given: Array,
    hooks: Iterable[str] = BY_NAME,
    target: Any = PPC32,
    trace: Trace | None = None,
    batches: int = 1,
) -> list[tuple[Any, ...]]:
    """Return the calls that a driver would make: thread, hook and the record's members."""
    feed = Feed(trace or Given(), target, frozenset(hooks), reads_values=True)
    names = {number: name for name, number in NUMBERS.items()}
    header, layout = header_type(target), record_type(target)
    found: list[tuple[Any, ...]] = []
    for frame in feed.frames([given] * batches):
        (first,) = np.frombuffer(frame[: header.itemsize], header)
        records = np.frombuffer(frame[header.itemsize :], layout)
        assert len(records) == first["count"]
        if records[0]["hook"] == TEXT:
            text = records[1:].tobytes()[: int(records[0]["value"]) - 1]
            number = int(records[0]["word"]) or int(records[0]["site"])
            found.append(("word" if records[0]["word"] else "site", number, text.decode()))
            continue
        for one in records:
            members = (int(one[name]) for name in ("address", "pc", "value", "more"))
            found.append((int(first["thread"]), names[int(one["hook"])], *members))
    return found


def test_each_hook_is_called_or_not_and_said_why() -> None:
    text = source(0)
    assert {hook.name for hook in CALLED} | NOT_IN_TRACES.keys() | {*BY_RUNTIME} == BY_NAME.keys()
    for hook in HOOKS:
        assert (f"case {hook.id}:" in text) == (hook in CALLED)


@pytest.mark.parametrize(("size", "letter"), [(1, "b"), (2, "h"), (4, "w"), (8, "d")])
def test_accesses(size: int, letter: str) -> None:
    row = {"pc": 16, "address": 32, "size": size, "value": 48, "flags": VALUED}
    load = {**row, "kind": Kind.READ, "word": LOAD}
    store = {**row, "kind": Kind.WRITE, "word": STORE}
    members = (32, 16, 48, 0)
    assert fed(events(load, store)) == [
        (0, f"ld{letter}hook", *members),
        (0, f"st{letter}hook", *members),
    ]


@pytest.mark.parametrize("target", [PPC32, PPC64LE])
def test_halves_come_with_that_of_the_lower_address_first(target: Any) -> None:
    """One event has both (the low half is the less significant one), or two have one each."""
    whole = {"pc": 1, "address": 32, "size": 16, "value": 7, "value_high": 9, "kind": Kind.READ}
    half = {"pc": 1, "address": 32, "size": 8, "value": 5, "kind": Kind.WRITE, "record": 7}
    other = {**half, "address": 40, "value": 6}
    given = events(*({**one, "word": LOAD, "flags": VALUED} for one in (whole, half, other)))
    first, second = (9, 7) if target is PPC32 else (7, 9)
    assert fed(given, target=target) == [
        (0, "ldqhook", 32, 1, first, second),
        (0, "stqhook", 32, 1, 5, 6),
    ]


def test_an_exchange_is_two_calls() -> None:
    """Other producers have both in one record."""
    row = {"pc": 1, "address": 8, "size": 4, "word": LOAD, "flags": VALUED, "record": 7}
    given = events({**row, "kind": Kind.READ}, {**row, "kind": Kind.WRITE})
    assert [one[1] for one in fed(given)] == ["ldwhook", "stwhook"]


def test_blocks_and_reservations() -> None:
    part = {"pc": 1, "size": 8, "kind": Kind.WRITE, "word": CLEAR, "flags": VALUED, "record": 7}
    parts = [{**part, "address": 64 + 8 * n} for n in range(4)]
    reserve = {"pc": 2, "address": 8, "size": 4, "word": RESERVE}
    valued = {**reserve, "kind": Kind.READ, "value": 3, "flags": VALUED | Flag.ATOMIC}
    without = {**reserve, "kind": Kind.RESERVE, "flags": ACCESS | Flag.ATOMIC}
    found = fed(events(*parts, valued, without))
    assert found[0] == (0, "stblockhook", 64, 1, 0, 32)
    assert [(one[1], one[2], one[5]) for one in found[1:]] == [("llhook", 8, 4)] * 2
    words = [{**part, "address": 64 + 4 * n, "size": 4} for n in range(4)]
    assert fed(events(*words)) == [(0, "stblockhook", 64, 1, 0, 16)]


def test_ranges_calls_and_functions() -> None:
    given = events(
        {"kind": Kind.READ, "address": 8, "size": 5, "flags": Flag.HAS_ADDRESS},
        {"kind": Kind.WRITE, "address": 9, "size": 6, "value": 1, "pc": 3, "flags": VALUED & ~8},
        {"kind": Kind.TRAP, "value": 4, "flags": Flag.HAS_VALUE},
        {"kind": Kind.ENTER, "pc": 20, "value": 30, "address": 40},
        {"kind": Kind.LEAVE, "pc": 21, "value": 20, "address": 40},
        {"kind": Kind.SET, "address": 1, "size": 2, "value": 3},
        {"kind": Kind.TLBI, "value": 0},
        {"kind": Kind.TLBI, "value": 7, "flags": Flag.HAS_VALUE},
        {"kind": Kind.ORDER, "value": 7, "flags": Flag.HAS_VALUE},
        {"kind": Kind.GAP},
    )
    assert fed(given) == [
        (0, "ldsyshook", 8, 0, 0, 5),
        (0, "stsyshook", 9, 3, 1, 6),
        (0, "systemhook", 0, 0, 4, 0),
        (0, "enterhook", 40, 20, 30, 20),
        (0, "leavehook", 40, 21, 20, 20),
        (0, "memsethook", 1, 0, 3, 2),
        (0, "tlbihook", 0, 0, 0, 0),
        (0, "tlbihook", 0, 0, 7, 1),
    ]


def test_texts_are_sent_once_before_their_events() -> None:
    trace = Given()
    word, site = trace.words.number("dsb ish"), trace.sites.number("a" * 60 + ".c:7")
    row = {"kind": Kind.BARRIER, "detail": word, "site": site}
    found = fed(events(row, row), trace=trace, batches=2)
    assert found[:2] == [("word", word, "dsb ish"), ("site", site, "a" * 60 + ".c:7")]
    assert [one[1] for one in found[2:]] == ["barrierhook"] * 4


def test_signals_in_hooks() -> None:
    trace = Given()
    words = ("signal", "signal in ldwhook", "signal in a hook", "back from signal")
    rows = events(
        *({"kind": Kind.OTHER, "detail": trace.words.number(text), "value": 10} for text in words)
    )
    special = [one for one in fed(rows.copy(), trace=trace) if one[0] == 0]
    assert [(one[1], one[4], one[5]) for one in special] == [
        ("signalhook", 10, 0),
        ("signalhook_special", 10, NUMBERS["ldwhook"]),
        ("signalhook_special", 10, 0xFFFFFFFF),
    ]
    plain = [one for one in fed(rows, {"signalhook"}, trace=trace) if one[0] == 0]
    assert [(one[1], one[4]) for one in plain] == [("signalhook", 10)] * 3


def test_only_what_the_library_has_is_sent() -> None:
    row = {"size": 4, "word": LOAD, "flags": VALUED, "kind": Kind.READ}
    assert not fed(events(row, row), {"stwhook"})


def test_threads_are_numbered_as_they_come() -> None:
    """A thread's number comes again after 1024 of them, and the kernel's after many more."""
    row = {"size": 4, "word": LOAD, "flags": VALUED, "kind": Kind.READ}
    pairs = ((0, 50), (1, 51), (0, 50), (1, 52), (2, 51), (1, 51))
    given = events(*({**row, "cpu": cpu, "thread": thread} for cpu, thread in pairs))
    assert [one[0] for one in fed(given)] == [0, 1, 0, 2, 3, 1]


def test_values_that_are_not_there() -> None:
    row = {"size": 4, "word": LOAD, "flags": ACCESS, "kind": Kind.READ}
    with pytest.raises(InstError, match="addresses without values"):
        fed(events(row))
    feed = Feed(Given(), PPC32, frozenset(BY_NAME), reads_values=False)
    assert len([*feed.frames([events(row)])]) == 1


def test_targets_by_the_words_of_traces() -> None:
    words = {"ppc": "ppc32", "ppcspe": "ppc32", "ppc64": "ppc64", "ppc64le": "ppc64le",
             "sparc-v8": "sparc-v8", "sparc-v9": "sparc-v9"}  # fmt: skip
    assert {word: target_for(word).name for word in words} == words
    with pytest.raises(InstError, match="unknown instruction set"):
        target_for("vax")
