"""How registers are recorded that no store writes to any place: by way of another register.

Condition fields and XER are copied to it, and FPSCR to a floating-point register. Vector and VSX
registers go to memory in a frame first, and their words from there. What is stored is copied back
each time, to no effect in the program: re-execution has the recorded words there.

Which results are recorded in this way is here, too: those of instructions that it does not execute.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from inst.arch.powerpc.sites import SEGMENTS, SITES, Form
from inst.dataclass import dataclass
from inst.flow.liveness import dead_registers
from inst.isa.model import RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.record.recorder import Parts, Spill
from inst.rewrite.sites import NO_INSTRUCTION, Site

FIELDS = "cr"
"""What the condition fields that calls preserve are called together."""
_PRESERVED = 56
"""Their mask: fields 2 to 4."""
WHOLE = "vs"
"""How the names of VSX registers begin of which the second half is recorded, too."""
_VECTOR = 16
SPILLABLE = tuple(f"r{number}" for number in range(12, 2, -1))
"""Registers that are saved where none is dead."""
_VSX = re.compile(r"x[svx]|p?l?x[sv]|p?stx[sv]|m[ft]vsr")
_VOLATILE_FLOATS = tuple(f"f{number}" for number in range(13, -1, -1))
LEFT_BY_SYSTEM = ("r3", "cr0")
"""The result of a system call, and SO if it is the number of an error (Linux,
Documentation/powerpc/syscall64-abi.rst)."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where in a frame of a site's size the registers lie that are saved, and what is copied."""

    base: int
    through: int
    float: int
    value: int


_FRAMES = {32: _Frame(8, 12, 16, 32), 64: _Frame(48, 56, 64, 80)}
"""By the bits of the code. A vector lies at the next multiple of 16, wherever the stack is."""


def leaves(work: Rewriting, index: int) -> tuple[str, ...]:
    """Return what an instruction leaves, by the names that `parts` and `put_loosely` know; () if
    anything else is among it, such as an accumulator."""
    fact, found = work.code.facts[index], list[str]()
    for name in work.isa.registers.listed(fact.defs):
        bank, number = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz")
        if bank == "f" and number and work.code.at(index).name.startswith("x"):
            found.append(f"{WHOLE}{number}")
        elif name in ("xer", "ca"):
            found.append("xer")
        elif name == "fpscr" and not _float(work, _live_after(work, index)):
            return ()
        elif name == "fpscr" or (bank in ("r", "f", "v", "cr") and number):
            found.append(name)
        else:
            return ()
    return tuple(dict.fromkeys(found))


def arriving_bytes(register: str) -> int:
    """Return how many bytes a register that arrives takes; 0: those of an address."""
    if register.startswith("v"):
        return _VECTOR
    return 8 if register.startswith("f") else 0


def parts(work: Rewriting, site: Site, register: str, pointer: str) -> Parts | None:
    """Return how a register is stored by way of an integer register; None: it is stored itself."""
    kind = register.rstrip("0123456789")
    if kind in ("r", "f"):
        return None
    scratch = _Scratch(work, site, pointer)
    if kind in ("v", WHOLE):
        return scratch.vector(register)
    if register == "fpscr":
        live = _live_at(work, site)
        return scratch.status(_float(work, live), live)
    if kind in ("xer", "lr"):
        return scratch.copied(f"mf{kind} {{0}}", f"mt{kind} {{0}}")
    mask = _PRESERVED if register == FIELDS else 128 >> int(register[2:])
    return scratch.copied("mfcr {0}", f"mtcrf {mask},{{0}}")


def _live_after(work: Rewriting, index: int) -> RegisterSet:
    """Return what may be read of what an instruction leaves, or of what was there before."""
    return work.liveness.after[index] | work.code.facts[index].defs


def _live_at(work: Rewriting, site: Site) -> RegisterSet:
    """Return what may be read where registers are recorded, besides those."""
    if site.left_by != NO_INSTRUCTION:
        return _live_after(work, site.left_by)
    known = work.isa.registers.bit
    recorded = work.isa.registers.mask(*(one for one in site.arriving if one in known))
    return work.liveness.before[site.place] | recorded


def _float(work: Rewriting, live: RegisterSet) -> str:
    """Return a floating-point register for FPSCR: one that is dead, or else one that no code of the
    file names, or any in a file without VSX; empty if there is none.

    To restore a live one might change the other half of a VSX register.
    """
    bits = work.isa.registers.bit
    dead = (one for one in _VOLATILE_FLOATS if not bits[one] & live)
    unnamed = (one for one in _VOLATILE_FLOATS if not bits[one] & work.mentioned)
    found = next(dead, "") or next(unnamed, "")
    return found or ("" if _uses_vsx(work) else _VOLATILE_FLOATS[0])


def _uses_vsx(work: Rewriting) -> bool:
    code = work.code
    return any(_VSX.match(code.at(index).name) for index in range(len(code.facts)))


class _Scratch:
    """Integer registers that may be changed, and a frame in which those are saved that are live."""

    def __init__(self, work: Rewriting, site: Site, pointer: str) -> None:
        self.form, self.frame = SITES[work.isa.abi].shared, _FRAMES[work.isa.bits]
        self.bits = work.isa.registers.bit
        self.width, self.is_little = work.isa.bits // 8, work.isa.abi == "elfv2"
        taken = {pointer, SEGMENTS[work.isa.bits].kept, "r0"}
        dead = dead_registers(work.isa, work.liveness.before[site.place], 0)
        dead = [one for one in dead if one not in {*taken, *site.arriving}]
        live = [one for one in SPILLABLE if one not in {*taken, *dead}]
        (self.base, self.through), self.dead = (*dead, *live)[:2], frozenset(dead)

    def copied(self, copy: str, back: str) -> Parts:
        """Copy a register to the one in between, and back."""
        copies = ((copy.format(self.base[1:]), back.format(self.base[1:])),)
        if self.base in self.dead:
            return Parts(self.base, copies)
        push, pop = self._framed(self.base)
        return Parts(self.base, copies, push, pop)

    def vector(self, register: str) -> Parts:
        """Copy the words of a vector, or a VSX register, by way of memory."""
        number, base, through = int(register.lstrip("vs")), self.base[1:], self.through[1:]
        is_vector = not register.startswith(WHOLE)
        if is_vector and not self.is_little:
            store, load = f"stvx {number},0,{base}", f"lvx {number},0,{base}"
        else:
            number += 32 * is_vector
            store, load = f"stxvd2x {number},0,{base}", f"lxvd2x {number},0,{base}"
        push, pop = self._framed(self.base, self.through)
        before = (f"addi {base},1,{self.frame.value + _VECTOR - 1}", self._aligned(base), store)
        places = range(0, _VECTOR, self.width)
        form = self.form
        copies = tuple(
            (f"{form.load} {through},{at}({base})", f"{form.store} {through},{at}({base})")
            for at in places
        )
        return Parts(self.through, copies, (*push, *before), (load, *pop))

    def status(self, register: str, live: RegisterSet) -> Parts:
        """Copy FPSCR to a floating-point register, and back."""
        number, at = register[1:], self.frame.float
        copies = ((f"mffs {number}", f"mtfsf 255,{number}"),)
        if not register or not self.bits[register] & live:
            return Parts(register, copies)
        push, pop = self._framed()
        save, restore = f"stfd {number},{at}(1)", f"lfd {number},{at}(1)"
        return Parts(register, copies, (*push, save), (restore, *pop))

    def _aligned(self, register: str) -> str:
        clear = "rldicr {0},{0},0,59" if self.width == 8 else "rlwinm {0},{0},0,0,27"
        return clear.format(register)

    def _framed(self, *registers: str) -> Spill:
        """Return code that makes a frame and saves in it what is live, and what undoes that."""
        live = tuple(one if one not in self.dead else "" for one in registers)
        return _framed(self.form, self.frame, live)


def spill(work: Rewriting, registers: tuple[str, ...]) -> Spill:
    """Return code that saves up to two registers in a frame, and what undoes that."""
    return _framed(SITES[work.isa.abi].shared, _FRAMES[work.isa.bits], registers)


def _framed(form: Form, frame: _Frame, registers: tuple[str, ...]) -> Spill:
    """Return code that makes a frame of a site's size and saves registers in it, but for empty
    names, and what undoes that."""
    places = zip(registers, (frame.base, frame.through), strict=False)
    saved = [f"{one[1:]},{at}(1)" for one, at in places if one]
    push = (f"{form.push} 1,-{form.frame}(1)", *(f"{form.store} {one}" for one in saved))
    return push, (*(f"{form.load} {one}" for one in saved), f"addi 1,1,{form.frame}")


_PUSH = re.compile(r"st[wd]u 1,-")
_POP = "addi 1,1,"


def reads_stack(lines: Iterable[str]) -> bool:
    """Return whether inserted code reads a frame that it has not made itself."""
    is_own = False
    for line in lines:
        is_own = (is_own and not line.startswith(_POP)) or _PUSH.match(line) is not None
        if "(1)" in line and not is_own:
            return True
    return False
