"""The errors a user sees: where, what was wrong, what was expected, what to do.

Every error that bad input can cause is an `InstError`; the command line prints it
without a traceback and exits with status 1 (translation, building) or 2 (usage and
unreadable input).
"""

from __future__ import annotations

from inst.dataclass import dataclass
from inst.shown import shown, shown_lines

_WIDTH = 160
"""Characters shown of a line: macros make lines of many thousands."""
NO_MEMORY = "inst: error: not enough memory for what is to be read"
"""What inst and the tools of inst-cc say of a MemoryError."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a text file: lines and columns count from 1; 0 means unknown."""

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        parts = [self.file]
        if self.line:
            parts.append(str(self.line))
            if self.column:
                parts.append(str(self.column))
        return ":".join(parts)


class InstError(Exception):
    """A mistake in the input or the environment, said in the user's words.

    `source` is the offending line (shown with a caret under `location.column`);
    `hint` says what to do about it.
    """

    exit_status: int = 1
    """What the command line ends with."""

    def __init__(
        self,
        message: str,
        *,
        location: Location | None = None,
        source: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.source = source
        self.hint = hint

    def render(self) -> str:
        """Return the message as `file:line:column: error: ...`, the line, a caret, the hint."""
        where = f"{shown(str(self.location))}: " if self.location else "inst: "
        lines = [f"{where}error: {shown_lines(self.message)}"]
        if self.source:
            line = self.source.rstrip("\n")
            column = self.location.column if self.location else 0
            text = shown(line.expandtabs(8))
            before = len(shown(line[: max(column - 1, 0)].expandtabs(8)))
            if len(text) > _WIDTH:
                first = max(before - _WIDTH // 2, 0)
                text, before = text[first : first + _WIDTH], before - first
            lines.append(f"    {text}")
            if column:
                lines.append("    " + " " * before + "^")
        if self.hint:
            lines.append(f"  hint: {shown_lines(self.hint)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.render()


class ErrorList(InstError):
    """Several errors of one run, in source order."""

    def __init__(self, errors: list[InstError]) -> None:
        super().__init__(errors[0].message, location=errors[0].location)
        self.errors = errors

    def render(self) -> str:
        return "\n".join(error.render() for error in self.errors)
