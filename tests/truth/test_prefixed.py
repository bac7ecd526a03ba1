"""POWER10's loads and stores of two words: every trace has them as the emulator saw them."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from inst.cli import main
from inst.convert.derived import Derived
from inst.program.program import Locator
from inst.program.sitetable import read_sites
from inst.statistics.statistics import gather
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Flag, Kind
from inst.trace.writing import Job, Losses
from truth.emulator import Plugins, run
from truth.harness import Build, check_program, python_environment
from truth.programs import EXTRA_FLAGS, Program, read_programs

HERE = Path(__file__).resolve().parent
ASSEMBLY = HERE / "assembly"
FLAT = str(HERE / "hooks" / "flat.c")
TARGETS_WITH_THEM = ("ppc64", "ppc64le")
PROGRAMS = read_programs()
COMPILED = "ppc64le"
"""The target whose compiler uses them for what is not on the stack."""


@pytest.fixture(autouse=True)
def power10(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QEMU_CPU", "power10")


def _ways() -> Iterator[ParameterSet]:
    """Yield every way to trace on every target; on all but one most for the campaign."""
    for target in TARGETS_WITH_THEM:
        for hooks, level, record in (
            ("rst", "values", False),
            ("sexp", "values", False),
            ("stf", "values", False),
            (FLAT, "addresses", False),
            ("record", "values", True),
            ("record", "addresses", True),
        ):
            marks = () if hooks == "rst" or target == COMPILED else (pytest.mark.campaign,)
            name = f"{Path(hooks).stem}-{level}-{target}"
            yield pytest.param(target, hooks, level, record, id=name, marks=marks)


@pytest.mark.parametrize(("target", "hooks", "level", "record"), [*_ways()])
def test_every_one_of_them(
    plugins: Plugins,
    tmp_path: Path,
    target: str,
    hooks: str,
    level: str,
    record: bool,
) -> None:
    flags = ("-O1", "-static", "-DLONGER")
    build = Build(TARGETS[target], flags, hooks=hooks, level=level, record=record)
    source, more = ASSEMBLY / "forms.c", [ASSEMBLY / "power10.S"]
    verdict = check_program(plugins, build, source, tmp_path, more=more)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 150


def _cases() -> Iterator[ParameterSet]:
    """Yield every program with one way to trace it; six programs in seven for the campaign."""
    for row, program in enumerate(PROGRAMS):
        hooks = ("rst", "sexp", "stf", "record")[row % 4]
        marks = () if row % 7 == 0 else (pytest.mark.campaign,)
        if program.runs_on(COMPILED):
            yield pytest.param(program, hooks, id=f"{program.name}-{hooks}", marks=marks)


@pytest.mark.parametrize(("program", "hooks"), [*_cases()])
def test_code_that_a_compiler_made(
    plugins: Plugins, tmp_path: Path, program: Program, hooks: str
) -> None:
    flags = ("-O2", "-mcpu=power10", *program.flags, *EXTRA_FLAGS.get(COMPILED, ()))
    build = Build(
        TARGETS[COMPILED], flags, program.libraries, hooks, in_process=True,
        record=hooks == "record",
    )  # fmt: skip
    try:
        verdict = check_program(plugins, build, program.source, tmp_path)
    finally:
        shutil.rmtree(tmp_path)
    assert not verdict.problems, verdict.summary()
    assert verdict.accesses > 20


Row = tuple[int, int, int, int, int | None]
"""An access: which of the program's sites, kind, offset in 32 bytes, size, value if it is known."""


def _rows(path: Path, program: Path) -> list[Row]:
    """Return the accesses of two words, and those of lq and stq; 16 bytes are two rows."""
    sites = sorted(read_sites(program), key=lambda site: site.address)
    chosen = {
        site.address: (number, site.text.startswith("p"))
        for number, site in enumerate(sites)
        if site.text.startswith(("p", "lq", "stq"))
    }
    found: list[Row] = []
    for event in (one for batch in open_trace(path).events() for one in batch):
        if event["kind"] not in (Kind.READ, Kind.WRITE) or int(event["pc"]) not in chosen:
            continue
        number, is_long = chosen[int(event["pc"])]
        assert not (is_long and (event["flags"] & Flag.HAS_WORD or event["word"]))
        size, values = int(event["size"]), (int(event["value"]), int(event["value_high"]))
        if size == 16 and not program.name.endswith("le"):
            values = values[::-1]
        for n in range(2 if size == 16 else 1):
            value = values[n] if event["flags"] & Flag.HAS_VALUE else None
            place = int(event["address"]) + 8 * n & 31
            found.append((number, int(event["kind"]), place, min(size, 8), value))
    return found


def _opcodes(path: Path, program: Path) -> tuple[Counter[str], Counter[str]]:
    """Return how often each instruction of two words was executed, and how many events it has."""
    trace = open_trace(path)
    named = None if path.suffix in (".rec", ".stf") else Locator([program], trace)
    counted = Counter(gather(trace, locator=named).opcodes)
    again = open_trace(path)
    derived = Derived(Job(again, io.BytesIO(), Losses(), () if named is None else (str(program),)))
    events: Counter[str] = Counter()
    for batch in again.events():
        numbers, texts = derived.of(batch).texts["opcode"]
        events.update(texts[number] for number in numbers.tolist())
    for one in (counted, events):
        for name in [name for name in one if not name.startswith("p")]:
            del one[name]
    return counted, events


def _agrees(row: Row, other: Row, same_sites: bool) -> bool:
    """Return whether rows of two programs are alike; values, where both have one."""
    known = None not in (row[-1], other[-1])
    return row[not same_sites : 5 if known else 4] == other[not same_sites : 5 if known else 4]


@pytest.mark.parametrize("target", TARGETS_WITH_THEM)
@pytest.mark.parametrize(("forms", "least"), [("LONGER", 100), ("QUADS", 16)])
def test_traces_and_what_they_are_converted_to_are_alike(
    tmp_path: Path, forms: str, least: int, target: str
) -> None:
    seen: dict[str, list[Row]] = {}
    opcodes: dict[str, Counter[str]] = {}
    for hooks in ("rst", "sexp", "stf", "record"):
        build = Build(TARGETS[target], ("-O1", "-static", f"-D{forms}"), hooks=hooks,
                      record=hooks == "record")  # fmt: skip
        program = tmp_path / f"{hooks}-{target}"
        sources = [str(ASSEMBLY / name) for name in ("forms.c", "power10.S")]
        command = [*build.compiler(), *build.flags, "-o", str(program), *sources]
        subprocess.run(command, check=True, env=python_environment())
        trace = tmp_path / f"trace.{'rec' if hooks == 'record' else hooks}"
        run(program, environment={"INST_OUT": str(trace)})
        seen[hooks] = _rows(trace, program)
        counted, events = _opcodes(trace, program)
        assert counted.keys() == events.keys()
        opcodes[hooks] = counted
        assert not main(["check", "--strict", str(trace)])
        for form in ("rst", "sexp"):
            converted = tmp_path / f"{hooks}.{form}"
            assert not main(["convert", str(trace), str(converted)])
            assert not main(["check", "--strict", str(converted)])
            seen[f"{hooks} to {form}"] = _rows(converted, program)
    assert opcodes["rst"] == opcodes["record"]
    for counted in opcodes.values():  # of 16 bytes there are several events in some formats
        assert counted.keys() == opcodes["rst"].keys()
        assert all(counted[name] == count for name, count in opcodes["rst"].items()
                   if not re.search("xv|q", name))  # fmt: skip
    expected = seen["sexp"]
    assert len(expected) >= least
    for name, rows in seen.items():
        assert len(rows) == len(expected), name
        own_sites = name.startswith("record")
        for row, other in zip(rows, expected, strict=True):
            assert _agrees(row, other, not own_sites), name
            is_known = forms == "QUADS" or not name.startswith("stf")  # it has no vectors
            assert row[-1] is not None or not is_known, name
