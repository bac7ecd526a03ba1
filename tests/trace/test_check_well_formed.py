"""`inst check`, well-formed: for each finding the trace that has it and its clean neighbour."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from inst.check import LIMIT, check_trace, explain
from inst.check.well_formed import CODES
from inst.cli import main
from inst.formats.rst.record import encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.formats.sexp.trace import SexpTrace
from inst.formats.stf.trace import StfTrace

ONLY = ("well-formed",)
CHECK = ("check", "--only", "well-formed")
HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
INFO = encode("traceinfo", rtype2=2, level=1)
START = HEADER + INFO + encode_string("arch=ppc")  # records 0, 1, 2
END = encode("status", status=2)
LD = 0xD0022000  # SPARC: what a trace is that names no architecture
LWZ, ADD, STMW, BEQ = 0x80640004, 0x7C632214, 0xBFC1FFF8, 0x41820010


def header(major: int, minor: int, text: str) -> bytes:
    return encode("header", majorVer=major, minorVer=minor, percent=0x25, header_str=text)


def instr(word: int = LWZ, ea: int | None = 0x2000, **bits: int) -> bytes:
    valid = {} if ea is None else {"ea_valid": 1, "ea_va": ea}
    return encode("instr", instr=word, pc_va=0x400, **valid, **bits)


def value(size: int = 4, addr: int = 0x2000, **bits: int) -> bytes:
    return encode("memval64", addrisVA=1, addr=addr, size=size, **bits)


def findings(data: bytes, chunk: int = 1 << 20) -> list[tuple[str, int]]:
    chunks = [data[start : start + chunk] for start in range(0, len(data), chunk)]
    report = check_trace(RstTrace("t.rst", chunks), ONLY)
    assert report.error is None
    return [(finding.code, finding.record) for finding in report.findings]


OLD = encode("header", majorVer=1, minorVer=10, percent=0x25, header_str="RST Header v1.10")

CLEAN = [
    START + END,
    START + instr() + value() + END,
    START + END + encode("nullrec") * 3,
    OLD + instr(LD) + END,  # no TRACEINFO, an old version
    START + instr(BEQ, 0x410) + END,  # untaken, with a target all the same
    START + instr(ea=None) + instr(ea=None) + END,  # no effective addresses at all
    START + instr(STMW) + value() + value(addr=0x2004) + END,
    START + instr() + encode("nullrec") + value(size=2, addr=0x2002) + END,
    START + instr(ADD, None) + END,
    START + instr() + instr(ea=None, an=1) + instr(ea=None, tr=1) + END,
    START + bytes([50]) * 24 + END,  # somebody's own record type
    START + encode("cpu", cpu=1023) + END,
    START + instr() + bytes(48),  # killed: a note, not a finding
    START + instr(),  # no STATUS, as in Sun's traces: a note
    header(1, 8, "RST Header v1.8") + instr(LD) + END,
    encode("header", majorVer=1, minorVer=4, header_str="unatrace") + instr(LD) + END,
    header(2, 9, "RST Header v2.09") + END,
    header(2, 9, "RST Header v2.9") + END,
    header(2, 13, "RST Header v2.13 x") + END,
]

WRONG = [
    (b"", "rst-header", 0),
    (instr(LD) + END, "rst-header", 0),
    (encode("header", base=HEADER, percent=0) + END, "rst-header", 0),
    (encode("header", base=HEADER, minorVer=12) + END, "rst-header", 0),
    (encode("header", majorVer=2, minorVer=14, percent=0x25, header_str="RST Header v2.14") + END,
     "rst-version", 0),
    (START + instr() + INFO + END, "rst-traceinfo", 4),
    (HEADER + encode("traceinfo", rtype2=1) + END, "rst-traceinfo", 1),
    (START + encode("strcont", string="x" * 23) + instr() + END, "rst-string", 4),
    (START + encode("strcont", string="x") + encode("strdesc") + END, "rst-string", 3),
    (START + encode("strdesc", string="x" * 23) + END, "rst-string", 3),
    (START + instr(ADD) + END, "rst-ea", 3),
    (START + instr() + instr(ea=None) + END, "rst-ea-missing", 4),
    (START + value() + END, "rst-memval", 3),
    (START + instr(ADD, None) + value() + END, "rst-memval", 4),
    (START + instr(cpuid=1) + value(cpuid=2) + END, "rst-memval", 4),
    (START + instr() + value(size=8) + END, "rst-memval", 4),
    (START + instr() + value(addr=0x2004) + END, "rst-memval", 4),
    (START + instr() + value(addr=0x1FFC) + END, "rst-memval", 4),
    (START + instr(STMW) + value(addr=0x2080) + END, "rst-memval", 4),
    (START + instr() + value(size=0) + END, "rst-size", 4),
    (START + instr() + value(size=9) + END, "rst-size", 4),
    (START + encode("cpu", cpu=1024) + END, "rst-cpuid", 3),
    (OLD + encode("cpu", cpu=64) + END, "rst-cpuid", 1),
    (header(2, 9, "RST Header v2.19") + END, "rst-header", 0),
    (header(1, 8, "RST Header") + END, "rst-header", 0),
    (header(2, 13, "RST Header v2.133") + END, "rst-header", 0),
    (header(2, 13, "RST HEADER v2.13") + END, "rst-header", 0),
    (header(2, 13, "RST Header v2.13x") + END, "rst-header", 0),
    (START + bytes([1]) * 24 + END, "rst-type", 3),
    (START + END + instr(), "rst-status", 4),
]  # fmt: skip


@pytest.mark.parametrize("chunk", [24, 72, 1 << 20])
@pytest.mark.parametrize("data", CLEAN)
def test_clean_traces(data: bytes, chunk: int) -> None:
    assert findings(data, chunk) == []


@pytest.mark.parametrize("chunk", [24, 72, 1 << 20])
@pytest.mark.parametrize(("data", "code", "record"), WRONG)
def test_each_finding(data: bytes, code: str, record: int, chunk: int) -> None:
    assert findings(data, chunk) == [(code, record)]


def test_a_trace_without_status_has_a_note() -> None:
    """None of Sun's traces has one; ours is killed then, which another note says."""
    report = check_trace(RstTrace("t.rst", [START + instr()]), ONLY)
    (note,) = report.notes
    assert note.startswith("no STATUS EOF at the end") and not report.incomplete
    ours = START + encode_string("ending=running") + instr()
    (note,) = check_trace(RstTrace("t.rst", [ours]), ONLY).notes
    assert note.startswith("the trace ends without its end record")
    assert check_trace(RstTrace("t.rst", [START + instr() + END]), ONLY).notes == []


SEXP_CLEAN = """\
(mem-write (id 1) (tid 1) (mem-order plain) (address 10) (value ff) (size 1))
(mem-read (id 1) (tid 2) (address 10) (value ffffffffffffffff))
(mem-set (id 2) (tid 1) (address 8) (size 10) (value 0))
(mem-read (id 3) (tid 1) (address fffffffffffffffc) (value 0) (size 4))
(image (id 4) (tid 1) (base 0) (path "p"))
"""

SEXP_WRONG = [
    ("(lock 5 1 0)\n(lock 5 1 0)", "sexp-id", 1, 2),
    ("(lock 5 1 0)\n(lock 6 2 0)\n(lock 4 1 0)", "sexp-id", 2, 3),
    ("(mem-raed 5 1)", "sexp-kind", 0, 1),
    ("\n(mem-read (id 1) (tid 1) (address 0) (value 0) (size 3))", "sexp-size", 0, 2),
    ("(mem-set 1 1 4 10 0)", "sexp-size", 0, 1),
    ("(mem-set 1 1 8 c 0)", "sexp-size", 0, 1),
    ("(mem-read (id 1) (tid 1) (address 0) (value 100) (size 1))", "sexp-value", 0, 1),
    ("(mem-read (id 1) (tid 1) (address fffffffffffffffd) (value 0) (size 4))",
     "sexp-range", 0, 1),
    ("(mem-init 1 1 1000 ffffffffffffffff)", "sexp-range", 0, 1),
]  # fmt: skip


def test_a_clean_sexp_trace() -> None:
    assert check_trace(SexpTrace("t", [SEXP_CLEAN.encode()]), ONLY).findings == []


@pytest.mark.parametrize(("text", "code", "record", "line"), SEXP_WRONG)
def test_each_sexp_finding(text: str, code: str, record: int, line: int) -> None:
    report = check_trace(SexpTrace("t", [text.encode()]), ONLY)
    assert [(f.code, f.record, f.line) for f in report.findings] == [(code, record, line)]
    assert report.findings[0].location.startswith(f"t:{line}: record {record} (id ")


def test_every_code_is_raised_here_and_explained() -> None:
    raised = {code for _, code, _ in WRONG} | {code for _, code, _, _ in SEXP_WRONG}
    raised |= {"stf-header", "stf-state", "stf-digits", "stf-pc", "stf-status", "stf-register"}
    raised |= {"stf-flow", "stf-result"}  # simulation/test_stf_execution.py
    assert raised == set(CODES)
    assert all(explain(code) for code in CODES)


def test_many_findings_of_a_code_are_counted_not_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.rst"
    path.write_bytes(START + instr(ADD) * 1000 + END)
    assert main([*CHECK, str(path)]) == 1
    text = capsys.readouterr().out
    assert text.count("[rst-ea]") == LIMIT
    assert f"{1000 - LIMIT} more findings of rst-ea" in text
    assert "1000 findings: 1004 records" in text


def test_exit_status_and_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean, wrong, cut = tmp_path / "clean", tmp_path / "wrong", tmp_path / "cut"
    clean.write_bytes(START + END)
    wrong.write_bytes(START + instr(ADD) + END)
    cut.write_bytes(START + instr(ADD) + END[:7])
    assert main([*CHECK, str(clean)]) == 0
    assert capsys.readouterr().out == f"{clean}: clean: 4 records, well-formed\n"
    assert main([*CHECK, str(clean), str(wrong)]) == 1
    text = capsys.readouterr().out
    assert f"{wrong}: record 3: error: ea_valid on the word 0x7c632214" in text
    assert "    ea_valid belongs to" in text
    assert main([*CHECK, str(cut), str(clean)]) == 2
    captured = capsys.readouterr()
    assert "[rst-ea]" in captured.out and "at byte offset 96" in captured.err
    assert main([*CHECK, "--json", str(wrong)]) == 1
    (report,) = json.loads(capsys.readouterr().out)["traces"]
    assert report["counts"] == {"rst-ea": 1}
    (finding,) = report["findings"]
    assert (finding["record"], finding["byte"], finding["severity"]) == (3, 72, "error")
    assert main(["check", "--only", "nonsense", str(wrong)]) == 2
    assert main(["check"]) == 2
    assert main(["check", "--list"]) == 0


def sexp_findings(data: bytes) -> list[tuple[str, int]]:
    report = check_trace(SexpTrace("t", [data]), ONLY)
    assert report.error is None
    return [(finding.code, finding.record) for finding in report.findings]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("(id 5000)", "(id 4999)"), "sexp-id"),
        (("(size 4))", "(size 3))"), "sexp-size"),
        (("(value 0x1388) (size 4)", "(value 0x138800000) (size 4)"), "sexp-value"),
        (("(address 0x9c40)", "(address 0xfffffffffffffffd)"), "sexp-range"),
        (("(address 0x9c40)", "(address 0xfffffffffffffffc)"), ""),
        (("(value 0x1388) (size 4)", "(value 0xffffffff) (size 4)"), ""),
    ],
)
def test_columns_say_what_records_say(change: tuple[str, str], code: str) -> None:
    """One record of many in a form that is read by columns, and as it is read one by one."""
    lines = [f"(mem-read (id {n}) (tid {n & 1}) (address 0x{8 * n:x}) (value 0x{n:x}) (size 4))\n"
             for n in range(9000)]  # fmt: skip
    assert sexp_findings("".join(lines).encode()) == []
    lines[5000] = lines[5000].replace(*change)
    expected = [(code, 5000)] if code and code != "sexp-id" else []
    if code == "sexp-id":  # equal to the other thread's, which is no matter; then to its own
        assert sexp_findings("".join(lines).encode()) == []
        lines[5000] = lines[5000].replace("4999", "4998")
        expected = [(code, 5000)]
    assert sexp_findings("".join(lines).encode()) == expected
    assert sexp_findings("".join(lines).replace(")\n", " )\n").encode()) == expected


STF_STATE = (
    "||OPTIONS: fff0ff0 | TRACE: t | VERSION: 1|\n"
    + " ".join(f"R{n:02} = 00000000" for n in range(32)) + "\n"
    + " ".join(f"F{n:02} = 0000000000000000" for n in range(32)) + "\n"
)  # fmt: skip
STF_STATUS = (
    "XER = 00000000 MSR = 0000d032 CTR = 00000000 LNK = 00000000 CCR = 00000000 "
    "MQ = 00000000 FPSCR = 00000000\n"
)


def stf_line(number: int, pc: int | None = None) -> str:
    return f"PCN = {4 * number if pc is None else pc:08x} OPC = 60000000 MNC = ori\n"


@pytest.mark.parametrize("many", [3, 6000])
@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ("", ""),
        ("PCN = 00000102 OPC = 60000000 MNC = ori\n", "stf-pc"),
        ("PCN = 0000000000000100 OPC = 60000000 MNC = ori\n", "stf-digits"),
        (STF_STATUS + "PCN = 00000100 OPC = 60000000 MNC = ori\n", "stf-status"),
        ("PCN = 00000100 OPC = 60000000 MNC = ori\nR32 = 00000001\n",
         "stf-register"),
        ("PCN = 00000100 OPC = 60000000 MNC = ori\nR01 = 00000001\nLDA = 00000004 LDV = 05\n", ""),
        ("PCN = 00000100 OPC = 60000000 MNC = ori\n"
         "GAP = 2 NXT = 00000100 CCR = 00000000 BANKS = R\nR01 = 00000001\n", ""),
    ],
)  # fmt: skip
def test_stf(many: int, wrong: str, code: str) -> None:
    text = STF_STATE + "".join(map(stf_line, range(many))) + wrong
    text += "".join(map(stf_line, range(many)))
    report = check_trace(StfTrace("t.stf", [text.encode()]), ONLY)
    assert report.error is None
    formal = [finding for finding in report.findings if finding.code != "stf-flow"]
    found = {finding.code for finding in formal}
    assert found == ({code} if code else set()), report.findings
    if code:
        assert formal[0].line == 4 + many + wrong.startswith("XER")
    assert found <= set(CODES)


def test_the_start_of_stf() -> None:
    lines = "".join(map(stf_line, range(5)))
    for text, expected in (
        (STF_STATE + lines, []),
        (STF_STATE.partition("\n")[0] + "\n" + lines, ["stf-state"]),
        (STF_STATE.replace("R05 = 00000000 ", "") + lines, ["stf-state"]),
        (lines, ["stf-header", "stf-state"]),
    ):
        report = check_trace(StfTrace("t.stf", [text.encode()]), ONLY)
        assert [finding.code for finding in report.findings] == expected, text[:200]


def test_the_first_of_repeated_fields_counts() -> None:
    text = '(mem-init (id 0) (tid 1) (address 0x8000) (size 0x200) (size 0x2000) (src "a.c:1"))\n'
    report = check_trace(SexpTrace("t.sexp", [text.encode()]), ONLY)
    assert report.error is None
    (events,) = SexpTrace("t.sexp", [text.encode()]).events()
    assert events["size"].tolist() == [0x200]
