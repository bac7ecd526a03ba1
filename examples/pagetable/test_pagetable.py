"""The suite is clean, and each seeded bug is found under its name.

pytest examples/pagetable --inst-target all
"""

from __future__ import annotations

SOURCES = ("pagetable.c", "suite.c")

BUGS = {
    "missing-tlbi": "unclean-to-valid",
    "missing-dsb-before": "unclean-to-valid",
    "missing-dsb-after": "unclean-to-valid",
    "replaced-in-place": "valid-to-valid",
    "tlbi-first": "unclean-to-valid",
    "wrong-lock": "lock-not-held",
    "no-lock": "lock-not-held",
    "lock-unknown": "root-without-lock",
    "two-plain-writes": "plain-unauthorised",
    "freed-too-early": "free-pte",
    "not-initialised": "walk-uninitialised",
    "wrong-encoding": "encoding",
    "same-id": "duplicate-id",
    "released-in-use": "release-in-use",
    "local-barrier": "dsb-too-weak",
    "local-tlbi": "tlbi-not-broadcast",
    "used-twice": "double-use",
    "changed-below": "unclean-parent",
    "unlocked-twice": "not-held",
    "wrong-shift": "unclean-to-valid",
}
"""The seeded bugs, and the error that must be found for each."""

WARNED = {
    "missing-dsb-before": "tlbi-before-dsb",
    "tlbi-first": "tlbi-before-dsb",
    "wrong-shift": "tlbi-operand",
}
"""Warnings of the arm profile that come before the error and describe its cause."""

CASEMATE_ACCEPTS = {"replaced-in-place"}
"""That profile lets a live entry with the access flag be replaced."""


def expected_of(bug, profile):
    if profile == "casemate":
        return [] if bug in CASEMATE_ACCEPTS else [BUGS[bug]]
    return [WARNED[bug], BUGS[bug]] if bug in WARNED else [BUGS[bug]]


def test_every_seeded_bug_is_found_and_nothing_else(inst):
    """One run of each, looked at by the rules of both profiles."""
    built = inst.build(*SOURCES)
    correct = built.run(watch="pool")
    entries_are_of_8_bytes(inst.target, correct)
    for profile in ("arm", "casemate"):
        correct.check("break-before-make", profile=profile)
    for bug in BUGS:
        run = built.run(bug, watch="pool")
        for profile in ("arm", "casemate"):
            found = run.findings("break-before-make", profile=profile)
            assert found.codes == expected_of(bug, profile), f"{bug}\n{found.explained}"


def entries_are_of_8_bytes(target, run):
    """One access where registers are that wide, and on 32-bit SPARC, but for 0, which gcc stores
    as two words; two on 32-bit PowerPC."""
    stores = [event for event in run.trace().objects() if event.kind.name == "WRITE"]
    halves = {event.value for event in stores if event.size == 4}
    if target.bits == 64:
        assert {event.size for event in stores} == {8}
    elif target.isa == "sparc":
        assert halves == {0}
        assert {event.size for event in stores if event.value} == {8}
    else:
        assert {event.size for event in stores} == {4}


def test_rst_has_the_same_findings(inst):
    built = inst.build(*SOURCES, hooks="rst")
    built.run(watch="pool").check("break-before-make")
    found = built.run("missing-tlbi", watch="pool").findings("break-before-make")
    assert found.codes == ["unclean-to-valid"]
    assert "pagetable.c:" in found[0].site
