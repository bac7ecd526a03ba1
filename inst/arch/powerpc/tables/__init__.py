"""PowerPC: what each instruction reads, writes, touches and transfers to."""

from __future__ import annotations

from inst.arch.powerpc.tables.interpret import facts, wide_facts
from inst.arch.powerpc.tables.registers import REGISTERS, WIDE_REGISTERS
from inst.isa.model import Isa, Tables

ISA = Isa("powerpc", "svr4", 32, REGISTERS, "b", facts, "ppc")
WIDE = tuple(
    Isa("powerpc", abi, 64, WIDE_REGISTERS, "b", wide_facts, "ppc64") for abi in ("elfv1", "elfv2")
)
PART = Tables((ISA, *WIDE))
