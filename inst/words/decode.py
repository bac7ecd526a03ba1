"""What an instruction word does, for a producer's word for its architecture."""

from __future__ import annotations

import numpy as np

from inst.arch.registry import producer
from inst.words.access import Access, Array
from inst.words.model import Transfers, Words

MULTIPLE_LIMIT = 128
"""Bytes the longest multiple or string access moves: 32 registers of 4."""


def words_of(arch: str) -> Words:
    """Return the decoders for a producer's word."""
    return producer(arch).part(Words)


def access_of(word: int, arch: str) -> Access | None:
    """Return the memory access an instruction word makes, or None."""
    return words_of(arch).access_of(word, arch)


def lookup(words: Array, arch: str) -> tuple[Array, Array]:
    """Return for a column of instruction words what each accesses (bits) and the size."""
    return words_of(arch).lookup(words.astype("u4"), arch)


def instructions_of(words: Array, arch: str) -> Array:
    """Return what begins at each word of some code: an instruction as `Words.prefix` says."""
    words, prefix = words.astype("u4"), words_of(arch).prefix
    if prefix is None:
        return words
    mask, value = prefix
    rows = np.flatnonzero(words[:-1] & np.uint32(mask) == value)
    found = words.astype("u8")
    found[rows] = found[rows] << np.uint64(32) | found[rows + 1]
    return found


def longer_only(instructions: Array) -> Array:
    """Return instructions of two words as they are, and 0 for those of one."""
    found = instructions.astype("u8")
    found[found >> np.uint64(32) == 0] = 0
    return found


def accesses_of(instructions: Array, arch: str) -> tuple[Array, Array]:
    """Return what `lookup` does, of instructions as `Words.prefix` says."""
    return words_of(arch).lookup(instructions, arch)


def transfers_of(words: Array, addresses: Array, arch: str) -> Transfers:
    """Decode how a column of instruction words at these addresses transfers control."""
    return words_of(arch).transfers(words.astype("i8"), addresses.astype("u8"))


def trap_returns(words: Array, arch: str) -> tuple[Array, Array]:
    """Return which words return from a trap, and which of those may return into a delay slot."""
    find = words_of(arch).trap_returns
    if find is None:
        return np.zeros(len(words), bool), np.zeros(len(words), bool)
    return find(words.astype("u4"))


def names_space(words: Array, arch: str) -> Array:
    """Return which loads and stores name an address space in the word itself."""
    find = words_of(arch).names_space
    return np.zeros(len(words), bool) if find is None else find(words.astype("u4"))


def have_addresses(words: Array, arch: str) -> Array:
    """Return which words have a target, or an address although they access no memory."""
    return words_of(arch).have_addresses(words.astype("u4"))
