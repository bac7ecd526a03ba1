"""Columns of regular s-expression lines against the reader of single records."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.formats.sexp import columns as sexp_columns
from inst.formats.sexp import events as sexp_events
from inst.formats.sexp import fast as sexp_fast
from inst.formats.sexp import layouts as sexp_layouts
from inst.formats.sexp import lines as sexp_lines
from inst.formats.sexp import trace as sexp
from inst.formats.sexp.text import sexp_blocks
from inst.formats.sexp.trace import SexpTrace
from inst.trace.model import TraceError
from tests.sizes import examples

LEAST = sexp_lines.LEAST


def single_records(trace: SexpTrace) -> list[Any]:
    """Read the trace one record at a time by the general reader, regular or not."""
    rows = []
    for batch in trace.batches():
        records = batch.records
        if batch.regular:  # not even the regular expression is trusted
            data = batch.regular.data
            place = sexp_fast.Place(0, records[0].ordinal, batch.regular.line)
            general = []
            while place.position < len(data):
                general.append(sexp_fast.general_record(data, place))
            assert general == records
        rows += sexp_events.rows(records, trace).tolist() if records else []
    return rows


def outcome(method: Any, trace: SexpTrace) -> tuple[Any, ...]:
    """Return everything that reading shows: rows, words, sites, notes, and the error."""
    rows, error = [], None
    try:
        for item in method(trace):
            rows += item.tolist() if isinstance(item, np.ndarray) else [item]
    except TraceError as found:
        error = (found.message, str(found.location), found.source)
    return rows, trace.words.texts, trace.sites.texts, trace.notes, trace.count, error


def slowly(data: bytes, size: int) -> Any:
    """Read without columns at all."""
    with mock.patch.object(sexp, "read_lines", lambda *_: None):
        return outcome(single_rows, SexpTrace("t", cut(data, size)))


@contextmanager
def few_are_enough(count: int) -> Iterator[None]:
    """Let that many lines be worth a layout."""
    with mock.patch.object(sexp_layouts, "ENOUGH", count):
        yield


def single_rows(trace: SexpTrace) -> Any:
    for batch in trace.batches():
        assert batch.regular is None
        if batch.records:
            yield sexp_events.rows(batch.records, trace)


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


KEYED = (
    "(mem-read (id {id}) (tid {tid}) (address 0x{a:08x}) (value 0x{v:x}) (size 4) (src 0x{p:x}))",
    "(mem-read (id {id}) (tid {tid}) (address {a:016x}) (value {v:x}))",
    "(mem-read (id {id}) (tid {tid}) (address 0x{a:x}) (size 2) (src 0x{p:x}))",
    '(mem-write (id {id}) (tid {tid}) (mem-order plain) (address 0x{a:x}) (value {v:x}) '
    '(src "a.c:{line}"))',
    '(mem-write (id {id}) (tid {tid}) (mem-order release) (address 0x{a:X}) (value 0) '
    '(size {line}) (src "{long}/é b:{line}"))',
    "(mem-write (id {id}) (tid {tid}) (mem-order plain) (address 0) (value 0x{v:x}) (src {line}))",
    "(mem-reserve (id {id}) (tid {tid}) (address 0x{a:x}) (size 4) (src 0x{p:x}))",
    "(mem-init (id {id}) (tid {tid}) (address 0x{a:x}) (size 1000))",
    '(mem-set (id {id}) (tid {tid}) (address {a:x}) (size 10) (value {v:x}) (src ""))',
    "(lock (id {id}) (tid {tid}) (address {a:x}))",
    "(barrier (id {id}) (tid {tid}) dsb (kind ish))",
    '(barrier (id {id}) (tid {tid}) isb (src "{long}a.c:{line}"))',
    "(barrier (id {id}) (tid {tid}) dsb (kind oshst) (src 0x{p:x}))",
    "(tlbi (id {id}) (tid {tid}) vmalls12e1is)",
    '(tlbi (id {id}) (tid {tid}) ipas2e1is (value 0x{v:x}) (src "a.c:{line}"))',
    "(tlbi (id {id}) (tid {tid}) alle2os (src {line}))",
    "(sysreg-write (id {id}) (tid {tid}) (sysreg vttbr_el2) (value 0x{v:x}))",
    "(hint (id {id}) (tid {tid}) (kind set_pte_thread_owner) (location {a:x}) (value {v:x}))",
)  # fmt: skip
CONDENSED = (
    '(mem-write {id} {tid} plain {a:x} {v:x} "a.c:{line}")',
    "(mem-write {id} {tid} release 0x{a:x} {v:x} (size 4) 0x{p:x})",
    '(mem-read {id} {tid} {a:x} {v:x} (size 2) "x:{line}")',
    "(mem-read {id} {tid} {a:x} {v:x} {line})",
    "(mem-read {id} {tid} {a:x} {v:x})",
    '(mem-read {id} {tid} {a:x} "no value:1")',
    "(mem-free {id} {tid} {a:x} 10)",
    "(unlock {id} {tid} {a:x})",
    '(barrier {id} {tid} dsb sy "a.c:{line}")',
    "(sysreg-write {id} {tid} ttbr0_el2 {v:x} {line})",
    '(hint {id} {tid} release_table {a:x} {v:x} "a.c:{line}")',
)
DIALECTS = (
    "(MEM-WRITE (ID {id}) (tid {tid}) (mem-order RELEASE) (address 0X{a:X}) (value {v:X}) "
    '(SRC "A.c:{line}"))',
    "(mem-read (id {id}) (thread {tid}) (address 0x{a:x}) (value 0x{v:x}))",
    '(mem-write {id} {tid} "{long}a.c:{line}" plain {a:x} {v:x})',
    "(mem-write (id {id}) {tid} plain (address {a:x}) {v:x} (size 4) (src 0x{p:x}))",
    '(mem-write {id} (tid {tid}) (mem-order plain) {a:x} (value {v:x}) "a.c:{line}")',
    "(mem-read (id {id}) (tid {tid}) (address 0x{a:x}) (value 0x{v:x}) (size 4) (word 0x{line:08x})"
    " (cpu 1) (src 0x{p:x}))",
    "(mem-read (id {id}) (tid {tid}) (address 0x{a:x}) (value 0x{v:x}) (pc 0x{p:x}) "
    '(word {line}) (high 0x{v:x}) (cpu {line}) (flags 0x1f) (src "a.c:{line}"))',
    "(event (id {id}) (tid {tid}) (what order) (value 0x{v:x}))",
    "(event (id {id}) (tid {tid}) write (address 0x{a:x}) (size {line}))",
    "(event (id {id}) (tid {tid}) (what read) (address 0x{a:x}) (size 0x{line:x}))",
    "(event (id {id}) (tid {tid}) instruction (word 0x{line:08x}) (src 0x{p:x}))",
    '(event {id} {tid} hint (value 5) "a.c:{line}")',
    '(msr {id} {tid} "a.c:{line}" VTTBR_EL2 {v:x})',
    '(tlbi {id} {tid} "a.c:{line}" vmalls12e1is)',
    "(tlbi {id} {tid} vae2is {v:x} {line})",
    "(tlbi (id {id}) (thread {tid}) vale2is (addr {v:x}))",
    '(barrier {id} {tid} "a.c:{line}" DSB ISH)',
    "(barrier {id} {tid} isb {line})",
    '(hint (id {id}) (tid {tid}) (kind release_table) {a:x} {v:x} (src "a.c:{line}"))',
    "(lock {id} {tid} (address {a:x}))\r",
)
IRREGULAR = (
    "(event (id 1) (tid 2) write (size 5) (address 0x5))",
    "(event (id 1) (tid 2) write (address 5g))",
    "(event (id 1) (tid 2) write (address 0x5A) (size 0x0x4))",
    "(event (id 1) (tid 2) new_word (value 5))",
    '(event (id 1) (tid 2) other (value 0xa) (detail "signal"))',
    "(mem-read (id 1) (tid 2) (address 5) (value 6) (word 0xAB))",
    "(mem-read (id 1) (tid 2) (address 5) (value 6) (pc 0x10) (src 0x20))",
    "(mem-read (id 1) (tid 2) (address 5) (value 6) (cpu 70000) (flags 0x12345))",
    '(mem-read 1 2 "a:1" 5 6 "b:2")',
    '(mem-read 1 2 "a\\"b:1" 5 6)',
    "(mem-read (id 1) (tid 2) (address 5) (value 6) (size 0x10))",
    "(tlbi 1 2 vae2is 5 6 7)",
    "(barrier (id 1) (tid 2) dsb)",
    "(barrier (id 1) (tid 2) isb (kind ish))",
    "(barrier (id 1) (tid 2) dsb (kind new_kind))",
    "(barrier 1 2 isb)",
    "(barrier 1 2 dsb 5)",
    "(tlbi (id 1) (tid 2) vae9new (value 5))",
    "(tlbi (id 1) (tid 2) vae2is (addr 5) (level 3))",
    "(tlbi (id 1) (tid 2) vae2is (value 5) (level 3))",
    "(tlbi 1 2 vae2is 5)",
    "(tlbi 1 2 vmalle1is 5)",
    "(hint (id 1) (tid 2) (kind unknown_hint) (location 5) (value 6))",
    "(sysreg-write (id 1) (tid 2) (sysreg VTTBR_EL2) (value 6))",
    "(MEM-READ (id 1) (tid 2) (address 5) (value 6))",
    "(mem-read  (id 1) (tid 2) (address 5) (value 6))",
    "(mem-read (id 1) (tid 2) (address 5)\n (value 6))",
    "(mem-read (id 1) (tid 2) (address 5) (value 6)) (lock 1 2 3)",
    "(mem-read (id 1) (tid 2) (address 0X5) (value 6))\r",
    '(mem-read (id 1) (tid 2) (address 5) (value 6) (src "a\\"b:1"))',
    '(mem-read (id 1) (tid 2) (address 5) (value 6) (src "a\nb:1"))',
    '(mem-read (id 1) (tid 2) (address 5) (value 6) (src "a:1") (x "b"))',
    '(lock 1 2 3 "x\n(mem-read (id 1) (tid 2) (address 5) (value 6))\n")',
    "(mem-write (id 1) (tid 2) release (address 5) 6 7)",
    '(mem-write 1 2 "a:3" plain 5 6)',
    "(mem-read (id 00000000000000000001) (tid 2) (address 5) (value 6))",
    "(mem-read (id 0x1) (thread 2) (address 5) (value 6))",
    '(lock 1 2 5 "a:1")',
    "",
    "  ",
)
WRONG = (
    "(mem-read (id 1) (tid 2) (address 5g) (value 6))",
    "(mem-read (id a) (tid 2) (address 5) (value 6))",
    "(mem-read (id 1) (tid 2) (address 12345678901234567) (value 6))",
    "(mem-read (id 18446744073709551616) (tid 2) (address 5) (value 6))",
    "(mem-write (id 1) (tid 2) (address 5) (value 6))",
    "(mem-read (id 1) (tid 2) (address 5) (value 6) (src \"a:1)",
    "(mem-read (id 1) (tid 2) (address ) (value 6))",
    "(mem-read (id 1) (tid 2) (address 5) (value 0x))",
    "(mem-write 1 2 plainly 5 6)",
    "(lock 1 2 5 6 7)",
    "(lock (id 1) (tid 2) (address :))",
    "(lock (id 1) (tid 2) (address @))",
    "(lock (id 1) (tid 2) (address `))",
    "(lock (id 1) (tid 2) (address \x00))",
    "(lock (id 1) (tid 2) (address \u00b5))",
    "! verdict",
    "\0" * 40,
    "lock 1 2 3)",
)  # fmt: skip
NUMBERS = st.one_of(
    st.sampled_from([0, 9, 10, 15, 99999999, 10**8, 0xFFFFFFFF, 1 << 32, (1 << 64) - 1]),
    st.integers(0, (1 << 64) - 1),
)


@st.composite
def regular(draw: st.DrawFn) -> list[str]:
    """A run of lines of few shapes, long enough for the columns or not."""
    shapes = draw(st.lists(st.sampled_from(KEYED + CONDENSED + DIALECTS), min_size=1, max_size=3))
    count = draw(st.sampled_from([1, 2, LEAST - 1, LEAST, 3 * LEAST]))
    values = draw(st.lists(NUMBERS, min_size=5, max_size=5))
    lines = []
    for number in range(count):
        a, v, p, tid, first = (values[(number + n) % 5] for n in range(5))
        fields = {"a": a, "v": v, "p": p, "tid": tid % 10**6, "id": first % 10**19}
        shape = shapes[number * len(shapes) // count if len(shapes) == 2 else number % len(shapes)]
        lines.append(shape.format(**fields, line=number % 7, long="d" * (number % 60)))
    return lines


@st.composite
def mixtures(draw: st.DrawFn) -> bytes:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 4))):
        lines += draw(regular())
        lines += draw(st.lists(st.sampled_from(IRREGULAR), max_size=2))
    if draw(st.booleans()):
        lines.insert(draw(st.integers(0, len(lines))), draw(st.sampled_from(WRONG)))
    return ("\n".join(lines) + draw(st.sampled_from(["\n", ""]))).encode()


@settings(max_examples=examples(150), deadline=None)
@given(mixtures(), st.sampled_from([97, 1000, 4096, 1 << 20]), st.sampled_from([2, 8, 1 << 20]))
def test_columns_say_what_single_records_say(data: bytes, size: int, enough: int) -> None:
    with few_are_enough(enough):
        found = outcome(SexpTrace.events, SexpTrace("t", cut(data, size)))
    assert found == slowly(data, size)


@settings(max_examples=examples(60), deadline=None)
@given(mixtures(), st.sampled_from([1000, 1 << 20]))
def test_records_of_regular_lines_are_made_when_asked_for(data: bytes, size: int) -> None:
    trace, expected = SexpTrace("t", cut(data, size)), slowly(data, size)
    try:
        assert single_records(trace) == expected[0]
    except TraceError:
        assert expected[-1] is not None
    if expected[-1] is None and b"\0" not in data:  # unwritten space is not copied
        output = io.BytesIO()
        assert sexp.copy(SexpTrace("t", cut(data, size)), output) == trace.count
        assert output.getvalue() == data


@settings(max_examples=examples(150), deadline=None)
@given(st.data())
def test_a_changed_byte_changes_both_readings_alike(data: st.DataObject) -> None:
    raw = bytearray("".join(line + "\n" for line in data.draw(regular())).encode())
    place = data.draw(st.integers(0, len(raw) - 1))
    raw[place] = data.draw(st.sampled_from(b'0aAgGxX()" \n\t\r\0\\:@`/f\x7f\x80\xb5\xff'))
    whole = bytes(raw)
    with few_are_enough(data.draw(st.sampled_from([2, 8, 1 << 20]))):
        assert outcome(SexpTrace.events, SexpTrace("t", [whole])) == slowly(whole, 1 << 20)


FIELDS = {"a": 0x12345678, "v": 0xABCDEF, "p": 0x1000, "tid": 3, "id": 123456789012}


@pytest.mark.parametrize("shape", KEYED + CONDENSED + DIALECTS)
def test_no_line_with_one_byte_changed_is_taken_for_what_it_is_not(shape: str) -> None:
    """Every byte replaced, left out or doubled: a line that is taken is a record."""
    line = shape.format(**FIELDS, line=4, long="d" * 20).encode()
    changed = [line[:at] + line[at + 1 :] for at in range(len(line))]
    changed += [line[:at] + line[at : at + 1] * n + line[at:] for at in range(len(line))
                for n in (1, 5, 9, 17)]  # fmt: skip
    for byte in b'0aAfFgGxX()" \t\r\0\\:@`/9\x7f\x80\xb0\xff':
        changed += [line[:at] + bytes([byte]) + line[at + 1 :] for at in range(len(line))]
    buffer = b"\n".join(changed) + b"\n"
    lines = sexp_columns.read_lines(buffer, 0)
    assert lines is not None
    bad = set(lines.bad.tolist())
    taken = [number for number in range(len(changed)) if number not in bad]
    assert len(taken) > 20
    for number in taken:
        text = buffer[lines.starts[number] : lines.ends[number]]
        place = sexp_fast.Place(0, 0, 1)
        record = sexp_fast.general_record(text, place)
        assert place.position == len(text.removesuffix(b"\r")), text
        trace = SexpTrace("t", [])
        (row,) = sexp_events.rows([record], trace)
        found = lines.events[number].copy()
        found["detail"] = trace.words.number(sexp_lines.ORDERS[lines.orders[number]])
        name = buffer[lines.source_starts[number] : lines.source_ends[number]]
        found["site"] = trace.sites.number(name.decode("utf-8", "surrogateescape"))
        assert found == row, text


@pytest.mark.parametrize("line", IRREGULAR + WRONG)
def test_one_odd_line_among_regular_ones(line: str) -> None:
    shapes = [KEYED[0], KEYED[3], KEYED[9], CONDENSED[0]]
    lines = [shape.format(**FIELDS, line=4, long="d") + "\n" for shape in shapes]
    around = "".join(text * LEAST for text in lines)
    data = (around + line + "\n" + around).encode()
    found = outcome(SexpTrace.events, SexpTrace("t", [data]))
    assert found == slowly(data, 1 << 20)
    assert len(found[0]) >= 4 * LEAST


@pytest.mark.parametrize("shape", KEYED + CONDENSED + DIALECTS)
def test_the_shapes_are_read_as_columns(shape: str) -> None:
    line = shape.format(**FIELDS, line=4, long="d" * 20) + "\n"
    batches = list(SexpTrace("t", [line.encode() * 100]).batches())
    regular = sum(len(batch) for batch in batches if batch.regular)
    assert regular == 100


def test_more_sites_than_the_table_of_sites_holds() -> None:
    """Names that share a place in the table, and ones that are too long for it."""
    names = [f"{'long/' * (n % 13)}file{n}.c:{n}" for n in range(3000)]
    lines = "".join(f'(mem-read 1 2 3 4 "{name}")\n' for name in names * 3)
    trace = SexpTrace("t", [lines.encode()])
    trace_sites = np.concatenate([batch["site"] for batch in trace.events()])
    assert [trace.sites.texts[site] for site in trace_sites] == names * 3
    assert len(trace.sites.texts) == 3001


def changed_lines(shape: str) -> list[bytes]:
    """Return lines of one layout, and as many of their length with one other byte."""
    fields = ({**FIELDS, "v": value} for value in range(0xABCDEF, 0xABCDEF + 40))
    lines = [shape.format(**each, line=4, long="d" * 20).encode() for each in fields]
    bytes_tried = b'0aAfFgGxX()" \t\r\0\\:@`/9\x7f\x80\xb0\xff'
    return lines + [
        lines[0][:at] + bytes([byte]) + lines[0][at + 1 :]
        for at in range(len(lines[0]))
        for byte in bytes_tried
    ]


@pytest.mark.parametrize("escapes", [True, False])
@pytest.mark.parametrize("shape", KEYED + CONDENSED + DIALECTS)
def test_layouts_say_what_columns_say(shape: str, escapes: bool) -> None:
    """Where a buffer has escapes, texts are left to the columns."""
    chosen = [line for line in changed_lines(shape) if escapes or not {0, 92} & set(line)]
    buffer = b"\n".join(chosen) + b"\n"
    layouts = sexp_layouts.Layouts()
    expected = sexp_columns.read_lines(buffer, 0)
    assert expected is not None
    for _ in range(2):  # layouts are learned, and then known
        found = sexp_layouts.read_lines(buffer, 0, layouts)
        assert found is not None
        assert found.bad.tolist() == expected.bad.tolist()
        good = np.delete(np.arange(len(chosen)), found.bad)
        for column in ("events", "orders", "source_starts", "source_ends"):
            assert (getattr(found, column)[good] == getattr(expected, column)[good]).all(), column


@pytest.mark.parametrize("shape", KEYED + CONDENSED + DIALECTS)
def test_every_shape_has_layouts(shape: str) -> None:
    """Digits in capitals alone are left to the columns."""
    lines = [
        shape.format(
            a=int(f"1{n:09}", 16),
            v=int(f"2{n:09}", 16),
            p=2**15 + n,
            tid=10 + n,
            id=10**18 + n,
            line=n % 7 + 1,
            long="d" * 20,
        ).encode()
        for n in range(90)
    ]
    with mock.patch.object(sexp_layouts, "_read_rest"):
        found = sexp_layouts.read_lines(b"\n".join(lines) + b"\n", 0, sexp_layouts.Layouts())
    assert found is not None and len(found.bad) == 0


def test_lines_that_end_in_two_bytes_are_shown_and_located() -> None:
    """A run of regular lines may begin with the end of the line before."""
    lines = ['(lock 1 2 3 "a\\"b")', *['(lock 1 2 3 "a:1")'] * 100]
    trace = SexpTrace("t", ["".join(line + "\r\n" for line in lines).encode()])
    texts = [text for block in sexp_blocks(trace) for text in block.texts(np.arange(len(block)))]
    assert texts == lines
