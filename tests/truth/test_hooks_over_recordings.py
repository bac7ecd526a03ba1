"""Hooks that run over a recording are called for what the emulator saw in the recorded run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from _pytest.mark import ParameterSet

from inst.cli import main
from inst.target.targets import TARGETS
from truth import harness
from truth.emulator import Array, Plugins
from truth.harness import Build, check_program
from truth.programs import EXTRA_FLAGS, Program, read_programs
from truth.rst import EVENT

HOOKS = Path(__file__).parent / "hooks" / "valued.c"
RECORDED = ("values", "loads")
NOT_EXECUTED = {("powerpc", "powerpc_multiple")}
"""Programs that are not executed again: truth/test_reexecution.py says why."""
EVERY = 4
"""Of so many programs one is tested, on one target: the rest is the campaign's."""


def _cases() -> Iterator[ParameterSet]:
    """Yield every program on its targets, recorded both ways."""
    for row, program in enumerate(read_programs()):
        targets = [target for target in sorted(TARGETS) if program.runs_on(target)]
        cases = [
            case
            for case in product(targets, RECORDED)
            if case[1] == "values" or (TARGETS[case[0]].isa, program.name) not in NOT_EXECUTED
        ]
        for number, (target, how) in enumerate(cases):
            chosen = row % EVERY == 0 and number == (row // EVERY * 3) % len(cases)
            marks = () if chosen else (pytest.mark.campaign,)
            yield pytest.param(
                program, target, how, id=f"{program.name}-{target}-{how}", marks=marks
            )


def _read(little: bool) -> np.dtype[np.void]:
    order = "<" if little else ">"
    numbers = [(name, f"{order}u8") for name in ("pc", "address", "value")]
    return np.dtype([*numbers, *((name, "u1") for name in ("size", "stores", "known")), ("", "V5")])


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize(("program", "target", "how"), [*_cases()])
def test_hooks_are_called_for_what_the_emulator_saw(
    plugins: Plugins,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    program: Program,
    target: str,
    how: str,
) -> None:
    def read_events(path: Path) -> Iterator[Array]:
        said = path.with_name("said")
        monkeypatch.setenv("INST_OUT", str(said))
        assert main(["replay", str(path), f"--hooks={HOOKS}"]) == 0
        records = np.fromfile(said, _read(TARGETS[target].byte_order == "little"))
        events = np.zeros(len(records), EVENT)
        for name in ("pc", "address", "value", "size", "stores", "known"):
            events[name] = records[name]
        yield events

    monkeypatch.setitem(harness._READERS, "record", read_events)
    flags = ("-O2", *program.flags, *EXTRA_FLAGS.get(target, ()))
    build = Build(
        TARGETS[target], flags, program.libraries, "record", how, in_process=True, record=True
    )
    try:
        verdict = check_program(plugins, build, program.source, tmp_path)
    finally:
        shutil.rmtree(tmp_path)
    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.accesses > 20
    # PowerPC's struct_return loads constants and what the C library has stored, no more.
    assert verdict.bytes_checked > 0 or program.name == "struct_return"
