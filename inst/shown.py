"""Text from traces and programs as it may be shown: on one line, and no commands to a terminal."""

from __future__ import annotations

_CODES = (
    *range(9), *range(10, 32), *range(127, 160),  # controls but the tab
    0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A),  # direction of writing
    0x2028, 0x2029,  # ends of lines
    *range(0xD800, 0xE000),  # bytes that are no text
)  # fmt: skip
_CONTROLS = {code: f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" for code in _CODES}


def shown(text: str) -> str:
    """Return a text with what would end its line or change a terminal's state as escapes."""
    return text if text.isprintable() else text.translate(_CONTROLS)


def shown_lines(text: str) -> str:
    """Return a text of several lines, each as it may be shown."""
    return text if text.isprintable() else "\n".join(map(shown, text.split("\n")))
