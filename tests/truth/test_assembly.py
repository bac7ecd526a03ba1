"""Hand-written assembly with every delay slot and every form of access, held to the emulator.

No compiler made these files, so everything counts as live in them: every probe must keep
condition codes, %y, ctr, xer and link register.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_pair, compile_object, link_program

HERE = Path(__file__).resolve().parent
ASSEMBLY = HERE / "assembly"
SOURCES = {
    "ppc32": ("ppc32.s",),
    "ppc64": ("powerpc64.S",),
    "ppc64le": ("powerpc64.S",),
    "sparc-v8": ("sparc-v8.s", "distances.S"),
    "sparc-v9": ("sparc-v9.s", "distances.S"),
}
FLAT = str(HERE / "hooks" / "flat.c")
HOSTILE = str(HERE.parent / "runtime" / "files" / "hostile.c")


@pytest.mark.parametrize("target", sorted(SOURCES))
@pytest.mark.parametrize(
    ("hooks", "level"),
    [("rst", "values"), (FLAT, "addresses"), (HOSTILE, "values"), ("empty", "addresses")],
    ids=lambda text: Path(text).stem,
)
def test_every_form(plugins: Plugins, tmp_path: Path, target: str, hooks: str, level: str) -> None:
    binaries = []
    for name, library in (("plain", ""), ("traced", hooks)):
        build = Build(TARGETS[target], ("-O1", "-static"), hooks=library, level=level)
        objects = []
        for source in map(ASSEMBLY.joinpath, ("forms.c", *SOURCES[target])):
            objects.append(tmp_path / f"{name}-{source.stem}.o")
            compile_object(build, source, objects[-1])
        binaries.append(link_program(build, objects, tmp_path / name))
    stem = Path(hooks).stem
    verdict = check_pair(plugins, binaries[0], binaries[1], tmp_path, [], stem)
    assert not verdict.problems, verdict.summary()
    assert stem in ("hostile", "empty") or verdict.accesses > 100


@pytest.mark.parametrize("hooks", ["rst", HOSTILE], ids=lambda text: Path(text).stem)
def test_vectors_on_a_crooked_stack(
    plugins: Plugins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hooks: str
) -> None:
    monkeypatch.setenv("QEMU_CPU", "7447a")  # a 32-bit machine with vectors
    binaries = []
    for name, library in (("plain", ""), ("traced", hooks)):
        build = Build(TARGETS["ppc32"], ("-O1", "-static"), hooks=library)
        objects = []
        for source in (ASSEMBLY / "crooked.c", ASSEMBLY / "crooked.s"):
            objects.append(tmp_path / f"{name}{source.suffix}.o")
            compile_object(build, source, objects[-1])
        binaries.append(link_program(build, objects, tmp_path / name))
    verdict = check_pair(plugins, binaries[0], binaries[1], tmp_path, [], Path(hooks).stem)
    assert not verdict.problems, verdict.summary()
    assert hooks == HOSTILE or verdict.bytes_checked > 60
