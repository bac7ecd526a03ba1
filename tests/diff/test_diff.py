"""`inst diff`: what counts as one difference, what is ignored, statuses, output."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.cli import main
from inst.diff.align import Block, Difference, Side, differences
from inst.formats.rst.record import encode, encode_string
from inst.trace.model import Flag
from tests.sizes import examples

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
START = HEADER + encode_string("arch=sparc-v8")


def instr(word: int, pc: int, ea: int | None = None, **more: int) -> bytes:
    valid = int(ea is not None)
    return encode("instr", instr=word, pc_va=pc, ea_valid=valid, ea_va=ea or 0, **more)


def load(n: int, base: int = 0x20000, code: int = 0x10000) -> bytes:
    ea = base + 8 * n
    return instr(0xC4004000, code + 4 * n, ea) + encode(
        "memval64", addrisVA=1, size=4, addr=ea, val=n
    )


def blocks(values: list[int], size: int) -> Side:
    parts = []
    for start in range(0, len(values), size):
        some = values[start : start + size]
        index = np.arange(start, start + len(some))
        parts.append(Block(index, np.array(some, "u8").reshape(-1, 1), some))
    return Side(iter(parts))


def compare(old: list[int], new: list[int], size: int = 50, **more: int) -> list[Difference]:
    return list(differences(blocks(old, size), blocks(new, size), **more))


def counts(found: list[Difference]) -> list[tuple[int, int, int, int]]:
    return [(d.old.first, d.old.count, d.new.first, d.new.count) for d in found]


BASE = list(range(1000, 1400))


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (BASE, BASE, []),
        ([], [], []),
        (BASE, [*BASE[:100], 1, *BASE[100:]], [(100, 0, 100, 1)]),
        ([*BASE[:100], 1, *BASE[100:]], BASE, [(100, 1, 100, 0)]),
        (BASE, [*BASE[:100], 1, *BASE[101:]], [(100, 1, 100, 1)]),
        (BASE, [1, *BASE], [(0, 0, 0, 1)]),
        (BASE, [*BASE, 1, 2], [(400, 0, 400, 2)]),
        (BASE[:-3], BASE, [(397, 0, 397, 3)]),
        (BASE, [], [(0, 400, 0, 0)]),
        (BASE, [*BASE[:9], 1, 2, 3, *BASE[9:15], 4, *BASE[16:]], [(9, 0, 9, 3), (15, 1, 18, 1)]),
        ([7] * 60, [7] * 61, [(60, 0, 60, 1)]),
        (BASE, [*BASE[:50], *range(350), *BASE[50:]], [(50, 0, 50, 350)]),
        (BASE, [*BASE[:10], *BASE[320:]], [(10, 310, 10, 0)]),
    ],
)
def test_differences_are_where_they_are(
    old: list[int], new: list[int], expected: list[tuple[int, int, int, int]], size: int
) -> None:
    assert counts(compare(old, new, size)) == expected


def test_the_look_ahead_is_bounded() -> None:
    """What is inserted beyond the window cannot be seen to be an insertion."""
    new = [*BASE[:50], *range(350), *BASE[50:]]
    assert len(compare(BASE, new, window=400)) == 1
    assert sum(d.new.count for d in compare(BASE, new, window=64)) > 350


def rebuilt(old: list[int], found: list[Difference]) -> list[int]:
    result, position = [], 0
    for each in found:
        result += old[position : each.old.first]
        result += [row for _, row in each.new.shown]
        position = each.old.first + each.old.count
    return result + old[position:]


small = st.lists(st.integers(0, 3), max_size=60)


@given(small, small, st.integers(1, 20), st.sampled_from([1, 20, 1000]))
@settings(max_examples=examples(300), deadline=None)
def test_differences_make_the_new_of_the_old(
    old: list[int], new: list[int], size: int, window: int
) -> None:
    found = compare(old, new, size, window=window)
    assert rebuilt(old, found) == new
    assert bool(found) is (old != new)
    assert all(each.old.count or each.new.count for each in found)


def test_scattered_changes_in_a_loop_are_found_one_by_one() -> None:
    generator = random.Random(1)
    old = [n % 40 for n in range(20_000)]
    new, places = list(old), sorted(generator.sample(range(100, 19_900), 40), reverse=True)
    places = [p for p, q in zip(places, [99_999, *places], strict=False) if q - p > 40]
    for place in places:
        new.insert(place, 777)
    found = compare(old, new, 1000)
    assert counts(found) == [
        (place, 0, place + before, 1) for before, place in enumerate(reversed(places))
    ]


def files(directory: Path, old: bytes, new: bytes) -> tuple[str, str]:
    (directory / "old").write_bytes(old)
    (directory / "new").write_bytes(new)
    return str(directory / "old"), str(directory / "new")


def test_an_inserted_record_is_one_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    body = [load(n) for n in range(60)]
    extra = instr(0x01000000, 0x30000)
    a, b = files(
        tmp_path, START + b"".join(body), START + b"".join(body[:30]) + extra + b"".join(body[30:])
    )
    assert main(["diff", a, b]) == 1
    assert capsys.readouterr().out == (
        f"--- {a}\n+++ {b}\n@@ 1 record inserted before record 62: now from 62 on @@\n"
        "+      62 instr   : cpuid=0 u [0x0000000000030000] nop\n"
        "1 difference: 0 records only in the old trace, 1 only in the new one\n"
    )
    assert main(["diff", b, a, "--json"]) == 1
    first, summary = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["old"]["records"][0]["fields"]["pc_va"] == 0x30000
    assert (first["old"]["first"], first["new"]["count"]) == (62, 0)
    assert summary == {"summary": {"differences": 1, "deleted": 1, "inserted": 0, "complete": True}}
    assert main(["diff", "-q", a, b]) == 1
    assert capsys.readouterr().out == f"{a} and {b} differ\n"
    assert main(["diff", a, a]) == 0
    assert capsys.readouterr().out == ""


def test_a_limit_ends_the_comparison(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = START + b"".join(load(n) for n in range(200))
    new = START + b"".join(load(n) + b"\x14" * (n % 40 == 3) * 24 for n in range(200))
    a, b = files(tmp_path, old, new)
    assert main(["diff", "--limit", "2", a, b]) == 1
    said = capsys.readouterr().out
    assert said.count("@@ 1 record inserted") == 2 and "2 differences (stopped there)" in said
    assert main(["diff", a, b, "--ignore", "nulls"]) == 0


BNE = 0x12800004


def event(kind: int, **columns: int) -> bytes:
    """Return the records of an event of our own."""
    parts = {"event": ("address", "value", "cpuid"), "event_pc": ("pc", "id"),
             "event_size": ("site",)}  # fmt: skip
    flags = {"pc": Flag.HAS_PC, "address": Flag.HAS_ADDRESS, "value": Flag.HAS_VALUE}
    known = sum(int(flags[key]) for key in columns if key in flags)
    own = {"event": {"kind": kind, "flags": known}}
    for name, keys in parts.items():
        own[name] = own.get(name, {}) | {key: columns[key] for key in keys if key in columns}
    text = encode("event_text", number=columns.get("site", 0), is_site=1, last=1, text="a.c:1")
    return text + b"".join(encode(name, **fields) for name, fields in own.items())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (event(4, value=4), event(4, value=5)),
        (event(0, value=4), event(0, value=5)),
        (event(4, address=0x108), event(4, address=0x20108)),
    ],
)
def test_numbers_of_calls_and_signals_are_no_values_or_addresses(
    tmp_path: Path, old: bytes, new: bytes
) -> None:
    a, b = files(tmp_path, START + old, START + new)
    assert main(["diff", "-q", "--ignore", "values,addresses,ids", a, b]) == 1


@pytest.mark.parametrize(
    ("ignored", "old", "new"),
    [
        ("timestamps", encode("cpu", cpu=1, timestamp=5), encode("cpu", cpu=1, timestamp=6)),
        ("timestamps", encode("traceinfo", rtype2=2, time64=5), encode("traceinfo", rtype2=2)),
        ("untaken", instr(BNE, 0x1000, 0x1008), instr(BNE, 0x1000)),
        ("untaken", instr(BNE, 0x1000, 0x1008), instr(BNE, 0x1000, 0x1010)),
        ("ids", encode("recnum", incount=4), encode("recnum", incount=5)),
        ("threads", encode("thread", tid=4), encode("thread", tid=5)),
        ("cpus", encode("trap", cpuid=99, ttype=1), encode("trap", cpuid=3, ttype=1)),
        ("strings", encode_string("host=a"), encode_string("host=b" * 20)),
        ("values", encode("memval64", size=4, val=1), encode("memval64", size=4, val=2)),
        ("values", encode("regval", reg64_1=1), encode("regval", reg64_1=2)),
        ("nulls", encode("nullrec"), b""),
        ("stale", instr(1, 4), b"\x03\x80" + instr(1, 4)[2:]),
        ("all-addresses", load(3, 0x20000), load(3, 0x54321)),
        ("addresses", load(3, 0x20000, 0x970000), load(3, 0x7F000, 0x990000)),
        ("addresses", event(12, address=0x20004), event(12, address=0x7F004)),
        ("addresses", event(12, pc=0x20004), event(12, pc=0x7F004)),
        ("addresses", event(12, site=0x2E000), event(12, site=0x7E000)),
        ("values", event(2, value=4), event(2, value=5)),
        ("ids", event(19, value=4), event(19, value=5)),
        ("ids", event(12, id=4), event(12, id=5)),
        ("cpus", event(12, cpuid=1), event(12, cpuid=2)),
    ],
)
def test_what_is_ignored_is_equal_and_otherwise_not(
    tmp_path: Path, ignored: str, old: bytes, new: bytes
) -> None:
    a, b = files(tmp_path, START + old, START + new)
    assert main(["diff", "-q", a, b]) == 1
    assert main(["diff", "-q", "--ignore", ignored, a, b]) == 0
    others = [
        "timestamps",
        "untaken",
        "ids",
        "threads",
        "cpus",
        "strings",
        "values",
        "nulls",
        "stale",
    ]
    rest = ",".join(name for name in others if name != ignored)
    assert main(["diff", "-q", "--ignore", rest, a, b]) == 1


@pytest.mark.parametrize(
    ("ignored", "old", "new", "equal"),
    [
        ("addresses", "write (address 0x20004)", "write (address 0x7f004)", True),
        ("addresses", "write (address 0x20004)", "write (address 0x7f008)", False),
        ("addresses", "lock (pc 0x20004)", "lock (pc 0x7f004)", True),
        ("values", "write (value 0x4)", "write (value 0x5)", True),
        ("values", "trap (value 0x4)", "trap (value 0x5)", False),
        ("ids", "order (value 0x4)", "order (value 0x5)", True),
        ("ids", "trap (value 0x4)", "trap (value 0x5)", False),
    ],
)
def test_events_of_s_expressions_are_ignored_likewise(
    tmp_path: Path, ignored: str, old: str, new: str, equal: bool
) -> None:
    texts = (f"(event (id 1) (tid 1) {text})\n".encode() for text in (old, new))
    a, b = files(tmp_path, *texts)
    assert main(["diff", "-q", a, b]) == 1
    assert main(["diff", "-q", "--ignore", ignored, a, b]) == int(not equal)


def test_addresses_are_compared_in_their_images(tmp_path: Path) -> None:
    def trace(base: int, offset: int, ea: int) -> bytes:
        image = encode_string(f"image=/bin/x base={base:#x}")
        return START + image + instr(0xC4004000, base + offset, ea)

    a, b = files(
        tmp_path, trace(0x40000000, 0x12340, 0x7FFF0010), trace(0x50000000, 0x12340, 0x6FFF1010)
    )
    assert main(["diff", "-q", "--ignore", "addresses", a, b]) == 0
    a, b = files(tmp_path, trace(0x40000000, 0x12340, 0x10), trace(0x50000000, 0x13340, 0x10))
    assert main(["diff", "-q", "--ignore", "addresses", a, b]) == 1
    a, b = files(tmp_path, trace(0x40000000, 0x12340, 0x10), trace(0x50000000, 0x12340, 0x18))
    assert main(["diff", "-q", "--ignore", "addresses", a, b]) == 1


def test_s_expressions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = b"(lock (id 1) (tid 7) (address 0x40))\n(mem-free (id 2) (tid 7) (address 0x40) "
    old += b"(size 0x8))\n"
    new = b"(lock (id 5) (tid 8) (address 0x40))\n(mem-free (id 6) (tid 8) (address 0x41) "
    new += b"(size 0x8))\n"
    a, b = files(tmp_path, old, new)
    assert main(["diff", "--ignore", "ids,threads", a, b]) == 1
    said = capsys.readouterr().out
    assert "@@ 1 record changed from 1 on, now 1 @@" in said
    assert "-       1 mem-free: (mem-free (id 2) (tid 7) (address 0x40) (size 0x8))\n" in said
    spaced = b"( lock 1 7 40)(mem-free (id 2) (thread 7)\n (address 40) (size 8))"
    a, b = files(tmp_path, old, spaced)
    assert main(["diff", "-q", a, b]) == 1
    assert main(["diff", "-q", "--ignore", "spelling", a, b]) == 0


def test_events_compare_across_formats(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rst = START + b"".join(load(n) for n in range(20))
    line = "(mem-read (id {0}) (tid 1) (address {1:#x}) (value {2:#x}) (size 4) (src {3:#x}))\n"
    sexp = "".join(line.format(n, 0x20000 + 8 * n, n, 0x10000 + 4 * n) for n in range(20))
    a, b = files(tmp_path, rst, sexp.encode())
    assert main(["diff", a, b]) == 2
    assert "--events" in capsys.readouterr().err
    assert main(["diff", "--events", a, b]) == 0
    a, b = files(tmp_path, rst, sexp.replace("0x20028", "0x20029").encode())
    assert main(["diff", "--events", a, b]) == 1
    said = capsys.readouterr().out
    assert "-      12 read" in said and "address=0x20029" in said


def test_trouble_is_status_two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = files(tmp_path, START, START + b"\x03cut")
    assert main(["diff", a, b]) == 2
    assert f"byte offset {len(START)}" in capsys.readouterr().err
    assert main(["diff", a, str(tmp_path / "none")]) == 2
    assert "cannot open" in capsys.readouterr().err
    assert main(["diff", "-", "-"]) == 2
    with pytest.raises(SystemExit) as caught:
        main(["diff", "--ignore", "timestamp", a, b])
    assert caught.value.code == 2
    assert "did you mean 'timestamps'?" in capsys.readouterr().err


def test_long_traces_take_little_memory(tmp_path: Path) -> None:
    body = b"".join(load(n) for n in range(1000))
    a, b = files(tmp_path, START + body * 500, START + body * 499)
    other = b"".join(load(n, 0x90000) for n in range(1000))
    c, _ = files(other_directory(tmp_path), START + other * 100, b"")
    tracemalloc.start()
    try:
        assert main(["diff", "-q", a, b]) == 1
        assert main(["diff", "--limit", "5000", b, c]) == 1
        assert tracemalloc.get_traced_memory()[1] < 60 << 20
    finally:
        tracemalloc.stop()


def other_directory(directory: Path) -> Path:
    (directory / "other").mkdir()
    return directory / "other"
