"""What calling conventions promise about registers at calls and at a function's end.

Compilers keep to these; hand-written code need not, so they are applied only to files
that a compiler made (see `inst.flow.read.made_by_compiler`).  Neither GCC's SPARC nor its
PowerPC back end takes part in -fipa-ra (which would let a caller keep values in volatile
registers across calls of local functions), so a call always kills them.
"""

from __future__ import annotations

import re

from inst.dataclass import dataclass, replace
from inst.flow.model import Conventions
from inst.isa.model import Isa, RegisterSet


@dataclass(frozen=True, slots=True)
class Convention:
    """Sets of registers at the places where code leaves a function."""

    everything: RegisterSet
    killed: RegisterSet
    """Undefined after a call, unless the call itself returns something there."""
    arguments: RegisterSet
    """May be read by a call."""
    local_arguments: RegisterSet
    """Read only by functions of the same file: the static chain of nested functions."""
    at_return: RegisterSet
    """May be read after a return."""
    at_tail_call: RegisterSet
    """May be read after a branch to another function."""
    at_landing: RegisterSet
    """Hold at an exception's landing pad what they hold at the throw."""
    preserving: re.Pattern[str]
    """Callees that change nothing but what their instruction's facts say."""
    restores_link: re.Pattern[str]
    """Callees that return with the return address of their caller in the link register."""
    link_copy: RegisterSet
    """Where these may find it."""


def convention_of(isa: Isa) -> Convention:
    """Return the calling convention's sets in the registers of `isa`."""
    registers = isa.registers
    everything = 0
    for mask in registers.bit.values():
        everything |= mask
    conventions = isa.part(Conventions)
    named = conventions.calls[isa.abi]
    killed = registers.mask(*named.killed.split())
    arguments = registers.arguments & ~registers.mask(*named.not_passed.split())
    at_return = everything & ~killed | registers.mask(*named.returned.split())
    return Convention(
        everything=everything,
        killed=killed,
        arguments=arguments,
        at_return=at_return,
        local_arguments=registers.mask(*named.local_arguments.split()),
        at_tail_call=at_return | arguments | registers.link,
        at_landing=everything & ~killed & ~registers.mask(*named.landing.split()),
        preserving=re.compile(conventions.preserving),
        restores_link=re.compile(conventions.restores_link),
        link_copy=registers.mask(*conventions.link_copy),
    )


def killing(convention: Convention, more: RegisterSet) -> Convention:
    """Return a convention by which calls change some more registers, and pass nothing there."""
    if not more:
        return convention
    return replace(
        convention,
        killed=convention.killed | more,
        arguments=convention.arguments & ~more,
        at_return=convention.at_return & ~more,
        at_tail_call=convention.at_tail_call & ~more,
        at_landing=convention.at_landing & ~more,
    )
