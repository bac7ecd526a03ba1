"""From RST records to events: an INSTR and the MEMVALs after it are one access.

A 16-byte access has one MEMVAL128, or two MEMVAL64 for its halves. What other formats record
and RST cannot is in records of our own: an EVENT, the EVENT_PC and EVENT_SIZE after it
when they hold anything, and the EVENT_TEXTs before it that spell its words and sites.

All column work: one pass of numpy operations per batch. Records of one event may straddle
two batches, so the last INSTR or EVENT of a batch waits for the next one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from inst.arch.registry import is_little
from inst.formats.rst.codes import (
    ANNULLED,
    CPU,
    EA_VALID,
    EVENT_RECORD,
    INSTR,
    MARKER,
    MEMVAL,
    PRIVILEGED,
    TAKEN,
    THREAD,
    TRAP,
    TRAPPED,
    VARIANT,
)
from inst.formats.rst.own import Texts, fill_own
from inst.formats.rst.record import RECORD, RstBatch
from inst.trace.held_back import converted
from inst.trace.model import EVENT, Array, Flag, Kind, Trace
from inst.words import decode
from inst.words.access import BOTH, MULTIPLE_BIT, READ, RESERVE_BIT

WAITING_LIMIT = 256
"""Records that may wait for the next batch: an INSTR has a few dozen MEMVALs at most."""


class Threads:
    """Which thread runs on each cpu, from CPU and THREAD records."""

    def __init__(self) -> None:
        self.cpu = 0
        self.of_cpu = np.arange(1024, dtype="u8")

    def state(self) -> tuple[int, dict[int, int]]:
        """Return the cpu of the last CPU record, and the threads that were named, by cpu."""
        named = np.flatnonzero(self.of_cpu != np.arange(1024))
        return self.cpu, dict(zip(named.tolist(), self.of_cpu[named].tolist(), strict=True))

    def resume(self, state: tuple[int, dict[int, int]]) -> None:
        """Go on from a state."""
        self.cpu, named = state
        for cpu, thread in named.items():
            self.of_cpu[cpu] = thread

    def column(self, batch: RstBatch, rows: Array, cpus: Array) -> Array:
        """Return the thread of each of the rows, going through the switches between them."""
        codes = batch.raw["rtype"]
        switches = np.flatnonzero((codes == THREAD) | (codes == CPU))
        cpus = cpus & 1023  # EVENT records may have larger ones
        result = self.of_cpu[cpus] if len(switches) == 0 else np.zeros(len(rows), "u8")
        start = 0
        for switch in switches.tolist():
            end = int(np.searchsorted(rows, switch))
            result[start:end] = self.of_cpu[cpus[start:end]]
            start = end
            self._switch(batch.raw[switch])
        if len(switches):
            result[start:] = self.of_cpu[cpus[start:]]
        return result

    def stay(self, switches: Array) -> bool:
        """Return whether CPU and THREAD records leave the thread of every cpu as it is."""
        is_cpu = switches["rtype"] == CPU
        last = np.maximum.accumulate(np.where(is_cpu, np.arange(len(switches)), -1))
        cpus = np.where(last < 0, self.cpu, switches["word"][last] & 0x3FF)
        return bool((self.of_cpu[cpus] == switches["first"])[~is_cpu].all())

    def _switch(self, record: Array) -> None:
        if record["rtype"] == CPU:
            self.cpu = int(record["word"]) & 0x3FF
        else:
            self.of_cpu[self.cpu] = record["first"]


class State:
    """What is remembered from batch to batch."""

    def __init__(self, trace: Trace) -> None:
        self.threads = Threads()
        self.texts = Texts(trace)


def events(batches: Iterable[RstBatch], trace: Trace) -> Iterator[Array]:
    """Yield the events of a trace's batches."""
    return converted(batches, Converting(trace))


class Converting:
    """The last INSTR or EVENT of a batch waits for the records after it."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.state = State(trace)
        self._waiting: RstBatch | None = None

    def take(self, batch: RstBatch) -> Iterator[Array]:
        """Yield the events that the batch completes."""
        joined, self._waiting = _hold_back(_join(self._waiting, batch))
        yield from convert(joined, self._trace.facts.arch, self.state)

    def flush(self) -> Iterator[Array]:
        """Yield the event that waits."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            yield from convert(waiting, self._trace.facts.arch, self.state)


def _join(waiting: RstBatch | None, batch: RstBatch) -> RstBatch:
    if waiting is None:
        return batch
    data = waiting.tobytes() + batch.tobytes()
    return RstBatch(waiting.first, np.frombuffer(data, RECORD), waiting.version)


def _hold_back(batch: RstBatch) -> tuple[RstBatch, RstBatch | None]:
    """Split before the last INSTR or EVENT, unless it has waited long enough."""
    recent = batch.raw["rtype"][-WAITING_LIMIT:]
    found = np.flatnonzero((recent == INSTR) | (recent == EVENT_RECORD))
    if len(found) == 0:
        return batch, None
    cut = len(batch) - len(recent) + int(found[-1])
    rest = RstBatch(batch.first + cut, batch.raw[cut:].copy(), batch.version)
    return RstBatch(batch.first, batch.raw[:cut], batch.version), rest


_EVENTFUL = np.isin(np.arange(256), (INSTR, TRAP, MARKER, EVENT_RECORD))


def convert(batch: RstBatch, arch: str, state: State) -> Iterator[Array]:
    """Yield the events of the records as one array; nothing when there are none."""
    codes = batch.raw["rtype"].copy()  # next to each other they compare ten times as fast
    codes[(codes == MARKER) & (batch.raw["flags"] & VARIANT == 0)] = 0  # only a place in a file
    rows = np.flatnonzero(_EVENTFUL[codes])
    values = np.flatnonzero(codes == MEMVAL)
    own = codes.size > 0 and bool((codes >= EVENT_RECORD).any())
    if own:
        state.texts.take(batch)
    if len(rows) == 0:
        state.threads.column(batch, rows, rows)
        return
    owner = np.cumsum(_EVENTFUL[codes])[values] - 1
    owned = (owner >= 0) & (codes[rows[np.maximum(owner, 0)]] == INSTR)
    values, owner = values[owned], owner[owned]
    what, size = decode.lookup(batch.raw["word"][rows], arch)
    half = (size == 16) & (what & MULTIPLE_BIT == 0)
    firsts, partners = _pairs(batch, values, rows[owner], half[owner])
    values, owner = values[firsts], owner[firsts]
    counts = np.bincount(owner, minlength=len(rows))
    spread = np.repeat(np.arange(len(rows)), np.maximum(counts, 1))
    sources = rows[spread]
    result = np.zeros(len(sources), EVENT)
    result["record"] = result["id"] = sources + batch.first
    _fill_cpus(result, batch, sources, state.threads)
    _fill_instructions(result, batch.raw.take(sources), what[spread], size[spread])
    places = np.flatnonzero(counts[spread] > 0)
    _fill_values(result, batch, places, values)
    _fill_pairs(result, batch, places, partners, arch)
    _settle_atomics(result, batch, sources, arch)
    _fill_others(result, batch, sources)
    if own:
        fill_own(result, batch, sources, state.texts)
    yield result


def _pairs(batch: RstBatch, values: Array, owners: Array, half: Array) -> tuple[Array, Array]:
    """Find the second halves of 16-byte accesses among the MEMVALs.

    `half` is whether the owner of each makes such an access. Return which values begin an event,
    and for each of those its second half or -1.
    """
    half = half & (batch.raw["flags"][values] & VARIANT == 0)
    if not half.any():
        return np.arange(len(values)), np.full(len(values), -1)
    half &= batch.column("memval64", "size", values) == 8
    address = batch.column("memval64", "addr", values)
    order = np.arange(len(values)) - np.searchsorted(owners, owners)
    second = np.zeros(len(values), bool)
    second[1:] = half[1:] & half[:-1] & (address[1:] == address[:-1] + np.uint64(8))
    second &= order % 2 == 1
    firsts = np.flatnonzero(~second)
    following = np.minimum(firsts + 1, len(values) - 1)
    return firsts, np.where(second[following], values[following], -1)


def _fill_pairs(result: Array, batch: RstBatch, places: Array, partners: Array, arch: str) -> None:
    """Put the two halves of an access together: the first is the more significant one."""
    paired = np.flatnonzero(partners >= 0)
    at = places[paired]
    if len(at) == 0:
        return
    upper, lower = result["value"][at], batch.column("memval64", "val", partners[paired])
    if is_little(arch):  # the bytes at the lower address are the less significant
        upper, lower = lower, upper
    result["value"][at], result["value_high"][at], result["size"][at] = lower, upper, 16


def _fill_cpus(result: Array, batch: RstBatch, sources: Array, threads: Threads) -> None:
    codes = batch.raw["rtype"][sources]
    cpus = batch.column("instr", "cpuid", sources)
    for code, name in ((TRAP, "trap"), (MARKER, "filemarker"), (EVENT_RECORD, "event")):
        other = np.flatnonzero(codes == code)
        cpus[other] = batch.column(name, "cpuid", sources[other])
    result["cpu"] = cpus
    result["thread"] = threads.column(batch, sources, cpus)


_BIT_FLAGS = (
    (PRIVILEGED, Flag.PRIVILEGED), (ANNULLED, Flag.ANNULLED), (TRAPPED, Flag.TRAPPED),
)  # fmt: skip


def _fill_instructions(result: Array, raw: Array, what: Array, size: Array) -> None:
    """Fill the columns from INSTR records; `what` and `size` are what their words access."""
    bits = raw["flags"]
    done = (what & 3 != 0) & (bits & (ANNULLED | TRAPPED) == 0)
    reads = np.where(what & RESERVE_BIT != 0, Kind.RESERVE, Kind.READ)
    kinds = np.where(what & READ != 0, reads, Kind.WRITE)
    result["kind"] = np.where(done, kinds, Kind.INSTRUCTION)
    result["size"] = np.where(done, size, 0)
    result["word"] = raw["word"]
    result["pc"] = raw["first"]
    valid = bits & EA_VALID != 0
    result["address"] = np.where(valid, raw["second"], 0)
    flags = np.full(len(result), int(Flag.HAS_PC | Flag.HAS_WORD), "u2")
    flags |= np.where(valid, int(Flag.HAS_ADDRESS), 0).astype("u2")
    for bit, flag in _BIT_FLAGS:
        flags |= np.where(bits & bit != 0, int(flag), 0).astype("u2")
    taken = (bits & TAKEN != 0) & (what & 3 == 0)
    flags |= np.where(taken, int(Flag.TAKEN), 0).astype("u2")
    atomic = (what & 3 == BOTH) | (what & RESERVE_BIT != 0)
    flags |= np.where(done & atomic, int(Flag.ATOMIC), 0).astype("u2")
    result["flags"] = flags


def _fill_values(result: Array, batch: RstBatch, places: Array, values: Array) -> None:
    """Take size, address and value of an access from its MEMVAL."""
    wide = batch.raw["flags"][values] & VARIANT != 0
    for name, which in (("memval64", ~wide), ("memval128", wide)):
        at, rows = places[which], values[which]
        if len(rows) == 0:
            continue
        result["address"][at] = batch.column(name, "addr", rows)
        result["value"][at] = batch.column(name, "val", rows)
        if name == "memval64":
            result["size"][at] = batch.column(name, "size", rows)
        else:
            result["size"][at] = 16
            result["value_high"][at] = result["value"][at]
            result["value"][at] = batch.column(name, "val2", rows)
        result["flags"][at] |= np.uint16(Flag.HAS_VALUE | Flag.HAS_ADDRESS)
    reserved = places[result["kind"][places] == Kind.RESERVE]
    result["kind"][reserved] = Kind.READ


def _settle_atomics(result: Array, batch: RstBatch, sources: Array, arch: str) -> None:
    """Return the store half of ldstub, swap and casa: bt ("store done"), or the second value."""
    rows = np.flatnonzero(result["flags"] & int(Flag.ATOMIC))
    if len(rows) == 0:
        return
    what, _ = decode.lookup(result["word"][rows], arch)
    rows = rows[what & 3 == BOTH]
    second = sources[rows] == sources[np.maximum(rows, 1) - 1]
    second &= rows > 0
    stored = second | (batch.raw["flags"][sources[rows]] & TAKEN != 0)
    result["kind"][rows[stored]] = Kind.WRITE


def _fill_others(result: Array, batch: RstBatch, sources: Array) -> None:
    codes = batch.raw["rtype"][sources]
    traps = np.flatnonzero(codes == TRAP)
    gaps = np.flatnonzero(codes == MARKER)
    for rows, kind in ((traps, Kind.TRAP), (gaps, Kind.GAP)):
        for column in ("size", "word", "address", "value"):
            result[column][rows] = 0
        result["kind"][rows] = kind
        result["flags"][rows] = 0
    if len(traps):
        result["pc"][traps] = batch.column("trap", "pc", sources[traps])
        result["address"][traps] = batch.column("trap", "ttype", sources[traps])
        result["value"][traps] = batch.column("trap", "syscall", sources[traps])
        result["flags"][traps] = int(Flag.HAS_PC | Flag.HAS_ADDRESS | Flag.HAS_VALUE)
    result["pc"][gaps] = 0
