"""Events to records and back: what is read from what was written is what was written."""

from __future__ import annotations

import io

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.formats.rst.codes import EVENT_PC, EVENT_RECORD, EVENT_SIZE
from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.formats.rst.write import RstWriter
from inst.formats.sexp.trace import SexpTrace
from inst.formats.sexp.write import SexpWriter
from inst.trace.model import EVENT, Array, Flag, Kind, Trace
from tests.sizes import examples

WORDS = ["", "plain", "release", "dsb ish", "isb", "vae2is", "vmalle1", "ttbr_el2", "Odd one",
         'a"b\\', "set_root_lock", "dsb  x", "ü", "word-of-more-than-sixteen-bytes"]  # fmt: skip
SITES = ["", "a.c:31", "/long/path/to a/source file.c:1234", 'q"uote.c:1']
PPC_WORDS = [0x80640004, 0x98640001, 0xBFC1FFF8, 0x7C632214, 0x7C60212D, 0x7C602028, 0x41820010,
             0xE0640000, 0xF8640002, 0x7C0007AC]  # fmt: skip
U64 = st.one_of(st.integers(0, 300), st.integers(0, (1 << 64) - 1))


class Source(Trace):
    """A trace that says nothing but what a test puts into it."""

    format = "stf"  # which has no ids of its own

    def batches(self) -> object:  # type: ignore[override]
        return iter(())

    records = batches  # type: ignore[assignment]
    events = batches  # type: ignore[assignment]


def source(arch: str = "ppc64") -> Source:
    trace = Source("source")
    for text in WORDS:
        trace.words.number(text)
    for text in SITES:
        trace.sites.number(text)
    trace.facts.arch = arch
    return trace


@st.composite
def rows(draw: st.DrawFn) -> tuple[int, ...]:
    kind = draw(st.sampled_from(list(Kind)))
    flags = Flag(draw(st.integers(0, 511)))
    if draw(st.booleans()):  # what a tracer would say
        flags = Flag.HAS_PC | Flag.HAS_WORD | Flag.HAS_ADDRESS | draw(
            st.sampled_from([Flag(0), Flag.HAS_VALUE, Flag.PRIVILEGED | Flag.HAS_VALUE])
        )  # fmt: skip
    word = draw(st.one_of(st.sampled_from(PPC_WORDS), st.integers(0, (1 << 32) - 1)))
    size = draw(st.sampled_from([0, 1, 2, 4, 8, 16, 64, 4096]))
    has_value = bool(flags & Flag.HAS_VALUE)
    value = draw(U64) & ((1 << 8 * min(size or 8, 8)) - 1)
    return (
        0,
        0,
        draw(st.sampled_from([0, 1, 4711, (1 << 64) - 1])),
        draw(U64) if flags & Flag.HAS_PC else 0,
        draw(U64) if flags & Flag.HAS_ADDRESS else 0,
        size,
        value if has_value else 0,
        draw(U64) if has_value and size == 16 else 0,
        word if flags & Flag.HAS_WORD else 0,
        draw(st.sampled_from([0, 0, 0, 1, 2, 3])),
        int(kind),
        int(flags),
        draw(st.sampled_from([0, 0, 0, *range(len(WORDS))])),
        draw(st.sampled_from([0, 0, 1, 700, 1023, 1024, 65535])),
    )


def table(found: list[tuple[int, ...]], ids: list[int] | None = None) -> Array:
    events = np.array(found, EVENT)
    events["id"] = events["record"] = np.arange(len(events)) if ids is None else ids
    return events


def written(writer: type[RstWriter] | type[SexpWriter], trace: Trace, parts: list[Array]) -> bytes:
    output = io.BytesIO()
    writing = writer(trace, output)
    for part in parts:
        if len(part):
            writing.events(part)
    writing.finish()
    return output.getvalue()


def said(trace: Trace, events: list[Array], *, ids: bool = False) -> list[tuple[object, ...]]:
    """Return the events as plain values: words and sites spelled, a plain store's word left out."""
    found = []
    for batch in events:
        for row in batch:
            word = trace.words.texts[row["detail"]]
            if row["kind"] == Kind.WRITE and word == "plain":
                word = ""
            site = trace.sites.texts[row["site"]]
            names = ("thread", "pc", "address", "size", "value", "value_high", "word", "kind",
                     "flags", "cpu")  # fmt: skip
            columns = {name: int(row[name]) for name in names} | {"detail": word, "site": site}
            columns["flags"] &= ~int(Flag.STATED)  # how the id is told
            columns["kind"] = Kind(columns["kind"]).name
            found.append(tuple((columns | ({"id": int(row["id"])} if ids else {})).items()))
    return found


def read_rst(data: bytes, chunk: int = 1 << 20) -> tuple[Trace, list[Array]]:
    chunks = [data[start : start + chunk] for start in range(0, len(data), chunk)]
    trace = RstTrace("x", chunks)
    return trace, list(trace.events())


def read_sexp(data: bytes) -> tuple[Trace, list[Array]]:
    trace = SexpTrace("x", [data])
    batches = list(trace.events())
    kept = [b[(b["kind"] != Kind.PRODUCER) | (b["id"] != 0) | (b["thread"] != 0)] for b in batches]
    return trace, kept


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(rows(), max_size=12), st.integers(0, 12), st.sampled_from([24, 72, 1 << 20]))
def test_every_event_survives_rst(found: list[tuple[int, ...]], cut: int, chunk: int) -> None:
    trace, events = source(), table(found)
    data = written(RstWriter, trace, [events[:cut], events[cut:]])
    assert said(*read_rst(data, chunk)) == said(trace, [events])


@settings(max_examples=examples(150), deadline=None)
@given(st.lists(rows(), max_size=12), st.integers(0, 12))
def test_every_event_survives_s_expressions(found: list[tuple[int, ...]], cut: int) -> None:
    trace, events = source(), table(found)
    data = written(SexpWriter, trace, [events[:cut], events[cut:]])
    assert said(*read_sexp(data)) == said(trace, [events])


def test_what_rst_has_records_for_is_written_in_them() -> None:
    data = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    data += encode("traceinfo", rtype2=2) + encode_string("arch=ppc64")
    data += encode("cpu", cpu=3) + encode("thread", tid=4711) + encode("preg", cpuid=3)
    data += encode("pavadiff", cpuid=3, ea_valid=1)
    halves = [(1, 8, 0), (2, 8, 8)]
    registers = [(5, 4, 0), (6, 4, 4)]
    for word, values in (
        (0x80640004, [(7, 4, 0)]),
        (0x7C632214, []),
        (0xE0640000, halves),
        (0xBFC1FFF8, registers),
    ):
        ea = {"ea_valid": 1, "ea_va": 0x2000} if values else {}
        data += encode("instr", cpuid=3, instr=word, pc_va=0x400, **ea)
        for number, size, offset in values:
            data += encode(
                "memval64", addrisVA=1, cpuid=3, addr=0x2000 + offset, val=number, size=size
            )
    data += encode("trap", cpuid=3, ttype=0x108, syscall=4, pc=0x500) + encode("recnum", cpuid=3)
    data += encode("status", status=2)
    trace = RstTrace("x", [data])
    assert written(RstWriter, trace, list(trace.events())) == data
    trace = RstTrace("x", [data])
    text = written(SexpWriter, trace, list(trace.events()))
    back = SexpTrace("x", [text])
    kept = [b[b["kind"] != Kind.PRODUCER] for b in back.events()]
    start = 0
    for batch in kept:  # ids without a jump, which would have to be said
        batch["id"] = np.arange(start, start + len(batch))
        start += len(batch)
    again = written(RstWriter, back, kept)
    own = {EVENT_RECORD, EVENT_PC, EVENT_SIZE}  # the first states its id
    assert set(again[::24]) <= set(data[::24]) | own
    assert list(again[::24]).count(EVENT_RECORD) == 1
    assert said(*read_rst(again)) == said(*read_rst(data))


def test_ids_out_of_order_are_kept() -> None:
    trace = source()
    row = (0, 0, 0, 0x400, 0x2000, 4, 7, 0, 0x80640004, 0, 1, 15, 0, 0)
    events = table([row] * 4, ids=[5, 6, 2, 7])
    found = read_rst(written(RstWriter, trace, [events]))[1]
    assert 2 in np.concatenate(found)["id"]
    assert said(trace, found) == said(trace, [events])


def test_current_spelling_for_memory_and_an_event_for_the_rest() -> None:
    trace = source()
    read = (0, 0, 9, 0x400, 0x2000, 4, 7, 0, 0x80640004, 0, 1, 15, 0, 0)
    add = (0, 0, 9, 0x404, 0, 0, 0, 0, 0x7C632214, 0, 3, 9, 0, 0)
    text = written(SexpWriter, trace, [table([read, add])]).decode()
    assert text.splitlines() == [
        '(producer (id 0) (tid 0) (name "arch") (value "ppc64"))',
        "(mem-read (id 1) (tid 9) (address 0x2000) (value 0x7) (size 4) (word 0x80640004) "
        "(src 0x400))",
        "(event (id 2) (tid 9) instruction (word 0x7c632214) (src 0x404))",
    ]
