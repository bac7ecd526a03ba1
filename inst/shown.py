"""Text from traces and programs as it may be shown: on one line, and no commands to a terminal."""

from __future__ import annotations

_RANGES = (
    (0, 9), (10, 32), (127, 160),  # controls but the tab
    (0x061C, 0x061D), (0x200E, 0x2010), (0x202A, 0x202F), (0x2066, 0x206A),  # direction of writing
    (0x2028, 0x202A),  # ends of lines
    (0xD800, 0xE000),  # bytes that are no text
)  # fmt: skip
_ESCAPES: dict[int, str] = {}
"""Filled when it is first wanted: every start of the assembler imports this module."""


def shown(text: str) -> str:
    """Return a text with what would end its line or change a terminal's state as escapes."""
    if text.isprintable():
        return text
    if not _ESCAPES:
        for first, end in _RANGES:
            for code in range(first, end):
                _ESCAPES[code] = f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
    return text.translate(_ESCAPES)


def shown_lines(text: str) -> str:
    """Return a text of several lines, each as it may be shown."""
    return text if text.isprintable() else "\n".join(map(shown, text.split("\n")))
