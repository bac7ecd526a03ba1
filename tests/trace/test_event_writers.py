"""Events to records and back: what is read from what was written is what was written."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.trace.model import EVENT, Array, Flag, Kind, Trace
from inst.trace.rst import RstTrace
from inst.trace.rst_write import RstWriter
from inst.trace.sexp import SexpTrace
from inst.trace.sexp_write import SexpWriter

WORDS = ["", "plain", "release", "dsb ish", "isb", "vae2is", "vmalle1", "ttbr_el2", "Odd one", 'a"b\\',
         "set_root_lock", "dsb  x", "ü", "word-of-more-than-sixteen-bytes"]  # fmt: skip
SITES = ["", "a.c:31", "/long/path/to a/source file.c:1234", 'q"uote.c:1']
PPC_WORDS = [0x80640004, 0x98640001, 0xBFC1FFF8, 0x7C632214, 0x7C60212D, 0x7C602028, 0x41820010,
             0xE0640000, 0xF8640002, 0x7C0007AC]  # fmt: skip
U64 = st.one_of(st.integers(0, 300), st.integers(0, (1 << 64) - 1))


class Source(Trace):
    """A trace that says nothing but what a test puts into it."""

    format = "test"

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


@settings(max_examples=300, deadline=None)
@given(st.lists(rows(), max_size=12), st.integers(0, 12), st.sampled_from([24, 72, 1 << 20]))
def test_every_event_survives_rst(found: list[tuple[int, ...]], cut: int, chunk: int) -> None:
    trace, events = source(), table(found)
    data = written(RstWriter, trace, [events[:cut], events[cut:]])
    assert said(*read_rst(data, chunk)) == said(trace, [events])


@settings(max_examples=300, deadline=None)
@given(st.lists(rows(), max_size=12), st.integers(0, 12))
def test_every_event_survives_s_expressions(found: list[tuple[int, ...]], cut: int) -> None:
    trace, events = source(), table(found)
    data = written(SexpWriter, trace, [events[:cut], events[cut:]])
    assert said(*read_sexp(data)) == said(trace, [events])
