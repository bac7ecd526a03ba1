"""From events to RST records, column by column.

An event that an INSTR with its MEMVALs, a TRAP or a RECNUM records in full is written so; any
other as a record of our own. Which of the two is not decided by rules: the records are made,
read back, and kept where they are the same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from inst.arch.registry import is_little, producer
from inst.formats.rst import table as rst_table
from inst.formats.rst.codes import (
    ANNULLED,
    EA_VALID,
    END_OF_FILE,
    EVENT_TEXT,
    IS_SITE,
    LAST,
    PRIVILEGED,
    TAKEN,
    TRAPPED,
    VARIANT,
)
from inst.formats.rst.events import State, convert
from inst.formats.rst.heading import beginning
from inst.formats.rst.record import RECORD, RstBatch, encode, encode_string
from inst.formats.rst.trace import RstTrace
from inst.trace.model import EVENT, Array, Facts, Flag, Kind, Trace
from inst.trace.registry import codec_of
from inst.trace.writing import Job, Output, Writer
from inst.words import decode
from inst.words.access import MULTIPLE_BIT
from inst.words.model import Words

_CPU, _THREAD, _PREG, _PAVADIFF, _MAIN, _SECOND, _THIRD = range(7)
_VALUE, _WORD = int(Flag.HAS_VALUE), int(Flag.HAS_WORD)
_FLAGS = ~int(Flag.STATED) & 0xFFFF
"""What an EVENT record states; that its id is stated is in the EVENT_PC."""
_BITS = ((Flag.HAS_ADDRESS, EA_VALID), (Flag.TRAPPED, TRAPPED),
         (Flag.PRIVILEGED, PRIVILEGED),
         (Flag.TAKEN, TAKEN), (Flag.ANNULLED, ANNULLED))  # fmt: skip
_COMPARED = tuple(name for name in EVENT.names or () if name not in ("record", "id"))


def pack(name: str, count: int, **columns: Array | int) -> Array:
    """Return records of a type, filled from columns; bits that do not fit are cut off."""
    octets = np.zeros((count, rst_table.SIZE), "u1")
    kind = rst_table.BY_NAME[name]
    octets[:, 0] = kind.code
    if kind.variant:
        octets[:, 1] = VARIANT
    for key, column in columns.items():
        field = kind.field(key)
        values = np.broadcast_to(np.asarray(column, "u8"), count)
        values = values >> np.uint64(max(field.signed_shift, 0))
        for start, width in reversed(field.parts):
            _put(octets, start, width, values)
            values = values >> np.uint64(width) if width < 64 else np.zeros_like(values)
    return octets.view(RECORD).reshape(count)


def _put(octets: Array, start: int, width: int, values: Array) -> None:
    first, last = start // 8, (start + width - 1) // 8
    below = np.uint64((last + 1) * 8 - start - width)
    cut = (values & np.uint64((1 << width) - 1)) << below
    octets[:, first : last + 1] |= (
        cut.astype(">u8").view("u1").reshape(-1, 8)[:, first - last - 1 :]
    )


Further = Callable[[int], tuple[Array, Array]]
"""Gives the records to put between those of events up to an ordinal of the source, and where:
twice the ordinal of the record they belong to, plus 1 for after it."""


class RstWriter(Writer):
    """Writes events to an RST trace of version 2.13."""

    def __init__(self, trace: Trace, output: Output) -> None:
        self._trace = trace
        self._output = output
        self._strings = 0
        self._images = 0
        self._arch = ""
        self._cpu = 0
        self._threads: dict[int, int] = {}
        self._seen_cpus = np.zeros(1024, bool)
        self._words, self._sites = {0}, {0}
        self._last_id, self._first = -1, True
        self.further: Further | None = None
        output.write(beginning())

    def events(self, events: Array) -> None:
        """Write a batch of events, and before it what became known of the trace."""
        self._write_facts(self._trace.facts)
        native, further = self._native(events)
        self._write_texts(events[~native])
        slots = np.zeros((len(events), 7), RECORD)
        used = np.zeros((len(events), 7), bool)
        self._switch(events, slots, used)
        main, value, pair = _instructions(events, self._arch)
        rows = np.flatnonzero(native)
        slots[rows, _MAIN], slots[rows, _SECOND] = main[rows], value[rows]
        slots[rows, _THIRD] = pair[rows]
        used[rows, _MAIN] = ~further[rows]
        used[rows, _SECOND] = value["rtype"][rows] != 0
        used[rows, _THIRD] = pair["rtype"][rows] != 0
        self._own(events, np.flatnonzero(~native), slots, used)
        self._output.write(self._with_further(events, slots[used], used).tobytes())

    def _with_further(self, events: Array, records: Array, used: Array) -> Array:
        """Insert what else the source records about instructions, where it belongs."""
        if self.further is None or not len(events):
            return records
        places, further = self.further(int(events["record"][-1]))
        ends = np.cumsum(used.sum(axis=1))
        fronts = ends - used[:, _MAIN:].sum(axis=1)
        rows = np.searchsorted(events["record"], (places // 2).astype("u8"), "right") - 1
        after = places % 2 == 1
        firsts = np.searchsorted(events["record"], (places // 2).astype("u8"), "left")
        before = np.where(rows >= 0, ends[np.maximum(rows, 0)], 0)
        positions = np.where(after, before, fronts[np.minimum(firsts, len(events) - 1)])
        result = np.empty(len(records) + len(further), RECORD)
        at = positions + np.arange(len(further))
        own = np.ones(len(result), bool)
        own[at] = False
        result[own], result[at] = records, further
        return result

    def finish(self) -> None:
        """End the trace."""
        self._write_facts(self._trace.facts)
        self._output.write(encode("status", status=END_OF_FILE))

    def _write_facts(self, facts: Facts) -> None:
        for text in facts.strings[self._strings :]:
            self._output.write(encode_string(text))
            if text.startswith("arch="):
                self._arch = text[5:].strip()
        self._strings = len(facts.strings)
        if facts.arch and facts.arch != self._arch:
            self._arch = facts.arch
            self._output.write(encode_string(f"arch={facts.arch}"))
        for image in facts.images[self._images :]:
            text = f"image={image.path} base=0x{image.base:x}"
            if text not in facts.strings:
                self._output.write(encode_string(text))
        self._images = len(facts.images)

    def _write_texts(self, events: Array) -> None:
        """Spell the words and sites that records of our own are about to name."""
        trace = self._trace
        for column, texts, known in (
            ("detail", trace.words.texts, self._words),
            ("site", trace.sites.texts, self._sites),
        ):
            for number in np.unique(events[column]).tolist():
                if number not in known:
                    known.add(number)
                    is_site = column == "site"
                    self._output.write(_text_records(texts[number], number, is_site=is_site))

    def _native(self, events: Array) -> tuple[Array, Array]:
        """Return which events plain records express in full, and which share an INSTR."""
        grouped_rows = grouped(events, self._arch)
        slots = np.zeros((len(events), 3), RECORD)  # numpy.stack would lose the byte order
        for place, column in enumerate(_instructions(events, self._arch)):
            slots[:, place] = column
        used = slots["rtype"] != 0
        used[:, 0] = ~grouped_rows
        batch = RstBatch(0, slots[used], rst_table.CURRENT)
        state = State(RstTrace("", []))
        found = next(convert(batch, self._arch, state), np.zeros(0, EVENT))
        if len(found) != len(events):
            return np.zeros(len(events), bool), grouped_rows
        wanted = events.copy()
        wanted["thread"] = found["thread"]
        wanted["detail"][_plain(events, self._trace)] = 0
        same = np.ones(len(events), bool)
        for name in _COMPARED:
            same &= wanted[name] == found[name]
        same &= self._in_order(events)
        return _whole_groups(same, grouped_rows), grouped_rows

    def _in_order(self, events: Array) -> Array:
        """Return which ids need no writing: the place of the record implies the same.

        Ids of s-expressions are written where they do not go on by one, and the first is.
        """
        ids = events["id"]
        if codec_of(self._trace).states_ids and len(ids):
            before = np.concatenate((np.array([self._last_id], "i8").view("u8"), ids[:-1]))
            self._last_id = int(ids[-1].astype("i8"))
            goes_on = np.asarray(ids == before + np.uint64(1), bool)
            goes_on[0] &= not self._first
            self._first = False
            return goes_on
        follows = np.ones(len(ids), bool)
        follows[1:] = ids[1:] >= ids[:-1]
        follows[0] = int(ids[0]) > self._last_id
        self._last_id = int(ids[-1])
        return follows

    def _switch(self, events: Array, slots: Array, used: Array) -> None:
        """Put CPU and THREAD records where another thread goes on."""
        cpus, threads = events["cpu"] & 1023, events["thread"]
        changed = np.ones(len(events), bool)
        changed[1:] = (cpus[1:] != cpus[:-1]) | (threads[1:] != threads[:-1])
        rows = []
        for row in np.flatnonzero(changed).tolist():
            cpu, thread = int(cpus[row]), int(threads[row])
            if cpu == self._cpu and self._threads.get(cpu) == thread:
                continue
            used[row, _CPU] = cpu != self._cpu or cpu not in self._threads
            used[row, _THREAD] = self._threads.get(cpu) != thread
            fresh = not self._seen_cpus[cpu]
            used[row, _PREG] = used[row, _PAVADIFF] = fresh
            self._seen_cpus[cpu] = True
            self._cpu, self._threads[cpu] = cpu, thread
            rows.append(row)
        count = len(rows)
        slots[rows, _CPU] = pack("cpu", count, cpu=cpus[rows])
        slots[rows, _THREAD] = pack("thread", count, tid=threads[rows])
        slots[rows, _PREG] = pack("preg", count, cpuid=cpus[rows])
        slots[rows, _PAVADIFF] = pack("pavadiff", count, cpuid=cpus[rows], ea_valid=1)

    def _own(self, events: Array, rows: Array, slots: Array, used: Array) -> None:
        """Write events as records of our own."""
        chosen, count = events[rows], len(rows)
        slots[rows, _MAIN] = pack(
            "event", count, kind=chosen["kind"], flags=chosen["flags"] & _FLAGS,
            detail=chosen["detail"], cpuid=chosen["cpu"], address=chosen["address"],
            value=chosen["value"],
        )  # fmt: skip
        slots[rows, _SECOND] = pack(
            "event_pc", count, stated=codec_of(self._trace).states_ids, word=chosen["word"],
            pc=chosen["pc"], id=chosen["id"],
        )  # fmt: skip
        slots[rows, _THIRD] = pack(
            "event_size", count, site=chosen["site"], size=chosen["size"],
            value_high=chosen["value_high"],
        )  # fmt: skip
        used[rows, _MAIN] = used[rows, _SECOND] = True
        used[rows, _THIRD] = (
            (chosen["site"] != 0) | (chosen["size"] != 0) | (chosen["value_high"] != 0)
        )


def _plain(events: Array, trace: Trace) -> Array:
    """Return which stores have the order that a store without a word has."""
    plain = trace.words.texts.index("plain") if "plain" in trace.words.texts else 0
    return np.asarray((events["kind"] == Kind.WRITE) & (events["detail"] == plain))


def grouped(events: Array, arch: str) -> Array:
    """Return which events are further values of the instruction before them.

    They come from the same record; or, where each has its own, they go on at the next address
    with the next register of a load or store of several.
    """
    result = np.zeros(len(events), bool)
    if len(events) < 2:
        return result
    same = np.ones(len(events) - 1, bool)
    for name in ("pc", "word", "cpu", "thread", "kind"):
        same &= events[name][1:] == events[name][:-1]
    valued = events["flags"] & (_VALUE | _WORD) == _VALUE | _WORD
    together = np.zeros(len(events), bool)
    together[1:] = events["record"][1:] == events["record"][:-1]
    what, _ = decode.lookup(events["word"], arch)
    follows = events["address"][1:] == events["address"][:-1] + events["size"][:-1]
    follows &= what[1:] & MULTIPLE_BIT != 0
    result[1:] = same & valued[1:] & valued[:-1] & (together[1:] | follows)
    longest = producer(arch).part(Words).longest if arch else None
    if longest is not None and (result & ~together).any():
        limit = longest(events["word"])
        places = np.arange(len(events))
        starts = np.maximum.accumulate(np.where(result, 0, places))
        result &= together | ((places - starts) % limit != 0)
    return result


def _whole_groups(same: Array, grouped: Array) -> Array:
    """Let a group be plain records only if all of it can."""
    group = np.cumsum(~grouped)
    bad = np.unique(group[~same])
    return ~np.isin(group, bad)


def _instructions(events: Array, arch: str) -> tuple[Array, Array, Array]:
    """Return each event's INSTR (or TRAP, or RECNUM), MEMVAL, and second half of 16 bytes."""
    count, flags = len(events), events["flags"]
    bits = np.zeros(count, "u1")
    for flag, bit in _BITS:
        bits |= np.where(flags & int(flag) != 0, bit, 0).astype("u1")
    atomic_store = (events["kind"] == Kind.WRITE) & (flags & int(Flag.ATOMIC) != 0)
    bits |= np.where(atomic_store, TAKEN, 0).astype("u1")
    main = pack("instr", count, cpuid=events["cpu"], instr=events["word"], pc_va=events["pc"],
                ea_va=events["address"])  # fmt: skip
    main["flags"] = bits
    traps = events["kind"] == Kind.TRAP
    main[traps] = pack("trap", count, cpuid=events["cpu"], ttype=events["address"],
                       syscall=events["value"], pc=events["pc"])[traps]  # fmt: skip
    gaps = events["kind"] == Kind.GAP
    main[gaps] = pack("recnum", count, cpuid=events["cpu"])[gaps]
    wide = events["size"] == 16
    upper, lower = events["value_high"], events["value"]
    if is_little(arch):
        upper, lower = lower, upper
    value = pack("memval64", count, addrisVA=1, cpuid=events["cpu"], addr=events["address"],
                 size=np.where(wide, 8, events["size"]),
                 val=np.where(wide, upper, events["value"]))  # fmt: skip
    pair = pack("memval64", count, addrisVA=1, cpuid=events["cpu"], size=8, val=lower,
                addr=events["address"] + np.uint64(8))  # fmt: skip
    valued = (flags & _VALUE != 0) & ~traps & ~gaps
    value[~valued] = 0
    pair[~(valued & wide)] = 0
    return main, value, pair


def _text_records(text: str, number: int, *, is_site: bool) -> bytes:
    data = text.encode("utf-8", "surrogateescape").replace(b"\0", b" ")
    parts = [data[start : start + 16] for start in range(0, len(data), 16)] or [b""]
    head = EVENT_TEXT.to_bytes(1, "big")
    return b"".join(
        head
        + bytes([LAST * (place == len(parts) - 1) | IS_SITE * is_site, 0, 0])
        + number.to_bytes(4, "big")
        + part.ljust(16, b"\0")
        for place, part in enumerate(parts)
    )


def writer(job: Job) -> RstWriter:
    """Return the writer of a conversion; registers of the source stand between its events."""
    found = RstWriter(job.trace, job.output)
    if codec_of(job.trace).offers("register records"):
        found.further = codec_of(job.trace).part("register records")(job.trace)
    return found
