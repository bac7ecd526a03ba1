"""What an instruction set is: a frozen value with its parts."""

from __future__ import annotations

import functools
import importlib

from inst import TYPE_CHECKING
from inst.dataclass import dataclass
from inst.errors import InstError

if TYPE_CHECKING:
    from typing import TypeVar

    P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Architecture:
    """One instruction set."""

    name: str
    """Its key: "sparc", "powerpc"."""
    title: str
    """What people call it."""
    package: str
    """The Python package that holds its parts."""
    producers: tuple[str, ...]
    """How the words begin by which traces and their producers call its processors, in lower case.
    """
    words: tuple[str, ...]
    """Such words, for hints."""
    wide: tuple[str, ...] = ("64",)
    """What such words contain where addresses have 64 bits."""
    little: tuple[str, ...] = ()
    """How they end where the byte at the lowest address is the least significant one."""
    local_entries: tuple[tuple[str, int], ...] = ()
    """How some end, and how many bytes after a function's start calls within an image enter it."""
    unnamed: str = ""
    """The word that stands for none: traces whose producer names no architecture are of this one.
    """
    formats: tuple[str, ...] = ()
    """Trace formats that only this instruction set has."""

    def part(self, kind: type[P]) -> P:
        """Return the part of that type, imported when it is first asked for."""
        found = _part(self.package, kind.__name__)
        assert isinstance(found, kind)
        return found


@functools.cache
def _part(package: str, kind: str) -> object:
    name = f"{package}.{kind.lower()}"
    try:
        return importlib.import_module(name).PART
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise InstError(
            f"the package {package} has no part {kind}",
            hint=f"add the module {name}",
        ) from None
