"""Hand-written assembly with every delay slot and every form of access, held to the emulator.

No compiler made these files, so everything counts as live in them: every probe must keep
condition codes, %y, ctr, xer and link register.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_program

HERE = Path(__file__).resolve().parent
ASSEMBLY = HERE / "assembly"
SOURCES = {
    "ppc32": ("ppc32.s", "measured.S", "bodies.S"),
    "ppc64": ("powerpc64.S", "measured.S", "bodies.S"),
    "ppc64le": ("powerpc64.S", "measured.S", "bodies.S"),
    "sparc-v8": ("sparc-v8.s", "distances.S", "bodies.S", "frames.S"),
    "sparc-v9": ("sparc-v9.s", "distances.S", "bodies.S", "frames.S"),
}
FLAT = str(HERE / "hooks" / "flat.c")
HOSTILE = str(HERE.parent / "runtime" / "files" / "hostile.c")


@pytest.mark.rotated("ppc32", "sparc-v8")
@pytest.mark.parametrize("target", sorted(SOURCES))
@pytest.mark.parametrize(
    ("hooks", "level"),
    [("rst", "values"), (FLAT, "addresses"), (HOSTILE, "values"), ("empty", "addresses")],
    ids=lambda text: Path(text).stem,
)
def test_every_form(plugins: Plugins, tmp_path: Path, target: str, hooks: str, level: str) -> None:
    build = Build(TARGETS[target], ("-O1", "-static"), hooks=hooks, level=level)
    more = [ASSEMBLY / name for name in SOURCES[target]]
    verdict = check_program(plugins, build, ASSEMBLY / "forms.c", tmp_path, more=more)
    stem = Path(hooks).stem
    assert not verdict.problems, verdict.summary()
    assert stem in ("hostile", "empty") or verdict.accesses > 100


@pytest.mark.rotated("ppc32", "sparc-v8", "sparc-v9")
@pytest.mark.parametrize("target", sorted(SOURCES))
@pytest.mark.parametrize("level", ["values", "addresses"])
def test_every_form_records_inline(
    plugins: Plugins, tmp_path: Path, target: str, level: str
) -> None:
    flags = ("-O1", "-static")
    build = Build(TARGETS[target], flags, hooks="record", level=level, record=True)
    more = [ASSEMBLY / name for name in SOURCES[target]]
    verdict = check_program(plugins, build, ASSEMBLY / "forms.c", tmp_path, more=more)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 100


@pytest.mark.parametrize("hooks", ["rst", HOSTILE], ids=lambda text: Path(text).stem)
def test_vectors_on_a_crooked_stack(
    plugins: Plugins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hooks: str
) -> None:
    monkeypatch.setenv("QEMU_CPU", "7447a")  # a 32-bit machine with vectors
    build = Build(TARGETS["ppc32"], ("-O1", "-static"), hooks=hooks)
    more = [ASSEMBLY / "crooked.s"]
    verdict = check_program(plugins, build, ASSEMBLY / "crooked.c", tmp_path, more=more)
    assert not verdict.problems, verdict.summary()
    assert hooks == HOSTILE or verdict.bytes_checked > 60


@pytest.mark.parametrize(("hooks", "level"), [("rst", "values"), (FLAT, "addresses")])
def test_registers_of_v9_in_32_bit_code(
    plugins: Plugins, tmp_path: Path, hooks: str, level: str
) -> None:
    flags = ("-O1", "-static", "-Wa,-Av8plus")
    build = Build(TARGETS["sparc-v8"], flags, hooks=hooks, level=level)
    more = [ASSEMBLY / "v8plus.s"]
    verdict = check_program(plugins, build, ASSEMBLY / "v8plus.c", tmp_path, more=more)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 15
    assert level == "addresses" or verdict.bytes_checked >= 88
