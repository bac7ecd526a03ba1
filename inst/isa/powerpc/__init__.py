"""PowerPC: what each instruction reads, writes, touches and transfers to."""

from __future__ import annotations

from inst.isa.model import Isa
from inst.isa.powerpc.interpret import facts
from inst.isa.powerpc.registers import REGISTERS, WIDE_REGISTERS

ISA = Isa("powerpc", "svr4", 32, REGISTERS, "b", facts)
WIDE = tuple(Isa("powerpc", abi, 64, WIDE_REGISTERS, "b", facts) for abi in ("elfv1", "elfv2"))
ISAS = {isa.abi: isa for isa in (ISA, *WIDE)}

__all__ = ["ISA", "ISAS", "REGISTERS"]
