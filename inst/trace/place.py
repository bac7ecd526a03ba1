"""Where the address of an instruction is in a program: function, source line, original text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an address in a program; what is not known is empty or 0."""

    function: str
    offset: int
    file: str
    line: int
    text: str
    """The original instruction, when the site table has it."""
    symbol: str = ""
    """The function's name in the symbol table, where `function` is one made readable."""

    def __str__(self) -> str:
        function = f"{self.function}+{self.offset:#x}" if self.function else ""
        source = f"{self.file}:{self.line}" if self.line else self.file
        return " ".join(part for part in (function, source) if part)


Locate = Callable[[int], Place | None]
"""Returns the place of a run-time address; None if it is in no program that was named."""
