"""An invented instruction set works by registering its one package.

What `docs/porting.md` asks for is in `tests/porting/tiny`, and nothing of inst knows it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from inst import isa
from inst.arch import registry
from inst.asm.model import Kind as StatementKind
from inst.asm.model import Memory, Register
from inst.asm.operands import parse_operands
from inst.asm.split import split
from inst.errors import InstError
from inst.flow.liveness import find_liveness
from inst.flow.read import read_code
from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.rewrite.options import Options
from inst.target.model import Target
from inst.trace.model import Kind
from inst.translate import translate
from inst.words import decode
from inst.words.decode import transfers_of
from inst.words.disassemble import disassembler
from inst.words.facts import decoder

SOURCE = """\
	.type	f, @function
f:	lw t1,4(t2)	! a comment
	lb t3,0(t2)
	sw t1,8(t6)
	b f
	.size	f, .-f
"""
LW, LB, SW, B = 0x11200004, 0x23200000, 0x31600008, 0x4000FFFD
TARGET = Target(
    name="tiny", isa="tiny", abi="only", runtime="tiny", bits=32, byte_order="big", machine=0x7E57,
    compiler=("tiny-gcc",), emulator="", sysroot="", emulations=(), library_flags=(), packages=(),
)  # fmt: skip


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Register the package for one test."""
    monkeypatch.setattr(registry, "_PACKAGES", dict(registry._PACKAGES))
    registry.register("tiny", "tests.porting.tiny")
    yield


def test_its_assembly_is_parsed() -> None:
    statements = split(SOURCE, "tiny", "f.s")
    assert "".join(one.text for one in statements) == SOURCE
    names = [one.name for one in statements if one.kind == StatementKind.INSTRUCTION]
    assert names == ["lw", "lb", "sw", "b"]
    value, memory = parse_operands("t1,-4(t2)", "tiny")
    assert value == Register("t1", "t1")
    assert isinstance(memory, Memory) and memory.base == Register("t2", "t2")


def test_what_is_live_follows_its_branch() -> None:
    tables = isa.get("tiny")
    live = find_liveness(read_code(split(SOURCE, "tiny", "f.s"), tables, "f.s"), tables)
    bit = tables.registers.bit
    assert all(one & bit["t2"] and one & bit["t6"] for one in live.before)
    assert [bool(one & bit["t1"]) for one in live.before] == [False, True, True, False]
    assert not any(one & bit["t3"] for one in live.before)


def test_its_accesses_get_probes_and_rows_in_the_site_table() -> None:
    text = translate(SOURCE, TARGET, Options(), "f.s")
    for event, address in (("ldw", "4(t2)"), ("ldb", "0(t2)"), ("stw", "8(t6)")):
        assert f"la t5,{address}" in text and f"call inst.{event}" in text
    assert "call inst.window" in text
    assert text.count('\t.ascii "S"\n\t.word ') == 3


def test_an_instruction_that_it_does_not_have_is_an_error_with_its_place() -> None:
    with pytest.raises(InstError) as error:
        translate("f:\tlh t1,0(t2)\n", TARGET, Options(), "f.s")
    assert str(error.value.location) == "f.s:1:4"


def test_its_words_have_text_accesses_facts_and_targets() -> None:
    words = np.array([LW, LB, SW, B], "u4")
    text = disassembler("tiny")
    assert [text(word, 0x100) for word in words.tolist()] == [
        "lw t1,4(t2)", "lb t3,0(t2)", "sw t1,8(t6)", "b 0xf4"
    ]  # fmt: skip
    what, size = decode.lookup(words, "tiny")
    assert (what.tolist(), size.tolist()) == ([1, 1, 2, 0], [4, 1, 4, 0])
    found = transfers_of(words, np.full(4, 0x100), "tiny")
    assert found.target.tolist() == [0, 0, 0, 0xF4]
    facts = decoder("tiny")(SW).facts
    assert facts is not None and facts.access is not None and facts.access.store


def test_its_trace_is_read() -> None:
    def instr(word: int, pc: int, ea: int | None = None) -> bytes:
        valid = {} if ea is None else {"ea_valid": 1, "ea_va": ea}
        return encode("instr", instr=word, pc_va=pc, **valid)

    def value(number: int, size: int, address: int) -> bytes:
        return encode("memval64", addrisVA=1, addr=address, val=number, size=size)

    data = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
    data += encode_string("arch=tiny")
    data += instr(LW, 0x100, 0x2004) + value(7, 4, 0x2004)
    data += instr(SW, 0x108, 0x3008) + value(7, 4, 0x3008) + instr(B, 0x10C)
    events = list(RstTrace("x", [data]).objects())
    assert [(one.kind, one.address, one.size, one.value) for one in events] == [
        (Kind.READ, 0x2004, 4, 7),
        (Kind.WRITE, 0x3008, 4, 7),
        (Kind.INSTRUCTION, None, 0, None),
    ]


def test_an_unknown_key_or_part_is_an_error() -> None:
    with pytest.raises(InstError, match="unknown instruction set `m68k`") as error:
        registry.architecture("m68k")
    assert error.value.hint == "known are sparc, powerpc, tiny"
    with pytest.raises(InstError, match="unknown calling convention `other`"):
        isa.get("tiny", "other")
    with pytest.raises(InstError, match="no part Grammar"):
        parse_operands("(t1", "tiny")
