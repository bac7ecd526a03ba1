"""Rules of page tables of SPARC's reference MMU, on traces of a few events."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.tables import findings

CONTEXTS, REGIONS, SEGMENTS, PAGES = 0x40010000, 0x40010400, 0x40010800, 0x40010900
VIRTUAL = 0x30000000
FIRST, SECOND, OTHER = (0x40020000 >> 4 | 0xFE, 0x40021000 >> 4 | 0xFE, 0x40022000 >> 4 | 0xFE)


def write(address: int, value: int) -> str:
    return f"write {address:#x} {value:#x}"


def link(address: int, table: int) -> str:
    return write(address, table >> 4 | 1)


def page(value: int, number: int = 0) -> str:
    """Write the entry of a page."""
    return write(PAGES + 4 * number, value)


def use(address: int = VIRTUAL) -> str:
    return f"read {address:#x} 0"


TREE = "; ".join((
    link(CONTEXTS, REGIONS),
    link(REGIONS + 4 * 0x30, SEGMENTS),
    link(SEGMENTS, PAGES),
))  # fmt: skip
ROOT = f"mmu.context_table {CONTEXTS >> 4:#x}; mmu.context 0"
ON = "mmu.control 1"
BEGIN = f"{TREE}; {page(FIRST)}; {ROOT}; {ON}"
FLUSH = f"flush.page {VIRTUAL:#x}"
STALE = ["stale-translation"]
CASES = {
    "flushed": (f"{BEGIN}; {use()}; {page(SECOND)}; {FLUSH}; {use()}", []),
    "made 0 and flushed": (f"{BEGIN}; {page(0)}; {FLUSH}; {page(SECOND)}; {use()}", []),
    "not flushed": (f"{BEGIN}; {page(0)}; {page(SECOND)}; {use()}", STALE),
    "replaced": (f"{BEGIN}; {page(SECOND)}; {use(VIRTUAL + 0xFFC)}", STALE),
    "stored to": (f"{BEGIN}; {page(SECOND)}; {write(VIRTUAL, 1)}", STALE),
    "reported once": (f"{BEGIN}; {page(SECOND)}; {use()}; {use()}", STALE),
    "another page used": (f"{BEGIN}; {page(SECOND)}; {use(VIRTUAL + 0x1000)}", []),
    "flushed before": (f"{BEGIN}; {FLUSH}; {page(SECOND)}; {use()}", STALE),
    "permissions": (f"{BEGIN}; {page(FIRST & ~0x1C)}; {use()}", []),
    "not used before it is flushed": (f"{BEGIN}; {page(SECOND)}; {page(OTHER)}; {FLUSH}", []),
    "mapped for the first time": (f"{BEGIN}; {page(OTHER, 1)}; {use(VIRTUAL + 0x1000)}", []),
    "another page flushed": (
        f"{BEGIN}; {page(SECOND)}; flush.page {VIRTUAL + 0x1000:#x}; {use()}",
        STALE,
    ),
    "the segment flushed": (
        f"{BEGIN}; {page(SECOND)}; flush.segment {VIRTUAL + 0x3F000:#x}; {use()}",
        [],
    ),
    "the region flushed": (f"{BEGIN}; {page(SECOND)}; flush.region 0x30ffffff; {use()}", []),
    "the context flushed": (f"{BEGIN}; {page(SECOND)}; flush.context 0; {use()}", []),
    "all flushed": (f"{BEGIN}; {page(SECOND)}; flush.all 0; {use()}", []),
    "a region's page": (
        f"{BEGIN}; {write(REGIONS, FIRST)}; {write(REGIONS, SECOND)}; {use(0xFFFFFC)}",
        STALE,
    ),
    "a region's page, which no page's flush reaches": (
        f"{BEGIN}; {write(REGIONS, FIRST)}; {write(REGIONS, SECOND)}; flush.page 0; {use(0)}",
        STALE,
    ),
    "before it translates": (f"{TREE}; {ROOT}; {page(FIRST)}; {page(SECOND)}; {ON}; {use()}", []),
    "the table is built later": (f"{ROOT}; {ON}; {TREE}; {page(FIRST)}; {use()}", []),
    "a table unlinked": (f"{BEGIN}; {write(SEGMENTS, 0)}; {use()}", STALE),
    "a table unlinked and flushed": (
        f"{BEGIN}; {write(SEGMENTS, 0)}; flush.segment {VIRTUAL:#x}; {page(SECOND)}; {use()}",
        [],
    ),
    "two entries at once": (
        f"{BEGIN}; write {PAGES:#x} {SECOND << 32 | OTHER:#x} 8; {use()}",
        STALE,
    ),
    "in another context": (f"{BEGIN}; {page(SECOND)}; mmu.context 1; {use()}", []),
    "back in its context": (
        f"{BEGIN}; {page(SECOND)}; mmu.context 1; flush.context 0; mmu.context 0; {use()}",
        STALE,
    ),
    "under a lock": (f"{BEGIN}; lock 0x500; {page(0)}; {FLUSH}; {page(SECOND)}; unlock 0x500", []),
    "once without": (
        f"{BEGIN}; lock 0x500; {page(0)}; {FLUSH}; unlock 0x500; {page(SECOND)}",
        ["lock-not-held"],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rules(name: str, tmp_path: Path) -> None:
    text, codes = CASES[name]
    found = findings(text, tmp_path / "t.sexp")
    assert [finding.code for finding in found] == codes, found


def test_findings_name_what_came_before(tmp_path: Path) -> None:
    (finding,) = findings(CASES["replaced"][0], tmp_path / "t.sexp")
    assert finding.record == 8 and finding.others[0].record == 7
    assert f"{VIRTUAL + 0xFFC:#x} is used" in finding.message
    assert f"translation of {VIRTUAL:#x} to 0x40020000" in finding.message
