"""What the verifier itself knows of the targets: from the ABIs' manuals, not from the rewriter.

Registers, frames and offsets of sites are a copy of what `inst/arch/*/sites.py` has, on purpose: a
wrong figure there would be wrong in the rewriter, the glue and the runtime alike, and only the
verifier would see it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from inst import isa as instruction_sets
from inst.asm.model import Register
from inst.asm.operands import parse_operand, split_operands
from inst.isa.model import Facts, Form, RegisterFile, RegisterSet
from inst.target.targets import Target

from .listing import Instruction

Address = tuple[str, str]
"""Two operands whose sum is an address; a register alone is (register, "0")."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """The facts of one target that the rules ask for."""

    registers: RegisterFile
    address_register: str
    """Where sites hand over the effective address, if the entry's name says nothing else."""
    scratch: tuple[str, ...]
    """Other registers that a probe may overwrite anywhere."""
    stack: str
    """The stack pointer, by its canonical name."""
    red_zone: int
    """Bytes below the stack pointer that the program may be using (ELF ABI supplements)."""
    linkage: int
    """Bytes at the low end of a frame that belong to those called from it."""
    may_store: bool
    """Whether a probe may use the stack; not where a register window may be saved there."""
    computed: Callable[[Instruction], tuple[str, Address] | None]
    """(register, its new value) of an instruction that computes an address."""
    system_calls: bool
    """Whether system calls are reported, before and after."""
    link_frame: int
    """Bytes of the frame that a site makes for a live link register and glue releases; 0:
    the link register is saved elsewhere."""
    stand_ins: dict[str, str]
    """Register -> the one that takes its place in a load, for the glue to put right."""
    carriers: dict[str, str] = field(default_factory=dict)
    """Part of an entry's name -> the register that it says the address is in."""

    @property
    def link(self) -> RegisterSet:
        """Where a call leaves its return address."""
        return self.registers.link

    def names(self, registers: RegisterSet) -> list[str]:
        """Return the names of a set."""
        return self.registers.listed(registers)

    def on_stack_pointer(self, registers: RegisterSet, facts: Facts) -> bool:
        """Return whether the stack pointer is among registers that an instruction reads or writes.

        A load of a string may overwrite any register, for all that its text says; no program's
        overwrites this one.
        """
        access = facts.access
        if access is not None and access.form == Form.STRING:
            return self.stack in (access.base, access.index)
        return bool(registers & self.mask(self.stack))

    def mask(self, register: str) -> RegisterSet:
        """Return the set of one register."""
        return self.registers.bit[register]


def canonical(operand: str, syntax: str) -> str:
    """Return a register's canonical name, any other operand without blanks."""
    found = parse_operand(operand, syntax)
    return found.name if isinstance(found, Register) else "".join(operand.split())


def _sparc_computed(found: Instruction) -> tuple[str, Address] | None:
    operands = [canonical(text, "sparc") for text in split_operands(found.operands)]
    if found.name == "add" and len(operands) == 3:
        return operands[2], (operands[0], operands[1])
    if found.name == "mov" and len(operands) == 2:
        return operands[1], (operands[0], "0")
    if found.name == "sethi":
        return operands[1], ("sethi", operands[0])
    if found.name == "or" and operands[0] == operands[2]:
        return operands[2], ("or", operands[1])
    if found.name == "sra" and operands[0] == operands[2] and operands[1] == "0":
        return operands[2], ("sra", "0")
    return None


def _displaced(operand: str) -> Address:
    """Return the two parts of `8(9)`; an address relative to the code is its own."""
    offset, bracket, base = operand.partition("(")
    return (f"r{base.rstrip(')')}", offset) if bracket else (offset, "0")


def _powerpc_computed(found: Instruction) -> tuple[str, Address] | None:
    operands = ["".join(text.split()) for text in split_operands(found.operands)]
    bare = [operand.lstrip("%r") for operand in operands]
    if found.name in ("addi", "la") and len(operands) == 3:
        return f"r{bare[0]}", (f"r{bare[1]}", operands[2])
    if found.name == "add":
        second = operands[2] if "@" in operands[2] else f"r{bare[2]}"
        return f"r{bare[0]}", (f"r{bare[1]}", second)
    if found.name == "pla":
        return f"r{bare[0]}", _displaced(operands[1])
    if found.name == "mr":
        return f"r{bare[0]}", (f"r{bare[1]}", "0")
    if found.name == "li":
        return f"r{bare[0]}", (operands[1], "0")
    return None


# Red zones: none in the 32-bit PowerPC supplement; 288 bytes in the 64-bit one (ELFv1); ELFv2
# promises 288 and the kernel keeps 512.  Linkage areas: 8, 48 and 32 bytes.
_POWERPC = {"ppc32": (0, 8), "ppc64": (288, 48), "ppc64le": (512, 32)}
# On 64-bit SPARC the least frame is 176 bytes, of which the register window has the first 128,
# and addresses are 2047 more than %sp (SPARC Compliance Definition 2.4.1).
LEAST_WIDE_FRAME, STACK_BIAS = 176, 2047
_SPARC = {
    "sparc-v8": ("g5", ("g6",), 0, {"o7": "g6", "g0": "g5"}),
    "sparc-v9": ("g6", (), 192, {"g0": "g6"}),
}


def knowledge_of(target: Target, small_data: bool = False) -> Knowledge:
    """Return what is known of a target; `small_data` has r13 for itself (32-bit PowerPC)."""
    registers = instruction_sets.get(target.isa, target.abi).registers
    if target.isa == "sparc":
        address, scratch, link_frame, stand_ins = _SPARC[target.name]
        return Knowledge(
            *(registers, address, scratch, "o6", 0, 0, False, _sparc_computed),
            *(target.bits == 32, link_frame, stand_ins),
        )
    red_zone, linkage = _POWERPC[target.name]
    if target.bits == 64:
        return Knowledge(
            *(registers, "r0", (), "r1", red_zone, linkage, True, _powerpc_computed, False, 0, {}),
            {"a12": "r12", "a11": "r11"},
        )
    address, carriers = ("", {"a12": "r12", "a11": "r11"}) if small_data else ("r13", {})
    return Knowledge(
        *(registers, address, (), "r1", red_zone, linkage, True, _powerpc_computed, True, 0, {}),
        carriers,
    )


def leaves_r13(rewritten: str, target: Target) -> bool:
    """Return whether the entries that an output names are those for code with small data."""
    return target.name == "ppc32" and re.search(r"\bbl inst\.[\w.]*a1[12]\b", rewritten) is not None


_HOOK = re.compile(
    r'"?inst\.(rare|table|(ld|st)[bhwdq])(\.after)?(?:\.(?!x|k|a1|[fwl]\b)(\w+))?'
    r'(?:\.(a1[12]))?(?:\.([xkfwl]+))?"?'
)


@dataclass(frozen=True, slots=True)
class Report:
    """A call of glue, by the name it calls."""

    event: str
    after: bool
    """Whether the access has run by then."""
    value: str
    carrier: str
    """Which register has the address, in the name's own words; "": the usual one."""
    saves_link: bool
    """Whether the entry's name states that the site has saved the link register."""


def report_of(found: Instruction, values: bool) -> Report | None:
    """Return what a call of glue reports; None for any other instruction."""
    match = _HOOK.fullmatch(found.facts.target) if found.facts.target else None
    if not match:
        return None
    after = bool(match[3]) or match[1] == "table" or (values and match[2] == "ld")
    return Report(match[1], after, match[4] or "", match[5] or "", "k" in (match[6] or ""))
