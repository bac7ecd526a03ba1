"""What a paused recording holds is what the emulator saw outside the pauses, and nothing else."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pytest

from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Kind
from truth.binary import Binary
from truth.canonical import code_table
from truth.emulator import Array, Plugins, Watch, load_bias, memlog_option, read_log, run
from truth.harness import Build, Verdict, compare_trace, compile_object, link_program

SOURCE = Path(__file__).parent / "paused/pauses.c"
PAUSE, RESUME = "inst_annotate_pause", "inst_annotate_resume"
NOWHERE = 4
"""An address at which no program has code."""
PAUSES = 306
"""How often `pauses.c` stops recording: a pause in a pause is none."""


def _build(target: Target, hooks: str, level: str, directory: Path) -> Binary:
    build = Build(target, (level,), hooks=hooks, record=hooks == "record")
    made = directory / "program.o"
    compile_object(build, SOURCE, made)
    return link_program(build, [made], directory / "program")


def _places_after_calls(binary: Binary, target: Target, function: str) -> list[tuple[int, int]]:
    """Return for each call of a function in the user's code the addresses from which on, and up
    to which, code of its caller runs after it."""
    tool = target.compiler[0].removesuffix("gcc") + "objdump"
    text = subprocess.check_output([tool, "-d", str(binary.path)], text=True)
    calls = re.findall(rf"^ *([0-9a-f]+):.*\t(?:bl|call)\s.*<\.?{function}[+>]", text, re.M)
    slot = 4 if target.isa == "sparc" else 0
    ranges = [one for ranges in binary.functions.values() for one in ranges]
    places = [int(call, 16) for call in calls]
    return [(place + slot, high) for place in places for low, high in ranges if low <= place < high]


def _is_in(pcs: Array, places: list[tuple[int, int]]) -> Array:
    found = np.zeros(len(pcs), bool)
    for low, high in places:
        found |= (pcs > low) & (pcs < high)
    return found


def _outside(log: Iterable[Array], binary: Binary, target: Target) -> Iterator[Array]:
    """Yield a log in which accesses during a pause are those of code that is not the user's."""
    stops, starts = (_places_after_calls(binary, target, one) for one in (PAUSE, RESUME))
    assert stops
    assert starts
    off = False
    for batch in log:
        turns = np.zeros(len(batch), "i1")
        turns[_is_in(batch["pc"], stops)] = 1
        turns[_is_in(batch["pc"], starts)] = -1
        latest = np.maximum.accumulate(np.where(turns != 0, np.arange(len(batch)), -1))
        is_off = np.where(latest >= 0, turns[latest] > 0, off)
        off = bool(is_off[-1]) if len(is_off) else off
        batch["pc"][is_off] = NOWHERE
        yield batch


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_a_recording_has_what_the_emulator_saw_outside_pauses(
    plugins: Plugins, tmp_path: Path, name: str, level: str
) -> None:
    _compare(plugins, tmp_path, TARGETS[name], "record", level)


@pytest.mark.rotated("ppc32", "sparc-v9", turns=True)
@pytest.mark.parametrize("hooks", ["rst", "sexp"])
@pytest.mark.parametrize("name", sorted(TARGETS))
def test_so_does_a_trace_of_hooks(plugins: Plugins, tmp_path: Path, name: str, hooks: str) -> None:
    _compare(plugins, tmp_path, TARGETS[name], hooks, "-O2")


def _compare(plugins: Plugins, tmp_path: Path, target: Target, hooks: str, level: str) -> None:
    binary = _build(target, hooks, level, tmp_path)
    log, trace = tmp_path / "log", tmp_path / f"trace.{hooks}"
    watch = Watch([(site, site + 4) for site in sorted(binary.sites())], outside=True)
    option = memlog_option(plugins, binary.path, log, watch)
    result = run(binary.path, (), option, {"INST_OUT": str(trace)})
    assert (result.status, result.errors) == (0, b"")
    plain = tmp_path / "plain"
    subprocess.check_call([*target.compiler, level, str(SOURCE), "-o", str(plain),
                           f"-I{Path(__file__).parents[2]}/runtime/include"])  # fmt: skip
    assert run(plain).output == result.output
    verdict = Verdict()
    seen = _outside(read_log(log, binary.path), binary, target)
    bias = load_bias(log, binary.path)
    compare_trace(verdict, binary, seen, bias, trace, code_table(binary))
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 2000
    opened = open_trace(trace)
    marks = [row for rows in opened.events() for row in rows[rows["kind"] == Kind.GAP]]
    words = [opened.words.texts[int(row["detail"])] for row in marks]
    assert words == ["pause", "resume"] * PAUSES
