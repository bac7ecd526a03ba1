"""Calls from accesses alone: what the program's code allows between two of them, and no more.

All ways without a reported access from one to the next are looked at: calls, returns to where the
callers would go on, jumps. Where all lead to the same functions, that is what happened; where they
do not, only the callers that all have in common are known, and the function of the access.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import reduce

import numpy as np

from inst.calltree.functions import NOWHERE, Functions
from inst.calltree.tree import ROOT, Output, Tree
from inst.calltree.ways import Calls, Search, Ways
from inst.trace.model import Array, Flag, Kind

MOST_RETURNS = 64
"""Functions that may end between two accesses."""
MOST_STEPS = 1 << 20
"""Pairs of accesses whose calls are remembered."""
SIGNAL = -2
"""Stands for the function of an interruption."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A call that is not over."""

    function: int
    backs: frozenset[int]
    """Where it may return to; of an interruption, the last access before it."""
    loose: bool
    """Whether other calls, which are not known, may lie between it and the call before."""
    before: int = 0
    """Of an interruption: the state at the last access before it."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to the next access: what stays, and what was called."""

    state: int
    calls: tuple[Frame, ...]
    new: bool = True
    """Whether these calls began; else they may have run unseen before."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happened between two accesses."""

    state: int
    """The calls after it."""
    stays: int
    """The state of the calls that did not end."""
    exact: bool
    """Whether no more calls can have been made."""
    new: bool = True
    """Whether the calls above `stays` began; else they may have run unseen before."""


class States:
    """Stacks of calls, each once: the innermost call and the state of the others. 0 is empty."""

    def __init__(self, tree: Tree, functions: Functions) -> None:
        self._tree = tree
        self._functions = functions
        self._numbers: dict[tuple[int, Frame], int] = {}
        self.parents = [0]
        self.frames = [Frame(NOWHERE, frozenset(), True)]
        self.nodes = [ROOT]
        self.depths = [0]

    def push(self, state: int, frame: Frame, name: str = "") -> int:
        """Return the state after a call."""
        key = (state, frame)
        if key not in self._numbers:
            self._numbers[key] = len(self.parents)
            name = name or self._functions.names[frame.function]
            node = self._tree.child(self.nodes[state], name, direct=not frame.loose)
            self.parents.append(state)
            self.frames.append(frame)
            self.nodes.append(node)
            self.depths.append(self.depths[state] + 1)
        return self._numbers[key]

    def common(self, one: int, other: int) -> int:
        """Return the state of the calls that two states share."""
        while one != other:
            if self.depths[one] >= self.depths[other]:
                one = self.parents[one]
            else:
                other = self.parents[other]
        return one

    def frames_from(self, base: int, state: int) -> tuple[Frame, ...]:
        """Return the calls of a state above one that it contains, the outermost first."""
        found = []
        while state != base:
            found.append(self.frames[state])
            state = self.parents[state]
        return tuple(found[::-1])


class Steps:
    """What happens between accesses, by the code; each pair of places is looked at once."""

    def __init__(self, tree: Tree, functions: Functions, search: Search) -> None:
        self.states = States(tree, functions)
        self._tree = tree
        self._functions = functions
        self._search = search
        self._known: dict[tuple[int, int, int], Step] = {}

    def step(self, state: int, last: int, now: int, function: int) -> Step:
        """Return what happens from an access at `last` to one at `now`, in a function."""
        key = (state, last, now)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= MOST_STEPS:
                self._known.clear()
            found = self._known[key] = self._look(state, last, now, function)
        return found

    def _look(self, state: int, last: int, now: int, function: int) -> Step:
        choices = self._choices(state, last, now, function) if last else []
        if choices is None:
            return self._begun(0, function, new=False)
        if not choices:
            return self._jumped(state, function, first=not last)
        return self._chosen(state, choices, function)

    def surely(self, state: int, last: int) -> int:
        """Return the calls of a state that cannot have ended since its last access."""
        ways = [self._search.after(last)] if last else []
        while state and any(one.returns or one.unknown for one in ways):
            ways = [self._search.since(back) for back in self.states.frames[state].backs]
            state = self.states.parents[state]
        return state

    def _choices(self, state: int, last: int, now: int, function: int) -> list[Choice] | None:
        """Return all ways from one access to the next; None if they are too many."""
        ways, level, found = [(self._search.after(last), 0)], state, list[Choice]()
        for _ in range(MOST_RETURNS):
            returns = False
            for one, place in ways:
                if one.unknown:
                    return None
                found += self._at_level(level, place, one, now, function)
                found += self._unwound(level, now, function) if one.anything else []
                returns |= one.returns
            if not returns:
                return found
            frame, level = self.states.frames[level], self.states.parents[level]
            if frame.loose:
                found += self._elsewhere(level, now, function)
            ways = [(self._search.since(back), back) for back in sorted(frame.backs)]
            interrupted = self.states.frames[level]
            if interrupted.function == SIGNAL:
                level = interrupted.before
                ways = [(self._search.after(last), 0) for last in interrupted.backs]
            if level == 0:
                return found
        return None

    def _at_level(
        self, level: int, place: int, ways: Ways, now: int, function: int
    ) -> list[Choice]:
        """Return how an access follows from a place in, or called by, a state's last call."""
        found = [self._choice(level, place, *one) for one in sorted(ways.at(now))]
        if ways.anything and self._may_begin(function, now):
            for one in sorted(ways.anything):
                before = self._choice(level, place, *one)
                within = before.calls[-1] if before.calls else self.states.frames[before.state]
                called = Frame(function, self._backs_in(within), loose=True)
                found.append(Choice(before.state, (*before.calls, called), before.new))
        return found

    def _unwound(self, level: int, now: int, function: int) -> list[Choice]:
        """Return how an access follows a jump or an exception that ends at a running function."""
        found: list[Choice] = []
        while level and self._search.unwinds:
            frame = self.states.frames[level]
            if frame.function >= 0:
                for place in self._search.resumed(self._functions.starts[frame.function]):
                    ways = self._search.since(place)
                    found += self._at_level(level, place, ways, now, function)
            level = self.states.parents[level]
            if frame.loose:
                found += self._elsewhere(level, now, function)
        return found

    def _choice(self, level: int, place: int, base: int, calls: Calls) -> Choice:
        frame, number = self.states.frames[level], self._functions.at
        called = tuple(Frame(number(at), frozenset([back]), False) for at, back in calls)
        first = number(base)
        if first == frame.function:
            return Choice(level, called)
        if not place or number(place) == frame.function:  # a tail call
            replaced = Frame(first, frame.backs, frame.loose)
            return Choice(self.states.parents[level], (replaced, *called))
        return Choice(level, (Frame(first, self._backs_in(frame), True), *called), new=False)

    def _elsewhere(self, level: int, now: int, function: int) -> list[Choice]:
        """Return how an access can be in code that an unknown call has led to."""
        frame = self.states.frames[level]
        if not self._may_begin(function, now) and self._is_on(level, function):
            return []
        if not (self._may_begin(function, now) or self._may_go_on(function, now)):
            return []
        new = not self._may_go_on(function, now)
        return [Choice(level, (Frame(function, self._backs_in(frame), True),), new)]

    def _is_on(self, state: int, function: int) -> bool:
        while state:
            if self.states.frames[state].function == function:
                return True
            state = self.states.parents[state]
        return False

    def _may_begin(self, function: int, now: int) -> bool:
        """Return whether an access can be the first of a function's."""
        ways = self._search.since(self._functions.starts[function])
        return any(not calls for _, calls in ways.at(now))

    def _may_go_on(self, function: int, now: int) -> bool:
        """Return whether an access can be the first after a call that a function made."""
        start, search = self._functions.starts[function], self._search
        backs = search.resumed(start) if search.unwinds else search.calls_of(start)
        return any(not calls for back in backs for _, calls in search.since(back).at(now))

    def _backs_in(self, frame: Frame) -> frozenset[int]:
        """Return where a call of any kind returns to in a function."""
        if frame.function < 0:
            return frozenset()
        return frozenset(self._search.calls_of(self._functions.starts[frame.function]))

    def _chosen(self, state: int, choices: list[Choice], function: int) -> Step:
        """Return what all choices have in common."""
        states = self.states
        base = reduce(states.common, (choice.state for choice in choices))
        if any(choice.state == base and not choice.calls for choice in choices):
            base = states.parents[base]  # so that each way has the access's function above it
        paths = [(*states.frames_from(base, one.state), *one.calls) for one in choices]
        names = {tuple(frame.function for frame in path) for path in paths}
        if len(names) > 1:
            return self._common(base, paths, function)
        stays = max((one.state for one in choices), key=lambda one: states.depths[one])
        exact = len({(one.state, len(one.calls)) for one in choices}) == 1
        kept, result = states.frames_from(base, stays), base
        for at, frames in enumerate(zip(*paths, strict=True)):
            backs = frozenset[int]().union(*(frame.backs for frame in frames))
            loose = kept[at].loose if at < len(kept) else any(frame.loose for frame in frames)
            result = states.push(result, Frame(frames[0].function, backs, loose))
        kept_state = result
        while states.depths[kept_state] > states.depths[stays]:
            kept_state = states.parents[kept_state]
        self._mark(base, result, exact)
        return Step(result, kept_state, exact, all(choice.new for choice in choices))

    def _common(self, base: int, paths: list[tuple[Frame, ...]], function: int) -> Step:
        """Keep the callers that all ways have, and the function of the access."""
        states, shared = self.states, 0
        shortest = min(len(path) for path in paths) - 1
        while shared < shortest and len({path[shared].function for path in paths}) == 1:
            backs = frozenset[int]().union(*(path[shared].backs for path in paths))
            first = paths[0][shared]
            base = states.push(base, Frame(first.function, backs, first.loose))
            shared += 1
        backs = frozenset[int]().union(*(path[-1].backs for path in paths))
        backs |= self._backs_in(states.frames[base])
        result = states.push(base, Frame(function, backs, loose=True))
        self._mark(base, result, exact=False)
        return Step(result, base, exact=False, new=False)

    def _mark(self, base: int, state: int, exact: bool) -> None:
        """Note that calls above a state may be more than are counted."""
        while state != base and not exact:
            self._tree.exact[self.states.nodes[state]] = False
            state = self.states.parents[state]

    def _jumped(self, state: int, function: int, *, first: bool) -> Step:
        """No way leads there: calls have ended without a return, or code that is not known ran."""
        frames, parents = self.states.frames, self.states.parents
        if first:
            return self._begun(state, function, new=True)
        while state and frames[state].function != function:
            state = parents[state]
        return Step(state, state, False) if state else self._begun(0, function, new=False)

    def _begun(self, state: int, function: int, *, new: bool) -> Step:
        """Code that is not known has called the function."""
        loose = self._functions.names[function] != "main"  # which the C library alone calls
        frame = Frame(function, self._backs_in(self.states.frames[state]), loose)
        result = self.states.push(state, frame)
        self._mark(state, result, exact=False)
        return Step(result, state, exact=False, new=new)


@dataclass(slots=True)
class Accesses:
    """One thread of which only accesses are known."""

    steps: Steps
    tree: Tree
    state: int = 0
    last: int = 0
    """Where its last access was; 0 where that is not known."""
    _interrupted: list[tuple[int, int]] = field(default_factory=list)
    """State and last access before each handler that runs."""

    def follow(self, rows: Array, where: Array, signals: dict[int, str], out: Output) -> Array:
        """Return the node of each of the thread's events; `where` has their functions.

        `signals` has the name of what begins at an event, or "" where a handler has returned.
        """
        states, result, start = self.steps.states, np.zeros(len(rows), "u4"), 0
        pcs, functions = rows["pc"].tolist(), where.tolist()
        gaps = set(np.flatnonzero(rows["kind"] == Kind.GAP).tolist())
        for at in self._places(rows, where, signals, gaps):
            before = self.state
            if at in gaps:
                self.last = 0
                self._go(at, Step(0, 0, exact=False), out)
            elif at in signals:
                self._signal(at, signals[at], out)
            else:
                step = self.steps.step(self.state, self.last, pcs[at], functions[at])
                self.last = pcs[at]
                if before not in (step.state, step.stays) or step.state != step.stays:
                    self._go(at, step, out)
            if self.state != before:
                result[start:at] = states.nodes[before]
                start = at
        result[start:] = states.nodes[self.state]
        return result

    def _places(
        self, rows: Array, where: Array, signals: dict[int, str], gaps: set[int]
    ) -> list[int]:
        own = (where != NOWHERE) & (rows["flags"] & int(Flag.HAS_PC) != 0)
        own &= np.isin(rows["kind"], (Kind.READ, Kind.WRITE, Kind.RESERVE, Kind.INSTRUCTION))
        own[1:] &= (rows["record"][1:] != rows["record"][:-1]) | (rows["pc"][1:] != rows["pc"][:-1])
        own[[*signals, *gaps]] = True
        places: list[int] = np.flatnonzero(own).tolist()
        return places

    def _signal(self, at: int, name: str, out: Output) -> None:
        states = self.steps.states
        if name:
            self._interrupted.append((self.state, self.last))
            before = self._outside(name)
            last = 0 if before != self.state else self.last
            stays = self.steps.surely(before, last)
            place = frozenset([last] if last else [])
            state = states.push(stays, Frame(SIGNAL, place, True, before), name)
            self._go(at, Step(state, stays, exact=True), out)
            self.last = 0
        elif self._interrupted:
            state, self.last = self._interrupted.pop()
            self._go(at, Step(state, state, exact=True), out)

    def _outside(self, name: str) -> int:
        """Return the state without a handler of the same signal, which was blocked in it."""
        states, state = self.steps.states, self.state
        while state:
            node = states.nodes[state]
            if states.frames[state].function == SIGNAL and self.tree.names[node] == name:
                return states.parents[state]
            state = states.parents[state]
        return self.state

    def _go(self, at: int, step: Step, out: Output) -> None:
        """End the calls that do not stay and begin the new ones.

        What a handler may have interrupted, and goes on after it, does not count once more.
        """
        states, tree = self.steps.states, self.tree
        stays, now = states.depths[step.stays], states.nodes[step.state]
        kept = min(stays, tree.shared(states.nodes[self.state], now))
        for node in reversed(tree.chain(states.nodes[self.state])[kept:]):
            out.leave(at, node)
        for depth, node in enumerate(tree.chain(now)[kept:], kept):
            out.enter(at, node, counted=step.new and depth >= stays)
        self.state = step.state
