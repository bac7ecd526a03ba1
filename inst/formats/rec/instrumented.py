"""The instrumented code of a recording for re-execution, and what is known of its instructions."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right

import numpy as np

from inst.arch.registry import architecture, produced_by
from inst.errors import InstError
from inst.flow.model import Conventions
from inst.formats.rec.layout import File
from inst.formats.rec.tables import RANGE_KINDS, REVERSED, SHIFTED, Call, Tables
from inst.program.program import Program as Linked
from inst.replay.machine import Machine
from inst.replay.model import Semantics
from inst.target.model import Target
from inst.target.targets import TARGETS
from inst.trace.model import Array, Kind, TraceError
from inst.words.access import BOTH, READ
from inst.words.decode import words_of
from inst.words.model import KeptLink

NAME_MASK = 0xFFFFFFFF
"""The bits that name a segment: the others, in 64-bit code, are 0 or copies of the sign."""
NEAR = 64
"""Bytes between an access and where its call of glue returns to, at most."""
_AFTER = 256
"""Bytes between an instruction and the store of what it leaves, at most."""
_LONGEST = 64
"""Instructions of a routine that saves or restores registers, at most."""


def target_of(arch: str, file: File) -> Target:
    """Return the target of a recording."""
    order = "little" if file.layout.little else "big"
    bits = 8 * file.layout.width
    isa = produced_by(arch)
    for target in TARGETS.values():
        if architecture(target.isa) is isa and (target.bits, target.byte_order) == (bits, order):
            return target
    raise TraceError(f"no target has processors of '{arch}' with {bits} bits", "", offset=0)


def _are_among(known: Array, places: Array) -> Array:
    """Return which of some addresses are among those of a column in order."""
    # searched, since `isin` sorts all of a program's addresses at each of many small pieces
    below, upto = (np.searchsorted(known, places, side) for side in ("left", "right"))
    return np.asarray(below < upto)


class Program:
    """What all threads have in common: code, and which instructions take values."""

    def __init__(self, tables: Tables, file: File, arch: str, path: str = "") -> None:
        self.tables, self.file, self.arch = tables, file, arch
        self.path = path
        """Where the program's file was."""
        self.target = target_of(arch, file)
        self._mask = (1 << self.target.bits) - 1
        self._bias = tables.bias & self._mask
        self.words = words_of(arch)
        semantics = architecture(self.target.isa).part(Semantics)
        conventions = architecture(self.target.isa).part(Conventions)
        self.stack_pointer = conventions.stack_pointer
        self.link, self.beyond_link = semantics.link, semantics.beyond_link
        killed = set(conventions.calls[self.target.abi].killed.split())
        self.killed = sorted(killed - {self.link})
        """Registers that are not known after a call of other code, unless they are recorded. The
        link register has the address that was returned to."""
        self._next_calls: dict[int, int] = {}
        self._routines: dict[int, tuple[int, bytes] | None] = {}
        takers, hooked = np.unique(tables.pc.astype("u8")), self.loaded(tables.hooked)
        what, _ = self.words.lookup(self._linked_instructions(tables.hooked), arch)
        self._hooked = hooked
        """Accesses that call hooks."""
        self.windowed, loads = self._windowed()
        """The accesses whose values the library `windows` may leave out."""
        self.takers = np.union1d(takers, np.union1d(hooked[what & READ != 0], loads))
        """The instructions that take values, in order: what segments wrote, and of hooks' records
        those of loads, and of the conditional stores of reservations."""
        self.named = np.unique(tables.pc[tables.name].astype("u8"))
        """Of these the stores of the names of segments."""
        self.arriving = np.unique(tables.pc[tables.write & ~tables.name].astype("u8"))
        """Of these the stores of registers."""
        self.items = np.setdiff1d(self.takers, np.union1d(hooked, loads))
        """Those that take values which segments wrote: of the others hooks write records."""
        self._items = array("Q", self.items.tobytes())
        loads = np.setdiff1d(self.items, np.union1d(self.arriving, self.named))
        what, _ = self.words.lookup(self._linked_instructions(tables.stores), arch)
        computed = tables.stores[what & BOTH != 0]  # the linker may have made additions of others
        stores = np.union1d(self.loaded(computed), self.windowed)
        self.reported = np.union1d(stores, loads)
        """The accesses that no record has as a whole."""
        self.frames = self._frames() if tables.is_loose else np.zeros(0, "u8")
        """The instructions that take frames with memory of their own, which no record has."""
        known = (tables.hooked, tables.windowed, tables.stores, self.linked(self.items))
        self._accesses = np.unique(np.concatenate(known))
        """Where the linker put the accesses, and what takes values that segments wrote."""
        self.code = [self._executed(start, end) for start, end in tables.instrumented.tolist()]
        ends = [(first, first + len(code)) for first, code in self.code]
        self._bounds = np.array(ends, "u8").reshape(-1, 2).T
        self._starts, self._ends = (array("Q", one.tobytes()) for one in self._bounds)
        self.entries = self._entries()
        """Of the stores of the stack pointer where control may come with registers that are not
        known, where that code begins."""
        self.names = self._names()
        """The instructions that store the names of segments, by these."""
        self.range_names = self._range_names()
        """What functions do with the ranges that they state after such a name."""
        self.left_open = self._left_open() if tables.is_loose else np.zeros(0, "u8")
        """Instructions whose result is the next value, which a store of the register takes."""
        self.parameters = conventions.parameters
        self.calls = self._calls()
        """What calls touch, by the address they return to and that of the function."""
        self.switches = {
            link for (link, _), one in self.calls.items() if not one.reads + one.writes
        }
        """Where calls return to that leave the context for another one."""
        self.returns = self._returns()
        """The names that are stored after calls that only return, by where that is."""
        glue = np.array(tables.glue, "u8").reshape(-1, 2)
        self.glue = list(zip(self.loaded(glue[:, 0]).tolist(), glue[:, 1].tolist(), strict=True))
        self.cursor = self._cursor()
        """How far from the thread pointer the cursor of the code that records lies."""

    @property
    def all_reported(self) -> Array:
        """Return what the machine reports: accesses, and instructions that take frames."""
        return np.union1d(self.reported, self.frames)

    def _frames(self) -> Array:
        found = [np.zeros(0, "u8")]
        for start, end in self.tables.instrumented.tolist():
            places = np.uint64(start) + 4 * np.arange((end - start) // 4, dtype="u8")
            words, known = self.tables.code.at(places)
            found.append(places[known & self.words.recorded.takes_frame(words.astype("i8"))])
        return self.loaded(np.unique(np.concatenate(found)))

    def _windowed(self) -> tuple[Array, Array]:
        """Return the accesses whose values hooks may leave out, and the loads of these: the linker
        may have made something else of others."""
        places = self.tables.windowed
        what, _ = self.words.lookup(self._linked_instructions(places), self.arch)
        found = self.loaded(places)
        return found[what & BOTH != 0], found[what & READ != 0]

    def _executed(self, start: int, end: int) -> tuple[int, bytes]:
        """Return where some code was loaded, and its instructions as they are executed again."""
        recorded = self.words.recorded
        assert recorded.restores is not None
        places = np.uint64(start) + 4 * np.arange((end - start) // 4, dtype="u8")
        words, known = self.tables.code.at(places)
        words = self._in_place(words.astype("i8"), places)
        is_second = self._are_second(words)
        words[recorded.read_as_data(words) & ~is_second] = recorded.nop
        left = _are_among(self.tables.left, places)
        left[1:] |= left[:-1] & is_second[1:]
        words[left] = recorded.nop  # stores of what they have left come next
        places = self.loaded(places)
        restored = _are_among(self.arriving, places)
        words[restored] = recorded.restores(words[restored])
        own = self.are_items(places)
        own |= _are_among(self.windowed, places) | _are_among(self._hooked, places)
        words[recorded.restored_by_linker(words) & ~own & ~is_second] = recorded.nop
        code = words[known].astype(f"{self.file.layout.order}u4").tobytes()
        return int(self.loaded(np.array([start], "u8"))[0]), code

    def _are_second(self, words: Array) -> Array:
        """Return which of consecutive words are the second ones of instructions."""
        found = np.zeros(len(words), bool)
        if self.words.prefix:
            mask, value = self.words.prefix
            found[1:] = words[:-1] & mask == value
        return found

    def _in_place(self, words: Array, places: Array) -> Array:
        """Move what runs in the place of an access to where that one is.

        The program branches over the access, which is not executed, to what comes next.
        """
        recorded = self.words.recorded
        found = np.flatnonzero((words[:-2] == recorded.skips) & (recorded.skips != 0))
        found = found[_are_among(self._accesses, places[found + 1])]
        words[found + 1] = words[found + 2]
        words[found] = words[found + 2] = recorded.nop
        return words

    def _entries(self) -> dict[int, int]:
        """Return for the first register of each segment that is entered where its code is."""
        tables = self.tables
        owner = np.repeat(np.arange(len(tables.words)), np.diff(tables.first))
        rows = np.flatnonzero(tables.entered)
        segments, firsts = np.unique(owner[rows], return_index=True)
        pcs = tables.pc[rows[firsts]].astype("u8")
        places = self.loaded(self._segments()[segments])
        return dict(zip(pcs.tolist(), places.tolist(), strict=True))

    def _names(self) -> dict[int, int]:
        tables = self.tables
        owner = np.repeat(np.arange(len(tables.words)), np.diff(tables.first))
        rows = np.flatnonzero(tables.name)
        names = -tables.distance.astype("i8")[owner[rows]] & NAME_MASK
        return dict(zip(names.tolist(), tables.pc[rows].tolist(), strict=True))

    def _range_names(self) -> dict[int, Kind]:
        tables = self.tables
        rows = np.flatnonzero(tables.ranges)
        names = -tables.distance.astype("i8")[rows] & NAME_MASK
        kinds = [RANGE_KINDS[kind] for kind in tables.ranges[rows].tolist()]
        return dict(zip(names.tolist(), kinds, strict=True))

    def _calls(self) -> dict[tuple[int, int], Call]:
        calls = self.tables.calls
        links = self.loaded(np.array([one.link for one in calls], "u8"))
        places = links - np.uint64(self.beyond_link or 4)
        words, _ = self.tables.code.at(self.linked(places))
        targets = self.words.transfers(words.astype("i8"), places).target
        return dict(zip(zip(links.tolist(), targets.tolist(), strict=True), calls, strict=True))

    def _segments(self) -> Array:
        """Return the link addresses of the segments' code."""
        return np.asarray(self.tables.distance.astype("u8") + np.uint64(self.tables.image))

    def _cursor(self) -> int:
        """Return where segments load the cursor from: what the first of their instructions says."""
        places = self._segments()
        if self.tables.is_loose:
            places = places[self.tables.words > 1]
        words = np.unique(self.tables.code.at(places)[0]).tolist()
        found = (self.words.recorded.thread_word(word, self.target.bits) for word in words)
        return min((one for one in found if one is not None), default=0)

    def loaded(self, places: Array) -> Array:
        """Return link addresses as they are in the process."""
        return np.asarray(places + np.uint64(self._bias) & np.uint64(self._mask))

    def linked(self, places: Array) -> Array:
        """Return addresses as the linker gave them."""
        return np.asarray(places - np.uint64(self._bias) & np.uint64(self._mask))

    def instructions(self, pcs: Array) -> Array:
        """Return the instructions at addresses, as `Words.prefix` says; 0 outside the code."""
        return self._linked_instructions(self.linked(pcs))

    def _linked_instructions(self, places: Array) -> Array:
        return self.tables.code.instructions(places, self.words.prefix)[0]

    def is_instrumented(self, pc: int) -> bool:
        """Return whether an address is in code that is executed again."""
        return bisect_right(self._starts, pc) > bisect_right(self._ends, pc)

    def are_instrumented(self, pcs: Array) -> Array:
        """Return which addresses (u8) are in code that is executed again."""
        begun, ended = (np.searchsorted(of, pcs, side="right") for of in self._bounds)
        return np.asarray(begun > ended)

    def place(self, pc: int) -> str:
        """Return the function and the line of an address, if the program's file is still there."""
        linked = self.linked(np.array([pc], "u8"))
        try:
            found = Linked(self.path, [])
            first = found.words(linked)[0]
        except InstError:
            return ""
        is_same = first == self.tables.code.at(linked)[0][0]
        return str(found.place(int(linked[0]))) if is_same and first else ""

    def is_glue(self, pc: int) -> bool:
        """Return whether an address is that of an entry that a site calls."""
        return self.glue_at(pc) is not None

    def glue_at(self, pc: int) -> tuple[int, int] | None:
        """Return where the entry of glue begins and ends that an address is in; None: in no one."""
        found = ((first, first + size) for first, size in self.glue if first <= pc < first + size)
        return next(found, None)

    def ends_glue(self, pc: int) -> bool:
        """Return whether an address is in what an entry of glue does after it has called a hook."""
        found = self.glue_at(pc)
        return found is not None and 2 * pc >= sum(found)

    def kept_link(self, link: int) -> KeptLink | None:
        """Return where a site has saved the link register whose call of glue returns to `link`."""
        before = link - self.beyond_link - 4
        words, known = self.tables.code.at(self.linked(np.array([before], "u8")))
        return self.words.recorded.kept_links.get(int(words[0])) if known[0] else None

    def next_call(self, pc: int) -> int:
        """Return the next call of glue from an address on, or one that is just too far for it."""
        found = self._next_calls.get(pc)
        if found is None:
            places = np.uint64(pc) + 4 * np.arange(NEAR // 4, dtype="u8")
            words, _ = self.tables.code.at(self.linked(places))
            transfers = self.words.transfers(words.astype("i8"), places)
            calls = places[transfers.is_call].tolist()
            targets = transfers.target[transfers.is_call].tolist()
            ours = (at for at, to in zip(calls, targets, strict=True) if self.is_glue(to))
            found = self._next_calls[pc] = next(ours, pc + NEAR)
        return found

    def are_items(self, pcs: Array) -> Array:
        """Return which instructions take values that segments wrote."""
        return _are_among(self.items, pcs)

    def first_item(self, pc: int) -> int:
        """Return the first instruction from one on that takes a value of a segment."""
        place = bisect_left(self._items, pc)
        return self._items[place] if place < len(self._items) else (1 << 64) - 1

    def routine_at(self, pc: int) -> tuple[int, bytes] | None:
        """Return the code of a routine that saves or restores registers, which compilers share."""
        if pc not in self._routines:
            self._routines[pc] = self._read_routine(pc)
        return self._routines[pc]

    def _read_routine(self, pc: int) -> tuple[int, bytes] | None:
        shared = self.words.recorded.saves_registers
        if shared is None:
            return None
        places = np.uint64(pc) + np.arange(-_LONGEST, _LONGEST + 1).astype("u8") * np.uint64(4)
        words, known = self.tables.code.at(self.linked(places))
        saves, returns = shared(words.astype("i8"))
        fits = known & saves & (places < (1 << self.target.bits))
        start = end = _LONGEST
        while end < 2 * _LONGEST and fits[end]:
            end += 1
        while start and fits[start - 1]:
            start -= 1
        if end == _LONGEST or not (known[end] and returns[end]):
            return None
        order = self.file.layout.order
        return int(places[start]), words[start : end + 1].astype(f"{order}u4").tobytes()

    def machine(self) -> Machine:
        """Return a processor for a thread."""
        machine = Machine(self.target)
        for first, code in self.code:
            machine.add_code(first, code)
        machine.set_reported(self.all_reported)
        for address, data in self.tables.addresses:
            machine.write(int(self.loaded(np.array(address, "u8"))), data)
        tables, sites = self.tables, np.setdiff1d(self.takers, self.named)
        machine.set_sites(sites)
        machine.set_arriving(self.arriving)
        if len(self.windowed):
            machine.set_windowed(self.windowed)
            entries = [(first, first + size) for first, size in self.glue]
            kept = self.words.recorded.kept_links
            machine.set_glue(np.array(entries, "u8").reshape(-1, 2), kept)
        if tables.is_loose:
            machine.set_returns(self.items, self.returns, NAME_MASK, self.stack_pointer)
            machine.set_loose(
                np.intersect1d(sites, tables.pc.astype("u8")),
                self.named,
                tables.pc[tables.kind == SHIFTED].astype("u8"),
                tables.pc[tables.kind == REVERSED].astype("u8"),
                self.left_open,
            )
        return machine

    def _returns(self) -> dict[int, int]:
        """Return these names: not where other code comes in, or ranges have been stated."""
        stated = {self.first_item(link) for link, _ in self.calls}
        return {
            pc: name
            for name, pc in self.names.items()
            if pc not in self.entries and pc not in stated
        }

    def _left_open(self) -> Array:
        """Return the instructions whose result is no function of the state, if it is recorded.

        The code then stores the register before any other value.
        """
        recorded, found = self.words.recorded, list[np.uint64]()
        stores = self.items
        words, known = self.tables.code.at(self.linked(stores))
        stored = np.where(known, recorded.stored(words.astype("i8")), -1)
        stored[~_are_among(self.arriving, stores)] = -1
        for first, end in self.tables.instrumented.tolist():
            places = np.uint64(first) + 4 * np.arange((end - first) // 4, dtype="u8")
            words, known = self.tables.code.at(places)
            target = np.where(known, recorded.left_open(words.astype("i8")), -1)
            rows = np.flatnonzero(target >= 0)
            pcs = self.loaded(places[rows])
            following = np.searchsorted(stores, pcs, "right")
            is_there = following < len(stores)
            rows, pcs, following = rows[is_there], pcs[is_there], following[is_there]
            near = stores[following] - pcs <= np.uint64(_AFTER)
            near &= (stored[following] == target[rows]) & ~_are_among(self.takers, pcs)
            for pc, row, store in zip(pcs[near], rows[near], stores[following][near], strict=True):
                between = words[row + 1 : row + int(store - pc) // 4].astype("i8")
                if not recorded.may_change(between, int(target[row])).any():
                    found.append(pc)
        return np.array(found, "u8")
