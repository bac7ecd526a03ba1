"""SPARC's instruction words: text, accesses and transfers of control.

Sources: The SPARC Architecture Manual, Version 9, appendix A (Bicc, BPcc, BPr, FBfcc, CALL, JMPL,
RETURN, Tcc, DONE) and Version 8, appendix B.
"""

from __future__ import annotations

import numpy as np

from inst.arch.sparc.words import accesses, c_tables, system_events
from inst.arch.sparc.words.recorded import RECORDED
from inst.arch.sparc.words.windows import WINDOWS, hand_on
from inst.words.access import READ, WRITE, Access, Array
from inst.words.model import (
    NOWHERE,
    Candidates,
    Text,
    Transfers,
    Words,
    capstone_text,
    reach,
    signed,
    split_text,
)

_FLUSH, _PREFETCHES = 0x3B, (0x2D, 0x3D)
"""op3 of words with an address but no access: flush; under op 3 prefetch and prefetcha."""
_SPARC_DISPLACEMENT = {1: 19, 2: 22, 5: 19, 6: 22, 7: 22}
"""op2 of format 2 -> bits of the displacement: BPcc, Bicc, FBPfcc, FBfcc, CBccc. BPr (3) has its
16 bits in two parts."""
_ALWAYS, _NEVER = 8, 0
"""Condition fields."""
_JMPL, _RETURN, _TRAP, _DONE = 0x38, 0x39, 0x3A, 0x3E
"""op3 of format 3: jmpl, return (V8: rett), Tcc, done and retry."""
_OTHER_ALTERNATES = (0x31, 0x35, 0x3C, 0x3D, 0x3E)
"""op3 under op 3 that look like alternate spaces: M8's loads and stores at any address, casa,
prefetcha, casxa."""


def _transfers(word: Array, address: Array) -> Transfers:
    op, op2, op3 = word >> 30, word >> 22 & 7, word >> 19 & 0x3F
    if (op == 3).all():  # loads and stores
        return Transfers.none(len(word))
    call = op == 1
    by_value = (op == 0) & (op2 == 3)
    compares = by_value & (word >> 28 & 1 != 0)
    on_register = by_value & ~compares
    displacement = np.where(call, signed(word, 30), 0)
    split = word >> 6 & 0xC000 | word & 0x3FFF
    displacement = np.where(on_register, signed(split, 16), displacement)
    on_codes = np.zeros(len(word), bool)
    for code, bits in _SPARC_DISPLACEMENT.items():
        found = (op == 0) & (op2 == code)
        displacement = np.where(found, signed(word, bits), displacement)
        on_codes |= found
    condition = word >> 25 & 0xF
    jump, back = (op == 2) & (op3 == _JMPL), (op == 2) & (op3 == _RETURN)
    link, source = word >> 25 & 31, word >> 14 & 31
    by_number = word & 0x2000 != 0
    returning = jump & (link == 0) & ((source == 31) | (source == 15)) & by_number
    branch = on_codes | on_register
    return Transfers(
        is_transfer=branch | call | jump | back,
        is_direct=branch | call,
        is_conditional=on_register | (on_codes & (condition != _ALWAYS) & (condition != _NEVER)),
        is_never=on_codes & (condition == _NEVER),
        is_call=call | (jump & (link == 15)),
        is_return=returning | back,
        annuls=branch & (word >> 29 & 1 != 0),
        leaves=compares | (op == 2) & ((op3 == _TRAP) | (op3 == _DONE)),
        target=np.where(branch | call, reach(address, address, displacement * 4), np.uint64(0)),
    )


def _have_addresses(words: Array) -> Array:
    op, op2, op3 = words >> 30, words >> 22 & 7, words >> 19 & 0x3F
    branch = (op == 0) & (op2 != 4) & (op2 != 0)
    jump = (op == 2) & np.isin(op3, (_JMPL, _RETURN, _TRAP, _FLUSH, _DONE))
    return np.asarray(branch | (op == 1) | jump | (op == 3) & np.isin(op3, _PREFETCHES))


def _trap_returns(words: Array) -> tuple[Array, Array]:
    """DONE goes on after the instruction that trapped; RETRY restores pc and npc."""
    number = words >> 25 & 31
    returns = (words >> 30 == 2) & (words >> 19 & 0x3F == _DONE) & (number <= 1)
    return np.asarray(returns), np.asarray(returns & (number == 1))


def _names_space(words: Array) -> Array:
    """A load or store of an alternate space, not compare and swap, with the space in the word."""
    op3 = words >> 19 & 0x3F
    alternate = (op3 & 0x10 != 0) & ~np.isin(op3, _OTHER_ALTERNATES)
    return np.asarray((words >> 30 == 3) & alternate & (words & 0x2000 == 0))


def _text(arch: str) -> Text:
    """Return the disassembler; an old trace does not say the version: it is V9."""
    modes = ["CS_MODE_BIG_ENDIAN", "CS_MODE_V9"]
    known = capstone_text("CS_ARCH_SPARC", modes if "8" in arch else modes[::-1])
    version = 8 if "8" in arch else 9

    def text(word: int, pc: int) -> str:
        return known(word, pc) or sparc_memory_text(word) or _own_text(word, version)

    return text


def _own_text(word: int, version: int) -> str:
    """Return the text that our tables have for a word, such as retry; "" for none."""
    from inst.arch.sparc.words import texts  # needs the tables of instructions

    if word >> 30 == 2 and word >> 19 & 0x3F == _TRAP:  # capstone knows all that are defined
        return ""
    return " ".join(texts.text_of(word, version) or ()).rstrip()


def _register(number: int) -> str:
    if number in (14, 30):
        return "%sp" if number == 14 else "%fp"
    return "%" + "goli"[number >> 3] + str(number & 7)


def _sparc_address(word: int) -> str:
    base = _register(word >> 14 & 0x1F)
    if not word & 0x2000:
        index = word & 0x1F
        return f"[{base}+{_register(index)}]" if index else f"[{base}]"
    offset = (word & 0x1FFF) - ((word & 0x1000) << 1)
    if offset == 0:
        return f"[{base}]"
    return f"[{base}{'-' if offset < 0 else '+'}{abs(offset):#x}]"


def sparc_memory_text(word: int) -> str:
    """Return a SPARC load or store from its fields; "" for any other word."""
    access = accesses.access_of(word)
    if access is None:
        return ""
    opcode, number = word >> 19 & 0x3F, word >> 25 & 0x1F
    if opcode in (0x31, 0x35):
        return _misaligned_text(access, word, number)
    spelling = _SPELLING.get(access.mnemonic, access.mnemonic)
    address = _sparc_address(word)
    if opcode & 0x10:
        address += " %asi" if word & 0x2000 else f" {word >> 5 & 0xFF:#x}"
    register = _data_register(access, opcode, number)
    if opcode in (0x3C, 0x3E):  # compare and swap: the index field is a plain operand
        base = f"[{_register(word >> 14 & 0x1F)}]"
        space = " %asi" if word & 0x2000 else f" {word >> 5 & 0xFF:#x}"
        return f"{spelling} {base}{space}, {_register(word & 0x1F)}, {register}"
    if access.what == WRITE:
        return f"{spelling} {register}, {address}"
    return f"{spelling} {address}, {register}"


def _misaligned_text(access: Access, word: int, number: int) -> str:
    """Return one of M8's loads and stores at any address; their displacement has ten bits."""
    register = _register(number)
    if access.mnemonic.endswith(("fs", "fd")):
        wide = access.mnemonic.endswith("fd")
        register = f"%f{number & 0x1E | (number & 1) << 5}" if wide else f"%f{number}"
    name, address = access.mnemonic, f"[{_register(word >> 14 & 0x1F)}]"
    if word & 0x2000:
        offset = (word & 0x3FF) - ((word & 0x200) << 1)
        address = f"{address[:-1]}{offset:+#x}]" if offset else address
    else:
        index = word & 0x1F
        address = f"{address[:-1]}+{_register(index)}]" if index else address
        if word & 0x200:
            name, address = name + "a", address + " %asi"
    return (
        f"{name} {address}, {register}"
        if access.what == READ
        else (f"{name} {register}, {address}")
    )


_SPELLING = {
    "lduw": "ld", "stw": "st", "lduwa": "lda", "stwa": "sta", "ldf": "ld", "stf": "st",
    "lddf": "ldd", "stdf": "std", "ldqf": "ldq", "stqf": "stq", "ldfa": "lda", "stfa": "sta",
    "lddfa": "ldda", "stdfa": "stda", "ldqfa": "ldqa", "stqfa": "stqa",
    "ldfsr": "ld", "stfsr": "st",
}  # fmt: skip


def _data_register(access: Access, opcode: int, number: int) -> str:
    if access.mnemonic in ("ldfsr", "stfsr"):
        return "%fsr"
    if opcode & 0x20 == 0 or opcode >= 0x3C:
        return _register(number)
    if access.size <= 4 and "d" not in access.mnemonic[2:]:
        return f"%f{number}"
    return f"%f{number & 0x1E | (number & 1) << 5}"


def _version(arch: str) -> int:
    """Return 8 or 9; an old trace without a version is V9."""
    return 8 if "8" in arch or arch == "sparc" else 9


def _candidates(arch: str, text: Text) -> Candidates:
    from inst.arch.sparc.words import texts  # needs the tables of instructions

    version = _version(arch)

    def candidates(word: int) -> list[tuple[str, str]]:
        own = texts.text_of(word, version)
        if own is not None:
            return [own]
        return [texts.corrected(*split_text(text(word, NOWHERE)))]

    return candidates


def _barriers(words: Array) -> Array:
    mask, word = system_events.STACK_LDSTUB
    found: Array = words & mask == word
    return found


def _without_faults(words: Array) -> Array:
    """Return which words name an ASI for loads without faults (V9, table 7-4: 82 to 8B, hex)."""
    alternate = (words >> 30 == 3) & (words & 1 << 23 != 0) & (words & 1 << 13 == 0)
    found: Array = alternate & np.isin(words >> 5 & 0xFF, (0x82, 0x83, 0x8A, 0x8B))
    return found


PART = Words(
    access_of=lambda word, arch: accesses.access_of(word),
    lookup=lambda words, arch: accesses.lookup(words),
    transfers=_transfers,
    text=_text,
    candidates=_candidates,
    delay_slots=1,
    have_addresses=_have_addresses,
    longest=None,
    c_tables=c_tables.tables,
    opcodes=c_tables.opcodes,
    event_tables=system_events.tables,
    event_names=system_events.names,
    page_tables="reference",
    windows=WINDOWS,
    chains=None,
    recorded=RECORDED,
    trap_returns=_trap_returns,
    names_space=_names_space,
    wide_floats=False,
    barriers=_barriers,
    without_faults=_without_faults,
    hand_on=hand_on,
)
