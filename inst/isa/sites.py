"""What sites, the entries that they call, and the C of the runtime agree on: the site ABIs.

There is one value for each calling convention. The rewriter writes sites by it, glue templates are
rendered from it, and C is compiled with its numbers as macros. The verifier in tests/verify has
figures of its own on purpose: it would not notice a wrong one here otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from inst.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SmallData:
    """The base of small data, in programs that have it."""

    register: str
    named: re.Pattern[str]
    """How assembly names small data or its base."""
    relative: re.Pattern[str]
    """How an operand is made relative to the base."""
    relocations: frozenset[int]
    """Relocations that may put the base into an instruction."""
    marks: tuple[str, ...]
    """What names of entries have in them whose sites leave the base alone."""
    fixed: str
    """GCC's option by which code leaves the register alone."""
    models: tuple[str, ...]
    """GCC's options by which it is the base."""
    model: str
    """How all of these begin, and those by which it is not; the last one counts."""

    def is_chosen(self, words: Collection[str]) -> bool:
        """Return whether sites have to leave the register alone in what GCC compiles so."""
        kept = [word for word in words if word.startswith(self.model)]
        return self.fixed in words or (bool(kept) and kept[-1] in self.models)


@dataclass(frozen=True, slots=True)
class SiteAbi:
    """What every site ABI has, however an instruction set's sites look."""

    scratch: tuple[str, ...]
    """Registers that sites and entries change, although compilers may give them to the program."""
    small_data: SmallData | None
    """Small data whose base is a register that sites use."""
    macros: Mapping[str, int]
    """Numbers for C, by the ends of their names: INST_SITE_FRAME ...; in templates `site.FRAME`."""
    undecoded: str = r"(?!)"
    """Regular expression of the mnemonics of accesses that the run-time library cannot decode."""
    undecoded_hint: str = ""
    """How to compile without them."""
    chosen: bool = False
    """Whether `scratch` is one of several choices (`Sites.choices`)."""

    @property
    def symbol(self) -> str:
        """The symbol of the choice, which objects refer to and libraries define; "" if none."""
        return ".".join((CHOICE_SYMBOL, *self.scratch)) if self.chosen else ""


CHOICE_SYMBOL = "inst.registers"
"""What the symbols of choices begin with."""


@dataclass(frozen=True, slots=True)
class Sites:
    """The site ABIs of one instruction set."""

    abis: Mapping[str, SiteAbi]
    """By `Isa.abi`."""
    not_preserved: tuple[str, ...] = ()
    """Condition codes that INST_PRESERVING does not save, by which windowhook is called."""
    choices: tuple[str, ...] = ()
    """The registers of which the program's builder may choose (`with_registers`)."""

    def with_registers(self, names: tuple[str, ...]) -> str:
        """Return the ABI whose sites take these registers, in any order; "" if there is none."""
        wanted = set(names)
        chosen = (abi for abi, site in self.abis.items() if site.chosen)
        return next((abi for abi in chosen if {*self.abis[abi].scratch} == wanted), "")
