"""Random C programs: a rewriter broken on purpose is found, and what it breaks is made small."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from truth.emulator import build_plugins

from inst.flow.liveness import Liveness, find_liveness
from inst.target.targets import TARGETS
from inst.translate import Options, translate
from tests.conftest import ROOT, require_tools
from tests.fuzz import c_program
from tests.fuzz.c_program import Trial, Unsuitable, write_program
from tests.fuzz.campaign import Campaign
from tests.fuzz.case import Case, judge
from tests.fuzz.manner import OPTIMISATIONS, PLACES, choose, parse
from tests.fuzz.reduce import is_defined, reduce_c

MANNER = parse("--max-funcs 5 --max-block-size 3 | gcc -O2 | static hostile values counter parts")
SEED = 8
Break = Callable[[pytest.MonkeyPatch], None]


def _nothing_is_live(patch: pytest.MonkeyPatch) -> None:
    """Let every register look free: what the hooks clobber is not saved."""

    def broken(*arguments: object) -> Liveness:
        found = find_liveness(*arguments)  # type: ignore[arg-type]
        found.before = [0 for _ in found.before]
        found.after = [0 for _ in found.after]
        return found

    patch.setattr("inst.rewrite.analysis.find_liveness", broken)


def _text_changed(pattern: str, by: str) -> Break:
    """Let the rewriter write something else where a pattern matches."""

    def broken(source: str, *more: object) -> str:
        return re.sub(pattern, by, translate(source, *more), flags=re.MULTILINE)  # type: ignore[arg-type]

    return lambda patch: patch.setattr(c_program, "translate", broken)


BROKEN: dict[str, tuple[str, Break]] = {
    "registers are not saved": ("output", _nothing_is_live),
    "another register's value": ("verify", _text_changed(r"inst\.ldb\.r4\b", "inst.ldb.r5")),
    "an instruction too many": (
        "verify",
        _text_changed(r"bl inst\.ldb\.r4\b", r"\g<0>; xor 4,4,4"),
    ),
    "another address is reported": (
        "truth",
        _text_changed(r"addi 13,1,(\d+);", r"addi 13,1,1+\1;"),
    ),
    "another value is reported": ("truth", _text_changed(r"inst\.ldb\.r4\b", "inst.ldb.r5")),
    "an access is not reported": ("truth", _text_changed(r"bl inst\.stw\.r9;", "nop;")),
    "an access is done twice": ("truth", _text_changed(r"(\.Linst\d+: (lbz .*?));", r"\1; \2;")),
}
"""Which step alone finds what."""


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_rewriter_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    require_tools("csmith", TARGETS["ppc32"].compiler[0], TARGETS["ppc32"].emulator)
    step, change = BROKEN[broken]
    for other in {"compared", "verified"} - {"output": {"compared"}, "verify": {"verified"}}.get(
        step, set()
    ):
        monkeypatch.setattr(Trial, other, lambda *_: "")
    change(monkeypatch)
    trial = Trial(TARGETS["ppc32"], MANNER, tmp_path)
    plugins = build_plugins(tmp_path) if step == "truth" else None
    assert trial.judge(write_program(MANNER, SEED), plugins).startswith(f"{step}: ")


def test_sound_rewriter_passes_every_step(tmp_path: Path) -> None:
    require_tools("csmith", TARGETS["ppc32"].compiler[0], TARGETS["ppc32"].emulator)
    trial = Trial(TARGETS["ppc32"], MANNER, tmp_path)
    assert trial.judge(write_program(MANNER, SEED), build_plugins(tmp_path)) == ""


def test_inst_cc_assembles_what_is_verified(tmp_path: Path) -> None:
    """Some cases go through inst-cc; it is noticed if that does anything else."""
    manner = replace(MANNER, driver=True, hooks="empty", counter=False, level="addresses")
    text = write_program(manner, SEED)
    assert Trial(TARGETS["ppc32"], manner, tmp_path).judge(text) == ""
    trial = Trial(TARGETS["ppc32"], manner, tmp_path)
    trial.assembly = translate(trial.tools.compile(trial.source), trial.target, Options())
    assert trial.instrumented().startswith("inst-cc: ")


def test_campaign_fails_when_the_rewriter_is_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    BROKEN["an instruction too many"][1](monkeypatch)
    monkeypatch.setattr("tests.fuzz.case.choose", lambda *_: replace(MANNER, hooks="empty"))
    campaign = Campaign([("c", "ppc32")], SEED, 1, 60, tmp_path, keep=False)
    assert campaign.run() == 1
    assert campaign.failed == [f"c-ppc32-{SEED}"]
    again = Campaign([("c", "ppc32")], SEED, 1, 60, tmp_path, keep=False)
    again.resume()
    assert again.failed == campaign.failed and again.done["c ppc32"].ran == 1


def test_seeds_of_no_use_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The count is of programs that ran, whatever csmith writes in between."""
    monkeypatch.setattr("tests.fuzz.campaign.source_of", lambda case: str(case.seed))

    def judged(case: Case, *_: object) -> str:
        if case.seed % 3:
            raise Unsuitable("takes too long")
        return ""

    monkeypatch.setattr("tests.fuzz.campaign.judge", judged)
    campaign = Campaign([("c", "ppc32"), ("c", "ppc64")], 1, 4, 60, tmp_path)
    assert campaign.run() == 0
    for progress in campaign.done.values():
        assert progress.ran == 4
        assert progress.unsuitable == {"takes too long": [1, 2, 4, 5, 7, 8, 10, 11]}


def test_endless_and_failing_programs_are_of_no_use(tmp_path: Path) -> None:
    for body in ("for (;;) ;", "return 3;", "__builtin_trap();", "return"):
        with pytest.raises(Unsuitable):
            Trial(TARGETS["ppc32"], MANNER, tmp_path).judge(f"int main(void) {{ {body} }}\n")


def test_manner_comes_back_from_its_text() -> None:
    found = [choose(target, seed) for target in TARGETS for seed in range(300)]
    assert [parse(manner.text()) for manner in found] == found
    assert {manner.flags[0] for manner in found} == set(OPTIMISATIONS)
    assert {manner.place for manner in found} == set(PLACES)
    assert {manner.compiler for manner in found} == {"gcc", "g++", "clang"}
    assert {(m.hooks, m.level) for m in found} >= {("hostile", "values"), ("hostile", "addresses")}
    assert any(manner.driver for manner in found)


_MULTIPLIES = """\
volatile int unrelated_data[9];
int product(int x, volatile int *y) { return x * *y; }
int unrelated(int x) { return x + unrelated_data[x & 7]; }
int main(void)
{
    volatile int y = 3;
    unrelated_data[2] = 5;
    int x = 1;
    x += unrelated(y);
    x += product(y, &y);
    return x & 0;
}
"""
_REFUSES = """\
import sys
sys.path[:0] = [{root!r}, {tests!r}]
from inst.errors import InstError
from tests.fuzz import c_program
sound = c_program.translate
def broken(source, *more):
    if "mullw " in source:
        raise InstError("no multiplication")
    return sound(source, *more)
c_program.translate = broken
if __name__ == "__main__":
    from tests.fuzz.__main__ import main
    sys.exit(main())
"""


def test_failing_program_is_made_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By lines here, then by C-Vise with a command of its own; what is left is defined C."""
    require_tools("csmith", "cvise", "gcc", TARGETS["ppc32"].compiler[0])
    script = tmp_path / "refuses.py"
    script.write_text(_REFUSES.format(root=str(ROOT), tests=str(ROOT / "tests")))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(c_program, "translate", c_program.translate)
    monkeypatch.setattr("tests.fuzz.case.choose", lambda *_: MANNER)
    __import__("refuses")
    case = Case("c", "ppc32", SEED)

    def fails(text: str) -> bool:
        try:
            return judge(case, text, tmp_path / "judged").startswith("refused:")
        except Unsuitable:
            return False

    command = [sys.executable, str(script), "--directory", str(tmp_path / "own")]
    command += ["--fails", case.name, "--step", "refused"]
    small = reduce_c(_MULTIPLIES, fails, command, tmp_path / "reduce", (60, 5))
    assert fails(small) and is_defined(small, tmp_path)
    assert "product" in small and "unrelated" not in small
    for text, status in ((small, 0), (small.replace("*", "+"), 1)):
        path = tmp_path / "asked.c"
        path.write_text(text)
        assert subprocess.run([*command, str(path)]).returncode == status


def test_undefined_programs_are_not_taken_for_small_ones(tmp_path: Path) -> None:
    head = '#include "csmith.h"\n'
    assert is_defined(head + "int main(void) { return 0; }\n", tmp_path)
    for body in ("int x; return x != 0;", "int a[2] = {0}; volatile int i = 2; return a[i] & 0;"):
        assert not is_defined(head + f"int main(void) {{ {body} }}\n", tmp_path)
