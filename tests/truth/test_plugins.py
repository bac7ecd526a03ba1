"""The plugins against assembly programs whose every access is known."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from elftools.elf.elffile import ELFFile

from inst.target.targets import TARGETS
from truth.emulator import (
    UNREPORTED_WORDS,
    Plugins,
    Watch,
    count_instructions,
    memlog_option,
    read_log,
    run,
)
from truth.machine import memory_word
from truth.tables import words

HERE = Path(__file__).resolve().parent
FLAGS = {"sparc-v8": ["-mcpu=v9"], "ppc32": []}
# What accesses/TARGET.s does, in order: direction, size, offset in its buffer. `X` is an
# execution of an instruction whose accesses the emulator does not report.
EXPECTED = {
    "sparc-v8": """
        S1+1 S2+2 S4+4 S8+8 L1+1 L1+1 L2+2 L2+2 L4+4 L8+8 L4+16 S4+20 L8+24 S8+32 S4+40 L4+40
        X L1+48 S1+48 X L4+52 S4+52 X L4+56 S4+56 X L4+56 S4+56 L8+56
    """,
    "ppc32": """
        S1+1 S2+2 S4+4 L1+1 L2+2 L2+2 L4+4 S4+8 L4+0 L4+16 S4+20 L8+24 S8+32 S4+40 L4+40 S2+40
        S4+45 L8+50 X X X X X X X L4+256 X L4+256 S4+256 X L4+256 X
    """,
}
# SPARC: 34 in _start, 8 in each call of `deep` but 6 in the innermost; a save or restore that
# traps for want of a register window counts twice, and 6 of each do.
INSTRUCTIONS = {"sparc-v8": 34 + 11 * 8 + 6 + 12, "ppc32": 48}


@pytest.fixture(params=sorted(EXPECTED))
def target_name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def program(target_name: str, tmp_path: Path) -> Path:
    made = tmp_path / "program"
    command = [*TARGETS[target_name].compiler, *FLAGS[target_name], "-fno-pic", "-no-pie"]
    command += ["-nostdlib", "-static", "-o", str(made), str(HERE / f"accesses/{target_name}.s")]
    subprocess.run(command, check=True)
    return made


def _symbol(program: Path, name: str) -> int:
    with program.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        return int(table.get_symbol_by_name(name)[0]["st_value"])


def _logged(plugins: Plugins, program: Path, watch: Watch, buffer: int) -> list[str]:
    log = program.with_suffix(".log")
    assert run(program, plugin=memlog_option(plugins, program, log, watch)).status == 0
    seen = []
    for pc, address, _, size, store in np.concatenate(list(read_log(log, program))).tolist():
        if size:
            seen.append(f"{'S' if store else 'L'}{size}+{address - buffer}")
        elif pc:
            seen.append("X")
    return seen


def test_memlog_reports_every_access_in_order(
    plugins: Plugins, program: Path, target_name: str
) -> None:
    watch = Watch(words=UNREPORTED_WORDS[TARGETS[target_name].isa])
    seen = _logged(plugins, program, watch, _symbol(program, "buffer"))
    assert seen == EXPECTED[target_name].split()


def test_memlog_keeps_to_the_ranges_it_is_given(
    plugins: Plugins, program: Path, target_name: str
) -> None:
    start = _symbol(program, "_start")
    third = start + 12  # the first store stands here on PowerPC, and on SPARC
    seen = _logged(plugins, program, Watch(ranges=[(third, third + 8)]), _symbol(program, "buffer"))
    assert seen == EXPECTED[target_name].split()[:2]


def test_the_word_table_knows_what_the_emulator_reports(
    plugins: Plugins, program: Path, target_name: str
) -> None:
    isa = TARGETS[target_name].isa
    with program.open("rb") as stream:
        text = ELFFile(stream).get_section_by_name(".text")
        code, base = text.data(), text["sh_addr"]
    known = {
        base + 4 * number: found
        for number, word in enumerate(words(code))
        if (found := memory_word(isa, word))
    }
    log = program.with_suffix(".log")
    watch = Watch(words=UNREPORTED_WORDS[isa])
    run(program, plugin=memlog_option(plugins, program, log, watch))
    records = np.concatenate(list(read_log(log, program))).tolist()
    reported = {pc for pc, _, _, _, _ in records if pc}
    assert reported == set(known)
    for pc, _, _, size, store in records:
        if size:
            expected = known[pc]
            assert size == expected.size
            assert expected.store if store else expected.load or expected.manner


def test_insncount_counts_every_instruction(
    plugins: Plugins, program: Path, target_name: str
) -> None:
    count, result = count_instructions(plugins, program, [], program.with_suffix(".count"))
    assert result.status == 0
    assert count == INSTRUCTIONS[target_name]


def test_accesses_of_helpers_are_not_the_last_instruction_of_a_page(
    plugins: Plugins, tmp_path: Path
) -> None:
    """QEMU 7.2 goes on with the callbacks of an access at the end of a page.

    What reads memory here is icbi, by its helper function.
    """
    source = tmp_path / "page.s"
    source.write_text(
        "\t.globl _start\n_start:\tlis 4,room@ha\n\taddi 4,4,room@l\n\tb last\n"
        "\t.balign 4096\n\t.space 4092\nlast:\tlwz 3,8(4)\n\ticbi 0,4\n"
        "\tli 0,1\n\tli 3,0\n\tsc\n\t.bss\n\t.balign 128\nroom:\t.space 128\n"
    )
    program = tmp_path / "page"
    compiler = TARGETS["ppc32"].compiler[0]
    subprocess.run([compiler, "-nostdlib", "-static", "-o", program, source], check=True)
    with program.open("rb") as stream:
        table = ELFFile(stream).get_section_by_name(".symtab")
        last = table.get_symbol_by_name("last")[0]["st_value"]
    assert last % 4096 == 4092
    log = tmp_path / "log"
    run(program, [], memlog_option(plugins, program, log, Watch([(last, last + 4)])))
    rows = np.concatenate(list(read_log(log, program)))
    assert [(int(r["pc"]), int(r["size"])) for r in rows if r["size"]] == [(last, 4)]
