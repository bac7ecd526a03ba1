"""What the analysis of flow needs of each instruction set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from inst.asm.model import Statement
from inst.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CallRegisters:
    """Registers at calls by one calling convention; names with blanks between them."""

    killed: str
    """Undefined after a call, unless the call itself returns something there."""
    returned: str
    """May hold what a call returns; generous: also complex numbers and long doubles."""
    local_arguments: str
    """Read only by functions of the same file: the static chain of nested functions, and what
    assembly may pass by conventions of its own."""
    landing: str
    """EH_RETURN_DATA_REGNO of gcc's back ends: the exception, and which one it is."""
    unread_at_entry: str = ""
    """Local arguments that no compiled function reads where its code begins: what its global entry
    point needs to set up the TOC pointer has been read before."""
    not_passed: str = ""
    """Arguments of the instruction set's other conventions, which calls by this one do not pass."""
    descriptors: bool = False
    """A function's name is that of its descriptor, which names the code."""


@dataclass(frozen=True, slots=True)
class Conventions:
    """The calling conventions of one instruction set."""

    calls: Mapping[str, CallRegisters]
    """By `Isa.abi`."""
    parameters: tuple[str, ...]
    """Registers of a function's first parameters."""
    stack_pointer: str
    stack_names: tuple[str, ...]
    """How operands spell it."""
    destination_first: bool
    """The first operand is what an instruction sets, not the last."""
    preserving: str
    """Regular expression of callees that change nothing but what their instruction's facts list."""
    returns_elsewhere: bool
    """Compiled code may return to places whose address it takes or that follow a call of setjmp,
    with other registers than at the call: register windows do not survive it."""
    unwound: Mapping[str, int]
    """What calls preserve besides pointers, with the numbers that unwinding tables have for it."""
    frame_pointer: str = ""
    """The register that has the caller's stack pointer in every function, if there is one."""
    toc: tuple[str, ...] = ()
    """The register that points at a module's own data, which code expects where it is entered."""
    takes_address: str = ""
    """The mnemonic by which compiled code takes addresses, where it `returns_elsewhere`."""
    restores_link: str = "(?!)"
    """Regular expression of callees that return with the return address of their caller in the
    link register, not with their own: what counts calls where functions begin."""
    link_copy: tuple[str, ...] = ()
    """The register in which these may find that address: code has copied it there before."""
    dropped_by_linker: Callable[[list[Statement], Iterable[int]], set[int]] | None = None
    """Return the accesses that the linker may drop, given where the `.reloc` directives are."""


@dataclass(frozen=True, slots=True)
class Encoded:
    """What is known of instruction words without decoding them."""

    mask: int
    on_registers: frozenset[int]
    """What the bits of `mask` are in words that only have to do with registers, known or not:
    vector and floating-point operations, and what implementations add to them."""
    spelled: Mapping[int, frozenset[str] | None]
    """Width -> mnemonics of accesses and transfers that every assembler accepts, so that rewriting
    may have the name instead of the number; None: all of them."""
