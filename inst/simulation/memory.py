"""The memory of a simulated program, as far as its trace has shown it."""

from __future__ import annotations

UNIT = 8
REMEMBERED = 1 << 18
"""At least this many units are remembered, those touched last, and at most twice as many."""
_FULL = (1 << UNIT) - 1
NOTHING = (0, 0)


class KnownMemory:
    """Bytes by address, as far as the program touched them recently."""

    def __init__(self, byte_order: str = "big") -> None:
        self._little = byte_order == "little"
        self._units: dict[int, tuple[int, int]] = {}  # address: (content, mask of known bytes)
        self._older: dict[int, tuple[int, int]] = {}
        """Units that were not touched since `_units` was begun."""

    def clear(self) -> None:
        """Forget all contents."""
        self._units.clear()
        self._older.clear()

    def _unit(self, base: int) -> tuple[int, int]:
        found = self._units.get(base)
        if found is None:
            found = self._older.pop(base, None)
            if found is None:
                return NOTHING
            self._store(base, found)
        return found

    def _store(self, base: int, unit: tuple[int, int]) -> None:
        if len(self._units) >= REMEMBERED and base not in self._units:
            self._units, self._older = {}, self._units
        self._units[base] = unit

    def read(self, address: int, size: int) -> int | None:
        """Return the number at an address; None if any of its bytes is unknown."""
        start = address % UNIT
        if start + size <= UNIT and not self._little:
            content, known = self._unit(address - start)
            mask = (1 << size) - 1 << start
            if known & mask != mask:
                return None
            return content >> 8 * (UNIT - start - size) & (1 << 8 * size) - 1
        data = bytearray()
        while size > 0:
            base, start = address - address % UNIT, address % UNIT
            count = min(size, UNIT - start)
            content, known = self._unit(base)
            wanted = (1 << count) - 1 << start
            if known & wanted != wanted:
                return None
            data += content.to_bytes(UNIT, "big")[start : start + count]
            address, size = address + count, size - count
        return int.from_bytes(data, "little" if self._little else "big")

    def write(self, address: int, size: int, value: int | None) -> None:
        """Remember a number; None makes the place unknown."""
        start = address % UNIT
        if start + size <= UNIT and not self._little and value is not None:
            content, known = self._unit(address - start)
            shift = 8 * (UNIT - start - size)
            content = content & ~((1 << 8 * size) - 1 << shift) | value << shift
            self._store(address - start, (content, known | (1 << size) - 1 << start))
            return
        data = b""
        if value is not None:
            data = value.to_bytes(size, "little" if self._little else "big")
        done = 0
        while done < size:
            base, start = address - address % UNIT, address % UNIT
            count = min(size - done, UNIT - start)
            self._put(base, start, count, data[done : done + count])
            address, done = address + count, done + count

    def _put(self, base: int, start: int, count: int, data: bytes) -> None:
        content, known = self._unit(base)
        wanted = (1 << count) - 1 << start
        if not data:
            self._store(base, (content, known & ~wanted))
            return
        if count == UNIT:
            self._store(base, (int.from_bytes(data, "big"), _FULL))
            return
        old = bytearray(content.to_bytes(UNIT, "big"))
        old[start : start + count] = data
        self._store(base, (int.from_bytes(old, "big"), known | wanted))
