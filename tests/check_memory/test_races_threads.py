"""Races in programs with threads, traced under the emulator: racy and correct ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from inst.check import check_trace
from inst.check import interleave as interleave_module
from inst.check.interleave import Interleaving
from inst.program.program import Locator
from inst.target.targets import Target
from inst.trace import open_trace
from inst.trace.finding import Report
from inst.trace.model import EVENT, Array, Kind
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

PROGRAMS = Path(__file__).parent / "programs"


WAYS = {
    1: {"by_mutex"}, 2: {"by_spin"}, 3: {"by_readers"}, 4: {"ready"}, 5: {"handed"},
    6: {"by_barrier"}, 7: {"by_once"}, 8: {"by_c11"}, 9: {"c11_ready"}, 10: {"by_trying"},
}  # fmt: skip
"""What each way of primitives.c guards."""


def build(shell: Shell, target: Target, name: str, hooks: str, *options: str) -> None:
    """Build a program as `p`."""
    shutil.copy(PROGRAMS / name, shell.directory / name)
    shell.check("inst-cc", f"--inst-hooks={hooks}", *target.compiler, "-Wall", "-O1", "-g",
                "-static", "-pthread", *options, name, "-o", "p")  # fmt: skip


def checked(
    shell: Shell, emulator: str, *arguments: str, checks: tuple[str, ...] = ("races",)
) -> Report:
    """Run the program and check its trace."""
    shell.check(emulator, "./p", *arguments, INST_OUT="p.trace")
    trace = open_trace(shell.directory / "p.trace")
    locator = Locator([str(shell.directory / "p")], trace)
    report = check_trace(trace, checks, locator=locator)
    assert report.error is None and report.notes == []
    return report


def races(shell: Shell, target: Target, name: str, hooks: str, *options: str) -> Report:
    """Build, run and check a program; return what the check says."""
    build(shell, target, name, hooks, *options)
    return checked(shell, target.emulator)


@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_a_lock_orders_two_threads(hooks: str, target: Target, shell: Shell) -> None:
    """Thousands of events each, so that the threads' chunks stand in some other order."""
    assert races(shell, target, "two.c", hooks, "-DROUNDS=3000").findings == []


@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_without_the_lock_they_race(hooks: str, target: Target, shell: Shell) -> None:
    found = races(shell, target, "two.c", hooks, "-DROUNDS=3000", "-DRACY").findings
    assert {finding.code for finding in found} == {"race"}
    source = (PROGRAMS / "two.c").read_text().splitlines()
    line = 1 + next(n for n, text in enumerate(source) if "counter++" in text)
    for finding in found:
        places = {finding.site, *(other.site for other in finding.others)}
        assert {place.rpartition("/")[2] for place in places} == {f"two.c:{line}"}
        assert finding.instruction and all(other.instruction for other in finding.others)


def test_a_block_that_another_thread_had_is_no_race(target: Target, shell: Shell) -> None:
    """The allocator gives memory that one thread gave back to the next, in all its functions."""
    build(shell, target, "reuse.c", "rst", "-w")
    for way in range(7):
        tries = (shell.check(target.emulator, "./p", str(way)) for _ in range(5))
        assert "1\n" in tries, "other memory each time: shows nothing"
        assert checked(shell, target.emulator, str(way)).findings == []


def test_a_block_that_two_threads_have_is_one(target: Target, shell: Shell) -> None:
    found = races(shell, target, "reuse.c", "rst", "-w", "-DRACY").findings
    lines = (PROGRAMS / "reuse.c").read_text().splitlines()
    # What malloc itself wrote, which has no site, may be the other side of a race as well.
    sites = [finding.site for finding in found if finding.site]
    assert sites
    for site in sites:
        assert "[PLACE] = " in lines[int(site.rpartition(":")[2]) - 1]


@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_atomic_instructions_order(hooks: str, target: Target, shell: Shell) -> None:
    assert races(shell, target, "atomics.c", hooks).findings == []
    assert races(shell, target, "atomics.c", hooks, "-DRACY").findings != []


@pytest.mark.parametrize("hooks", ["rst", "sexp"])
def test_what_the_library_orders_needs_no_annotation(
    hooks: str, target: Target, shell: Shell
) -> None:
    """Correct with all of them; without one of them, what that guards is raced for.

    Half of the ways with each library: on PowerPC the odd ones with rst, else the even ones.
    """
    build(shell, target, "primitives.c", hooks)
    assert checked(shell, target.emulator, checks=("races", "locks")).findings == []
    source = (PROGRAMS / "primitives.c").read_text().splitlines()
    half = (target.name == "ppc32") == (hooks == "rst")
    for way in sorted(WAYS)[not half :: 2]:
        found = checked(shell, target.emulator, str(way)).findings
        assert found
        for finding in found:
            line = source[int(finding.site.rpartition(":")[2]) - 1]
            assert any(name in line for name in WAYS[way]), (way, line)


@pytest.mark.parametrize("target", ["ppc32", "sparc-v8"], indirect=True)
def test_other_functions_order_where_time_has_64_bits(target: Target, shell: Shell) -> None:
    long_time = ("-D_TIME_BITS=64", "-D_FILE_OFFSET_BITS=64")
    build(shell, target, "primitives.c", "rst", *long_time)
    assert b"__pthread_cond_timedwait64" in (shell.directory / "p").read_bytes()
    assert checked(shell, target.emulator, checks=("races", "locks")).findings == []


def test_texts_of_the_library_are_not_raced_for(target: Target, shell: Shell) -> None:
    build(shell, target, "texts.c", "rst")
    assert checked(shell, target.emulator).findings == []


def test_a_lock_of_the_library_says_where_it_is_taken(target: Target, shell: Shell) -> None:
    """Two mutexes in both orders, one kept: found without annotations, with source lines."""
    build(shell, target, "inversion.c", "rst")
    found = checked(shell, target.emulator, checks=("locks",)).findings
    source = (PROGRAMS / "inversion.c").read_text().splitlines()

    def comment(site: str) -> str:
        return source[int(site.rpartition(":")[2]) - 1].partition("/* ")[2].removesuffix(" */")

    assert [(one.code, comment(one.site)) for one in found] == [
        ("lock-order", "inverted"), ("lock-kept", "kept")
    ]  # fmt: skip
    assert [comment(other.site) for other in found[0].others] == ["second", "first", "then"]


@pytest.mark.parametrize("how", ["--inst-hooks=rst", "--inst-hooks=record", "--inst-record=values"])
def test_handlers_one_after_the_other(how: str, target: Target, shell: Shell) -> None:
    """No place in the order of the threads is missing, so that there is no note."""
    command = ("inst-cc", how, *target.compiler, "-O1", "-g", "-static", "-pthread")
    shell.check(*command, PROGRAMS / "signalled.c", "-o", "p")
    assert checked(shell, target.emulator).findings == []


def rows(text: str) -> Array:
    """Return events: `thread place` for a place in the order, `thread` for any other."""
    words = [event.split() for event in text.split(",")]
    result = np.zeros(len(words), EVENT)
    for row, (number, word) in zip(result, enumerate(words), strict=True):
        row["record"], row["thread"] = number, int(word[0])
        row["kind"] = Kind.ORDER if len(word) > 1 else Kind.READ
        row["value"] = int(word[1]) if len(word) > 1 else 0
    return result


@pytest.mark.parametrize(
    ("text", "order", "gaps"),
    [
        ("1 1,1,2 2,2,1 3,1", [0, 1, 2, 3, 4, 5], 0),
        ("1 1,1,1 4,1,2 2,2,2 3,2", [0, 1, 4, 5, 6, 7, 2, 3], 0),
        ("2 2,2,3 3,3,1 1,1", [4, 5, 0, 1, 2, 3], 0),
        # An interrupt between the taking of 3 and its record: 3 comes with what 4 begins.
        ("1 1,1 4,1,1 3,1,1 6,2 2,2,2 5,2", [0, 6, 7, 1, 2, 3, 4, 8, 9, 5], 0),
        ("1 1,2 3,2", [0, 1, 2], 1),  # 2 is missing
        ("1 1,2 1,2,1 2", [0, 1, 2, 3], 1),  # 1 is given twice
        ("1 5,2 5,2 5,1 5", [0, 3, 1, 2], 4),
        ("1 18446744073709551615,2 0", [1, 0], 2),
    ],
)
def test_interleaving(text: str, order: list[int], gaps: int) -> None:
    """However a trace is cut into batches, each event comes out once and at its place."""
    events = rows(text)
    for cut in range(len(events) + 1):
        threads = Interleaving()
        threads.used = True
        parts = [threads.take(events[:cut]), threads.take(events[cut:]), threads.finish()]
        found = np.concatenate(parts)["record"].tolist()
        assert sorted(found) == sorted(order)
        if gaps < 2:
            assert found == order
        assert (threads.gaps > 0) == (gaps > 0)


@pytest.mark.parametrize(("running", "noted"), [(0, True), (1, True), (2, False)])
def test_a_place_that_no_event_has_taken_when_the_process_ended(
    running: int, noted: bool, shell: Shell
) -> None:
    """Each running thread may have been given one that it did not write."""
    events = [
        f"(event (id {n}) (tid {n % 3 + 1}) (what order) (value {place:#x}))"
        for n, place in enumerate((1, 2, 3, 5, 7, 8))
    ]
    lines = ['(producer (id 90) (tid 1) (name "runtime") (value "inst 1"))', *events]
    if running:
        value = f'(name "running-threads") (value "{running}")'
        lines.append(f"(producer (id 91) (tid 1) {value})")
    path = shell.directory / "a.sexp"
    path.write_text("\n".join(lines) + "\n")
    notes = check_trace(open_trace(path), ("races",)).notes
    assert any("places in the order" in note for note in notes) == noted


def test_waiting_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace whose first place was filtered away is not collected to its end."""
    monkeypatch.setattr(interleave_module, "PATIENCE", 10)
    threads, most = Interleaving(), 0
    for number in range(2, 200):
        threads.take(rows(f"{number % 2} {2 * number},{number % 2}"))
        most = max(most, threads._waiting)
    assert most <= 12 and threads.gaps > 0
