"""The machines for which functions are generated, by target."""

from __future__ import annotations

from random import Random

from tests.fuzz import powerpc, powerpc_power10, sparc
from tests.fuzz.function import Function, Machine

MACHINES: dict[str, Machine] = {
    "sparc-v8": sparc.V8,
    "sparc-v9": sparc.V9,
    "ppc32": powerpc.PPC32,
    "ppc64": powerpc.PPC64,
    "ppc64le": powerpc.PPC64LE,
}
FUNCTIONS = 100
"""Functions of a generated file."""
_IDENT = '\t.ident "GCC: (random)"\n'


def generate(target: str, seed: int, functions: int = FUNCTIONS) -> str:
    """Return a file of random functions, the same for the same seed."""
    random, machine = Random(seed), MACHINES[target]
    if powerpc_power10.is_chosen(target):
        machine = powerpc.of_power10(machine)
    texts = [Function(random, f"fuzz{n}", machine).text() for n in range(functions)]
    ident = _IDENT if random.random() < 0.7 else ""
    return f"{machine.header}\t.text\n{''.join(texts)}{machine.trailer}{ident}"
