"""The s-expression codec: dialects, round trips, exact places of mistakes."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inst.errors import InstError
from inst.formats.sexp import trace as sexp
from inst.formats.sexp.record import SexpRecord, render, write
from inst.formats.sexp.table import KINDS, TLBI_BY_ADDRESS
from inst.formats.sexp.trace import SexpTrace
from inst.trace import open_trace
from inst.trace.ending import UNENDED
from inst.trace.model import Kind, TraceError


def read(data: bytes | str) -> list[SexpRecord]:
    data = data.encode() if isinstance(data, str) else data
    return list(SexpTrace("t.log", [data]).records())


def said(text: str) -> tuple[object, ...]:
    (record,) = read(text)
    return (record.kind, record.id, record.thread, dict(record.fields), record.source)


WRITE = {"mem-order": "release", "address": 0x5000, "value": 0x8003}

DIALECTS = [
    ('(mem-write (id 11) (tid 0) (mem-order release) (address 0x5000) (value 0x8003) '
     '(src "a.c:31"))', ("mem-write", 11, 0, WRITE, "a.c:31")),
    ('(mem-write 11 0 release 5000 8003 "a.c:31")', ("mem-write", 11, 0, WRITE, "a.c:31")),
    ('(mem-write 11 0 "a.c:31" release 5000 8003)', ("mem-write", 11, 0, WRITE, "a.c:31")),
    ("(mem-write (id 11) 0 release (address 5000) 0x8003 7)", ("mem-write", 11, 0, WRITE, 7)),
    ("(MEM-WRITE (ID 11) (THREAD 0) (mem-order RELEASE) (Address 5000) (value 8003))",
     ("mem-write", 11, 0, WRITE, None)),
    ("(mem-write(id 11)(tid 0)(mem-order release)\n\t(address 5000)\r\n(value 8003)\n)",
     ("mem-write", 11, 0, WRITE, None)),
    ("(mem-write (id 11) (tid 0) (mem-order release) (address 5000) (value 8003) (size 4) "
     "(src 0x10450))", ("mem-write", 11, 0, WRITE | {"size": 4}, 0x10450)),
    ("(mem-read (id 1) (tid 2) (address ff) (value ffffffffffffffff))",
     ("mem-read", 1, 2, {"address": 0xff, "value": (1 << 64) - 1}, None)),
    ("(mem-read (id 18446744073709551615) (tid 4000) (address 0) (value 0))",
     ("mem-read", (1 << 64) - 1, 4000, {"address": 0, "value": 0}, None)),
    ("(mem-read (id 1) (tid 2) (address ff) (size 4) (src 0x20))",
     ("mem-read", 1, 2, {"address": 0xff, "size": 4}, 0x20)),
    ("(mem-init 1 0 1000 1000)", ("mem-init", 1, 0, {"address": 0x1000, "size": 0x1000}, None)),
    ("(mem-set (id 1) (tid 0) (address 8) (size 10) (value 0) (src 3))",
     ("mem-set", 1, 0, {"address": 8, "size": 16, "value": 0}, 3)),
    ('(barrier (id 5) (tid 1) dsb (kind ish) (src "x:1"))',
     ("barrier", 5, 1, {"barrier": "dsb", "kind": "ish"}, "x:1")),
    ('(barrier 5 1 DSB ISH "x:1")', ("barrier", 5, 1, {"barrier": "dsb", "kind": "ish"}, "x:1")),
    ('(barrier (id 5) (tid 1) isb (src "x:1"))', ("barrier", 5, 1, {"barrier": "isb"}, "x:1")),
    ("(barrier 5 1 isb 9)", ("barrier", 5, 1, {"barrier": "isb"}, 9)),
    ("(tlbi (id 5) (tid 1) vmalls12e1is)", ("tlbi", 5, 1, {"op": "vmalls12e1is"}, None)),
    ("(tlbi 5 1 vmalls12e1is 9)", ("tlbi", 5, 1, {"op": "vmalls12e1is"}, 9)),
    ("(tlbi 5 1 vae2is 9 10)", ("tlbi", 5, 1, {"op": "vae2is", "value": 9}, 10)),
    ("(tlbi 5 1 vae2is 9 2 10)", ("tlbi", 5, 1, {"op": "vae2is", "value": 9, "level": 2}, 10)),
    ('(tlbi 5 1 "x:1" vae2is 9 2)',
     ("tlbi", 5, 1, {"op": "vae2is", "value": 9, "level": 2}, "x:1")),
    ("(tlbi (id 5) (tid 1) vae2is (value 9))", ("tlbi", 5, 1, {"op": "vae2is", "value": 9}, None)),
    ("(tlbi (id 5) (tid 1) vae2is (addr 10) (level 3))",
     ("tlbi", 5, 1, {"op": "vae2is", "addr": 0x10, "level": 3}, None)),
    ("(sysreg-write (id 5) (tid 1) (sysreg TTBR_EL2) (value 10))",
     ("sysreg-write", 5, 1, {"sysreg": "ttbr_el2", "value": 16}, None)),
    ("(msr 5 1 vttbr_el2 10)", ("sysreg-write", 5, 1, {"sysreg": "vttbr_el2", "value": 16}, None)),
    ("(hint (id 1) (tid 0) (kind set_root_lock) (location 10) (value 20))",
     ("hint", 1, 0, {"kind": "set_root_lock", "location": 16, "value": 32}, None)),
    ("(lock (id 1) (tid 0) (address 10))", ("lock", 1, 0, {"address": 16}, None)),
    ("(trylock 1 0 10)", ("trylock", 1, 0, {"address": 16}, None)),
    (r'(unlock 1 0 10 "a \"b\" C:\\d.c:4")', ("unlock", 1, 0, {"address": 16}, r'a "b" C:\d.c:4')),
    ('(image (id 0) (tid 9) (base 0x10000) (path "/a b/p"))',
     ("image", 0, 9, {"base": 0x10000, "path": "/a b/p"}, None)),
    ("(mem-reserve (id 1) (tid 9) (address ff) (size 4) (src 0x10))",
     ("mem-reserve", 1, 9, {"address": 255, "size": 4}, 16)),
    ('(producer (id 0) (tid 1) (name "inst 0.1") (arch ppc))',
     ("producer", 0, 1, {"name": "inst 0.1", "arch": "ppc"}, None)),
    ("(call (id 3) (tid 1) (to (fn main)) (src 4))", ("call", 3, 1, {"to": "(fn main)"}, 4)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), DIALECTS)
def test_every_dialect_is_read(text: str, expected: tuple[object, ...]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(("text", "expected"), DIALECTS)
def test_both_spellings_written_are_read_back(text: str, expected: tuple[object, ...]) -> None:
    (record,) = read(text)
    for condensed in (False, True):
        assert said(render(record, condensed=condensed)) == expected


def test_numbers_over_64_bits_are_not_written() -> None:
    record = SexpRecord(0, "lock", 1, 0, (("address", 1 << 64),))
    with pytest.raises(InstError, match="lock: address 18446744073709551616 does not fit"):
        write([record], io.BytesIO())


def test_current_spelling() -> None:
    (record,) = read(DIALECTS[0][0])
    assert render(record) == DIALECTS[0][0]
    assert render(record, condensed=True) == '(mem-write 11 0 release 0x5000 0x8003 "a.c:31")'
    (barrier,) = read("(barrier 5 1 dsb ish)")
    assert render(barrier) == "(barrier (id 5) (tid 1) dsb (kind ish))"


U64 = st.integers(0, (1 << 64) - 1)
WORD = {
    "mem-order": ["plain", "release"],
    "barrier": ["dsb"],
    "kind": ["ish", "sy", "release_table"],
    "op": sorted(TLBI_BY_ADDRESS),
    "sysreg": ["ttbr_el2"],
    "what": ["instruction"],
}
TEXT = st.text('aZ09 "\\()\n\t\r!;:./\x7f\x85é中\U0001f600')
"""Of few characters, which are drawn much faster than ones of categories."""


@st.composite
def records(draw: st.DrawFn) -> SexpRecord:
    kind = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    fields: list[tuple[str, int | str]] = []
    for field in kind.fields:
        if field.optional and field.key != "value" and draw(st.booleans()):
            break
        if field.type == "word":
            fields.append((field.key, draw(st.sampled_from(WORD[field.key]))))
        else:
            fields.append((field.key, draw(TEXT if field.type == "text" else U64)))
    if kind.extra and draw(st.booleans()):
        fields.append(("size", draw(st.sampled_from([1, 2, 4, 16]))))
    source = draw(st.one_of(st.none(), U64, TEXT))
    return SexpRecord(0, kind.name, draw(U64), draw(U64), tuple(fields), source)


@given(st.lists(records(), max_size=5), st.booleans())
def test_written_records_are_read_back(expected: list[SexpRecord], condensed: bool) -> None:
    output = io.BytesIO()
    assert write(expected, output, condensed=condensed) == len(expected)
    found = read(output.getvalue())
    plain = [record._replace(text=b"", line=0, ordinal=0) for record in found]
    assert plain == expected


@given(st.lists(st.sampled_from([text for text, _ in DIALECTS]), max_size=6), st.data())
def test_a_copy_is_the_same_bytes_wherever_the_chunks_end(
    texts: list[str], data: st.DataObject
) -> None:
    gaps = st.sampled_from(["\n", " ", "\r\n", "\n\n\t", ""])
    whole = "".join(text + data.draw(gaps) for text in texts) + data.draw(
        st.sampled_from(["", "\n! verdict", "\n! failed (at 3)\nmore (junk\n"])
    )
    raw = whole.encode()
    size = data.draw(st.integers(1, len(raw) + 1))
    chunks = [raw[start : start + size] for start in range(0, len(raw), size)]
    output = io.BytesIO()
    assert sexp.copy(SexpTrace("t", chunks), output) == len(texts)
    assert output.getvalue() == raw
    lines = [record.line for record in SexpTrace("t", chunks).records()]
    assert lines == [record.line for record in read(raw)]


def test_an_empty_file_is_an_empty_trace() -> None:
    assert read("") == [] and read(" \n\t\n") == []


def test_a_verdict_line_ends_the_trace() -> None:
    trace = SexpTrace("t", [b"(lock 1 0 5)\n  ! good\n(not a record"])
    assert [record.kind for record in trace.records()] == ["lock"]
    assert trace.verdict == "! good"
    assert trace.notes == ["the producer ended the trace: ! good"]


MISTAKES = [
    ("(lock 1 0 5)\n(lock 2 0 )", 2, 1, "lock ends where (address HEX) should be"),
    ("(lock 1 0 0x)", 1, 11, "expected lock address, a number, but found '0x'"),
    ("(lock 1 0 5g)", 1, 11, "a number"),
    ("(lock x 0 5)", 1, 7, "expected lock id, a number, but found 'x'"),
    ("(lock 0a 0 5)", 1, 7, "a number"),
    ("\n  (lock 1 0 10000000000000000)", 2, 13, "wider than 64 bits"),
    ("(lock 1 0 5 6 7)", 1, 15, "one value too many"),
    ("(mem-write (id 1) (tid 0) (address 5) (value 6))", 1, 27, "expected (mem-order WORD)"),
    ("(mem-write 1 0 fast 5 6)", 1, 16, "expected plain or release"),
    ("(mem-write (id 1 2) (tid 0))", 1, 12, "(id ...) holds 2 values"),
    ("(lock 1 0 5) )", 1, 14, "expected '('"),
    ("(lock 1 0 5) ! not at the start of a line", 1, 14, "expected '('"),
    ("hello", 1, 1, "expected '('"),
    ("()", 1, 1, "expected a record kind"),
    ("(lock 1 0 5)\n(lock 2 0 5", 2, 1, "ends within this record"),
    ('(lock 1 0 5 "unfinished)\n\n', 1, 1, "ends within this record"),
    ("(lock 1 0 5)\n\0(lock 2 0 5)", 2, 1, "NUL byte before further data"),
    ("(lock 1 \0 0 5)\n", 1, 9, "NUL byte within a record"),
    ("(" * 100, 1, 65, "nested deeper"),
    ('(lock (id 1) (tid 0) (address 5) (src "a" "b"))', 1, 34, "expected (src"),
]  # fmt: skip


@pytest.mark.parametrize("chunk", [1, 5, 1 << 20])
@pytest.mark.parametrize(("text", "line", "column", "message"), MISTAKES)
def test_mistakes_are_said_with_their_place(
    text: str, line: int, column: int, message: str, chunk: int
) -> None:
    raw = text.encode()
    chunks = [raw[start : start + chunk] for start in range(0, len(raw), chunk)]
    seen = []
    with pytest.raises(TraceError) as error:
        for batch in SexpTrace("t.log", chunks).batches():
            seen += batch.records
    location = error.value.location
    assert location is not None
    assert (location.line, location.column) == (line, column)
    assert message in error.value.message
    assert len(seen) == (text.startswith("(lock 1 0 5)"))


@pytest.mark.parametrize("before", ["", "(lock 1 0 5)\n", "(lock 1 0 5)\n(lock 2 0"])
@pytest.mark.parametrize("chunk", [3, 1 << 20])
def test_a_killed_programs_unused_space_is_the_end(before: str, chunk: int) -> None:
    raw = before.encode() + bytes(1000)
    chunks = [raw[start : start + chunk] for start in range(0, len(raw), chunk)]
    trace = SexpTrace("t", chunks)
    assert len(list(trace.records())) == bool(before)
    assert len(trace.notes) == 1 and trace.notes[0].startswith(UNENDED)
    assert ("incomplete" in trace.notes[0]) == ("lock 2" in before)


TORN = b"\0mem-read (id 9) (tid 1) (address 0x5"


@pytest.mark.parametrize("torn", [b"", TORN, TORN + b") (value 0x1))\n"])
@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_a_killed_threads_space_lies_before_another_threads_chunk(chunk: int, torn: bytes) -> None:
    fast = b"(mem-read (id 2) (tid 0) (address 0x5) (value 0x5))\n"
    raw = b"(lock 1 0 5)\n" + torn + bytes(200) + fast + torn + bytes(40)
    chunks = [raw[start : start + chunk] for start in range(0, len(raw), chunk)]
    trace = SexpTrace("t", chunks)
    assert [record.id for record in trace.records()] == [1, 2]
    assert trace.notes == [
        f"the events of a thread break off: {200 + bool(torn)} bytes before record 1 "
        "were reserved and not written",
        f"{UNENDED}; trace ends at record 2 (zero bytes follow)",
    ]


PIECES = b"\0mem-write (id 9)\0(value\0\0x1)\0siz\0 \0(src 0x5"
"""Of a record that was being written: compilers store its bytes in any order."""


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
@pytest.mark.parametrize(
    ("room", "zeros"),
    [
        (PIECES + bytes(40) + b"\n", 47),
        (PIECES + b"))\n" + bytes(40) + b"\n", 47),
        (b"   \0\0 \n", 2),
        (PIECES + bytes(40) + b"\n" + PIECES + bytes(30) + b"\n", 84),
    ],
)
def test_a_record_that_was_being_written_is_passed_over(
    chunk: int, room: bytes, zeros: int
) -> None:
    raw = b"(lock 1 0 5)\n" + room + b"(lock 2 0 5)\n"
    trace = SexpTrace("t", [raw[start : start + chunk] for start in range(0, len(raw), chunk)])
    assert [record.id for record in trace.records()] == [1, 2]
    assert trace.notes == [
        f"the events of a thread break off: {zeros} bytes before record 1 "
        "were reserved and not written"
    ]


@pytest.mark.parametrize("room", [PIECES + b"\n", PIECES + bytes(40) + b"\nx", b"\0"])
def test_other_zeros_are_damage(room: bytes) -> None:
    trace = SexpTrace("t", [b"(lock 1 0 5)\n" + room + b"(lock 2 0 5)\n"])
    with pytest.raises(TraceError, match=r"t:2:.*a NUL byte before further data"):
        list(trace.records())


def test_producers_and_images_become_facts() -> None:
    trace = SexpTrace("t", [
        b'(producer (id 1) (tid 1) (name "arch") (value "ppc"))\n'
        b'(producer (id 2) (tid 1) (name "host") (value "a \\"b\\""))\n'
        b'(image (id 3) (tid 1) (base 0x40000000) (path "/x y/p"))\n'
    ])  # fmt: skip
    assert [record.kind for record in trace.records()] == ["producer", "producer", "image"]
    assert trace.facts.arch == "ppc"
    assert trace.facts.strings == ["arch=ppc", 'host=a "b"']
    assert [(image.path, image.base) for image in trace.facts.images] == [("/x y/p", 0x40000000)]


def test_a_record_may_be_long_but_not_endless() -> None:
    path = "x" * 5000
    assert said(f'(lock 1 0 5 "{path}:3")')[4] == f"{path}:3"
    chunks = [b"(lock 1 0 5 "] + [b"a " * 50000] * 15
    with pytest.raises(TraceError, match=r"is a '\)' missing"):
        list(SexpTrace("t", chunks).records())


@given(st.one_of(st.binary(max_size=200), st.text('()"0x12 ab!\n\\\0', max_size=60)))
def test_random_input_raises_nothing_but_the_documented_error(data: bytes | str) -> None:
    raw = data if isinstance(data, bytes) else data.encode()
    for method in (SexpTrace.batches, SexpTrace.events):
        try:
            list(method(SexpTrace("x", [raw])))
        except TraceError as error:
            assert error.location is not None and error.location.line >= 1


def test_events_carry_what_the_records_say() -> None:
    text = "\n".join(text for text, _ in DIALECTS)
    trace = open_trace(io.BytesIO(text.encode()))
    events = list(trace.objects())
    assert len(events) == len(DIALECTS)
    for event, (_, (kind, number, thread, fields, source)) in zip(events, DIALECTS, strict=True):
        assert isinstance(fields, dict)
        assert (event.id, event.thread) == (number, thread)
        assert event.kind == (KINDS[str(kind)].kind if kind in KINDS else Kind.OTHER)
        assert event.site == (source if isinstance(source, str) else "")
        assert event.pc == (source if isinstance(source, int) else None)
        assert event.value == fields.get("value", fields.get("addr"))
    assert [event.size for event in events[:8]] == [8, 8, 8, 8, 8, 8, 4, 8]
    assert [events[i].detail for i in (0, 12, 14, 16, 23, 25)] == [
        "release", "dsb ish", "isb", "vmalls12e1is", "ttbr_el2", "set_root_lock",
    ]  # fmt: skip


def test_fields_behind_their_place_still_count() -> None:
    trace = open_trace(io.BytesIO(b"(mem-read (id 1) (tid 0) (address 8) (size 4) (value 0x10))"))
    (event,) = trace.objects()
    assert (event.size, event.value) == (4, 16)
