"""Break-before-make: the shortest trace that raises each code, and its clean neighbour."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from inst.check import Options, check_trace
from inst.check.pagetable.codes import ADVICE, CODES, RIGHT, STALE
from inst.cli import main
from inst.formats.sexp.trace import SexpTrace
from inst.trace import open_trace
from tests.check.short import NAME, OWN, PAGES, codes, findings, report_of, split, text_of

TREE = "init 10000 2000; p 10000 11003; set_root_lock 10000 900; reg vttbr_el2 10000; lock 900;"
"""A root of level 0 with one table below, under a lock that is held."""
OWNED = (
    "init 10000 2000; p 10000 11003; set_root_lock 10000 900; reg vtcr_el2 22; "
    "reg vttbr_el2 10000; set_pte_thread_owner 11000 0; lock 900;"
)
REUSED = (
    "init 10000 3000; reg vttbr_el2 10000; reg vttbr_el2 1000000011000; release_table 10000;"
    "reg vttbr_el2 12000;"
)
OTHER_THREAD = "w 10000 0; dsb ish; unlock 900;"
ALL_ONES = "ffffffffffffffff"

ARM = (
    # code, the trace whose last record raises it, the neighbour that is clean
    ("input-size", "reg vtcr_el2 2c; reg vttbr_el2 10000",
     "init 10000 1000; reg vtcr_el2 2b; reg vttbr_el2 10000"),
    ("input-size", "reg tcr_el2 f; reg ttbr0_el2 10000",
     "init 10000 1000; reg tcr_el2 10; reg ttbr0_el2 10000"),
    ("encoding", "init 10000 1000; p 10000 1; reg vttbr_el2 10000",
     "init 10000 1000; p 10000 2; reg vttbr_el2 10000"),
    ("encoding", "init 10000 1000; p 10000 1; reg vtcr_el2 2b; reg vttbr_el2 10000",
     "init 10000 1000; p 10000 1; reg vtcr_el2 22; reg vttbr_el2 10000"),
    ("walk-uninitialised", "reg vttbr_el2 10000", "init 10000 1000; reg vttbr_el2 10000"),
    ("walk-uninitialised", "init 10000 1000; p 10ff8 11003; reg vttbr_el2 10000",
     "init 10000 1000; p 10ff8 11002; reg vttbr_el2 10000"),
    ("table-unaligned", "reg vttbr_el2 10008", "init 10000 1000; reg vttbr_el2 10001"),
    ("double-use", "init 10000 1000; p 10000 10003; reg vttbr_el2 10000",
     "init 10000 2000; p 10000 11003; reg vttbr_el2 10000"),
    ("double-use", "init 10000 1000; reg vttbr_el2 10000; reg ttbr0_el2 10000",
     "init 10000 2000; reg vttbr_el2 10000; reg ttbr0_el2 11000"),
    ("write-uninitialised", "w 10000 0", "init 10000 8; w 10000 0"),
    ("thread-owned", "init 10000 1000; reg vtcr_el2 2b; reg vttbr_el2 10000;"
     "set_pte_thread_owner 10000 1; w 10000 0",
     "init 10000 1000; reg vtcr_el2 2b; reg vttbr_el2 10000;"
     "set_pte_thread_owner 10000 1; 1: w 10000 0"),
    ("root-without-lock", "init 10000 1000; reg vttbr_el2 10000; w 10000 0",
     "init 10000 1000; set_root_lock 10000 900; reg vttbr_el2 10000; lock 900; w 10000 0"),
    ("lock-not-held", "init 10000 1000; set_root_lock 10000 900; reg vttbr_el2 10000; w 10000 0",
     "init 10000 1000; set_root_lock 10000 900; reg vttbr_el2 10000; 1: lock 900; 1: w 10000 0"),
    ("plain-unauthorised", "init 10000 2000; set_root_lock 10000 900; reg vttbr_el2 10000;"
     "lock 900; p 10008 0; p 10000 11003",
     "init 10000 2000; set_root_lock 10000 900; reg vttbr_el2 10000;"
     "lock 900; p 10008 0; p 10008 0; dsb nsh; p 10000 11003"),
    ("plain-unauthorised", TREE + "w 10008 0; p 10000 0", TREE + "w 10008 0; w 10000 0"),
    ("unclean-parent", TREE + "w 10000 0; w 11000 40000001", TREE + "w 10000 0; w 11000 2"),
    ("valid-to-valid", TREE + "w 10000 11003", TREE + "w 10008 0"),
    ("valid-to-valid", PAGES + "w 10008 50000003", PAGES + "w 10008 04000000400000c3"),
    ("valid-to-valid", PAGES + "w 10008 40000007", PAGES + "w 10008 40000403"),
    ("valid-to-valid", PAGES + "w 10008 40000103", PAGES + "w 10008 0008000040000003"),
    ("valid-to-valid", PAGES + "w 10008 40000803", PAGES + "w 10008 0780000040000003"),
    ("valid-to-valid", PAGES + "w 10008 0010000040000003", PAGES + "w 10008 40000043"),
    ("unclean-to-valid", TREE + "w 10000 0; w 10000 11003",
     TREE + "w 10000 0; dsb ish; tlbi alle1is; dsb ish; w 10000 11003"),
    ("freeze-thread-owned", OWNED + "w 10000 0",
     OWNED + f"set_pte_thread_owner 11000 {ALL_ONES}; w 10000 0"),
    ("read-mismatch", "init 10000 1000; reg vttbr_el2 10000; r 10000 1",
     "init 10000 1000; reg vttbr_el2 10000; r 10000 0"),
    ("init-used", "init 10000 8; p 10000 1; init 10000 8", "init 10000 8; p 10000 0; init 10000 8"),
    ("init-used", "init 10000 1000; reg vttbr_el2 10000; init 10ff8 8",
     "init 10000 1000; reg vttbr_el2 10000; init 11000 8"),
    ("free-pte", "init 10000 1000; reg vttbr_el2 10000; free 10ff8 8",
     "init 10000 1000; free 10ff8 8"),
    ("set-unaligned", "set 10004 8 0", "init 10000 10; set 10008 8 0"),
    ("set-unaligned", "set 10000 c 0", "init 10000 10; set 10000 10 0"),
    ("dsb-too-weak", TREE + "w 10000 0; dsb nsh", TREE + "w 10000 0; 1: dsb nsh"),
    ("unclean-children", "init 10000 2000; p 10000 11003; p 11000 40000001;"
     "set_root_lock 10000 900; reg vttbr_el2 10000; lock 900;"
     "w 11000 0; w 10000 0; dsb ish; tlbi alle1is; dsb ish",
     "init 10000 2000; p 10000 11003; p 11000 40000001;"
     "set_root_lock 10000 900; reg vttbr_el2 10000; lock 900;"
     "w 11000 0; dsb ish; tlbi alle1is; dsb ish; w 10000 0; dsb ish; tlbi alle1is; dsb ish"),
    ("tlbi-not-broadcast", TREE + "w 10000 0; tlbi alle1",
     TREE + "w 10000 0; tlbi alle2; 1: tlbi alle1"),
    ("register-unset", "reg hcr_el2 0; reg hcr_el2 1", "reg hcr_el2 1"),
    ("register-unset", "reg sctlr_el2 0; reg sctlr_el2 1",
     "reg sctlr_el2 0; init 10000 1000; reg ttbr0_el2 10000; reg sctlr_el2 1"),
    ("asid-reserved", "reg ttbr0_el2 1000000010000", "init 10000 1000; reg ttbr0_el2 10000"),
    ("root-id-changed", "init 10000 1000; reg vttbr_el2 10000; reg vttbr_el2 1000000010000",
     "init 10000 1000; reg vttbr_el2 10000; 1: reg vttbr_el2 10000"),
    ("duplicate-id", "init 10000 2000; reg vttbr_el2 10000; reg vttbr_el2 11000",
     "init 10000 2000; reg vttbr_el2 10000; reg vttbr_el2 1000000011000"),
    ("release-unclean", TREE + "w 10000 0; release_table 10000",
     TREE + "w 10000 0; dsb ish; tlbi alle1is; dsb ish; init 12000 1000;"
     "reg vttbr_el2 1000000012000; release_table 10000"),
    ("release-not-root", "release_table 10000",
     "init 10000 2000; reg vttbr_el2 10000; reg vttbr_el2 1000000011000; release_table 10000"),
    ("release-in-use", "init 10000 1000; reg vttbr_el2 10000; release_table 10000",
     "init 10000 2000; reg vttbr_el2 10000; reg vttbr_el2 1000000011000; release_table 10000"),
    ("owner-uninitialised", "set_pte_thread_owner 10000 0",
     "init 10000 1000; reg vtcr_el2 2b; reg vttbr_el2 10000; set_pte_thread_owner 10000 0"),
    ("owner-not-pte", "init 10000 8; set_pte_thread_owner 10000 0",
     "init 10000 1000; reg vtcr_el2 2b; reg vttbr_el2 10000; set_pte_thread_owner 10000 0"),
    ("owner-not-last-level",
     "init 10000 1000; reg vttbr_el2 10000; set_pte_thread_owner 10000 0",
     "init 10000 1000; reg vtcr_el2 2b; reg vttbr_el2 10000; set_pte_thread_owner 10000 0"),
    ("already-held", "lock 900; lock 900", "lock 900; unlock 900; lock 900"),
    ("trylock-other", "lock 900; 1: trylock 900", "lock 900; trylock 900; unlock 900; unlock 900"),
    ("not-held", "unlock 900", "trylock 900; unlock 900"),
    ("held-by-other", "lock 900; 1: unlock 900",
     "lock 900; unlock 900; 1: lock 900; 1: unlock 900"),
    ("root-without-lock", "init 10000 1000; set_root_lock 10000 0; reg vttbr_el2 10000;"
     "lock 0; w 10000 0", "init 10000 1000; set_root_lock 10000 8; reg vttbr_el2 10000;"
     "lock 8; w 10000 0"),
    ("write-unaligned", "init 10000 1000; reg vttbr_el2 10000; p 10001 0",
     TREE + "init 12000 1000; p 12001 0"),
    ("write-unaligned", TREE + "p4 1100a 0", TREE + "p4 11004 0"),
    ("write-unaligned", TREE + "init f000 1000; p fffc 0", TREE + "init f000 1000; p fff4 0"),
    ("owner-root-unaligned", "init 10000 1000; reg vttbr_el2 10000; set_owner_root 10008 10000",
     TREE + "set_owner_root 12008 10000; set_owner_root 11000 10000"),
    ("tlbi-not-broadcast", TREE + OTHER_THREAD + "1: lock 900; 1: tlbi alle1",
     TREE + OTHER_THREAD + "1: tlbi alle1; 1: lock 900; 1: tlbi alle1is"),
    ("violation-missing", "! not-held", "unlock 900; ! not-held"),
    ("tlbi-operand", PAGES + "w 10008 0; tlbi ipas2e1is 1000",
     PAGES + "w 10008 0; dsb ish; tlbi ipas2e1is 1"),
    ("tlbi-operand", PAGES + "w 10008 0; dsb ish; tlbi ipas2e1is 0",
     PAGES + "w 10008 0; dsb ish; tlbi ipas2e1is 0; tlbi ipas2e1is 1"),
    ("tlbi-ttl", PAGES + "w 10008 0; dsb ish; tlbi ipas2e1is 600000000001",
     PAGES + "w 10008 0; dsb ish; tlbi ipas2e1is 700000000001"),
    ("tlbi-ttl", PAGES + "w 10008 0; dsb ish; tlbi ipas2e1is f00000000001",
     PAGES + "w 10008 0; dsb ish; tlbi ipas2e1is 400000000001"),
    ("tlbi-before-dsb", PAGES + "w 10008 0; tlbi ipas2e1is 1",
     PAGES + "w 10008 0; tlbi ipas2e1is 1; dsb ish; tlbi ipas2e1is 1"),
    ("reuse-without-isb", OWN + "w 10008 0; dsb ish; tlbi vae2is 1; dsb ish; w 10008 40000003",
     OWN + "w 10008 0; dsb ish; tlbi vae2is 1; dsb ish; isb; w 10008 40000003"),
    ("switch-without-tlbi", REUSED, REUSED + "tlbi alle1is"),
    ("switch-without-tlbi", REUSED + "reg vttbr_el2 1000000011000",
     REUSED + "tlbi vmalls12e1is; dsb ish; reg vttbr_el2 1000000011000"),
)  # fmt: skip

CASEMATE = (
    ("set-unaligned", "set 10008 1000 0", "init 10000 1000; set 10000 1000 0"),
    ("set-unaligned", "set 10000 8 0", "init 10000 1000; set 10000 1000 123456789"),
    ("valid-to-valid", PAGES + "w 10008 40000043", PAGES + "w 10008 0780000040000003"),
    ("valid-to-valid", PAGES + "w 10008 0008000040000003", PAGES + "w 10008 50000403"),
    ("duplicate-id", "init 10000 2000; reg vttbr_el2 10000; reg ttbr0_el2 11000",
     "init 10000 2000; reg vttbr_el2 1000000010000; reg ttbr0_el2 11000"),
    ("tlbi-not-broadcast", TREE + OTHER_THREAD + "1: lock 900; 1: tlbi alle1",
     TREE + OTHER_THREAD + "1: tlbi alle1; 1: lock 900; 1: tlbi alle1is"),
    ("dsb-too-weak", TREE + OTHER_THREAD + "1: lock 900; 1: dsb nsh",
     TREE + OTHER_THREAD + "1: dsb nsh; 1: lock 900; 1: dsb ish"),
    ("root-id-changed", "init 10000 1000; reg vttbr_el2 1000000010000; reg ttbr0_el2 10000",
     "init 10000 1000; reg vttbr_el2 10000; reg ttbr0_el2 10000"),
    ("release-in-use", "init 10000 2000; reg vttbr_el2 10000; reg ttbr0_el2 10000;"
     "reg vttbr_el2 1000000011000; release_table 10000",
     "init 10000 2000; reg vttbr_el2 10000; reg vttbr_el2 1000000011000; release_table 10000"),
    ("release-not-root", TREE + "release_table 11000",
     "init 100000 8; release_table 100000; release_table 200000"),
    ("owner-root-unaligned", TREE + "set_owner_root 11008 10000",
     TREE + "set_owner_root 12008 10000; set_owner_root 11000 10000"),
    ("tlbi-not-broadcast", PAGES + "w 10008 0; tlbi vmalle1", PAGES + "w 10008 0; tlbi vae2"),
)  # fmt: skip

# Traces the last record of which only the end of the trace turns into a finding.
AT_THE_END = frozenset(
    {"tlbi-operand", "tlbi-before-dsb", "switch-without-tlbi", "violation-missing"}
)


def cases() -> list[tuple[str, str, str, str]]:
    return [(profile, *case) for profile, table in (("arm", ARM), ("casemate", CASEMATE))
            for case in table]  # fmt: skip


@pytest.mark.parametrize(("profile", "code", "wrong", "clean"), cases())
def test_each_code_and_its_neighbour(profile: str, code: str, wrong: str, clean: str) -> None:
    assert codes(wrong, profile=profile) == [(code, len(split(wrong)) - 1)]
    assert codes(clean, profile=profile) == []


def shortest() -> list[tuple[str, str]]:
    """Return the first trace of each code; the others show where else it comes from."""
    return list({code: (code, wrong) for code, wrong, _ in reversed(ARM)}.values())


@pytest.mark.parametrize(("code", "wrong"), shortest())
def test_no_record_of_the_wrong_trace_can_be_left_out(code: str, wrong: str) -> None:
    lines = split(wrong)
    for left_out in range(len(lines)):
        fewer = lines[:left_out] + lines[left_out + 1 :]
        found = [finding.code for finding in findings(fewer)]
        assert found != [code], fewer


def test_every_code_is_raised_and_explained() -> None:
    assert {code for code, _, _ in ARM} == set(RIGHT) == set(CODES) - {STALE}
    assert all(CODES.values()) and all(RIGHT.values())


@pytest.mark.parametrize(("profile", "code", "wrong", "clean"), cases())
def test_findings_explain_themselves(profile: str, code: str, wrong: str, clean: str) -> None:
    for number, finding in enumerate(findings(split(wrong), profile=profile)):
        assert number == 0
        assert finding.expected and finding.message
        assert finding.severity == ("warning" if code in ADVICE else "error")
        assert finding.line == finding.record + 1 or code in AT_THE_END


@pytest.mark.parametrize(("profile", "code", "wrong", "clean"), cases())
def test_batches_of_one_byte_say_the_same(profile: str, code: str, wrong: str, clean: str) -> None:
    found = findings(split(wrong), profile=profile, chunk=1)
    assert [each.code for each in found] == [code]


LOCAL = "init 10000 2000; p 10000 11003; reg vttbr_el2 10000; w 10000 0; {}"


@pytest.mark.parametrize("profile", ["arm", "casemate"])
def test_racy_asks_no_lock_where_others_invalidate(profile: str) -> None:
    """Where writes need no lock, a local TLBI meets the entries of every thread."""
    for line, found in (
        ("1: tlbi alle1", [("tlbi-not-broadcast", 4)]),
        ("1: tlbi alle1is", []),
        ("1: tlbi alle2", []),
    ):
        assert codes(LOCAL.format(line), profile=profile, racy="yes") == found
    assert codes(LOCAL.format("1: dsb nsh"), racy="yes") == []
    assert codes(LOCAL.format("1: dsb nsh"), profile="casemate", racy="yes") == [
        ("dsb-too-weak", 4)
    ]


SWITCHED = TREE + "init 20000 1000; reg vttbr_el2 1000000020000;"
REFERENCE = (
    ("release_table 100000", ""),
    (SWITCHED + "release_table 100000", ""),
    (SWITCHED + "release_table 10000; release_table 10000", ""),
    (SWITCHED + "init 30000 1000; release_table 30000", ""),
    (TREE + OTHER_THREAD + "1: lock 900; 1: tlbi alle1", "tlbi-not-broadcast"),
    (TREE + OTHER_THREAD + "1: lock 900; 1: tlbi vmalls12e1", "tlbi-not-broadcast"),
    ("init 10000 1000; reg ttbr0_el2 10000; reg vttbr_el2 10000", ""),
    (TREE + "p 10004 0", "write-unaligned"),
    (TREE + "set_owner_root 11ff8 10000", "owner-root-unaligned"),
    ("init 10000 1000; set_root_lock 10000 0; reg vttbr_el2 10000; w 10000 0",
     "root-without-lock"),
    ("lock 900; lock 900; ! held; lock 900", ""),
)  # fmt: skip
"""Traces, and what the reference checker reports at the last record before a marker, or ""."""


@pytest.mark.parametrize(("trace", "code"), REFERENCE)
def test_what_the_reference_checker_says(trace: str, code: str) -> None:
    found = codes(trace, profile="casemate")
    assert found == ([(code, len(split(trace)) - 1)] if code else [])


EXPECTED = "lock 900; lock 900"


@pytest.mark.parametrize(
    ("trace", "found"),
    [
        (EXPECTED + "; ! already-held", []),
        (EXPECTED + "; ! already-held; lock 900", []),
        (EXPECTED + "; odd 5; ! already-held", [("already-held", 1)]),
        (EXPECTED + "; lock 908; ! already-held", [("already-held", 1)]),
        (EXPECTED, [("already-held", 1)]),
        ("lock 900; ! already-held", [("violation-missing", 1)]),
        (TREE + "p4 10008 2; ! plain", [("violation-missing", 6)]),
        (TREE + "w 10008 1; ! encoding", []),
        (PAGES + "p4 10008 50000003; ! half an entry", []),
        (OWNED + "reg vttbr_el2 1000000000000; ! walk-uninitialised", []),
    ],
)
def test_a_trace_that_expects_a_violation_is_right_where_it_comes(
    trace: str, found: list[tuple[str, int]]
) -> None:
    for chunk in (0, 1, 40):
        every = findings(split(trace), chunk=chunk)
        assert [(each.code, each.record) for each in every if each.severity == "error"] == found


def test_an_expected_violation_is_a_note_and_an_unexpected_one_before_it_stays() -> None:
    report = report_of(split(EXPECTED + "; ! already-held"))
    assert any("record 1: already-held, which the trace expects" in note for note in report.notes)
    early = findings(split("unlock 900; lock 900; lock 900; ! held"), keep_going=True)
    assert [(each.code, each.record) for each in early] == [("not-held", 0)]


def test_damage_after_a_violation_does_not_hide_it() -> None:
    text = text_of(split(EXPECTED)).encode()
    for chunks in ([text + b"damage"], [text, b"damage"]):
        report = check_trace(SexpTrace("t", chunks), (NAME,), Options(chosen=frozenset({NAME})))
        assert report.error and [found.code for found in report.findings] == ["already-held"]


def test_a_released_tree_is_plain_memory_and_its_identifier_is_free() -> None:
    trace = (
        "init 10000 4000; p 10000 11003; reg vttbr_el2 5000000010000;"
        "reg vttbr_el2 1000000012000; release_table 10000;"
        "w 11000 1234; free 10000 1000; init 10000 1000;"
        "reg vttbr_el2 5000000013000; tlbi vmalls12e1is"
    )
    assert codes(trace) == []


def test_who_owns_a_page_for_its_lock() -> None:
    """set_owner_root counts in profile arm, and ends with the tree."""
    trace = (
        "init 10000 2000; p 10000 11003; set_root_lock 10000 900; set_root_lock 20000 908;"
        "set_owner_root 11000 20000; reg vttbr_el2 10000; {}; w 11000 0"
    )
    assert codes(trace.format("lock 908")) == []
    assert codes(trace.format("lock 900")) == [("lock-not-held", 7)]
    assert codes(trace.format("lock 900"), profile="casemate") == []
    assert codes(trace.format("reg mair_el2 0"), racy="yes") == []


def test_the_owner_of_a_page_may_change_while_an_entry_is_unclean() -> None:
    trace = PAGES + (
        "w 10008 0; set_owner_root 10000 20000; set_root_lock 20000 908; {}"
        "dsb ish; tlbi alle1is; dsb ish; w 10008 50000003"
    )
    assert codes(trace.format("unlock 900; lock 908;")) == []
    assert codes(trace.format(""))[0][0] == "lock-not-held"


def test_who_owns_a_page_is_forgotten_with_its_tree() -> None:
    trace = (
        "init 10000 3000; p 10000 11003; p 12000 11003; set_owner_root 11000 20000;"
        "set_root_lock 12000 900; reg vttbr_el2 10000; reg sctlr_el2 0; {}"
        "reg vttbr_el2 1000000012000; lock 900; w 11000 0"
    )
    release = "init 13000 1000; reg vttbr_el2 2000000013000; release_table 10000;"
    assert codes(trace.format("")) == [("double-use", 7)]
    assert codes(trace.format(release)) == []


def test_memory_that_was_a_table_below_a_broken_entry() -> None:
    """Once clean, the pages below are plain again and can be used anew."""
    trace = TREE + "w 10000 0; dsb ish; tlbi alle1is; dsb ish; p 11008 77; w 10000 11003"
    assert codes(trace) == [("walk-uninitialised", 10)]
    assert codes(trace.replace("77", "76")) == []


def test_going_on_after_violations() -> None:
    trace = TREE + "w 10000 11003; w 10000 0; w 10000 11003; lock 900; unlock 908; w 77000 1"
    found = [each.code for each in findings(split(trace), keep_going=True)]
    assert found == ["valid-to-valid", "unclean-to-valid", "already-held", "not-held",
                     "write-uninitialised"]  # fmt: skip


@pytest.mark.parametrize("order", [0, 1])
@pytest.mark.parametrize(
    ("arch", "ending"),
    [("", "sexp"), *itertools.product(("ppc", "ppc64le", "PPC64LE"), ("sexp", "rst"))],
)
def test_two_words_are_one_entry(arch: str, ending: str, order: int, tmp_path: Path) -> None:
    """A 32-bit program stores an entry as two words; alone, each is a write of its own."""
    high = 0 if arch == "ppc" else 4
    halves = [f"p4 {0x10008 + high:x} 7", f"p4 {0x10008 + 4 - high:x} 50000003"]
    if order:
        halves.reverse()
    lines = [*split(PAGES), "w 10008 0", *split("dsb ish; tlbi alle1is; dsb ish"), *halves]
    lines += ["r 10008 750000003"]
    path = tmp_path / f"a.{ending}"
    assert _codes_of(arch, lines, path) == []
    apart = [*lines[:-3], halves[0], "r 10008 0", halves[1], "r 10008 0"]
    assert _codes_of(arch, apart, path)[-1] in ("read-mismatch", "plain-unauthorised")


def _codes_of(arch: str, lines: list[str], path: Path) -> list[str]:
    text = f'(producer (id 0) (tid 0) (name "arch") (value "{arch}"))\n' if arch else ""
    source = path.with_suffix(".sexp")
    source.write_text(text + text_of(lines))
    if path != source:
        path.unlink(missing_ok=True)
        assert main(["convert", str(source), str(path)]) == 0
    options = Options(chosen=frozenset({NAME}))
    return [found.code for found in check_trace(open_trace(path), (NAME,), options).findings]
