"""What the passes ask of an instruction set: how its sites are written."""

from __future__ import annotations

from collections.abc import Callable

from inst.asm.model import Statement
from inst.dataclass import dataclass
from inst.isa.model import Access, Facts, Isa, RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.leaving import Leaving
from inst.rewrite.sites import Site


@dataclass(frozen=True, slots=True)
class Kept:
    """Code whose own values are elsewhere where sites need their registers."""

    text: str
    dropped: tuple[str, ...] = ()
    """The registers that it keeps nothing in where it calls or leaves a function."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A way to write the sites of one instruction set."""

    site: Callable[[Rewriting, Site], None]
    """Write an access, a system call or a switch of stacks."""
    count: Callable[[Rewriting, int, str], None]
    """Write a call of the software counter's entry before an instruction."""
    can_stay: Callable[[Rewriting, int], bool]
    """Return whether hooks can stay on the stack that an instruction leaves."""
    share_saved: Callable[[Rewriting], None]
    """Find where sites may share what they save, or save it in memory of the program's."""
    wanted: Callable[[Rewriting, Site, Access], bool]
    """Return whether an access is a site, whose further fields this fills in."""
    left_out: Callable[[Rewriting], frozenset[int]]
    """Return instructions whose accesses are none of the program's."""
    may_report_functions: Callable[[Rewriting], bool]
    enter: Callable[[Rewriting, int, str], list[str]]
    """Return the call at the entry of a function that begins with a label."""
    leave: Callable[[Rewriting, int, str, RegisterSet], list[str]]
    """Return the call at an exit, where some registers are live."""
    open_exit: Callable[[Statement, Facts, str, str], list[str]]
    """Return a conditional exit that leaves by the first label, from which on only the exit itself
    follows up to the second one; none if it cannot. What follows the first line is after a slot."""
    end_leaving: Callable[[Rewriting, Leaving, bool], None]
    """End a region in which they do; report the new frame, if that is wanted."""
    keep: Callable[[str, Isa, str, bool], Kept] = lambda text, isa, file, by_hand: Kept(text)
    """Return an object's text, or what was written by hand, as sites may be put into it."""
