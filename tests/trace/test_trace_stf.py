"""The STF codec: spellings, round trips, places of mistakes, accesses from registers."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.convert import BY_NAME, convert
from inst.formats.rst.record import encode, encode_string
from inst.formats.stf import trace as stf
from inst.formats.stf.record import (
    StfRecord,
    make_header,
    make_instruction,
    make_state,
    registers_of,
    write,
)
from inst.formats.stf.trace import StfTrace
from inst.trace import open_trace
from inst.trace.ending import UNENDED
from inst.trace.model import Event, Flag, Kind, TraceError
from inst.trace.writing import Job, Losses
from tests.sizes import examples

HEADER = "||OPTIONS: fff0ff0 | TRACE: t.stf.gz | VERSION: SNOOP 2.4.1 (C) 2003 C. Braun|\n"
STATE = (
    " ".join(f"R{n:02d} = {n * 0x1000:08x}" for n in range(32)) + "\n"
    + " ".join(f"F{n:02d} = {n << 52:016x}" for n in range(32)) + "\n"
)  # fmt: skip
STATUS = (
    "XER = 00000000 MSR = 4000d032 CTR = 00000000 LNK = 300032ac CCR = 20000000 "
    "MQ = 00000000 FPSCR = 00000000\n"
)
SAMPLE = (
    HEADER + STATE
    + STATUS + "PCN = 300033c8 OPC = 7c0b5040 MNC = cmpl\n"
    + STATUS + "PCN = 300033cc OPC = 7c1c0214 MNC = add\nR00 = 300253b0\n"
    + STATUS + "PCN = 300033d0 OPC = 4180ffe8 MNC = bc\n"
)  # fmt: skip


def read(text: str | bytes, chunk: int = 1 << 20) -> list[StfRecord]:
    data = text.encode() if isinstance(text, str) else text
    return list(StfTrace("t.stf", pieces(data, chunk)).records())


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def events(text: str, state: str = STATE) -> list[Event]:
    return list(StfTrace("t.stf", [(HEADER + state + text).encode()]).objects())


def step(word: int, after: str = "", pc: int = 0x400, status: str = "") -> str:
    digits = 16 if word >> 32 else 8
    line = f"PCN = {pc:08x} OPC = {word:0{digits}x} MNC = x\n"
    return status + line + (after + "\n" if after else "")


@pytest.mark.parametrize("chunk", [1, 7, 100, 1 << 20])
def test_a_sample_is_read(chunk: int) -> None:
    header, state, *instructions = read(SAMPLE, chunk)
    assert header.header["VERSION"] == "SNOOP 2.4.1 (C) 2003 C. Braun"
    assert state.registers["R31"] == 0x1F000 and state.registers["F03"] == 3 << 52
    assert [(r.pc, r.word, r.mnemonic, r.line) for r in instructions] == [
        (0x300033C8, 0x7C0B5040, "cmpl", 5),
        (0x300033CC, 0x7C1C0214, "add", 7),
        (0x300033D0, 0x4180FFE8, "bc", 10),
    ]
    assert instructions[0].status["MSR"] == 0x4000D032 and instructions[0].status["MQ"] == 0
    assert [r.registers for r in instructions] == [{}, {"R00": 0x300253B0}, {}]


def variant(old: str, new: str) -> str:
    return SAMPLE.replace(old, new)


VARIANTS = {
    "classic": SAMPLE,
    "one bar": SAMPLE[1:],
    "HQ for MQ": variant("MQ", "HQ"),
    "blanks at line ends": variant("\n", " \n"),
    "carriage returns": variant("\n", "\r\n"),
    "no blanks around =": variant(" = ", "="),
    "blank lines": variant("PCN", "\nPCN"),
    "upper case digits": variant("300253b0", "300253B0"),
    "no status": SAMPLE.replace(STATUS, ""),
    "unknown tokens": variant("FPSCR", "DSISR = odd FPSCR") + "VR0 = 1 VSCR = 2\n",
    "no final newline": SAMPLE[:-1],
    "an empty mnemonic": SAMPLE.replace("MNC = bc", "MNC = "),
    "blank lines at the end": SAMPLE + "\n \n",
    "longer header": variant("|\nR00", "| HOST: somewhere|\nR00"),
    "two traces": SAMPLE + SAMPLE,
}


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("chunk", [1, 13, 1 << 20])
def test_every_spelling_is_read_and_copied_byte_for_byte(name: str, chunk: int) -> None:
    raw = VARIANTS[name].encode()
    output = io.BytesIO()
    count = stf.copy(StfTrace("t", pieces(raw, chunk)), output)
    assert output.getvalue() == raw
    records = read(raw, chunk)
    assert count == len(records) == (10 if name == "two traces" else 5)
    assert [r.word for r in records if r.kind == "instr"][:3] == [
        0x7C0B5040,
        0x7C1C0214,
        0x4180FFE8,
    ]
    assert records[3].registers == {"R00": 0x300253B0}
    if name != "no status":
        assert records[2].status["MQ"] == 0 and records[2].status["LNK"] == 0x300032AC


def test_wide_targets_have_sixteen_digits() -> None:
    text = "PCN = 0000000010000400 OPC = e8640008 MNC = ld\nR03 = 00000000deadbeef\n"
    wide = "".join(
        " ".join(f"{bank}{n:02d} = {n * 0x100000000:016x}" for n in range(32)) + "\n"
        for bank in "RF"
    )
    trace = StfTrace("t", [(HEADER + wide + text).encode()])
    (event,) = trace.objects()
    assert trace.facts.arch == "ppc64" and trace.digits == 16
    assert (event.address, event.size, event.value) == (0x400000008, 8, 0xDEADBEEF)


QUADS = "".join(
    f"PCN = {0x400 + 4 * n:016x} OPC = {word} MNC = x\n" + after
    for n, (word, after) in enumerate((
        ("e0c40000", "R06 = 0000000000000001 R07 = 0000000000000002\n"),  # lq r6, 0(r4)
        ("04000000e0c40000", "R06 = 0000000000000003 R07 = 0000000000000004\n"),  # plq r6, 0(r4)
        ("f8c40002", ""),  # stq r6, 0(r4)
        ("04000000f0c40000", ""),  # pstq r6, 0(r4)
    ))
)  # fmt: skip
WIDE_STATE = " ".join(f"R{n:02d} = {n * 0x1000:016x}" for n in range(32)) + "\n"


@pytest.mark.parametrize("chunk", [1, 1 << 20])
@pytest.mark.parametrize("arch", ["", "ppc64", "ppc64le", "powerpc64le", "ppc", "sparc", "?"])
def test_the_header_may_state_the_order_of_bytes(arch: str, chunk: int) -> None:
    header = HEADER.replace("|\n", f" | arch: {arch}|\n") if arch else HEADER
    trace = StfTrace("t.stf", pieces((header + WIDE_STATE + QUADS).encode(), chunk))
    found = [(event.kind.name, event.value) for event in trace.objects()]
    assert trace.facts.arch == (arch if arch.startswith("p") and "64" in arch else "ppc64")
    # Of the prefixed forms the first register is at the lower address; of lq and stq it has the
    # more significant bytes.
    pair = (4 << 64) + 3 if arch.endswith("le") else (3 << 64) + 4
    assert found == [
        ("READ", (1 << 64) + 2),
        ("READ", pair),
        ("WRITE", (3 << 64) + 4),
        ("WRITE", pair),
    ]


@pytest.mark.parametrize("arch", ["ppc", "ppc64", "ppc64le"])
def test_what_is_converted_to_stf_states_the_order_of_bytes(arch: str) -> None:
    data = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    data += encode_string(f"arch={arch}")
    data += encode("instr", instr=0x80640004, pc_va=0x400, ea_valid=1, ea_va=0x2000)
    data += encode("memval64", addrisVA=1, addr=0x2000, val=7, size=4) + encode("status", status=2)
    texts: dict[str, bytes] = {}
    for name in ("stf", "rst", "sexp"):
        losses, output = Losses(), io.BytesIO()
        convert(Job(open_trace(io.BytesIO(data)), output, losses), BY_NAME[name])
        assert not losses.counts.keys() - {"regval records"}
        data = texts[name] = output.getvalue()
        trace = open_trace(io.BytesIO(data))
        list(trace.events())
        assert trace.facts.arch == arch
    assert f" | arch: {arch}|\n".encode() in texts["stf"]
    assert texts["rst"].count(b"arch=") == texts["sexp"].count(b'"arch"') == 1


def test_the_door_knows_stf_packed_and_cut() -> None:
    for data in (SAMPLE, SAMPLE[1:], SAMPLE[len(HEADER) :], SAMPLE[len(HEADER + STATE) :]):
        trace = open_trace(io.BytesIO(gzip.compress(data.encode())))
        assert trace.format == "stf"
        assert sum(record.kind == "instr" for record in trace.records()) == 3
    trace = open_trace(io.BytesIO(SAMPLE.encode()))
    list(trace.batches())
    assert trace.facts.version.startswith("SNOOP") and trace.facts.arch == "ppc"
    assert "TRACE=t.stf.gz" in trace.facts.strings


MISTAKES = [
    ("PCN = 300033d4 OPC = 4180ffe8 MNC = bc\nR00 = 300253", 12, 7, "expected 8 or 16 hex", 5),
    (STATUS, 11, 1, "ends before the instruction", 5),
    ("PCN = 300033d4 OPC", 11, 16, "expected NAME = VALUE", 5),
    ("PCN = 300033d4 OPC = 4180ffe", 11, 22, "expected 8 or 16 hexadecimal digits for OPC", 5),
    ("PCN = 300033d4\nXER = 00000000\n", 11, 15, "expected OPC", 5),
    ("PCN = 300033d4 OPC = 418zffe8 MNC = bc\n", 11, 22, "found '418zffe8'", 5),
    (STATUS + "R00 = 00000000\n", 12, 1, "expected PCN", 5),
    (STATUS + HEADER, 12, 1, "a header line between", 5),
    (STATUS.replace("=", "", 1), 11, 1, "expected NAME = VALUE", 5),
    ("PCN = 300033d4 OPC = 804000004180ffe8 MNC = bc\n", 11, 22, "expected a word, or a prefix", 5),
    ("some words\n", 11, 1, "expected NAME = VALUE", 5),
    ("\0\0\0\0", 11, 1, "expected NAME = VALUE", 5),
    ("PCN = 300033d4 OPC = 4180ffe8 MNC = bc\nF00 = 00000000\n" + SAMPLE, 12, 7, "16 hex", 5),
]  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 50, 1 << 20])
@pytest.mark.parametrize(("tail", "line", "column", "message", "count"), MISTAKES)
def test_damage_is_said_with_its_place_after_what_is_whole(
    tail: str, line: int, column: int, message: str, count: int, chunk: int
) -> None:
    seen: list[StfRecord] = []
    with pytest.raises(TraceError, match=message) as error:
        for batch in StfTrace("t.stf", pieces((SAMPLE + tail).encode(), chunk)).batches():
            seen += batch.records
    location = error.value.location
    assert location is not None
    assert (location.file, location.line, location.column) == ("t.stf", line, column)
    assert len(seen) == count


def test_another_file_does_not_fill_memory() -> None:
    with pytest.raises(TraceError, match="is this an STF trace"):
        list(StfTrace("t", [HEADER.encode(), *[b"x" * 65536] * 40]).records())


U32, U64 = st.integers(0, (1 << 32) - 1), st.integers(0, (1 << 64) - 1)
LONGER = st.integers(1 << 58, (1 << 59) - 1)
WORDS = st.text("abcdefghijklmnopqrstuvwxyz.+-", min_size=1, max_size=8)


@st.composite
def records(draw: st.DrawFn) -> StfRecord:
    wide = draw(st.booleans())
    number = U64 if wide else U32
    status = {n: draw(number) for n in draw(st.sets(st.sampled_from(["XER", "MSR", "CCR", "MQ"])))}
    general = draw(st.dictionaries(st.integers(0, 31), number, max_size=4))
    floating = draw(st.dictionaries(st.integers(0, 31), U64, max_size=3))
    changed = {f"R{n:02d}": v for n, v in general.items()}
    changed |= {f"F{n:02d}": v for n, v in floating.items()}
    pc, word, mnemonic = draw(number), draw(U32 | LONGER), draw(WORDS)
    return make_instruction(pc, word, mnemonic, status=status, registers=changed, wide=wide)


@given(st.lists(records(), max_size=6), st.integers(1, 300))
def test_written_records_are_read_back(expected: list[StfRecord], chunk: int) -> None:
    output = io.BytesIO()
    start = [make_header({"OPTIONS": "0", "TRACE": "a|b"}), make_state({"R01": 5, "F02": 6})]
    assert write([*start, *expected], output) == len(expected) + 2
    header, state, *found = read(output.getvalue(), chunk)
    assert header.header == {"OPTIONS": "0", "TRACE": "a b"}
    assert state.registers == {"R01": 5, "F02": 6}
    assert [r._replace(ordinal=0, line=0) for r in found] == expected
    assert [registers_of(r.after) for r in expected] == [r.registers for r in found]


@settings(max_examples=examples(200))
@given(st.data())
def test_random_damage_raises_nothing_but_the_documented_error(data: st.DataObject) -> None:
    raw = bytearray(SAMPLE.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    raw = raw[: data.draw(st.integers(0, len(raw)))]
    for method in (StfTrace.batches, StfTrace.events):
        try:
            list(method(StfTrace("x", [bytes(raw)])))
        except TraceError as error:
            assert error.location is not None and error.location.line >= 1


def test_loads_and_stores_get_addresses_and_values_from_registers() -> None:
    found = events(
        step(0x80640004, "R03 = 12345678")  # lwz r3, 4(r4)
        + step(0x90650008)  # stw r3, 8(r5)
        + step(0x9421FFF0, "R01 = 00000ff0")  # stwu r1, -16(r1): the old r1 is stored
        + step(0x88E0FFFF, "R07 = 000000ff")  # lbz r7, -1(0)
        + step(0x7C64292E)  # stwx r3, r4, r5
        + step(0x7CC42C2C, "R06 = 78563412")  # lwbrx r6, r4, r5
        + step(0xAD060002, "R08 = ffff8000 R06 = 78563414")  # lhau r8, 2(r6)
        + step(0x7C642A6C, "R03 = 0000002a")  # eciwx r3, r4, r5
        + step(0x7C602B6C)  # ecowx r3, 0, r5
    )
    assert [(e.kind.name, e.address, e.size, e.value) for e in found] == [
        ("READ", 0x4004, 4, 0x12345678),
        ("WRITE", 0x5008, 4, 0x12345678),
        ("WRITE", 0xFF0, 4, 0x1000),
        ("READ", 0xFFFFFFFF, 1, 0xFF),
        ("WRITE", 0x9000, 4, 0x12345678),
        ("READ", 0x9000, 4, 0x12345678),
        ("READ", 0x78563414, 2, 0x8000),
        ("READ", 0x9000, 4, 0x2A),
        ("WRITE", 0x5000, 4, 0x2A),
    ]
    assert all(e.pc == 0x400 and e.word and e.thread == 0 for e in found)


def test_instructions_of_two_words_are_one_number() -> None:
    found = events(
        step(0x06000001_80640004, "R03 = 12345678")  # plwz r3, 0x10004(r4)
        + step(0x0603FFFF_98E4FFFF)  # pstb r7, -1(r4)
        + step(0x06100000_C0200010, "F01 = 3ff8000000000000")  # plfs f1, 16(0), 1
        + step(0x06100001_A8C00000, "R06 = ffff8000")  # plha r6, 0x10000(0), 1
        + step(0x04000000_CC240010)  # plxv vs33, 16(r4)
        + step(0x04000000_F8440020)  # pstxvp vs2, 32(r4)
        + step(0x06000001_38640010, "R03 = 00014010")  # paddi r3, r4, 0x10010
        + step(0x05000000_80000000)  # a prefix of another kind: lwz alone
    )
    assert [(e.kind.name, e.address, e.size, e.value) for e in found] == [
        ("READ", 0x14004, 4, 0x12345678),
        ("WRITE", 0x3FFF, 1, 0x00),
        ("READ", 0x410, 4, 0x3FC00000),
        ("READ", 0x10400, 2, 0x8000),
        ("READ", 0x4010, 16, None),
        ("WRITE", 0x4020, 16, None),
        ("WRITE", 0x4030, 16, None),
        ("INSTRUCTION", None, 0, None),
        ("INSTRUCTION", None, 0, None),
    ]
    assert all(e.pc == 0x400 and e.word is None for e in found)


def test_multiples_and_strings_are_one_event_for_each_register() -> None:
    xer = STATUS.replace("XER = 00000000", "XER = 00000005")
    found = events(
        step(0xBFC1FFF8)  # stmw r30, -8(r1)
        + step(0xBBC10000, "R30 = 00000001 R31 = 00000002")  # lmw r30, 0(r1)
        + step(0x7FE434AA, "R31 = 61626364 R00 = 65660000")  # lswi r31, r4, 6
        + step(0x7C642D2A, status=xer)  # stswx r3, r4, r5: 5 bytes
    )
    assert [(e.kind.name, e.address, e.size, e.value) for e in found] == [
        ("WRITE", 0xFF8, 4, 0x1E000), ("WRITE", 0xFFC, 4, 0x1F000),
        ("READ", 0x1000, 4, 1), ("READ", 0x1004, 4, 2),
        ("READ", 0x4000, 4, 0x61626364), ("READ", 0x4004, 2, 0x6566),
        ("WRITE", 0x9000, 4, 0x3000), ("WRITE", 0x9004, 1, 0),
    ]  # fmt: skip


def test_floating_point_values_are_what_memory_holds() -> None:
    found = events(
        step(0xC8240000, "F01 = 3ff8000000000000")  # lfd f1, 0(r4)
        + step(0xD0240008)  # stfs f1, 8(r4)
        + step(0xC0440008, "F02 = 3ff8000000000000")  # lfs f2, 8(r4)
        + step(0x7C242FAE)  # stfiwx f1, r4, r5
    )
    assert [(e.kind.name, e.size, e.value) for e in found] == [
        ("READ", 8, 0x3FF8 << 48), ("WRITE", 4, 0x3FC00000), ("READ", 4, 0x3FC00000),
        ("WRITE", 4, 0),
    ]  # fmt: skip


def test_floating_point_values_are_unknown_when_not_traced() -> None:
    found = events(step(0x80640004, "R03 = 00000001") * 2 + step(0xC8240000))
    assert (found[2].address, found[2].value) == (0x4000, None)


def test_reservations_and_failed_stores() -> None:
    failed = STATUS.replace("CCR = 20000000", "CCR = 00000000")
    text = step(0x7C602028, "R03 = 00000007") + step(0x7C60212D)
    for status, kind in ((STATUS, Kind.WRITE), (failed, Kind.INSTRUCTION), ("", Kind.WRITE)):
        load, store, _ = events(text + step(0x60000000, status=status))
        assert (load.kind, load.value, load.address) == (Kind.READ, 7, 0x4000)
        assert Flag.ATOMIC in load.flags
        assert store.kind == kind and (Flag.ATOMIC in store.flags) is (kind is Kind.WRITE)


def test_branches_and_system_calls() -> None:
    found = events(
        step(0x41820010, pc=0x400) + step(0x48000100, pc=0x404) + step(0x44000002, pc=0x504)
    )
    assert [(e.kind, e.address) for e in found] == [
        (Kind.INSTRUCTION, None), (Kind.INSTRUCTION, 0x504), (Kind.TRAP, 0x108),
        (Kind.INSTRUCTION, None),
    ]  # fmt: skip
    assert [Flag.TAKEN in e.flags for e in found] == [False, True, False, False]
    assert found[2].value == 0 and Flag.TRAPPED in found[3].flags


def test_untraced_registers_give_no_addresses() -> None:
    text = step(0x38600005) + step(0x80640004)  # li r3, 5 changes r3 and no line says so
    trace = StfTrace("t", [(HEADER + STATE + text).encode()])
    assert [e.address for e in trace.objects()] == [None, None]
    assert any("were not traced" in note for note in trace.notes)
    text = step(0x38600005, "R03 = 00000005") + step(0x80640004, "R03 = 00000009")
    assert [e.address for e in events(text)] == [None, 0x4004]


@pytest.mark.parametrize("bank", ["R", "F", "RF"])
def test_complete_register_lines_say_the_same_as_changed_ones(bank: str) -> None:
    def lines(changed: dict[str, int]) -> str:
        out = []
        for letter in bank:
            width = 8 if letter == "R" else 16
            start = {
                f"{letter}{n:02d}": n * 0x1000 if letter == "R" else n << 52 for n in range(32)
            }
            start |= {name: value for name, value in changed.items() if name[0] == letter}
            out.append(" ".join(f"{name} = {value:0{width}x}" for name, value in start.items()))
        return "\n".join(out)

    full = step(0x80640004, lines({"R03": 99})) + step(0x90650008, lines({"R03": 99}))
    brief = step(0x80640004, "R03 = 00000063") + step(0x90650008)
    if bank == "F":
        brief = step(0x80640004) + step(0x90650008)
    assert [(e.address, e.value) for e in events(full)] == [
        (e.address, e.value) for e in events(brief)
    ]


KILLED = (
    b"||OPTIONS: 0 | TRACE: t | VERSION: 1|\nR01 = 00001000\n"
    b"PCN = 00000100 OPC = 81210008 MNC = lwz\nR09 = 0000002a\n"
)
NEXT = b"R01 = 00002000\nPCN = 00000104 OPC = 81210008 MNC = lwz\nR09 = 0000002b\n"


@pytest.mark.parametrize("torn", [b"", b"01 = 00003000\nPCN = 0000", NEXT[1:]])
@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_space_that_a_killed_thread_left_says_nothing(torn: bytes, size: int) -> None:
    """The first byte of a record is written last; chunks may end anywhere."""
    space = b"\0" + torn + bytes(200)
    data = KILLED + space + NEXT + space
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    trace = StfTrace("t", chunks)
    events = np.concatenate(list(trace.events()))
    assert events["address"].tolist() == [0x1008, 0x2008]
    assert events["value"].tolist() == [0x2A, 0x2B]
    assert trace.notes == [
        f"the events of a thread break off: {len(space)} bytes between records "
        "were reserved and not written",
        f"{UNENDED}; the trace ends with zero bytes",
    ]


@pytest.mark.parametrize("size", [1, 7, 1 << 16])
def test_an_unfinished_record_after_a_space_belongs_to_no_record(size: int) -> None:
    """A killed program left the end of one chunk, and the first record of the next one."""
    cut = KILLED + bytes(300) + b"\n\0" + NEXT[1:] + bytes(500)
    whole = [b"R09 = 0000002a\nR01 = 00002000\n", b"R09 = 0000002b\n"]
    for data, after in ((cut, [b"R09 = 0000002a\n"]), (cut + b"\n" + NEXT, whole)):
        records = list(StfTrace("t", pieces(data, size)).records())
        assert [record.after for record in records[2:]] == after


def test_a_space_may_be_left_at_any_moment_of_its_removal() -> None:
    """As runtime/thread.c removes an event: its first byte, the others from the end, then blanks.

    The space ends with a line, as the place of an interrupted event does.
    """
    room = bytearray(NEXT + bytes(255 - len(NEXT)) + b"\n")
    moments = []
    for at, byte in [(0, 0), *((at, 0) for at in range(254, 0, -1)),
                     *((at, 32) for at in range(255))]:  # fmt: skip
        room[at] = byte
        moments.append(bytes(room))
    for moment in moments:
        for size in (3, 1 << 16):
            trace = StfTrace("t", pieces(KILLED + moment + NEXT, size))
            values = np.concatenate(list(trace.events()))["value"].tolist()
            assert values == [0x2A, 0x2B], moment


@pytest.mark.parametrize("damage", [b"R09 = 000\0002a\n", b"R09 \0= 0000002a\n"])
def test_a_zero_byte_within_a_line_is_damage(damage: bytes) -> None:
    with pytest.raises(TraceError):
        list(StfTrace("t", [KILLED + damage + NEXT]).events())
