"""Which section the statements of a file go to, and what may be in it."""

from __future__ import annotations

import re

SECTION_DIRECTIVES = frozenset((
    ".text", ".data", ".bss", ".section", ".subsection", ".pushsection", ".popsection",
    ".previous",
))  # fmt: skip

WORDS = frozenset(
    (".long", ".word", ".4byte", ".int", ".uaword", ".llong", ".quad", ".8byte", ".xword",
     ".uaxword", ".dword")
)  # fmt: skip
"""Directives that give words of the size of an address."""
_ORDINARY = re.compile(
    r"\.(text|rodata|data|sdata|bss|sbss|got|toc|opd|debug|inst|note|eh_frame|gcc_except_table"
    r"|stab|init|fini|preinit|ctors|dtors|tdata|tbss|comment|gnu|zdebug)"
)

Position = tuple[str, str, tuple[tuple[str, str], ...]]
"""The position in a file: the current section, its predecessor, the stack."""


class Sections:
    """Follows section directives: the current section, its predecessor, the stack."""

    def __init__(self) -> None:
        self.current = self.previous = ".text"
        self.stack: list[tuple[str, str]] = []

    def state(self) -> Position:
        """Return the current position."""
        return self.current, self.previous, tuple(self.stack)

    def restore(self, state: Position) -> None:
        """Return to the position `state`."""
        self.current, self.previous, stack = state
        self.stack = list(stack)

    def switch(self, name: str) -> None:
        self.previous, self.current = self.current, name

    def directive(self, name: str, operands: str) -> bool:
        """Process a section directive; return whether it was one."""
        if name in (".text", ".data", ".bss"):
            self.switch(name + (f" {operands}" if operands not in ("", "0") else ""))
        elif name == ".section":
            self.switch(operands.split(",")[0].strip().strip('"'))
        elif name == ".subsection":
            self.switch(f"{self.current.split(' ')[0]} {operands}")
        elif name == ".pushsection":
            self.stack.append((self.current, self.previous))
            self.switch(operands.split(",")[0].strip().strip('"'))
        elif name == ".popsection" and self.stack:
            self.current, self.previous = self.stack.pop()
        elif name == ".previous":
            self.current, self.previous = self.previous, self.current
        else:
            return False
        return True


def is_table(section: str) -> bool:
    """Return whether words in a section may mark instructions, by the section's name."""
    return not _ORDINARY.match(section)
