"""The facts of an instruction that passes use; passes never compare mnemonics.

Register sets are integers used as bit masks: bit n stands for `RegisterFile.names[n]`.
"""

from __future__ import annotations

import enum
from collections.abc import Callable

from inst import TYPE_CHECKING
from inst.arch.registry import architecture
from inst.dataclass import dataclass
from inst.errors import InstError

if TYPE_CHECKING:
    from typing import TypeVar

    P = TypeVar("P")
RegisterSet = int


@dataclass(frozen=True, slots=True)
class RegisterFile:
    """The registers of an ISA and the sets that conventions give names to."""

    names: tuple[str, ...]
    bit: dict[str, RegisterSet]
    """Canonical register name -> mask with that one bit (0 for SPARC %g0)."""
    integer: RegisterSet
    """General-purpose registers."""
    special: RegisterSet
    """Condition codes and the like that a probe may disturb: SPARC icc xcc y (and fcc*),
    PowerPC cr0-cr7 ctr xer ca."""
    link: RegisterSet
    """Where a call leaves its return address: SPARC o7, PowerPC lr."""
    volatile: RegisterSet
    """All a call may change by the ABI (integer, special, link, floating point, vector)."""
    arguments: RegisterSet
    """What a call may read: argument registers, stack pointer, static chain, thread pointer,
    and what an ABI makes part of a call (PowerPC cr6 of varargs, r2, r11, r12)."""
    reserved: RegisterSet
    """Never to be used as scratch: stack and thread pointers, and the rewriter's own
    transient registers (SPARC g5 g6, PowerPC r13)."""
    sticky: RegisterSet = 0
    """Read by instructions whose facts do not say so, once something has set it: PowerPC xer,
    whose summary overflow every compare copies."""

    def mask(self, *names: str) -> RegisterSet:
        """Return the set of the registers named."""
        result = 0
        for name in names:
            result |= self.bit[name]
        return result

    def listed(self, registers: RegisterSet) -> list[str]:
        """Return the names in a set, in the order of `names`."""
        found = []
        while registers:
            lowest = registers & -registers
            found.append(self.names[lowest.bit_length() - 1])
            registers ^= lowest
        return found


class Form(enum.IntEnum):
    """How an access is made."""

    SIMPLE = 0  # one register, or a pair for SPARC ldd/std: `value` is the first register
    MULTIPLE = 1  # lmw stmw: words from `value` up to r31
    STRING = 2  # lswi stswi (size known) lswx stswx (size 0: in xer)
    ATOMIC = 3  # read-modify-write in one instruction: ldstub swap casa
    RESERVE = 4  # lwarx and its family
    CONDITIONAL = 5  # stwcx. and its family
    BLOCK = 6  # dcbz: writes a cache line; size 0: known only at run time
    SPECIAL = 7  # registers with effects of their own (%fsr), blocks of alternate spaces
    OPAQUE = 8  # the run-time library cannot determine what is moved: refused by the rewriter


@dataclass(frozen=True, slots=True)
class Access:
    """One memory access: the address is base + index, or base + offset."""

    load: bool
    store: bool
    size: int  # bytes; 0 where it is known only at run time
    value: str | None  # register loaded or stored, canonical; "g0" for a SPARC zero
    base: str | None  # None: the number 0 (PowerPC RA = 0, SPARC [12] or [%g0+...])
    index: str | None
    offset: str  # displacement as text, with its relocation operator; "" where there is none
    form: Form = Form.SIMPLE
    update: bool = False  # the base receives the effective address
    asi: str = ""  # alternate space as text; "" is the ordinary one
    linker_rewrites: bool = False  # %gdop and the like: the linker may make it no access at all
    align: int = 0  # the address is rounded down to a multiple of this (lvx); 0: it is not
    registers: int = 1  # that take part, from `value` on: 2 for SPARC ldd and std of integers
    byte_reversed: bool = False  # lwbrx and its family: the register has the bytes the other way
    stored: tuple[str, int] | None = None  # by CONDITIONAL: register and bit (cr0, EQ)


class Barrier(enum.IntFlag):
    """Which accesses around an instruction stay in order."""

    NONE = 0
    RELEASE = 1  # accesses before it come before the stores after it
    ACQUIRE = 2  # loads before it come before all accesses after it
    CONTROL = 4  # ... where a branch between depends on what they loaded (isync)


class SystemEvent(enum.IntEnum):
    """What an instruction that makes no access does to memory: the hook that is called for it."""

    NONE = 0
    BARRIER = 1  # barrierhook
    TLBI = 2  # tlbihook: translations are written or invalidated
    SYSREG = 3  # sysreghook: a register of the memory management is written


class Transfer(enum.IntEnum):
    """Where control goes."""

    NONE = 0
    BRANCH = 1  # direct; conditional or not
    CALL = 2  # direct or through a register; control returns
    JUMP = 3  # through a register: jump tables, tail calls
    RETURN = 4
    TRAP = 5  # system call or conditional trap; control returns


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything the passes know about an instruction."""

    uses: RegisterSet
    defs: RegisterSet
    access: Access | None = None
    transfer: Transfer = Transfer.NONE
    target: str = ""  # text of a direct target: a label, `1f`, `.+8`, `sym+4`; "" if none
    target_operand: int = -1  # index of the target among the operands
    conditional: bool = False  # may fall through (branches, conditional returns, traps)
    delay_slot: bool = False  # the next instruction runs before the transfer
    annul: bool = False  # ,a: the slot is skipped when not taken (always, if unconditional)
    window: int = 0  # SPARC: +1 save, -1 restore
    inverse: str = ""  # mnemonic of the opposite branch, with the same suffixes; "" if none
    reach: int = 0  # bytes a direct branch reaches either way; 0: no limit that matters
    pc_relative_data: bool = False  # reads its own address: rd %pc, bcl 20,31,$+4, `call .+8`
    system_call: bool = False  # a trap that makes a system call
    keeps_context: bool = False  # a trap after which control may come again, with other registers
    never_runs: bool = False  # a word that is read as data: SPARC `unimp` after a call's slot
    idle: bool = False  # leaves its register as it was: `ori 2,2,0`, `mr 9,9`, `mov %g2,%g2`
    recorded: bool = False  # re-execution takes what it leaves from the recording, if that has it
    never_parted: bool = False  # belongs to the jump whose slot it is in: SPARC V8's `rett`
    barrier: Barrier = Barrier.NONE
    event: SystemEvent = SystemEvent.NONE
    length: int = 4  # bytes; an upper bound for synthetic ones (`set` is 8)

    @property
    def runs_slot(self) -> bool:
        """Return whether the next instruction may run as this one's delay slot."""
        return self.delay_slot and (self.conditional or not self.annul)


class UnknownInstruction(InstError):
    """No row of the tables knows this mnemonic, or not with these operands."""


@dataclass(frozen=True, slots=True)
class Isa:
    """One instruction set: what the passes need, as one value."""

    name: str  # the key of the instruction set: "sparc", "powerpc" ...
    abi: str  # the calling convention that the register sets below are of: "v8", "svr4" ...
    bits: int  # width of an address and of an integer register
    registers: RegisterFile
    jump: str  # an unconditional branch, farthest of all, that executes no delay slot
    facts: Callable[[str, str], Facts]
    """(mnemonic, operand text) -> facts; memoised; raises UnknownInstruction or InstError."""
    producer: str  # the word by which `inst.words` and traces know its processors

    def part(self, kind: type[P]) -> P:
        """Return the instruction set's part of that type."""
        return architecture(self.name).part(kind)


@dataclass(frozen=True, slots=True)
class Tables:
    """The instruction tables of one instruction set: a value for each calling convention."""

    isas: tuple[Isa, ...]
    """The first is meant where nothing says which."""

    def of(self, abi: str = "") -> Isa:
        """Return the one with that calling convention."""
        for isa in self.isas:
            if abi in (isa.abi, ""):
                return isa
        known = ", ".join(isa.abi for isa in self.isas)
        raise InstError(f"unknown calling convention `{abi}`", hint=f"known are {known}")
