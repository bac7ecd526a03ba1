"""Break-before-make: what cleans an entry that was broken, and what does not."""

from __future__ import annotations

import pytest

from tests.check.short import OWN, PAGES, codes, findings, split

STAGE2_WAYS = (
    "dsb ish; tlbi alle1is; dsb ish",
    "dsb sy; tlbi vmalls12e1is; dsb sy",
    "dsb ishst; tlbi alle1is; dsb ish",
    "dsb osh; tlbi alle1os; dsb osh",
    "dsb st; tlbi alle1is; dsb sy",
    "dsb ish; tlbi ipas2e1is 1; dsb ish; tlbi vmalle1is; dsb ish",
    "dsb ish; tlbi ipas2le1is 1; dsb ish; tlbi vmalle1is; dsb ish",
    "dsb ish; tlbi ripas2e1is 400000000001; dsb ish; tlbi vmalle1is; dsb ish",
    "dsb ish; tlbi ipas2e1os 1; dsb ish; tlbi vmalle1os; dsb ish",
)
STAGE1_WAYS = (
    "dsb ish; tlbi vae2is 1; dsb ish",
    "dsb ish; tlbi vale2is 1; dsb ish",
    "dsb ish; tlbi alle2is; dsb ish",
    "dsb ish; tlbi vae2os 1; dsb ish",
    "dsb ishst; tlbi rvae2is 400000000001; dsb sy",
    "dsb ish; tlbi rvale2is 400000000000; dsb ish",
)


@pytest.mark.parametrize("way", STAGE2_WAYS + STAGE1_WAYS)
def test_ways_to_clean_an_entry(way: str) -> None:
    """Each way cleans it; without any one of its steps it stays unclean."""
    setup, steps = (OWN if way in STAGE1_WAYS else PAGES), split(way)
    make = ["isb", "w 10008 50000003"]
    assert findings([*split(setup), "w 10008 0", *steps, *make]) == []
    for left_out in range(len(steps)):
        fewer = steps[:left_out] + steps[left_out + 1 :]
        found = findings([*split(setup), "w 10008 0", *fewer, *make])
        assert found and found[-1].code == "unclean-to-valid", fewer


NO_USE = (
    "dsb ishld; tlbi alle1is; dsb ish",
    "dsb ish; tlbi alle1is; dsb ishst",
    "dsb ish; tlbi vmalle1is; dsb ish",
    "dsb ish; tlbi ipas2e1is 2; dsb ish; tlbi vmalle1is; dsb ish",
    "dsb ish; tlbi alle2is; dsb ish",
    "dsb ish; tlbi vae2is 1; dsb ish",
    "dsb ish; tlbi vae1is 1; dsb ish",
    "dsb ish; tlbi aside1is; dsb ish",
    "dsb ish; tlbi ipas2e1is 1; dsb ish; tlbi vae1is 1; dsb ish",
    "dsb ish; tlbi ipas2e1is 1; dsb ish; tlbi aside1is 1; dsb ish",
    "dsb ish; tlbi ipas2e1is 1; dsb ish; dsb ish",
    "dsb ish; tlbi ripas2e1is 400000000100; dsb ish; tlbi vmalle1is; dsb ish",
    "1: dsb ish; 1: tlbi alle1is; 1: dsb ish",
    "dsb ish; 1: tlbi alle1is; dsb ish",
    "dsb ish; tlbi alle1is; 1: dsb ish",
    "unlock 900; dsb ish; lock 900; tlbi alle1is; dsb ish",
    "dsb ish; unlock 900; tlbi alle1is; lock 900; dsb ish",
    "dsb ish; unlock 900; tlbi ipas2e1is 1; lock 900; dsb ish; tlbi vmalle1is; dsb ish",
    "isb; tlbi alle1is; isb",
    "dsb ish; tlbi new8op; dsb ish",
)


@pytest.mark.parametrize("way", NO_USE)
def test_what_does_not_clean_an_entry(way: str) -> None:
    found = findings([*split(PAGES), "w 10008 0", *split(way), "w 10008 50000003"])
    assert found[-1].code == "unclean-to-valid"


def test_a_tlbi_by_vmid_reaches_the_current_one_only() -> None:
    other = "init 20000 1000; dsb ish; reg vttbr_el2 1000000020000; tlbi vmalls12e1is; dsb ish;"
    trace = PAGES + "w 10008 0;" + other + "w 10008 50000003"
    assert codes(trace)[-1][0] == "unclean-to-valid"
    assert codes(trace, profile="casemate") == []
    back = trace.replace("tlbi", "reg vttbr_el2 10000; tlbi")
    assert codes(back) == []


def test_a_block_and_a_table_by_address() -> None:
    """An operation by address reaches a block by any of its addresses, and no table."""
    setup = (
        "init 10000 2000; p 10000 11003; p 10008 40000001; set_root_lock 10000 900;"
        "reg tcr_el2 22; reg ttbr0_el2 10000; lock 900;"
    )
    clean = "dsb ish; tlbi {}; dsb ish; isb;"
    block = setup + "w 10008 0;" + clean.format("vae2is 3ff") + "w 10008 50000001"
    assert codes(block) == []
    assert codes(block.replace("vae2is", "vale2is")) == []
    assert codes(block.replace("vae2is", "vale2is"), profile="casemate")
    table = setup + "w 10000 0;" + clean.format("vae2is 1") + "w 10000 50000001"
    assert codes(table)[-1][0] == "unclean-to-valid"
    assert codes(table.replace("vae2is 1", "alle2is")) == []
