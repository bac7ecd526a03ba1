"""`inst view` and `inst stats`: golden lines, selection, places, machine output."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from inst.cli import main
from inst.formats.rst.record import encode, encode_string
from inst.words.disassemble import disassembler

HEADER = encode("header", majorVer=2, minorVer=13, percent=0x25, header_str="RST Header v2.13")
LONG = "a string that is longer than one record holds"


def access(word: int, pc: int, ea: int, size: int, value: int, cpu: int = 3) -> bytes:
    return encode("instr", cpuid=cpu, ea_valid=1, instr=word, pc_va=pc, ea_va=ea) + encode(
        "memval64", cpuid=cpu, addrisVA=1, size=size, addr=ea, val=value
    )


TRACE = (
    HEADER
    + encode("traceinfo", rtype2=2, level=1, time64=5)
    + encode_string("arch=sparc-v8")
    + encode_string(LONG)
    + encode("cpu", cpu=3)
    + encode("thread", tid=4711)
    + encode("preg", cpuid=3, asiReg=0x82, pstate=0x12)
    + encode("pavadiff", cpuid=3, ea_valid=1)
    + access(0xD01A2000, 0x10000, 0x40800000, 8, 0x1122334455667788)
    + encode("instr", cpuid=3, instr=0x01000000, pc_va=0x10004, pr=1, an=1)
    + encode("instr", cpuid=3, instr=0x10800004, pc_va=0x10008, ea_va=0x10018, ea_valid=1, bt=1)
    + access(0xD4222044, 0x10018, 0x40801044, 4, 7)
    + encode("pavadiff", cpuid=2, pc_pa_va=1, ea_pa_va=2)
    + encode("trap", ttype=0x140, pstate=0x12, syscall=0xAD)
    + bytes([50]) + b"own" + bytes(20)
    + encode("instr", cpuid=2, instr=0x91D02010, pc_va=0x10020, tr=1)
    + encode("status", status=2)
)  # fmt: skip

GOLDEN = """\
     0 header  : majorVer=2 minorVer=13 RST Header v2.13
     1 traceinfo: rtype2=2 level=1 val32=0 time64=5
     2 strdesc : "arch=sparc-v8"
     3 strdesc : "a string that is longer than one record holds"
     5 cpu     : cpu=3 timestamp=0x0
     6 thread  : icontext=0x0 tid=4711
     7 preg    : cpuid=3 asi=0x82 traplevel=0x00 traptype=0x00 pstate=0x0012 primA=0x0000 \
secA=0x0000 primD=0x0000 secD=0x0000
     8 pavadiff: cpuid=3icontext=0 dcontext=0 pc_pa_va=0x0000000000000000 \
ea_pa_va=0x0000000000000000 ea_valid=1
     9 instr   : cpuid=3 u [0x0000000000010000] ldd [%o0], %o0 [0x0000000040800000]
    10 memval64: addrisVA=1 cpuid=3 size=8 addr=0x0000000040800000 val=0x1122334455667788
    11 instr   : cpuid=3 p [0x0000000000010004] nop an
    12 instr   : cpuid=3 u [0x0000000000010008] ba 0x10018 T [0x0000000000010018]
    13 instr   : cpuid=3 u [0x0000000000010018] st %o2, [%o0+0x44] [0x0000000040801044]
    14 memval64: addrisVA=1 cpuid=3 size=4 addr=0x0000000040801044 val=0x0000000000000007
    15 pavadiff: cpuid=2icontext=0 dcontext=0 pc_pa_va=0x0000000000000001 \
((ea_pa_va=0x0000000000000002)) ea_valid=0
    16 trap    : cpuid=0 is_async=0 async==0 tl=0 ttype=0x140 pstate=0x012 syscall=0x00ad
    17 unknown : rtype=50 bytes=6f776e0000000000000000000000000000000000000000
    18 instr   : cpuid=2 u [0x0000000000010020] ta %icc, %g0 + 0x10 tr
    19 status  : status=2 analyzer=0 command=0
"""


@pytest.mark.parametrize(
    ("word", "arch", "text"),
    [
        (0x83F00000, "", "retry"), (0x81F00000, "", "done"), (0x81880000, "sparc-v9", "saved"),
        (0x83880000, "", "restored"), (0x8D902014, "", "wrpr %g0, 20, %pstate"),
        (0x83500000, "", "rdpr %tpc, %g1"), (0x83F00000, "sparc-v8", ".word 0x83f00000"),
        (0x85F00000, "", ".word 0x85f00000"), (0xA1D02010, "", ".word 0xa1d02010"),
    ],
)  # fmt: skip
def test_words_that_capstone_does_not_know(word: int, arch: str, text: str) -> None:
    assert disassembler(arch)(word, 0x1000) == text


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "t.rst"
    path.write_bytes(TRACE)
    return str(path)


def output(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(list(words)) == status
    return capsys.readouterr().out


def test_lines_of_the_classic_viewer(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert output(capsys, "view", trace) == GOLDEN


@pytest.mark.parametrize(
    ("options", "records"),
    [
        ("-n 2", [0, 1]),
        ("-s 17", [17, 18, 19]),
        ("-s 4", [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19]),  # 4 ends a string
        ("-s 3 -n 2", [3, 5]),
        ("-s 1i -n 2i", [10, 11, 12]),
        ("-s 3i -n 1i", [13]),
        ("-i", [9, 11, 12, 13, 18]),
        ("--pc 10004,10018", [11, 12, 13]),
        ("--pc 0x10000", [9]),
        ("--ea 40801000,40801fff", [13, 14]),
        ("--cpu 0,2", [15, 16, 18]),
        ("--thread 4711 -i", [9, 11, 12, 13]),
        ("-n 0", []),
    ],
)
def test_selection(
    trace: str, options: str, records: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    text = output(capsys, "view", trace, *options.split())
    found = [int(line.split()[0]) for line in text.splitlines()]
    assert found == records


def test_counts(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = output(capsys, "view", "-c", trace).splitlines()
    assert lines[0].split() == ["5", "instr"]
    assert lines[-1].split() == ["19", "total"]
    assert json.loads(output(capsys, "view", "-c", "--json", trace))["memval64"] == 2


def test_without_disassembly(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "view", "--no-disassembly", "-n", "1i", "-i", trace)
    assert "[0x0000000000010000] 0xd01a2000 [0x0000000040800000]" in text


def test_json_lines(trace: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in output(capsys, "view", "--json", trace).splitlines()]
    assert [row["record"] for row in rows] == [n for n in range(20) if n != 4]
    assert rows[8]["type"] == "instr" and rows[8]["ea_va"] == 0x40800000
    assert rows[8]["thread"] == 4711
    assert rows[3]["string"] == LONG
    assert rows[9]["val"] == 0x1122334455667788


def test_damage_comes_after_what_is_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cut.rst"
    path.write_bytes(TRACE[:-10])
    assert main(["view", str(path)]) == 2
    captured = capsys.readouterr()
    assert captured.out == "".join(GOLDEN.splitlines(keepends=True)[:-1])
    assert "the trace is cut short: 14 of 24 bytes of record 19, at byte offset 456" in captured.err
    assert main(["stats", str(path)]) == 2
    assert "6 events" in capsys.readouterr().out


SEXP = """\
(mem-write (id 1) (tid 7) (mem-order plain) (address 0x40800000) (value 0x5) (size 4) (src 0x100))
(mem-read  (id 2)
  (tid 8) (address 0x4080003f) (value 0x5) (size 2) (src "a.c:3"))
(lock 3 7 40)
! good
"""


def test_sexp_prints_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "t.log"
    path.write_text(SEXP)
    assert main(["view", str(path)]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0] == f"     0 mem-write: {SEXP.splitlines()[0]}"
    assert lines[1].startswith("     1 mem-read: (mem-read (id 2) (tid 8) (address 0x4080003f)")
    assert "the producer ended the trace: ! good" in captured.err
    assert output(capsys, "view", "--thread", "8", str(path)).startswith("     1 mem-read")
    assert output(capsys, "view", "--ea", "40", str(path)).startswith("     2 lock")
    row = json.loads(output(capsys, "view", "--json", "-n", "1", str(path)))
    assert (row["id"], row["tid"], row["address"], row["src"]) == (1, 7, 0x40800000, 0x100)


@pytest.mark.parametrize("count", [1, 500])
def test_events_have_their_own_name(
    count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also where there are many and they are read as columns."""
    path = tmp_path / "t.sexp"
    path.write_text(
        "".join(
            f"(event (id {2 * n}) (tid 1) (what order) (value {n:#x}))\n"
            f"(mem-read (id {2 * n + 1}) (tid 1) (address 0x10) (value 0x1) (size 4))\n"
            for n in range(count)
        )
    )
    assert output(capsys, "view", "-c", str(path)).split() == [
        str(count), "event", str(count), "mem-read", str(2 * count), "total",
    ]  # fmt: skip


def test_statistics(trace: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    summary = json.loads(output(capsys, "stats", "--json", trace))
    assert summary["events"] == 6
    assert summary["with_value"] == 3  # two accesses and the trap's system call
    assert {(row["kind"], row["size"]): row["count"] for row in summary["kinds"]} == {
        ("load", 8): 1, ("store", 4): 1, ("instruction", 0): 3, ("trap", 0): 1,
    }  # fmt: skip
    assert summary["working_set"] == {"lines_of_64": 2, "pages_of_4096": 2}
    path = tmp_path / "t.log"
    path.write_text(SEXP)
    summary = json.loads(output(capsys, "stats", "--json", str(path)))
    assert summary["threads"] == {"7": 2, "8": 1}
    assert summary["working_set"] == {"lines_of_64": 2, "pages_of_4096": 1}
    assert [site.get("source", site.get("pc")) for site in summary["hottest_sites"]] == [
        "a.c:3", "0x100",
    ]  # fmt: skip
    assert "working set: 2 lines" in output(capsys, "stats", str(path))


@pytest.mark.parametrize("words", [["view", "none"], ["stats", "none"], ["check", "none"]])
def test_a_missing_trace(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "none: error: cannot open the trace: No such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [["--pc", "xyz"], ["--pc=-1"], ["--ea", "0,1" + "0" * 16], ["-n", "5x"], ["--cpu", "a"]],
)
def test_wrong_options(trace: str, options: list[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["view", trace, *options])
    assert stop.value.code == 2


PROGRAM = """\
int numbers[10];

int sum(int count)
{
    int total = 0;
    for (int i = 0; i < count; i++)
        total += numbers[i];
    return total;
}

int main(void) { return sum(10); }
"""

COMPILERS = {
    "ppc": ["powerpc-linux-gnu-gcc"],
    "sparc-v8": ["sparc64-linux-gnu-gcc", "-m32", "-mcpu=v8"],
}


@pytest.mark.parametrize("pie", ["-pie", "-no-pie"])
@pytest.mark.parametrize("arch", COMPILERS)
def test_addresses_become_functions_and_lines(
    arch: str, pie: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if not shutil.which(COMPILERS[arch][0]):
        pytest.fail(f"{COMPILERS[arch][0]} is missing: `make bootstrap` installs it")
    (tmp_path / "sum.c").write_text(PROGRAM)
    program = tmp_path / "sum"
    flags = ["-g", "-O0", "-fPIE" if pie == "-pie" else "-fno-pie", pie, "-o", str(program)]
    command = [*COMPILERS[arch], *flags, str(tmp_path / "sum.c")]
    subprocess.run(command, check=True)
    symbols = subprocess.run(
        [COMPILERS[arch][0].replace("gcc", "nm"), program], check=True, text=True,
        stdout=subprocess.PIPE,
    ).stdout  # fmt: skip
    start = next(int(line.split()[0], 16) for line in symbols.splitlines() if line.endswith(" sum"))
    bias = 0x40000000 if pie == "-pie" else 0
    data = HEADER + encode_string(f"arch={arch}")
    data += encode_string(f"image={program} base=0x{bias:x}")
    data += encode("instr", instr=0, pc_va=bias + start)
    data += encode("instr", instr=0, pc_va=0xF0000000)
    (tmp_path / "t.rst").write_bytes(data)
    lines = output(capsys, "view", "-i", str(tmp_path / "t.rst"), str(program)).splitlines()
    assert lines[0].endswith("  ; sum+0x0 sum.c:4")
    assert ";" not in lines[1]
    selected = ["view", str(tmp_path / "t.rst"), str(program), "--source"]
    assert output(capsys, *selected, "sum.c:4") == lines[0] + "\n"
    assert output(capsys, *selected, "sum.c:5-9") == ""
    assert output(capsys, *selected, "other.c") == ""
    (row, _) = output(
        capsys, "view", "-i", "--json", "--program", str(program), str(tmp_path / "t.rst")
    ).splitlines()
    found = json.loads(row)
    assert (found["function"], found["offset"]) == ("sum", 0)
    assert (Path(found["file"]).name, found["line"]) == ("sum.c", 4)
