"""What a ring keeps of threads that recorded little, and what others did at that time."""

from __future__ import annotations

from pathlib import Path

import pytest

from inst.check.run import check_trace
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import WHOLE_FROM
from tests.conftest import Shell
from tests.signals.programs import RECORD, build

SOURCE = Path(__file__).parent / "ringed.c"
CHECKS = ("memory-sound", "locks", "races")
PLACE = 72
"""Where a ring states from which place in the order on nothing was overwritten."""

pytestmark = pytest.mark.rotated("ppc32", "sparc-v9", turns=True)


def codes_of(path: Path) -> list[str]:
    """Return what is found in a trace by the checks that need all events."""
    return sorted(check_trace(open_trace(path), CHECKS).counts)


@pytest.mark.parametrize("target", TARGETS)
def test_checks_need_what_all_threads_did(
    shell: Shell, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INST_RING", "1M")
    program, out = build(tmp_path, target, str(SOURCE), RECORD), tmp_path / "ring.rec"
    done = program.run(program.traced, "60", out=out)
    assert (done.returncode, done.stderr) == (0, "")
    assert codes_of(out) == []
    assert not check_trace(open_trace(out)).counts
    shell.check("inst", "convert", str(out), str(tmp_path / "ring.rst"))
    trace = open_trace(tmp_path / "ring.rst")
    report = check_trace(trace, CHECKS)
    assert not report.counts
    assert int(trace.facts.producer[WHOLE_FROM])
    assert not check_trace(open_trace(tmp_path / "ring.rst")).counts
    assert any("were not looked at by checks" in note for note in report.notes)
    with out.open("r+b") as file:  # the checks would find more without that
        file.seek(PLACE)
        file.write(bytes(8))
    assert codes_of(out) == ["race", "unlock-not-held"]
