"""PowerPC: what each instruction reads, writes, touches and transfers to."""

from __future__ import annotations

from inst.isa.model import Isa
from inst.isa.powerpc.interpret import facts
from inst.isa.powerpc.registers import REGISTERS

ISA = Isa("powerpc", "svr4", 32, REGISTERS, "b", facts)
ISAS = {isa.abi: isa for isa in (ISA,)}

__all__ = ["ISA", "ISAS", "REGISTERS"]
