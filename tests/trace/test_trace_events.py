"""From RST records to events, and the decoding of instruction words."""

from __future__ import annotations

from collections.abc import Iterator

import capstone
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inst.arch.powerpc.words import accesses as powerpc
from inst.arch.sparc.words import accesses as sparc
from inst.arch.sparc.words import sparc_memory_text
from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.trace.model import Event, Flag, Kind, TraceError
from inst.words import decode
from inst.words.disassemble import disassembler

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
PPC = HEADER + encode_string("arch=ppc")

LWZ, STB, STMW, ADD, STWCX = 0x80640004, 0x98640001, 0xBFC1FFF8, 0x7C632214, 0x7C60212D
LWARX, BEQ = 0x7C602028, 0x41820010
SWAP, CASA, LDSTUB, LDDF = 0xD07A2004, 0xD1E21009, 0xD06A2000, 0xC11A2000


def instr(word: int, *, ea: int | None = 0x2000, pc: int = 0x400, **bits: int) -> bytes:
    valid = {} if ea is None else {"ea_valid": 1, "ea_va": ea}
    return encode("instr", instr=word, pc_va=pc, **valid, **bits)


def value(number: int, size: int, addr: int = 0x2000, **bits: int) -> bytes:
    return encode("memval64", addrisVA=1, addr=addr, val=number, size=size, **bits)


def events(data: bytes, chunk: int = 1 << 20) -> list[Event]:
    chunks = [data[start : start + chunk] for start in range(0, len(data), chunk)]
    return list(RstTrace("x", chunks).objects())


def brief(found: list[Event]) -> list[tuple[object, ...]]:
    return [(e.kind, e.address, e.size, e.value) for e in found]


@pytest.mark.parametrize("chunk", [24, 48, 72, 120, 1 << 20])
def test_an_access_is_one_event_wherever_batches_end(chunk: int) -> None:
    data = PPC + instr(LWZ) + value(7, 4) + instr(ADD, ea=None) + instr(STB) + encode("nullrec")
    data += value(8, 1, 0x2003) + instr(STMW) + value(1, 4) + value(2, 4, 0x2004) + instr(LWZ)
    found = events(data, chunk)
    assert brief(found) == [
        (Kind.READ, 0x2000, 4, 7),
        (Kind.INSTRUCTION, None, 0, None),
        (Kind.WRITE, 0x2003, 1, 8),
        (Kind.WRITE, 0x2000, 4, 1),
        (Kind.WRITE, 0x2004, 4, 2),
        (Kind.READ, 0x2000, 4, None),
    ]
    assert [event.record for event in found] == [2, 4, 5, 8, 8, 11]
    assert all(event.pc == 0x400 and event.word for event in found)


def test_annulled_and_trapped_instructions_access_nothing() -> None:
    found = events(PPC + instr(LWZ, an=1) + instr(STB, tr=1) + instr(LWZ, bt=1))
    assert [event.kind for event in found] == [Kind.INSTRUCTION, Kind.INSTRUCTION, Kind.READ]
    assert Flag.ANNULLED in found[0].flags and Flag.TRAPPED in found[1].flags
    assert Flag.TAKEN not in found[2].flags


def test_branches_and_modes() -> None:
    (event,) = events(PPC + instr(BEQ, ea=0x410, bt=1, pr=1, cpuid=700))
    assert event.kind == Kind.INSTRUCTION
    assert event.flags & (Flag.TAKEN | Flag.PRIVILEGED) == Flag.TAKEN | Flag.PRIVILEGED
    assert (event.cpu, event.thread) == (700, 700)


def test_reservations() -> None:
    found = events(PPC + instr(LWARX) + instr(LWARX) + value(3, 4) + instr(STWCX) + value(4, 4))
    assert [event.kind for event in found] == [Kind.RESERVE, Kind.READ, Kind.WRITE]
    assert all(Flag.ATOMIC in event.flags for event in found)


@pytest.mark.parametrize("word", [SWAP, CASA, LDSTUB])
def test_the_halves_of_an_atomic_instruction(word: int) -> None:
    size = 1 if word == LDSTUB else 4
    two_values = HEADER + instr(word) + value(1, size) + value(2, size)
    two_records = HEADER + instr(word) + value(1, size) + instr(word, bt=1) + value(2, size)
    for data in (two_values, two_records):
        assert brief(events(data)) == [
            (Kind.READ, 0x2000, size, 1),
            (Kind.WRITE, 0x2000, size, 2),
        ]


def test_sixteen_bytes() -> None:
    data = HEADER + instr(0xC1122000)
    data += encode("memval128", addrisVA=1, addr=0x2000, val=1, val2=2)
    assert brief(events(data)) == [(Kind.READ, 0x2000, 16, 1 << 64 | 2)]


def test_threads_follow_cpu_and_thread_records() -> None:
    data = PPC + instr(LWZ, cpuid=1)
    data += encode("cpu", cpu=1) + encode("thread", tid=4711) + instr(LWZ, cpuid=1)
    data += encode("cpu", cpu=2) + instr(LWZ, cpuid=2)
    data += encode("thread", tid=4712) + instr(LWZ, cpuid=2) + instr(LWZ, cpuid=1)
    for chunk in (24, 48, 1 << 20):
        assert [event.thread for event in events(data, chunk)] == [1, 4711, 2, 4712, 4711]


def test_traps_and_gaps() -> None:
    data = PPC + encode("trap", ttype=0x108, syscall=4, pc=0x500, cpuid=3)
    data += encode("recnum", cpuid=4, incount=10)
    trap, gap = events(data)
    assert (trap.kind, trap.pc, trap.address, trap.value) == (Kind.TRAP, 0x500, 0x108, 4)
    assert (gap.kind, gap.pc, gap.value, gap.cpu) == (Kind.GAP, None, None, 4)


def test_records_before_damage_become_events_too() -> None:
    trace = RstTrace("x", [PPC + instr(LWZ) + value(7, 4) + b"\x03"])
    found = []
    with pytest.raises(TraceError, match="cut short"):
        for event in trace.objects():  # one by one: what came before the error counts
            found += [event.value]
    assert found == [7]


def table_words() -> Iterator[tuple[str, int, str]]:
    for key, word in powerpc.samples().items():
        access = powerpc.BY_KEY[key]
        yield "ppc64", word | access.mnemonic.endswith("."), access.mnemonic
    for code, access in sparc.ROWS.items():
        if access.mnemonic in ("ldm", "stm"):  # a field says which: isa/test_sparc_crosscheck
            continue
        yield "sparc-v9", 3 << 30 | 4 << 25 | code << 19 | 8 << 14 | 9, access.mnemonic


# Names capstone gives to some operands of an instruction, or has instead.
ALIASES = {"lduw": "ld", "stw": "st", "ldf": "ld", "stf": "st", "lddf": "ldd", "stdf": "std",
           "ldqf": "ldq", "stqf": "stq"}  # fmt: skip


@pytest.mark.parametrize(("arch", "word", "mnemonic"), list(table_words()))
def test_capstone_names_what_it_decodes_as_the_tables_do(
    arch: str, word: int, mnemonic: str
) -> None:
    if arch == "ppc64":
        engine = capstone.Cs(
            capstone.CS_ARCH_PPC, capstone.CS_MODE_64 | capstone.CS_MODE_BIG_ENDIAN
        )
    else:
        engine = capstone.Cs(
            capstone.CS_ARCH_SPARC, capstone.CS_MODE_V9 | capstone.CS_MODE_BIG_ENDIAN
        )
    for found in engine.disasm(word.to_bytes(4, "big"), 0):
        name = mnemonic if arch == "ppc64" else ALIASES.get(mnemonic, mnemonic)
        assert found.mnemonic.rstrip(".") == name.rstrip(".")
    access = decode.access_of(word, arch)
    assert access is not None and access.mnemonic == mnemonic


@given(st.lists(st.integers(0, (1 << 32) - 1), min_size=1, max_size=200), st.booleans())
def test_columns_of_words_decode_as_single_words_do(words: list[int], powerpc: bool) -> None:
    arch = "ppc" if powerpc else "sparc"
    words += [3 << 30 | word >> 2 for word in words] + [31 << 26 | word >> 6 for word in words]
    what, size = decode.lookup(np.array(words, ">u4"), arch)
    for word, found_what, found_size in zip(words, what.tolist(), size.tolist(), strict=True):
        access = decode.access_of(word, arch)
        assert (found_what & 3, found_size) == ((access.what, access.size) if access else (0, 0))


@pytest.mark.parametrize(
    ("word", "size"),
    [
        (0xC13A2008, 8),  # std %f0, [%o0+8]
        (0xC1082000, 4),  # ld [%g0], %fsr
        (0xC3082000, 8),  # ldx [%g0], %fsr
        (0xC19A1E00, 64),  # ldda [%o0] #ASI_BLK_P, %f0
        (0xC19A1A40, 2),  # ldda [%o0] 0xd2, %f0
        (0xC19A3000, 8),  # ldda [%o0] %asi, %f0
    ],
)
def test_sparc_sizes_that_operands_decide(word: int, size: int) -> None:
    access = decode.access_of(word, "sparc")
    assert access is not None and access.size == size


# What GNU as makes of the text in the second column.
@pytest.mark.parametrize(
    ("word", "text"),
    [
        (0xD01A2000, "ldd [%o0], %o0"),
        (0xC41A2008, "ldd [%o0+0x8], %g2"),
        (0xE03BBFF8, "std %l0, [%sp-0x8]"),
        (0xE03F8009, "std %l0, [%fp+%o1]"),
        (0xD09A1000, "ldda [%o0] 0x80, %o0"),
        (0xC1082000, "ld [%g0], %fsr"),
        (0xD1E21009, "cas [%o0] 0x80, %o1, %o0"),
        (0xC13A2008, "std %f0, [%o0+0x8]"),
        (0xC33A2008, "std %f32, [%o0+0x8]"),
        (0x00000000, ""),
    ],
)
def test_sparc_memory_instructions_are_rendered_from_fields(word: int, text: str) -> None:
    assert sparc_memory_text(word) == text.replace("cas ", "casa ")


@pytest.mark.parametrize(
    ("arch", "word", "text"),
    [
        ("ppc", 0x80640004, "lwz r3, 4(r4)"),
        ("ppc", 0x00000000, ".word 0x00000000"),
        ("sparc-v8", 0xD01A2000, "ldd [%o0], %o0"),
        ("sparc-v8", 0xD4022044, "ld [%o0+0x44], %o2"),
        ("sparc-v8", 0xFFFFFFFF, ".word 0xffffffff"),
        ("", 0xC2586008, "ldx [%g1+8], %g1"),
    ],
)
def test_every_word_has_a_text(arch: str, word: int, text: str) -> None:
    assert disassembler(arch)(word, 0x1000) == text


@given(st.integers(0, (1 << 32) - 1), st.integers(0, (1 << 64) - 1))
def test_no_word_is_too_strange_for_the_disassembler(word: int, pc: int) -> None:
    for arch in ("ppc", "sparc-v8", "sparc-v9"):
        assert DISASSEMBLERS[arch](word, pc)


DISASSEMBLERS = {arch: disassembler(arch) for arch in ("ppc", "sparc-v8", "sparc-v9")}


LQ, STQ, LDQF = 0xE0640000, 0xF8640002, 0xC1122000


@pytest.mark.parametrize("chunk", [24, 48, 72, 1 << 20])
@pytest.mark.parametrize(
    ("start", "word", "kind", "upper_first"),
    [
        (HEADER + encode_string("arch=ppc64"), LQ, Kind.READ, True),
        (HEADER + encode_string("arch=ppc64"), STQ, Kind.WRITE, True),
        (HEADER + encode_string("arch=ppc64le"), LQ, Kind.READ, False),
        (HEADER, LDQF, Kind.READ, True),
    ],
)
def test_two_halves_are_one_access_of_sixteen_bytes(
    start: bytes, word: int, kind: Kind, upper_first: bool, chunk: int
) -> None:
    data = start + instr(word) + value(1, 8) + value(2, 8, 0x2008)
    data += instr(word) + value(3, 8) + instr(word) + value(4, 8) + value(5, 8, 0x2010)
    upper, lower = (1, 2) if upper_first else (2, 1)
    assert brief(events(data, chunk)) == [
        (kind, 0x2000, 16, upper << 64 | lower),
        (kind, 0x2000, 8, 3),  # half of it was recorded
        (kind, 0x2000, 8, 4),  # what follows is not its other half
        (kind, 0x2010, 8, 5),
    ]


def test_registers_of_a_multiple_stay_apart() -> None:
    data = PPC + instr(STMW) + value(1, 4) + value(2, 4, 0x2004)
    data += instr(0xC85F0000) + value(1, 8) + value(2, 8, 0x2008)  # lfd: 8 bytes each
    assert [event.size for event in events(data)] == [4, 4, 8, 8]
