"""RST batches by columns: groups, threads, classes of records."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from functools import cached_property

import numpy as np

from inst.filter import branch_words
from inst.filter.model import Batch, Batches, insert, stack
from inst.filter.view import Column, View
from inst.trace import decode, rst_table
from inst.trace.model import Array, Flag
from inst.trace.rst import RstBatch

(TRACEINFO, THREAD, TRAP, TRAPEXIT, REGVAL, CPU, PREG, PHYSADDR, PAVADIFF, NULLREC) = (
    4, 6, 7, 8, 9, 11, 17, 18, 19, 20,
)  # fmt: skip
EVENT, EVENT_PC, EVENT_SIZE = 40, 41, 42
HEADER, INSTR, STRDESC, STRCONT, MARKER, STATUS, PATCH, MEMVAL = 2, 3, 14, 21, 22, 23, 24, 26
RFS_CW, RFS_BT, TRAPPING, TSB = 31, 32, 34, 29


def _set_of(*codes: int) -> Array:
    table = np.zeros(256, bool)
    table[list(codes)] = True
    return table


INSTRUCTIONS = _set_of(INSTR, TRAPPING)
LEADERS = _set_of(INSTR, TRAPPING, EVENT)
BEFORE = _set_of(TRAP, TRAPEXIT, REGVAL, CPU, THREAD, PREG, PHYSADDR, PAVADIFF, NULLREC)
"""What may stand between an instruction and the records before it that belong to it."""
BEHIND = _set_of(EVENT_PC, EVENT_SIZE, MEMVAL, REGVAL, PHYSADDR, PAVADIFF, NULLREC)
FOLLOWERS = _set_of(MEMVAL, EVENT_PC, EVENT_SIZE)
EVENTS = _set_of(
    INSTR, 5, TRAP, TRAPEXIT, 13, MEMVAL, 27, 28, TSB, RFS_CW, RFS_BT, 33, TRAPPING, EVENT
)
"""What is not context. Unknown types are context: nobody knows what they are about."""
WITH_PC = _set_of(INSTR, TRAP, RFS_BT, TRAPPING)
WITH_WORD = _set_of(INSTR, RFS_BT, TRAPPING)
WAITING = 512
"""Records that may wait for the rest of their group."""

CLASSES = (
    "load",
    "store",
    "access",
    "atomic",
    "reserve",
    "branch",
    "instruction",
    "context",
    "unknown",
)
TYPE_WORDS = [kind.name for kind in rst_table.TYPES]
CPU_FIELD = {
    (kind.code, kind.variant or 0): kind
    for kind in rst_table.TYPES
    if any(field.name == "cpuid" for field in kind.fields)
}

FLAGS: dict[str, int] = {
    "ea_valid": 0x40, "trapped": 0x20, "hpriv": 0x10, "privileged": 0x08, "bt": 0x04,
    "annulled": 0x02,
}  # fmt: skip


class Threads:
    """Which thread runs on each cpu, as CPU and THREAD records say."""

    def __init__(self) -> None:
        self.cpu = 0
        self.of_cpu = np.arange(1024, dtype="u8")

    def columns(self, batch: Batch, cpu_column: Column, current: Array) -> Column:
        """Return the thread of each row; a CPU record is of the thread named behind it."""
        cpus, known = cpu_column
        codes = batch.records["rtype"]
        switches = np.flatnonzero(codes == THREAD)
        threads = np.zeros(len(codes), "u8")
        start = 0
        for switch in switches.tolist():
            begin = switch - (switch > start and codes[switch - 1] == CPU)
            threads[start:begin] = self.of_cpu[cpus[start:begin]]
            self.of_cpu[current[switch]] = batch.records["first"][switch]
            start = begin
        threads[start:] = self.of_cpu[cpus[start:]]
        if len(codes):
            self.cpu = int(current[-1])
        return threads, known


class RstView(View):
    """One batch of RST records."""

    def __init__(self, batch: Batch, first: int, threads: Threads) -> None:
        super().__init__(batch, first)
        self.raw: Array = batch.records
        self.codes: Array = self.raw["rtype"]
        self.rst = RstBatch(first, self.raw, batch.version)
        self.current_cpu = self._current_cpu(threads.cpu)
        self._threads: Column | None = None  # thread and cpu are one
        if (self.codes == THREAD).any() or (threads.of_cpu != _IDENTITY).any():
            self._threads = threads.columns(batch, self.cpu_column, self.current_cpu)
        elif len(self.codes):
            threads.cpu = int(self.current_cpu[-1])

    def _current_cpu(self, before: int) -> Array:
        """Return the cpu of the last CPU record before or at each row."""
        switches = np.flatnonzero(self.codes == CPU)
        if not len(switches):
            return np.full(len(self), before, "u8")
        named = self.raw["word"][switches].astype("u8") & np.uint64(0x3FF)
        values = np.concatenate([np.array([before], "u8"), named])
        which = np.searchsorted(switches, np.arange(len(self)), side="right")
        return values[which]

    @cached_property
    def known_types(self) -> Array:
        return np.array([code in rst_table.CODES for code in range(256)])[self.codes]

    @cached_property
    def leader(self) -> Array:
        """An INSTR leads what belongs to it; any other record leads itself."""
        result = np.arange(len(self))
        behind = FOLLOWERS[self.codes] | ((self.codes == REGVAL) & self._post)
        before = (self.codes == PHYSADDR) | ((self.codes == REGVAL) & ~self._post)
        if behind.any():
            self._follow(result, np.flatnonzero(behind))
        if before.any():
            self._precede(result, np.flatnonzero(before))
        return result

    @property
    def _post(self) -> Array:
        return np.asarray(self.raw["flags"] & 0x80 != 0, bool)

    def _follow(self, result: Array, rows: Array) -> None:
        anchors = np.flatnonzero(~BEHIND[self.codes])
        if len(anchors):
            place = np.searchsorted(anchors, rows) - 1
            owners = anchors[np.maximum(place, 0)]
            owned = (place >= 0) & LEADERS[self.codes[owners]]
            result[rows[owned]] = owners[owned]

    def _precede(self, result: Array, rows: Array) -> None:
        anchors = np.flatnonzero(~BEFORE[self.codes])
        place = np.searchsorted(anchors, rows)
        found = place < len(anchors)
        rows, owners = rows[found], anchors[place[found]]
        cpus, _ = self.cpu_column
        owned = LEADERS[self.codes[owners]] & (cpus[rows] == cpus[owners])
        result[rows[owned]] = owners[owned]

    @cached_property
    def context(self) -> Array:
        own = self.leader == np.arange(len(self))
        return np.asarray(~EVENTS[self.codes] & own, bool)

    @cached_property
    def cpu_column(self) -> Column:
        """The cpu each record names; CPU and THREAD records name the one they switch to."""
        values = np.zeros(len(self), "u8")
        known = np.zeros(len(self), bool)
        for code in np.unique(self.codes).tolist():
            rows = np.flatnonzero(self.codes == code)
            kind = CPU_FIELD.get((code, 0))
            if kind is not None and code == MEMVAL:  # both layouts have it in the same bits
                kind = rst_table.BY_NAME["memval64"]
            if kind is not None:
                values[rows] = self.rst.column(kind.name, "cpuid", rows) & np.uint64(0x3FF)
                known[rows] = True
            elif code in (CPU, THREAD):
                values[rows] = self.current_cpu[rows]
                known[rows] = True
        return values, known

    @cached_property
    def accesses(self) -> tuple[Array, Array]:
        """What each instruction word does to memory, and the size."""
        what, size = decode.lookup(self.raw["word"], self.batch.source.arch)
        instruction = INSTRUCTIONS[self.codes]
        return np.where(instruction, what, 0), np.where(instruction, size, 0)

    @cached_property
    def branches(self) -> branch_words.Branches:
        return branch_words.decode(self.raw["word"], self.raw["first"], self.batch.source.arch)

    def is_type(self, word: str) -> Array:
        if word in CLASSES:
            return self.mark(word)
        if word.startswith("rtype="):
            return np.asarray(self.codes == int(word[6:]), bool)
        kind = rst_table.BY_NAME[word]
        same = self.codes == kind.code
        if kind.variant is not None:
            same &= (self.raw["flags"] >> 7) == kind.variant
        return np.asarray(same, bool)

    def columns(self, name: str) -> list[Column]:
        return _COLUMNS[name](self)

    def mark(self, name: str) -> Array:
        return _mark(self, name)

    def flag(self, name: str) -> Array:
        """Which INSTRs have a bit of their second byte."""
        instr = self.codes == INSTR
        if name == "hpriv" and self.batch.version < rst_table.MODERN:
            return np.zeros(len(self), bool)
        found: Array = instr & (self.raw["flags"] & FLAGS[name] != 0)
        trapping = {"privileged": 0x40, "hpriv": 0x80, "ea_valid": 0x10}.get(name, 0)
        if trapping:
            found |= (self.codes == TRAPPING) & (self.raw["flags"] & trapping != 0)
        return found

    @property
    def thread_column(self) -> Column:
        return self._threads if self._threads is not None else self.cpu_column

    def mnemonics(self) -> tuple[Array, list[str]]:
        rows = np.flatnonzero(WITH_WORD[self.codes])
        words, where = np.unique(self.raw["word"][rows].astype("u4"), return_inverse=True)
        numbers = np.zeros(len(self), "i8")
        numbers[rows] = where + 1
        arch = self.batch.source.arch
        return numbers, ["", *(_mnemonic(arch, word) for word in words.tolist())]

    def places(self) -> tuple[Array, list[tuple[str, int, str]]]:
        rows = np.flatnonzero(WITH_PC[self.codes])
        return located(self, rows, self.raw["first"][rows].astype("u8"))


def located(view: View, rows: Array, pcs: Array) -> tuple[Array, list[tuple[str, int, str]]]:
    """Return the places of program counters, each distinct one looked up once."""
    distinct, where = np.unique(pcs, return_inverse=True)
    numbers = np.zeros(len(view), "i8")
    numbers[rows] = where + 1
    found = [("", 0, "")]
    locator = view.batch.source.locator
    for pc in distinct.tolist():
        place = locator(pc) if locator else None
        found.append((place.file, place.line, place.function) if place else ("", 0, ""))
    return numbers, found


@functools.lru_cache(maxsize=8)
def disassembler(arch: str) -> Callable[[int, int], str]:
    """Return the disassembler of an instruction set, made once."""
    from inst.trace import disassemble

    return disassemble.disassembler(arch)


@functools.lru_cache(maxsize=1 << 16)
def _mnemonic(arch: str, word: int) -> str:
    return disassembler(arch)(word, 0).split(" ")[0].lower()


_IDENTITY = np.arange(1024, dtype="u8")


def _program_counters(view: RstView) -> list[Column]:
    own = view.codes == EVENT_PC
    return [
        (view.raw["first"].astype("u8"), WITH_PC[view.codes] | (own & (view.raw["first"] != 0)))
    ]


def _effective_addresses(view: RstView) -> list[Column]:
    codes, flags = view.codes, view.raw["flags"]
    second = view.flag("ea_valid") | (codes == TSB)
    wide = (codes == MEMVAL) & (flags & 0x80 != 0)
    first = (codes == MEMVAL) & ~wide
    translated = (codes == RFS_CW) & (view.raw["word"] >> 16 & 0x80 != 0)
    columns = [
        (view.raw["second"].astype("u8"), second),
        (view.raw["first"].astype("u8"), first | translated | _stated(view, Flag.HAS_ADDRESS)),
    ]
    if wide.any():
        columns.append((view.rst.column("memval128", "addr"), wide))
    return columns


def _stated(view: RstView, flag: Flag) -> Array:
    """Which rows are records of our own that say they have something."""
    return np.asarray((view.codes == EVENT) & (view.raw["half"] & int(flag) != 0), bool)


def _sizes(view: RstView) -> list[Column]:
    what, sizes = view.accesses
    memval = view.codes == MEMVAL
    wide = view.raw["flags"] & 0x80 != 0
    stated = np.where(wide, 16, view.raw["half"] & 0xF).astype("u8")
    # What an INSTR's values say counts more than its word.
    counts = np.bincount(view.leader[memval], minlength=len(view))
    return [
        (sizes.astype("u8"), (what & 3 != 0) & (sizes != 0) & (counts == 0)),
        (stated, memval),
        (view.raw["first"].astype("u8"), view.codes == EVENT_SIZE),
    ]


def _values(view: RstView) -> list[Column]:
    memval = view.codes == MEMVAL
    wide = memval & (view.raw["flags"] & 0x80 != 0)
    second = view.raw["second"].astype("u8")
    return [
        (second, memval | _stated(view, Flag.HAS_VALUE)),
        (view.raw["first"].astype("u8"), wide),
    ]


def _ordinals(view: RstView) -> list[Column]:
    rows = np.arange(view.first, view.first + len(view), dtype="u8")
    return [(rows, view.leader == np.arange(len(view)))]


_COLUMNS: dict[str, Callable[[RstView], list[Column]]] = {
    "pc": _program_counters,
    "ea": _effective_addresses,
    "size": _sizes,
    "value": _values,
    "cpu": lambda view: [view.cpu_column],
    "thread": lambda view: [view.thread_column],
    "id": _ordinals,
    "record": _ordinals,
    "word": lambda view: [(view.raw["word"].astype("u8"), WITH_WORD[view.codes])],
}


def _mark(view: RstView, name: str) -> Array:
    if name == "context":
        return view.context
    if name == "unknown":
        return ~view.known_types
    if name == "instruction":
        return INSTRUCTIONS[view.codes]
    if name == "branch":
        return INSTRUCTIONS[view.codes] & view.branches.is_branch
    if name == "taken":
        return np.asarray(view.flag("bt") & (view.accesses[0] & 3 == 0), bool)
    if name in FLAGS:
        return view.flag(name)
    return _access_mark(view, name)


def _access_mark(view: RstView, name: str) -> Array:
    """An instruction that was annulled or trapped accessed nothing."""
    what = view.accesses[0]
    done = ~view.flag("annulled") & ~view.flag("trapped") & (view.codes == INSTR)
    reserve: Array = np.asarray((what & decode.RESERVE_BIT != 0) & done)
    bits = {"load": decode.READ, "store": decode.WRITE, "access": decode.BOTH}
    if name in bits:
        return np.asarray((what & bits[name] != 0) & done, bool)
    if name == "reserve":
        return reserve
    return np.asarray(reserve | ((what & 3 == decode.BOTH) & done))  # atomic


def rst_views(batches: Batches) -> Iterator[RstView]:
    """Yield views of whole groups: what may go on waits for the next batch."""
    threads, count = Threads(), 0
    waiting: Batch | None = None
    for batch in batches:
        if waiting is not None and (waiting.version, waiting.source) != (
            batch.version,
            batch.source,
        ):
            view = RstView(waiting, count, threads)
            count, waiting = count + len(waiting), None
            yield view
        if waiting is not None:
            batch = Batch(stack([waiting.records, batch.records]), batch.source, batch.version)
        cut = settled(batch.records["rtype"])
        waiting = batch.part(cut, len(batch)) if cut < len(batch) else None
        if cut:
            view = RstView(batch.part(0, cut), count, threads)
            count += cut
            yield view
    if waiting is not None:
        yield RstView(waiting, count, threads)


def settled(codes: Array) -> int:
    """Return how many records no further record can change the grouping of."""
    recent = codes[-WAITING:]
    passing = BEFORE[recent] | BEHIND[recent]
    anchors = np.flatnonzero(~passing)
    if not len(anchors):
        return len(codes)
    last = int(anchors[-1])
    if not LEADERS[recent[last]]:
        return len(codes) - len(recent) + last + 1
    # What is between two instructions may belong to either: both wait.
    earlier = int(anchors[-2]) if len(anchors) > 1 else 0
    behind = len(anchors) > 1 and not LEADERS[recent[earlier]]
    return len(codes) - len(recent) + earlier + behind


class Switches:
    """Keeps the CPU record in front of a THREAD record, when a selection took it away."""

    def __init__(self) -> None:
        self._lost: bytes = b""

    def kept(self, view: View, keep: Array) -> Batch:
        """Return the batch with what is kept and the CPU records that explain it."""
        codes = view.batch.records["rtype"]
        switches = np.flatnonzero(codes == CPU)
        if keep.all() and not self._lost:
            return view.batch
        keep = keep.copy()
        told = keep & (codes == THREAD)
        end = int(switches[0]) if len(switches) else len(codes)
        found = np.flatnonzero(told[:end])
        places = []
        if self._lost and len(found):
            before = int(np.count_nonzero(keep[: found[0]]))
            places, self._lost = [(before, self._lost)], b""
        if len(switches):
            owner = np.searchsorted(switches, np.flatnonzero(told), side="right") - 1
            keep[switches[np.unique(owner[owner >= 0])]] = True
            last = int(switches[-1])
            self._lost = b"" if keep[last] else view.batch.records[last : last + 1].tobytes()
        return insert(view.batch.take(keep), places)


def views_of(batches: Batches) -> Iterator[RstView]:
    """Yield views of a stream that only RST can have."""
    return rst_views(batches)
