"""Damaged traces of every format: what is whole is delivered, then the documented error."""

from __future__ import annotations

import gzip
import io
import lzma
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.errors import InstError
from inst.formats.rst.record import encode, encode_string
from inst.formats.stf.record import make_header, make_instruction, make_state
from inst.trace import open_trace
from inst.trace.event_text import STYLES, blocks
from inst.trace.model import Trace
from inst.words.disassemble import disassembler
from tests.sizes import examples

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "plain": bytes,
    "gzip": gzip.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
RST = (
    encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    + encode_string("arch=sparc-v9")
    + encode_string("image=/p base=0x10000")
    + encode("cpu", cpu=3)
    + encode("thread", tid=9)
    + encode("instr", ea_valid=1, cpuid=3, instr=0xD01A2000, pc_va=0x10000, ea_va=0x4080)
    + encode("memval128", addr=0x4080, val=1, val2=2)
    + encode("trap", cpuid=3, ttype=0x140)
    + encode("pavadiff", cpuid=3)
    + encode("recnum", incount=7, outcount=8)
    + encode("preg", cpuid=3)
)
SEXP = b"".join(
    b'(mem-write (id %d) (tid 1) (mem-order plain) (address 0x%x) (value 7) (src "a.c:%d"))\n'
    b"(mem-read %d 1 %x 8)\n" % (n, n * 8, n, n, n * 8)
    for n in range(20)
)
STF = b"".join(
    [
        make_header({"OPTIONS": "fff"}).text,
        make_state({f"R{n:02}": n for n in range(32)}).text,
        *(
            make_instruction(
                0x1000 + 4 * n, 0x80640004, "lwz", status={"XER": n}, registers={"R03": n}
            ).text
            for n in range(8)
        ),
    ]
)
WHOLE = {"rst": RST, "sexp": SEXP, "stf": STF}


def shown(trace: Trace, style: str) -> Iterator[Any]:
    """Make the text and the fields of every row."""
    for block in blocks(trace, style=style):
        rows = block.instructions.nonzero()[0]
        for chosen in (rows, (~block.instructions).nonzero()[0]):
            yield from block.texts(chosen)
            for row in chosen.tolist():
                yield block.fields(row)


def faces(name: str) -> list[Callable[[Trace], Iterator[Any]]]:
    styles = ["", *STYLES]
    return [
        lambda trace: trace.batches(),
        lambda trace: trace.records(),
        lambda trace: trace.events(),
        lambda trace: trace.objects(),
        *((lambda trace, style=style: shown(trace, style)) for style in styles),
    ]


def read_all_ways(data: bytes, name: str) -> None:
    for face in faces(name):
        try:
            for _ in face(open_trace(io.BytesIO(data), name="t")):
                pass
        except InstError as error:
            assert error.location is not None
            assert str(error.location).startswith("t")


@pytest.mark.parametrize("name", WHOLE)
def test_the_undamaged_traces_are_read_without_an_error(name: str) -> None:
    trace = open_trace(io.BytesIO(WHOLE[name]))
    assert trace.format == name
    assert sum(map(len, trace.events())) > 2
    for face in faces(name):
        assert sum(1 for _ in face(open_trace(io.BytesIO(WHOLE[name])))) > 0


@pytest.mark.parametrize("code", [*range(48), 160, 255])
def test_every_record_type_full_of_ones(code: int) -> None:
    """Fields at their limits, of types that are known and that are not."""
    read_all_ways(RST + bytes([code]) + b"\xff" * 23 + RST[-24:], "rst")


@settings(max_examples=examples(40), deadline=None)
@given(st.binary(max_size=600))
def test_random_bytes(data: bytes) -> None:
    read_all_ways(data, "any")


@pytest.mark.parametrize("name", WHOLE)
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_random_changes(name: str, data: st.DataObject) -> None:
    """Bytes overwritten, put in and left out."""
    raw = bytearray(WHOLE[name])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 30))] = data.draw(st.binary(max_size=30))
    read_all_ways(bytes(raw), name)


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("name", WHOLE)
@settings(max_examples=examples(15), deadline=None)
@given(data=st.data())
def test_random_truncations(name: str, packing: str, data: st.DataObject) -> None:
    """What is read of a part is a beginning of what is read of the whole."""
    packed = PACKINGS[packing](WHOLE[name])
    part = packed[: data.draw(st.integers(1, len(packed) - 1))]
    whole = list(open_trace(io.BytesIO(WHOLE[name])).records())
    found: list[Any] = []
    try:
        found.extend(open_trace(io.BytesIO(part), name="t").records())
    except InstError as error:
        assert error.location is not None
    if name != "stf":  # an instruction's registers may be the last that is there
        assert found == whole[: len(found)]
    assert len(found) <= len(whole)
    read_all_ways(part, name)


@pytest.mark.parametrize("packing", [name for name in PACKINGS if name != "plain"])
@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_damaged_packing(packing: str, data: st.DataObject) -> None:
    packed = bytearray(PACKINGS[packing](SEXP))
    packed[data.draw(st.integers(0, len(packed) - 1))] ^= data.draw(st.integers(1, 255))
    read_all_ways(bytes(packed), "sexp")


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("arch", ["sparc-v8", "sparc-v9", "ppc", "ppc32", "ppc64", ""])
def test_every_word_is_text(arch: str) -> None:
    """Random words and the neighbourhood of every primary opcode: text or .word."""
    decode = disassembler(arch)
    chance = random.Random(5)
    words = [chance.getrandbits(32) for _ in range(20_000)]
    words += [high << 26 | low for high in range(64) for low in (0, 1, 0x3FFFFFF, 0x1FFF800)]
    words += [2 << 30 | op << 19 | chance.getrandbits(19) for op in range(64) for _ in range(20)]
    words += [3 << 30 | op << 19 | chance.getrandbits(19) for op in range(64) for _ in range(20)]
    odd = 0
    for word in words:
        for pc in (0, (1 << 64) - 4):
            text = decode(word, pc)
            assert text == text.strip() and text.isprintable() and text
            odd += text.startswith(".word")
    assert odd > 100, "no word was unknown: the words are not random"
    assert odd < 1.8 * len(words), "hardly any word is known"
    assert decode(0, 0) != ""


@pytest.mark.parametrize(
    ("arch", "word", "text"),
    [
        ("sparc-v8", 0x00000000, "unimp 0"),
        ("ppc", 0x00000000, ".word 0x00000000"),
        ("ppc64", 0x00000000, ".word 0x00000000"),
        ("ppc", 0x80640004, "lwz r3, 4(r4)"),
        ("ppc64", 0xE8640008, "ld r3, 8(r4)"),
        ("sparc-v9", 0xC2586008, "ldx [%g1+8], %g1"),
    ],
)
def test_words_that_are_known(arch: str, word: int, text: str) -> None:
    assert disassembler(arch)(word, 0x1000) == text


def test_an_unknown_instruction_set_is_an_error_at_its_record() -> None:
    """What stands before it is delivered."""
    head, string, rest = RST[:24], encode_string("arch=mips"), RST[24:]
    trace = open_trace(io.BytesIO(head + string + rest), name="t")
    found = []
    with pytest.raises(InstError, match="unknown instruction set `mips` in record 1") as caught:
        found.extend(trace.records())
    assert len(found) == 1
    assert str(caught.value.location) == "t"
    read_all_ways(head + string + rest, "rst")
