"""What its one calling convention promises."""

from __future__ import annotations

from inst.flow.model import CallRegisters, Conventions

PART = Conventions(
    calls={
        "only": CallRegisters(killed="t0 t1 t7", returned="t0", local_arguments="", landing="t0")
    },
    parameters=("t0", "t1"),
    stack_pointer="t6",
    stack_names=("t6",),
    destination_first=True,
    preserving=r"(?!)",
    returns_elsewhere=False,
    unwound={},
)
