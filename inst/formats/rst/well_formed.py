"""Well-formedness of RST traces.

Real traces differ from the format's document, and what they do is accepted: stale text
after a NUL, no TRACEINFO, no STATUS, ea_valid on untaken branches, no effective addresses at all,
any order of TRAP and INSTR, records of unknown types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from inst.formats.rst.codes import (
    ANNULLED,
    CPU,
    EA_VALID,
    END_OF_FILE,
    HEADER,
    INSTR,
    MEMVAL,
    NULLREC,
    ONE,
    STATUS,
    STRCONT,
    STRDESC,
    TRACEINFO,
    TRAPPED,
    VARIANT,
    VIRTUAL,
)
from inst.formats.rst.heading import header_problems, no_header
from inst.formats.rst.record import RECORD, RstBatch
from inst.formats.rst.table import MODERN, SIZE
from inst.formats.rst.trace import RstTrace
from inst.trace.ending import became_another
from inst.trace.finding import ERROR, WARNING, Check, Finding
from inst.trace.model import Array
from inst.words import decode
from inst.words.access import MULTIPLE_BIT
from inst.words.decode import have_addresses, names_space

CODES = {
    "rst-header": "A trace begins with a HEADER record: majorVer, minorVer, '%', and the text "
    "'RST Header vMAJOR.MINOR', such as v1.8 and v2.09. Without it a reader cannot know which "
    "fields the records have.",
    "rst-version": "The header's version is not one this reader knows (1.0 to 2.13).",
    "rst-traceinfo": "TRACEINFO carries the trace's level (rtype2 is 2) and is before the "
    "first instruction.",
    "rst-string": "A string is STRCONT records, each full, and one STRDESC with a NUL at the end.",
    "rst-ea": "ea_valid belongs to instructions that have an effective address or a target, or "
    "that trapped: these may have the handler's address.",
    "rst-ea-missing": "Some memory instructions have an effective address and this one has not. "
    "Loads and stores that name an address space themselves (`ldxa [%g1]0x45`) may lack it.",
    "rst-memval": "MEMVAL follows the INSTR of the access whose value it carries, on the same "
    "cpu, with an address and a size that the instruction word can have.",
    "rst-cpuid": "Cpu numbers have 10 bits, 6 before version 2.12.",
    "rst-size": "A MEMVAL64 carries 1 to 8 bytes.",
    "rst-status": "Nothing but NULLREC follows STATUS EOF, which ends a trace.",
    "rst-type": "Records of type 1 are never valid. (Those of type 0 are space that was reserved "
    "and not written: a note reports them.)",
}


class RstWellFormed(Check):
    """The check at work on one trace."""

    def __init__(self, trace: RstTrace) -> None:
        self._trace = trace
        trace.notes_headers = False
        self._instr: RstBatch | None = None  # the last INSTR before the batch
        self._open_string = False
        self._seen_instruction = False
        self._with_ea = 0
        self._without_ea: int | None = None
        self._end: int | None = None  # record of STATUS EOF
        self._after_end: int | None = None

    def batch(self, batch: RstBatch) -> Iterator[Finding]:
        for rule in self._rules():
            yield from rule(batch)

    def _rules(self) -> tuple[Callable[[RstBatch], Iterator[Finding]], ...]:
        return (
            self._header,
            self._types,
            self._traceinfo,
            self._strings,
            self._effective_addresses,
            self._cpus,
            self._memory_values,
            self._ending,
        )

    def finish(self) -> Iterator[Finding]:
        if self._without_ea is not None and self._with_ea:
            message = "a memory instruction without effective address among others with"
            yield self._finding("rst-ea-missing", self._without_ea, message)
        if self._trace.count == 0:
            yield self._finding("rst-header", 0, "the trace holds no record")
        elif self._after_end is not None:
            yield self._finding("rst-status", self._after_end, "a record after STATUS EOF")
        elif self._end is None and not (self._trace.incomplete or became_another(self._trace)):
            self._trace.note("no STATUS EOF at the end, which not every tracer writes: nothing in "
                             "the trace shows whether it is whole")  # fmt: skip

    def _header(self, batch: RstBatch) -> Iterator[Finding]:
        record = next(batch.records())
        if record.rtype != HEADER:
            if batch.first == 0:
                yield self._finding("rst-header", 0, no_header(record))
            return
        for code, message in header_problems(record.fields):
            severity = WARNING if code == "rst-version" else ERROR
            yield self._finding(code, batch.first, message, severity)

    def _types(self, batch: RstBatch) -> Iterator[Finding]:
        for row in np.flatnonzero(batch.raw["rtype"] == ONE).tolist():
            yield self._finding("rst-type", batch.first + row, "a record of type 1")

    def _traceinfo(self, batch: RstBatch) -> Iterator[Finding]:
        codes = batch.raw["rtype"]
        instructions = np.flatnonzero(codes == INSTR)
        first = -1 if self._seen_instruction else len(codes)
        if len(instructions) and not self._seen_instruction:
            first, self._seen_instruction = int(instructions[0]), True
        for row in np.flatnonzero(codes == TRACEINFO).tolist():
            if row > first:
                message = "TRACEINFO after the first instruction"
                yield self._finding("rst-traceinfo", batch.first + row, message)
            if batch.raw["flags"][row] != 2:
                message = f"TRACEINFO of kind {batch.raw['flags'][row]}; 2 is the level"
                yield self._finding("rst-traceinfo", batch.first + row, message)

    def _strings(self, batch: RstBatch) -> Iterator[Finding]:
        codes = batch.raw["rtype"]
        if not self._open_string and not ((codes == STRCONT) | (codes == STRDESC)).any():
            return
        rows = np.flatnonzero(codes != NULLREC)
        kinds = codes[rows]
        piece = (kinds == STRCONT) | (kinds == STRDESC)
        opened = np.concatenate([[self._open_string], kinds[:-1] == STRCONT])
        for place in np.flatnonzero(opened & ~piece).tolist():
            message = "a string breaks off: STRCONT without the STRDESC that ends it"
            yield self._finding("rst-string", batch.first + int(rows[place]), message)
        octets = batch.raw.view("u1").reshape(-1, SIZE)
        ends = (octets[rows][:, 1:] == 0).any(axis=1)
        for place in np.flatnonzero(piece & (ends != (kinds == STRDESC))).tolist():
            message = "STRDESC without a NUL" if kinds[place] == STRDESC else "a NUL within STRCONT"
            yield self._finding("rst-string", batch.first + int(rows[place]), message)
        if len(kinds):
            self._open_string = bool(kinds[-1] == STRCONT)

    def _effective_addresses(self, batch: RstBatch) -> Iterator[Finding]:
        rows = np.flatnonzero(batch.raw["rtype"] == INSTR)
        raw = batch.raw.take(rows)
        words = raw["word"].astype("u4")
        what, _ = decode.lookup(words, self._trace.facts.arch)
        valid, memory = raw["flags"] & EA_VALID != 0, what & 3 != 0
        done = raw["flags"] & (ANNULLED | TRAPPED) == 0
        self._with_ea += int(np.count_nonzero(memory & valid))
        missing = np.flatnonzero(memory & ~valid & done)
        if len(missing) and self._without_ea is None:
            left_out = names_space(words[missing], self._trace.facts.arch)
            missing = missing[~left_out]  # some tracers follow no space
            if len(missing):
                self._without_ea = batch.first + int(rows[missing[0]])
        trapped = raw["flags"] & TRAPPED != 0  # with the handler's address
        others = np.flatnonzero(valid & ~memory & (words != 0) & ~trapped)
        for place in others[~have_addresses(words[others], self._trace.facts.arch)].tolist():
            message = f"ea_valid on the word 0x{words[place]:08x}, which has no address or target"
            yield self._finding("rst-ea", batch.first + int(rows[place]), message)

    def _cpus(self, batch: RstBatch) -> Iterator[Finding]:
        limit = 1024 if batch.version >= MODERN else 64
        rows = np.flatnonzero(batch.raw["rtype"] == CPU)
        numbers = batch.column("cpu", "cpu", rows)
        for place in np.flatnonzero(numbers >= limit).tolist():
            message = f"cpu {numbers[place]}; the largest is {limit - 1}"
            yield self._finding("rst-cpuid", batch.first + int(rows[place]), message)

    def _memory_values(self, batch: RstBatch) -> Iterator[Finding]:
        joined, shift = batch, 0
        codes = batch.raw["rtype"]
        if len(codes) == 0:
            return
        instruction, value = (int((codes == code).argmax()) for code in (INSTR, MEMVAL))
        goes_on = codes[instruction] != INSTR or value < instruction
        if goes_on and self._instr is not None and self._instr.version == batch.version:
            data = self._instr.tobytes() + batch.tobytes()
            joined, shift = RstBatch(0, np.frombuffer(data, RECORD), batch.version), 1
        codes = joined.raw["rtype"]
        instructions = np.flatnonzero(codes == INSTR)
        if len(instructions):
            last = int(instructions[-1])
            self._instr = RstBatch(0, joined.raw[last : last + 1].copy(), batch.version)
        values = np.flatnonzero(codes == MEMVAL)
        if len(values) == 0:
            return
        owner = np.cumsum(codes == INSTR)[values] - 1
        for row in values[owner < 0].tolist():
            yield self._finding("rst-memval", batch.first + row - shift, "MEMVAL before any INSTR")
        values, owner = values[owner >= 0], owner[owner >= 0]
        pairs = _Pairs(joined, instructions[owner], values, self._trace.facts.arch)
        for row, code, message in pairs.problems():
            yield self._finding(code, batch.first + row - shift, message)

    def _ending(self, batch: RstBatch) -> Iterator[Finding]:
        codes = batch.raw["rtype"]
        ends = np.flatnonzero((codes == STATUS) & (batch.raw["flags"] == END_OF_FILE))
        if self._end is None and len(ends):
            self._end = batch.first + int(ends[0])
        if self._end is not None and self._after_end is None:
            start = max(self._end + 1 - batch.first, 0)
            later = np.flatnonzero(codes[start:] != NULLREC)
            if len(later):
                self._after_end = batch.first + start + int(later[0])
        yield from ()

    def _finding(self, code: str, record: int, message: str, severity: str = ERROR) -> Finding:
        return Finding(code, severity, self._trace.name, record, message, byte=record * SIZE)


class _Pairs:
    """MEMVAL records and the INSTR each belongs to, as columns."""

    def __init__(self, batch: RstBatch, instructions: Array, values: Array, arch: str) -> None:
        self.rows = values
        self.words = batch.raw["word"][instructions].astype("u4")
        self.arch = arch
        self.instr_cpu = batch.column("instr", "cpuid", instructions)
        self.cpu = batch.column("memval64", "cpuid", values)
        self.wide = batch.raw["flags"][values] & VARIANT != 0
        self.virtual = batch.raw["flags"][values] & VIRTUAL != 0
        size = batch.column("memval64", "size", values)
        self.size = np.where(self.wide, 16, size)
        self.address = batch.raw["first"][values].astype("u8")
        self.address[self.wide] = batch.column("memval128", "addr", values[self.wide])
        self.ea = batch.raw["second"][instructions].astype("u8")
        self.valid = batch.raw["flags"][instructions] & EA_VALID != 0
        self.what, self.expected = decode.lookup(self.words, arch)

    def problems(self) -> Iterator[tuple[int, str, str]]:
        """Yield (row, code, message) for every pair that does not fit."""
        memory = self.what & 3 != 0
        bad_size = ~self.wide & ((self.size == 0) | (self.size > 8))
        yield from self._each(bad_size, "rst-size", lambda at: f"MEMVAL of {self.size[at]} bytes")
        yield from self._each(
            ~memory,
            "rst-memval",
            lambda at: f"MEMVAL after 0x{self.words[at]:08x}, which accesses no memory",
        )
        yield from self._each(
            memory & (self.cpu != self.instr_cpu),
            "rst-memval",
            lambda at: f"MEMVAL of cpu {self.cpu[at]} after an INSTR of cpu {self.instr_cpu[at]}",
        )
        fits = memory & ~bad_size
        one = self.what & MULTIPLE_BIT == 0
        known = self.expected != 0
        yield from self._each(
            fits & one & known & (self.size > self.expected),
            "rst-memval",
            lambda at: f"MEMVAL of {self.size[at]} bytes; the word accesses {self.expected[at]}",
        )
        offset = self.address - self.ea
        room = np.where(one, np.maximum(self.expected, self.size), decode.MULTIPLE_LIMIT)
        outside = offset > room - self.size
        located = fits & known & self.valid & self.virtual
        yield from self._each(located & outside, "rst-memval", self._elsewhere)

    def _elsewhere(self, at: int) -> str:
        return f"MEMVAL at {self.address[at]:#x}; the access is at {self.ea[at]:#x}"

    def _each(
        self, bad: Array, code: str, message: Callable[[int], str]
    ) -> Iterator[tuple[int, str, str]]:
        for place in np.flatnonzero(bad).tolist():
            yield int(self.rows[place]), code, message(place)
