"""Damaged programs: a message with the path and status 2; the trace is shown all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.common.elf import Elf
from inst.target.targets import TARGETS
from tests.conftest import require_tools
from tests.hostile.elf_case import Case
from tests.hostile.mutants import Mutant, changed, cuts
from tests.hostile.programs import Program, build
from tests.hostile.running import run


@pytest.fixture(scope="module", params=["ppc32", "ppc64le", "sparc-v8"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Program:
    """Return a program of each class and byte order."""
    target = TARGETS[request.param]
    require_tools(target.compiler[0])
    return build(target, tmp_path_factory.mktemp("program"))


@pytest.fixture
def case(program: Program, tmp_path: Path) -> Case:
    return Case(tmp_path, program.trace)


def test_the_whole_program_explains_the_trace(case: Case, program: Program) -> None:
    assert list(case.defects(Mutant("whole", program.data))) == []
    shown = run("view", case.trace, case.program)
    assert shown.status == 0 and "other+0x4 " in shown.out and "a.c:4" in shown.out


@pytest.mark.rotated(turns=True)
def test_programs_cut_short(case: Case, program: Program) -> None:
    """The section headers stand last, so that no cut program has symbols."""
    mutants = list(cuts(program.data, program.starts))
    assert len(mutants) > 20
    assert [text for each in mutants for text in case.defects(each, unreadable=True)] == []
    case.program.write_bytes(program.data[: len(program.data) // 2])
    shown = run("view", case.trace, case.program)
    assert shown.status == 2 and f"{case.program} is damaged: it has " in shown.err
    assert len(shown.out.splitlines()) == case.rows


@pytest.mark.rotated(turns=True)
def test_changed_programs(case: Case, program: Program) -> None:
    mutants = changed(program.data, program.places, seed=1, count=40)
    assert [text for each in mutants for text in case.defects(each)] == []


def test_what_is_no_program_at_all(case: Case) -> None:
    case.program.write_bytes(b"text\n" * 100)
    for command in ("view", "stats", "check"):
        outcome = run(command, case.trace, "--program", case.program)
        assert outcome.status == 2
        assert f"{case.program} is not an ELF file" in outcome.err
        assert outcome.out


def test_counts_and_sizes_beyond_reason(case: Case, program: Program) -> None:
    """A file says how many sections it has, how big they are, how many files a line table has."""
    elf = Elf(_written(case, program.data))
    width, order = elf.width // 8, "little" if elf.is_little else "big"
    sections = int.from_bytes(program.data[24 + 2 * width :][:width], order)  # e_shoff
    size_field = 8 + 3 * width  # sh_size in a section header

    def with_number(place: int, value: int, size: int) -> bytes:
        number = value.to_bytes(size, order)
        return program.data[:place] + number + program.data[place + size :]

    counted = with_number(sections + size_field, 1 << 30, width)
    shnum = 16 + 2 + 2 + 4 + 3 * width + 4 + 2 * 4
    many = counted[:shnum] + bytes(2) + counted[shnum + 2 :]
    assert list(case.defects(Mutant("2**30 sections", many), unreadable=True)) == []
    table = elf.section(".debug_line")
    assert table is not None
    files = program.data.index(table[0]) + table[0].index(b"\x02\x01\x1f\x02\x0f") + 5
    for value in (b"\xff\xff\xff\xff\x0f", b"\xff" * 9 + b"\x01", b"\x80" * 12):
        data = program.data[:files] + value + program.data[files + len(value) :]
        assert list(case.defects(Mutant(f"{value!r} files", data))) == []
        assert "line table cannot be read" in run("view", case.trace, case.program).err


def test_names_do_not_command_terminals(case: Case, program: Program) -> None:
    _written(case, program.data.replace(b"other\0", b"oth\x1br\0"))
    out = run("view", case.trace, case.program).out
    assert "oth\\x1br+0x" in out and "\x1b" not in out


def test_a_segment_beyond_the_address_space(case: Case, program: Program) -> None:
    elf = Elf(_written(case, program.data))
    width, order = elf.width // 8, "little" if elf.is_little else "big"
    first = int.from_bytes(program.data[24 + width :][:width], order)  # e_phoff
    data = bytearray(program.data)
    for offset in (8, 20) if width == 4 else (16, 40):  # p_vaddr, p_memsz
        data[first + offset : first + offset + width] = b"\xff" * width
    assert list(case.defects(Mutant("a segment of all of memory", bytes(data)))) == []


def _written(case: Case, data: bytes) -> Path:
    case.program.write_bytes(data)
    return case.program
