"""Checks as such: how they are found, run in one pass, and what becomes of their findings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from inst.check import LIMIT, Check, Finding, Options, Other, Report, check_trace, registry
from inst.check.output import junit, sarif, write_text
from inst.check.run import _Places
from inst.check.text import Writer
from inst.cli import main
from inst.errors import InstError
from inst.formats.rst.record import encode
from inst.formats.rst.trace import RstTrace
from inst.formats.sexp.trace import SexpTrace
from inst.trace.place import Place
from tests.check.sarif_schema import LOG
from tests.warm import python

ROOT = Path(__file__).resolve().parents[2]
HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
LWZ = encode("instr", instr=0x80640004, pc_va=0x400, ea_valid=1, ea_va=0x2000)
SEXP = b"(mem-read (id 7) (tid 1) (address 10) (value 1))\n" * 50 + b"(lock 8 1 5)\n"


class _Both(Check):
    """Looks at batches and events, and notes what it saw."""

    def __init__(self) -> None:
        self.records = self.rows = 0

    def batch(self, batch: Any) -> Iterator[Finding]:
        self.records += len(batch)
        yield from ()

    def events(self, rows: Any) -> Iterator[Finding]:
        self.rows += len(rows)
        yield Finding("both", "error", "t", int(rows["record"][0]), "seen")

    def finish(self) -> Iterator[Finding]:
        yield Finding("end", "warning", "t", 0, f"{self.records} {self.rows}")


@pytest.fixture
def both(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(
        CODES={"both": "Seen both ways.", "end": "The end."}, start=lambda trace, options: _Both()
    )
    monkeypatch.setitem(sys.modules, "both_checks", module)  # type: ignore[arg-type]
    monkeypatch.setitem(registry.CHECKS, "both", "both_checks")


@pytest.mark.parametrize(
    ("trace", "records", "rows"),
    [
        (lambda: SexpTrace("t", [SEXP]), 51, 51),
        (lambda: SexpTrace("t", [SEXP[n : n + 100] for n in range(0, len(SEXP), 100)]), 51, 51),
        (lambda: RstTrace("t", [HEADER + LWZ * 9]), 10, 9),
        (lambda: SexpTrace("t", []), 0, 0),
    ],
)
def test_one_pass_serves_batches_and_events(
    both: None, trace: Any, records: int, rows: int
) -> None:
    report = check_trace(trace(), ("both",))
    assert report.records == records
    assert report.findings[-1].message == f"{records} {rows}"
    assert report.counts.get("both", 0) >= (1 if rows else 0)


def test_damage_ends_the_pass_and_keeps_what_was_found(both: None) -> None:
    report = check_trace(SexpTrace("t", [SEXP + b"(lock"]), ("both",))
    assert report.error is not None
    assert report.records == 51
    assert {finding.severity for finding in report.findings} == {"error"}


def test_a_check_is_not_run_on_formats_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    module = SimpleNamespace(CODES={}, FORMATS=("stf",), start=lambda trace, options: _Both())
    monkeypatch.setitem(sys.modules, "stf_checks", module)  # type: ignore[arg-type]
    monkeypatch.setitem(registry.CHECKS, "stf", "stf_checks")
    report = check_trace(SexpTrace("t", [SEXP]), ("stf",))
    assert report.checks == () and report.records == 51


def test_page_table_checks_wait_for_page_tables() -> None:
    """Unless it is named, break-before-make says nothing of programs that have none."""
    writes = b"(mem-write 1 1 plain 10 1)\n" * 20
    names = ("break-before-make",)
    assert check_trace(SexpTrace("t", [writes]), names).counts == {}
    for word in (b"happens_before", b"happens_after"):  # as programs with threads have them
        threads = writes + b"(hint 2 1 " + word + b" 10 1)\n" + writes
        assert check_trace(SexpTrace("t", [threads]), names).counts == {}
    woken = writes + b"(hint 2 1 set_root_lock 10 1)\n" + writes
    assert check_trace(SexpTrace("t", [woken]), names).findings[0].record == 21
    options = Options(chosen=frozenset(names))
    assert check_trace(SexpTrace("t", [writes]), names, options).findings[0].record == 0


PLUGIN = '''
"""Finds every lock."""
from inst.check import Check, Finding
CODES = {"a-lock": "A lock was taken."}
class Locks(Check):
    def events(self, rows):
        for row in rows[rows["kind"] == 12]:
            yield Finding("a-lock", "warning", "t", int(row["record"]), "a lock")
def start(trace, options):
    return Locks()
'''


def _run_with_plugin(path: Path, entry: str, *words: str) -> subprocess.CompletedProcess[str]:
    info = path / "locks-1.dist-info"
    info.mkdir(exist_ok=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: locks\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[inst.checks]\nevery-lock = {entry}\n")
    (path / "lock_check.py").write_text(PLUGIN)
    (path / "t.log").write_bytes(SEXP)
    environment = os.environ | {"PYTHONPATH": f"{path}{os.pathsep}{ROOT}"}
    command = [python(), "-m", "inst", "check", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=path)


def test_a_package_adds_a_check(tmp_path: Path) -> None:
    done = _run_with_plugin(tmp_path, "lock_check", "--only", "every-lock", "t.log")
    assert (done.returncode, done.stderr) == (1, "")
    assert "t: record 50: warning: a lock [a-lock]\n    A lock was taken.\n" in done.stdout
    done = _run_with_plugin(tmp_path, "lock_check", "--list")
    assert "every-lock: Finds every lock.\n  a-lock: A lock was taken.\n" in done.stdout or (
        "every-lock:" in done.stdout and "  a-lock: A lock was taken.\n" in done.stdout
    )
    done = _run_with_plugin(tmp_path, "lock_check", "--explain", "a-lock")
    assert done.stdout == "a-lock: A lock was taken.\n"


@pytest.mark.parametrize("entry", ["no_such_module", "json"])
def test_a_package_with_a_broken_check_is_named(tmp_path: Path, entry: str) -> None:
    done = _run_with_plugin(tmp_path, entry, "--only", "every-lock", "t.log")
    assert done.returncode == 2
    assert "every-lock" in done.stderr and entry in done.stderr
    assert "Traceback" not in done.stderr


def _report() -> Report:
    report = Report("dir/t \udcff<&>.log", ("break-before-make",), records=3)
    report.add(
        Finding(
            "valid-to-valid", "error", report.file, 2, 'says "<&>" \x00', 5, id=9, thread=1,
            site="src/a b.c:12", function="map+0x4", instruction="stw 9,0(3)",
            state=("first", "second"), expected="0 first",
            others=(Other(1, "before", site="b.c:3"), Other(0, "more", pc=0x40)),
        )
    )  # fmt: skip
    report.add(Finding("tlbi-ttl", "warning", report.file, 2, "bits", byte=48))
    return report


def test_text() -> None:
    lines = list(Writer(colour=False).lines(_report()))
    assert lines[0].endswith('t \\udcff<&>.log:5: record 2 (id 9): error: says "<&>" \\x00 '
                             "[valid-to-valid]")  # fmt: skip
    assert lines[1:7] == [
        "    at src/a b.c:12 in map+0x4: stw 9,0(3)",
        "    | first",
        "    | second",
        "    record 1: before, at b.c:3",
        "    record 0: more, at pc 0x40",
        "    expected: 0 first",
    ]
    coloured = "\n".join(Writer(colour=True).lines(_report()))
    assert "\033[1;31merror\033[0m" in coloured and "\033[1;33mwarning\033[0m" in coloured


def test_junit_xml() -> None:
    clean = Report("clean", ("well-formed", "break-before-make"))
    cut = Report("cut", (), error=InstError("it ends\x01 here"))
    root = ElementTree.fromstring(junit([_report(), clean, cut]))
    suites = root.findall("testsuite")
    assert [(s.get("tests"), s.get("failures"), s.get("errors")) for s in suites] == [
        ("1", "1", "0"), ("2", "0", "0"), ("1", "0", "1"),
    ]  # fmt: skip
    failure = suites[0].find("testcase/failure")
    assert failure is not None and failure.get("type") == "valid-to-valid"
    assert "expected: 0 first" in (failure.text or "")
    assert "[tlbi-ttl]" in (failure.text or "")
    assert suites[2].find("testcase/error") is not None


def test_sarif() -> None:
    cut = Report("cut", (), error=InstError("it ends here"))
    written = json.loads(json.dumps(sarif([_report(), cut])))
    (run,) = written["runs"]
    assert written["version"] == "2.1.0"
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["tlbi-ttl", "valid-to-valid"]
    first, second = run["results"]
    assert (first["ruleIndex"], first["level"], second["level"]) == (1, "error", "warning")
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/a%20b.c"
    assert place["region"] == {"startLine": 12}
    assert first["locations"][0]["logicalLocations"] == [{"name": "map+0x4", "kind": "function"}]
    trace = first["relatedLocations"][0]["physicalLocation"]
    assert trace["artifactLocation"]["uri"] == "dir/t%20%FF%3C%26%3E.log"
    assert trace["region"] == {"startLine": 5}
    assert second["locations"][0]["physicalLocation"]["region"] == {"byteOffset": 48}
    assert not run["invocations"][0]["executionSuccessful"]
    assert "it ends here" in json.dumps(run["invocations"])


def test_sarif_is_what_the_standard_demands() -> None:
    """Held against a schema, with one that has each part wrong to see that it looks."""
    bare = Report("t.log", (), [Finding("tlbi-ttl", "warning", "t.log", 0, "stray bits")])
    cut = Report("cut", (), error=InstError("it ends here"))
    written = json.loads(json.dumps(sarif([_report(), bare, cut])))
    validator = jsonschema.Draft202012Validator(LOG)
    assert [error.message for error in validator.iter_errors(written)] == []
    (run,) = written["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[result["ruleIndex"]] == result["ruleId"] for result in run["results"])
    for part, name, wrong in (
        (written, "version", "2.0.0"),
        (run["results"][0], "level", "fatal"),
        (run["results"][0], "colour", "red"),
        (run["results"][0], "partialFingerprints", {"instFinding": "0:1"}),
        (run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"], "uri", "a b"),
        (run["invocations"][0], "executionSuccessful", "yes"),
    ):
        kept = dict(part)
        part[name] = wrong
        assert not validator.is_valid(written), name
        part.clear()
        part.update(kept)
    assert validator.is_valid(written)


def test_a_program_gives_sites() -> None:
    def locator(pc: int) -> Place | None:
        return Place("map", 8, "map.c", 3, " stw 9,0(3) ") if pc == 0x40 else None

    finding = Finding(
        "c", "error", "t", 0, "m", pc=0x40, site="old:1", others=(Other(1, "x", 0x40),)
    )
    locate = _Places(SexpTrace("t", []), locator)  # type: ignore[arg-type]
    located = locate(finding)
    assert (located.site, located.function, located.instruction) == (
        "map.c:3",
        "map+0x8",
        "stw 9,0(3)",
    )
    assert located.others[0].function == "map+0x8"
    assert locate(Finding("c", "error", "t", 0, "m", pc=1, site="old:1")).site == "old:1"


def test_files_are_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "report.xml"
    target.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(str(target), "\ud800")
    assert target.read_text() == "old"
    with pytest.raises(InstError, match="cannot write"):
        write_text(str(tmp_path / "missing" / "report.xml"), "new")
    write_text(str(target), "new")
    assert [path.name for path in tmp_path.iterdir()] == ["report.xml"]
    assert target.read_text() == "new"


WRONG = "(lock 1 0 5)\n(lock 2 0 5)\n(unlock 3 1 5)\n(unlock 4 0 6)\n"


@pytest.fixture
def wrong(tmp_path: Path) -> str:
    path = tmp_path / "wrong.log"
    path.write_text(WRONG)
    return str(path)


BBM = ("check", "--only", "break-before-make")


def test_statuses_and_selection(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*BBM, wrong]) == 1
    assert "1 finding: 4 records, break-before-make" in capsys.readouterr().out
    assert main([*BBM, "--keep-going", wrong]) == 1
    assert "3 findings: 4 records" in capsys.readouterr().out
    assert main([*BBM, "--except", "break-before-make", wrong]) == 0
    assert main(["check", "--except", "nonsense", wrong]) == 2
    assert "there is no check 'nonsense'" in capsys.readouterr().err
    assert main([*BBM, str(tmp_path / "missing")]) == 2
    assert main(["check", "--explain", "already-held"]) == 0
    assert "already-held: A lock taken that is held.\n" in capsys.readouterr().out
    assert main(["check", "--explain", "nonsense"]) == 2
    assert "valid-to-valid" in capsys.readouterr().err
    assert main([*BBM, "--set", "profile=nobody", wrong]) == 2
    assert "there is no profile 'nobody'" in capsys.readouterr().err
    assert main([*BBM, "--set", "profile", wrong]) == 2
    assert main([*BBM, "--explain-state", "xyz", wrong]) == 2
    assert "is not an address" in capsys.readouterr().err


def test_reports_are_written(
    wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    xml, log = tmp_path / "r.xml", tmp_path / "r.sarif"
    assert main([*BBM, "--junit", str(xml), "--sarif", str(log), "--json", wrong]) == 1
    (report,) = json.loads(capsys.readouterr().out)["traces"]
    (finding,) = report["findings"]
    assert (finding["code"], finding["record"], finding["id"]) == ("already-held", 1, 2)
    assert finding["expected"] == "unlock first" and finding["line"] == 2
    assert ElementTree.parse(xml).getroot().find("testsuite/testcase/failure") is not None
    assert json.loads(log.read_text())["runs"][0]["results"][0]["ruleId"] == "already-held"
    assert main([*BBM, "--junit", str(tmp_path / "no" / "r.xml"), wrong]) == 2
    assert "cannot write" in capsys.readouterr().err
    assert main([*BBM, "--color", "always", wrong]) == 1
    assert "\033[1;31merror" in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    assert main([*BBM, wrong]) == 1
    assert "\033" not in capsys.readouterr().out


def test_a_source_that_is_no_text_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.log"
    path.write_bytes(b'(unlock (id 1) (tid 0) (address 5) (src "a\xff.c:1"))\n')
    assert main([*BBM, str(path)]) == 1
    assert "a\\udcff.c:1" in capsys.readouterr().out


def test_only_the_first_findings_of_a_code_are_kept(tmp_path: Path) -> None:
    options = Options(keep_going=True, chosen=frozenset({"break-before-make"}))
    trace = SexpTrace("t", [b"(unlock 1 0 5)\n" * 100])
    report = check_trace(trace, ("break-before-make",), options)
    assert report.counts == {"not-held": 100}
    assert len(report.findings) == LIMIT


def test_a_code_means_one_thing() -> None:
    known = [code for name in registry.names() for code in registry.module(name).CODES]
    assert len(known) == len(set(known))
