"""Which functions of a file are instrumented: those that the user's lists select.

A pattern is a glob for the name of a function as the assembly has it, or after `src:` one for the
name of a source file. Clones of a function (`f.constprop.0`, `f.part.1`) and what is split off
(`f.cold`) match by the function's own name as well.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase

from inst.asm.places import MARKER, translated_file
from inst.dataclass import dataclass, replace
from inst.flow.code import Code
from inst.flow.functions import Functions
from inst.isa.model import Isa, SystemEvent, Transfer

SOURCE = "src:"
LEFT_OUT = "inst.left.out"
"""A symbol that objects define of which some functions are not instrumented."""
MARK = f"""
	.pushsection .rodata
	.weak {LEFT_OUT}
	.hidden {LEFT_OUT}
{LEFT_OUT}:
	.byte 0
	.popsection
"""


@dataclass(frozen=True, slots=True)
class Selection:
    """The patterns of the two lists; an empty first one selects everything."""

    only: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()

    @property
    def is_partial(self) -> bool:
        """Whether something may be left out."""
        return bool(self.only or self.excluded)

    def in_file(self, text: str, file: str) -> Selection | None:
        """Return the selection among an assembly file's functions; None if it takes none of them.

        Patterns for source files are resolved: they are about the file that a compiler or generator
        has translated, or the assembly itself, and about what a preprocessor has read.
        """
        if not self.is_partial:
            return self
        sources = {os.path.basename(name) for name in _sources(text, file)}
        excluded, only = _of_functions(self.excluded), _of_functions(self.only)
        if _matches_source(self.excluded, sources):
            return None
        if _matches_source(self.only, sources):
            return Selection(excluded=excluded)
        return Selection(only, excluded) if only or not self.only else None

    def takes(self, names: frozenset[str]) -> bool:
        """Return whether a function of these names is instrumented (no name: code of none)."""
        if _matches(self.excluded, names):
            return False
        return not self.only or _matches(self.only, names)

    def left_out(self, code: Code, isa: Isa) -> tuple[frozenset[int], frozenset[str]]:
        """Return the instructions that stay as they are, and the functions' names."""
        if not self.is_partial:
            return frozenset(), frozenset()
        functions = Functions(code, isa)
        verdicts: dict[int, bool] = {}
        found = []
        shown: set[str] = set()
        for index in range(len(code.facts)):
            owner = functions.owner(index)
            if id(owner) not in verdicts:
                names = owner.names if owner else ()
                verdicts[id(owner)] = self.takes(frozenset(names))
                if not verdicts[id(owner)]:
                    shown.update(name for name in names if not name.startswith("."))
            if not verdicts[id(owner)]:
                found.append(index)
        return frozenset(found), frozenset(shown)


EVERYTHING = Selection()


def without(code: Code, left_out: frozenset[int]) -> Code:
    """Return the code with instructions at which no pass finds anything to report."""
    if not left_out:
        return code
    facts = list(code.facts)
    for index in left_out:
        facts[index] = replace(
            facts[index],
            defs=0,
            uses=0,
            access=None,
            transfer=Transfer.NONE,
            target="",
            conditional=False,
            delay_slot=False,
            annul=False,
            window=0,
            system_call=False,
            event=SystemEvent.NONE,
        )
    return replace(code, facts=facts)


def _of_functions(patterns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(pattern for pattern in patterns if not pattern.startswith(SOURCE))


def _matches(patterns: tuple[str, ...], names: frozenset[str]) -> bool:
    spelled = names | {name.split(".")[0] for name in names if not name.startswith(".")}
    spelled |= {name.removeprefix(".L.") for name in names}
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in spelled)


def _sources(text: str, file: str) -> Iterator[str]:
    yield translated_file(text) or file
    if first := MARKER.match(text):
        yield first[2]


def _matches_source(patterns: tuple[str, ...], sources: set[str]) -> bool:
    return any(
        fnmatchcase(source, pattern.removeprefix(SOURCE))
        for pattern in patterns
        if pattern.startswith(SOURCE)
        for source in sources
    )
