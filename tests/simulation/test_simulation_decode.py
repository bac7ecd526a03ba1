"""Words to facts: the same as the translator's from assembly text, for every row it has."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from elftools.elf.elffile import ELFFile

from inst import isa
from inst.errors import InstError
from inst.isa.model import Access, Facts
from inst.simulation.plan import planner
from inst.words.facts import UNKNOWN, decoder

sys.path.insert(0, str(Path(__file__).parents[1] / "isa"))

if TYPE_CHECKING:
    from powerpc_instances import Instance

HELLO = '#include <stdio.h>\nint main(void) { printf("%f\\n", 1.5); return 0; }\n'

NOP = 0x60000000

HINTS = {"yield", "mdoio", "mdoom", "miso"}
"""Moves of a register to itself that are hints: the disassembler has no names for them."""
HINTED = {"blr", "blrl"}
"""With a hint as their operand, which the disassembler takes for branches that count."""

SPARC_ALIASES = {
    # words that are one thing on one processor and another on the next, or have two names
    *("call", "cpop1", "cpop2", "impdep1", "impdep2", "pwr", "pause", "mwait", "ldtxa"),
    *("casl", "casxl", "casa", "casxa", "fnsmuld"),
    *("efaddd", "efsmuld", "efsqrtd", "dictunpack"),
}


def told(facts: Facts) -> tuple[object, ...]:
    """Return what a simulation asks of facts."""
    access = facts.access
    return (
        facts.uses,
        facts.defs,
        _place(access) if access else None,
        facts.transfer,
        facts.conditional,
        facts.delay_slot,
        facts.annul,
        facts.window,
    )


def _place(access: Access) -> tuple[object, ...]:
    offset = access.offset
    number = int(offset or "0", 0) if offset.lstrip("-").isalnum() else offset
    moved = (access.load, access.store, access.size, access.value, access.form)
    return (*moved, access.base, access.index, number, access.update, access.align)


def _known_to_power8(lines: list[str]) -> list[str]:
    """Return those that an assembler for POWER8 takes: the disassembler ought to know them."""
    command = ["powerpc-linux-gnu-as", "-mpower8", "-mregnames", "-o", "/dev/null", "-"]
    text = "".join(f"{line}\n" for line in lines)
    said = subprocess.run(command, input=text, capture_output=True, text=True).stderr
    refused = {int(number) for number in re.findall(r"^\{standard input\}:(\d+):", said, re.M)}
    return [line for number, line in enumerate(lines, 1) if number not in refused]


def _common(directory: Path) -> list[Instance]:
    """Return instances whose words mean one thing on all processors that have them."""
    from powerpc_instances import instances

    return [one for one in instances(directory)[0] if not one.uncommon]


def test_every_powerpc_row_is_told_from_its_word(tmp_path: Path) -> None:
    decode = decoder("ppc")
    found = _common(tmp_path)
    wrong, unknown = set(), []
    for one in found:
        facts = decode(one.word).facts
        if one.facts.length != 4:  # prefixed: one word does not tell
            continue
        if facts is None and str(one).split()[0] not in HINTS:
            unknown.append(str(one))
        elif facts is None or told(facts) != told(one.facts):
            wrong.add(str(one).split()[0])
    assert wrong == HINTS | HINTED
    assert not _known_to_power8(unknown)
    assert len(found) > 3000


def _by_objdump(directory: Path, found: list[Instance]) -> list[tuple[str, str]]:
    """Return mnemonic and operands of instructions as GNU's disassembler for POWER10 reads them."""
    code = directory / "code.bin"
    words = [one.prefix << 32 | one.word if one.prefix else one.word << 32 | NOP for one in found]
    code.write_bytes(b"".join(word.to_bytes(8, "big") for word in words))
    command = ["powerpc-linux-gnu-objdump", "-D", "-b", "binary", "-m", "powerpc:common64", "-EB"]
    said = subprocess.run(
        [*command, "-Mpower10", "-w", "--no-show-raw-insn", str(code)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    lines = {int(at, 16): text for at, text in re.findall(r"^ +([0-9a-f]+):\t(.*)$", said, re.M)}
    texts = [lines[8 * n].split("#")[0].split("<")[0].split(None, 1) for n in range(len(words))]
    return [(name, rest[0].strip() if rest else "") for name, *rest in texts]


def test_rows_that_capstone_does_not_know_are_as_objdump_reads_them(tmp_path: Path) -> None:
    """Prefixed words and those newer than POWER8: the decoder is silent, and the tables right."""
    decode, tables = decoder("ppc"), isa.get("powerpc")
    silent = [
        one
        for one in _common(tmp_path)
        if one.prefix or (decode(one.word).facts is None and one.mnemonic not in HINTS)
    ]
    assert all(decode(one.prefix).facts is None for one in silent if one.prefix)
    wrong = []
    for one, (mnemonic, operands) in zip(silent, _by_objdump(tmp_path, silent), strict=True):
        try:
            same = told(tables.facts(mnemonic, operands)) == told(one.facts)
        except InstError:
            same = False
        if not same:
            wrong.append(f"{one}: {mnemonic} {operands}")
    assert wrong == []
    assert sum(bool(one.prefix) for one in silent) > 30
    assert len(silent) > 100


def test_sparc_rows_are_told_from_their_words(tmp_path: Path) -> None:
    """Decoded words are right; V9's later additions that capstone does not know are left out."""
    from sparc_instances import assembled

    decode = {"v8": decoder("sparc-v8"), "v9": decoder("sparc-v9")}
    known, unknown, wrong = 0, set(), []
    for one in assembled(tmp_path):
        expected = isa.get("sparc").facts(one.instance.mnemonic, one.instance.operands)
        if expected.length != 4 or one.architecture in ("sparclet", "sparclite", "leon"):
            continue
        facts = decode["v9" if one.architecture.startswith("v9") else "v8"](one.words[0]).facts
        if facts is None:
            unknown.add(one.architecture)
        elif told(facts) == told(expected):
            known += 1
        elif not any(role.startswith(("cp", "=efsr")) for role in one.instance.row.roles):
            wrong.append(one.instance.text)
    assert {text.split()[0] for text in wrong} <= SPARC_ALIASES
    assert known > 5000


@pytest.mark.parametrize(
    ("arch", "compiler"),
    [
        ("ppc", ["powerpc-linux-gnu-gcc"]),
        ("sparc", ["sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"]),
        ("sparc-v9", ["sparc64-linux-gnu-gcc"]),
    ],
)
def test_every_word_of_a_c_library_is_known(
    arch: str, compiler: list[str], tmp_path: Path, require: Callable[..., None]
) -> None:
    require(compiler[0])
    source, program = tmp_path / "hello.c", tmp_path / "hello"
    source.write_text(HELLO)
    subprocess.run([*compiler, "-O2", "-static", source, "-o", program], check=True)
    with program.open("rb") as file:
        code = ELFFile(file).get_section_by_name(".text").data()
    words = {int.from_bytes(code[n : n + 4], "big") for n in range(0, len(code), 4)} - {0}
    decode = decoder(arch)
    assert [hex(word) for word in words if decode(word).facts is None] == []
    assert len(words) > 20_000


def test_a_word_that_nothing_knows_is_said_to_be_one() -> None:
    assert decoder("ppc")(0).mnemonic == UNKNOWN
    assert decoder("sparc")(0xFFFFFFFF).facts is None


def test_misaligned_loads_are_known_by_their_facts() -> None:
    """What a load does to its registers is no question of how its name is spelled."""
    half, double = planner("sparc64")(0xC78AC135), planner("sparc64")(0xD9891D52)
    assert (half.decoded.mnemonic, half.signed, half.data) == ("ldmsh", True, ("g3",))
    assert (double.decoded.mnemonic, double.data) == ("ldmfd", ("f12", "f13"))
