"""Checks that page tables are changed so that no TLB ever holds a wrong translation.

A live entry must be broken before it is replaced: invalid, DSB, TLB invalidation, DSB, then
the new entry. The check tracks the state of every entry of every installed table, of locks and
of registers, and stops at the first step the protocol forbids.

That is the rule of Arm's page tables, which annotations state. Of page tables that software reads
at a TLB miss (e500), and of those of SPARC's reference MMU (LEON3), the instructions show what is
done (`inst.check.pagetable.software`, `inst.check.pagetable.reference`).

A trace that ends with a line beginning with "!" expects a violation by its last record.
Settings: profile (arm or casemate), racy (yes: writes need no lock).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from inst.arch.registry import all_architectures
from inst.check.cells import is_big_endian
from inst.check.happens import AFTER, ALLOCATES, BEFORE, RAW
from inst.check.mappings import KINDS as MAPPINGS
from inst.check.pagetable import control, report
from inst.check.pagetable.codes import CODES, RIGHT, Violation
from inst.check.pagetable.feed import Feed, Step
from inst.check.pagetable.reference import ReferenceTables
from inst.check.pagetable.show import Watcher, watcher_of
from inst.check.pagetable.shown import ShownTables, events_of
from inst.check.pagetable.software import SoftwareTables
from inst.check.pagetable.state import State
from inst.check.pagetable.steps import Stepper
from inst.common.usage import meant
from inst.errors import InstError
from inst.trace.finding import ERROR, WARNING, Check, Finding, Options, Other
from inst.trace.model import Array, Flag, Kind, Trace, among
from inst.trace.registry import codec_of
from inst.words.model import Words

__all__ = ["CODES", "PROFILES", "start"]

PROFILES = ("arm", "casemate")
NAME = "break-before-make"

_OF_PAGE_TABLES = (Kind.SYSREG, Kind.HINT, Kind.TLBI)
"""Events that only a trace of page tables has: without being named, the check needs one."""
_ORDERING = (BEFORE, AFTER, ALLOCATES, RAW, *MAPPINGS)
"""Words of hints that any program has, of threads and of blocks of memory: they do not count."""
_HELD_LIMIT = 10_000
"""Findings held back until it is known whether the trace is one of page tables."""


_OF_BOARDS = "hooks=ring"
"""What the trace of a program without an operating system states: its instructions show what it
does to translations, and memory that it never initialised is none of a page table."""
_OF_INSTRUCTIONS = among(Kind.SYSREG, Kind.TLBI, Kind.BARRIER)


_TABLES: dict[str, type[ShownTables]] = {"software": SoftwareTables, "reference": ReferenceTables}
"""By `Words.page_tables`."""


@cache
def _names() -> dict[str, str]:
    """Return what events are called that instructions show, and whose page tables they change."""
    parts = [one.part(Words) for one in all_architectures()]
    return {
        name: part.page_tables
        for part in parts
        for name in (part.event_names() if part.event_names is not None else ())
    }


def _moved(place: Callable[[int], dict[str, Any]], kept: Array) -> Callable[[int], dict[str, Any]]:
    """Return the places of some of the rows."""
    return lambda row: place(int(kept[row]))


def start(trace: Trace, options: Options) -> Check:
    """Return the check; a setting that means nothing is an error."""
    profile = options.settings.get("profile", PROFILES[0])
    if profile not in PROFILES:
        hint = meant(profile, PROFILES, "profiles:")
        raise InstError(f"there is no profile {profile!r}", hint=hint)
    racy = options.settings.get("racy", "no") not in ("no", "0", "")
    state = State(casemate=profile == "casemate", racy=racy)
    if codec_of(trace).offers("located events"):
        return _OfRecords(trace, state, options)
    return _OfEvents(trace, state, options)


def _first(rows: Array, kinds: Sequence[Kind], details: Array, words: Sequence[str]) -> int:
    """Return the first row of some kinds, hints of threads aside; after all if there is none."""
    wanted = np.flatnonzero(among(*kinds)[rows["kind"]])
    ordering = [number for number, word in enumerate(words) if word in _ORDERING]
    is_hint = rows["kind"][wanted] == int(Kind.HINT)
    wanted = wanted[~(is_hint & np.isin(details[wanted], ordering))]
    return int(wanted[0]) if len(wanted) else len(rows)


class _BreakBeforeMake(Check):
    """The check at work, whatever form the events come in."""

    def __init__(self, trace: Trace, state: State, options: Options) -> None:
        self._trace = trace
        self._state = state
        self._keep_going = options.keep_going
        self._named = NAME in options.chosen
        self._wanted = self._named
        """Whether findings count: the user asked for them, or an event of page tables was seen."""
        self._begun = self._wanted
        """Whether events are stepped: from the first event of page tables, or the first memory
        that is initialised, which any program may annotate (inst/annotate.h)."""
        self._held: list[Finding] = []
        self._stopped = False
        self._shown: ShownTables | None = None
        """From the first event on that an instruction shows."""
        big_endian = partial(is_big_endian, trace)  # asked late: the trace may record it late
        self._feed = Feed(state, big_endian)
        self._stepper = Stepper(state, big_endian)
        self._feed.is_waiting = self._stepper.is_waiting
        self._watcher: Watcher | None = watcher_of(options, state)
        if self._watcher:
            self._feed.watched |= self._watcher.pages
            self._feed.takes_sections = False

    def _take(
        self,
        rows: Array,
        details: Array,
        words: Sequence[str],
        place: Callable[[int], dict[str, Any]],
    ) -> Iterator[Finding]:
        """Step a batch; `details` counts `words`, and `place` states what the columns do not.

        Findings wait until an event shows that the trace is one of page tables.
        """
        if self._named and _OF_BOARDS in self._trace.facts.strings:
            self._wanted = self._begun = False
        self._named = False
        shown = self._shown_by_instructions(rows, details, words)
        if self._shown is not None:
            for event in events_of(rows, details, words, place):
                yield from self._shown.step(event)
        if shown.any():
            kept = np.flatnonzero(~shown)
            rows, details, place = rows[kept], details[kept], _moved(place, kept)
        if not self._wanted:
            self._wanted = _first(rows, _OF_PAGE_TABLES, details, words) < len(rows)
        found = self._step(rows, details, words, place)
        if not self._wanted:
            self._held += found
            self._stopped |= len(self._held) > _HELD_LIMIT
            return
        yield from self._held
        self._held.clear()
        yield from found

    def _shown_by_instructions(self, rows: Array, details: Array, words: Sequence[str]) -> Array:
        """Return which events are of processors whose instructions show them, not annotations."""
        names = _names()
        numbers = [number for number, word in enumerate(words) if word in names]
        found: Array = _OF_INSTRUCTIONS[rows["kind"]] & np.isin(details, numbers)
        if self._shown is None and found.any():
            kind = names[words[details[int(np.argmax(found))]]]
            self._shown = _TABLES[kind](self._trace)
        return found

    def _step(
        self,
        rows: Array,
        details: Array,
        words: Sequence[str],
        place: Callable[[int], dict[str, Any]],
    ) -> Iterator[Finding]:
        """Step the rows of a batch from where events count."""
        first = 0
        if not self._begun:
            first = _first(rows, (Kind.INIT, *_OF_PAGE_TABLES), details, words)
            self._begun = first < len(rows)
        if self._stopped or not self._begun:
            return
        state, stepper, watcher = self._state, self._stepper, self._watcher
        for step in self._feed.steps(rows, details, words, first):
            if stepper.half is not None and stepper.waits(step):
                yield from self._lone_half()
                if self._stopped:
                    return
            state.record = step.record
            try:
                stepper.step(step)
            except Violation as violation:
                self._feed.disturbed = True
                for unclean in report.invalidated(state, violation):
                    state.accuse(unclean)
                yield from self._advice(rows, place, step)
                yield self._finding(violation, ERROR, step.thread, rows, place, step.row)
                if watcher:
                    watcher.violated(violation, step)
                if not self._keep_going:
                    self._stopped = True
                    return
                stepper.force(step, violation)
            if state.advice:
                self._feed.disturbed = True
                yield from self._advice(rows, place, step)
            if watcher:
                watcher.stepped(step)

    def _advice(
        self, rows: Array, place: Callable[[int], dict[str, Any]], step: Step
    ) -> Iterator[Finding]:
        for code, message, addresses in self._state.advice:
            violation = Violation(code, message, *addresses)
            yield self._finding(violation, WARNING, step.thread, rows, place, step.row)
        self._state.advice.clear()

    def finish(self) -> Iterator[Finding]:
        if self._stopped or not self._wanted:
            return
        yield from self._lone_half()
        control.end(self._state)
        for code, message, addresses in self._state.advice:
            yield self._final(Violation(code, message, *addresses), WARNING)
        if self._watcher:
            self._watcher.finish()

    def _lone_half(self) -> Iterator[Finding]:
        """Step half an entry whose other half did not come; its record is past."""
        try:
            self._stepper.finish()
        except Violation as violation:
            yield self._final(violation, ERROR)
            self._stopped = not self._keep_going

    def _final(self, violation: Violation, severity: str) -> Finding:
        return self._finding(violation, severity, None, None, lambda row: {}, 0)

    def _finding(
        self,
        violation: Violation,
        severity: str,
        thread: int | None,
        rows: Array | None,
        place: Callable[[int], dict[str, Any]],
        row: int,
    ) -> Finding:
        state = self._state
        known: dict[str, Any] = {}
        if rows is not None:
            event = rows[row]
            known = {"id": int(event["id"]), **place(row)}
            if event["flags"] & int(Flag.HAS_PC):
                known["pc"] = int(event["pc"])
        others = tuple(
            Other(unclean.record, f"{unclean.address:#x} was made invalid here")
            for unclean in report.invalidated(state, violation)
        )
        return Finding(
            violation.code,
            severity,
            self._trace.name,
            state.record,
            violation.message,
            thread=thread,
            state=report.explain(state, violation),
            expected=report.expected(state, violation, RIGHT[violation.code]),
            others=others,
            **known,
        )


class _OfEvents(_BreakBeforeMake):
    """The check on the events of any format."""

    def events(self, rows: Array) -> Iterator[Finding]:
        sites, numbers = self._trace.sites.texts, rows["site"]

        def place(row: int) -> dict[str, Any]:
            return {"site": sites[numbers[row]]}

        yield from self._take(rows, rows["detail"], self._trace.words.texts, place)


class _OfRecords(_BreakBeforeMake):
    """The check on records that have lines, whose sites are made only on demand.

    Such a trace may end with its producer's verdict, a line that begins with "!": there a
    violation is expected, so what the last record of a batch raises waits for what follows.
    """

    def __init__(self, trace: Trace, state: State, options: Options) -> None:
        super().__init__(trace, state, options)
        self._newest: list[Finding] = []
        """From the first error on that the last record so far raised."""
        self._failed = False

    def batch(self, batch: Any) -> Iterator[Finding]:
        if not len(batch):
            return
        yield from self.broken()
        rows, details, words, place = codec_of(self._trace).part("located events")(
            self._trace, batch
        )
        last = rows["record"][-1]
        for finding in self._take(rows, details, words, place):
            if self._newest or (finding.severity == ERROR and finding.record == last):
                self._newest.append(finding)
            else:
                yield self._seen(finding)

    def broken(self) -> Iterator[Finding]:
        newest, self._newest = self._newest, []
        yield from map(self._seen, newest)

    def _seen(self, finding: Finding) -> Finding:
        self._failed |= finding.severity == ERROR
        return finding

    def finish(self) -> Iterator[Finding]:
        found = [*self._newest, *super().finish()]
        trace: Any = self._trace
        if trace.verdict and self._wanted:
            found = list(self._judged(found, trace.count - 1))
        yield from found

    def _judged(self, found: list[Finding], last: int) -> Iterator[Finding]:
        """Yield the findings of a trace whose last record is to raise a violation."""
        expected = False
        for finding in found:
            if finding.severity == ERROR and finding.record == last:
                expected = True
                text = f"{finding.code}, which the trace expects: {finding.message}"
                self._trace.note(f"record {last}: {text}")
            else:
                yield self._seen(finding)
        if not expected and not self._failed:
            message = "the trace expects a violation by the record before, and there is none"
            code = "violation-missing"
            yield Finding(code, ERROR, self._trace.name, last + 1, message, expected=RIGHT[code])
