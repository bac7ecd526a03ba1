"""Traces compressed by rstzip version 3: there and back, through the commands, and damaged."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rst_packing import RECORDS

from inst.cli import main
from inst.formats.rst.record import RECORD, encode, encode_string
from inst.formats.rst.rstzip import encode as writing
from inst.formats.rst.rstzip import stream, unpacked
from inst.formats.rst.rstzip.arrays import pack, unpack
from inst.formats.rst.rstzip.layout import ARRAYS, HEADER, MAGIC, SECTION, SECTION_MAGIC
from inst.formats.rst.rstzip.words import (
    ALWAYS,
    CALL,
    CONDITIONAL,
    INDIRECT_CALL,
    MEMORY,
    NEVER,
    PLAIN,
    RETURN,
    TRAP_RETURN,
    classify,
)
from inst.formats.rst.trace import RstTrace
from inst.trace import open_trace
from inst.trace.model import TraceError
from tests.sizes import examples

START = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
START += encode_string("arch=sparc-v9")
WORDS = (0x40000004, 0x81C7E008, 0x9E100001, 0x81E80000, 0x30800003, 0x12BFFFFF, 0x9FC00001,
         0xC2000000, 0x81F00000, 0x02C80003, 0x20800004, 0x01000000, 0xC4204000)  # fmt: skip
KINDS = (3, 3, 3, 3, 9, 19, 26, 26, 7, 5, 17, 13, 11, 30, 31, 32, 22, 34, 200, 255)


def drawn(seed: int, count: int) -> bytes:
    """Return records of all types: some as real traces have them, some with every bit used."""
    chosen, result, pc = random.Random(seed), [], 0x4000
    for _ in range(count):
        record = bytearray(chosen.randbytes(24))
        record[0] = code = chosen.choice(KINDS)
        if code == 30:
            record[1] = chosen.choice((31, 32, 33))
        if chosen.random() < 0.8:
            for place in range(1, 24):
                record[place] = 0 if chosen.random() < 0.8 else record[place]
        if code == 3 and chosen.random() < 0.8:
            word = chosen.choice(WORDS)
            flags = chosen.choice((0, 0x40, 0x44, 0x20, 0x48, 0x50, 2))
            ea = chosen.choice((pc + 16, 0x8000, 1 << 40)) * (flags & 0x40 != 0)
            cpu = chosen.choice((0, 0, 0, 1, 2, 900))
            record = bytearray(
                encode("instr", cpuid=cpu, instr=word, pc_va=pc, ea_va=ea) + bytes(0)
            )
            record[1] = flags
            pc = chosen.choice((pc + 4, pc + 4, pc + 4, 0x4000, 1 << 33 | 0x4000))
        result.append(bytes(record))
    return b"".join(result)


def compressed(data: bytes, size: int = 1 << 17) -> bytes:
    """Return records as a file of version 3, with so many records in a section."""
    encoder = writing.Encoder()
    records = np.frombuffer(data, RECORD)
    parts = [encoder.section(records[at : at + size]) for at in range(0, len(records), size)]
    return HEADER.pack(MAGIC, 3, 20) + b"".join(parts)


def read(data: bytes) -> bytes:
    return b"".join(unpacked("x", [data]))


def loops(count: int) -> bytes:
    """Return a trace of SPARC loops with calls, as a simulator records it."""
    chosen, result, state = random.Random(1), [], 0
    while len(result) < count:
        for step in range(12):
            pc = 0x10000 + 4 * step
            others = {3: (0xC4004000, 0x40, 0x20000 + 8 * (state % 700)),
                      7: (0xC4204000, 0x40, 0x30000), 10: (0x12BFFFF6, 0x44, 0x10000)}  # fmt: skip
            word, flags, ea = others.get(step, (0x84008001, 0, 0))
            if step == 10 and chosen.random() < 0.05:
                flags, ea = 0x40, pc + 8
            record = bytearray(encode("instr", instr=word, pc_va=pc, ea_va=ea))
            record[1] = flags
            result.append(bytes(record))
        state += 1
    return START + b"".join(result)


@given(
    st.integers(1, 64).flatmap(
        lambda bits: st.tuples(st.just(bits), st.lists(st.integers(0, (1 << bits) - 1)))
    )
)
@settings(max_examples=examples(60), deadline=None)
def test_arrays_hold_elements_of_any_width(drawn: tuple[int, list[int]]) -> None:
    bits, values = drawn
    data = pack(values, bits)
    assert len(data) % 8 == 0 and len(data) * 8 - 64 < len(values) * bits
    assert unpack(data, len(values), bits).tolist() == values


def test_elements_begin_at_the_low_end_and_go_on_in_the_next_word() -> None:
    assert pack([1, 2, 3], 3).hex() == "00000000000000d1"
    words = pack([0, 0, 0, 0, 0, 0, 0, 0, 0, 0x41], 7)  # bits 63 to 69
    assert words.hex() == "8000000000000000" + "0000000000000020"
    assert pack([0x0102], 64).hex() == "0000000000000102"


@pytest.mark.parametrize(
    ("word", "kind", "displacement"),
    [
        (0x12BFFFFF, CONDITIONAL, -4),  # bne
        (0x30800003, ALWAYS, 12),  # ba,a
        (0x20800004, NEVER, 16),  # bn,a
        (0x02C80003, CONDITIONAL, 12),  # brz
        (0x7FFFFFFF, CALL, -4),
        (0x81C7E008, RETURN, 0),
        (0x9FC00001, INDIRECT_CALL, 0),
        (0x83F00000, TRAP_RETURN, 0),  # retry
        (0xC4204000, MEMORY, 0),
        (0x01000000, PLAIN, 0),
    ],
)
def test_words_are_classified(word: int, kind: int, displacement: int) -> None:
    found = classify(word, 20)
    assert (found.kind, found.displacement) == (kind, displacement)
    assert classify(word, 17).kind == (CONDITIONAL if kind == NEVER else kind)


@settings(max_examples=examples(30), deadline=None)
@given(seed=st.integers(0, 1 << 32), size=st.sampled_from([7, 40, 1 << 17]))
def test_any_records_come_back(seed: int, size: int) -> None:
    data = drawn(seed, 120)
    assert read(compressed(data, size)) == data


@pytest.mark.parametrize("version", [(1, 5), (2, 5), (2, 11), (2, 12), (2, 13)])
def test_every_type_comes_back_in_every_version(version: tuple[int, int]) -> None:
    chosen, parts = random.Random(3), []
    kinds = [kind for name, kind in RECORDS.items() if name != "header"]
    for widths, packer in kinds:
        for _ in range(20):
            fields = {key: chosen.getrandbits(width) for key, width in widths.items()}
            parts.append(packer(*fields.values()))
            small = {key: value & 1 for key, value in fields.items()}
            parts.append(packer(*small.values()))
    chosen.shuffle(parts)
    major, minor = version
    data = encode("header", majorVer=major, minorVer=minor, percent=0x25) + b"".join(parts)
    assert read(compressed(data)) == data
    trace = RstTrace("x", [compressed(data)])
    assert b"".join(batch.tobytes() for batch in trace.batches()) == data
    assert trace.version == major * 1000 + minor


def arrays_of(data: bytes) -> dict[str, list[int]]:
    """Return the arrays of the first section of a file, by name."""
    _, _, _, *counts = SECTION.unpack(data[HEADER.size : HEADER.size + SECTION.size])
    place, found = HEADER.size + SECTION.size, {}
    for array, count in zip(ARRAYS, counts, strict=True):
        size = (count * array.bits + 63) // 64 * 8
        found[array.name] = unpack(data[place : place + size], count, array.bits).tolist()
        place += size
    return found


def test_what_is_predicted_is_not_stored() -> None:
    data = loops(6000)
    arrays = arrays_of(compressed(data))
    instructions = (len(data) - len(START)) // 24
    assert arrays["type_key"].count(0) == instructions
    assert arrays["instr_hit"].count(1) > instructions * 0.98
    assert len(arrays["word"]) == 12, "each word once"
    assert arrays["target_hit"].count(0) == 0
    assert len(arrays["number"]) < 60
    assert not [code for code in arrays["type"] if code == 255], "nothing stored whole"


def test_a_trace_of_instructions_becomes_a_fortieth(tmp_path: Path) -> None:
    plain, packed = tmp_path / "t.rst", tmp_path / "t.rz3"
    plain.write_bytes(loops(30_000))
    assert main(["convert", str(plain), str(packed)]) == 0
    assert plain.stat().st_size > 40 * packed.stat().st_size
    assert packed.stat().st_size * 8 < 2 * 30_000, "less than two bits an instruction"


def pava(cpu: int, difference: int, ea: int = 0, valid: int = 1) -> bytes:
    return encode("pavadiff", cpuid=cpu, ea_valid=valid, pc_pa_va=difference, ea_pa_va=ea)


def load(pc: int, ea: int, cpu: int = 0) -> bytes:
    return encode("instr", cpuid=cpu, ea_valid=1, instr=0xC4004000, pc_va=pc, ea_va=ea)


def test_differences_are_predicted_from_the_pages_of_the_next_instruction() -> None:
    there = pava(0, 0x6000, 0x8000) + load(0x10000, 0x20000)
    again = pava(0, 0xC000, 0xA000) + load(0x20000, 0x40000)
    data = START + there + again + there + again
    arrays = arrays_of(compressed(data))
    assert arrays["pc_difference_hit"] == arrays["ea_difference_hit"] == [0, 0, 1, 1]
    assert read(compressed(data)) == data


@pytest.mark.parametrize(
    "records",
    [
        pava(0, 0x6000) + pava(0, 0x8000) + load(0x4000, 0x4000),
        pava(0, 0x6000) + pava(1, 0x8000) + load(0x4000, 0x4000, 1) + load(0x4000, 0x4000),
        pava(0, 0x6001, 0x8003) + load(0x4000, 0x4000),
        pava(0, 0x6000, 0, 0) + load(0x4000, 0x4000),
        pava(0, 0x6000),
    ],
    ids=["two of one cpu", "two cpus", "within a page", "no ea", "no instruction"],
)
def test_differences_of_every_order_come_back(records: bytes) -> None:
    data = records * 3
    assert read(compressed(data)) == data


def test_files_are_recognised_by_content_and_go_through_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = loops(500) + encode("status", status=2)
    plain = tmp_path / "t.rst"
    plain.write_bytes(data)
    for name in ("t.rz3", "t.rz3.gz", "t.rz3.zst", "t.rz3.xz"):
        packed = tmp_path / name
        assert main(["convert", str(plain), str(packed)]) == 0
        assert main(["convert", str(packed), str(tmp_path / "back.rst")]) == 0
        assert (tmp_path / "back.rst").read_bytes() == data
    assert (tmp_path / "t.rz3").read_bytes()[:2] == b"\x1f\x8b", "as the original writes it"
    (tmp_path / "unpacked").write_bytes(compressed(data))
    assert open_trace(tmp_path / "unpacked").format == "rst"
    assert main(["filter", "only load | head 3", str(plain), str(tmp_path / "few.rz3")]) == 0
    assert sum(1 for r in open_trace(tmp_path / "few.rz3").records() if r.name == "instr") == 3
    assert main(["filter", "split thread", str(plain), str(tmp_path / "s.rz3")]) == 0
    assert (tmp_path / "s.0.rz3").exists()
    capsys.readouterr()
    assert main(["convert", "--to", "csv", str(plain), str(tmp_path / "no.rz3")]) == 2
    assert "rstzip compresses RST, and this is csv" in capsys.readouterr().err
    assert not (tmp_path / "no.rz3").exists()


def test_sections_are_written_as_they_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stream, "SECTION_BYTES", 24 * 100)
    data, written = loops(950), []

    class Output:
        def write(self, data: bytes) -> None:
            written.append(data)

    compressor = stream.Compressor(Output(), own=False)
    for place in range(0, len(data), 1001):
        compressor.write(data[place : place + 1001])
    assert len(written) > 8
    compressor.close()
    assert read(b"".join(written)) == data


def until(data: bytes) -> tuple[bytes, TraceError]:
    """Return the records before damage, and the damage."""
    got = b""
    with pytest.raises(TraceError) as caught:
        for piece in unpacked("x", [data]):
            got += piece
    return got, caught.value


def test_cut_files_give_the_sections_before_the_cut() -> None:
    data = loops(300)
    whole = compressed(data, 100)
    first = whole.index(SECTION_MAGIC, 100)
    second = whole.index(SECTION_MAGIC, first + 100)
    for end, records in ((first + 10, 100), (second - 1, 100), (second + 240, 200), (30, 0)):
        got, error = until(whole[:end])
        assert got == data[: records * 24]
        assert "cut short" in str(error) and error.offset is not None and error.offset <= end
    got, error = until(whole[:10])
    assert "10 of 24 bytes of the header" in str(error)


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"RZ3 0000000000$\0\3\24" + bytes(6), "begins a file of version 3"),
        (HEADER.pack(MAGIC, 3, 14), "version 3.14 is not known: versions 3.15 to 3.20"),
        (HEADER.pack(MAGIC, 4, 0), "version 4.0 is not known"),
        (HEADER.pack(MAGIC, 3, 20) + bytes(232), "where a section begins"),
        (b"RZ1 and more of it", "version 1 of the compressed form has never been described"),
        (b"RZ2 -- Rstzip2", "14 of 512 bytes of the header"),
    ],
)
def test_what_is_not_known_is_named(start: bytes, message: str) -> None:
    got, error = until(start)
    assert got == b"" and message in str(error)


def test_a_section_that_makes_no_sense_is_refused() -> None:
    whole = bytearray(compressed(loops(50)))
    for place, value, message in (
        (16, -1, "a section of -1 records"),
        (16, 1 << 20, "a section of 1048576 records"),
        (32, 5000, "5000 elements of type_key"),
        (36, -2, "-2 elements of type "),
    ):
        broken = bytearray(whole)
        at = HEADER.size + place
        broken[at : at + 4] = value.to_bytes(4, "big", signed=True)
        _, error = until(bytes(broken))
        assert message in str(error) and error.offset == at


def test_damage_gives_records_or_an_error_and_nothing_else() -> None:
    data = drawn(11, 150)
    whole = compressed(data, 60)
    chosen = random.Random(5)
    complaints = set()
    for _ in range(examples(150)):
        broken = bytearray(whole)
        for _ in range(chosen.randint(1, 4)):
            broken[chosen.randrange(24, len(broken))] = chosen.randrange(256)
        got = b""
        try:
            for piece in unpacked("x", [bytes(broken)]):
                got += piece
        except TraceError as error:
            complaints.add(str(error).split("(")[0])
        assert len(got) % 24 == 0 and len(got) <= len(data) * 2
    assert complaints


def test_arrays_that_end_early_are_reported_with_their_record() -> None:
    data = loops(50)
    whole = compressed(data)
    head = list(SECTION.unpack(whole[HEADER.size : HEADER.size + SECTION.size]))
    place = next(at for at, array in enumerate(ARRAYS) if array.name == "instr_hit")
    head[3 + place] -= 20
    got, error = until(
        whole[: HEADER.size] + SECTION.pack(*head) + whole[HEADER.size + SECTION.size :]
    )
    assert "the arrays end before the section does (record" in str(error)
    assert data.startswith(got) and len(got) > 20 * 24 and error.offset == HEADER.size


def test_older_files_have_narrower_fields() -> None:
    data = START + encode("tlb", demap=1, type=1, index=700, unit=2, cpuid=33, tag=5, data=6)
    data += encode("instr", cpuid=63, instr=0x01000000, pc_va=0x5000) + load(0x4000, 9)
    arrays = arrays_of(compressed(data))
    arrays["tlb"] = [each >> 10 << 6 | each & 63 for each in arrays["tlb"]]
    arrays["instr_hits"] = [each & 127 for each in arrays["instr_hits"]]
    parts = [pack(arrays[array.name], array.old_bits) for array in ARRAYS]
    counts = [len(arrays[array.name]) for array in ARRAYS]
    section = SECTION.pack(SECTION_MAGIC, len(data) // 24, 0, *counts)
    assert read(HEADER.pack(MAGIC, 3, 19) + section + b"".join(parts)) == data


def test_branches_never_taken_were_predicted_otherwise_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    steps = [(0x20800004, 0x40, 0x1008), (0x01000000, 2, 0), (0x20800004, 0x44, 0x2000)]
    data = b"".join(
        encode("instr", instr=word, pc_va=0x1000 + 4 * at, ea_va=ea)[:1]
        + bytes([flags])
        + encode("instr", instr=word, pc_va=0x1000 + 4 * at, ea_va=ea)[2:]
        for at, (word, flags, ea) in enumerate(steps)
    ) * 3  # fmt: skip
    monkeypatch.setattr(writing, "MINOR", 17)
    whole = compressed(data)
    arrays = arrays_of(whole)
    arrays["instr_hits"] = [each & 127 for each in arrays["instr_hits"]]
    parts = [pack(arrays[array.name], array.old_bits) for array in ARRAYS]
    counts = [len(arrays[array.name]) for array in ARRAYS]
    section = SECTION.pack(SECTION_MAGIC, len(data) // 24, 0, *counts)
    body = section + b"".join(parts)
    assert read(HEADER.pack(MAGIC, 3, 17) + body) == data
    assert read(HEADER.pack(MAGIC, 3, 18) + body) != data


def test_warming_records_are_read() -> None:
    """A header of two RFS_CW records, an instruction's and a DMA's, and one that is none."""
    arrays: dict[str, list[int]] = {array.name: [] for array in ARRAYS}
    head = encode("rfs_section", section_type=31, n_records=3)
    arrays["type_key"], arrays["type"] = [3], [30, 11]
    tail = encode("cpu", cpu=1)
    for raw in (head, tail):
        arrays["number"] += [int.from_bytes(raw[at : at + 8], "big") for at in (0, 8, 16)]
    arrays["rfs_type_hit"] = [1, 1, 0]
    arrays["rfs_reference"], arrays["rfs_cpu"] = [1, 7], [5, 0]
    arrays["rfs_asi"], arrays["rfs_valid"], arrays["rfs_pa_hit"] = [0x80], [1], [0]
    arrays["value_level"] = [7]
    arrays["rfs_dma_bytes"] = [64]
    arrays["number"][3:3] = [0x44000, 0x84000, 0x9000]
    counts = [len(arrays[array.name]) for array in ARRAYS]
    parts = [pack(arrays[array.name], array.bits) for array in ARRAYS]
    section = SECTION.pack(SECTION_MAGIC, 4, 0, *counts)
    cw = encode("rfs_cw", cpuid=5, reftype=1, asi=0x80, va_valid=1, va=0x44000, pa=0x84000)
    dma = encode("rfs_cw", reftype=7, size=64, pa=0x9000)
    expected = head + cw + dma + tail
    assert read(HEADER.pack(MAGIC, 3, 20) + section + b"".join(parts)) == expected
    arrays["type_key"], arrays["type"] = [3], [32]
    counts = [len(arrays[array.name]) if array.name.startswith("type") else 0 for array in ARRAYS]
    parts = [pack(arrays[n], a.bits) for a in ARRAYS if (n := a.name).startswith("type")]
    _, error = until(HEADER.pack(MAGIC, 3, 20) + SECTION.pack(SECTION_MAGIC, 1, 0, *counts)
                     + b"".join(parts))  # fmt: skip
    assert "RFS_BT" in str(error)
