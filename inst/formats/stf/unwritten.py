"""Space in an STF trace that a killed program reserved and did not write.

It begins where a line should begin, by a zero byte: the first byte of a record is written last.
After it may stand pieces of the record that was being written, and then zeros up to the next
record. Another space may follow where its line ends. A space that was being filled begins with
blanks, and may have few zeros up to the end of its line. What is there is turned into blanks,
which every reader of STF skips, so that all positions stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inst.trace.text_damage import GAP_LEAST, PIECE_LIMIT

_PIECES = re.compile(rb"\0+|[^\0]+")
_LINE = re.compile(rb"\0+(?=[ \t]*\n)")
"""Zeros up to the end of a line: space, however few they are."""


class Unwritten:
    """The space found in one trace, while its bytes pass through."""

    def __init__(self) -> None:
        self.between = 0
        """Bytes of space that more of the trace follows."""
        self.at_end = 0
        """Bytes of space that the trace ends with."""
        self._held = b""  # what may be the start of a space, or damage
        self._within = False  # in a space, for sure
        self._line_over = True
        """Only blanks stand on the present line."""

    @property
    def is_open(self) -> bool:
        """Whether what comes next may belong to a space."""
        return self._within or bool(self._held)

    def blanked(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        """Yield the bytes of a trace, and blanks for what was not written."""
        for chunk in chunks:
            if b"\0" in chunk or self._held or self._within:
                yield b"".join(self._pass(piece) for piece in _PIECES.findall(chunk))
            elif chunk:
                self._line_over = self._is_blank(chunk)
                yield chunk
        if self._held:
            of_zeros = self._within and not self._held.strip(b"\0")
            yield self._blanks(self._held) if of_zeros else self._held

    def _pass(self, piece: bytes) -> bytes:
        """Return what is certain of the bytes held and a piece: all zeros or none."""
        zeros = piece.startswith(b"\0")
        if self._held or (zeros and self._line_over):
            return self._hold(piece)
        if self._within and zeros:
            return self._blanks(piece)
        return self._text(piece)

    def _text(self, piece: bytes) -> bytes:
        """Return what is no space; only blanks, and the end of its line, leave one open."""
        self._line_over = self._is_blank(piece)
        if self._within and piece.strip():
            self.between, self.at_end = self.between + self.at_end, 0
            self._within = False
        return piece

    def _is_blank(self, text: bytes) -> bool:
        """Return whether there are only blanks on the line that text ends in."""
        line = text.rpartition(b"\n")[2]
        return not line.strip() and (len(line) < len(text) or self._line_over)

    def _hold(self, piece: bytes) -> bytes:
        held, self._held = self._held + piece, b""
        if held.endswith(bytes(GAP_LEAST)):
            return self._space(held)
        if line := _LINE.match(held):
            return self._space(line[0]) + self._text(held[line.end() :])
        if len(held) > PIECE_LIMIT:
            return self._text(held)  # the reader complains of it
        self._held = held
        return b""

    def _space(self, space: bytes) -> bytes:
        """Return blanks for what certainly was not written; its line may go on."""
        self._within, self._line_over = True, False
        return self._blanks(space)

    def _blanks(self, space: bytes) -> bytes:
        self.at_end += len(space)
        return b" " * len(space)
