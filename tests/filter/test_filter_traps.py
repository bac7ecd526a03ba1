"""The filter `traps`: system calls and signals of our own records as TRAP and TRAPEXIT."""

from __future__ import annotations

from pathlib import Path

from filter_traces import END, fields, filtered, load, names, preamble

from inst.formats.rst.record import decode, encode
from inst.trace import open_trace
from inst.trace.model import Flag, Kind
from inst.trace.system_events import calls, signals

VALUE, ADDRESS, PC = int(Flag.HAS_VALUE), int(Flag.HAS_ADDRESS), int(Flag.HAS_PC)


def event(kind: Kind, flags: int, cpu: int = 0, **more: int) -> bytes:
    return encode("event", kind=kind, flags=flags, cpuid=cpu, **more)


def call(number: int, cpu: int = 0) -> bytes:
    return event(Kind.TRAP, VALUE, cpu, value=number) + encode("event_size")


def memory(kind: Kind, address: int, size: int, cpu: int = 0) -> bytes:
    return event(kind, ADDRESS, cpu, address=address) + encode("event_size", size=size)


WORDS = b"".join(
    encode("event_text", last=1, number=number, text=text[:16])
    if len(text) <= 16
    else encode("event_text", number=number, text=text[:16])
    + encode("event_text", last=1, number=number, text=text[16:])
    for number, text in ((1, "signal in load"), (2, "back from signal"), (3, "signify"))
)
SIGNAL = event(Kind.OTHER, VALUE, detail=1, value=10) + encode("event_size", site=0)
BACK = event(Kind.OTHER, VALUE, detail=2, value=10)


def traps(data: bytes) -> list[tuple[object, ...]]:
    names = ("is_async", "cpuid", "ttype", "syscall", "pc")
    found = [decode(data[at : at + 24]) for at in range(0, len(data), 24) if data[at] == 7]
    return [tuple(each[name] for name in names) for each in found]


def test_a_call_ends_before_what_is_not_its_memory(tmp_path: Path) -> None:
    trace = preamble() + load(0x10, 0x20, 1) + call(4) + memory(Kind.READ, 0x30, 3)
    trace += memory(Kind.WRITE, 0x40, 8) + load(0x14, 0x20, 1) + call(1) + END
    found = filtered(tmp_path, "traps", trace)
    assert names(found)[3:] == [
        "instr", "memval64", "trap", "event", "event_size", "event", "event_size", "trapexit",
        "instr", "memval64", "trap", "status",
    ]  # fmt: skip
    assert traps(found) == [(0, 0, 0x108, 4, 0), (0, 0, 0x108, 1, 0)], "exit does not return"


def test_calls_of_64_bits_have_another_type_and_a_pc_if_it_is_known(tmp_path: Path) -> None:
    known = event(Kind.TRAP, VALUE | PC, value=64) + encode("event_pc", pc=0x1234)
    found = filtered(tmp_path, "traps", preamble("sparc-v9") + known + END)
    assert traps(found) == [(0, 0, 0x140, 64, 0x1234)]
    assert traps(filtered(tmp_path, "traps", preamble("ppc64le") + call(5) + END))[0][2] == 0x140


def test_each_cpu_is_in_a_call_of_its_own(tmp_path: Path) -> None:
    trace = preamble() + call(3) + call(4, cpu=1) + call(5, cpu=2)
    trace += load(0x10, 0x20, 1, cpu=1) + load(0x10, 0x20, 1) + END
    found = filtered(tmp_path, "traps", trace)
    assert names(found)[3:-1] == ["trap"] * 3 + ["trapexit", "instr", "memval64"] * 2
    assert fields(found, "trapexit", "cpuid") == [1, 0]


def test_signals_are_asynchronous_and_end_where_the_handler_returned(tmp_path: Path) -> None:
    trace = preamble() + WORDS + SIGNAL + load(0x10, 0x20, 1) + BACK + load(0x10, 0x20, 1)
    found = filtered(tmp_path, "traps", trace + END)
    assert traps(found) == [(1, 0, 0x20A, 10, 0)]
    kinds = [name for name in names(found) if name not in ("event_text", "memval64")]
    assert kinds[3:] == ["trap", "instr", "trapexit", "instr", "status"]


def test_what_is_neither_stays_as_it_is(tmp_path: Path) -> None:
    other = event(Kind.OTHER, VALUE, detail=3, value=10) + event(Kind.HINT, VALUE, value=4)
    large = call(0x1000) + event(Kind.TRAP, VALUE | ADDRESS, address=0x33, value=1)
    trace = preamble() + WORDS + other + large + END
    assert filtered(tmp_path, "traps", trace) == trace


def test_views_and_statistics_know_the_traps(tmp_path: Path) -> None:
    trace = preamble() + WORDS + SIGNAL + call(4) + END
    (tmp_path / "t.rst").write_bytes(filtered(tmp_path, "traps", trace))
    opened = open_trace(tmp_path / "t.rst")
    (events,) = opened.events()
    assert signals(events, opened).tolist() == [True, False]
    assert calls(events).tolist() == [False, True]


def test_a_call_at_the_end_of_a_batch_goes_on_in_the_next(tmp_path: Path) -> None:
    before = preamble() + load(0x10, 0x20, 1) * 22_000
    trace = before + call(4) + load(0x10, 0x20, 1) * 30_000 + END
    found = filtered(tmp_path, "traps", trace)
    at = len(before)
    assert found[:at] == before
    assert [found[at + 24 * n] for n in range(3)] == [7, 8, 3]
    assert len(found) == len(trace), "a TRAPEXIT more, an EVENT_SIZE less"
