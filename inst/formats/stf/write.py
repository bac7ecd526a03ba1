"""STF as a target: the instructions of a PowerPC trace, with the registers they imply.

STF has no addresses or values of its own, only registers. A load or store states what its base
register held (the address less the offset) and what its data register held or received; these
are written as the registers that changed, so that reading gives the same accesses. They
are what the accesses imply, no more: registers of other instructions stay unknown, and a base
plus an index is split so that their sum is right.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from inst.arch.powerpc.words.operands import FROM_XER, Operands, operands_of
from inst.arch.registry import is_wide
from inst.formats.rst.write import grouped
from inst.formats.stf.facts import HALF
from inst.formats.stf.record import (
    STATUS,
    instruction_line,
    is_written_for,
    make_header,
    make_state,
    register_lines,
    status_line,
)
from inst.trace.model import KIND_NAMES, Array, Flag, Kind
from inst.trace.registry import codec_of
from inst.trace.writing import Job, RecordedRegisters, Writer
from inst.words.singles import double_of, single_of

LAST = 1 << 63
"""After every record."""
_NEEDED = int(Flag.HAS_PC | Flag.HAS_WORD)
_ADDRESS, _VALUE = int(Flag.HAS_ADDRESS), int(Flag.HAS_VALUE)
_EXECUTED = (Kind.READ, Kind.WRITE, Kind.RESERVE, Kind.INSTRUCTION)


class _Row(NamedTuple):
    """The columns of an event that STF has a use for."""

    record: int
    pc: int
    word: int
    kind: int
    flags: int
    address: int
    size: int
    value: int
    value_high: int
    thread: int


class _Disagree(Exception):
    """The registers cannot be what the access implies."""


class StfWriter(Writer):
    """Writes instructions; each waits for the next, whose registers stand after it."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._names: Callable[[int, int], str] | None = None
        self._wide = False
        self._registers = {f"{bank}{n:02d}": 0 for bank in "RF" for n in range(32)}
        self._pending: tuple[_Row, dict[str, int]] | None = None
        self._changed: dict[str, int] = {}
        self._later: dict[str, int] = {}
        self._thread: int | None = None
        codec = codec_of(job.trace)
        self._recorded: RecordedRegisters | None = None
        if codec.offers("registers"):
            self._recorded = codec.part("registers")(job.trace)
        self._status: dict[str, int] = {}
        self._lines: list[bytes] = []
        """What a batch has made so far."""

    def events(self, events: Array) -> None:
        """Write the batch's instructions."""
        arch = self._job.trace.facts.arch
        rows = self._chosen(events, is_written_for(arch))
        if self._names is None and len(rows):
            from inst.words.disassemble import disassembler

            self._names, self._wide = disassembler(arch), is_wide(arch)
        chosen = events[rows]
        columns = (chosen[name].tolist() for name in _Row._fields)
        found = [_Row(*row) for row in zip(*columns, strict=True)]
        starts = np.flatnonzero(~(grouped(chosen, arch) | _of_pairs(chosen))).tolist()
        for start, end in itertools.pairwise([*starts, len(found)]):
            self._instruction(found[start:end])
        self._write_lines()

    def _write_lines(self) -> None:
        self._job.output.write(b"".join(self._lines))
        self._lines.clear()

    def _chosen(self, events: Array, powerpc: bool) -> Array:
        """Return the rows STF has lines for; count the others."""
        add = self._job.losses.add
        executed = np.isin(events["kind"], _EXECUTED)
        for kind in np.unique(events["kind"][~executed]).tolist():
            add(f"{KIND_NAMES[kind]} events", int((events["kind"] == kind).sum()))
        if not powerpc:
            add("instructions, since the trace is not of a PowerPC", int(executed.sum()))
            return np.zeros(0, int)
        recorded = events["flags"] & _NEEDED == _NEEDED
        add("accesses without pc or instruction word", int((executed & ~recorded).sum()))
        chosen = executed & recorded
        add("source lines of events", int((chosen & (events["site"] != 0)).sum()))
        return np.flatnonzero(chosen)

    def _instruction(self, group: list[_Row]) -> None:
        """Write the instruction before; this one waits for what the next one implies."""
        first = group[0]
        add = self._job.losses.add
        recorded = self._take_recorded(first.record)
        operands = operands_of(first.word)
        digits = 64 if self._wide else 32
        if (first.pc | first.address) >> digits:
            add("addresses wider than the target's registers", 1)
            return
        if operands and first.kind == Kind.INSTRUCTION:
            add("memory instructions whose access did not happen", 1)
            return
        if self._thread not in (None, first.thread):
            add("switches between threads", 1)
        self._thread = first.thread
        before: dict[str, int] = {}
        after: dict[str, int] = {}
        if recorded:
            self._become(recorded, self._later)
        if operands:
            try:
                before, after = self._implied(operands, group, (1 << digits) - 1)
            except _Disagree:
                add("addresses and values that no registers agree with", len(group))
        self._become(before, self._later)
        self._write_pending()
        self._pending = first, self._status | _status(operands, group)
        self._become(after, self._changed)

    def _take_recorded(self, record: int) -> dict[str, int]:
        """Take what the trace states of registers up to a record; return what is since then.

        Status registers are before the next instruction, whenever they changed.
        """
        if self._recorded is None:
            return {}
        previous, since = self._recorded.until(record)
        if not previous and not since:
            return since
        found = []
        for registers in map(self._fitting, (previous, since)):
            self._status |= {n: value for n, value in registers.items() if n in STATUS}
            found.append({n: v for n, v in registers.items() if n not in STATUS})
        self._become(found[0], self._changed)
        return found[1]

    def _fitting(self, registers: dict[str, int]) -> dict[str, int]:
        """Leave out, and count, values that a 32-bit register cannot have."""
        fits = {n: v for n, v in registers.items() if self._wide or n[0] == "F" or v < 1 << 32}
        if len(fits) < len(registers):
            name = "registers wider than the target's"
            self._job.losses.add(name, len(registers) - len(fits))
        return fits

    def _implied(
        self, operands: Operands, group: list[_Row], mask: int
    ) -> tuple[dict[str, int], dict[str, int]]:
        """Return what the registers must hold before the instruction, and after it."""
        first = group[0]
        add = self._job.losses.add
        data: dict[str, int] = {}
        for row in group:
            if row.flags & _VALUE and operands.bank:
                moved = _data(operands, row, row.address - first.address, self._wide)
                data |= {name: v for name, v in moved.items() if not self._holds(name, v, row)}
            elif row.size and row.flags & _VALUE:
                add("values of vector registers and of dcbz", 1)
            elif row.size:
                add("that values were not known: registers stand as they last were", 1)
        stores = first.kind == Kind.WRITE
        before, after = (dict(data), {}) if stores else ({}, dict(data))
        if first.flags & _ADDRESS:
            self._solve(operands, first.address, mask, before)
        else:
            add("that addresses were not known: registers stand as they last were", 1)
        if operands.updates and first.flags & _ADDRESS:
            after[f"R{operands.base:02d}"] = first.address
        return before, after

    def _holds(self, name: str, value: int, row: _Row) -> bool:
        """Return whether a register that is known has those bytes, and perhaps more above them.

        Of a loaded register the bytes above are known only where the trace states registers.
        """
        if row.kind != Kind.WRITE and not (self._recorded and self._recorded.seen):
            return False
        held = self._registers[name]
        if name[0] == "F" and row.size == 4:
            return held & 0xFFFFFFFF == value or double_of(single_of(held)) == value
        return row.size < 8 and held & (1 << 8 * row.size) - 1 == value

    def _solve(self, operands: Operands, address: int, mask: int, wanted: dict[str, int]) -> None:
        """Add the base and index that make the address."""
        total = address - operands.displacement & mask
        names = [f"R{number:02d}" for number in (operands.base, operands.index) if number >= 0]
        if len(names) == 2 and names[0] == names[1]:
            if total % 2:
                raise _Disagree
            names, total = names[:1], total // 2
        if len(names) == 2:
            fixed = names.pop(0 if names[0] in wanted else 1)
            value = wanted.setdefault(fixed, self._registers[fixed])
            total = total - value & mask
        if not names:
            if total:
                raise _Disagree
        elif wanted.setdefault(names[0], total) != total:
            raise _Disagree

    def _become(self, registers: dict[str, int], changed: dict[str, int]) -> None:
        """Let the registers change, and remember which did."""
        for name, value in registers.items():
            if self._registers[name] != value:
                self._registers[name] = changed[name] = value

    def _write_pending(self) -> None:
        assert self._names is not None
        if self._pending is None:
            self._begin()
            return
        row, status = self._pending
        if self._later:  # two R lines: what is in neither may stand in both
            same = next(name for name in self._registers if name not in self._later)
            self._changed = self._changed or {same: self._registers[same]}
            if not any(name[0] == "R" for name in self._later):
                self._later["R00"] = self._registers["R00"]
        wide = self._wide
        digits = 16 if wide else 8
        mnemonic = self._names(row.word, row.pc).partition(" ")[0]
        text = status_line(status, digits) if status else b""
        text += instruction_line(row.pc, row.word, mnemonic, digits)
        text += register_lines(self._changed, wide)
        if self._later:
            text += register_lines(self._later, wide)
            self._later = {}
        self._lines.append(text)
        self._changed = {}

    def _begin(self) -> None:
        """Write the header and all registers as the first instruction needs them."""
        fields = {"OPTIONS": "0", "TRACE": self._job.trace.name, "VERSION": "inst convert"}
        arch = self._job.trace.facts.arch
        header = make_header(fields | ({"arch": arch} if is_written_for(arch) else {}))
        state = make_state(self._registers, wide=self._wide)
        self._lines.append(header.text + state.text)
        # After the first instruction there is one of each kind: both kinds are recorded.
        self._changed = {name: self._registers[name] for name in ("R00", "F00")}
        self._later = {}

    def finish(self) -> None:
        """Write the instruction that waits."""
        self._take_recorded(LAST)
        if self._pending:
            self._write_pending()
        elif self._names is None:
            self._begin()
        self._write_lines()
        facts = self._job.trace.facts
        strings = [text for text in facts.strings if not text.startswith(("registers=", "arch="))]
        self._job.losses.add("strings of the producer", len(strings))
        if self._recorded is not None:
            self._job.losses.add(
                "registers of REGVAL records without a name", self._recorded.unnamed
            )


def _of_pairs(events: Array) -> Array:
    """Return which events go on with an access of a pair of vector registers."""
    result = np.zeros(len(events), bool)
    words, places = np.unique(events["word"], return_inverse=True)
    is_pair = np.array([_is_pair(word) for word in words.tolist()], bool)[places]
    if not is_pair.any():
        return result
    result[1:] = is_pair[1:]
    for name in ("pc", "word", "cpu", "thread", "kind"):
        result[1:] &= events[name][1:] == events[name][:-1]
    result[1:] &= events["address"][1:] == events["address"][:-1] + events["size"][:-1]
    rows = np.arange(len(events))
    starts = np.maximum.accumulate(np.where(result, 0, rows))
    result &= (events["address"] - events["address"][starts]) % np.uint64(2 * HALF) != 0
    return result


def _is_pair(word: int) -> bool:
    operands = operands_of(word)
    return operands is not None and operands.access.size == 2 * HALF


def _status(operands: Operands | None, group: list[_Row]) -> dict[str, int]:
    """Return the status registers that an instruction's length depends on."""
    if operands is None or operands.length != FROM_XER:
        return {}
    return {"XER": sum(row.size for row in group)}


def _data(operands: Operands, row: _Row, offset: int, wide: bool) -> dict[str, int]:
    """Return what the data register holds for a value in memory."""
    number, value = operands.number, row.value
    if operands.access.multiple:
        number, value = (number + offset // 4) & 31, value << 8 * (4 - row.size)
    if operands.form == "reversed":
        value = int.from_bytes(value.to_bytes(row.size, "big"), "little")
    elif operands.form == "single":
        value = double_of(value)
    elif operands.form == "algebraic" and value >> 8 * row.size - 1:
        value |= (1 << (64 if wide else 32)) - (1 << 8 * row.size)
    if row.size == 16:
        pair = {f"R{number:02d}": row.value_high, f"R{(number + 1) & 31:02d}": value}
        return pair if wide else {}
    if operands.bank == "R" and not wide and value >> 32:
        raise _Disagree
    return {f"{operands.bank}{number:02d}": value}
