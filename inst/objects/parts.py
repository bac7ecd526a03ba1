"""What an instruction set says of its relocations and of how its assembler is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from inst.objects.code_data import CodeData
from inst.objects.model import ObjectFile, Relocation


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


def number_size(forms: Mapping[int, Form], row: Relocation) -> int:
    """Return the bytes of the number that a relocation is for; 0: it is for an instruction."""
    form = forms.get(row.kind)
    return form.size if form and form.directive else 0


@dataclass(frozen=True, slots=True)
class Setup:
    """An instruction of the unit that sets up the pointer to the table of addresses."""

    form: Form
    """What compilers write."""
    addend: int
    """Bytes between it and the call: more or fewer are not known to be this unit."""


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
    spelled: Callable[[str, str, int], str]
    """Return an instruction's text, of such a producer and word, as the assembler takes it."""
    local_entries: bool = False
    """The upper three bits of st_other hold the distance of the local entry (ELFv2)."""
    register_symbols: int = -1
    """Type of the symbols that stand for registers; they come from `directives`."""
    branches: frozenset[int] = frozenset()
    """Relocations of branches and calls."""
    reads_counter: frozenset[int] = frozenset()
    """Words after which a register has the address of the next instruction."""
    code_data: Callable[[ObjectFile], CodeData] = lambda _found: CodeData()
    """Return which data stand among the code of such an object."""
    reads_entry: Callable[[int], bool] = lambda _word: False
    """Return whether a function's first word adds to the address by which it was called."""
    descriptors: Callable[[ObjectFile], str] = lambda _found: ""
    """Return the section of function descriptors, where the symbols of functions are (ELFv1)."""
    table_setup: Mapping[int, Setup] = field(default_factory=dict)
    """Relocations of the set-up of the pointer to the table of addresses."""
    is_data: Callable[[Sequence[int], int], bool] = lambda words, number: False
    """Return whether a word of code, of which there is a text, is likely data."""
    own_place: Callable[[int], bool] = lambda _word: False
    """Return whether a word puts its own address into a register: what is added to it, but for
    `table_setup`, are distances within the code that no relocation tells."""
    padding: Callable[[Sequence[int], int], int] = lambda words, number: 0
    """Return how many words from one on are such as the assembler aligns code by, nops aside."""
    cannot_grow: Callable[[ObjectFile], str] = lambda found: ""
    """Return why code cannot be inserted into an object of this kind; "" if it can."""
