"""A section of rstzip version 3 to its records.

Each record is predicted from those before it, so that records are made one after the other.
"""

from __future__ import annotations

from collections.abc import Callable
from struct import pack_into
from typing import TYPE_CHECKING

from inst.formats.rst.codes import (
    DMA,
    EMPTY,
    INSTR,
    MEMVAL,
    PAVADIFF,
    PREG,
    REGVAL,
    RFS_BT,
    RFS_CW,
    RFS_SECTION,
    TLB,
    TRAP,
)
from inst.formats.rst.rstzip.layout import (
    ALL_HITS,
    ARRAYS,
    FIRST_VALUE,
    HIT_ANNULLED,
    HIT_HYPER,
    HIT_PC,
    HIT_PRIVILEGED,
    HIT_TAKEN,
    HIT_TRAPPED,
    HIT_VALID,
    HIT_WORD,
    KEY_INSTR,
    KEY_OTHER,
    LEVELS,
    PAGE,
    WIDE_CPUS,
)
from inst.formats.rst.rstzip.predict import MASK, Cpu, Cpus, Known, register_place
from inst.formats.rst.rstzip.source import Unreadable
from inst.formats.rst.rstzip.words import FIRST_TRANSFER, MEMORY, TRAP_RETURN, classify
from inst.formats.rst.table import SIZE
from inst.trace.model import Array

DMA_REFERENCES = (6, 7)
"""Kinds of warming references that are DMA; 1 is an instruction's and 4 a prefetch."""
_KEYED = (INSTR, REGVAL, PAVADIFF)
_UNKNOWN_BEFORE = 15
"""The last minor version that predicts no differences of the addresses 0."""


class Decoder:
    """Makes the records of one section after the other.

    `_next_NAME` returns the next element of an array of `layout.ARRAYS`.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[[], int]: ...

    def __init__(self, minor: int) -> None:
        self._minor = minor
        self._cpus = Cpus()
        self._forms: dict[int, Callable[[int], None]] = {
            INSTR: self._instr,
            REGVAL: self._regval,
            PAVADIFF: self._pavadiff,
            MEMVAL: self._memval,
            TRAP: self._trap,
            TLB: self._tlb,
            PREG: self._preg,
            DMA: self._dma,
            RFS_CW: self._rfs_cw,
            RFS_BT: self._rfs_bt,
        }

    def section(self, count: int, arrays: list[Array]) -> tuple[bytearray, str]:
        """Return the records of a section, and what is wrong after those; "" if nothing is."""
        self._take = [iter(array.tolist()).__next__ for array in arrays]
        for place, array in enumerate(ARRAYS):
            setattr(self, f"_next_{array.name}", self._take[place])
        self._number = self._take[FIRST_VALUE + len(LEVELS)]
        self._out = bytearray(count * SIZE)
        self._row = 0
        try:
            self._run(count)
        except StopIteration:
            return self._until(self._row), "the arrays end before the section does"
        except IndexError:
            return self._until(self._row), "a key that no value has"
        except Unreadable as error:
            return self._until(self._row), str(error)
        for cpu in self._cpus.seen.values():
            cpu.pending = None
        return self._out, ""

    def _run(self, count: int) -> None:
        """Make the records, nearly all of which are instructions."""
        cpus, key, out = self._cpus, self._next_type_key, self._out
        for row in range(count):
            self._row = row
            if cpus.phase:
                self._record(row, self._warming())
                continue
            kind = key()
            if kind == KEY_INSTR:
                out[row * SIZE] = INSTR
                self._instr(row * SIZE)
                cpus.type_before = INSTR
            else:
                self._record(row, _KEYED[kind] if kind < KEY_OTHER else self._next_type())

    def _until(self, row: int) -> bytearray:
        """Return the records before one, and before a PAVADIFF that would wait for later ones."""
        waiting = [cpu.pending[0] for cpu in self._cpus.seen.values() if cpu.pending]
        return self._out[: min([row, *waiting]) * SIZE]

    def _record(self, row: int, code: int) -> None:
        cpus = self._cpus
        form = self._forms.get(code)
        if form is not None:
            self._out[row * SIZE] = code
            form(row * SIZE)
            cpus.type_before = code
            return
        number, at = self._number, row * SIZE
        pack_into(">QQQ", self._out, at, number(), number(), number())
        cpus.type_before = self._out[at]
        if cpus.type_before == RFS_SECTION:
            count = int.from_bytes(self._out[at + 8 : at + 16], "big")
            cpus.begin_phase(self._out[at + 1], count)

    def _warming(self) -> int:
        """Return the type of a record where one kind of warming records is expected."""
        cpus = self._cpus
        if not self._next_rfs_type_hit():
            cpus.phase = 0
            return self._next_type()
        code = cpus.phase
        cpus.phase_seen += 1
        if cpus.phase_seen == cpus.phase_records:
            cpus.phase = 0
        return code

    def _value(self, cpu: Cpu) -> int:
        level = self._next_value_level()
        return cpu.values.read(level, self._take[FIRST_VALUE + level]())

    def _cpu_number(self, expected: int) -> int:
        return expected if self._next_cpu_hit() else self._next_cpu()

    def _instr(self, at: int) -> None:
        cpus = self._cpus
        number = cpus.expected if self._next_cpu_hit() else self._next_cpu()
        cpu = cpus.step(number)
        half = (number & 63) << 10 | number >> 6 << 6
        hits = ALL_HITS
        if self._next_instr_hit():
            known = cpu.expected()
            if known is not None:
                pc, ea = cpu.before, self._value(cpu) if known.flags else 0
                flags = known.flags | cpu.privileged << 3
                pack_into(">BHIQQ", self._out, at + 1, flags, half, known.word.word, pc, ea)
                if cpu.pending:
                    self._settle(cpu, pc, ea, flags)
                return
        else:
            hits = self._next_instr_hits()
        self._other_instr(at, cpu, half, hits)

    def _other_instr(self, at: int, cpu: Cpu, half: int, hits: int) -> None:
        """Make an instruction that is not as expected, or a transfer."""
        pc = cpu.pc if hits & HIT_PC else self._number()
        cpu.advance(pc, bool(hits & HIT_PC))
        annulled = cpu.annulled if hits & HIT_ANNULLED else 1 - cpu.annulled
        known = self._known(cpu, pc, hits, annulled)
        cpu.leave_slot(known.word)
        flags = annulled << 1 | (not hits & HIT_TRAPPED) << 5 | self._privilege(cpu, hits)
        ea = 0
        if not annulled:
            if known.word.kind >= FIRST_TRANSFER:
                more, ea = self._transfer(cpu, pc, known, hits)
            else:
                more = self._plain(cpu, known.word.kind, hits)
                if more & 0x40:
                    ea = self._value(cpu)
            flags |= more
        pack_into(">BHIQQ", self._out, at + 1, flags, half, known.word.word, pc, ea)
        if cpu.pending:
            self._settle(cpu, pc, ea, flags)

    def _known(self, cpu: Cpu, pc: int, hits: int, annulled: int) -> Known:
        known = cpu.instructions.get(pc)
        if hits & HIT_WORD:
            if known is None:
                raise Unreadable(f"an instruction at {pc:#x} that is not in the cache")
            return known
        word = classify(self._next_word(), self._minor)
        return cpu.instructions.set(pc, word, bool(annulled))

    def _privilege(self, cpu: Cpu, hits: int) -> int:
        """Return the bits of the privileged modes, which stay until they change."""
        if self._minor >= WIDE_CPUS:
            if not hits & HIT_HYPER:
                cpu.hyper = 1 - cpu.hyper
            if cpu.hyper:
                cpu.privileged = 0
        if not hits & HIT_PRIVILEGED:
            cpu.privileged = 1 - cpu.privileged
        return cpu.hyper << 4 | cpu.privileged << 3

    def _plain(self, cpu: Cpu, kind: int, hits: int) -> int:
        """Return the bits of an instruction that is no transfer: bt and ea_valid."""
        ends_trap = kind == TRAP_RETURN
        with_address = kind == MEMORY or ends_trap or not hits & HIT_TRAPPED
        taken = ends_trap == bool(hits & HIT_TAKEN)
        cpu.annulled = 0
        return taken << 2 | (with_address == bool(hits & HIT_VALID)) << 6

    def _transfer(self, cpu: Cpu, pc: int, known: Known, hits: int) -> tuple[int, int]:
        kind = known.word.kind
        expected = cpu.taken(pc, kind)
        taken = expected if hits & HIT_TAKEN else 1 - expected
        ea = cpu.transfer(pc, known, taken)
        if not self._next_target_hit():
            ea = self._number()
            cpu.correct(pc, kind, ea)
        return taken << 2 | (hits & HIT_VALID != 0) << 6, ea

    def _pavadiff(self, at: int) -> None:
        cpus = self._cpus
        number = cpus.expected = self._cpu_number(cpus.expected)
        cpu = cpus.of(number)
        if not self._next_icontext_hit():
            cpu.icontext = self._next_icontext()
        if not self._next_dcontext_hit():
            cpu.dcontext = self._next_dcontext()
        valid = self._next_pavadiff_valid()
        pc_hit = bool(self._next_pc_difference_hit())
        pc = 0 if pc_hit else self._number()
        ea_hit, ea = False, 0
        if valid:
            ea_hit = bool(self._next_ea_difference_hit())
            ea = 0 if ea_hit else self._number()
        ahead = pc_hit or ea_hit or self._next_pavadiff_ahead()
        cpu.pending = (at // SIZE, pc_hit, ea_hit) if ahead else None
        low, high = number & 127, number >> 7 << 5
        contexts = cpu.icontext, cpu.dcontext
        pack_into(">BBxHHQQ", self._out, at + 1, valid << 7 | low, high, *contexts, pc, ea)

    def _settle(self, cpu: Cpu, pc: int, ea: int, flags: int) -> None:
        """Complete a PAVADIFF by the instruction after it, whose pages it is about."""
        assert cpu.pending is not None
        (row, pc_hit, ea_hit), cpu.pending = cpu.pending, None
        at, old = row * SIZE, self._minor <= _UNKNOWN_BEFORE
        page, data = cpu.page(pc), cpu.data_page(ea)
        if pc_hit:
            pack_into(">Q", self._out, at + 8, cpu.pages[page] << PAGE & MASK)
        elif pc or not old:
            cpu.pages[page] = int.from_bytes(self._out[at + 8 : at + 16], "big") >> PAGE
        if ea_hit:
            difference = 42 if old and not ea else cpu.data_pages[data]
            pack_into(">Q", self._out, at + 16, difference << PAGE & MASK)
        elif self._out[at + 1] & 0x80 and (ea if old else flags & 0x40):
            cpu.data_pages[data] = int.from_bytes(self._out[at + 16 : at + 24], "big") >> PAGE

    def _regval(self, at: int) -> None:
        cpus = self._cpus
        number = self._cpu_number(cpus.last)
        cpu = cpus.of(number)
        post = self._next_regval_post()
        place = register_place(cpu)
        again = 2 * (cpus.type_before == REGVAL)
        types, ids, numbers = [0, 0], [0, 0], [0, 0]
        for slot in (0, 1):
            known = cpu.register_types[slot]
            if not self._next_regtype_hit():
                known[place] = self._next_regtype()
            types[slot] = known[place]
            if types[slot] == EMPTY:
                continue
            known = cpu.register_ids[slot]
            expected = known[place] + again & 0xFF
            known[place] = expected if self._next_regid_hit() else self._next_regid()
            ids[slot] = known[place]
            numbers[slot] = 0 if self._next_value_zero() else self._value(cpu)
        first, high = post << 7 | number & 127, number >> 7 << 5
        pack_into(">BBBBBBxQQ", self._out, at + 1, first, *types, *ids, high, *numbers)

    def _memval(self, at: int) -> None:
        cpus, flag = self._cpus, self._next_memval_flag
        wide, physical = flag(), flag()
        number = self._cpu_number(cpus.expected)
        cpu = cpus.of(number)
        first = wide << 7 | (1 - physical) << 6 | number >> 8
        if not wide:
            size = self._next_memval_size() + 1
            values = self._value(cpu), self._value(cpu)
            pack_into(">BBBxxxxQQ", self._out, at + 1, first, number & 0xFF, size, *values)
            return
        goes_on = flag()
        high = low = 0
        if not goes_on:
            high, low = self._next_memval_high(), self._next_memval_low()
        values = self._value(cpu), self._value(cpu)
        first |= goes_on << 5
        pack_into(">BBBIQQ", self._out, at + 1, first, number & 0xFF, high, low, *values)

    def _trap(self, at: int) -> None:
        cpus = self._cpus
        number = self._cpu_number(cpus.expected)
        cpu = cpus.of(number)
        info = self._next_trap()
        pc, after = cpu.pc, cpu.next
        if not info & 2:
            pc = self._number()
            after = pc + 4 & MASK
        if not info & 1:
            after = self._number()
        kind = info >> 34 & 0x3FF
        head = (
            info >> 48 << 7 | info >> 44 & 15, (number & 63) << 2 | kind >> 8, kind & 0xFF,
            info >> 18 & 0xFFFF, number >> 6 << 12 | info >> 2 & 0xFFF,
        )  # fmt: skip
        pack_into(">BBBHHQQ", self._out, at + 1, *head, pc, after)

    def _tlb(self, at: int) -> None:
        info = self._next_tlb()
        if self._minor < WIDE_CPUS:  # the fields below the numbers of the cpu move up
            info = info >> 6 << 10 | info & 63
        flags, number = info >> 29 << 7 | (info >> 12 & 1) << 6, info & 0x3FF
        fourth, fifth = (info >> 10 & 3) << 6 | number & 63, number >> 6 << 4
        index = info >> 13 & 0xFFFF
        numbers = self._number(), self._number()
        pack_into(">BHBBxxQQ", self._out, at + 1, flags, index, fourth, fifth, *numbers)

    def _preg(self, at: int) -> None:
        info = self._number()
        number = self._cpus.expected if info >> 61 & 1 else self._next_cpu()
        first, second = info >> 48 & 0x1FFF, info >> 35 & 0x1FFF
        head = info >> 27 & 0xFF, info >> 24 & 7, info >> 16 & 0xFF, info & 0xFFFF
        rest = number & 0xFF, number >> 8 << 6, first, second, first, second
        pack_into(">BxxBBHBB6xHHHH", self._out, at + 1, *head, *rest)

    def _dma(self, at: int) -> None:
        write, count = self._next_dma_write(), self._next_dma_bytes()
        pack_into(">BxxIQ", self._out, at + 1, write, count, self._number())

    def _rfs_cw(self, at: int) -> None:
        cpus = self._cpus
        if not cpus.phase and not cpus.phase_seen:  # without a header before it
            cpus.begin_phase(RFS_CW, MASK >> 1)
            cpus.phase_seen = 1
        reference, number = self._next_rfs_reference(), self._next_rfs_cpu()
        if reference in DMA_REFERENCES:
            pa = self._number()
            pack_into(">BxIQQ", self._out, at + 2, reference, self._next_rfs_dma_bytes(), 0, pa)
            return
        cpu, asi = cpus.of(number), self._next_rfs_asi()
        function = self._next_rfs_function() if reference == 4 else 0
        valid = self._next_rfs_valid()
        va = self._value(cpu) if valid else 0
        if valid and self._next_rfs_pa_hit():
            pa = (cpu.pages[cpu.page(va)] << PAGE | va & (1 << PAGE) - 1) & MASK
        else:
            pa = self._number()
            if valid and reference == 1:
                cpu.pages[cpu.page(va)] = pa >> PAGE
            elif valid:
                cpu.data_pages[cpu.data_page(va)] = pa >> PAGE
        half = number << 6 | reference
        fifth = valid << 7 | function << 2
        pack_into(">HxBBxxQQ", self._out, at + 1, half, asi, fifth, va, pa)

    def _rfs_bt(self, _: int) -> None:
        raise Unreadable(
            "an RFS_BT record: rstzip's own compressor and decompressor disagree about its form"
        )
