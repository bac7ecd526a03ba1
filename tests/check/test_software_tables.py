"""Rules of page tables that software reads at a TLB miss, on traces of a few events."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.tables import findings

TABLE, PAGE, FIRST, SECOND = 0x19000, 0x30000000, 0x1A005, 0x1E005
FILL = f"read {TABLE:#x} {FIRST:#x}; mas1 0x80000100; mas2 {PAGE:#x}; mas3 {FIRST:#x}; tlbwe"
"""What the handler of a TLB miss does."""
BREAK = f"write {TABLE:#x} 0; sync; tlbivax {PAGE:#x}; tlbsync"
OFF, ON = "msr.ee 0", "msr.ee 1"


def write(value: int, address: int = TABLE) -> str:
    return f"write {address:#x} {value:#x}"


CASES = {
    "break before make": (f"{FILL}; {BREAK}; {write(SECOND)}", []),
    "initialisation": (f"{write(FIRST)}; {write(SECOND)}; {FILL}", []),
    "replaced": (f"{FILL}; {write(SECOND)}", ["valid-to-valid"]),
    "replaced twice": (f"{FILL}; {write(SECOND)}; {write(FIRST)}", ["valid-to-valid"]),
    "permissions": (f"{FILL}; {write(FIRST & ~4)}; {write(FIRST)}", []),
    "no invalidation": (f"{FILL}; {write(0)}; sync; {write(SECOND)}", ["unclean-to-valid"]),
    "not waited for": (
        f"{FILL}; {write(0)}; tlbivax {PAGE:#x}; {write(SECOND)}",
        ["unclean-to-valid"],
    ),
    "only isync": (
        f"{FILL}; {write(0)}; tlbivax {PAGE:#x}; isync; {write(SECOND)}",
        ["unclean-to-valid"],
    ),
    "another page": (
        f"{FILL}; {write(0)}; tlbivax {PAGE + 0x1000:#x}; tlbsync; {write(SECOND)}",
        ["unclean-to-valid"],
    ),
    "the same page again": (f"{FILL}; {write(0)}; {write(FIRST)}; {BREAK}; {write(SECOND)}", []),
    "all invalidated": (f"{FILL}; {write(0)}; tlbivax 4; sync; {write(SECOND)}", []),
    "by the register": (f"{FILL}; {write(0)}; mmucsr0 4; sync; {write(SECOND)}", []),
    "by an invalid entry": (
        f"{FILL}; {write(0)}; mas1 0; mas2 {PAGE:#x}; tlbwe; sync; {write(SECOND)}",
        [],
    ),
    "by the process": (f"{FILL}; {write(0)}; tlbilxpid; sync; {write(SECOND)}", []),
    "the handler left the page to the processor": (
        f"read {TABLE:#x} {FIRST:#x}; mas3 {FIRST:#x}; tlbwe; {write(SECOND)}",
        ["valid-to-valid"],
    ),
    "two entries at once": (
        f"{FILL}; write {TABLE - 4:#x} {SECOND:#x} 8",
        ["valid-to-valid"],
    ),
    "not from a table": (f"mas3 {FIRST:#x}; mas2 {PAGE:#x}; tlbwe; {write(SECOND)}", []),
    "interrupts off": (
        f"{ON}; {FILL}; {OFF}; {BREAK}; {write(SECOND)}; {ON}",
        [],
    ),
    "once with interrupts": (
        f"{FILL}; {OFF}; {BREAK}; {ON}; {write(SECOND)}",
        ["lock-not-held"],
    ),
    "first with interrupts": (
        f"{FILL}; {ON}; {BREAK}; {OFF}; {write(SECOND)}",
        ["lock-not-held"],
    ),
    "always with interrupts": (f"{FILL}; {ON}; {BREAK}; {write(SECOND)}", []),
    "of MSR": (
        f"{FILL}; msr 0; {BREAK}; msr 0x8000; {write(SECOND)}",
        ["lock-not-held"],
    ),
    "annotated lock": (
        f"{FILL}; {ON}; lock 0x500; {BREAK}; unlock 0x500; {write(SECOND)}",
        ["lock-not-held"],
    ),
    "another lock": (
        f"{FILL}; {ON}; lock 0x500; {BREAK}; unlock 0x500; lock 0x600; {write(SECOND)}",
        ["lock-not-held"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rules(name: str, tmp_path: Path) -> None:
    text, codes = CASES[name]
    found = findings(text, tmp_path / "t.sexp")
    assert [finding.code for finding in found] == codes, found


def test_findings_name_what_came_before(tmp_path: Path) -> None:
    (finding,) = findings(CASES["no invalidation"][0], tmp_path / "t.sexp")
    assert finding.record == 7 and finding.others[0].record == 5
    assert f"the entry {TABLE:#x} of page {PAGE:#x}" in finding.message
    assert "no invalidation of the page has come" in finding.message
