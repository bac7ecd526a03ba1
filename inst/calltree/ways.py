"""Where a program may be at its next reported access: all ways through code without one."""

from __future__ import annotations

from dataclasses import dataclass, field

from inst.calltree.code import Body, Code, Step, Stop

MOST_STATES = 4000
"""Places that are looked at on the ways from one access; beyond, nothing is known."""
MOST_CALLS = 8
"""Calls in one another between two accesses."""

Calls = tuple[tuple[int, int], ...]
"""Functions that were called, the outermost first: entry point, and where each returns to."""


@dataclass(frozen=True, slots=True)
class State:
    """A place on the way, and the calls since its beginning."""

    pc: int
    base: int
    """Entry point of the function on the level of the beginning: tail calls change it."""
    calls: Calls


@dataclass(slots=True)
class Ways:
    """What can follow a place in a program."""

    sites: dict[int, set[tuple[int, Calls]]] = field(default_factory=dict)
    """By site: the function on the level of the beginning, and the calls from there."""
    returns: bool = False
    """The function of the beginning may return."""
    anything: set[tuple[int, Calls]] = field(default_factory=set)
    """From where, as in `sites`, code that is not known may be called."""
    unknown: bool = False
    """There are too many ways."""

    def at(self, site: int) -> set[tuple[int, Calls]]:
        """Return how a site can be the first one."""
        return self.sites.get(site, set())


class Search:
    """Ways from places in the code; each is looked for once."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._found: dict[int, Ways] = {}
        self.unwinds = code.unwinds()
        """Whether calls may end without a return: by exceptions or longjmp."""

    def after(self, site: int) -> Ways:
        """Return what can follow an access."""
        body = self._code.body(site)
        before = body.stops.get(site - 4) if body and self._code.slots else None
        if body is None or before is None or before.step == Step.SITE:
            return self.since(site + 4)
        if site not in self._found:
            ways = Ways()
            state = State(site - 4, body.start, ())
            self._found[site] = self._walk(self._on(state, body, before, ways), ways)
        return self._found[site]

    def since(self, pc: int) -> Ways:
        """Return what can follow from an address on, itself included."""
        key = pc + 1
        if key not in self._found:
            body = self._code.body(pc)
            begin = [State(pc, body.start, ())] if body else []
            self._found[key] = self._walk(begin, Ways())
        return self._found[key]

    def calls_of(self, pc: int) -> list[int]:
        """Return where the calls that the function around an address makes return to."""
        body, length = self._code.body(pc), 4 + 4 * self._code.slots
        stops = body.stops.items() if body else ()
        return [place + length for place, stop in stops if stop.step == Step.CALL]

    def resumed(self, pc: int) -> list[int]:
        """Return where a function may go on when what it called ended without a return.

        That is after setjmp, or at a landing pad: after code that does not go on there.
        """
        cold = self._code.functions.cold.get(self._code.functions.at(pc), [])
        found = list(cold)
        for part in (pc, *cold):
            body = self._code.body(part)
            for place, stop in body.stops.items() if body else ():
                if stop.step != Step.SITE and not (stop.conditional and stop.step == Step.JUMP):
                    found.append(place + 4 + 4 * self._code.slots)
        return found

    def _walk(self, begin: list[State], ways: Ways) -> Ways:
        waiting, seen = list(begin), set(begin)
        while waiting:
            for state in self._next(waiting.pop(), ways):
                if state not in seen:
                    seen.add(state)
                    waiting.append(state)
            if len(seen) > MOST_STATES:
                ways.unknown = True
                break
        return ways

    def _next(self, state: State, ways: Ways) -> list[State]:
        """Note what is at a state's next stop, and return where it may go on."""
        body = self._code.body(state.pc)
        if body is None:
            return []
        place = body.next(state.pc)
        if not place:
            return self._tail(state, body.end, ways)  # it goes on in the next function
        stop = body.stops[place]
        if stop.step == Step.SITE:
            ways.sites.setdefault(place, set()).add((state.base, state.calls))
            return []
        slot = place + 4 * self._code.slots
        if slot != place and slot in body.stops and body.stops[slot].step == Step.SITE:
            ways.sites.setdefault(slot, set()).add((state.base, state.calls))
            return []
        here = State(place, state.base, state.calls)
        return self._on(here, body, stop, ways)

    def _on(self, state: State, body: Body, stop: Stop, ways: Ways) -> list[State]:
        after = state.pc + 4 + 4 * self._code.slots
        found = [self._at(state, after)] if stop.conditional or stop.step == Step.CALL else []
        if stop.conditional and self._code.slots:
            found.append(self._at(state, state.pc + 4))
        if stop.step == Step.RETURN:
            return found + self._returned(state, ways)
        if stop.step == Step.CALL:
            return self._called(state, stop, after, ways, stop.conditional)
        if not stop.target:
            return found + self._anywhere(state, body, ways)
        inside = body.start <= stop.target < body.end
        return found + (
            [self._at(state, stop.target)] if inside else self._tail(state, stop.target, ways)
        )

    def _at(self, state: State, pc: int) -> State:
        return State(pc, state.base, state.calls)

    def _returned(self, state: State, ways: Ways) -> list[State]:
        if not state.calls:
            ways.returns = True
            return []
        return [State(state.calls[-1][1], state.base, state.calls[:-1])]

    def _called(self, state: State, stop: Stop, after: int, ways: Ways, maybe: bool) -> list[State]:
        callee = self._code.body(stop.target) if stop.target else None
        if callee is None or not self._code.is_ours(callee):
            ways.anything.add((state.base, state.calls))
            return [self._at(state, after)]
        if len(state.calls) >= MOST_CALLS:
            ways.unknown = True
            return []
        called = State(stop.target, state.base, (*state.calls, (callee.start, after)))
        return [called, *([self._at(state, after)] if maybe else [])]

    def _tail(self, state: State, target: int, ways: Ways) -> list[State]:
        """Go on in another function, which returns to where this one would have."""
        callee = self._code.body(target)
        if callee is None or not self._code.is_ours(callee):
            ways.anything.add((state.base, state.calls))
            return self._returned(state, ways)
        if self._code.functions.at(callee.start) == self._code.functions.at(state.pc):
            return [self._at(state, target)]  # its cold part, or back
        if not state.calls:
            return [State(target, callee.start, ())]
        calls = (*state.calls[:-1], (callee.start, state.calls[-1][1]))
        return [State(target, state.base, calls)]

    def _anywhere(self, state: State, body: Body, ways: Ways) -> list[State]:
        """A jump through a register: a switch of the function, or a tail call of any other."""
        ways.anything.add((state.base, state.calls))
        for site in body.sites:
            ways.sites.setdefault(site, set()).add((state.base, state.calls))
        calls = [
            self._at(state, place) for place, stop in body.stops.items() if stop.step != Step.SITE
        ]
        return calls + self._returned(state, ways)
