"""Findings with their program: lines and functions, and fingerprints that outlive a run."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from inst.cli import main
from inst.target.targets import TARGETS
from tests.conftest import Shell, require_tools

SOURCE = """\
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t *lock;
static void once(void) { pthread_mutex_unlock(lock); }
static void twice(void)
{
    pthread_mutex_unlock(lock);
    pthread_mutex_unlock(lock);
}
int main(int count, char **words)
{
    pthread_mutex_t *locks = calloc(count, sizeof *locks);
    lock = &locks[count - 1];
    pthread_mutex_init(lock, NULL);
    once();
    twice();
    return words == NULL;
}
"""
PLACES = [("a.c", 4), ("a.c", 7), ("a.c", 8)]


def _results(trace: Path, *program: Path) -> list[dict[str, object]]:
    report = trace.with_suffix(".sarif")
    words = ["check", "--only", "locks", "--sarif", str(report), str(trace)]
    assert main([*words, *map(str, program)]) == 1
    results = json.loads(report.read_text())["runs"][0]["results"]
    return [result for result in results if result["ruleId"] == "unlock-not-held"]


def _marks(results: list[dict[str, object]]) -> list[str]:
    return [result["partialFingerprints"]["instFinding/v1"] for result in results]  # type: ignore[index]


def _build(shell: Shell, name: str, source: str, compiler: tuple[str, ...]) -> Path:
    (shell.directory / "a.c").write_text(source)
    shell.check("inst-cc", *compiler, "-g", "-O0", "a.c", "-o", name)
    return shell.directory / name


@pytest.mark.parametrize("name", ["ppc32", "sparc-v9"])
def test_findings_are_known_again(
    name: str, shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    target = TARGETS[name]
    require_tools(target.compiler[0], target.emulator)
    program = _build(shell, "p", SOURCE, target.compiler)
    one, two, moved = (shell.directory / each for each in ("one.rst", "two.rst", "moved.rst"))
    shell.check("inst", "run", "-o", str(one), "./p")
    shell.check("inst", "run", "-o", str(two), "./p", *["many", "other", "words"], ROOM="x" * 4096)
    first, second = _results(one, program), _results(two, program)
    capsys.readouterr()
    places = [result["locations"][0]["physicalLocation"] for result in first]  # type: ignore[index]
    found = [(each["artifactLocation"]["uri"], each["region"]["startLine"]) for each in places]
    assert found == PLACES
    assert main(["check", "--only", "locks", str(one), str(program)]) == 1
    text = capsys.readouterr().out
    assert re.search(r"at a\.c:4 in once\+0x", text) and re.search(r"at a\.c:8 in twice\+0x", text)
    assert [result["message"] for result in first] != [result["message"] for result in second]
    assert len(set(_marks(first))) == 3 and _marks(first) == _marks(second)
    bare = _marks(_results(one))  # the same without the program
    assert len(set(bare)) == 3 and bare == _marks(_results(two))
    later = _build(shell, "q", SOURCE.replace("static void once", "\n\n\nstatic void once"),
                   target.compiler)  # fmt: skip
    shell.check("inst", "run", "-o", str(moved), "./q")
    assert _marks(_results(moved, later)) == _marks(first)


def test_a_program_alone_is_no_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "p"
    program.write_bytes(b"\x7fELF" + bytes(60))
    assert main(["check", str(program)]) == 2
    assert f"{program} is a program: inst check TRACE {program}" in capsys.readouterr().err
