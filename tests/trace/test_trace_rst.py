"""The RST codec: every record type there and back, damage, versions, copies."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.errors import InstError
from inst.formats.rst import codes, record
from inst.formats.rst import table as rst_table
from inst.formats.rst import trace as rst
from inst.formats.rst.own import Texts
from inst.formats.rst.record import RECORD, RstBatch, decode, encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.trace import open_trace
from inst.trace.ending import UNENDED
from inst.trace.model import Kind, TraceError
from tests.sizes import examples

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
NULL = encode("nullrec")
INSTR = encode("instr", ea_valid=1, cpuid=5, instr=0x80640004, pc_va=0x10000400, ea_va=0x2000)


def fields(**values: int | str) -> dict[str, int | str]:
    return values


# Bytes packed by hand from the format's description, not by the table.
PACKED = [
    ("header", fields(majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13"),
     "02 02 0d 25" + b"RST Header v2.13".hex() + "00000000"),
    ("instr", fields(ea_valid=1, tr=1, hpriv=1, pr=1, bt=1, an=1, cpuid=0b10_11_000011,
                   instr=0x01020304, pc_va=0x1112131415161718, ea_va=0x2122232425262728),
     "03 7e 0e c0 01020304 1112131415161718 2122232425262728"),
    ("instr", fields(cpuid=0b01_00_100001), "03 00 85 00" + "00" * 20),
    ("traceinfo", fields(rtype2=2, level=0x0102, val32=0x03040506, time64=0x0708090A0B0C0D0E),
     "04 02 0102 03040506 0708090a0b0c0d0e" + "00" * 8),
    ("tlb", fields(demap=1, type=1, index=0x0304, unit=2, cpuid=0b1010_010101, tag=1, data=2),
     "05 c0 0304 95 a0 0000 0000000000000001 0000000000000002"),
    ("thread", fields(icontext=0x1fff, tid=0x0102030405060708),
     "06 00 1fff 00000000 0102030405060708" + "00" * 8),
    ("trap", fields(is_async=1, tl=3, cpuid=0b1111_000001, ttype=0x340, pstate=0x12,
                  syscall=0xFAD, pc=1, npc=2),
     "07 83 07 40 0012 ff ad 0000000000000001 0000000000000002"),
    ("trapexit", fields(tl=2, cpuid=0b10_11_000011, tstate=0x01020304),
     "08 02 0e c0 01020304" + "00" * 16),
    ("regval", fields(postInstr=1, cpuid=0b101_0000011, regtype0=1, regtype1=5, regid0=8, regid1=9,
                    reg64_0=1, reg64_1=2),
     "09 83 01 05 08 09 a0 00 0000000000000001 0000000000000002"),
    ("cpu", fields(cpu=0x0102, timestamp=0x0304), "0b" + "00" * 5 + "0102" + "00" * 8 +
     "0000000000000304"),
    ("process", fields(oldpid=1, newpid=2, oldcontext=3, newcontext=4),
     "0c" + "00" * 7 + "00000001 00000002 00000003 00000004"),
    ("dma", fields(iswrite=1, nbytes=0x1000, start_pa=0xFF), "0d 01 0000 00001000"
     "00000000000000ff" + "00" * 8),
    ("strdesc", fields(string="arch=ppc"), "0e" + b"arch=ppc".hex() + "00" * 15),
    ("leftdelim", fields(id=1, what=257, length=2), "0f 01 0101 00000002" + "00" * 16),
    ("rightdelim", fields(id=1, what=258, length=2), "10 01 0102 00000002" + "00" * 16),
    ("preg", fields(asiReg=0x82, traplevel=1, traptype=2, pstate=0x16, cpuid=0b10_00000011,
                  primA=1, secA=2, primD=3, secD=4),
     "11 82 0000 01 02 0016 03 80" + "00" * 6 + "0001 0002 0003 0004"),
    ("physaddr", fields(ea_valid=1, cpuid=0b101_0000011, pc_pa=1, ea_pa=2),
     "12 83 a0 00 00000000 0000000000000001 0000000000000002"),
    ("pavadiff", fields(ea_valid=1, cpuid=0b101_0000011, icontext=1, dcontext=2,
                      pc_pa_va=0xffffffffff400000, ea_pa_va=1),
     "13 83 a0 00 0001 0002 ffffffffff400000 0000000000000001"),
    ("nullrec", {}, "14" + "00" * 23),
    ("strcont", fields(string="a" * 23), "15" + "61" * 23),
    ("filemarker", fields(level=3, recType=3, cpuid=0b10_00000011, incount=1, outcount=2),
     "16 03 03 03 80 000000 0000000000000001 0000000000000002"),
    ("recnum", fields(level=3, recType=3, cpuid=0b10_00000011, incount=1, outcount=2),
     "16 83 03 03 80 000000 0000000000000001 0000000000000002"),
    ("status", fields(status=2, analyzer=1, command=3), "17 02 01 03" + "00" * 20),
    ("patch", fields(isBegin=1, rewindrecs=2, id=3, length=4, descr="atrPCdAZ"),
     "18 01 02 03 0004 0000" + b"atrPCdAZ".hex() + "00" * 8),
    ("hwinfo", fields(sim=1, category=2, infotype=3, entindex=4, nument=5, val=6, val2=7),
     "19 80 02 03 0004 0005 0000000000000006 0000000000000007"),
    ("memval64", fields(addrisVA=1, cpuid=0b10_00000011, size=8, addr=0x1000, val=0x42),
     "1a 42 03 08 00000000 0000000000001000 0000000000000042"),
    ("memval128", fields(addrisVA=1, isContRec=1, cpuid=0b10_00000011, addr=0x7f123456780,
                       val=1, val2=2),
     "1a e2 03 7f 12345678 0000000000000001 0000000000000002"),
    ("memval128", fields(addr=0xfffffff123456780), "1a 80 00 ff 12345678" + "00" * 16),
    ("bustrace", fields(flags=9, bt_type=5, txType=0x2a, agentid=0x2c3, tdiff=1, nsScale=0,
                      timestamp=0xabcde, data=1, addr_pa=2),
     "1b 95 aa c3 aa f3 78 00 0000000000000001 0000000000000002"),
    ("bustrace", fields(nsScale=1), "1b 00 0000 40 000000" + "00" * 16),
    ("snoop", fields(snoopreq=1, device_id=2, size=3, addr_pa=4, device_type=5),
     "1c 01 0002 00000003 0000000000000004 0005" + "00" * 6),
    ("tsb_access", fields(isdata=1, cpuid=0x2c3, pa=1, va=2),
     "1d 01 02 c3 00000000 0000000000000001 0000000000000002"),
    ("rfs_section", fields(section_type=31, n_records=0x7fffffffffffffff),
     "1e 1f" + "00" * 6 + "7fffffffffffffff" + "00" * 8),
    ("rfs_cw", fields(cpuid=0x2c3, reftype=5, asi=0x80, va_valid=1, fcn=9, va=1, pa=2),
     "1f b0 c5 00 80 a4 0000 0000000000000001 0000000000000002"),
    ("rfs_bt", fields(cpuid=0x2c3, taken=1, instr=7, pc_va=1, npc_va=2),
     "20 b0 e0 00 00000007 0000000000000001 0000000000000002"),
    ("trapping_instr", fields(hpriv=1, priv=1, iftrap=1, ea_va_valid=1, ea_pa_valid=1, cpuid=0x2c3,
                            instr=7, pc_va=1, ea_va=2),
     "22 f8 b0 c0 00000007 0000000000000001 0000000000000002"),
    ("event", fields(kind=1, flags=0x203, detail=4, cpuid=0x506, address=7, value=8),
     "28 01 0203 0004 0506 0000000000000007 0000000000000008"),
    ("event_pc", fields(stated=1, word=1, pc=2, id=3), "29 80 0000 00000001 0000000000000002"
     "0000000000000003"),
    ("event_size", fields(site=1, size=2, value_high=3), "2a 00 0000 00000001 0000000000000002"
     "0000000000000003"),
    ("event_size", fields(placed=1, site=8, size=2, value_high=0x10002345),
     "2a 80 0000 00000008 0000000000000002 0000000010002345"),
    ("event_text", fields(last=1, is_site=1, number=2, text="a.c:31"), "2b c0 0000 00000002" +
     b"a.c:31".hex() + "00" * 10),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fields", "packed"), PACKED)
def test_records_lie_in_their_bytes_as_the_format_says(
    name: str, fields: dict[str, int | str], packed: str
) -> None:
    raw = bytes.fromhex(packed.replace(" ", ""))
    assert encode(name, **fields).hex() == raw.hex()
    found = decode(raw)
    assert {key: found[key] for key in fields} == fields
    untouched = {key: value for key, value in found.items() if key not in fields}
    if name != "rfs_cw":  # its size lies over asi and fcn
        assert not any(untouched.values())


def test_every_type_of_the_table_was_packed_by_hand() -> None:
    assert {name for name, _, _ in PACKED} == {kind.name for kind in rst_table.TYPES}


def field_values(field: rst_table.Field, version: int) -> st.SearchStrategy[int | str]:
    if field.text:
        characters = st.characters(min_codepoint=1, max_codepoint=255)
        return st.text(characters, max_size=field.width // 8)
    width = sum(part for _, part in field.parts_for(version))
    numbers = st.integers(0, (1 << width) - 1)
    if field.signed_shift >= 0:
        return numbers.map(
            lambda n: ((n - (n >> (width - 1) << width)) << field.signed_shift) % (1 << 64)
        )
    return numbers


@pytest.mark.parametrize("version", [1008, 2011, 2013])
@pytest.mark.parametrize("kind", rst_table.TYPES, ids=lambda kind: kind.name)
@settings(max_examples=examples(20))
@given(data=st.data())
def test_fields_survive_writing_and_reading(
    kind: rst_table.RecordType, version: int, data: st.DataObject
) -> None:
    fields = {f.name: data.draw(field_values(f, version)) for f in kind.fields}
    if kind.name == "rfs_cw":
        del fields["size"]
    raw = encode(kind.name, version=version, **fields)
    found = decode(raw, version)
    assert {key: found[key] for key in fields} == fields
    stale = data.draw(st.binary(min_size=24, max_size=24))
    over = encode(kind.name, version=version, base=stale, **fields)
    assert {key: decode(over, version)[key] for key in fields} == fields
    assert encode(kind.name, version=version, base=over, **decode(over, version)) == over


@given(st.binary(min_size=24, max_size=24), st.sampled_from([1008, 1010, 2011, 2012, 2013]))
def test_columns_agree_with_single_records(raw: bytes, version: int) -> None:
    for kind in rst_table.TYPES:
        first = bytes([kind.code])
        second = raw[1] & 0x7F | (kind.variant or 0) << 7 if kind.variant is not None else raw[1]
        record = first + bytes([second]) + raw[2:]
        batch = RstBatch(0, np.frombuffer(NULL + record, RECORD), version)
        found = decode(record, version)
        for field in kind.fields:
            if not field.text:
                column = batch.column(kind.name, field.name)
                assert int(column[1]) == found[field.name], (kind.name, field.name)


def test_old_traces_have_no_high_cpu_bits_and_no_hypervisor() -> None:
    raw = encode("instr", cpuid=0x3FF, hpriv=1)
    assert decode(raw, 2013)["cpuid"] == 0x3FF
    assert decode(raw, 2011)["cpuid"] == 0x3F
    assert decode(raw, 2011)["hpriv"] == 0
    old = encode("header", majorVer=1, minorVer=10, percent=0x25, header_str="RST Header v1.10")
    (first, second) = list(RstTrace("x", [old + raw]).records())
    assert first.fields["header_str"] == "RST Header v1.10"
    assert second.fields["cpuid"] == 0x3F


@pytest.mark.parametrize(
    ("name", "first"),
    [("instr", 1010), ("trap", 1010), ("regval", 1010), ("preg", 1009), ("pavadiff", 1006)],
)
def test_the_first_traces_name_no_cpu(name: str, first: int) -> None:
    """Shade's hash of the instruction was where INSTR has its cpu from 1.10 on."""
    raw = bytes([rst_table.BY_NAME[name].code]) + b"\xff" * 23
    assert decode(raw, first - 1)["cpuid"] == 0 and decode(raw, first)["cpuid"] != 0
    assert encode(name, version=first - 1, base=raw, cpuid=0) == raw
    column = RstBatch(0, np.frombuffer(raw, RECORD), first - 1).column(name, "cpuid")
    assert column.tolist() == [0]


def test_a_header_within_a_trace_changes_the_version_from_there_on() -> None:
    old = encode("header", majorVer=1, minorVer=10)
    raw = encode("instr", cpuid=0x3FF)
    cpus = [r.fields.get("cpuid") for r in RstTrace("x", [HEADER + raw + old + raw]).records()]
    assert cpus == [None, 0x3FF, None, 0x3F]


def test_context_was_the_name_of_preg() -> None:
    assert record.RstRecord(0, encode("preg"), 2004).name == "context"
    assert record.RstRecord(0, encode("preg"), 2005).name == "preg"


@pytest.mark.parametrize("length", [0, 1, 22, 23, 24, 45, 46, 47, 500])
def test_strings_take_as_many_records_as_the_format_says(length: int) -> None:
    text = "x" * length
    data = encode_string(text)
    assert len(data) == -(-(length + 1) // 23) * 24
    assert set(data[:-24:24]) <= {codes.STRCONT} and data[-24] == codes.STRDESC
    trace = RstTrace("x", [HEADER + data])
    assert sum(map(len, trace.batches())) == 1 + len(data) // 24
    assert trace.facts.strings == [text]


def test_leading_strings_become_facts() -> None:
    data = HEADER + encode_string("arch=ppc") + encode_string("image=/a b/prog base=0x10000")
    trace = RstTrace("x", [data])
    list(trace.batches())
    assert trace.facts.version == "2.13"
    assert trace.facts.arch == "ppc"
    assert [(image.path, image.base) for image in trace.facts.images] == [("/a b/prog", 0x10000)]


@given(st.lists(st.binary(min_size=23, max_size=23), max_size=20), st.data())
def test_a_copy_is_the_same_bytes_unknown_types_and_stale_bytes_included(
    bodies: list[bytes], data: st.DataObject
) -> None:
    codes = data.draw(st.lists(st.integers(2, 255), min_size=len(bodies), max_size=len(bodies)))
    whole = HEADER + b"".join(bytes([c]) + b for c, b in zip(codes, bodies, strict=True))
    cut = data.draw(st.integers(0, len(whole)))
    output = io.BytesIO()
    rst.copy(RstTrace("x", [whole[:cut], whole[cut:]]), output)
    assert output.getvalue() == whole
    again = io.BytesIO()
    rst.write(RstTrace("x", [whole]).records(), again)
    assert again.getvalue() == whole


@pytest.mark.parametrize("kept", range(1, 24))
def test_a_trace_cut_within_a_record_delivers_what_is_whole(kept: int) -> None:
    trace = RstTrace("cut.rst", [HEADER + INSTR + INSTR[:kept]])
    seen = []
    with pytest.raises(TraceError) as error:
        for batch in trace.batches():
            seen += list(batch.records())
    assert [record.raw for record in seen] == [HEADER, INSTR]
    assert error.value.offset == 48
    assert f"{kept} of 24 bytes of record 2, at byte offset 48" in error.value.message
    assert str(error.value.location) == "cut.rst"


CPU = encode("cpu", cpu=1)
VALUE = encode("memval64", size=4, addr=0x2000, val=1)
TORN = bytes(4) + INSTR[4:] + VALUE  # an event whose first word was not written yet


@pytest.mark.parametrize("torn", [b"", TORN])
@pytest.mark.parametrize("zeros", [24, 50, 1 << 16])
@pytest.mark.parametrize("chunk", [24, 100, 1 << 20])
def test_a_killed_programs_unused_space_is_the_end(zeros: int, chunk: int, torn: bytes) -> None:
    data = HEADER + INSTR + NULL + INSTR + torn + bytes(zeros)
    chunks = [data[start : start + chunk] for start in range(0, len(data), chunk)]
    trace = RstTrace("x", chunks)
    assert [r.raw for r in trace.records()] == [HEADER, INSTR, NULL, INSTR]
    assert trace.notes == [f"{UNENDED}; trace ends at record 4 (unwritten space follows)"]


@pytest.mark.parametrize("torn", [b"", TORN])
@pytest.mark.parametrize("chunk", [24, 100, 1 << 20])
def test_a_killed_threads_space_lies_before_another_threads_chunk(chunk: int, torn: bytes) -> None:
    data = HEADER + INSTR + torn + bytes(240) + CPU + INSTR
    chunks = [data[start : start + chunk] for start in range(0, len(data), chunk)]
    trace = RstTrace("x", chunks)
    found = list(trace.records())
    assert [record.raw for record in found] == [HEADER, INSTR, CPU, INSTR]
    assert found[2].index * 24 == data.index(CPU)
    last = found[2].index - 1
    assert trace.notes == [
        f"the events of a thread break off: records 2 to {last} were reserved and not written"
    ]


ONE = b"\1" + bytes(23)


@pytest.mark.parametrize("chunk", [24, 72, 1 << 20])
@pytest.mark.parametrize(
    ("junk", "places"),
    [
        (bytes(24) + INSTR, [3]),
        (bytes(24) + ONE + INSTR, [3, 4]),
        (bytes(24) + VALUE + INSTR, [4]),
        (bytes(23) + b"\1" + bytes(48) + INSTR, [5]),
        (bytes(24 * 17) + VALUE + INSTR, [19, 20]),
        (bytes(24) + bytes([99]) * 24, [3]),
    ],
)
def test_reading_goes_on_after_records_of_type_0(
    junk: bytes, places: list[int], chunk: int
) -> None:
    data = HEADER + INSTR + junk
    trace = RstTrace("x", [data[start : start + chunk] for start in range(0, len(data), chunk)])
    assert [record.index for record in trace.records()] == [0, 1, *places]
    assert trace.incomplete and trace.notes == [
        "the events of a thread break off: records 2 to "
        f"{places[0] - 1} were reserved and not written"
    ]


@pytest.mark.parametrize("kind", [1, 99, 255])
def test_records_of_other_types_are_passed_over(kind: int) -> None:
    trace = RstTrace("x", [HEADER + bytes([kind]) + bytes(23) + INSTR])
    assert [record.rtype for record in trace.records()] == [2, kind, 3]
    assert not trace.incomplete and trace.notes == []


@given(st.binary(max_size=400))
def test_random_bytes_raise_nothing_but_the_documented_error(data: bytes) -> None:
    for method in (RstTrace.records, RstTrace.events):
        try:
            for item in method(RstTrace("x", [data])):
                if isinstance(item, record.RstRecord):
                    assert isinstance(item.fields, dict)
        except TraceError:
            pass


def test_values_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InstError, match=r"cpuid=1024 does not fit into 10 bits"):
        encode("instr", cpuid=1024)
    with pytest.raises(InstError, match="longer than 23 bytes"):
        encode("strdesc", string="x" * 24)


def test_a_number_may_be_spelled_anew() -> None:
    """Each text counts from its record on, also where it was spelled before, in one or two."""
    texts = ("a.c:1", "b.c:2", "a.c:1", "a.c:1", "a_long_name_of_a_file.c:3", "a.c:1", "b.c:2")
    trace = RstTrace("t", ())
    spelled = Texts(trace)
    for text in texts:
        pieces = [text[at : at + 16] for at in range(0, len(text), 16)]
        for place, piece in enumerate(pieces):
            last = int(place == len(pieces) - 1)
            data = encode("event_text", last=last, is_site=1, number=1, text=piece)
            spelled.take(RstBatch(0, np.frombuffer(data, RECORD), 2013))
        assert trace.sites.texts[spelled.sites[1]] == text


def test_sites_may_be_places_in_the_code() -> None:
    """Their texts have as many digits as an address of the program."""
    data = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST")
    for place in (0x10002345, 0x1_0000_2345, 0x10002345):
        data += encode("event", kind=Kind.HINT)
        data += encode("event_size", placed=1, site=16, size=9, value_high=place)
    data += encode("event", kind=Kind.LOCK) + encode("event_size", placed=1, site=8, value_high=20)
    events = [one for one in open_trace(io.BytesIO(data)).objects() if one.site]
    places = ["0x0000000010002345", "0x0000000100002345", "0x0000000010002345", "0x00000014"]
    assert [one.site for one in events] == places
    assert [one.size for one in events] == [9, 9, 9, 0]


def test_events_of_one_batch_have_the_texts_before_them() -> None:
    """The low halves of two places in 64-bit code may be the same number."""
    texts = ("a.c:1", "b.c:2", "a.c:1", "c.c:3", "c.c:3", "b.c:2")
    data = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST")
    for text in texts:
        data += encode("event_text", last=1, number=1, text=text[0])
        data += encode("event_text", last=1, is_site=1, number=1, text=text)
        data += encode("event", kind=Kind.HINT, detail=1) + encode("event_size", site=1)
    events = [one for one in open_trace(io.BytesIO(data)).objects() if one.kind == Kind.HINT]
    assert [one.site for one in events] == list(texts)
    assert [one.detail for one in events] == [text[0] for text in texts]
