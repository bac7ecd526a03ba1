"""Records to a section of rstzip version 3.

The writer predicts each record as the reader will, and stores where it is otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from inst.formats.rst.codes import (
    DMA,
    EMPTY,
    INSTR,
    MEMVAL,
    PAVADIFF,
    PREG,
    REGVAL,
    RFS_SECTION,
    TLB,
    TRAP,
)
from inst.formats.rst.record import RECORD
from inst.formats.rst.rstzip.arrays import pack
from inst.formats.rst.rstzip.forms import cpus as cpu_numbers
from inst.formats.rst.rstzip.forms import held_in_full
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
    KEY_PAVADIFF,
    KEY_REGVAL,
    LEVELS,
    MINOR,
    PAGE,
    SECTION,
    SECTION_MAGIC,
    WHOLE,
)
from inst.formats.rst.rstzip.predict import MASK, WARMING, Cpu, Cpus, Known, register_place
from inst.formats.rst.rstzip.words import FIRST_TRANSFER, MEMORY, TRAP_RETURN, classify
from inst.trace.model import Array

_PREDICTED = (INSTR, REGVAL, PAVADIFF, MEMVAL, TRAP, TLB, PREG, DMA)


class Encoder:
    """Makes one section of records after the other.

    `_put_NAME` appends an element to an array of `layout.ARRAYS`.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[[int], None]: ...

    def __init__(self) -> None:
        self._cpus = Cpus()
        self._forms: dict[int, Callable[..., None]] = {
            INSTR: self._instr,
            REGVAL: self._regval,
            PAVADIFF: self._pavadiff,
            MEMVAL: self._memval,
            TRAP: self._trap,
            TLB: self._tlb,
            PREG: self._preg,
            DMA: self._dma,
        }

    def section(self, records: Array) -> bytes:
        """Return the section that records (at most `layout.SECTION_RECORDS`) make."""
        self._arrays: list[list[int]] = [[] for _ in ARRAYS]
        for array, elements in zip(ARRAYS, self._arrays, strict=True):
            setattr(self, f"_put_{array.name}", elements.append)
        self._number = self._arrays[FIRST_VALUE + len(LEVELS)].append
        numbers = cpu_numbers(records)
        predicted = held_in_full(records, numbers)
        self._ahead = _instructions_ahead(records, numbers, predicted)
        names = [name for name in RECORD.names or () if name != "flags"]
        columns = [predicted, numbers, records["flags"], *(records[name] for name in names)]
        for row, (fits, number, flags, code, *rest) in enumerate(
            zip(*(column.tolist() for column in columns), strict=True)
        ):
            self._code(code if fits or code not in (*_PREDICTED, *WARMING) else WHOLE)
            if fits:
                self._forms[code](row, number, flags, *rest)
            else:
                self._whole(code, flags, *rest)
            self._cpus.type_before = code
        return self._stored(len(records))

    def _stored(self, count: int) -> bytes:
        data = [pack(each, array.bits) for each, array in zip(self._arrays, ARRAYS, strict=True)]
        size = SECTION.size + sum(map(len, data))
        counts = map(len, self._arrays)
        return b"".join([SECTION.pack(SECTION_MAGIC, count, size, *counts), *data])

    def _code(self, code: int) -> None:
        if self._cpus.phase:
            self._cpus.phase = 0
            self._put_rfs_type_hit(0)
            self._put_type(code)
        elif code == INSTR:
            self._put_type_key(KEY_INSTR)
        elif code == REGVAL:
            self._put_type_key(KEY_REGVAL)
        elif code == PAVADIFF:
            self._put_type_key(KEY_PAVADIFF)
        else:
            self._put_type_key(KEY_OTHER)
            self._put_type(code)

    def _whole(self, code: int, flags: int, half: int, word: int, first: int, second: int) -> None:
        number = self._number
        number(code << 56 | flags << 48 | half << 32 | word)
        number(first)
        number(second)
        if code == RFS_SECTION:
            self._cpus.begin_phase(flags, first)

    def _value(self, cpu: Cpu, value: int) -> None:
        level, key = cpu.values.find(value)
        self._put_value_level(level)
        self._arrays[FIRST_VALUE + level].append(key)

    def _cpu_number(self, expected: int, number: int) -> None:
        hit = int(expected == number)
        self._put_cpu_hit(hit)
        if not hit:
            self._put_cpu(number)

    def _instr(
        self, _: int, number: int, flags: int, half: int, word: int, pc: int, ea: int
    ) -> None:
        cpus = self._cpus
        if cpus.expected == number:
            self._put_cpu_hit(1)
        else:
            self._cpu_number(cpus.expected, number)
        cpu = cpus.step(number)
        known = cpu.instructions.known.get(pc >> 2)
        if (
            cpu.pc == pc
            and known is not None
            and known.word.word == word
            and flags == known.flags | cpu.privileged << 3
            and cpu.expected()
        ):
            if known.flags:
                self._value(cpu, ea)
            self._put_instr_hit(1)
            return
        self._other_instr(cpu, flags, word, pc, ea)

    def _other_instr(self, cpu: Cpu, flags: int, word: int, pc: int, ea: int) -> None:
        """Store an instruction that is not as expected, or a transfer."""
        misses = 0 if cpu.pc == pc else HIT_PC
        if misses:
            self._number(pc)
        cpu.advance(pc, not misses)
        annulled = flags >> 1 & 1
        if annulled != cpu.annulled:
            misses |= HIT_ANNULLED
        known = cpu.instructions.get(pc)
        if known is None or known.word.word != word:
            misses |= HIT_WORD
            self._put_word(word)
            known = cpu.instructions.set(pc, classify(word, MINOR), bool(annulled))
        cpu.leave_slot(known.word)
        if flags & 0x20:
            misses |= HIT_TRAPPED
        misses |= self._privilege(cpu, flags)
        if not annulled:
            kind = known.word.kind
            if kind >= FIRST_TRANSFER:
                misses |= self._transfer(cpu, pc, known, flags, ea)
            else:
                misses |= self._plain(cpu, kind, flags, ea)
        self._put_instr_hit(not misses)
        if misses:
            self._put_instr_hits(ALL_HITS ^ misses)

    def _privilege(self, cpu: Cpu, flags: int) -> int:
        hyper, privileged = flags >> 4 & 1, flags >> 3 & 1
        misses = 0 if hyper == cpu.hyper else HIT_HYPER
        cpu.hyper = hyper
        if hyper:
            cpu.privileged = 0
        if privileged != cpu.privileged:
            misses |= HIT_PRIVILEGED
            cpu.privileged = privileged
        return misses

    def _plain(self, cpu: Cpu, kind: int, flags: int, ea: int) -> int:
        ends_trap = kind == TRAP_RETURN
        with_address = kind == MEMORY or ends_trap or flags & 0x20 != 0
        valid = flags & 0x40 != 0
        if valid:
            self._value(cpu, ea)
        cpu.annulled = 0
        misses = 0 if ends_trap == (flags & 4 != 0) else HIT_TAKEN
        return misses if with_address == valid else misses | HIT_VALID

    def _transfer(self, cpu: Cpu, pc: int, known: Known, flags: int, ea: int) -> int:
        kind, taken = known.word.kind, flags >> 2 & 1
        misses = 0 if cpu.taken(pc, kind) == taken else HIT_TAKEN
        hit = int(cpu.transfer(pc, known, taken) == ea)
        self._put_target_hit(hit)
        if not hit:
            self._number(ea)
            cpu.correct(pc, kind, ea)
        return misses if flags & 0x40 else misses | HIT_VALID

    def _pavadiff(
        self, row: int, number: int, flags: int, half: int, word: int, pc: int, ea: int
    ) -> None:
        cpus = self._cpus
        self._cpu_number(cpus.expected, number)
        cpus.expected = number
        cpu = cpus.of(number)
        icontext, dcontext = word >> 16, word & 0xFFFF
        self._put_icontext_hit(cpu.icontext == icontext)
        if cpu.icontext != icontext:
            self._put_icontext(icontext)
        self._put_dcontext_hit(cpu.dcontext == dcontext)
        if cpu.dcontext != dcontext:
            self._put_dcontext(dcontext)
        cpu.icontext, cpu.dcontext = icontext, dcontext
        self._put_pavadiff_valid(flags >> 7)
        ahead = self._ahead.get(row)
        hit = ahead is not None and self._difference(cpu.pages, cpu.page(ahead[0]), pc)
        self._put_pc_difference_hit(hit)
        if not hit:
            self._number(pc)
        if flags >> 7:
            address = ahead[1] if ahead else None
            ea_hit = address is not None and self._difference(
                cpu.data_pages, cpu.data_page(address), ea
            )
            self._put_ea_difference_hit(ea_hit)
            if not ea_hit:
                self._number(ea)
            hit = hit or ea_hit
        if not hit:
            self._put_pavadiff_ahead(ahead is not None)

    def _difference(self, pages: list[int], page: int, difference: int) -> bool:
        """Return whether a page's difference is the one expected, which it is from now on."""
        if pages[page] << PAGE & MASK == difference:
            return True
        pages[page] = difference >> PAGE
        return False

    def _regval(
        self, _: int, number: int, flags: int, half: int, word: int, first: int, second: int
    ) -> None:
        cpus = self._cpus
        self._cpu_number(cpus.last, number)
        cpu = cpus.of(number)
        self._put_regval_post(flags >> 7)
        place = register_place(cpu)
        again = 2 * (cpus.type_before == REGVAL)
        for slot, kind, register, value in (
            (0, half >> 8, word >> 24, first),
            (1, half & 0xFF, word >> 16 & 0xFF, second),
        ):
            known = cpu.register_types[slot]
            self._put_regtype_hit(known[place] == kind)
            if known[place] != kind:
                self._put_regtype(kind)
                known[place] = kind
            if kind == EMPTY:
                continue
            known = cpu.register_ids[slot]
            hit = (known[place] + again) & 0xFF == register
            self._put_regid_hit(hit)
            if not hit:
                self._put_regid(register)
            known[place] = register
            self._put_value_zero(value == 0)
            if value:
                self._value(cpu, value)

    def _memval(
        self, _: int, number: int, flags: int, half: int, word: int, first: int, second: int
    ) -> None:
        wide, flag = flags >> 7, self._put_memval_flag
        flag(wide)
        flag(not flags & 0x40)
        self._cpu_number(self._cpus.expected, number)
        cpu = self._cpus.of(number)
        if not wide:
            self._put_memval_size((half & 15) - 1)
        else:
            goes_on = flags >> 5 & 1
            flag(goes_on)
            if not goes_on:
                self._put_memval_high(half & 0xFF)
                self._put_memval_low(word)
        self._value(cpu, first)
        self._value(cpu, second)

    def _trap(
        self, _: int, number: int, flags: int, half: int, word: int, pc: int, npc: int
    ) -> None:
        self._cpu_number(self._cpus.expected, number)
        cpu = self._cpus.of(number)
        info = (flags >> 7) << 48 | (flags & 15) << 44 | (half & 0x3FF) << 34
        info |= (word >> 16) << 18 | (word & 0xFFF) << 2
        after = cpu.next
        if pc == cpu.pc:
            info |= 2
        else:
            self._number(pc)
            after = pc + 4 & MASK
        if npc == after:
            info |= 1
        else:
            self._number(npc)
        self._put_trap(info)

    def _tlb(
        self, _: int, number: int, flags: int, half: int, word: int, tag: int, data: int
    ) -> None:
        kind = (flags >> 7) << 29 | half << 13 | (flags >> 6 & 1) << 12
        self._put_tlb(kind | (word >> 30) << 10 | number)
        self._number(tag)
        self._number(data)

    def _preg(
        self, _: int, number: int, flags: int, half: int, word: int, first: int, second: int
    ) -> None:
        hit = int(number == self._cpus.expected)
        if not hit:
            self._put_cpu(number)
        primary, secondary = second >> 16 & 0xFFFF, second & 0xFFFF
        info = hit << 61 | primary << 48 | secondary << 35 | flags << 27
        self._number(info | (word >> 24) << 24 | word & 0xFFFFFF)

    def _dma(
        self, _: int, number: int, flags: int, half: int, word: int, first: int, second: int
    ) -> None:
        self._put_dma_write(flags & 1)
        self._put_dma_bytes(word)
        self._number(first)


def _instructions_ahead(
    records: Array, numbers: Array, predicted: Array
) -> dict[int, tuple[int, int | None]]:
    """Return the pc and ea of the instruction that each PAVADIFF is predicted from, by row.

    It is the next one, if it is of the same cpu and no other PAVADIFF of it comes first.
    """
    codes = records["rtype"]
    instructions = np.flatnonzero((codes == INSTR) & predicted)
    rows = np.flatnonzero((codes == PAVADIFF) & predicted)
    places = np.searchsorted(instructions, rows)
    result: dict[int, tuple[int, int | None]] = {}
    latest: dict[tuple[int, int], int] = {}
    for row, place in zip(rows.tolist(), places.tolist(), strict=True):
        if place == len(instructions):
            continue
        at, cpu = int(instructions[place]), int(numbers[row])
        result.pop(latest.get((cpu, at), -1), None)
        if numbers[at] == cpu:
            valid = records["flags"][row] & 0x80 and records["flags"][at] & 0x40
            ea = int(records["second"][at]) if valid else None
            result[row], latest[cpu, at] = (int(records["first"][at]), ea), row
    return result
