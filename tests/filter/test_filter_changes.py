"""Filters that change records: each with what it must give."""

from __future__ import annotations

from pathlib import Path

import pytest
from filter_traces import (
    BA,
    BNE,
    CALL,
    END,
    HEADER,
    NOP,
    START,
    UNKNOWN,
    cpu,
    fields,
    filtered,
    instr,
    load,
    memval,
    names,
    preamble,
    records,
    refused,
    store,
)

from inst.formats.rst.record import decode, encode, encode_string


def pava(pc: int, ea: int, cpu: int = 0, ea_valid: int = 1) -> bytes:
    return encode("pavadiff", cpuid=cpu, ea_valid=ea_valid, pc_pa_va=pc, ea_pa_va=ea)


def test_pavadiff_is_added_once_for_each_cpu_without(tmp_path: Path) -> None:
    one, two = load(0x10, 0x20, 1), load(0x10, 0x20, 1, cpu=1)
    trace = HEADER + one + one + pava(1, 1, cpu=2) + load(1, 2, 3, cpu=2) + two
    expected = HEADER + pava(0x400000, 0x500000) + one + one + pava(1, 1, cpu=2)
    expected += load(1, 2, 3, cpu=2) + pava(0x400000, 0x500000, cpu=1) + two
    assert filtered(tmp_path, "add-pavadiff pc=400000 ea=0x500000", trace) == expected
    assert filtered(tmp_path, "strip-pavadiff", expected) == HEADER + one + one + (
        load(1, 2, 3, cpu=2) + two
    )


def test_physical_addresses_are_sums(tmp_path: Path) -> None:
    trace = START.replace(pava(0, 0), b"") + pava(0x1000, 0xFFFFFFFFFFFFF000)
    trace += load(0x10000, 0x20000, 5) + instr(BA, 0x10004, 0x10014, bt=1)
    trace += pava(0x2000, 0x7777, ea_valid=0) + store(0x10014, 0x20008, 6)
    trace += load(0x10, 0x20, 1, cpu=9)
    found = filtered(tmp_path, "physical", trace)
    assert fields(found, "instr", "pc_va") == [0x11000, 0x11004, 0x12014, 0x10]
    assert fields(found, "instr", "ea_va") == [0x1F000, 0, 0x1F008, 0x20]
    assert fields(found, "instr", "ea_valid") == [1, 0, 1, 1]
    assert fields(found, "memval64", "addr") == [0x1F000, 0x1F008, 0x20]
    assert fields(found, "memval64", "addrisVA") == [0, 0, 0]
    assert fields(found, "pavadiff", "pc_pa_va") == [0, 0]
    assert filtered(tmp_path, "physical", found.replace(b"", b"")) != trace


@pytest.mark.parametrize(
    ("arch", "word", "flags", "target"),
    [
        ("sparc-v8", BNE, {"bt": 1}, 0x10010),
        ("sparc-v8", BNE | 0x3FFFFF, {"bt": 1}, 0xFFFC),
        ("sparc-v8", BA, {}, 0x10010),
        ("sparc-v8", CALL, {}, 0x10040),
        ("sparc-v9", 0x02C00000 | 4, {"bt": 1}, 0x10010),
        ("sparc-v9", 0x02680000 | 4, {"bt": 1}, 0x10010),
        ("sparc-v9", 0x02F03FFF, {"bt": 1}, 0xFFFC),
        ("ppc", 0x48000100, {}, 0x10100),
        ("ppc", 0x4BFFFFFC, {"bt": 1}, 0xFFFC),
        ("ppc", 0x48000102, {}, 0x100),
        ("ppc", 0x41820010, {"bt": 1}, 0x10010),
        ("ppc", 0x4082FFF0, {"bt": 1}, 0xFFF0),
    ],
)
def test_targets_come_from_the_word(
    tmp_path: Path, arch: str, word: int, flags: dict[str, int], target: int
) -> None:
    found = filtered(tmp_path, "fill-targets", preamble(arch) + instr(word, 0x10000, **flags))
    wanted = instr(word, 0x10000, target & 0xFFFFFFFFFFFFFFFF & 0xFFFFFFFF, bt=1)
    assert found == preamble(arch) + wanted


@pytest.mark.parametrize(
    "record",
    [
        instr(BNE, 0x10000),
        instr(BA, 0x10000, an=1),
        instr(BA, 0x10000, tr=1),
        instr(BA, 0x10000, 0x77, bt=1),
        instr(0x81C3E008, 0x10000, bt=1),
        instr(NOP, 0x10000),
        load(0x10000, 0, 0),
        UNKNOWN,
    ],
)
def test_targets_are_filled_only_where_they_lack(tmp_path: Path, record: bytes) -> None:
    assert filtered(tmp_path, "fill-targets", START + record) == START + record


def test_untaken_branches_become_alike(tmp_path: Path) -> None:
    shade, blaze = instr(BNE, 0x1000, 0x1010), instr(BNE, 0x1000, 0x1008)
    plain = instr(BNE, 0x1000)
    others = instr(BNE, 0x1000, 0x1010, bt=1) + load(0x1004, 8, 9) + instr(BA, 0x10, 0x20)
    trace = START + shade + blaze + plain + others
    for pipeline, wanted in (
        ("untaken", plain),
        ("untaken ea=none", plain),
        ("untaken ea=next", blaze),
        ("untaken ea=target", shade),
    ):
        assert filtered(tmp_path, pipeline, trace) == START + wanted * 3 + others
    power = preamble("ppc") + instr(0x41820010, 0x1000)
    assert fields(filtered(tmp_path, "untaken next", power), "instr", "ea_va") == [0x1004]


def test_annulled_slots_are_dropped_or_compressed(tmp_path: Path) -> None:
    slot = instr(0xC4004000, 0x1004, 0x99, an=1, bt=1) + memval(0x99, 4, 1)
    rest = load(0x1008, 0x20, 3)
    trace = START + instr(BNE, 0x1000, an=0) + slot + rest
    assert filtered(tmp_path, "annulled drop", trace) == trace.replace(slot, b"")
    bare = instr(0xC4004000, 0x1004, an=1)
    assert filtered(tmp_path, "annulled compress", trace) == trace.replace(slot, bare)


def test_cpu_numbers_move_with_the_version(tmp_path: Path) -> None:
    bodies = {
        "instr": {"instr": NOP, "pc_va": 4},
        "trap": {"ttype": 0x1FF, "syscall": 0xFFF},
        "regval": {"regtype0": 1},
        "pavadiff": {"ea_valid": 1},
        "preg": {"primA": 3},
        "memval64": {"size": 4, "addr": 5, "val": 6},
        "memval128": {"addr": 0x10},
        "physaddr": {},
        "tlb": {"tag": 3},
        "filemarker": {"incount": 3},
        "trapexit": {"tl": 1},
    }

    def build(version: int, number: int) -> bytes:
        major, minor = divmod(version, 1000)
        header = encode("header", majorVer=major, minorVer=minor, percent=0x25,
                        header_str=f"RST Header v{major}.{minor:02}")  # fmt: skip
        return (
            header
            + UNKNOWN
            + b"".join(
                encode(name, version=version, cpuid=number, **more) for name, more in bodies.items()
            )
        )

    new, old = build(2013, 37), build(2011, 37)
    assert filtered(tmp_path, "version 2.11", new) == old
    assert filtered(tmp_path, "version 2.13", old) == new
    assert filtered(tmp_path, "version 2.13 | version 2.11 | version 2.13", new) == new
    junk = records(old)
    junk[2] = (
        junk[2][:1] + bytes([junk[2][1] | 0x10, junk[2][2] | 3, junk[2][3] | 0xC0]) + junk[2][4:]
    )
    assert filtered(tmp_path, "version 2.13", b"".join(junk)) == new
    wide = filtered(tmp_path, "version 2.11 wide=cut", build(2013, 0x3FF))
    assert fields(wide, "instr", "cpuid") == [0x3F]
    assert fields(wide, "preg", "cpuid") == [0xFF]


@pytest.mark.parametrize(
    ("number", "text"),
    [("2.9", "2.09"), ("2.09", "2.09"), ("2.0", "2.00"), ("2.13", "2.13"), ("1.10", "1.10"),
     ("1.9", "1.9")],
)  # fmt: skip
def test_the_text_of_the_header_has_the_version_as_its_time_wrote_it(
    number: str, text: str, tmp_path: Path
) -> None:
    trace = filtered(tmp_path, f"version {number}", HEADER + instr(NOP, 4))
    assert fields(trace, "header", "header_str") == [f"RST Header v{text}"]
    assert trace[1:4] == bytes(map(int, number.split("."))) + b"%"
    assert filtered(tmp_path, "version 2.13", trace) == HEADER + instr(NOP, 4)


def test_what_was_no_cpu_number_becomes_none(tmp_path: Path) -> None:
    """Before 1.10 an INSTR had Shade's hash there."""
    old = filtered(tmp_path, "version 1.8", HEADER + instr(NOP, 4))
    hashed = old[:26] + b"\xff\xc0" + old[28:]
    for version in ("2.13", "2.9", "1.10"):
        found = filtered(tmp_path, f"version {version}", hashed)
        assert fields(found, "instr", "cpuid") == [0]


def test_a_cpu_number_that_does_not_fit_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t"
    path.write_bytes(HEADER + instr(NOP, 4) + instr(NOP, 4, cpu=64))
    said = refused(capsys, "version 2.11", str(path), str(tmp_path / "out"))
    assert "cpu 64 of record 2 (instr) does not fit into the 6 bits of version 2.11" in said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t"]
    found = filtered(tmp_path, "renumber cpus | version 2.11", HEADER + instr(NOP, 4, cpu=64))
    assert fields(found, "instr", "cpuid") == [0]


def test_stale_bytes_are_zeroed_and_nothing_else(tmp_path: Path) -> None:
    text = bytearray(encode("strdesc", string="arch=sparc"))
    text[14:18] = b"junk"
    stale = bytearray(instr(NOP, 0x1000, 0x20, cpu=0x3FF))
    stale[1] |= 0x81
    stale[3] |= 0x3F
    null = bytes([20]) + b"\xff" * 23
    trace = HEADER + bytes(text) + bytes(stale) + null + UNKNOWN
    expected = HEADER + encode("strdesc", string="arch=sparc")
    expected += instr(NOP, 0x1000, 0x20, cpu=0x3FF) + encode("nullrec") + UNKNOWN
    assert filtered(tmp_path, "strip-stale", trace) == expected
    assert filtered(tmp_path, "drop-null", trace) == trace.replace(null, b"")
    every = b"".join(encode(kind) for kind in ("memval64", "memval128", "recnum", "filemarker"))
    assert filtered(tmp_path, "strip-stale", HEADER + every) == HEADER + every


def test_anonymous_addresses_keep_equality_pages_and_size(tmp_path: Path) -> None:
    trace = START + encode_string("command=./secret") + encode_string("image=/home/x base=0x1000")
    trace += (
        load(0x10000, 0x20008, 0x20008) + store(0x10004, 0x20010, 5) + load(0x10000, 0x30008, 5)
    )
    trace += instr(NOP, 0x7FFF_0000_1234) + UNKNOWN
    found = filtered(tmp_path, "anonymise key=k", trace)
    assert filtered(tmp_path, "anonymise k", trace) == found
    assert filtered(tmp_path, "anonymise key=other", trace) != found
    assert b"secret" not in found and b"home" not in found and b"arch=sparc-v8" in found
    pcs = [int(pc) for pc in fields(found, "instr", "pc_va")]
    eas = [int(ea) for ea in fields(found, "memval64", "addr")]
    assert pcs[0] == pcs[2] and pcs[1] == pcs[0] + 4 and pcs[0] != 0x10000
    assert eas[1] == eas[0] + 8 and eas[2] & 0xFFF == 8 and eas[2] != eas[0]
    assert eas == fields(found, "instr", "ea_va")[:3]
    assert max(pcs[:3] + eas) < 1 << 32 <= pcs[3] and pcs[3] & 0xFFF == 0x234
    assert fields(found, "memval64", "val") == [0x20008, 5, 5]
    zeroed = filtered(tmp_path, "anonymise k values=zero", trace)
    assert fields(zeroed, "memval64", "val") == [0, 0, 0]
    assert found.endswith(UNKNOWN)


def test_places_of_calls_become_anonymous(tmp_path: Path) -> None:
    hint = encode("event", kind=11) + encode("event_size", placed=1, site=8, value_high=0x10004)
    found = filtered(tmp_path, "anonymise k", START + load(0x10000, 0x20008, 1) + hint)
    (pc,) = fields(found, "instr", "pc_va")
    assert fields(found, "event_size", "value_high") == [pc + 4]


def test_anonymous_pages_are_a_permutation() -> None:
    import numpy as np

    from inst.filter.anonymise import Permutation

    pages = np.arange(1 << 20, dtype="u8") << np.uint64(12)
    changed = Permutation("key").addresses(pages) >> np.uint64(12)
    assert len(np.unique(changed)) == 1 << 20 and changed.max() < 1 << 20
    wide = np.arange(1 << 32, (1 << 32) + (1 << 18), dtype="u8") << np.uint64(12)
    changed = Permutation("key").addresses(wide) >> np.uint64(12)
    assert len(np.unique(changed)) == 1 << 18 and changed.min() >= 1 << 20


def test_both_formats_get_the_same_anonymous_addresses(tmp_path: Path) -> None:
    sexp = b"(mem-read (id 1) (tid 1) (address 0x20008) (value 0x1) (src 0x10000))\n"
    text = filtered(tmp_path, "anonymise k", sexp).decode()
    binary = filtered(tmp_path, "anonymise k", HEADER + load(0x10000, 0x20008, 1))
    assert f"(address {fields(binary, 'memval64', 'addr')[0]:#x})" in text
    assert f"(src {fields(binary, 'instr', 'pc_va')[0]:#x})" in text
    named = b'(mem-read 1 1 20008 1 "home/a.c:7")\n(image (id 2) (tid 1) (base 0x0) (path "x"))\n'
    text = filtered(tmp_path, "anonymise k", named).decode()
    assert "home" not in text and ':7")' in text and "image" not in text


def test_numbers_become_dense(tmp_path: Path) -> None:
    trace = preamble() + cpu(9, 700) + load(1, 2, 3, cpu=9) + cpu(4, 600) + load(1, 2, 3, cpu=4)
    trace += cpu(9, 700)
    expected = preamble() + cpu(0, 0) + load(1, 2, 3) + cpu(1, 1) + load(1, 2, 3, cpu=1) + cpu(0, 0)
    assert filtered(tmp_path, "renumber threads,cpus", trace) == expected
    sexp = b"(mem-read 70 5 1000 1)\n  (lock (id 3) (thread 9) (address 1))\n"
    sexp += b"(mem-read 71 5 1000 (value 2))\n"
    wanted = b"(mem-read 1 1 1000 1)\n  (lock (id 2) (thread 2) (address 1))\n"
    wanted += b"(mem-read 3 1 1000 (value 2))\n"
    assert filtered(tmp_path, "renumber ids,threads from=1", sexp) == wanted


def test_patch_markers_stand_around_the_events(tmp_path: Path) -> None:
    events = [load(n, 0x20, n) for n in range(6)]
    body = b"".join(events)
    found = filtered(tmp_path, "patch 2-3 id=7 descr=loop", START + body + END)

    def mark(begin: int) -> bytes:
        return encode("patch", isBegin=begin, id=7, length=4, descr="loop")

    inside = events[2] + events[3]
    expected = START + events[0] + events[1] + mark(1) + inside + mark(0) + events[4] + events[5]
    assert found == expected + END
    assert filtered(tmp_path, "unpatch", found) == (START + body + END).replace(inside, b"")
    assert filtered(tmp_path, "unpatch id=6", found) == found
    assert filtered(tmp_path, "drop patch", found) == START + body + END
    assert filtered(tmp_path, "patch 90-99", START + body) == START + body
    last = filtered(tmp_path, "patch 5-", START + body)
    assert names(last)[-4:] == ["patch", "instr", "memval64", "patch"]


def test_s_expression_sources_are_filled_in(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"(mem-read (id 1) (tid 1) (address 0x1) (value 0x1) (src 0x10000))\n")
    assert "--program" in refused(capsys, "fill-symbols", str(path))


def test_decoded_fields_survive_a_change_of_others(tmp_path: Path) -> None:
    """Bytes that a filter has nothing to do with stay, stale ones too."""
    stale = bytearray(instr(BNE, 0x1000, 0x1010))
    stale[1] |= 0x80
    found = filtered(tmp_path, "untaken", START + bytes(stale))[-24:]
    assert found[1] == 0x80 and decode(found)["ea_va"] == 0
