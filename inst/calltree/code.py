"""The code of the programs as it was loaded: where it goes on, function by function.

Of each function only what matters for control is remembered: accesses that traces report, and
transfers. Calls of the hook library's entries are nothing of the program's.
"""

from __future__ import annotations

import bisect
import enum
from dataclasses import dataclass, field

import numpy as np

from inst.arch.registry import is_little
from inst.calltree.functions import Functions
from inst.program.program import Locator, Program
from inst.program.sitetable import WITHOUT_ACCESS
from inst.words.access import BOTH
from inst.words.decode import accesses_of, instructions_of, transfers_of, words_of

WALKED = 256
"""Bytes of a function without sites that is looked through; larger ones are taken for others'."""
_OWN, _WRAPPERS = "inst.", "inst.wrap."


class Step(enum.IntEnum):
    """What an instruction does."""

    SITE = enum.auto()
    CALL = enum.auto()
    JUMP = enum.auto()
    RETURN = enum.auto()


@dataclass(frozen=True, slots=True)
class Stop:
    """An instruction at which more than going on can happen."""

    step: Step
    target: int
    """Where a call or jump goes; 0 where the word does not hold it."""
    conditional: bool
    """Whether the next instruction may follow."""


@dataclass(frozen=True, slots=True)
class Body:
    """The code of a function."""

    start: int
    end: int
    places: list[int]
    """Addresses of its stops, ascending."""
    stops: dict[int, Stop]
    sites: list[int]

    def next(self, pc: int) -> int:
        """Return the first stop from an address on; 0 if there is none."""
        at = bisect.bisect_left(self.places, pc)
        return self.places[at] if at < len(self.places) else 0


@dataclass(slots=True)
class Code:
    """The bodies of functions, read at their first use."""

    locator: Locator
    functions: Functions
    arch: str
    _bodies: dict[int, Body | None] = field(default_factory=dict)
    _sites: dict[int, list[int]] = field(default_factory=dict)
    """By program: the link-time addresses of accesses that are reported."""
    _texts: dict[int, list[tuple[int, bytes]]] = field(default_factory=dict)

    @property
    def slots(self) -> int:
        """Instructions after a transfer that are executed before its target."""
        return words_of(self.arch).delay_slots

    def body(self, pc: int) -> Body | None:
        """Return the code around an address; None where it is in no function of a program."""
        start, end = self.functions.extent(pc)
        if start == 0:
            return None
        if start not in self._bodies:
            self._bodies[start] = self._read(start, end)
        return self._bodies[start]

    def has_sites(self) -> bool:
        """Return whether any program says where its accesses are."""
        return any(self._sites_of(program) for program, _ in self.locator.loaded())

    def unwinds(self) -> bool:
        """Return whether a program has landing pads of exceptions, or calls setjmp."""
        programs = [program for program, _ in self.locator.loaded()]
        return any(
            program.section(".gcc_except_table") is not None or program.uses("setjmp")
            for program in programs
        )

    def is_ours(self, body: Body | None) -> bool:
        """Return whether a function is looked through when it is called."""
        if body is None or self.name(body.start).startswith(_OWN):
            return False
        return bool(body.sites) or body.end - body.start <= WALKED

    def name(self, pc: int) -> str:
        """Return the name of the function an address is in."""
        place = self.locator(pc)
        return (place.symbol or place.function) if place else ""

    def _read(self, start: int, end: int) -> Body | None:
        for program, bias in self.locator.loaded():
            for first, text in self._sections(program):
                if first <= start - bias and end - bias <= first + len(text):
                    offset = start - bias - first
                    words = np.frombuffer(text[offset : offset + (end - start & -4)], self._dtype())
                    linked = self._sites_of(program)
                    low, high = (bisect.bisect_left(linked, at - bias) for at in (start, end))
                    return self._body(start, end, words, [one + bias for one in linked[low:high]])
        return None

    def _dtype(self) -> str:
        return "<u4" if is_little(self.arch) else ">u4"

    def _sections(self, program: Program) -> list[tuple[int, bytes]]:
        if id(program) not in self._texts:
            found = (program.section(name) for name in (".text", ".init", ".fini"))
            self._texts[id(program)] = [(start, text) for text, start in filter(None, found)]
        return self._texts[id(program)]

    def _sites_of(self, program: Program) -> list[int]:
        if id(program) not in self._sites:
            self._sites[id(program)] = [
                site.address
                for site in program.sites()
                if site.event not in ("unreported", *WITHOUT_ACCESS)
            ]
        return self._sites[id(program)]

    def _body(self, start: int, end: int, words: np.ndarray, sites: list[int]) -> Body:
        addresses = np.arange(len(words), dtype="u8") * np.uint64(4) + np.uint64(start)
        found = transfers_of(words, addresses, self.arch)
        hands_on = words_of(self.arch).hand_on
        tail = np.append(hands_on(words[1:].astype("u4")), False) if hands_on else None
        stops = {}
        for at in np.flatnonzero(found.is_transfer & ~found.is_never).tolist():
            target = int(found.target[at]) if found.is_direct[at] else 0
            step = Step.RETURN if found.is_return[at] else Step.JUMP
            if found.is_call[at]:
                if self._is_probe(target, start + 4 * at):
                    continue
                step = Step.CALL if tail is None or not tail[at] else Step.JUMP
            if step == Step.JUMP and self._is_entry(target):
                step = Step.RETURN  # restores the window, and returns
            stops[start + 4 * at] = Stop(step, target, bool(found.is_conditional[at]))
        what, _ = accesses_of(instructions_of(words, self.arch), self.arch)
        # The linker makes additions of some loads of addresses: these report nothing.
        sites = [site for site in sites if what[(site - start) // 4] & BOTH]
        stops |= {site: Stop(Step.SITE, 0, True) for site in sites}
        return Body(start, end, sorted(stops), stops, sites)

    def _is_probe(self, target: int, pc: int) -> bool:
        """Return whether a call only reports something, or reads its own address."""
        return self._is_entry(target) or (self.slots > 0 and target == pc + 8)

    def _is_entry(self, target: int) -> bool:
        """Return whether an address is in the hook library's glue."""
        name = self.name(target) if target else ""
        return name.startswith(_OWN) and not name.startswith(_WRAPPERS)
