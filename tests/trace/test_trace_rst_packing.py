"""The RST codec against a second encoder, written from the format's tables alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rst_packing import OVER, RECORDS, TEXTS

from inst.formats.rst import table as rst_table
from inst.formats.rst.record import RECORD, RstBatch, decode, encode
from tests.sizes import examples

OWN = 35
"""From here on types are no part of the format."""


def drawn_fields(name: str, data: st.DataObject) -> dict[str, int]:
    fields = {}
    for field, width in RECORDS[name][0].items():
        top = (1 << width) - 1
        values = st.one_of(st.sampled_from([0, 1, top, 1 << width - 1]), st.integers(0, top))
        fields[field] = data.draw(values)
    if name == "memval128":  # 44 bits of an address, the low four of them zero, sign-extended
        fields["addr"] = (fields["addr"] & 0xFFFFFFFFFF0 ^ 1 << 43) - (1 << 43) & (1 << 64) - 1
    return fields


@pytest.mark.parametrize("name", RECORDS)
@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_every_field_lies_where_the_tables_say(name: str, data: st.DataObject) -> None:
    fields = drawn_fields(name, data)
    packed = RECORDS[name][1](*fields.values())
    assert len(packed) == 24
    assert encode(name, **fields).hex() == packed.hex()
    found = decode(packed)
    assert {field: found[field] for field in fields} == fields
    batch = RstBatch(0, np.frombuffer(packed * 3, RECORD), 2013)
    for field, value in fields.items():
        assert batch.column(name, field).tolist() == [value] * 3
        assert batch.column(name, field, np.array([2])).tolist() == [value]


@pytest.mark.parametrize("name", TEXTS)
@given(text=st.binary(max_size=23), stale=st.binary(min_size=23, max_size=23))
def test_texts_end_at_their_first_nul(name: str, text: bytes, stale: bytes) -> None:
    field, code, start, size = TEXTS[name]
    text = text.replace(b"\0", b" ")[:size]
    raw = bytearray(bytes([code]) + bytes(23))
    raw[start : start + size] = (text + b"\0" + stale)[:size]
    assert decode(bytes(raw))[field] == text.decode("latin-1")
    clean = bytearray(bytes([code]) + bytes(23))
    clean[start : start + len(text)] = text
    assert encode(name, **{field: text.decode("latin-1")}) == bytes(clean)


def test_the_second_encoder_has_every_field_of_every_type() -> None:
    for kind in rst_table.TYPES:
        if kind.code < OWN:
            names = set(RECORDS.get(kind.name, ({},))[0])
            names |= {TEXTS[kind.name][0]} if kind.name in TEXTS else set()
            assert names == {field.name for field in kind.fields} - OVER.get(kind.name, set())


def test_the_size_of_a_dma_lies_over_its_neighbours() -> None:
    raw = encode("rfs_cw", size=0x01020304)
    assert raw[4:8] == b"\1\2\3\4" and decode(raw)["asi"] == 1
