"""Calls from every instruction: calls and returns by their words, matched by return addresses.

A jump into another function is a tail call, unless it leads back into a function that is running:
then calls have ended without a return (longjmp, an exception). What comes without any transfer has
interrupted the program.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from inst.arch.registry import local_entry
from inst.calltree.functions import NOWHERE, Functions
from inst.calltree.tree import ROOT, Output, Tree
from inst.trace.model import Array, Flag, Kind
from inst.words.decode import transfers_of, words_of

NONE, JUMP, CALL, RETURN = range(4)
_NOT_RUN = int(Flag.ANNULLED | Flag.TRAPPED)


@dataclass(frozen=True, slots=True)
class Frame:
    """A call that is not over."""

    function: int
    back: int
    """Where it returns to; 0 if that is not known."""
    node: int


@dataclass(slots=True)
class Instructions:
    """One thread that is recorded instruction by instruction."""

    tree: Tree
    functions: Functions
    arch: str
    frames: list[Frame] = field(default_factory=list)
    _last: tuple[int, int] = (0, NONE)
    """The pc and the transfer of the last instruction."""
    _before: tuple[int, int] = (0, NONE)
    """Of the one before it: its delay slot is the last one."""

    @property
    def node(self) -> int:
        """The innermost call's."""
        return self.frames[-1].node if self.frames else ROOT

    def follow(self, rows: Array, where: Array, out: Output) -> Array:
        """Return the node of each of the thread's events; `where` has their functions."""
        result = np.zeros(len(rows), "u4")
        places = executed(rows)
        pcs, what = rows["pc"][places], transfers(rows[places], self.arch)
        start = 0
        for number in self._jumps(pcs, what, where[places]).tolist():
            at = int(places[number])
            result[start:at] = self.node
            start = at
            cause = self._cause(number, pcs, what)
            self._arrive(at, int(pcs[number]), int(where[at]), cause, out)
        result[start:] = self.node
        if len(pcs):
            self._before = (int(pcs[-2]), int(what[-2])) if len(pcs) > 1 else self._last
            self._last = int(pcs[-1]), int(what[-1])
        return result

    def _jumps(self, pcs: Array, what: Array, where: Array) -> Array:
        """Return which instructions do not follow the one before, or follow a transfer.

        A tail call may lead to the function that comes next in memory.
        """
        if not len(pcs):
            return np.zeros(0, "i8")
        earlier = np.concatenate([np.array([self._last[0]], "u8"), pcs[:-1]])
        before = np.array([self._before[1], self._last[1]], "u1")
        if words_of(self.arch).delay_slots:
            caused = np.concatenate([before, what[:-2]])[: len(pcs)] != NONE
            called = np.zeros(len(pcs), bool)
        else:
            caused = np.concatenate([before[1:], what[:-1]])
            called, caused = caused == CALL, caused != NONE
        jumps = (pcs != earlier + np.uint64(4)) | called
        jumps[1:] |= caused[1:] & (where[1:] != where[:-1])
        if not self.frames:
            jumps[0] = True
        return np.flatnonzero(jumps)

    def _cause(self, number: int, pcs: Array, what: Array) -> tuple[int, int]:
        """Return the pc and the kind of the transfer that led to an instruction."""
        back = 1 + words_of(self.arch).delay_slots
        for distance in dict.fromkeys((back, 1)):
            place = number - distance
            earlier = {-1: self._last, -2: self._before}
            found = (int(pcs[place]), int(what[place])) if place >= 0 else earlier[place]
            if found[1] != NONE:
                return found
        return 0, NONE

    def _arrive(self, at: int, pc: int, function: int, cause: tuple[int, int], out: Output) -> None:
        """The program is at an instruction that does not follow the one before."""
        source, kind = cause
        here = self.functions.at_entry(pc) if function == NOWHERE else function
        if not self.frames or kind == CALL:
            back = source + 4 + 4 * words_of(self.arch).delay_slots if kind == CALL else 0
            if (
                pc != back
            ):  # SPARC reads its own address by a call of the instruction after the slot
                self._push(at, here, back, out)
            return
        if kind in (JUMP, RETURN) and self.functions.is_landing_pad(pc):
            self._cut(at, self._caught(pc, here), out)
            return
        # A jump within a function may lead to where a call of an outer one returns to.
        if kind == RETURN or (kind == JUMP and self.functions.at(source) != function):
            for depth in range(len(self.frames) - 1, -1, -1):
                if self.frames[depth].back == pc:
                    self._cut(at, depth, out)
                    return
        if function in (self.frames[-1].function, NOWHERE):
            return
        for depth in range(len(self.frames) - 1, 0, -1):
            if self.frames[depth - 1].function == function and kind != NONE:
                if not self._is_entry(pc, function):
                    self._cut(at, depth, out)
                    return
                break
        if kind == NONE:
            self._interrupt(at, here, out)
            return
        back = self.frames[-1].back
        self._cut(at, len(self.frames) - 1, out)
        self._push(at, here, back, out)

    def _is_entry(self, pc: int, function: int) -> bool:
        """Return whether a call of a function leads to an address."""
        return pc - self.functions.starts[function] in (0, local_entry(self.arch))

    def _caught(self, pc: int, function: int) -> int:
        """Return how many frames are left where an exception goes on at a landing pad.

        That is the innermost one whose call has its landing pad there.
        """
        for depth in range(len(self.frames) - 1, 0, -1):
            if self.functions.landing_pad(self.frames[depth].back) == pc:
                return depth
        for depth in range(len(self.frames), 0, -1):
            if self.frames[depth - 1].function == function:
                return depth
        return len(self.frames)

    def _interrupt(self, at: int, function: int, out: Output) -> None:
        """Without a transfer the program is elsewhere: interrupted, or back from that."""
        for depth in range(len(self.frames), 0, -1):
            if self.frames[depth - 1].function == function:
                self._cut(at, depth, out)
                return
        self._push(at, function, 0, out)

    def _push(self, at: int, function: int, back: int, out: Output) -> None:
        node = self.tree.child(self.node, self.functions.names[function])
        self.frames.append(Frame(function, back, node))
        out.enter(at, node)

    def _cut(self, at: int, depth: int, out: Output) -> None:
        while len(self.frames) > depth:
            out.leave(at, self.frames.pop().node)


def executed(rows: Array) -> Array:
    """Return which events are instructions of the program that ran, each once."""
    flags = rows["flags"]
    own = flags & int(Flag.HAS_PC | Flag.HAS_WORD) == int(Flag.HAS_PC | Flag.HAS_WORD)
    own &= flags & int(Flag.PRIVILEGED) == 0
    own &= np.isin(rows["kind"], (Kind.READ, Kind.WRITE, Kind.INSTRUCTION, Kind.RESERVE))
    own[1:] &= rows["record"][1:] != rows["record"][:-1]
    places: Array = np.flatnonzero(own)
    return places


def transfers(rows: Array, arch: str) -> Array:
    """Return of each instruction whether it is a call, return or other jump that happened."""
    found = transfers_of(rows["word"], rows["pc"], arch)
    flags = rows["flags"]
    done = found.is_transfer & (flags & _NOT_RUN == 0)
    done &= ~found.is_conditional | (flags & int(Flag.TAKEN) != 0)
    kinds = np.where(found.is_call, CALL, np.where(found.is_return, RETURN, JUMP))
    hands_on = words_of(arch).hand_on
    if hands_on and len(rows):  # a call is a tail call by the instruction in its slot
        slot = np.append(hands_on(rows["word"][1:].astype("u4")), False)
        kinds = np.where((kinds == CALL) & slot, JUMP, kinds)
    result: Array = np.where(done, kinds, NONE).astype("u1")
    return result
