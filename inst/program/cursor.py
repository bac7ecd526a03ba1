"""Reads the numbers and strings of a debugging or exception table, one after the other."""

from __future__ import annotations

_LONGEST = 10
"""Bytes of a variable-length number below 2**64."""


class Cursor:
    """A position in the section; reading past its end is a ValueError."""

    def __init__(self, data: bytes, order: str) -> None:
        self.data = data
        self.at = 0
        self.order = order

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        start, self.at = self.at, self.at + size
        if self.at > len(self.data):
            raise ValueError
        return self.data[start : self.at]

    def number(self, size: int) -> int:
        """Return an unsigned number of that many bytes."""
        return int.from_bytes(self.take(size), self.order)  # type: ignore[arg-type]

    def text(self) -> bytes:
        """Return a string and skip the zero at its end."""
        start = self.at
        end = self.data.index(b"\0", start)
        self.at = end + 1
        return self.data[start:end]

    def unsigned(self) -> int:
        """Return an unsigned LEB128."""
        return self._variable()[0]

    def signed(self) -> int:
        """Return a signed LEB128."""
        value, bits = self._variable()
        return value - (1 << bits) if value >> bits - 1 else value

    def _variable(self) -> tuple[int, int]:
        value, data = 0, self.data
        for count in range(_LONGEST):
            byte = data[self.at + count]
            value |= (byte & 0x7F) << 7 * count
            if byte < 0x80:
                self.at += count + 1
                return value, 7 * (count + 1)
        raise ValueError
