"""`--inst-objects`: inputs of a link that the plain compiler made are instrumented on the way."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from inst.rewrite.options import Options
from inst.target.targets import TARGETS
from inst.trace import open_trace
from inst.trace.model import Kind, among
from inst.wrap.link_objects import NOT_CHOSEN, instrumented_inputs, is_chosen
from inst.wrap.objects_report import Row, summary
from tests.conftest import Shell, require_tools

SOURCE = "int sum(const int *p, int n) { int s = 0; while (n--) s += *p++; return s; }\n"


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Return a directory with an object and an archive of ppc32."""
    require_tools("powerpc-linux-gnu-gcc", "powerpc-linux-gnu-ar")
    (tmp_path / "sum.c").write_text(SOURCE)
    for command in (
        ["powerpc-linux-gnu-gcc", "-O1", "-c", "sum.c", "-o", "sum.o"],
        ["powerpc-linux-gnu-ar", "rcs", "libsum.a", "sum.o"],
        ["cp", "sum.o", "crt1.o"],
    ):
        subprocess.run(command, check=True, cwd=tmp_path)
    return tmp_path


def linked(words: list[str], patterns: str) -> list[int]:
    """Return the places of the words that are other files now."""
    target = TARGETS["ppc32"]
    found, _ = instrumented_inputs(words, patterns, list(target.compiler), target, Options())
    for before, after in zip(words, found, strict=True):
        if before != after:
            assert b".debug_inst_" in Path(after).read_bytes()
    return [n for n, word in enumerate(words) if found[n] != word]


def test_inputs_that_match_are_instrumented(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made)
    words = ["-o", "sum.o", "crt1.o", "./sum.o", "-L", ".", "-lsum", "-lnone", "none.o"]
    assert linked(words, "all") == [3, 6]
    assert linked(words, "libsum.a") == [6]
    assert linked(words, "none, *.o") == [2, 3]
    assert linked(words, f"{made}/*sum.o") == [3]
    assert linked(words, "s.o") == []


@pytest.mark.parametrize(
    ("name", "stays"),
    [("crt1.o", True), ("crtbeginS.o", True), ("crtn.o", True), ("start.o", False),
     ("libgcc.a", False), ("libc.a", False), ("libmine.a", False)],
)  # fmt: skip
def test_all_leaves_the_start_files(name: str, stays: bool) -> None:
    assert is_chosen(Path("/lib") / name, ["all"]) is not stays
    assert is_chosen(Path("/lib") / name, ["/lib/*"])


def test_what_cannot_be_instrumented_is_linked_as_it_is(
    made: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made)
    (made / "cut.o").write_bytes((made / "sum.o").read_bytes()[:100])
    assert linked(["cut.o", "sum.o"], "all") == [1]
    assert "cut.o is left as it is: " in capfd.readouterr().err


def test_the_report_says_what_was_taken_and_left(shell: Shell) -> None:
    """Reasons of members that the cache has as they were are found again."""
    compiler = " ".join(TARGETS["ppc32"].compiler)
    require_tools(TARGETS["ppc32"].compiler[0])
    for name, text in (("sum.c", SOURCE), ("main.c", MAIN), ("bad.s", "\tblr\n\t.long 1\n")):
        (shell.directory / name).write_text(text)
    shell.check("sh", "-c", f"{compiler} -O1 -c sum.c bad.s && ar rcs libsum.a sum.o bad.o")
    shell.check("sh", "-c", f"inst-cc {compiler} -O1 -c main.c")
    command = f"inst-cc --inst-objects=libsum.a --inst-objects-report=r.json {compiler}"
    found = []
    for _ in range(2):
        shell.check("sh", "-c", f"{command} main.o -L. -lsum -o p")
        found.append(json.loads((shell.directory / "r.json").read_text()))
    assert found[0] == found[1]
    rows = {Path(row["input"]).name: row for row in found[0]["inputs"]}
    library, main = rows["libsum.a"], rows["main.o"]
    assert (library["objects"], library["left_objects"], library["left_code"]) == (1, 1, 8)
    assert min(library["code"], main["compiled_code"]) > 0
    assert "no text as an instruction" in library["left"]["bad.o"]
    assert (main["compiled_objects"], main["left"]) == (1, {})
    assert "does not name it" in rows["Scrt1.o"]["left"][""]
    assert found[0]["objects"] == 1
    assert found[0]["output"] == "p"


def test_the_sums_are_of_what_was_to_be_instrumented() -> None:
    taken = Row("a.a", objects=3, code=120, left_objects=1, left_code=8, left={"x.o": "why"})
    others = Row("crt1.o", left_objects=1, left_code=40, left={"": NOT_CHOSEN})
    text = summary([taken, others])
    assert text.endswith("3 objects with 120 bytes of code instrumented, 1 with 8 left as they are")


MAIN = """
int sum(const int *, int);
int main(void) { volatile int n = 4; int four[4] = {1, 2, 3, 4}; return sum(four, n) - 10; }
"""


@pytest.mark.rotated(turns=True)
@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("ppc32", "main.o,libsum.a"),
        pytest.param("ppc32", "all", marks=pytest.mark.campaign),
        ("sparc-v8", "all"),
    ],
)
def test_the_trace_is_that_of_instrumented_sources(name: str, chosen: str, shell: Shell) -> None:
    """What the link instruments, an object and an archive's member, tells the same accesses.

    The several hundred members of libgcc, which are in `all` for ppc32, are the campaign's.
    """
    compiler = " ".join(TARGETS[name].compiler)
    require_tools(TARGETS[name].compiler[0])
    (shell.directory / "sum.c").write_text(SOURCE)
    (shell.directory / "main.c").write_text(MAIN)
    shell.check("sh", "-c", f"{compiler} -O1 -c sum.c main.c && ar rcs libsum.a sum.o")
    found = []
    for objects, inputs in (("", "main.c sum.c"), (chosen, "main.o -L. -lsum")):
        trace = shell.directory / f"of-{objects}.rst"
        command = f"inst-cc --inst-objects={objects} {compiler} -O1 {inputs} -o p"
        shell.check("sh", "-c", command)
        shell.check("inst", "run", "-o", trace, "./p")
        rows = np.concatenate(list(open_trace(trace).events()))
        rows = rows[among(Kind.READ, Kind.WRITE)[rows["kind"]] & (rows["pc"] != 0)]
        found.append(rows[["kind", "size"]].tolist())
    assert found[0] == found[1]
    assert len(found[0]) >= 8
