"""Calls from the events of functions: each entry and exit, matched by the stack pointer.

A function that ends by longjmp or an exception has no exit. Its call is over when another begins or
ends at the same or a higher stack pointer, or when the program is back in a function further out.
A handler of a signal may run on another stack: what the signal interrupted is over only when the
handler has returned, or when a function that it interrupted goes on.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field

import numpy as np

from inst.calltree.functions import NOWHERE, Functions
from inst.calltree.tree import ROOT, Output, Tree
from inst.trace.model import Array, Flag, Kind

REACH = 4096
"""Events in which the exit is looked for that belongs to an entry."""
MOST = (1 << 64) - 1
"""The highest stack pointer."""
SIGNAL = -2
"""Stands for the function of an interruption."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A call that is not over."""

    function: int
    """Its number, or SIGNAL."""
    stack: int
    """The stack pointer at its entry; of an interruption, 0."""
    back: int
    """Its return address; of what has no entry, 0."""
    node: int
    reported: bool
    """Whether the function has events of its own; else its accesses show it."""


@dataclass(slots=True)
class Entries:
    """One thread whose functions have events."""

    tree: Tree
    functions: Functions
    reporting: set[int]
    """Functions that have events, of all threads."""
    frames: list[Frame] = field(default_factory=list)
    unwinds: bool = False
    """Whether the program may throw exceptions: what the C++ library calls then does not show by
    its stack pointer which calls are over."""
    handed_on: int = 0
    """The return address of a handler that was just left: a tail call has the same."""
    _changes: list[int] = field(default_factory=list)
    """The events of the batch at which the call may be another one."""

    @property
    def node(self) -> int:
        """The innermost call's."""
        return self.frames[-1].node if self.frames else ROOT

    def follow(self, rows: Array, where: Array, signals: dict[int, str], out: Output) -> Array:
        """Return the node of each of the thread's events; `where` has their functions.

        `signals` has the name of what begins at an event, or "" where a handler has returned.
        """
        kinds, stacks, values = rows["kind"], rows["address"], rows["value"]
        result = np.zeros(len(rows), "u4")
        start = 0
        self._changes = self._find_changes(rows, where, signals)
        for at in self._changes:
            result[start:at] = self.node
            start = at
            if not (kinds[at] == Kind.ENTER and values[at] == self.handed_on):
                self._handler_returned(at, out)
            if at in signals:
                self._signal(at, signals[at], out)
            elif kinds[at] == Kind.ENTER:
                self._enter(at, rows, where, out)
            elif kinds[at] == Kind.LEAVE:
                function = self.functions.at_entry(int(values[at]))
                result[at] = self._leave(at, function, int(stacks[at]), out)
                start = at + 1
            else:
                self._access(at, rows, where, out)
        result[start:] = self.node
        return result

    def _find_changes(self, rows: Array, where: Array, signals: dict[int, str]) -> list[int]:
        """Return the events at which the call may be another one."""
        own = (rows["kind"] == Kind.ENTER) | (rows["kind"] == Kind.LEAVE)
        own[list(signals)] = True
        known = np.flatnonzero((where != NOWHERE) & (rows["flags"] & int(Flag.HAS_PC) != 0))
        changed = np.ones(len(known), bool)
        before = own[known[:-1]] if len(known) else changed
        changed[1:] = (where[known[1:]] != where[known[:-1]]) | before
        own[known[changed]] = True
        places: list[int] = np.flatnonzero(own).tolist()
        return places

    def _signal(self, at: int, name: str, out: Output) -> None:
        if name:
            node = self.tree.child(self.node, name)
            self._push(at, Frame(SIGNAL, 0, 0, node, reported=True), out)
            return
        last = [n for n, frame in enumerate(self.frames) if frame.function == SIGNAL]
        if last:
            self._cut(at, last[-1], out)

    def _handler_returned(self, at: int, out: Output) -> None:
        """What a handler interrupted goes on, if the handler was left and calls nothing more."""
        if self.handed_on and self.frames and self.frames[-1].function == SIGNAL:
            self._cut(at, len(self.frames) - 1, out)
        self.handed_on = 0

    def _enter(self, at: int, rows: Array, where: Array, out: Output) -> None:
        row = rows[at]
        function, stack = self.functions.at_entry(int(row["pc"])), int(row["address"])
        caller = self.functions.at(int(row["value"]))
        self.reporting.add(function)
        kept = self._kept(caller, stack)
        unsure = self.unwinds and kept and self.frames[kept - 1].function not in (caller, SIGNAL)
        if unsure and (end := self._exit(at, rows)):
            kept = min(kept, self._goes_on(end + 1, rows, where))
        self._cut(at, kept, out)
        direct = not self.functions.known or not self.frames or self._calls(caller)
        node = self.tree.child(self.node, self.functions.names[function], direct=direct)
        self._push(at, Frame(function, stack, int(row["value"]), node, reported=True), out)

    def _exit(self, at: int, rows: Array) -> int:
        """Return the event of the exit that belongs to an entry; 0 if it is not near.

        It is looked for in the batch of the entry.
        """
        span = rows[at : at + REACH]
        own = (span["kind"] == Kind.LEAVE) & (span["address"] == rows["address"][at])
        exits = np.flatnonzero(own & (span["value"] == rows["pc"][at]))
        return at + int(exits[0]) if len(exits) else 0

    def _goes_on(self, at: int, rows: Array, where: Array) -> int:
        """Return how many frames there are up to the one that runs at an event.

        Accesses show its function, and the next entry or exit by its stack pointer which call
        of that it is. Without these it is taken for the innermost one.
        """
        running, most = NOWHERE, at + REACH
        first = bisect.bisect_left(self._changes, at)
        for number in range(first, len(self._changes)):
            place = self._changes[number]
            if place < at:
                continue
            kind, function = rows["kind"][place], int(where[place])
            stack = int(rows["address"][place])
            if place >= most:
                break
            if kind == Kind.LEAVE:
                function = self.functions.at_entry(int(rows["value"][place]))
                found = self._depth(function, stack, stack)
            elif kind == Kind.ENTER:
                function = self.functions.at(int(rows["value"][place]))
                found = self._depth(function, stack + 1)
                if not found and (end := self._exit(place, rows)):
                    at = end + 1  # other code has called it, and is back then
                    continue
            else:
                found = 0
                if running == NOWHERE and self._depth(function):
                    running = function
                    continue
            if found and running in (NOWHERE, function):
                return found
            break
        return self._depth(running) or len(self.frames)

    def _depth(self, function: int, least: int = 0, most: int = MOST) -> int:
        """Return how many frames there are up to a function's last one; 0 if there is none.

        `least` and `most`: of its stack pointer.
        """
        for depth in range(len(self.frames), 0, -1):
            frame = self.frames[depth - 1]
            if frame.function == function and least <= frame.stack <= most:
                return depth
        return 0

    def _is_recursive(self, function: int) -> bool:
        """Return whether a function runs more than once."""
        return sum(frame.function == function for frame in self.frames) > 1

    def _calls(self, caller: int) -> bool:
        """Return whether the innermost call is the place from which another one is made."""
        return self.frames[-1].function in (caller, SIGNAL)

    def _kept(self, caller: int, stack: int) -> int:
        """Return how many frames stay when a function is entered."""
        bottom = self._bottom()
        if caller in self.reporting and caller not in self._functions_above(bottom):
            for depth in range(bottom - 1, 0, -1):  # a handler was left by a jump
                frame = self.frames[depth - 1]
                if frame.function == caller and frame.stack > stack:
                    return depth
        depth = len(self.frames)
        while depth > bottom and self._is_over(self.frames[depth - 1], caller, stack):
            depth -= 1
        return depth

    def _bottom(self) -> int:
        """Return how many frames are below the last interruption, itself included."""
        marks = [n + 1 for n, frame in enumerate(self.frames) if frame.function == SIGNAL]
        return marks[-1] if marks else 0

    def _functions_above(self, bottom: int) -> set[int]:
        return {frame.function for frame in self.frames[bottom:]}

    def _is_over(self, frame: Frame, caller: int, stack: int) -> bool:
        return frame.stack <= stack if frame.reported else frame.function != caller

    def _leave(self, at: int, function: int, stack: int, out: Output) -> int:
        """End calls down to the one that is left; return the node of the event itself."""
        self.reporting.add(function)
        for depth in range(len(self.frames) - 1, -1, -1):
            frame = self.frames[depth]
            if frame.function == function and frame.stack == stack:
                self._cut(at, depth + 1, out)
                del self.frames[depth]
                if depth and self.frames[depth - 1].function == SIGNAL:
                    self.handed_on = frame.back
                out.leave(at, frame.node)
                return frame.node
        return self.node

    def _access(self, at: int, rows: Array, where: Array, out: Output) -> None:
        """An access is in a function: it may have no events, or what it called is over."""
        function = int(where[at])
        if self.unwinds and self._is_recursive(function):
            # An exception may have ended calls of the same function.
            self._cut(at, self._goes_on(at, rows, where), out)
        if self.frames and self.frames[-1].function == function:
            return
        if function in self.reporting:
            for depth in range(len(self.frames), 0, -1):
                if self.frames[depth - 1].function == function:
                    self._cut(at, depth, out)
                    return
            if self.frames:
                return
        depth = len(self.frames)
        while depth and not self.frames[depth - 1].reported:
            depth -= 1
        self._cut(at, depth, out)
        node = self.tree.child(self.node, self.functions.names[function], direct=False)
        self.tree.exact[node] = False
        self._push(at, Frame(function, 0, 0, node, reported=False), out)

    def _push(self, at: int, frame: Frame, out: Output) -> None:
        self.frames.append(frame)
        out.enter(at, frame.node)

    def _cut(self, at: int, depth: int, out: Output) -> None:
        """End the innermost calls until so many are left."""
        while len(self.frames) > depth:
            out.leave(at, self.frames.pop().node)
