"""The calls of a trace, batch by batch: the place of each event in the tree of calls."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from inst.calls import system_names
from inst.calltree.accesses import Accesses, Steps
from inst.calltree.code import Code
from inst.calltree.entries import Entries
from inst.calltree.functions import Functions
from inst.calltree.instructions import NONE, Instructions, executed, transfers
from inst.calltree.tree import Move, Output, Taken, Tree
from inst.calltree.ways import Search
from inst.program.program import Locator, Program
from inst.trace import system_events
from inst.trace.model import Array, Kind, Trace

ENTRIES, INSTRUCTIONS, ACCESSES = "entries", "instructions", "accesses"
THREADS = 1 << 13
"""Threads whose calls are followed."""
_NOTES = {
    ACCESSES: "calls are what the program's code and its accesses show with certainty: functions "
    "without accesses may be missing, and marked counts (+) are least counts; "
    "--inst-functions records every call",
    "pcs": "the program does not say where its accesses are: functions are shown without callers",
    "nothing": "name the program to know functions: --program ELF",
}

Follower = Entries | Instructions | Accesses


class Calls:
    """The calls of all threads of a trace, as far as its events have been taken.

    `programs` are the program and its libraries, as paths or open; without any, functions have
    their addresses as names. `demangle`: C++ names as they were declared. `lenient`: damage in
    a program goes to `locator.failures`, instead of being raised.
    """

    def __init__(
        self,
        trace: Trace,
        programs: Sequence[str | Program] = (),
        *,
        demangle: bool = True,
        lenient: bool = True,
    ) -> None:
        self._trace = trace
        self.locator = (
            Locator(programs, trace, lenient=lenient, demangle=demangle) if programs else None
        )
        self.tree = Tree()
        self.functions = Functions(self.locator)
        self.how = ""
        """What calls are known by: ENTRIES, INSTRUCTIONS, ACCESSES, or "" before any was."""
        self._reporting: set[int] = set()
        self._steps: Steps | None = None
        self._code: Code | None = None
        self._threads: dict[int, Follower] = {}

    @property
    def exact(self) -> bool:
        """Whether all calls of what was compiled for it are known."""
        return self.how in (ENTRIES, INSTRUCTIONS)

    def note(self) -> str:
        """Return what is not known about the calls, as a sentence; "" if all is."""
        if self.exact:
            return ""
        if not self.functions.known:
            return _NOTES["nothing"]
        return _NOTES["accesses" if self._code and self._code.has_sites() else "pcs"]

    def take(self, rows: Array) -> Taken:
        """Return in which call each of the next events of the trace was made."""
        self._settle(rows)
        nodes, moves = np.zeros(len(rows), "u4"), list[Move]()
        where = self.functions.column(rows["pc"])
        signals = self._signals(rows)
        for thread in np.unique(rows["thread"]).tolist():
            before, follower = self._threads.get(thread), self._follower(thread)
            if follower is None:
                continue
            own = np.flatnonzero(rows["thread"] == thread)
            out = Output(self.tree, thread, own, moves)
            if before is not None and before is not follower:
                for node in reversed(self.tree.chain(self._node(before))):
                    out.leave(0, node)
            some = rows[own]
            if isinstance(follower, Instructions):
                nodes[own] = follower.follow(some, where[own], out)
                continue
            at = np.searchsorted(own, np.array(list(signals), "i8"))
            mine = {
                int(place): name
                for place, (row, name) in zip(at, signals.items(), strict=True)
                if place < len(own) and own[place] == row
            }
            nodes[own] = follower.follow(some, where[own], mine, out)
        return Taken(nodes, moves)

    def open_calls(self) -> list[Move]:
        """Return an end for each call that is not over, as moves at row 0."""
        return [
            Move(0, thread, node, enters=False)
            for thread, follower in self._threads.items()
            for node in reversed(self.tree.chain(self._node(follower)))
        ]

    def _node(self, follower: Follower) -> int:
        if isinstance(follower, Accesses):
            return follower.steps.states.nodes[follower.state]
        return follower.node

    def _settle(self, rows: Array) -> None:
        """Learn which programs are loaded, and by what the trace shows calls."""
        if self.functions.settle(len(self._trace.facts.images)) and self.locator:
            self._code = Code(self.locator, self.functions, self._trace.facts.arch)
            self._steps = Steps(self.tree, self.functions, Search(self._code))
        if self.how in ("", ACCESSES):
            self.how = self._shown_by(rows) or self.how

    def _shown_by(self, rows: Array) -> str:
        kinds = rows["kind"]
        if (kinds == Kind.ENTER).any():
            return ENTRIES
        ran = executed(rows)
        if len(ran) and (transfers(rows[ran], self._trace.facts.arch) != NONE).any():
            return INSTRUCTIONS
        return ACCESSES if np.isin(kinds, (Kind.READ, Kind.WRITE)).any() else ""

    def _follower(self, thread: int) -> Follower | None:
        found = self._threads.get(thread)
        if self.how == ENTRIES and not isinstance(found, Entries):
            unwinds = self._code is not None and self._code.unwinds()
            found = Entries(self.tree, self.functions, self._reporting, unwinds=unwinds)
        elif self.how == INSTRUCTIONS and not isinstance(found, Instructions):
            found = Instructions(self.tree, self.functions, self._trace.facts.arch)
        elif self.how == ACCESSES and self._steps is not None and not self._is_present(found):
            found = Accesses(self._steps, self.tree)
        if found is None or (thread not in self._threads and len(self._threads) >= THREADS):
            return None
        self._threads[thread] = found
        return found

    def _is_present(self, follower: Follower | None) -> bool:
        """Return whether a thread is followed by the programs that are loaded now."""
        return isinstance(follower, Accesses) and follower.steps is self._steps

    def _signals(self, rows: Array) -> dict[int, str]:
        """Return the name of each signal that a handler got, and "" where one has returned."""
        arch = self._trace.facts.arch
        begun = system_events.signals(rows, self._trace)
        back = (rows["kind"] == Kind.OTHER) & np.isin(
            rows["detail"], self._trace.words.beginning(system_events.BACK)
        )
        return {
            at: system_names.signal(arch, int(rows["value"][at])) if begun[at] else ""
            for at in np.flatnonzero(begun | back).tolist()
        }
