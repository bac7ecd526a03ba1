"""How records become instructions: joined accesses, traps, windows, damage, and odd traces."""

from __future__ import annotations

import io
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inst.errors import InstError
from inst.formats.rst import record as rst
from inst.simulation import Instruction, Memory, Register, instructions
from inst.simulation.memory import KnownMemory
from inst.trace.model import TraceError
from tests.sizes import examples

PPC = rst.encode("header", majorVer=2, minorVer=13, percent=37) + rst.encode_string("arch=ppc")
SPARC = rst.encode("header", majorVer=2, minorVer=13, percent=37) + rst.encode_string("arch=sparc")

LMW_29 = 0xBBA10008  # lmw 29,8(1)
LFS_1 = 0xC0230004  # lfs 1,4(3)
LHA_4 = 0xA8830002  # lha 4,2(3)
LHBRX_5 = 0x7CA3262C  # lhbrx 5,3,4
SWAP = 3 << 30 | 1 << 25 | 0x0F << 19 | 8 << 14  # swap [%o0], %g1
SAVE = 0x9DE3BFA0  # save %sp,-96,%sp
RESTORE = 0x81E80000
SC = 0x44000002
ADD = 0x7C642A14  # add 3,4,5


def instr(word: int, pc: int, ea: int | None = None, **flags: int) -> bytes:
    where = {} if ea is None else {"ea_valid": 1, "ea_va": ea}
    return rst.encode("instr", instr=word, pc_va=pc, **where, **flags)


def value(address: int, size: int, number: int) -> bytes:
    return rst.encode("memval64", addrisVA=1, size=size, addr=address, val=number)


def register(kind: int, number: int, held: int, *, post: int) -> bytes:
    return rst.encode(
        "regval", postInstr=post, regtype0=kind, regid0=number, reg64_0=held, regtype1=5
    )


def run(*parts: bytes) -> list[Instruction]:
    return list(instructions(io.BytesIO(b"".join(parts))))


def test_a_multiple_load_is_one_instruction() -> None:
    """The runtime writes a record for each register."""
    parts = [instr(LMW_29, 0x100, 0x508 + 4 * n) + value(0x508 + 4 * n, 4, n) for n in range(3)]
    found = run(PPC, *parts, *parts)
    assert [one.address for one in found] == [0x100, 0x100]
    for one in found:
        assert one.input[0] == Register("r1", 0x500)
        assert one.reads == [Memory(0x508 + 4 * n, 4, n) for n in range(3)]
        assert one.output == tuple(Register(f"r{29 + n}", n) for n in range(3))


def test_an_exchange_is_one_instruction() -> None:
    parts = instr(SWAP, 0x100, 0x800) + value(0x800, 4, 5)
    parts += instr(SWAP, 0x100, 0x800, bt=1) + value(0x800, 4, 9)
    (one,) = run(SPARC, parts)
    assert one.mnemonic == "swap"
    assert one.reads == [Memory(0x800, 4, 5)]
    assert one.writes == [Memory(0x800, 4, 9)]
    assert Register("g1", 5) in one.output
    assert Memory(0x800, 4, 5) in one.kill


@pytest.mark.parametrize(
    ("word", "size", "held", "name", "expected"),
    [
        (LFS_1, 4, 0x3FC00000, "f1", 0x3FF8000000000000),  # 1.5
        (LHA_4, 2, 0xFFFE, "r4", 0xFFFFFFFE),
        (LHBRX_5, 2, 0x1234, "r5", 0x3412),
    ],
)
def test_what_a_load_leaves_in_its_register(
    word: int, size: int, held: int, name: str, expected: int
) -> None:
    (one,) = run(PPC, instr(word, 0x100, 0x600), value(0x600, size, held))
    assert Register(name, expected) in one.output


def test_the_windows_turn() -> None:
    told = register(1, 8, 77, post=0) + register(1, 16, 55, post=0)  # %o0, %l0
    move = 0x90100018  # mov %i0,%o0
    found = run(SPARC, told, instr(SAVE, 0x100), instr(move, 0x104), instr(RESTORE, 0x108),
                instr(0x92100010, 0x10C))  # mov %l0,%o1  # fmt: skip
    assert found[1].input == (Register("i0", 77),)
    assert found[3].input == (Register("l0", 55),)


def test_a_trap_makes_registers_unknown() -> None:
    told = register(1, 4, 44, post=0)
    trap = rst.encode("trap", ttype=0x140, pc=0x104)
    calm = run(PPC, told, instr(ADD, 0x100), instr(ADD, 0x104))
    after = run(PPC, told, instr(ADD, 0x100), trap, instr(ADD, 0x104))
    assert calm[1].input[0] == Register("r4", 44)
    assert after[1].input[0] == Register("r4", None)


def test_an_instruction_that_trapped_or_was_annulled_wrote_nothing() -> None:
    for flag in ("tr", "an"):
        (one,) = run(PPC, instr(ADD, 0x100, **{flag: 1}))
        assert (one.output, one.kill) == ((), ())
        assert (one.trapped, one.annulled) == (flag == "tr", flag == "an")


def test_what_a_system_call_returns_is_output() -> None:
    told = register(1, 3, 4, post=0)
    (one,) = run(PPC, told, instr(SC, 0x100), register(1, 3, 99, post=1))
    assert Register("r3", 99) in one.output
    assert Register("r3", 4) in one.kill


def test_cpus_have_registers_of_their_own() -> None:
    told = register(1, 4, 44, post=0)
    thread = rst.encode("cpu", cpu=1) + rst.encode("thread", tid=1234)
    found = run(PPC, told, thread, instr(ADD, 0x100), instr(ADD, 0x100, cpuid=1))
    assert found[0].input[0] == Register("r4", 44)
    assert found[1].input[0] == Register("r4", None)
    assert (found[1].cpu, found[1].thread) == (1, 1234)


def test_damage_comes_after_what_stands_before_it() -> None:
    iterator = instructions(io.BytesIO(PPC + instr(ADD, 0x100) + b"\x03" * 10))
    assert next(iterator).address == 0x100
    with pytest.raises(TraceError, match="byte offset"):
        next(iterator)
    text = b"PCN = 00000100 OPC = 7c642a14 MNC = add\nPCN = 00000104 OPC = zz"
    iterator = instructions(io.BytesIO(b"||OPTIONS: 1 |\n" + text))
    assert next(iterator).mnemonic == "add"
    with pytest.raises(TraceError):
        next(iterator)


def test_s_expressions_have_no_instructions() -> None:
    with pytest.raises(InstError, match="no instruction words"):
        instructions(io.BytesIO(b"(mem-read (id 1) (tid 1) (address 1) (value 1))\n"))


@settings(max_examples=examples(150), deadline=None)
@given(
    st.sampled_from([PPC, SPARC, rst.encode("header", majorVer=1, minorVer=10)]),
    st.lists(
        st.tuples(
            st.sampled_from([3, 3, 3, 6, 7, 8, 9, 9, 11, 22, 26, 26, 34, 50]),
            st.sampled_from([b"", struct.pack(">I", LMW_29), struct.pack(">I", SWAP)]),
            st.binary(min_size=23, max_size=23),
        ),
        max_size=40,
    ),
)
def test_no_record_breaks_it(start: bytes, parts: list[tuple[int, bytes, bytes]]) -> None:
    """Whatever the records hold, there is an instruction for each INSTR, or for those joined."""
    records = []
    for code, word, body in parts:
        raw = bytes([code]) + body
        records.append(raw[:4] + word + raw[8:] if word else raw)
    found = run(start, *records)
    assert len(found) <= sum(code in (3, 34) for code, _, _ in parts)
    assert bool(found) == any(code in (3, 34) for code, _, _ in parts)


@given(
    st.sampled_from(["big", "little"]),
    st.lists(
        st.tuples(st.integers(0, 40), st.sampled_from([1, 2, 4, 8, 16]), st.none() | st.just(1)),
        max_size=30,
    ),
)
def test_memory_knows_what_was_written_last(
    order: str, writes: list[tuple[int, int, int | None]]
) -> None:
    memory, plain = KnownMemory(order), dict[int, int]()
    for number, (address, size, known) in enumerate(writes, 1):
        content = number * 0x0101 % (1 << 8 * size) if known else None
        memory.write(address, size, content)
        data = None if content is None else content.to_bytes(size, order)  # type: ignore[arg-type]
        for n in range(size):
            plain.pop(address + n, None)
            if data:
                plain[address + n] = data[n]
    for address in range(48):
        for size in (1, 4, 8):
            held = [plain.get(address + n) for n in range(size)]
            expected = None
            if None not in held:
                expected = int.from_bytes(bytes(n or 0 for n in held), order)  # type: ignore[arg-type]
            assert memory.read(address, size) == expected
