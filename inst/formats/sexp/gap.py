"""Space in a trace of s-expressions that a killed thread reserved and did not write.

It begins where a record should begin, by a zero byte: the first byte of a record is written
last. After it may stand pieces of the record that was being written, in any order, and
zeros. It ends with a line, or before a record after many zeros.
"""

from __future__ import annotations

import re
from typing import NoReturn

from inst.trace.model import TraceError
from inst.trace.text_damage import GAP_LEAST, PIECE_LIMIT

PIECE = re.compile(rb"[^\0\n]{1,1024}(?:\n|(?=\0))")


class Gap:
    """One such space being passed over; there is none while `length` is 0."""

    def __init__(self) -> None:
        self.length = 0
        """Zero bytes so far."""
        self._run = 0
        self._pieces = False
        self._line_over = False
        self._damage: TraceError | None = None

    def begin(self, damage: TraceError) -> None:
        """Begin; `damage` is raised if this turns out to be no such space."""
        self.length, self._run = 0, 0
        self._pieces = self._line_over = False
        self._damage = damage

    def pass_blanks(self, blanks: bytes) -> None:
        self._line_over = self._line_over or b"\n" in blanks

    def ends_at(self, first: bytes) -> bool:
        """Return whether a record begins with this byte, or the end of the trace comes."""
        return not first or (first == b"(" and (self._line_over or self._run >= GAP_LEAST))

    def end(self) -> int:
        """Return how many bytes were not written; an error if it was damage."""
        length, self.length = self.length, 0
        if self._pieces and length < GAP_LEAST:
            self._fail()
        return length

    def skip(self, buffer: bytes, start: int, *, final: bool) -> int:
        """Return where what follows begins; `start` if more of the trace is needed."""
        zeros = len(buffer) - start - len(buffer[start:].lstrip(b"\0"))
        if zeros:
            self.length += zeros
            self._run += zeros
            self._line_over = False
            return start + zeros
        if self._line_over:
            self._fail()
        match = PIECE.match(buffer, start)
        if match is None:
            if final or len(buffer) - start > PIECE_LIMIT:
                self._fail()
            return start
        self._pieces = True
        self._line_over = match[0].endswith(b"\n")
        self._run = 0
        return match.end()

    def _fail(self) -> NoReturn:
        assert self._damage, "a gap begins before it can be damage"
        raise self._damage
