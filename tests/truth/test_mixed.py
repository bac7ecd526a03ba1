"""Programs of objects that record for re-execution, and of others whose accesses call hooks.

The latter are compiled with -fPIC, as objects of static libraries often are; an option has such
objects record inline, too.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.target.targets import TARGETS
from truth.emulator import Plugins
from truth.harness import Build, check_pair, compile_object, link_program
from truth.programs import EXTRA_FLAGS

SOURCES = [Path(__file__).resolve().parent / "mixed" / name for name in ("main.c", "other.c")]


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize("target", sorted(TARGETS))
@pytest.mark.parametrize("level", ["loads", "values"])
@pytest.mark.parametrize("hooked", ["main", "other", "none"])
def test_objects_with_hooks_in_a_program_that_records(
    plugins: Plugins, tmp_path: Path, target: str, level: str, hooked: str
) -> None:
    flags = ("-O2", *EXTRA_FLAGS.get(target, ()))
    options = ("--inst-program-pic",) if hooked == "none" else ()
    binaries = []
    for name, hooks in (("plain", ""), ("traced", "record")):
        build = Build(TARGETS[target], flags, (), hooks, level, record=True)
        made = []
        for source in SOURCES:
            how = "-fPIC" if hooked in (source.stem, "none") else "-fPIE"
            made.append(tmp_path / f"{name}-{source.stem}.o")
            own = Build(TARGETS[target], (*flags, how), (), hooks, level, options, record=True)
            compile_object(own, source, made[-1])
        binaries.append(link_program(build, made, tmp_path / name))
    verdict = check_pair(plugins, *binaries, tmp_path, [], "record")
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 500
