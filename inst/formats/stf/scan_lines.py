"""The lines of STF that are looked at together: what each is, and where it is."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np

from inst.trace.model import Array

STATUS_LINE = re.compile(
    rb"(?:(?:XER|MSR|CTR|LNK|CCR|MQ|HQ|FPSCR) = (?:[0-9a-f]{16}|[0-9a-f]{8}) ?+)++\n"
)
REGISTER_LINE = re.compile(
    rb"(?:R[0-3]\d = (?:[0-9a-f]{16}|[0-9a-f]{8}) ?+)++\n|(?:F[0-3]\d = [0-9a-f]{16} ?+)++\n"
)

NOTHING, INSTRUCTION, REGISTER, STATUS = range(4)
ROLES = np.zeros(256, "u1")
ROLES[ord("P")] = INSTRUCTION
ROLES[list(b"RF")] = REGISTER
ROLES[list(b"XMCLH")] = STATUS

HEX = np.zeros(256, "?")
HEX[list(b"0123456789abcdef")] = True
DECIMAL = np.zeros(256, "?")
DECIMAL[list(b"0123456789")] = True


@dataclass(slots=True)
class Lines:
    """The lines looked at, and what was found wrong and right with them."""

    buffer: bytes
    position: int
    data: Array
    starts: Array
    ends: Array
    roles: Array
    cut: int
    """The first line that is not as it should be."""
    found: list[tuple[Array, Array, Array]] = field(default_factory=list)
    """Line, register and value of what lines state."""

    def refuse(self, lines: Array) -> None:
        if len(lines):
            self.cut = min(self.cut, int(lines.min()))

    def windows(self, lines: Array, width: int) -> Array:
        """Return the first bytes of some lines, a row for each."""
        return np.lib.stride_tricks.sliding_window_view(self.data, width)[self.starts[lines]]


def numbers_of(digits: Array) -> Array:
    """Return rows of 8 or 16 hexadecimal digits as numbers."""
    if digits.shape[1] == 16:
        return numbers_of(digits[:, :8]) << np.uint64(32) | numbers_of(digits[:, 8:])
    text = np.ascontiguousarray(digits).view("<u8").ravel()
    number = (text & 0x0F0F0F0F0F0F0F0F) + 9 * (text >> np.uint64(6) & 0x0101010101010101)
    for bits, mask in ((8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF), (32, 0xFFFFFFFF)):
        number = (number << np.uint64(bits // 2)) + (number >> np.uint64(bits)) & mask
    return number
