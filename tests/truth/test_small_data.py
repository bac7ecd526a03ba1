"""Small data of 32-bit PowerPC: r13 is its base, and no probe and no entry of glue changes it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_program, compile_object, link_program

HERE = Path(__file__).resolve().parent
ASSEMBLY = HERE / "assembly"
FLAT = str(HERE / "hooks" / "flat.c")
HOSTILE = str(HERE.parent / "runtime" / "files" / "hostile.c")
MODELS = {
    "eabi": ("-meabi", "-msdata=eabi", "-O1"),
    "sysv": ("-msdata=sysv", "-O2", "-G", "64"),
    "neither": ("-msdata=eabi", "-meabi", "-O0", "-g"),
}
STATIC = ("-static", "-fno-pie", "-no-pie")
CHANGES = re.compile(r"\t(?!st|b|cmp|mt)[a-z]\S*\s+r13\b")


@pytest.mark.parametrize(
    ("model", "hooks", "level"),
    [
        ("eabi", "rst", "values"),
        ("sysv", HOSTILE, "values"),
        ("sysv", FLAT, "addresses"),
        ("neither", "rst", "values"),
    ],
    ids=lambda text: Path(text).stem,
)
def test_programs_with_small_data(
    plugins: Plugins, tmp_path: Path, model: str, hooks: str, level: str
) -> None:
    build = Build(TARGETS["ppc32"], (*MODELS[model], *STATIC), hooks=hooks, level=level)
    more = [ASSEMBLY / "small_data.s"]
    verdict = check_program(plugins, build, ASSEMBLY / "small_data.c", tmp_path, more=more)
    assert not verdict.problems, verdict.summary()
    assert hooks == HOSTILE or verdict.accesses > 300


@pytest.mark.parametrize(
    ("hooks", "level"),
    [("rst", "values"), (FLAT, "addresses"), (HOSTILE, "values")],
    ids=lambda text: Path(text).stem,
)
def test_every_form_beside_small_data(
    plugins: Plugins, tmp_path: Path, hooks: str, level: str
) -> None:
    options = ("--inst-small-data",)
    build = Build(TARGETS["ppc32"], ("-O1", "-static"), hooks=hooks, level=level, options=options)
    more = [ASSEMBLY / name for name in ("ppc32.s", "measured.S", "bodies.S")]
    verdict = check_program(plugins, build, ASSEMBLY / "forms.c", tmp_path, more=more)
    assert not verdict.problems, verdict.summary()


def test_nothing_but_the_start_changes_its_base(tmp_path: Path) -> None:
    """Signal handlers of the program may read small data wherever they come."""
    flags = (*MODELS["eabi"], "-fno-pie", "-no-pie")
    build = Build(TARGETS["ppc32"], flags, hooks="rst")
    names = ("small_data.c", "small_data.s")
    objects = [tmp_path / f"{name}.o" for name in names]
    for name, made in zip(names, objects, strict=True):
        compile_object(build, ASSEMBLY / name, made)
    link_program(build, objects, tmp_path / "program")
    command = ["powerpc-linux-gnu-objdump", "-d", "--no-show-raw-insn", str(tmp_path / "program")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = [line for line in text.splitlines() if CHANGES.search(line)]
    assert [line.split("\t", 1)[1].split()[0] for line in found] == ["mflr", "lwzu"], found


def test_the_linker_gives_address_and_access_one_base(tmp_path: Path) -> None:
    """Where the symbol lies decides: r13 for .sdata, r2 for .sdata2."""
    text = "\tlwz 9,{0}@sda21(0)\n\tstw 9,{0}@sda21(0)\n"
    source = tmp_path / "a.s"
    source.write_text(
        "\t.globl main\nmain:\n" + text.format("one") + text.format("two") + "\tblr\n"
        '\t.section .sdata,"aw"\none: .long 1\n\t.section .sdata2,"a"\n\t.space 20\ntwo: .long 2\n'
    )
    build = Build(TARGETS["ppc32"], ("-fno-pie", "-no-pie"), hooks="empty")
    compile_object(build, source, tmp_path / "a.o")
    link_program(build, [tmp_path / "a.o"], tmp_path / "a")
    command = ["powerpc-linux-gnu-objdump", "-d", str(tmp_path / "a"), "--disassemble=main"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    accesses = re.findall(r"\t(?:lwz|stw)\s+r9,(-?\d+)\((r\d+)\)", text)
    addresses = re.findall(r"\taddi\s+r1[12],(r\d+),(-?\d+)", text)
    bases = ["r13", "r13", "r2", "r2"]
    assert [base for _, base in accesses] == bases
    own = [(offset, base) for base, offset in addresses if base != "r1"]
    assert own == accesses, text
