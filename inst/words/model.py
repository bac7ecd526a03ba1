"""What is known of an instruction set's words: a value for each, found by its key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inst.words.access import Access, Array


@dataclass(frozen=True, slots=True)
class Transfers:
    """How the words of a column transfer control: columns of booleans, but for `target`."""

    is_transfer: Array
    """A branch, call, return or jump, also one that is never taken."""
    is_direct: Array
    """The word itself holds the target."""
    is_conditional: Array
    """Whether it is taken depends on more than the word."""
    is_never: Array
    """A branch that is never taken (SPARC's `bn`)."""
    is_call: Array
    """It saves its own address for a return; PowerPC's `bcl 20,31,.+4` only reads the address."""
    is_return: Array
    """A jump to where a call left its address."""
    annuls: Array
    """SPARC: the annul bit of a branch."""
    leaves: Array
    """The next instruction can be anywhere: system calls, traps, returns from traps, and SPARC's
    branches that compare (CBcond), which are not decoded further."""
    target: Array
    """Address as u8; 0 where the word does not hold one."""


@dataclass(frozen=True, slots=True)
class Words:
    """The decoders of an instruction set; `has_spe` says that the processor has SPE (PowerPC)."""

    access_of: Callable[[int, bool], Access | None]
    """(word, has_spe): the memory access of a word."""
    lookup: Callable[[Array, bool], tuple[Array, Array]]
    """(words, has_spe): what each word of a column accesses (bits), and how many bytes."""
    transfers: Callable[[Array, Array], Transfers]
    """(words, addresses): how they transfer control."""
    have_addresses: Callable[[Array], Array]
    """Which words have a target, or an address although they access no memory."""
    delay_slots: int
    """Instructions after a transfer that run before its target."""
