"""Traces compressed by rstzip version 2, read against a writer of the tests' own."""

from __future__ import annotations

import random

import pytest
from rstzip2_packing import Packer, file_of
from test_rstzip import pava, read, until

from inst.formats.rst.record import encode
from inst.trace.model import TraceError
from tests.sizes import examples

OLD_WORDS = (0xC4004000, 0xC4204000, 0x84008001, 0xC4004000, 0x12BFFFFF, 0x40000010, 0x84008001)


def old_trace(seed: int, count: int, cpus: int) -> list[bytes]:
    """Return records that version 2 stores in full."""
    chosen, result = random.Random(seed), []
    places = dict.fromkeys(range(cpus), 0x4000)
    for _ in range(count):
        cpu = chosen.randrange(cpus)
        pc = places[cpu]
        kind = chosen.random()
        if kind < 0.6:
            word = OLD_WORDS[pc // 4 % 7 if chosen.random() < 0.97 else 0]
            taken = chosen.random() < 0.5
            relative = word >> 30 in (0, 1)
            target = pc + {0x12BFFFFF: -4, 0x40000010: 64}.get(word, 0) if taken else pc + 8
            ea = (
                target
                if relative
                else chosen.choice((0x8000, 0x8000, 0x8004, 1 << 33, 0x8000 - 125))
            )
            ea = 0 if word == 0x84008001 else ea
            record = bytearray(encode("instr", cpuid=cpu, instr=word, pc_va=pc, ea_va=ea))
            record[1] = 4 * taken | (0x40 * (ea != 0))
            result.append(bytes(record))
            on = chosen.random() < 0.9 and pc < 0x4000 + 0x40
            places[cpu] = pc + 4 if on else 0x4000
        elif kind < 0.75:
            result.append(pava(cpu, 0x2000 * chosen.randrange(12)))
        elif kind < 0.9:
            second = chosen.choice((1, 5, 6))
            value = chosen.choice((0, 7, 200, 60000, 1 << 20, 1 << 50, (1 << 64) - 1, 1 << 50))
            fields = {"regtype0": 1, "regtype1": second, "regid0": chosen.randrange(32)}
            fields |= {"regid1": 0 if second == 5 else 9, "reg64_1": value * (second == 1)}
            result.append(encode("regval", postInstr=1, cpuid=cpu, reg64_0=value, **fields))
        else:
            result.append(chosen.choice((encode("preg", cpuid=cpu, pstate=0x16),
                                         encode("trap", cpuid=cpu, ttype=0x108, pc=pc),
                                         encode("strdesc", string="hello"),
                                         encode("cpu", cpu=cpu, timestamp=9))))  # fmt: skip
    return result


@pytest.mark.parametrize(("cpus", "single"), [(1, True), (1, False), (3, False)])
def test_version_2_is_read(cpus: int, single: bool) -> None:
    for seed in range(4):
        records = old_trace(seed, 700, cpus)
        packers: dict[int, Packer] = {}
        data = file_of([records[:400], records[400:]], single=single, packers=packers)
        assert read(data) == b"".join(records)
        assert packers[0].count >= 16 and sum(packer.repeated for packer in packers.values()) > 9


def test_version_2_masks_the_targets_of_32_bit_programs() -> None:
    masked = encode("preg", pstate=8)
    backwards = bytearray(encode("instr", instr=0x10BFFFF0, pc_va=0x10, ea_va=0xFFFFFFD0))
    backwards[1] = 0x44
    records = [masked, bytes(backwards)]
    assert read(file_of([records], single=True, packers={})) == b"".join(records)


def test_version_2_damage_is_reported() -> None:
    records = old_trace(3, 600, 1)
    data = file_of([records[:300], records[300:]], single=True, packers={})
    got, error = until(data[:-200])
    assert "cut short" in str(error) and b"".join(records).startswith(got)
    got, error = until(data[:-10])
    assert got == b"".join(records) and "the statistics at the end" in str(error)
    at = data.index(b"\xa2", 520) + 12
    broken = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
    got, error = until(broken)
    assert "the sum of sixteen chunks" in str(error) and error.offset is not None
    assert 516 < error.offset < len(data)
    chosen = random.Random(2)
    for _ in range(examples(90)):
        mutant = bytearray(data)
        for _ in range(chosen.randint(1, 3)):
            mutant[chosen.randrange(512, len(mutant))] = chosen.randrange(256)
        try:
            assert len(read(bytes(mutant))) % 24 == 0
        except TraceError as error:
            assert error.offset is not None
