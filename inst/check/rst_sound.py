"""Checks that the execution which an RST trace records is architecturally possible.

In traces of every instruction the program counter follows the instruction words, through delay
slots and annulled ones; in all traces an address has one word, a taken branch goes to the target
of its word, traps are beside the instruction that trapped, and physical addresses are consistent.
What the format itself requires of header, strings and fields is the check `well-formed`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from inst.check.flow_rules import Control, Next, Steps, after, control_of
from inst.check.physical_rules import Translations
from inst.check.trap_frames import TrapFrames
from inst.check.whole import whole_from
from inst.check.word_rules import Words
from inst.formats.rst.codes import (
    EA_VALID,
    EVENT_RECORD,
    INSTR,
    MARKER,
    PATCH,
    PROCESS,
    STATUS,
    THREAD,
    TRAP,
    TRAPEXIT,
    TRAPPED,
)
from inst.formats.rst.record import RstBatch
from inst.formats.rst.table import SIZE
from inst.trace.finding import ERROR, WARNING, Check, Finding, Options
from inst.trace.model import Array, Flag, Kind, Trace
from inst.words import decode

CODES = {
    "rst-continuity": "An instruction does not stand where the one before it leads: records are "
    "missing. A gap left on purpose is marked by FILEMARKER or RECNUM; traps by TRAP. Or it is in "
    "a delay slot that its branch annuls, and is not marked as annulled.",
    "rst-target": "A taken branch has another effective address than its word and place give.",
    "rst-word": "Two instruction words at one address of a context (PAVADIFF's icontext): code "
    "that changed itself, another program, or damage.",
    "rst-trap": "An instruction that trapped (tr) has a TRAP record directly before or after it, "
    "with the same pc unless the trap is asynchronous.",
    "rst-pavadiff": "Each processor has a PAVADIFF or PHYSADDR before its first instruction, or "
    "the trace has TLB records; differences are whole pages, and the pc_pa of a PHYSADDR is the "
    "next pc with the difference added.",
}
FORMATS = ("rst",)

_BREAKS = (THREAD, TRAP, TRAPEXIT, PROCESS, MARKER, STATUS, PATCH)
"""Records after which an instruction may be anywhere."""
_IS_BREAK = np.isin(np.arange(256), _BREAKS)
_CARRIED = 2
"""Instructions of each processor that a batch hands to the next."""


def start(trace: Trace, options: Options) -> Check:
    """Return the check."""
    return RstSound(trace)


class RstSound(Check):
    """The check at work on one trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._every_instruction = False
        self._breaks = 0
        self._carried = np.zeros(0, _COLUMNS)
        self._words = Words()
        self._translations = Translations()
        self._frames = TrapFrames()
        self._first_fresh = 0
        self._trapped: tuple[int, int, int] | None = None
        """(record, cpu, pc) of an instruction that trapped and whose TRAP may follow."""
        self._last_trap: tuple[int, int, int] | None = None

    def batch(self, batch: RstBatch) -> Iterator[Finding]:
        codes = batch.raw["rtype"].copy()  # next to each other they compare ten times as fast
        rows = np.flatnonzero(codes == INSTR)
        raw = batch.raw.take(rows)
        cpus = batch.column("instr", "cpuid", rows)
        stated = self._translations.problems(
            batch, rows, cpus, has_begin=not whole_from(self._trace)
        )
        for record, message, severity in stated:
            yield self._finding("rst-pavadiff", record, message, None, severity)
        yield from self._traps(batch)
        for record, pc, message in self._words.contradictions(batch, rows, raw, cpus):
            yield self._finding("rst-word", record, message, pc, WARNING)
        breaks = _IS_BREAK[codes]
        own = np.flatnonzero(codes == EVENT_RECORD)
        kinds = batch.raw["flags"][own]
        breaks[own] = (kinds == Kind.GAP) | (
            np.isin(kinds, _EXECUTED) & (batch.raw["half"][own] & int(Flag.HAS_PC) != 0)
        )
        counted = np.cumsum(breaks) + self._breaks
        self._breaks = int(counted[-1]) if len(counted) else self._breaks
        if len(rows):
            steps = self._steps(batch, rows, raw, cpus, counted[rows])
            control = control_of(steps, self._trace.facts.arch)
            yield from self._targets(steps, control)
            self._learn(steps, control)
            if self._every_instruction:
                arch = self._trace.facts.arch
                yield from self._continuity(steps, after(steps, control, arch))
        else:
            self._frames.take(batch, self._carried, np.zeros(len(self._carried), bool))

    def finish(self) -> Iterator[Finding]:
        if self._trapped is not None:
            yield self._no_trap(self._trapped)

    def _steps(self, batch: RstBatch, rows: Array, raw: Array, cpus: Array, breaks: Array) -> Steps:
        """Put the instructions of each processor together, after the last of the batch before."""
        table = np.empty(len(self._carried) + len(rows), _COLUMNS)
        table[: len(self._carried)] = self._carried
        fresh = table[len(self._carried) :]
        fresh["pc"], fresh["ea"] = raw["first"], raw["second"]
        fresh["word"], fresh["bits"] = raw["word"], raw["flags"]
        fresh["cpu"] = cpus
        fresh["record"], fresh["breaks"] = rows + batch.first, breaks
        cpu = table["cpu"].copy()
        if (cpu != cpu[0]).any():
            table = table[np.argsort(cpu, kind="stable")]
            cpu = table["cpu"].copy()
        last = np.ones(len(table), bool)
        last[:-_CARRIED] = cpu[:-_CARRIED] != cpu[_CARRIED:]
        self._carried = table[last].copy()
        linked = np.zeros(len(table), bool)
        linked[1:] = (cpu[1:] == cpu[:-1]) & (table["breaks"][1:] == table["breaks"][:-1])
        linked[1:] &= table["bits"][:-1] & TRAPPED == 0
        self._first_fresh = batch.first
        arch = self._trace.facts.arch
        resumed, npc = self._frames.resumed(batch, table, linked, self._carried["record"], arch)
        return Steps(table["pc"], table["word"], table["bits"], table["ea"],
                     table["record"], linked, cpu, resumed, npc)  # fmt: skip

    def _learn(self, steps: Steps, control: Control) -> None:
        """See whether the trace has every instruction, not accesses alone."""
        if not self._every_instruction:
            what, _ = decode.lookup(steps.word, self._trace.facts.arch)
            done = steps.bits & TRAPPED == 0
            plain = done & (what & 3 == 0) & ~control.words.is_transfer & (steps.word != 0)
            self._every_instruction = bool(plain.any())

    def _continuity(self, steps: Steps, follows: Next) -> Iterator[Finding]:
        pc = steps.pc
        low = np.uint64(0xFFFFFFFF)
        narrow = (pc <= low).all()
        place, other = (follows.place & low, follows.other & low) if narrow else (
            follows.place, follows.other)  # fmt: skip
        wrong = np.zeros(len(pc), bool)
        wrong[1:] = (pc[1:] != place[:-1]) & (pc[1:] != other[:-1]) & ~follows.anywhere[:-1]
        wrong &= steps.linked & (steps.record >= self._first_fresh)
        for at in np.flatnonzero(wrong).tolist():
            expected = f"{place[at - 1]:#x}"
            if other[at - 1] != place[at - 1]:
                expected += f" or {other[at - 1]:#x}"
            message = (
                f"pc {pc[at]:#x} comes after pc {pc[at - 1]:#x} "
                f"(record {steps.record[at - 1]}), which leads to {expected}"
            )
            yield self._finding("rst-continuity", int(steps.record[at]), message, int(pc[at]))
        for at in np.flatnonzero(follows.annulled & (steps.record >= self._first_fresh)).tolist():
            message = (
                f"the delay slot at pc {pc[at]:#x} is not marked as annulled; the branch at "
                f"{pc[at - 1]:#x} (record {steps.record[at - 1]}) annuls it"
            )
            yield self._finding("rst-continuity", int(steps.record[at]), message, int(pc[at]))

    def _targets(self, steps: Steps, control: Control) -> Iterator[Finding]:
        taken = control.taken & control.words.is_direct & (steps.bits & EA_VALID != 0)
        taken &= steps.bits & TRAPPED == 0  # that has its handler's address
        low = np.uint64(0xFFFFFFFF)
        mask = low if bool((steps.pc <= low).all()) else ~np.uint64(0)
        wrong = taken & (steps.ea != control.words.target & mask)
        wrong &= steps.record >= self._first_fresh
        for at in np.flatnonzero(wrong).tolist():
            goal = int(control.words.target[at] & mask)
            message = (
                f"the branch at {steps.pc[at]:#x} is taken to {steps.ea[at]:#x}; its word "
                f"{steps.word[at]:#010x} leads to {goal:#x}"
            )
            yield self._finding("rst-target", int(steps.record[at]), message, int(steps.pc[at]))

    def _traps(self, batch: RstBatch) -> Iterator[Finding]:
        """Find the TRAP beside each instruction that trapped."""
        kinds = batch.raw["rtype"]
        trapped = (kinds == INSTR) & (batch.raw["flags"] & TRAPPED != 0)
        if self._trapped is None and not trapped.any():
            self._remember_trap(batch, kinds)
            return
        rows = np.flatnonzero((kinds == INSTR) | (kinds == TRAP))
        concerned = trapped[rows] | (kinds[rows] == TRAP)
        near = concerned.copy()  # with neighbours: they show that no TRAP is beside it
        near[1:] |= concerned[:-1]
        near[:-1] |= concerned[1:]
        near[:1] = near[-1:] = True
        for row in rows[near].tolist():
            if kinds[row] == TRAP:
                trap = self._trap(batch, row)
                if self._trapped is not None and trap[1] == self._trapped[1]:
                    yield from self._match(self._trapped, trap)
                    self._trapped = self._last_trap = None
                else:
                    self._last_trap = trap
                continue
            if self._trapped is not None:
                yield self._no_trap(self._trapped)
                self._trapped = None
            if trapped[row]:
                cpu = int(batch.column("instr", "cpuid", np.array([row]))[0])
                here = (batch.first + row, cpu, int(batch.raw["first"][row]))
                if self._last_trap is not None and self._last_trap[1] == cpu:
                    yield from self._match(here, self._last_trap)
                else:
                    self._trapped = here
            self._last_trap = None

    def _remember_trap(self, batch: RstBatch, kinds: Array) -> None:
        rows = np.flatnonzero((kinds == INSTR) | (kinds == TRAP))
        if len(rows):
            last = int(rows[-1])
            self._last_trap = self._trap(batch, last) if kinds[last] == TRAP else None

    def _trap(self, batch: RstBatch, row: int) -> tuple[int, int, int]:
        at = np.array([row])
        cpu = int(batch.column("trap", "cpuid", at)[0])
        asynchronous = batch.column("trap", "is_async", at)[0]
        return batch.first + row, cpu, -1 if asynchronous else int(batch.raw["first"][row])

    def _match(self, here: tuple[int, int, int], trap: tuple[int, int, int]) -> Iterator[Finding]:
        if trap[2] not in (-1, here[2]):
            message = f"the TRAP of the instruction at {here[2]:#x} has the pc {trap[2]:#x}"
            yield self._finding("rst-trap", trap[0], message, here[2])

    def _no_trap(self, here: tuple[int, int, int]) -> Finding:
        message = f"the instruction at {here[2]:#x} trapped, and no TRAP is beside it"
        return self._finding("rst-trap", here[0], message, here[2])

    def _finding(
        self, code: str, record: int, message: str, pc: int | None = None, severity: str = ERROR
    ) -> Finding:
        name = self._trace.name
        return Finding(code, severity, name, record, message, byte=record * SIZE, pc=pc)


_EXECUTED = (Kind.READ, Kind.WRITE, Kind.RESERVE, Kind.INSTRUCTION)
"""Events that are instructions without an INSTR, such as those of two words: where these lead is
not known."""
_COLUMNS = np.dtype(
    [("pc", "u8"), ("ea", "u8"), ("record", "u8"), ("word", "u4"), ("breaks", "u8"),
     ("cpu", "u2"), ("bits", "u1")]
)  # fmt: skip
