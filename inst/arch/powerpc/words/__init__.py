"""PowerPC's instruction words: text, accesses and transfers of control.

Sources: Power ISA 3.0B, Book I, section 2.4 (branches), and Book III (sc, rfi and the other returns
from interrupts).
"""

from __future__ import annotations

import numpy as np

from inst.arch.powerpc.words import accesses, c_tables, hook_tables
from inst.arch.powerpc.words.recorded import RECORDED
from inst.words.access import Array
from inst.words.model import (
    NOWHERE,
    Candidates,
    Chains,
    Text,
    Transfers,
    Words,
    capstone_text,
    reach,
    signed,
    split_text,
)


def _has_spe(arch: str) -> bool:
    """Return whether words under primary opcode 4 are SPE's for a producer's word."""
    return arch.lower().endswith("spe")


_ADDRESSED = (54, 86, 246, 278, 470, 758, 982)
"""Extended opcodes under 31 of words with an address but no access: dcbst, dcbf, dcbtst, dcbt,
dcbi, dcba, icbi."""
_BY_REGISTER = (16, 528, 560)
"""Extended opcodes under 19: bclr, bcctr, bctar."""
_FROM_INTERRUPT = (18, 38, 39, 50, 51, 82, 146, 274, 402)
"""Extended opcodes under 19: rfid, rfmci, rfdi, rfi, rfci, rfscv, rfebb, hrfid, doze."""
_TO_THE_NEXT = 0x429F0005
"""`bcl 20,31,.+4`: how a program reads its own address."""
_UNCONDITIONAL = 0x14
"""Bits of BO that make a branch depend on neither a condition nor ctr."""


def _transfers(word: Array, address: Array) -> Transfers:
    primary, extended, options = word >> 26, word >> 1 & 0x3FF, word >> 21 & 31
    long, short = primary == 18, primary == 16
    register = (primary == 19) & np.isin(extended, _BY_REGISTER)
    displacement = np.where(long, signed(word & 0x3FFFFFC, 26), signed(word & 0xFFFC, 16))
    base = np.where(word & 2 != 0, np.uint64(0), address)
    links = word & 1 != 0
    none = np.zeros(len(word), bool)
    transfer = long | short | register
    return Transfers(
        is_transfer=transfer,
        is_direct=long | short,
        is_conditional=(short | register) & (options & _UNCONDITIONAL != _UNCONDITIONAL),
        is_never=none,
        is_call=transfer & links & (word != _TO_THE_NEXT),
        is_return=register & (extended == 16) & ~links,
        annuls=none,
        leaves=(primary == 17) | ((primary == 19) & np.isin(extended, _FROM_INTERRUPT)),
        target=np.where(long | short, reach(address, base, displacement), np.uint64(0)),
    )


_LMW_STMW = ("lmw", "stmw")


def _have_addresses(words: Array) -> Array:
    hint = (words >> 26 == 31) & np.isin(words >> 1 & 0x3FF, _ADDRESSED)
    return np.asarray(np.isin(words >> 26, (16, 17, 18, 19)) | hint)


def _longest(words: Array) -> Array:
    return np.where(accesses.are(words, _LMW_STMW), 32 - accesses.target(words), 32)


def _text(arch: str) -> Text:
    """Return the disassembler; capstone decodes the words of SPE as AltiVec's."""
    spe = _has_spe(arch)
    known = capstone_text("CS_ARCH_PPC", ["CS_MODE_64" if "64" in arch.lower() else "CS_MODE_32"])

    def text(word: int, pc: int) -> str:
        return spe_text(word) if spe and word >> 26 == 4 else known(word, pc)

    return text


def spe_text(word: int) -> str:
    """Return a load or store of SPE from its fields; "" for any other word."""
    access = accesses.access_of(word, has_spe=True)
    if access is None or access.value != "wide":
        return ""
    value, base, last = (word >> shift & 31 for shift in (21, 16, 11))
    if word & 1:
        return f"{access.mnemonic} r{value}, {access.size * last:#x}(r{base})"
    return f"{access.mnemonic} r{value}, r{base}, r{last}"


_ALWAYS = 0x14 << 21
"""The bits of a conditional branch's option that make it unconditional."""


def _candidates(arch: str, text: Text) -> Candidates:
    from inst.arch.powerpc.words import texts  # needs the tables of instructions

    del arch

    def candidates(word: int) -> list[tuple[str, str]]:
        found = []
        # Of absolute branches capstone omits the target; what always branches it prints as bdnz.
        if word >> 26 != 16 or (word & 2 == 0 and word & _ALWAYS != _ALWAYS):
            found.append(texts.corrected(*split_text(text(word, NOWHERE))))
        if word >> 26 == 31 and word & texts.OVERFLOW:
            mnemonic, operands = split_text(text(word & ~texts.OVERFLOW, NOWHERE))
            found.append((texts.with_overflow(mnemonic), operands))
        own = texts.text_of(word)
        return [*found, own] if own else found

    return candidates


_CHAINS = Chains(
    stack=1,
    makes=lambda words: accesses.are(words, ("stwu", "stwux", "stdu", "stdux")),
    base=accesses.base,
    target=accesses.target,
)
PART = Words(
    access_of=lambda word, arch: accesses.access_of(word, _has_spe(arch)),
    lookup=lambda words, arch: accesses.lookup(words, _has_spe(arch)),
    transfers=_transfers,
    text=_text,
    candidates=_candidates,
    delay_slots=0,
    have_addresses=_have_addresses,
    longest=_longest,
    c_tables=c_tables.tables,
    hook_tables=hook_tables.tables,
    windows=None,
    chains=_CHAINS,
    recorded=RECORDED,
    wide_floats=True,
)
