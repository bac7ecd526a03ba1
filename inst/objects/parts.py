"""What an instruction set says of its relocations and of how its assembler is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from inst.objects.model import ObjectFile


@dataclass(frozen=True, slots=True)
class Form:
    """How assembly expresses one type of relocation; `{}` is the symbol with its addend."""

    text: str
    """In the place of the operand, or of the number."""
    field: int = 0
    """Bits that an instruction word gets so that the place of the operand shows in its text."""
    directive: str = ""
    """Of data: the directive; instructions have none."""
    size: int = 4
    """Of data: bytes."""
    appended: str = ""
    """What follows the operands of an instruction, or the symbol of its other relocation."""
    last: bool = False
    """It takes the place of the last operand, a register."""


@dataclass(frozen=True, slots=True)
class Objects:
    """The objects of one instruction set."""

    names: Callable[[ObjectFile], Mapping[int, str]]
    """Return the relocations' names by their numbers, as `.reloc` takes them."""
    forms: Callable[[ObjectFile], Mapping[int, Form]]
    """Return the relocations that operands and data directives express."""
    options: Callable[[ObjectFile], list[str]]
    """Return the assembler's options for such an object."""
    producer: Callable[[ObjectFile], str]
    """Return the producer's word by which its instruction words are disassembled."""
    directives: Callable[[ObjectFile], list[str]]
    """Return what stands before all sections: ABI, registers declared."""
    spelled: Callable[[str, str], str]
    """Return an instruction's text, of such a producer, as the assembler takes it."""
    local_entries: bool = False
    """The upper three bits of st_other hold the distance of the local entry (ELFv2)."""
    register_symbols: int = -1
    """Type of the symbols that stand for registers; they come from `directives`."""
