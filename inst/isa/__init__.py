"""What each instruction reads, writes, touches and transfers to: tables of each instruction set."""

from __future__ import annotations

from inst.arch.registry import architecture
from inst.isa.model import Isa, Tables


def get(name: str, abi: str = "") -> Isa:
    """Return the instruction set of that name; its tables are imported only now.

    `abi` says which calling convention its register sets follow; without it, the 32-bit one.
    """
    return architecture(name).part(Tables).of(abi)
