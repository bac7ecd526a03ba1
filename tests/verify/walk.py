"""Input and output walked side by side: each path through one must be a path through the other.

From every label, and along every way out of every branch, the output must run the input's
instructions with nothing but probes in between.  How it does so (slots doubled, branches
inverted, loads brought before their branch) is its own affair, as long as what changes
places does not depend on each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from inst.asm.model import Kind
from inst.isa.model import Form, Transfer
from inst.target.targets import Target

from .agreements import SAVING, Agreement, agreement_of
from .blocks import Rows, read_rows
from .contents import Contents, at_landing, mentioned
from .distances import Measures
from .entries import Entries, entries_of
from .knowledge import Knowledge, knowledge_of, leaves_r13
from .listing import END, Listing, read_listing, referenced
from .matching import Reached, State, match
from .open_ways import form_at, open_steps
from .probes import NO_PROBE
from .recording import Buffer, Recording
from .runs import Run, goes_elsewhere, runs, slots
from .unseen import Unseen, unseen_in

FOR_DEBUGGERS = (".LVL", ".LBB", ".LBE", ".LBI")
"""How names of places begin that only gcc's debugging information speaks of."""
_WAITS = ".Lwaits"
"""Prefix of labels at stores and loads of registers that make room for others: no accesses."""


@dataclass(slots=True)
class Walk:
    """The walk of a file; `problems` and `core` are its results."""

    old: Listing
    new: Listing
    known: Knowledge
    values: bool
    table: frozenset[str] = frozenset()
    """Labels of the table of contents, whose loads the linker may turn into additions."""
    problems: list[str] = field(default_factory=list)
    core: dict[int, set[int]] = field(default_factory=dict)
    """Input instruction -> where the output runs it."""
    measures: Measures = field(default_factory=Measures)
    """From where the output measures distances."""
    agreed: Agreement = field(kw_only=True)
    """What holds at calls and returns."""
    unseen: Unseen = field(default_factory=Unseen)
    """Where control goes without a branch."""
    unreported: frozenset[int] = frozenset()
    """Accesses where a reservation is open, which nothing may stand beside."""
    left: list[tuple[int, Contents, Buffer]] = field(default_factory=list)
    """Instructions that control may have left so, with what registers held by then, and how far
    the code that records had got."""
    rows: Rows | None = None
    """The table of segments of a file that records."""
    recording: Recording | None = None
    recorded: frozenset[int] = frozenset()
    """Where the output runs accesses that the table has."""
    in_table: frozenset[tuple[int, str]] = frozenset()
    """The same by line and text."""
    entries: Entries = field(default_factory=Entries)
    """Where control comes to code that records, and where jumps go that have no table."""
    addresses: bool = True
    """Whether blocks have what addresses follow from."""

    def is_system_call(self, index: int) -> bool:
        """Return whether an input instruction is one: its report may end a section."""
        return self.old.instructions[index].facts.system_call

    def complain(self, index: int, text: str) -> None:
        """Take note of a problem at an input instruction."""
        found = f"line {self.old.line_of(index)}: {text}"
        if found not in self.problems:
            self.problems.append(found)


def walk_file(
    source: str,
    rewritten: str,
    target: Target,
    level: str,
    dropped: tuple[str, ...] = (),
    records: bool = False,
) -> Walk:
    """Walk both sides of a file from all its labels, then from what no label leads to.

    The file keeps nothing in `dropped` where it calls or leaves functions.
    """
    old, new = read_listing(source, target), read_listing(rewritten, target)
    known = knowledge_of(target, leaves_r13(rewritten, target))
    agreed = agreed_in(source, target, old, known, dropped, records)
    values = records or level != "addresses"
    walk = Walk(old, new, known, values, _table(old), agreed=agreed)
    walk.addresses = level != "loads"
    walk.unseen = unseen_in(old)
    entries = entries_of(old, walk.unseen.tables, agreed.compiled)
    walk.entries = entries if records else Entries(jumps=entries.jumps)
    if records:
        walk.rows = read_rows(new, target.bits)
        walk.recording = Recording(walk, walk.rows)
        walk.recorded = _recorded(new, walk.rows.labels)
        recorded = (new.instructions[place] for place in walk.recorded)
        walk.in_table = frozenset((one.line, one.text()) for one in recorded)
    waiting = {at for name, at in old.labels.items() if name.startswith(_WAITS)}
    walk.unreported = _unreported(old, agreed.compiled) | waiting
    seen: dict[State, Contents] = {}
    _follow(walk, list(_labels(walk)), seen)
    on_line: dict[tuple[str, int], int] = {}
    for place, found in reversed(list(enumerate(new.instructions))):
        on_line[found.section, found.line] = place
    for index, found in enumerate(old.instructions):
        first = _with_slot(walk, index) if goes_elsewhere(found) else index
        if first not in walk.core and first != END:
            place = on_line.get((found.section, found.line), END)
            _follow(walk, [(index, place, NO_PROBE)], seen)
    _return_again(walk, seen)
    return walk


def _unreported(old: Listing, compiled: bool) -> frozenset[int]:
    """Return the accesses where a reservation is open, but for the store that belongs to it."""
    return frozenset(
        there
        for _, there in open_steps(old, compiled)
        if form_at(old, there) not in (None, Form.RESERVE, Form.CONDITIONAL)
    )


def agreed_in(
    source: str,
    target: Target,
    listing: Listing,
    known: Knowledge | None = None,
    dropped: tuple[str, ...] = (),
    records: bool = False,
) -> Agreement:
    """Return what holds at calls and returns of a file."""
    known = known or knowledge_of(target)
    everything = known.names((1 << len(known.registers.names)) - 1)
    free = _free(known, listing, records) | frozenset(dropped)
    agreed = agreement_of(target, source, everything, free)
    return replace(agreed, unchained=agreed.chain - _addressed(known, listing, target.bits))


def _addressed(known: Knowledge, listing: Listing, bits: int) -> frozenset[str]:
    """Return the registers in which the code of a file may put addresses: all but those that it
    uses for condition fields, on their way to a frame and back."""
    found: set[str] = set()
    for one in listing.instructions:
        access, read = one.facts.access, known.names(one.facts.uses)
        is_narrow = access is not None and access.load and access.size < bits // 8
        if not is_narrow and not (read and all(name.startswith("cr") for name in read)):
            found.update(known.names(one.facts.defs))
    return frozenset(found)


def _free(known: Knowledge, listing: Listing, records: bool) -> frozenset[str]:
    """Return the registers that are left to probes in a file.

    r13 is the small-data pointer of 32-bit PowerPC, which programs here have none of; SPARC
    code that names one of its registers has it for itself.
    """
    if known.carriers:
        kept = frozenset({"r11"} if records and known.red_zone else ())
        named = [one for one in listing.instructions if not SAVING.match(one.facts.target)]
        return kept - frozenset(known.names(mentioned(named)))
    named = () if known.may_store else known.names(mentioned(listing.instructions))
    return frozenset((known.address_register, *known.scratch)) - frozenset(named)


def _table(listing: Listing) -> frozenset[str]:
    """Return the labels of the table of contents, and other names of them."""
    found: set[str] = set()
    for statement, section in zip(listing.statements, listing.section, strict=True):
        if statement.kind == Kind.LABEL and section == ".toc":
            found.add(statement.name)
        elif statement.name == ".set":
            name, value = (part.strip() for part in statement.operands.split(",", 1))
            if value in found:
                found.add(name)
    return frozenset(found)


def _with_slot(walk: Walk, index: int) -> int:
    """Return what runs in the slot of a branch that does nothing else; END if nothing does."""
    facts, slot = walk.old.instructions[index].facts, walk.old.following(index)
    runs_slot = facts.delay_slot and not facts.annul and slot != END
    return slot if runs_slot and not goes_elsewhere(walk.old.instructions[slot]) else END


def _follow(walk: Walk, places: list[State], seen: dict[State, Contents]) -> None:
    """Follow all ways from some places; where ways meet, what is wrong on any of them is wrong."""
    _go_on(walk, [(state, _at_start(walk, state[0])) for state in places], seen)


def _at_start(walk: Walk, index: int) -> Contents:
    """Return what registers hold where a walk begins: where functions are entered, some nothing."""
    agreed = walk.agreed
    if index not in walk.entries.functions:
        return Contents()
    read = (agreed.arguments or frozenset()) - agreed.chain | set(walk.known.names(walk.known.link))
    return Contents(unset=agreed.killed - read)


def _go_on(walk: Walk, pending: list[Reached], seen: dict[State, Contents]) -> None:
    """Follow all ways from some places, at which it is known what registers hold."""
    while pending:
        state, held = pending.pop()
        if state[0] == END:
            continue
        if state in seen:
            held = seen[state].joined(held)
            if held == seen[state]:
                continue
        seen[state] = held
        for run in runs(walk.old, state[0]):
            if _leaves_function(walk, run):
                run = replace(run, leads=None)
            pending += match(walk, run, state, held)
            pending += _reached_unseen(walk)


def _reached_unseen(walk: Walk) -> Iterator[Reached]:
    """Yield where control may come to without a branch from what has just run."""
    for index, held, buffer in walk.left:
        arrived = replace(NO_PROBE, buffer=buffer)
        landed = at_landing(walk, held)
        for labels, arriving in (
            (walk.unseen.landings.get(index, ()), landed),
            (walk.unseen.jumps.get(index, ()), held),
            (walk.unseen.tables.get(index, ()), held),
            (walk.entries.jumps.get(index, ()), held),
        ):
            for name in labels:
                if name in walk.new.labels:
                    yield (walk.old.labels[name], walk.new.labels[name], arrived), arriving
    walk.left.clear()


def _return_again(walk: Walk, seen: dict[State, Contents]) -> None:
    """Follow second returns: SPARC's windows hold what they did anywhere in the function."""
    if walk.known.may_store or not walk.agreed.compiled:
        return  # PowerPC's setjmp stores what it restores
    for after, function in walk.unseen.again:
        places = [state for state in seen if state[0] == after]
        found = [
            at_landing(walk, held, again=True) for at, held in seen.items() if at[0] in function
        ]
        _go_on(walk, [(place, held) for place in places for held in set(found)], seen)


def _leaves_function(walk: Walk, run: Run) -> bool:
    """Return whether a run ends in a branch to a function, which alone has a name in compiled code.

    What a call would change is nothing to the one that is branched to, which has a walk of its
    own from its label.
    """
    index, taken = run.events[0]
    facts = walk.old.instructions[index].facts
    named = not facts.target.startswith((".", "$")) and not facts.target[:1].isdigit()
    return walk.agreed.compiled and facts.transfer == Transfer.BRANCH and taken and named


def _labels(walk: Walk) -> Iterator[State]:
    """Yield the places that labels name on both sides."""
    named = referenced(walk.old)
    in_slots = slots(walk.old)
    for name, index in walk.old.labels.items():
        if name in walk.entries.inside:
            continue  # from where it is branched to, the pointer may be in its register
        if name not in named and (index in in_slots or name.startswith(FOR_DEBUGGERS)):
            continue  # only debugging information speaks of it
        if name in walk.new.labels:
            yield index, walk.new.labels[name], NO_PROBE
        else:
            walk.complain(index, f"label {name} is lost")
    for name, places in walk.old.numeric.items():
        ours = walk.new.numeric.get(name, [])
        if len(ours) != len(places):
            walk.complain(places[0][1], f"label {name} is not there as often as it was")
        for (_, index), (_, place) in zip(places, ours, strict=False):
            if (index not in in_slots or name in named) and walk.recording is None:
                yield index, place, NO_PROBE


def _recorded(new: Listing, labels: set[str]) -> frozenset[int]:
    """Return the accesses at labels, and what runs in the place of those that are jumped over."""
    places = {new.labels[one] for one in labels & new.labels.keys()}
    over = {at for at in places if new.instructions[at - 1].name == "bn,a"}
    after = {at for at in over if _next_of(new, at - 1) == at + 1}
    return frozenset(places - after | {at + 1 for at in after})


def _next_of(new: Listing, index: int) -> int | None:
    """Return where a branch goes."""
    return new.target(index, new.instructions[index].facts.target)
