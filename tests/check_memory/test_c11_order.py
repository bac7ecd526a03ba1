"""C11's orders, pipes and blocks of memory: correct programs are clean, wrong ones are found."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from inst.check import check_trace
from inst.program.program import Locator
from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.finding import Finding
from tests.conftest import Shell

SOURCE = Path(__file__).parent / "programs" / "c11.c"

WRONG = {
    ("race", "relaxed flag"),
    ("race", "relaxed wide flag"),
    ("race", "reader writes"),
    ("race", "freed meanwhile"),
    ("use-after-free", "write after free"),
    ("use-after-free", "read after free"),
}
"""What is wrong in any program; where atomic additions are functions, or instructions that order
nothing by themselves, a count that is relaxed as well."""
WAYS = {"rst": "--inst-hooks=rst", "sexp": "--inst-hooks=sexp", "record": "--inst-record=values"}


def libraries(target: Target) -> tuple[str, ...]:
    """Return the ways to record: what they have in common is seen on two targets."""
    return tuple(WAYS) if target.name in ("ppc64le", "sparc-v8") else ("rst",)


def build(shell: Shell, target: Target) -> None:
    """Compile for each way, and link."""
    shutil.copy(SOURCE, shell.directory / "c11.c")
    for hooks in libraries(target):
        shell.check("inst-cc", WAYS[hooks], *target.compiler, "-Wall", "-O2", "-g", "-static",
                    "-pthread", "c11.c", "-latomic", "-o", hooks)  # fmt: skip


def found(shell: Shell, target: Target, hooks: str, *arguments: str) -> list[Finding]:
    """Run the program and check its trace."""
    shell.check(target.emulator, f"./{hooks}", *arguments, INST_OUT="p.trace")
    trace = open_trace(shell.directory / "p.trace")
    locator = Locator([str(shell.directory / hooks)], trace)
    report = check_trace(trace, ("races", "locks"), locator=locator)
    assert report.error is None and report.notes == []
    return report.findings


def comment(finding: Finding) -> str:
    """Return what the source says is wrong on a finding's lines; one is of an inlined function."""
    lines = SOURCE.read_text().splitlines()
    sites = [finding.site, *(other.site for other in finding.others)]
    numbers = [int(site.rpartition(":")[2]) for site in sites if ":" in site]
    named = [re.search(r"/\* (.*) \*/", lines[number - 1]) for number in numbers]
    said = {one[1] for one in named if one}
    assert len(said) == 1, finding
    return said.pop()


@pytest.mark.rotated(turns=True)
def test_only_what_is_wrong_is_found(target: Target, shell: Shell) -> None:
    build(shell, target)
    wrong = WRONG | ({("race", "relaxed count")} if target.name != "sparc-v9" else set())
    for hooks in libraries(target):
        assert found(shell, target, hooks) == []
        findings = found(shell, target, hooks, "wrong")
        assert {(one.code, comment(one)) for one in findings} == wrong


ORDERS = {
    "release": "1 w 100,1 order release 200,1 w 200,2 order acquire 200,2 r 200,2 r 100",
    "relaxed store": "1 w 100,1 order relaxed 200,1 w 200,2 order acquire 200,2 r 200,2 r 100",
    "relaxed load": "1 w 100,1 order release 200,1 w 200,2 order relaxed 200,2 r 200,2 r 100",
    "both of an exchange": "1 w 100,1 order acq_rel 200,2 order acq_rel 200,2 r 100",
}


@pytest.mark.parametrize("name", ORDERS)
def test_how_an_atomic_access_orders(name: str) -> None:
    """The word of an ORDER event is used; the accesses that it describes do not race."""
    from inst.formats.sexp.trace import SexpTrace

    records = []
    for number, event in enumerate(ORDERS[name].split(",")):
        thread, what, *rest = event.split()
        head = f"(id {number}) (tid {thread})"
        if what == "order":
            body = f'event {head} (what order) (detail "{rest[0]}") (address 0x{rest[1]}) (size 4)'
            body += f" (value {number + 1:#x})"
        else:
            order = "(mem-order plain) " if what == "w" else ""
            kind = "mem-write" if what == "w" else "mem-read"
            body = f"{kind} {head} {order}(address 0x{rest[0]}) (value 0x0) (size 4)"
        records.append(f'({body} (src "a.c:{number}"))\n')
    report = check_trace(SexpTrace("t", ["".join(records).encode()]), ("races",))
    assert report.error is None
    assert [one.code for one in report.findings] == ["race"] * name.startswith("relaxed")
