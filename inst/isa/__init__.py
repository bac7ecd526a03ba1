"""What each instruction reads, writes, touches and transfers to: tables, one package per ISA."""

from __future__ import annotations

import importlib

from inst.errors import InstError
from inst.isa.model import Isa

PACKAGES = ("sparc", "powerpc")


def get(name: str, abi: str = "") -> Isa:
    """Return the instruction set of that name; its package is imported only now.

    `abi` says which calling convention its register sets follow; without it, the 32-bit one.
    """
    if name not in PACKAGES:
        raise InstError(
            f"unknown instruction set `{name}`", hint=f"known are {', '.join(PACKAGES)}"
        )
    package = importlib.import_module(f"{__name__}.{name}")
    isa = package.ISAS[abi] if abi else package.ISA
    assert isinstance(isa, Isa)
    return isa
