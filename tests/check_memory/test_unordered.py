"""`memory-sound` and several threads: what is certain by the order of places, and what is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from inst.check import Options, check_trace
from inst.check import unordered as unordered_module
from inst.cli import main
from inst.formats.sexp.trace import SexpTrace
from inst.target.targets import Target
from tests.check_memory.test_memory_sound import lines, read, write
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8")

STRICT = Options(settings={"memory": "strict"})
PRODUCERS = (
    'producer 1 (name "arch") (value "ppc64le")',
    'producer 1 (name "runtime") (value "1")',
)
PROGRAM = Path(__file__).parent / "programs" / "ring.c"
WORD, FLAG = 0x1000, 0x2000


def place(number: int, thread: int, how: str = "", address: int = FLAG) -> str:
    """Return the event of a place; with `how`, of the access to an address."""
    of = f'(detail "{how}") (address {address:#x}) ' if how else ""
    return f"event {thread} (what order) {of}(value {number:#x})"


def found(records: tuple[str, ...], options: Options = STRICT) -> list[tuple[str, int]]:
    """Return the findings: code, and which of the records it is at."""
    trace = SexpTrace("t", [lines(*PRODUCERS, *records)])
    report = check_trace(trace, ("memory-sound",), options)
    assert report.error is None
    return [(each.code, each.record - len(PRODUCERS)) for each in report.findings]


BEGIN = (place(1, 1), place(2, 2))
"""Two threads begin."""
SET = f"mem-set 1 (address {WORD:#x}) (size 0x200) (value 0x7)"
HANDED = (
    *BEGIN,
    write(WORD, 5, thread=1),
    place(3, 1, "release"),
    write(FLAG, 1, thread=1),
    read(FLAG, 1, thread=2),
)


@pytest.mark.parametrize(
    "records",
    [
        # The load was executed before the store, and took its place after it.
        (*BEGIN, place(3, 1, "release"), write(FLAG, 1), place(4, 2, "acquire"),
         read(FLAG, 0, thread=2), place(5, 2, "acquire"), read(FLAG, 1, thread=2)),
        # So does what it found there, which is no more what the store left.
        (*BEGIN, write(FLAG, 0), place(3, 1, "release"), write(FLAG, 1), place(4, 2, "acquire"),
         read(FLAG, 0, thread=2), place(5, 2), place(6, 2, "acquire"), read(FLAG, 1, thread=2)),
        # Chunks stand in the file in another order than the places that begin them.
        (place(2, 2), place(5, 2, "acquire"), read(FLAG, 1, thread=2), read(WORD, 5, thread=2),
         place(1, 1), write(WORD, 4), write(WORD, 5), place(3, 1, "release"), write(FLAG, 1),
         place(4, 1)),
        # A chunk begins between the place of a load and its record.
        (*BEGIN, write(FLAG, 0), place(3, 1, "release"), write(FLAG, 1), place(4, 1),
         place(5, 2, "acquire"), place(6, 2), read(FLAG, 0, thread=2)),
        # A chunk begins between a load and its record.
        (*BEGIN, write(FLAG, 0), write(FLAG, 1), place(3, 1), place(4, 2),
         read(FLAG, 0, thread=2)),
        # A store stands where its run began, and was executed at any time up to the next place.
        (*BEGIN, write(WORD, 0), write(WORD, 1), place(3, 2), place(4, 2),
         read(WORD, 0, thread=2), place(5, 2), read(WORD, 1, thread=2), place(6, 1)),
        # An atomic operation is executed before the place that its record follows.
        (*BEGIN, write(FLAG, 0), place(3, 1), place(4, 2), place(5, 2), read(FLAG, 1, thread=2),
         place(6, 2), place(7, 1, "acquire"), write(FLAG, 1)),
        # Two writes whose times overlap: the one that stands first may have been the last.
        (*BEGIN, place(3, 1), write(WORD, 1), place(4, 2), write(WORD, 2, thread=2),
         place(5, 2), place(6, 1), place(7, 3), place(8, 3), read(WORD, 1, thread=3)),
        # A place that was taken before those of a handler, and is recorded after them.
        (*BEGIN, write(FLAG, 1), place(3, 1), place(5, 2), place(6, 2), place(4, 2, "acquire"),
         read(FLAG, 0, thread=2)),
        # Memory is set at any time up to its thread's next place.
        (*BEGIN, write(WORD, 0), SET, place(3, 2), place(4, 2), write(WORD, 1, thread=2),
         read(WORD, 7, thread=2), place(5, 1)),
    ],
)  # fmt: skip
def test_what_another_thread_may_have_made(records: tuple[str, ...]) -> None:
    assert found(records) == []


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        ((*HANDED, place(4, 2), read(WORD, 7, thread=2)), []),
        ((*HANDED[:5], place(4, 1), place(5, 2, "acquire"), HANDED[5], read(WORD, 5, thread=2)),
         []),
        ((*HANDED[:5], place(4, 1), place(5, 2, "acquire"), HANDED[5], read(WORD, 7, thread=2)),
         [("memory-race", 8)]),
        ((*HANDED[:5], place(4, 2, "acquire"), HANDED[5], read(WORD, 5, thread=2),
          read(WORD, 7, thread=2), place(5, 1)), [("memory-hole", 8)]),
        # Another word that is not ordered, and one that was written at quite another time.
        ((*BEGIN, write(WORD, 5), place(3, 1), write(FLAG, 1), place(4, 2), place(5, 2),
          read(FLAG, 0, thread=2), read(WORD, 7, thread=2), place(6, 2), place(7, 1),
          write(WORD, 7)), [("memory-race", 8)]),
        # Its thread writes it anew after the read: not before the place after that.
        ((*BEGIN, write(FLAG, 0), place(3, 1), place(4, 2), read(WORD, 0, thread=2), place(5, 2),
          read(FLAG, 1, thread=2), place(6, 2), place(7, 1), write(WORD, 0),
          place(8, 1, "acquire"), write(FLAG, 1)), [("memory-race", 7)]),
    ],
)  # fmt: skip
def test_what_is_certain(records: tuple[str, ...], expected: list[tuple[str, int]]) -> None:
    assert found(records) == expected
    assert found(records, Options()) == []


def test_what_is_not_certain_is_counted() -> None:
    """Also where the word is used in order later: of what it held nothing is known for sure."""
    records = (*BEGIN, write(WORD, 1), place(3, 2), read(WORD, 0, thread=2), place(4, 1),
               place(5, 1), place(6, 2), place(7, 2), read(WORD, 9, thread=2))  # fmt: skip
    trace = SexpTrace("t", [lines(*PRODUCERS, *records)])
    report = check_trace(trace, ("memory-sound",), STRICT)
    assert report.findings == []
    assert [note for note in report.notes if "2 reads" in note and "no order" in note]


@pytest.mark.parametrize("missing", [False, True])
def test_long_traces_are_judged_in_parts(missing: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A word is handed over a hundred times, and once another value is read."""
    monkeypatch.setattr(unordered_module, "REACH", 32)
    monkeypatch.setattr("inst.check.memory_sound.PIECE", 8)
    records, number = [*BEGIN], 3
    for round in range(100):
        value = 7 if missing and round == 40 else round
        records += [place(number, 1), write(WORD, round), place(number + 1, 1, "release"),
                    write(FLAG, round), place(number + 2, 1), place(number + 3, 2, "acquire"),
                    read(FLAG, round, thread=2), read(WORD, value, thread=2),
                    place(number + 4, 2)]  # fmt: skip
        number += 5
    expected = [("memory-race", len(BEGIN) + 9 * 40 + 7)] if missing else []
    assert found(tuple(records)) == expected


@pytest.mark.parametrize("records", ["--inst-hooks=rst", "--inst-record=values"])
def test_threads_that_spin_on_atomics(records: str, target: Target, shell: Shell) -> None:
    """A run that is right has no findings; one whose stores to the ring are not recorded does."""
    shutil.copy(PROGRAM, shell.directory / "ring.c")
    for number, left_out in enumerate(((), ("--inst-except=put",))):
        shell.check("inst-cc", records, *left_out, *target.compiler, "-O2", "-static", "-pthread",
                    "ring.c", "-o", "ring")  # fmt: skip
        trace = str(shell.directory / f"{number}.trace")
        shell.check(target.emulator, "./ring", INST_OUT=trace)
        arguments = ["check", "--only", "memory-sound", "--set", "memory=strict", trace]
        assert main(arguments) == (1 if left_out else 0)
