"""STF through filters: what stays says the same as it did among what was removed."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from filter_traces import filtered
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from inst.formats.stf.record import StfRecord, make_header, make_instruction, make_state
from inst.formats.stf.trace import StfTrace
from inst.trace.model import Array
from tests.sizes import examples

LWZ, STW, ADDI, BC, BLR, STWCX, LWARX, SC, STWX, LMW, LFD, STFS, LSWX, LI, STWU = (
    0x80640004, 0x90650008, 0x38A50010, 0x41820010, 0x4E800020, 0x7C60212D, 0x7C602028, 0x44000002,
    0x7C64292E, 0xBBC10000, 0xC8240000, 0xD0240008, 0x7C642C2A, 0x38600005, 0x9421FFF0,
)  # fmt: skip
WORDS = (LWZ, STW, ADDI, BC, BLR, STWCX, LWARX, SC, STWX, LMW, LFD, STFS, LSWX, LI, STWU)
PIPELINES = (
    "load", "store", "branch", "only access", "not only access", "flag taken", "flag atomic",
    "opcode x*",
    "pc 400-408", "skip 3", "tail 4", "skip 2r", "tail 3r", "sample 1/3", "sample 2/5 block=2",
    "head 5", "load | skip 1", "skip 1 | branch", "branch | flag taken", "drop header",
    "size 4", "ea 1000-1fff", "value 5", "ea 0-ffffffff | value 0-0x7fffffff", "not value 5",
    "only header", "drop instr",
)  # fmt: skip
VALUES = (0, 5, 7, 0x1000, 0x1008, 0x20000000, 0xFFFFFFFC)


@st.composite
def traces(draw: st.DrawFn) -> bytes:
    """Draw a trace as tracers of any options would make it, of two runs sometimes."""
    banks = draw(st.sampled_from(("", "R", "RF", "F")))
    whole, status = draw(st.booleans()), draw(st.sampled_from(("", "all", "some")))
    held = {f"{bank}{n:02d}": 0x1000 + 8 * n for bank in "RF" for n in range(32)}
    parts = []
    for _ in range(draw(st.integers(1, 2)) if banks == "RF" else 1):
        parts += [make_header({"TRACE": "t"}).text] if not parts or draw(st.booleans()) else []
        parts += [make_state(held).text] if draw(st.booleans()) else []
        for _ in range(draw(st.integers(0, 14))):
            pc = 0x400 + 4 * draw(st.integers(0, 4))
            changed = {
                name: draw(st.sampled_from(VALUES))
                for name in draw(
                    st.sets(st.sampled_from(("R01", "R03", "R04", "R05", "F01")), max_size=3)
                )
            }
            held |= changed
            told = held if whole else changed
            told = {name: value for name, value in told.items() if name[0] in banks}
            before = {}
            if status == "all" or (status and draw(st.booleans())):
                before = {
                    name: draw(st.sampled_from((0, 6, 0x20000000))) for name in ("XER", "CCR")
                }
            if status == "some" and before and draw(st.booleans()):
                del before["XER"]
            word = draw(st.sampled_from(WORDS))
            parts.append(make_instruction(pc, word, "x", status=before, registers=told).text)
    return b"".join(parts)


def events(data: bytes) -> tuple[list[tuple[int, ...]], Array]:
    """Return the events without the record's number, and the records they are of."""
    found = list(StfTrace("t", [data]).events())
    rows = np.concatenate(found) if found else np.zeros(0, "i8")
    if not len(rows):
        return [], np.zeros(0, "u8")
    records = rows["record"].copy()
    rows["record"] = rows["id"] = 0
    return rows.tolist(), records


def executed(data: bytes) -> list[tuple[int, int]]:
    return [(r.pc, r.word) for r in StfTrace("t", [data]).records() if r.kind == "instr"]


@settings(max_examples=examples(120), deadline=None, phases=(Phase.explicit, Phase.generate))
@given(traces(), st.sampled_from(PIPELINES), st.integers(0, 1 << 15))
@example(
    make_header({}).text
    + make_instruction(0x400, BLR, "x").text
    + make_instruction(0x800, LWZ, "x").text,
    "branch",
    0,
)
def test_what_stays_says_what_it_said_among_the_rest(
    data: bytes, pipeline: str, chosen: int
) -> None:
    """By `pipeline`, and by ordinals of which every one may be in or out."""
    original, owners = events(data)
    count = sum(1 for _ in StfTrace("t", [data]).records())
    wanted = [n for n in range(count) if chosen >> n & 1] or [0]
    ordinals = "id " + ",".join(map(str, wanted))
    with tempfile.TemporaryDirectory() as directory:
        found = filtered(Path(directory), ordinals, data)
        piped = filtered(Path(directory), pipeline, data)
        marked = filtered(Path(directory), pipeline, _marked(data))
    kept = set(wanted)
    assert events(found)[0] == [
        e for e, n in zip(original, owners.tolist(), strict=True) if n in kept
    ]
    stay = {each.ordinal for each in _by_mark(data, marked)}
    assert events(piped)[0] == [
        e for e, n in zip(original, owners.tolist(), strict=True) if n in stay
    ]


def _marked(data: bytes) -> bytes:
    """Give each instruction a mnemonic of its own, which says its ordinal."""
    records = StfTrace("t", [data]).records()
    return b"".join(r.text.replace(b"MNC = x", b"MNC = x%d" % r.ordinal) for r in records)


def _by_mark(data: bytes, marked: bytes) -> list[StfRecord]:
    numbers = {int(r.mnemonic[1:]) for r in StfTrace("t", [marked]).records() if r.kind == "instr"}
    return [r for r in StfTrace("t", [data]).records() if r.ordinal in numbers]
