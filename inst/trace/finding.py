"""What a check is and what it reports: the types that check modules are written against.

A check module has a docstring whose first line describes what it checks, `CODES` (its finding
codes and what each means), and `start(trace, options)`, which returns a `Check`. It may have
`FORMATS`, the trace formats it understands (all when it has none).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from inst.errors import InstError
from inst.trace.model import Array, Trace, pc_of

ERROR, WARNING = "error", "warning"

LIMIT = 20
"""Findings of one code that are stored; further ones are only counted."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another record that a finding is about: the second access of a race, who took a lock."""

    record: int
    text: str
    pc: int | None = None
    site: str = ""
    """`file:line`, when the trace records it or the program was given."""
    function: str = ""
    instruction: str = ""
    place: str = ""
    """What names the place in every run (`inst.check.fingerprint`)."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a stable code, where, why, and what would have been right."""

    code: str
    severity: str
    file: str
    record: int
    """Ordinal of the record in the file, from 0."""
    message: str
    line: int = 0
    """Line of a text trace; 0 for others."""
    byte: int | None = None
    """Byte offset of a binary trace's record."""
    id: int | None = None
    """Sequence id of the record, where the format has one."""
    thread: int | None = None
    pc: int | None = None
    """Run-time address of the instruction; with the program given it becomes a site."""
    site: str = ""
    """`file:line` of the program's source."""
    function: str = ""
    instruction: str = ""
    """The original instruction."""
    place: str = ""
    """What names the place in every run (`inst.check.fingerprint`)."""
    state: tuple[str, ...] = ()
    """The state that explains the finding, a line each."""
    expected: str = ""
    """What would have been right."""
    others: tuple[Other, ...] = ()

    @property
    def location(self) -> str:
        identity = f" (id {self.id})" if self.id is not None else ""
        if self.line:
            return f"{self.file}:{self.line}: record {self.record}{identity}"
        return f"{self.file}: record {self.record}{identity}"


def finding_at(
    row: Array,
    trace: Trace,
    code: str,
    severity: str,
    message: str,
    *,
    site: str = "",
    state: tuple[str, ...] = (),
    expected: str = "",
    others: tuple[Other, ...] = (),
) -> Finding:
    """Return a finding about one event."""
    return Finding(
        code,
        severity,
        trace.name,
        int(row["record"]),
        message,
        id=int(row["id"]),
        thread=int(row["thread"]),
        pc=pc_of(row),
        site=site,
        state=state,
        expected=expected,
        others=others,
    )


@dataclass(frozen=True, slots=True)
class Options:
    """What the user asked of the checks."""

    keep_going: bool = False
    """Report all that can be, where a check would stop at the first violation."""
    chosen: frozenset[str] = frozenset()
    """Checks the user named, which may then demand more of a trace than by default."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """Settings of single checks, such as profile=casemate."""
    say: Callable[[str], None] = field(default=lambda line: None)
    """Takes the lines that a check shows on demand, beside its findings."""


class Check:
    """A check at work on one trace.

    A check overrides `batch`, or `events`, or both: each is called with everything the
    trace holds, in order, in one pass. Which comes first for a stretch of the trace is not
    fixed.
    """

    needs_all = False
    """Whether the events of all threads have to be there: those before are left out which stand
    where a ring has overwritten some."""

    def batch(self, batch: Any) -> Iterable[Finding]:
        """Look at the next batch of records, in the format's own form."""
        return ()

    def events(self, rows: Array) -> Iterable[Finding]:
        """Look at the next events: rows of the numpy dtype `EVENT`."""
        return ()

    def broken(self) -> Iterable[Finding]:
        """Report what was held back, when damage ends the trace."""
        return ()

    def finish(self) -> Iterable[Finding]:
        """Report what only the end of the trace shows; not called when the trace is damaged."""
        return ()


class CheckModule(Protocol):
    """What a check module provides."""

    CODES: Mapping[str, str]

    def start(self, trace: Trace, options: Options) -> Check:
        """Return the check, ready for the first batch."""
        ...


@dataclass(slots=True)
class Report:
    """What the checks reported about one trace."""

    file: str
    checks: tuple[str, ...]
    findings: list[Finding] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    """code -> findings, including those that were not stored."""
    records: int = 0
    notes: list[str] = field(default_factory=list)
    incomplete: bool = False
    """Whether something is known to be missing in the trace, which a note states."""
    error: InstError | None = None
    """Damage that ended the reading; the findings are about what is before it."""
    programs: Sequence[InstError] = ()
    """What is damaged of the programs that were to name places."""

    def add(self, finding: Finding) -> bool:
        """Count a finding; return whether it is stored."""
        count = self.counts.get(finding.code, 0) + 1
        self.counts[finding.code] = count
        if count <= LIMIT:
            self.findings.append(finding)
        return count <= LIMIT
