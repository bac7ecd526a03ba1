"""FILEMARKER and RECNUM around what head, skip, tail and sample leave out of RST."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from filter_traces import END, HEADER, START, cpu, fields, filtered, instr, load, names, records
from filter_traces import memval as memory
from hypothesis import example, given, settings
from hypothesis import strategies as st

from inst.formats.rst.record import decode, encode
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.sizes import examples

EVENTS = [load(0x1000 + 4 * n, 0x2000, n) for n in range(9)]
RAISED = START.replace(
    encode("traceinfo", rtype2=2, level=1), encode("traceinfo", rtype2=2, level=2)
)
FIRST = len(START) // 24
MEMVAL64 = 26


def mark(name: str, taken: int, written: int, level: int = 2) -> bytes:
    return encode(name, level=level, incount=FIRST + taken, outcount=FIRST + written)


def begins(taken: int, written: int) -> bytes:
    return mark("filemarker", taken, written)


def ends(taken: int, written: int) -> bytes:
    return mark("recnum", taken, written)


def test_each_gap_stands_between_two_marks(tmp_path: Path) -> None:
    trace = START + b"".join(EVENTS) + END
    sampled = EVENTS[0] + begins(2, 2) + ends(6, 3) + EVENTS[3] + begins(8, 6) + ends(12, 7)
    sampled += EVENTS[6] + begins(14, 10) + END
    assert filtered(tmp_path, "sample 1/3", trace) == RAISED + sampled
    gap = begins(0, 0) + ends(16, 1)
    assert filtered(tmp_path, "skip 8", trace) == RAISED + gap + EVENTS[8] + END
    assert filtered(tmp_path, "tail 1", trace) == RAISED + gap + EVENTS[8] + END
    assert filtered(tmp_path, "head 2", trace) == RAISED + b"".join(EVENTS[:2]) + begins(4, 4)


@pytest.mark.parametrize("pipeline", ["head 9", "skip 0", "tail 9", "sample 2/2"])
def test_no_gap_has_no_marks(tmp_path: Path, pipeline: str) -> None:
    trace = START + b"".join(EVENTS)
    assert filtered(tmp_path, pipeline, trace) == RAISED + b"".join(EVENTS)
    assert filtered(tmp_path, f"{pipeline} marks=no", trace) == trace


def test_where_instructions_are_counted_the_marks_count_instructions(tmp_path: Path) -> None:
    found = filtered(tmp_path, "sample 1/3 unit=instructions", START + b"".join(EVENTS))
    for name, ins, outs in (("filemarker", [1, 4, 7], [1, 2, 3]), ("recnum", [3, 6], [1, 2])):
        assert fields(found, name, "recType") == [3] * len(ins)
        assert fields(found, name, "incount") == ins
        assert fields(found, name, "outcount") == outs
    assert fields(filtered(tmp_path, "skip 5i", START + b"".join(EVENTS)), "recnum", "incount") == [
        5
    ]


def test_marks_name_the_level_of_their_filter(tmp_path: Path) -> None:
    """A filter behind another, in one pipeline or later, is a level further from the producer."""
    trace = START + b"".join(EVENTS)
    found = filtered(tmp_path, "skip 2 | sample 1/3", trace)
    assert fields(found, "traceinfo", "level") == [3]
    assert fields(found, "filemarker", "level") == [2, 3, 3]
    again = filtered(tmp_path, "head 1", found)
    assert fields(again, "filemarker", "level") == [2, 3, 4]
    bare = HEADER + b"".join(EVENTS)
    assert fields(filtered(tmp_path, "head 1", bare), "filemarker", "level") == [1]
    twice = filtered(tmp_path, "skip 1 | head 1", bare)
    assert fields(twice, "filemarker", "level") == [1, 2]


def test_context_within_a_gap_stays_between_its_marks(tmp_path: Path) -> None:
    one, two = load(0x1000, 0x2000, 1), load(0x1004, 0x2000, 2, cpu=1)
    found = filtered(tmp_path, "skip 1", START + one + cpu(1, 8) + two)
    kept = cpu(1, 8)
    assert (
        found
        == RAISED
        + begins(0, 0)
        + kept
        + encode("recnum", level=2, cpuid=1, incount=FIRST + 4, outcount=FIRST + 3)
        + two
    )


def test_a_mark_does_not_part_an_event_from_its_values(tmp_path: Path) -> None:
    null = encode("nullrec")
    value = memory(0x2000, 4, 5)
    one = instr(0xC4004000, 0x1000, 0x2000) + null + value
    found = filtered(tmp_path, "head 7r", START + one + EVENTS[0])
    assert names(found)[FIRST:] == ["instr", "memval64", "filemarker"]


def test_a_trace_does_not_begin_with_a_mark(tmp_path: Path) -> None:
    found = filtered(tmp_path, f"skip {FIRST}r", START + b"".join(EVENTS))
    assert names(found)[:2] == ["recnum", "instr"]


def test_a_gap_is_one_event(tmp_path: Path) -> None:
    """... at its end; a FILEMARKER alone tells a place, not that anything is missing."""
    path = tmp_path / "t.rst"
    path.write_bytes(filtered(tmp_path, "sample 1/3", START + b"".join(EVENTS)))
    kinds = [Kind(kind) for batch in open_trace(path).events() for kind in batch["kind"]]
    assert kinds == [Kind.READ, Kind.GAP, Kind.READ, Kind.GAP, Kind.READ]


def _pieces() -> st.SearchStrategy[bytes]:
    events = st.builds(load, st.just(0x1000), st.just(0x2000), st.integers(0, 99))
    values = st.just(instr(0xC4004000, 0x1004, 0x2000) + encode("nullrec") + memory(0x2000, 4, 1))
    around = st.just(encode("physaddr", pc_pa=5) + instr(0x01000000, 0x1008))
    context = st.sampled_from([encode("nullrec"), encode("preg"), encode("pavadiff", ea_valid=1)])
    return st.one_of(events, values, around, context)


@given(
    st.lists(_pieces(), max_size=30).map(b"".join),
    st.sampled_from(
        ["head {}", "head {}i", "head {}r", "skip {}", "skip {}i", "skip {}r", "tail {}",
         "tail {}r", "sample 1/{} block=2", "sample 1/{} unit=instructions"]
    ),
    st.integers(1, 12),
)  # fmt: skip
@example(
    instr(0xC4004000, 0x1004, 0x2000) + encode("nullrec") + memory(0x2000, 4, 1), "head {}r", 2
)
@settings(max_examples=examples(100), deadline=None)
def test_marks_lead_a_reader_to_the_records(body: bytes, pipeline: str, number: int) -> None:
    """A reader that follows the marks knows which record of the input each record was."""
    original = records(HEADER + body + END)
    with tempfile.TemporaryDirectory() as directory:
        found = records(filtered(Path(directory), pipeline.format(number), b"".join(original)))
    missing = bool(found) and found[0] != original[0]  # no mark can stand there
    place, instructions, written = 0, 0, 0
    for out, raw in enumerate(found):
        if raw[0] != 22:
            # No mark parts an event from its values, so before a value what else is there may miss.
            seeks = missing or raw[0] == MEMVAL64
            place = original.index(raw, place) + 1 if seeks else place + 1
            assert original[place - 1] == raw
            instructions += missing == 0 and raw[0] == 3
            written += raw[0] == 3
            continue
        said = decode(raw, 2013)
        counts = said["recType"] == 3
        assert said["outcount"] == (written if counts else out)
        if raw[1] & 0x80:
            assert missing
            instructions, missing = int(said["incount"]), False
            seen = [n for n, each in enumerate(original) if each[0] == 3]
            place = seen[instructions] if counts else instructions
            while counts and original[place - 1][0] == 18:
                place -= 1
        else:
            assert not missing
            assert said["incount"] == (instructions if counts else place)
            missing = True
    assert missing or place == len(original) or not found
