"""Input and output walked side by side: each path through one must be a path through the other.

From every label, and along every way out of every branch, the output must run the input's
instructions with nothing but probes in between.  How it does so (slots doubled, branches
inverted, loads brought before their branch) is its own affair, as long as what changes
places does not depend on each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from inst.asm.model import Kind
from inst.asm.operands import split_operands
from inst.isa.model import Facts, Form, Transfer
from inst.target.targets import Target

from .agreements import Agreement, agreement_of
from .contents import Contents, at_end, at_landing, at_other, at_own, may_leave, mentioned
from .distances import Measures
from .knowledge import Knowledge, knowledge_of, leaves_r13, report_of
from .listing import END, Instruction, Listing, read_listing, referenced
from .open_ways import form_at, open_steps
from .probes import (
    NO_PROBE,
    Probe,
    at_core,
    at_inserted,
    disguised,
    is_in_old_window,
    is_neutral_slot,
    reports_no_access,
)
from .unseen import Unseen, unseen_in

_INPUT = re.compile(r"%i([0-7])")
FOR_DEBUGGERS = (".LVL", ".LBB", ".LBE", ".LBI")
"""How names of places begin that only gcc's debugging information speaks of."""
_WAITS = ".Lwaits"
"""Prefix of labels at stores and loads of registers that make room for others: no accesses."""
_LIMIT = 64
"""Output instructions that may stand for one of the input."""
_COMES_BACK = (Transfer.NONE, Transfer.CALL, Transfer.TRAP)


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
    left: list[tuple[int, Contents]] = field(default_factory=list)
    """Instructions that control may have left so, and what registers held by then."""

    def is_system_call(self, index: int) -> bool:
        """Return whether an input instruction is one: its report may end a section."""
        return self.old.instructions[index].facts.system_call

    def complain(self, index: int, text: str) -> None:
        """Take note of a problem at an input instruction."""
        found = f"line {self.old.line_of(index)}: {text}"
        if found not in self.problems:
            self.problems.append(found)


State = tuple[int, int, Probe]
"""A place on both sides, and the probe that is under way there."""
Reached = tuple[State, Contents]
"""A place, and what registers hold there."""


def walk_file(
    source: str, rewritten: str, target: Target, level: str, dropped: tuple[str, ...] = ()
) -> Walk:
    """Walk both sides of a file from all its labels, then from what no label leads to.

    The file keeps nothing in `dropped` where it calls or leaves functions.
    """
    old, new = read_listing(source, target), read_listing(rewritten, target)
    known = knowledge_of(target, leaves_r13(rewritten, target))
    agreed = agreed_in(source, target, old, known, dropped)
    walk = Walk(old, new, known, level == "values", _table(old), agreed=agreed)
    walk.unseen = unseen_in(old)
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
) -> Agreement:
    """Return what holds at calls and returns of a file."""
    known = known or knowledge_of(target)
    everything = known.names((1 << len(known.registers.names)) - 1)
    free = _free(known, listing) | frozenset(dropped)
    return agreement_of(target, source, everything, free)


def _free(known: Knowledge, listing: Listing) -> frozenset[str]:
    """Return the registers that are left to probes in a file.

    r13 is the small-data pointer of 32-bit PowerPC, which programs here have none of; SPARC
    code that names one of its registers has it for itself.
    """
    if known.carriers:
        return frozenset()
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
    runs = facts.delay_slot and not facts.annul and slot != END
    return slot if runs and not goes_elsewhere(walk.old.instructions[slot]) else END


def _follow(walk: Walk, places: list[State], seen: dict[State, Contents]) -> None:
    """Follow all ways from some places; where ways meet, what is wrong on any of them is wrong."""
    _go_on(walk, [(state, Contents()) for state in places], seen)


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
        for run in _runs(walk.old, state[0]):
            if _leaves_function(walk, run):
                run = replace(run, leads=None)
            after = _match(walk, run, state, held)
            if after is not None:
                pending.append(after)
            pending += _reached_unseen(walk)


def _reached_unseen(walk: Walk) -> Iterator[Reached]:
    """Yield where control may come to without a branch from what has just run."""
    for index, held in walk.left:
        landed = at_landing(walk, held)
        for labels, arriving in (
            (walk.unseen.landings.get(index, ()), landed),
            (walk.unseen.jumps.get(index, ()), held),
            (walk.unseen.tables.get(index, ()), held),
        ):
            for name in labels:
                if name in walk.new.labels:
                    yield (walk.old.labels[name], walk.new.labels[name], NO_PROBE), arriving
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
    slots = _slots(walk.old)
    for name, index in walk.old.labels.items():
        if name not in named and (index in slots or name.startswith(FOR_DEBUGGERS)):
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
            if index not in slots or name in named:
                yield index, place, NO_PROBE


def _slots(listing: Listing) -> set[int]:
    """Return the instructions that run in the slot of another."""
    found = set()
    for index, instruction in enumerate(listing.instructions):
        facts = instruction.facts
        if facts.delay_slot and index not in found and not (facts.annul and not facts.conditional):
            found.add(listing.following(index))
    return found


@dataclass(frozen=True, slots=True)
class Run:
    """One way through an instruction with its slot: what runs in order, and what follows."""

    events: tuple[tuple[int, bool], ...]
    """(instruction, whether it takes its branch)."""
    leads: int | None
    """The next instruction; None where the file does not define it."""


def goes_elsewhere(found: Instruction) -> bool:
    """Return whether a branch does nothing but go to another place of the file."""
    facts = found.facts
    return facts.transfer == Transfer.BRANCH and not facts.conditional and not facts.defs


def _runs(listing: Listing, index: int) -> Iterator[Run]:
    """Yield the ways through an input instruction."""
    facts = listing.instructions[index].facts
    if facts.delay_slot and not (facts.annul and not facts.conditional):
        slot = listing.following(index)
        if slot != END and listing.instructions[slot].facts.delay_slot:
            yield from _couple(listing, index, slot)
            return
    decisions = (True, False) if facts.conditional and facts.target else (True,)
    if facts.conditional and facts.transfer in (Transfer.RETURN, Transfer.JUMP):
        decisions = (True, False)
    for taken in decisions:
        yield _run(listing, index, lambda _, taken=taken: taken)


def _couple(listing: Listing, first: int, second: int) -> Iterator[Run]:
    """Yield the ways through `ba X; b2 Y`: one instruction at X runs in between, if b2 lets it."""
    there = listing.target(first, listing.instructions[first].facts.target)
    facts = listing.instructions[second].facts
    assert there is not None
    for taken in (True, False) if facts.conditional else (True,):
        leads = listing.target(second, facts.target) if taken else listing.following(there)
        between = not facts.annul or (facts.conditional and taken)
        last = ((there, False),) if between else ()
        yield Run(((first, True), (second, taken), *last), leads)


def _run(listing: Listing, index: int, decide: Callable[[int], bool]) -> Run:
    """Return what runs from `index` on if its branch goes as `decide` says."""
    facts = listing.instructions[index].facts
    after = listing.following(index)
    if facts.transfer in (Transfer.NONE, Transfer.TRAP):
        return Run(((index, False),), after)
    taken = decide(index) if facts.conditional else True
    events = [(index, taken)]
    if facts.delay_slot:
        runs = not facts.annul or (facts.conditional and taken)
        if runs and after != END:
            events.append((after, False))
        after = listing.following(after) if after != END else END
    if facts.transfer == Transfer.CALL or not taken:
        return Run(tuple(events), after)
    leads = listing.target(index, facts.target) if facts.target else None
    return Run(tuple(events), leads)


def _match(walk: Walk, run: Run, state: State, held: Contents) -> Reached | None:
    """Follow the output until it has run what `run` runs; return the places after it."""
    left, place, probe = list(run.events), state[1], state[2]
    leaves = run.leads is None
    for _ in range(_LIMIT):
        done = all(goes_elsewhere(walk.old.instructions[i]) for i, _ in left)
        reporting = run.leads == END and probe.open
        if done and not (leaves and left) and not reporting:
            break
        if place == END:
            break
        step = _run(walk.new, place, lambda index: _decide(walk, left, index))
        for event in _in_order(walk, step, left, state[0]):
            if event[0] != step.events[0][0] and _fills(walk, step, event[0], left):
                continue
            before, copies = list(left), {copy for copy, _ in probe.copies}
            probe = _account(walk, left, state[0], event, probe)
            if probe is None:
                return None
            own = [i for i in before if i not in left]
            may_leave(walk, [index for index, _ in own], held)
            held = _holding(walk, own, event[0], held, copies)
        if step.leads is None:
            break
        place = step.leads
    rest = [i for i, _ in left if leaves or not goes_elsewhere(walk.old.instructions[i])]
    if rest:
        text = walk.old.instructions[rest[0]].text()
        walk.complain(rest[0], f"the output does not come to: {text}")
        return None
    may_leave(walk, [run.events[0][0]], held)
    held = at_end(walk, run, held)
    if leaves or run.leads == END:
        ends = run.leads == END and any(walk.is_system_call(i) for i, _ in run.events)
        if probe != NO_PROBE and probe.open and not ends:
            walk.complain(state[0], f"control leaves in the middle of a probe ({probe.open})")
        return None
    assert run.leads is not None
    return (run.leads, place, probe), held


def _holding(
    walk: Walk, own: list[tuple[int, bool]], place: int, held: Contents, copies: set[str]
) -> Contents:
    """Follow what registers hold over one instruction of the output, which may be `own`."""
    ours = walk.new.instructions[place]
    if own:
        return at_own(walk, own[0][0], ours, held, copies)
    return held if goes_elsewhere(ours) else at_other(walk, ours, held)


def _fills(walk: Walk, run: Run, index: int, left: list[tuple[int, bool]]) -> bool:
    """Return whether an instruction only fills the slot of a hook's call."""
    first = walk.new.instructions[run.events[0][0]]
    if reports_no_access(first):
        return _is_filled(walk, run, left)
    called = report_of(first, walk.values)
    return called is not None and walk.new.instructions[index].text() == "nop"


def _is_filled(walk: Walk, run: Run, left: list[tuple[int, bool]]) -> bool:
    """Return whether no slot of a run has an instruction of the input: a `nop` may follow."""
    slots = [walk.new.instructions[slot].text() for slot, _ in run.events[1:]]
    is_next = bool(left) and walk.old.instructions[left[0][0]].text() in slots
    return all(is_neutral_slot(text) for text in slots) and not is_next


def _in_order(
    walk: Walk, run: Run, left: list[tuple[int, bool]], at: int
) -> tuple[tuple[int, bool], ...]:
    """Return what a run runs: a hook after the slot of its call."""
    first = walk.new.instructions[run.events[0][0]]
    if report_of(first, walk.values) is None:
        if not reports_no_access(first):
            return run.events
        if _is_filled(walk, run, left):
            return run.events[:1]
    for slot, _ in run.events[1:]:
        facts = walk.new.instructions[slot].facts
        if walk.known.link & (facts.uses | facts.defs):
            walk.complain(at, "it names the link register in the slot of a call of glue")
    return run.events[::-1]


def _decide(walk: Walk, left: list[tuple[int, bool]], index: int) -> bool:
    """Return which way a conditional branch of the output goes on this run."""
    ours = walk.new.instructions[index]
    for expected, taken in left:
        theirs = walk.old.instructions[expected]
        if theirs.facts.conditional:
            return taken == (_plain(theirs.name) == _plain(ours.name))
    return False


def _account(
    walk: Walk, left: list[tuple[int, bool]], at: int, event: tuple[int, bool], probe: Probe
) -> Probe | None:
    """Take one executed instruction of the output off what is left, or into the probe."""
    ours = walk.new.instructions[event[0]]
    if probe.frame and not _may_run_in_frame(walk, ours):
        return at_inserted(walk, at, ours, probe)
    for number, (expected, _) in enumerate(left):
        theirs = walk.old.instructions[expected]
        if _before_return(walk, left[:number], probe) and is_in_old_window(theirs, ours):
            left.pop(number)
            walk.core.setdefault(expected, set()).add(event[0])
            return at_core(walk, expected, probe, ours)
        if not _same(walk, theirs, ours, probe):
            continue
        if not _may_pass(walk, [i for i, _ in left[: number + 1]], probe):
            continue
        left.pop(number)
        walk.core.setdefault(expected, set()).add(event[0])
        return at_core(walk, expected, probe, ours)
    if goes_elsewhere(ours):
        return probe
    return at_inserted(walk, at, ours, probe)


def _may_run_in_frame(walk: Walk, ours: Instruction) -> bool:
    """Return whether this may be the program's where a probe has lowered the stack pointer.

    Nothing is, whatever it looks like, but a load in the slot of a call that gives it back.
    """
    known, facts = walk.known, ours.facts
    touched = facts.uses | facts.defs
    framed = known.link_frame > 0 or bool(known.carriers)
    return framed and not touched & known.link and not known.on_stack_pointer(touched, facts)


def _before_return(walk: Walk, order: list[tuple[int, bool]], probe: Probe) -> bool:
    """Return whether what comes next is brought before a `return` of the window."""
    facts = [walk.old.instructions[i].facts for i, _ in order]
    return len(facts) == 1 and facts[0].window < 0 and not probe.restored


def _may_pass(walk: Walk, order: list[int], probe: Probe) -> bool:
    """Return whether the last of some instructions may run before the others."""
    facts = [walk.old.instructions[i].facts for i in order]
    if any(fact.window for fact in facts[:-1]) and not probe.restored:
        return False  # the same names mean other registers there
    spared = walk.known.registers.mask(*(copied for _, copied in probe.copies))
    return all(_independent(facts[-1], other, spared) for other in facts[:-1])


def _independent(one: Facts, other: Facts, spared: int) -> bool:
    """Return whether two instructions may change places; `spared` is read from a copy."""
    reads = other.uses & ~spared
    return not (one.defs & (reads | other.defs) or one.uses & other.defs)


def _same(walk: Walk, theirs: Instruction, ours: Instruction, probe: Probe) -> bool:
    """Return whether an output instruction does what one of the input does.

    PowerPC code keeps its lines: a probe may do the same as the instruction after a branch.
    """
    if walk.known.may_store and theirs.line != ours.line:
        return False
    if theirs.facts.transfer == Transfer.NONE:
        return theirs.text() == ours.text() or disguised(walk, theirs, ours, probe)
    if theirs.facts.transfer != ours.facts.transfer:
        return False
    if probe.restored:  # `return` as `restore` and a jump: the ins have become outs
        return theirs.facts.window < 0 and _INPUT.sub(r"%o\1", theirs.operands) == ours.operands
    if not theirs.facts.target:
        if theirs.name != ours.name or theirs.text() == ours.text():
            return theirs.text() == ours.text()
        (old, *others), (new, *rest) = (split_operands(x.operands) for x in (theirs, ours))
        new = _original(new, probe)
        measured = not walk.known.may_store and walk.measures.same(theirs, old, new)
        return others == rest and (old == new or measured)
    names = (_plain(theirs.name), _plain(theirs.facts.inverse))
    if theirs.name != ours.name and _plain(ours.name) not in names:
        return False
    operands = list(split_operands(theirs.operands))
    others = list(split_operands(ours.operands))
    new_label = others[ours.facts.target_operand]
    operands[theirs.facts.target_operand] = others[ours.facts.target_operand] = ""
    if operands != others and operands != [_original(operand, probe) for operand in others]:
        return False
    if new_label == theirs.facts.target:
        return _plain(theirs.name) == _plain(ours.name)
    return new_label in walk.new.labels and new_label not in walk.old.labels


def _original(operand: str, probe: Probe) -> str:
    """Return an operand that reads a probe's copy of a register as it reads in the input."""
    for copy, copied in probe.copies:
        operand = operand.replace(f"%{copy}", f"%{copied}")
    return operand


def _plain(name: str) -> str:
    """Return a branch without what does not change its condition."""
    for suffix in (",a", ",pt", ",pn"):
        name = name.replace(suffix, "")
    return name.rstrip("+-")
