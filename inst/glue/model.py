"""What an instruction set defines for its glue."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from inst.glue.usage import Usage

Members = dict[str, dict[str, object]]
"""Name of an archive's member -> the variables of its template."""
Templates = dict[str, Members]
"""Template under runtime/ -> the members to render from it."""


@dataclass(frozen=True, slots=True)
class Entries:
    """The entries for one calling convention, from what a library's hooks require."""

    accesses: Callable[[dict[str, Usage]], Templates]
    events: Callable[[dict[str, Usage]], Members]
    """Of what is no access, from the same template."""
    counter: Callable[[dict[str, Usage]], Templates]
    """Of the software instruction counter."""


@dataclass(frozen=True, slots=True)
class Glue:
    """The glue of one instruction set."""

    entries: Mapping[str, Entries]
    """By `Target.abi`."""
    windows: bool
    """Register windows are saved on the stack, and accesses can be checked against that."""
    registers: str
    """General registers that a call may change."""
    conditions: str
    """Condition codes and the like that a call may change."""
    distance: str
    """Assembly of the distance to a symbol, {}, from the word that has it."""
