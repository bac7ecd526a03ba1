"""System calls, what they touch, signals, locks and thread order, through every tool."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from inst.calls import system_names
from inst.cli import main
from inst.formats.rst.record import encode, encode_string
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Kind
from tests.conftest import Shell, require_tools

PROGRAM = """\
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int counter, seen;
static char text[64];

static void handler(int number) { seen += number; }

static void *work(void *given)
{
    for (int n = 0; n < 3; n++) {
        pthread_mutex_lock(&lock);
        counter += *(int *)given;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    int one = 1, two = 2, pipes[2];
    char got[5000];
    pthread_t first, second;
    signal(SIGUSR1, handler);
    if (pipe(pipes))
        return 1;
    pthread_create(&first, 0, work, &one);
    pthread_create(&second, 0, work, &two);
    raise(SIGUSR1);
    long sent = write(pipes[1], text, 5) + write(pipes[1], got, sizeof got);
    long size = read(pipes[0], got, sizeof got);
    pthread_join(first, 0);
    pthread_join(second, 0);
    return sent <= size || counter != 9 || seen != SIGUSR1;
}
"""

TARGETS_HERE = ("ppc32", "ppc64le", "sparc-v9")


@pytest.fixture(scope="module", params=TARGETS_HERE)
def built(
    request: pytest.FixtureRequest, commands: Path, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    """Return a target, and where a program built for it and its trace are."""
    target = TARGETS[request.param]
    require_tools(target.compiler[0], target.emulator)
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    shell = Shell(tmp_path_factory.mktemp(request.param), {"PATH": path})
    (shell.directory / "mix.c").write_text(PROGRAM)
    command = (*target.compiler, "-g", "-O2", "-static", "-pthread", "mix.c", "-o")
    assert shell.run("inst-cc", "--inst-hooks=rst", *command, "mix").returncode == 0
    subprocess.run([*command, "plain"], cwd=shell.directory, check=True)
    assert shell.run("inst", "run", "-o", "mix.rst", "./mix").returncode == 0
    return target, shell.directory


def numbers_of(directory: Path) -> Counter[str]:
    trace = open_trace(directory / "mix.rst")
    return Counter(Kind(kind).name for batch in trace.events() for kind in batch["kind"])


@pytest.mark.rotated(turns=True)
def test_stats_counts_calls_ranges_and_signals(
    built: tuple[Target, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    target, directory = built
    assert main(["stats", "--json", str(directory / "mix.rst")]) == 0
    found = json.loads(capsys.readouterr().out)
    calls = {row["name"]: row["count"] for row in found["system_calls"]}
    assert calls == {"pipe2": 1, "write": 2, "read": 1}
    strace = subprocess.run(
        [target.emulator, "-strace", "./plain"], cwd=directory, capture_output=True, text=True
    )
    assert strace.returncode == 0
    for name, count in calls.items():  # two threads' lines may begin in one
        assert len(re.findall(rf"\b{name}\(", strace.stderr)) == count
    assert [(row["name"], row["count"]) for row in found["signals"]] == [("SIGUSR1", 1)]
    kinds = {row["kind"]: row for row in found["kinds"]}
    pipe, sent, got = 8, 5 + 5000, 5000
    assert kinds["store range"]["bytes"] == pipe + got
    assert kinds["load range"]["bytes"] == sent
    counted = Counter({"lock": 6, "unlock": 6, "trap": 4, "other": 1})
    assert counted == {kind: kinds[kind]["count"] for kind in counted}
    assert kinds["order"]["count"] >= 6 + 6 + kinds["hint"]["count"]
    assert found["working_set"]["lines_of_64"] >= 5000 // 64  # of the range, too


def test_chrome_has_slices_of_calls_and_instants_of_signals_and_locks(
    built: tuple[Target, Path],
) -> None:
    _, directory = built
    output = directory / "mix.json"
    words = ("--program", directory / "mix", directory / "mix.rst", output)
    assert main(["convert", *map(str, words)]) == 0
    found = json.loads(output.read_text())["traceEvents"]
    slices = [each for each in found if each["ph"] == "X"]
    assert [each["name"] for each in slices] == ["pipe2", "write", "write", "read"]
    assert all(each["dur"] >= 1 for each in slices)
    memory = [each["args"]["memory"] for each in slices]
    assert [each.partition(" ")[0] for each, *_ in memory] == ["write", "read", "read", "write"]
    assert [each.rpartition("+")[2] for each, *_ in memory] == ["8", "5", "5000", "5000"]
    instants = Counter(each["name"] for each in found if each["ph"] == "i")
    assert instants["SIGUSR1"] == 1 and instants["lock"] == instants["unlock"] == 6
    threads = {each["tid"] for each in found if each["name"] == "work"}
    assert len(threads) == 2
    begun = Counter((e["name"], e["tid"]) for e in found if e["ph"] == "B")
    assert begun == Counter((e["name"], e["tid"]) for e in found if e["ph"] == "E")
    assert ("main", slices[0]["tid"]) in begun and ("handler", slices[0]["tid"]) in begun


def test_view_names_each(built: tuple[Target, Path], capsys: pytest.CaptureFixture[str]) -> None:
    _, directory = built
    words = ["view", "--as", "table", str(directory / "mix.rst"), str(directory / "mix")]
    assert main(words) == 0
    lines = capsys.readouterr().out.splitlines()
    named = {line.split()[1]: line for line in lines[1:]}
    assert {"order", "lock", "unlock", "hint", "trap", "other"} <= named.keys()
    assert named["other"].split()[-2:] == ["signal", "SIGUSR1"]
    assert named["trap"].split()[-1] == "read"
    # Every access by an instruction has its function, line and the word in both spellings.
    accesses = [line for line in lines if " ; " in line]
    assert len(accesses) > 20
    source = PROGRAM.splitlines()
    for line in accesses:
        place = re.search(r"; (\w+)(?:\+0x\w+)? mix\.c:(\d+) \| (\w+)", line)
        assert place and 0 < int(place[2]) <= len(source), line
        assert place[1] in ("main", "work", "handler")
    assert main(["view", str(directory / "mix.rst"), "--type", "event"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(": order kind=19 " in line for line in lines)
    assert any(": trap kind=4 " in line for line in lines)


def test_csv_and_parquet_have_each_kind(built: tuple[Target, Path]) -> None:
    import pyarrow.parquet

    _, directory = built
    wanted = {name.lower(): count for name, count in numbers_of(directory).items()}
    for ending in ("csv", "parquet"):
        output = directory / f"mix.{ending}"
        assert main(["convert", str(directory / "mix.rst"), str(output)]) == 0
    with (directory / "mix.csv").open() as stream:
        assert Counter(row["kind"] for row in csv.DictReader(stream)) == wanted
    table = pyarrow.parquet.read_table(directory / "mix.parquet").to_pydict()
    assert Counter(table["kind"]) == wanted
    calls = [v for v, kind in zip(table["value"], table["kind"], strict=True) if kind == "trap"]
    ranges = [
        size
        for size, pc, kind in zip(table["size"], table["pc"], table["kind"], strict=True)
        if kind == "write" and pc is None
    ]
    assert len(calls) == 4 and ranges[0] == 8 and 5000 in ranges


def test_s_expressions_and_back_differ_in_nothing(
    built: tuple[Target, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    _, directory = built
    first, second, third = (directory / name for name in ("mix.rst", "b.sexp", "c.rst"))
    assert main(["convert", str(first), str(second)]) == 0
    assert main(["convert", "--strict", str(second), str(third)]) == 0
    capsys.readouterr()
    assert main(["diff", "--events", str(first), str(second)]) == 0
    assert main(["diff", "--events", str(second), str(third)]) == 0
    text = second.read_text()
    cut = re.sub(r"\(event \(id \d+\) \(tid \d+\) trap .*\n", "", text, count=1)
    assert cut != text
    second.write_text(cut)
    (directory / "d.sexp").write_text(text)
    assert main(["diff", str(directory / "d.sexp"), str(second)]) == 1
    assert "trap" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["ppc32", "ppc64", "sparc-v8", "sparc-v9"])
def test_names_are_those_of_the_c_library_headers(name: str) -> None:
    target = TARGETS[name]
    require_tools(target.compiler[0])
    arch = "ppc" if name.startswith("ppc") else "sparc"
    command = [*target.compiler, "-E", "-dM", "-x", "c", "-"]
    source = "#include <sys/syscall.h>\n#include <signal.h>\n"
    done = subprocess.run(command, input=source, capture_output=True, text=True, check=True)
    calls = dict(re.findall(r"#define __NR_(\w+) (\d+)\n", done.stdout))
    calls = {key: n for key, n in calls.items() if not key.startswith(("Linux", "syscall"))}
    assert len(calls) > 350
    aliases = {"setresuid32", "getresuid32", "setresgid32", "getresgid32", "fstatat64"}
    for call, number in calls.items():
        found = system_names.system_call(arch, int(number))
        assert found == call or (call in aliases and name != "sparc-v9"), (call, found)
    signals = dict(re.findall(r"#define (SIG[A-Z]+\d?) (\d+)\n", done.stdout))
    names = {system_names.signal(arch, int(n)) for n in signals.values()}
    assert len(names) >= 29
    for signal, number in signals.items():
        if signal not in ("SIGCLD", "SIGPOLL", "SIGIOT", "SIGPWR", "SIGSTKSZ"):
            assert system_names.signal(arch, int(number)) == signal


def test_calls_of_threads_end_with_their_own_events(tmp_path: Path) -> None:
    """... also in another batch, behind privileged instructions, and at the end of the trace."""
    data = encode("header", majorVer=2, minorVer=13, percent=0x25) + encode_string("arch=ppc")
    add = 0x7C632214
    for cpu, number in ((0, 3), (1, 4)):
        data += encode("trap", ttype=0x140, cpuid=cpu, pc=0x500, syscall=number)
    data += encode("instr", cpuid=0, pr=1, instr=add, pc_va=0xC0000000)  # the kernel's
    data += encode("instr", cpuid=1, instr=add, pc_va=0x504)
    data += encode("nullrec") * 50_000
    data += encode("instr", cpuid=0, instr=add, pc_va=0x504)
    data += encode("trap", ttype=0x140, cpuid=0, pc=0x508, syscall=1)
    (tmp_path / "t.rst").write_bytes(data)
    assert main(["convert", str(tmp_path / "t.rst"), str(tmp_path / "t.json")]) == 0
    found = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    assert [(each["name"], each["tid"], each["ts"], each["dur"]) for each in found] == [
        ("write", 1, 1, 2), ("read", 0, 0, 4), ("exit", 0, 5, 1),
    ]  # fmt: skip


def test_a_range_touches_every_line_of_it(tmp_path: Path) -> None:
    from inst.statistics.statistics import gather

    lines = [
        "(event (id 1) (tid 1) write (address 0x1020) (size 4194304))",
        "(mem-write (id 2) (tid 1) (mem-order plain) (address 0x103c) (value 0x1))",
        "(event (id 3) (tid 1) read (address 0xffffffffffffffff) (size 0x10))",
    ]
    path = tmp_path / "t.sexp"
    path.write_text("\n".join(lines) + "\n")
    found = gather(open_trace(path))
    assert found.lines == 4194304 // 64 + 1 + 1
    assert found.pages == 1024 + 1 + 1
    assert found.line_accesses == 65537 + 2 + 1
