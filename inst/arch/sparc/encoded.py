"""Instructions that a SPARC program gives as numbers."""

from __future__ import annotations

from inst.flow.model import Encoded

_V8_NAMES = frozenset((
    "ld", "ldub", "lduh", "ldsb", "ldsh", "ldd", "st", "stb", "sth", "std", "swap", "ldstub",
    "lda", "lduba", "lduha", "ldsba", "ldsha", "ldda", "sta", "stba", "stha", "stda", "swapa",
    "ldstuba", "save", "restore", "jmp", "jmpl", "call", "ret", "retl",
))  # fmt: skip
"""What every assembler for SPARC V8 accepts."""

PART = Encoded(
    mask=0xC1F80000,
    on_registers=frozenset(2 << 30 | opcode << 19 for opcode in (0x19, 0x34, 0x35, 0x36, 0x37)),
    spelled={32: _V8_NAMES, 64: None},
)
"""Operations on floating point and vectors, and what implementations add (SPARC T4's ciphers)."""
