"""Many STF instructions read at once say the same as each read by itself, line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.formats.stf import scan as stf_scan
from inst.formats.stf import trace as stf
from inst.formats.stf.record import StfRecord, make_instruction, make_state
from inst.formats.stf.trace import StfTrace
from inst.trace.model import EVENT, Array, TraceError
from tests.sizes import examples

WORDS = (0x80640004, 0x90650008, 0x9421FFF0, 0xBBC10000, 0xC8240000, 0x7C60212D, 0x41820010,
         0x44000002, 0x7FE434AA, 0x7C642D2A, 0x7CC42C2C, 0xD0240008, 0x06100000_80640008,
         0x04000000_E4C40010)  # fmt: skip
NUMBER = st.sampled_from((0, 5, 0x1000, 0x20000000, 0xFFFFFFFF))


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Draw instructions of a few layouts, as tracers with other options would mix them."""
    whole = {f"{bank}{n:02d}": 7 for bank in "RF" for n in range(32)}
    parts = []
    for _ in range(draw(st.integers(0, 30))):
        status = {"XER": draw(NUMBER), "CCR": draw(NUMBER)} if draw(st.booleans()) else {}
        registers: dict[str, int] = {}
        for layout in draw(st.sets(st.sampled_from(("few", "general", "floating")))):
            if layout == "few":
                names = draw(st.sets(st.sampled_from(("R01", "R03", "R31", "F01")), max_size=3))
                registers |= {name: draw(NUMBER) for name in sorted(names)}
            else:
                whole["R03"], whole["F01"] = draw(NUMBER), draw(NUMBER)
                registers |= {n: v for n, v in whole.items() if (n[0] == "R") == (layout[0] == "g")}
        pc = 0x400 + 4 * draw(st.integers(0, 3))
        word = draw(st.sampled_from(WORDS))
        text = make_instruction(pc, word, "any", status=status, registers=registers).text
        if draw(st.integers(0, 20)) == 0:
            old, new = draw(st.sampled_from(((b"\n", b" \n"), (b"\n", b"\r\n"), (b"= ", b"=  "),
                                             (b"R03", b"R3"), (b"any", b""), (b"0005", b"000G"),
                                             (b"MNC", b"XXX"), (b"F01", b"F41"))))  # fmt: skip
            text = text.replace(old, new)
        parts.append(text)
    state = make_state(whole).text if draw(st.booleans()) else b""
    return state + b"".join(parts)


def read(text: bytes) -> tuple[list[StfRecord], list[Array], str]:
    records: list[StfRecord] = []
    events: list[Array] = []
    message = ""
    for found, method in ((records, StfTrace.records), (events, StfTrace.events)):
        items: Iterator[object] = iter(method(StfTrace("t", [text])))
        try:
            found.extend(items)  # type: ignore[arg-type]
        except TraceError as error:
            message = str(error)
    return records, events, message


@settings(max_examples=examples(50), deadline=None)
@given(text=texts())
def test_instructions_read_together_are_those_read_alone(text: bytes) -> None:
    records, events, message = read(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stf, "scan", lambda *_: None)
        patch.setattr(stf, "FAST", re.compile(b"(?!)"))
        alone, expected, complaint = read(text)
    assert [each._replace(before=b"", after=b"") for each in records] == [
        each._replace(before=b"", after=b"") for each in alone
    ]
    assert [(r.status, r.registers) for r in records] == [(r.status, r.registers) for r in alone]
    assert message == complaint
    nothing = np.zeros(0, EVENT)
    assert np.concatenate([nothing, *events]).tolist() == (
        np.concatenate([nothing, *expected]).tolist()
    )


def test_whole_lines_are_compared_with_those_before_them() -> None:
    """Of a register that did not change nothing is said again, and nothing is missed."""
    whole = {f"R{n:02d}": n for n in range(32)}
    parts = []
    for step in range(50):
        whole["R07"] = step // 10
        parts.append(make_instruction(0x400 + 4 * step, 0x60000000, "ori", registers=whole).text)
    found = stf_scan.scan(b"".join(parts), 0, 1 << 20, 0)
    assert found is not None and len(found) == 49 and not found.cut
    columns = found.columns
    assert len(columns.time) == 32 + 4
    assert columns.value[32:].tolist() == [1, 2, 3, 4]
    assert (columns.time[32:] // 3).tolist() == [10, 20, 30, 40]


def test_a_trace_of_mixed_spellings_is_not_scanned_again_and_again() -> None:
    calls = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stf, "scan", lambda *at: (calls.append(at[1]), stf_scan.scan(*at))[1])
        text = make_instruction(0x400, 0x60000000, "ori", registers={"R01": 5}).text
        odd = text.replace(b"= ", b"=  ")
        assert len(list(StfTrace("t", [(text * 3 + odd) * 2000]).records())) == 8000
    assert len(calls) < 10
