"""PowerPC's instruction words: text, accesses and transfers of control."""

from __future__ import annotations

import numpy as np

from inst.arch.powerpc.words import accesses, c_tables, hook_tables, power10, system_events
from inst.arch.powerpc.words.recorded import RECORDED
from inst.arch.powerpc.words.transfers import transfers
from inst.arch.registry import is_wide
from inst.words.access import Array
from inst.words.model import (
    NOWHERE,
    Candidates,
    Chains,
    Text,
    Words,
    capstone_text,
    split_text,
)


def _has_spe(arch: str) -> bool:
    """Return whether words under primary opcode 4 are SPE's for a producer's word."""
    return arch.lower().endswith("spe")


_ADDRESSED = (54, 86, 246, 278, 470, 758, 982)
"""Extended opcodes under 31 of words with an address but no access: dcbst, dcbf, dcbtst, dcbt,
dcbi, dcba, icbi."""
_LMW_STMW = ("lmw", "stmw")


def _have_addresses(words: Array) -> Array:
    hint = (words >> 26 == 31) & np.isin(words >> 1 & 0x3FF, _ADDRESSED)
    return np.asarray(np.isin(words >> 26, (16, 17, 18, 19)) | hint)


def _longest(words: Array) -> Array:
    return np.where(accesses.are(words, _LMW_STMW), 32 - accesses.target(words), 32)


def _text(arch: str) -> Text:
    """Return the disassembler; capstone has SPE's words as AltiVec's, and no POWER10."""
    spe = _has_spe(arch)
    known = capstone_text("CS_ARCH_PPC", ["CS_MODE_64" if is_wide(arch) else "CS_MODE_32"])

    def text(word: int, pc: int) -> str:
        if spe and word >> 26 == 4:
            return spe_text(word)
        found = _prefixed(word) if word >> 32 else split_text(known(word, pc))
        parts = found if found and found[0] else power10.text_of(word)
        return " ".join(filter(None, parts or ()))

    return text


def _prefixed(instruction: int) -> tuple[str, str] | None:
    from inst.arch.powerpc.words import texts  # needs the tables of instructions

    return texts.text_of_prefixed(instruction)


def spe_text(word: int) -> str:
    """Return a load or store of SPE from its fields; "" for any other word."""
    access = accesses.access_of(word, has_spe=True)
    if access is None or not access.value.startswith("wide"):
        return ""
    value, base, last = (word >> shift & 31 for shift in (21, 16, 11))
    if word & 1:
        place = accesses.place_text(access.size * last, base)
        return f"{access.mnemonic} r{value}, {place}"
    return f"{access.mnemonic} r{value}, r{base}, r{last}"


_ALWAYS = 0x14 << 21
"""The bits of a conditional branch's option that make it unconditional."""


def _candidates(arch: str, text: Text) -> Candidates:
    from inst.arch.powerpc.words import texts  # needs the tables of instructions

    del arch

    def candidates(word: int) -> list[tuple[str, str]]:
        if word >> 32:
            longer = _prefixed(word)  # what is relative to the instruction has no such facts
            return [longer] if longer and not longer[1].endswith(", 1") else []
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
    transfers=transfers,
    text=_text,
    candidates=_candidates,
    delay_slots=0,
    have_addresses=_have_addresses,
    longest=_longest,
    c_tables=c_tables.tables,
    opcodes=c_tables.opcodes,
    event_tables=system_events.tables,
    event_names=system_events.names,
    page_tables="software",
    hook_tables=hook_tables.tables,
    windows=None,
    chains=_CHAINS,
    recorded=RECORDED,
    wide_floats=True,
    prefix=accesses.PREFIX,
)
