"""What the rewriter makes of every program and assembly file of the tests is sound."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from truth.programs import read_programs

from inst import isa as instruction_sets
from inst.objects.identity import Assembler, growing_text
from inst.objects.read import read_object
from inst.rewrite.writer import Writer
from inst.target.targets import TARGETS
from inst.translate import Options
from tests.conftest import require_tools
from tests.verify.__main__ import assembly, recording_flags
from tests.verify.verify import verify_rewriting

TESTS = Path(__file__).resolve().parent.parent
OPTIONS = ("-O2 -g", "-Os", "-O0 -g", "-O3 -fno-pic", "-O1 -fPIC -funwind-tables")
PROGRAMS = read_programs()
LEVELS = ("values", "addresses")
KEEPERS = {"sparc-v8": (), "sparc-v9": ("-Wa,-Av9a",)}


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("number", range(len(OPTIONS)), ids=OPTIONS.__getitem__)
def test_programs(target: str, number: int) -> None:
    """Each program with one set of options; the command verifies all of them with any."""
    chosen, found = TARGETS[target], []
    require_tools(chosen.compiler[0])
    for place, program in enumerate(PROGRAMS):
        if not program.runs_on(target) or place % len(OPTIONS) != number:
            continue
        flags = ["-std=gnu17", *OPTIONS[number].split(), *program.flags]
        source = assembly(program.source, chosen, flags)
        assembled = tuple(flags) if place % 3 == 0 else None
        level = LEVELS[place // len(OPTIONS) % 2]
        problems = verify_rewriting(source, chosen, Options(level), assembled_with=assembled)
        found += [f"{program.name}: {problem}" for problem in problems]
    assert not found, "\n".join(found)


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("number", range(len(OPTIONS)), ids=OPTIONS.__getitem__)
def test_programs_that_record(target: str, number: int) -> None:
    """The same, each set of options at all levels."""
    chosen, found = TARGETS[target], []
    require_tools(chosen.compiler[0])
    for place, program in enumerate(PROGRAMS):
        if not program.runs_on(target) or place % len(OPTIONS) != number:
            continue
        level = (*LEVELS, "loads")[place // len(OPTIONS) % 3]
        flags = ["-std=gnu17", *OPTIONS[number].split(), *program.flags, *recording_flags(chosen)]
        source = assembly(program.source, chosen, flags)
        problems = verify_rewriting(source, chosen, Options(level, record=True))
        found += [f"{program.name} {level}: {problem}" for problem in problems]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_assembly_by_hand(target: str, level: str) -> None:
    folders = ("truth/assembly", "truth/accesses", "verify/assembly")
    files = [TESTS / folder / f"{target}.s" for folder in folders]
    found = []
    for path in filter(Path.exists, files):
        flags = () if "accesses" not in str(path) else None
        options = Options(level)
        problems = verify_rewriting(path.read_text(), TARGETS[target], options, str(path), flags)
        found += [f"{path}: {problem}" for problem in problems]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("level", LEVELS)
def test_probes_beside_small_data(level: str) -> None:
    """They leave r13 alone, which is the base of small data in 32-bit PowerPC code."""
    target, found = TARGETS["ppc32"], []
    options = Options(level, small_data=True)
    programs = [program for program in PROGRAMS if program.runs_on(target.name)]
    for program in programs[LEVELS.index(level) :: 6]:
        source = assembly(program.source, target, ["-std=gnu17", "-O2", *program.flags])
        found += [f"{program.name}: {one}" for one in verify_rewriting(source, target, options)]
    text = (TESTS / "truth/assembly/ppc32.s").read_text()
    found += verify_rewriting(text, target, options, "ppc32.s", ())
    assert not found, "\n".join(found)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["sparc-v8", "sparc-v9"])
def test_values_that_are_kept_from_sites(name: str, level: str, tmp_path: Path) -> None:
    """Sites are put into objects whose values are elsewhere like into any other code."""
    target, made = TARGETS[name], tmp_path / "keepers.o"
    require_tools(target.compiler[0])
    source = TESTS / "truth/assembly/keepers.S"
    subprocess.run([*target.compiler, *KEEPERS[name], "-c", source, "-o", made], check=True)
    found = read_object(str(made), made.read_bytes())
    text = growing_text(found, Assembler(target)).content().decode()
    isa = instruction_sets.get(target.isa, target.abi)
    kept = isa.part(Writer).keep(text, isa, "keepers.o", False)
    assert kept.dropped
    # Neither are calls of windowhook known to it where registers are in use, nor V9's system calls.
    without = re.sub(r"\bta\s[^;\n]*", "nop", kept.text) if target.bits == 64 else kept.text
    options = Options(level, counter=False, dropped=kept.dropped)
    assert verify_rewriting(without, target, options) == []
