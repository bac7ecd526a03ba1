"""A short campaign, what earlier ones found, and that a campaign finds what is broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from truth.emulator import Result, build_plugins

from inst.target.targets import TARGETS
from tests.conftest import require_tools
from tests.fuzz import assembly, powerpc_power10
from tests.fuzz.assembly import Subject, judge_assembly
from tests.fuzz.c_program import Trial
from tests.fuzz.campaign import KEPT, Campaign
from tests.fuzz.case import Case, judge, source_of
from tests.fuzz.machines import generate
from tests.fuzz.manner import parse
from tests.fuzz.reduce import reduce_lines
from tests.fuzz.running import difference

PAIRS = [("assembly", name) for name in sorted(TARGETS)] + [("c", "ppc32"), ("events", "sparc-v8")]
"""One C program is enough here: tests/truth has many; there all signals come at the same places."""


@pytest.mark.rotated("ppc32", "sparc-v8", turns=True)
@pytest.mark.parametrize(("kind", "target"), PAIRS)
def test_short_campaign(tmp_path: Path, kind: str, target: str) -> None:
    require_tools("csmith", TARGETS[target].compiler[0], TARGETS[target].emulator)
    campaign = Campaign([(kind, target)], 1000, 1, 60, tmp_path, keep=False)
    assert campaign.run() == 0


@pytest.mark.rotated(*powerpc_power10.TARGETS, turns=True)
@pytest.mark.parametrize("target", powerpc_power10.TARGETS)
def test_short_campaign_for_power10(
    tmp_path: Path, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    require_tools(TARGETS[target].compiler[0], TARGETS[target].emulator)
    with monkeypatch.context() as patch:
        patch.setenv("QEMU_CPU", "")  # restored afterwards
        powerpc_power10.choose()
        source = source_of(Case("assembly", target, 1))
        found = {line.split()[0] for line in source.splitlines() if line.startswith("\t")}
        assert {"plwz", "pstd", "plxv", "pstxvp", "paddi", "pla"} <= found
        case = Case("throws", target, 7000)
        assert "-mcpu=power10" in case.manner().flags
        assert judge(case, source_of(case), tmp_path / "throws") == ""
        assert Campaign([("assembly", target)], 1000, 1, 60, tmp_path, keep=False).run() == 0
    assert "plwz" not in source_of(Case("assembly", target, 1))


@pytest.mark.parametrize("kept", sorted(KEPT.glob("*.[cs]*")), ids=lambda path: path.name)
def test_what_was_found(tmp_path: Path, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, rest = kept.stem.split("-", 1)
    target, seed = rest.rsplit("-", 1)
    text = kept.read_text()
    if powerpc_power10.PROCESSOR in text:
        monkeypatch.setenv("QEMU_CPU", powerpc_power10.PROCESSOR)
    if kind != "assembly":  # its first lines say how it was made, whatever the seed means today
        plugins = build_plugins(tmp_path)
        for line in text.split("/*")[1].split("*/")[0].splitlines():
            *other, manner = line.strip().split(": ", 1)
            name = other[0] if other else target
            found = Trial(TARGETS[name], parse(manner), tmp_path).judge(text, plugins)
            assert found == "", line
    else:
        assert judge(Case(kind, target, int(seed)), text, tmp_path) == ""


def test_same_seed_same_program() -> None:
    case = Case("assembly", "sparc-v8", 5)
    assert source_of(case) == source_of(case) != source_of(Case("assembly", "sparc-v8", 6))


def test_broken_rewriter_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = assembly.translate

    def broken(*arguments: Any) -> str:
        return sound(*arguments).replace("addi 13,", "addi 12,", 1)

    monkeypatch.setattr(assembly, "translate", broken)
    assert _judged(tmp_path, generate("ppc32", 3, 4)).startswith(("output", "line"))


def test_program_that_reads_what_has_no_value_is_told(tmp_path: Path) -> None:
    leak = "addze 3,3; stfd 13,8(1); lwz 5,8(1); add 3,3,5"
    source = generate("ppc32", 3, 2).replace("addze 3,3", leak, 1)
    assert "no value" in _judged(tmp_path, source)


def _judged(directory: Path, source: str) -> str:
    return judge_assembly(Subject(TARGETS["ppc32"], "empty", "values", source, directory))


def test_difference_is_one_line() -> None:
    plain = Result(b"same\n1\n", b"", 0)
    assert difference(plain, plain) == ""
    found = difference(plain, Result(b"same\n2\n3\n", b"", 0))
    assert found == "output line 2: plain '1', instrumented '2'"
    assert difference(plain, Result(b"", b"boom\n", 1)) == "plain: status 0, instrumented: 1 boom"


def test_reduction_keeps_what_fails() -> None:
    lines = [str(number) for number in range(100)]
    assert reduce_lines(lines, lambda kept: "17" in kept and "80" in kept) == ["17", "80"]
