"""The tables of memory instructions (`inst.words`) against assembler, disassembler and tables of
the translator; and the C that is generated from them, compiled for the targets, against Python."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from powerpc_instances import Instance, instances

from inst.arch.powerpc.words import accesses as powerpc
from inst.arch.powerpc.words.operands import operands_of
from inst.arch.registry import producer
from inst.arch.sparc.words import accesses as sparc
from inst.build.compiled import instruction_tables
from inst.errors import InstError
from inst.isa.model import Form
from inst.paths import data
from inst.target.targets import TARGETS
from inst.words import decode
from inst.words.access import BOTH, READ, WRITE, Access
from inst.words.decode import have_addresses, transfers_of
from inst.words.disassemble import disassembler
from inst.words.facts import decoder

SOURCE = Path(__file__).with_name("memory_words.c")
WORDS = 3000


@pytest.fixture(scope="module")
def assembled(tmp_path_factory: pytest.TempPathFactory) -> list[Instance]:
    return instances(tmp_path_factory.mktemp("words"))[0]


def found_in(instance: Instance) -> Access | None:
    if instance.prefix:
        only_registers = instance.prefix >> 24 & 3 in (1, 3)
        return None if only_registers else powerpc.prefixed_access_of(
            instance.prefix, instance.word
        )  # fmt: skip
    return powerpc.access_of(instance.word, has_spe=instance.mnemonic.startswith("ev"))


def test_assembled_powerpc_instructions(assembled: list[Instance]) -> None:
    """Every row is met, and every access of the translator's tables has the same one here."""
    met, wrong = set(), []
    for instance in assembled:
        if instance.uncommon and not instance.mnemonic.startswith("ev"):  # they share words
            continue
        access, found = instance.facts.access, found_in(instance)
        if access is None or found is None:
            if access is not found and (access is None or access.form != Form.OPAQUE):
                wrong.append(f"{instance}: {access}, {found}")
            continue
        met.add(found.mnemonic.removeprefix("p"))
        several = found.multiple or access.form in (Form.BLOCK, Form.RESERVE)
        what = READ if access.load and not access.store else WRITE
        if access.form not in (Form.BLOCK, Form.RESERVE) and found.what != what:
            wrong.append(f"{instance}: {found}")
        if not several and found.size != access.size:
            wrong.append(f"{instance}: {found.size} bytes, {access.size}")
        if not instance.prefix and not found.value.startswith("wide"):
            wrong += registers_differ(instance)
    assert not wrong, "\n".join(wrong)
    missing = {row.mnemonic.removeprefix("p") for row in powerpc.ROWS.values()} - met
    assert not missing


def registers_differ(instance: Instance) -> list[str]:
    """Compare the registers of an address, and whether the instruction changes the base."""
    access, found = instance.facts.access, operands_of(instance.word)
    assert access is not None and found is not None
    base = f"r{found.base}" if found.base >= 0 else None
    index = f"r{found.index}" if found.index >= 0 else None
    same = (base, found.updates) == (access.base, access.update)
    if found.access.form not in ("indexed_string", "length"):
        same &= index == access.index
    if found.bank == "R" and access.value is not None:
        same &= access.value == f"r{found.number}"
    return [] if same else [f"{instance}: {found}, {access}"]


def random_words(isa: str) -> list[int]:
    """Return words, most of which access memory."""
    chosen = random.Random(isa)
    words = [chosen.getrandbits(32) for _ in range(WORDS)]
    if isa == "sparc":
        in_spaces = [
            3 << 30 | op3 << 19 | space << 5 for op3 in (0x13, 0x33, 0x37) for space in range(256)
        ]
        return words + [3 << 30 | word >> 2 for word in words] + in_spaces
    samples = list(powerpc.samples().values())
    words += [31 << 26 | word >> 6 for word in words]
    return samples + words + [word | samples[n % len(samples)] for n, word in enumerate(words)]


@pytest.mark.parametrize("name", TARGETS)
def test_generated_c_says_the_same(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    folder = data("runtime") / target.isa
    header = instruction_tables(target, tmp_path)
    program = tmp_path / "show"
    options = ["-O1", "-w", "-static", f"-I{header}", f"-I{folder}"]
    subprocess.run([*target.compiler, *options, SOURCE, "-o", program], check=True)
    words = random_words(target.isa)
    done = subprocess.run(
        [target.emulator, program], input="\n".join(f"{word:x}" for word in words),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    expected = sparc_line if target.isa == "sparc" else powerpc_line
    lines = done.stdout.splitlines()
    assert len(lines) == len(words)
    for word, line in zip(words, lines, strict=True):
        assert line == expected(word, target.bits), f"{word:#010x}"


def enumerators(first: str) -> list[str]:
    """Return the names of an enumeration of the decoder's header, by its first one."""
    text = re.sub(r"/\*.*?\*/", "", (data("runtime") / "powerpc/decode.h").read_text(), flags=re.S)
    names = re.findall(r"enum \{(.*?)\}", text, re.S)
    found = [re.findall(r"\w+", one) for one in names]
    return next(one for one in found if one[0] == first)


VALUES, FORMS, BANKS = (enumerators(first) for first in ("GENERAL", "SIMPLE", "LOW"))


def powerpc_line(word: int, bits: int) -> str:
    access = powerpc.access_of(word)
    if access is None or access.bits > bits:
        return ""
    names = (access.value, VALUES), (access.form, FORMS), (access.bank, BANKS)
    numbers = [access.size, int(access.what == WRITE)]
    return " ".join(map(str, numbers + [known.index(name.upper()) for name, known in names]))


def sparc_line(word: int, bits: int) -> str:
    access = sparc.ROWS.get(word >> 19 & 63) if word >> 30 == 3 else None
    if access is None:
        return ""
    if bits == 64 and access.mnemonic in ("ldda", "lddfa", "stdfa"):
        access = sparc.access_of(word)
        assert access is not None
    return f"{access.size} {int(access.what != READ)} {int(access.value == 'float')}"


@pytest.mark.parametrize(("arch", "isa"), [("ppc64", "powerpc"), ("sparcv9", "sparc")])
def test_columns_of_words_are_decoded_as_single_words(arch: str, isa: str) -> None:
    words = random_words(isa)
    what, size = decode.lookup(np.array(words, "u4"), arch)
    for word, column, length in zip(words, what.tolist(), size.tolist(), strict=True):
        one = decode.access_of(word, arch)
        assert (column, length) == ((one.marks, one.size) if one else (0, 0)), f"{word:#x}"


def test_powerpc_words_as_the_disassembler_names_them() -> None:
    """A word has a row's name if it has the row, with or without the dot of what it records."""
    names = {row.mnemonic.rstrip(".") for row in powerpc.ROWS.values() if "wide" not in row.value}
    text, compared = disassembler("ppc64"), 0
    for word in random_words("powerpc"):
        mnemonic = text(word, 0).partition(" ")[0].rstrip(".")
        one = powerpc.access_of(word)
        if mnemonic in names:
            assert one is not None and one.mnemonic.rstrip(".") == mnemonic, f"{word:#010x}"
            compared += 1
        else:
            assert one is None or mnemonic == ".word", f"{word:#010x} {mnemonic}"
    assert compared > WORDS / 4


def test_sparc_words_as_the_disassembler_has_them() -> None:
    """What the disassembler's text accesses by the translator's tables, the table says, too."""
    facts_of, compared = decoder("sparcv9"), 0
    for word in random_words("sparc")[WORDS : WORDS + 500]:
        one, decoded = sparc.access_of(word), facts_of(word)
        if decoded.facts is None:
            continue
        access, text = decoded.facts.access, f"{word:#010x} {decoded.mnemonic} {decoded.operands}"
        assert (access is None) == (one is None), text
        if access is not None and one is not None and access.form in (Form.SIMPLE, Form.ATOMIC):
            expected = BOTH if access.load and access.store else READ if access.load else WRITE
            assert (one.what, one.size) == (expected, access.size), text
            compared += 1
    assert compared > 100


@pytest.mark.parametrize("arch", ["riscv64", "none"])
def test_an_unknown_architecture_is_an_error(arch: str) -> None:
    words, places = np.zeros(1, "u4"), np.zeros(1, "u8")
    for decode_words in (
        lambda: decode.lookup(words, arch),
        lambda: decode.access_of(0, arch),
        lambda: transfers_of(words, places, arch),
        lambda: have_addresses(words, arch),
        lambda: decoder(arch),
    ):
        with pytest.raises(InstError, match=f"unknown instruction set `{arch}`"):
            decode_words()
    assert producer("").name == "sparc"


POWER9 = """
typedef double pair __attribute__((vector_size(16)));
pair from[8] = { { 1, 2 }, { 3, 4 } }, to[8];
int main(void)
{
    for (int n = 0; n < 8; n++)
        to[n] = from[n] + from[n];
    return to[1][1] != 8;
}
"""


def test_vectors_of_power9_are_accesses_in_traces(tmp_path: Path) -> None:
    """`lxv` and `stxv` are loads and stores of 16 bytes, and traces of them are well-formed."""
    target = TARGETS["ppc64le"]
    source, program, trace = (tmp_path / name for name in ("p9.c", "p9", "trace.rst"))
    source.write_text(POWER9)
    wrapper = [sys.executable, "-m", "inst.wrap.cc", "--inst-hooks=rst"]
    options = ["-mcpu=power9", "-O3", "-static", source, "-o", program]
    subprocess.run([*wrapper, *target.compiler, *options], check=True)
    run = [target.emulator, "-cpu", "power9", program]
    subprocess.run(run, check=True, env={"INST_OUT": str(trace)})
    command = [sys.executable, "-m", "inst"]
    checked = subprocess.run([*command, "check", trace], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout
    view = [*command, "view", "--as", "table", trace]
    shown = subprocess.run(view, capture_output=True, text=True, check=True).stdout
    for kind, name in (("load", "lxv"), ("store", "stxv")):
        rows = [line.split() for line in shown.splitlines() if f" {name} vs" in line]
        assert len(rows) >= 8
        assert {(row[1], row[6]) for row in rows} == {(kind, "16")}
