"""What SPARC's calling conventions promise.

SPARC Compliance Definition 2.4.1 and System V ABI, SPARC supplement, chapter 3. %g2-%g4 belong to
the application (a program may keep a global register variable there), so no call kills them.
Unwinding tables number registers as instructions do.
"""

from __future__ import annotations

from inst.arch.sparc.sites import CHOSEN
from inst.flow.model import CallRegisters, Conventions

_NARROW = CallRegisters(
    killed="g1 o0 o1 o2 o3 o4 o5 o7 icc xcc fcc0 fcc1 fcc2 fcc3 y",
    returned="o0 o1 o2 o3 o4 o5",
    local_arguments="g2",
    landing="i0 i1",
)

PART = Conventions(
    calls={
        "v8": _NARROW,
        **dict.fromkeys(CHOSEN, _NARROW),
        "v9": CallRegisters(
            killed="g1 g5 o0 o1 o2 o3 o4 o5 o7 icc xcc fcc0 fcc1 fcc2 fcc3 y",
            returned="o0 o1 o2 o3 o4 o5",
            local_arguments="g5",
            landing="i0 i1",
        ),
    },
    parameters=("o0", "o1", "o2", "o3", "o4", "o5"),
    stack_pointer="o6",
    stack_names=("%sp", "%o6", "%r14"),
    destination_first=False,
    preserving=r"__sparc_get_pc_thunk\b",
    returns_elsewhere=True,
    frame_pointer="i6",
    takes_address="sethi",
    unwound={f"{'li'[n // 8]}{n % 8}": 16 + n for n in range(16)},
)
