"""Physical addresses from TLB records: `physical` and `tlb-pavadiff`."""

from __future__ import annotations

from pathlib import Path

import pytest
from filter_traces import HEADER, NOP, fields, filtered, instr, load, names, preamble

from inst.formats.rst.record import encode
from inst.formats.rst.tlb import entry_of

MASK = (1 << 64) - 1
LDA_PHYSICAL, LDA_SECONDARY, LDA_REGISTER = 0xC4804280, 0xC4805020, 0xC4806000
"""lda [%g1]0x14; lda [%g1]0x81; lda [%g1]%asi"""


def tlb(
    kind: int, index: int, tag: int, pa: int, *, size: int = 0, cpu: int = 0, everywhere: int = 0
) -> bytes:
    data = 1 << 63 | size << 61 | pa | everywhere
    return encode("tlb", type=kind, index=index, cpuid=cpu, tag=tag, data=data)


def demap(kind: int, tag: int) -> bytes:
    return encode("tlb", demap=1, type=kind, tag=tag)


def preg(primary: int, secondary: int = 0, level: int = 0, asi: int = 0x82) -> bytes:
    return encode("preg", asiReg=asi, traplevel=level, primD=primary, secD=secondary)


CODE = tlb(0, 3, 0x10000 | 5, 0x84000)
DATA = tlb(1, 7, 0x20000 | 5, 0x400000, size=3)
"""A page of 8 KB in context 5, and one of 4 MB, whose first address is 0."""


@pytest.mark.parametrize(
    ("tag", "data", "start", "physical"),
    [
        (0x00000000FFD00000, 0xA000000000E00064, 0xFFD00000, 0xE00000),
        (0x00000000FFD10000, 0xA000000000E10064, 0xFFD10000, 0xE10000),
        (0x00000003A68B310F, 0xE00010000C000032, 0x3A6800000, 0xC000000),
        (0x0000000100B2A120, 0x8000000003756020, 0x100B2A000, 0x3756000),
    ],
)
def test_entries_are_those_of_the_document(tag: int, data: int, start: int, physical: int) -> None:
    entry = entry_of(tag, data)
    assert entry is not None and entry.start == start
    assert (start + entry.difference) & MASK == physical
    assert entry.context == tag & 0x1FFF and not entry.everywhere


def test_an_entry_that_is_not_valid_translates_nothing() -> None:
    assert entry_of(0xFFD00000, 0x2000000000E00064) is None


def test_addresses_are_translated_by_what_is_in_the_buffers(tmp_path: Path) -> None:
    trace = HEADER + CODE + DATA + preg(5) + load(0x10004, 0x20010, 5)
    trace += instr(NOP, 0x10008) + load(0x1000C, 0x500000, 5)
    found = filtered(tmp_path, "physical", trace)
    assert fields(found, "instr", "pc_va") == [0x84004, 0x84008, 0x8400C]
    assert fields(found, "instr", "ea_va") == [0x420010, 0, 0x500000], "nothing maps the last"
    assert fields(found, "memval64", "addr") == [0x420010, 0x500000]


def test_entries_are_replaced_and_taken_away(tmp_path: Path) -> None:
    access = load(0x10004, 0x20010, 5)
    trace = HEADER + CODE + DATA + preg(5) + access + tlb(1, 7, 0x20000 | 5, 0x6000) + access
    trace += demap(1, 0x20000 | 4) + access + demap(1, 0x20000 | 5) + access
    found = filtered(tmp_path, "physical", trace)
    assert fields(found, "instr", "ea_va") == [0x420010, 0x6010, 0x6010, 0x20010]


def test_contexts_choose_the_entries(tmp_path: Path) -> None:
    access = load(0x10004, 0x20010, 5)
    everywhere = tlb(0, 9, 0x10000, 0xA0000, everywhere=1)
    kernel = tlb(1, 8, 0x20000, 0xC000) + tlb(1, 9, 0x20000 | 6, 0xE000)
    trace = HEADER + everywhere + DATA + kernel
    for context in (preg(5), preg(6), preg(5, level=1), preg(7)):
        trace += context + access
    found = filtered(tmp_path, "physical", trace)
    assert fields(found, "instr", "pc_va") == [0xA0004] * 4
    assert fields(found, "instr", "ea_va") == [0x420010, 0xE010, 0xC010, 0x20010]


def test_alternate_spaces_have_contexts_of_their_own(tmp_path: Path) -> None:
    trace = HEADER + DATA + tlb(1, 9, 0x20000 | 6, 0xE000) + preg(5, 6, asi=0x81)
    for word in (LDA_PHYSICAL, LDA_SECONDARY, LDA_REGISTER):
        trace += instr(word, 0x10004, 0x20010)
    trace += preg(5, 6, asi=0x45) + instr(LDA_REGISTER, 0x10004, 0x20010)
    found = filtered(tmp_path, "physical", trace)
    assert fields(found, "instr", "ea_va") == [0x20010, 0xE010, 0xE010, 0x20010]


def test_a_physical_space_is_known_to_have_no_difference(tmp_path: Path) -> None:
    trace = HEADER + DATA + preg(5) + load(0x10004, 0x20010, 5)
    trace += instr(LDA_PHYSICAL, 0x10008, 0x20010) + instr(NOP, 0x1000C)
    found = filtered(tmp_path, "tlb-pavadiff", trace)
    assert fields(found, "pavadiff", "ea_pa_va") == [0x400000, 0]


def test_each_cpu_has_its_own_buffers_and_pavadiff_comes_first(tmp_path: Path) -> None:
    access = [load(0x10004, 0x20010, 5, cpu=number) for number in range(3)]
    trace = HEADER + tlb(1, 7, 0x20000, 0x6000, cpu=1) + tlb(1, 7, 0x20000, 0x8000, cpu=2)
    trace += access[0] + access[1] + access[2]
    trace += encode("pavadiff", cpuid=1, ea_valid=1, ea_pa_va=0x100000) + access[1] + access[2]
    found = filtered(tmp_path, "physical", trace)
    expected = [0x20010, 0x6010, 0x8010, 0x120010, 0x8010]
    assert fields(found, "instr", "ea_va") == expected


def test_pavadiff_records_are_made_where_translations_change(tmp_path: Path) -> None:
    trace = preamble() + CODE + DATA + preg(5) + load(0x10004, 0x20010, 5)
    trace += instr(NOP, 0x10008) + load(0x1000C, 0x20018, 5)
    trace += tlb(1, 7, 0x20000 | 5, 0x6000) + load(0x10010, 0x20020, 5) + preg(6)
    trace += load(0x10014, 0x20020, 5)
    found = filtered(tmp_path, "tlb-pavadiff", trace)
    assert names(found).count("pavadiff") == 2
    assert fields(found, "pavadiff", "pc_pa_va") == [0x74000, 0x74000]
    assert fields(found, "pavadiff", "ea_pa_va") == [0x400000, 0x6000 - 0x20000 & MASK]
    assert fields(found, "pavadiff", "icontext") == [5, 5]
    at = names(found).index("pavadiff")
    assert names(found)[at + 1] == "instr"
    physical = filtered(tmp_path, "tlb-pavadiff | physical", trace)
    assert fields(physical, "instr", "ea_va")[:4] == [0x420010, 0, 0x420018, 0x6020]


def test_a_trace_without_tlb_records_stays_as_it_is(tmp_path: Path) -> None:
    trace = preamble() + preg(5) + load(0x10004, 0x20010, 5)
    assert filtered(tmp_path, "tlb-pavadiff", trace) == trace
