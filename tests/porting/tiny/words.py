"""Its instruction words: an operation in four bits, two registers in four each, 16 bits of offset.

1 is `lw`, 2 `lb`, 3 `sw`, 4 `b`, whose offset counts words.
"""

from __future__ import annotations

import numpy as np

from inst.words.access import READ, WRITE, Access, Array
from inst.words.model import Candidates, Recorded, Text, Transfers, Words, reach, signed, split_text

_ROWS = {1: Access("lw", READ, 4), 2: Access("lb", READ, 1), 3: Access("sw", WRITE, 4)}
_BRANCH = 4


def _access_of(word: int, arch: str) -> Access | None:
    return _ROWS.get(word >> 28)


def _lookup(words: Array, arch: str) -> tuple[Array, Array]:
    table = np.zeros((16, 2), "u1")
    for operation, access in _ROWS.items():
        table[operation] = access.marks, access.size
    return table[words >> 28, 0], table[words >> 28, 1]


def _transfers(words: Array, addresses: Array) -> Transfers:
    branch = words >> 28 == _BRANCH
    none = np.zeros(len(words), bool)
    target = reach(addresses, addresses, signed(words, 16) * 4)
    return Transfers(
        is_transfer=branch,
        is_direct=branch,
        is_conditional=none,
        is_never=none,
        is_call=none,
        is_return=none,
        annuls=none,
        leaves=none,
        target=np.where(branch, target, np.uint64(0)),
    )


def _text(arch: str) -> Text:
    def text(word: int, pc: int) -> str:
        offset = (word & 0xFFFF ^ 0x8000) - 0x8000
        if word >> 28 == _BRANCH:
            return f"b 0x{pc + 4 * offset:x}"
        access = _access_of(word, arch)
        return f"{access.mnemonic} t{word >> 24 & 7},{offset}(t{word >> 20 & 7})" if access else ""

    return text


def _candidates(arch: str, text: Text) -> Candidates:
    return lambda word: [split_text(text(word, 0))]


PART = Words(
    access_of=_access_of,
    lookup=_lookup,
    transfers=_transfers,
    text=_text,
    candidates=_candidates,
    delay_slots=0,
    have_addresses=lambda words: words >> 28 == _BRANCH,
    longest=None,
    c_tables=dict,
    opcodes=dict,
    windows=None,
    chains=None,
    wide_floats=False,
    recorded=Recorded(lambda words: signed(words, 16), lambda words, name: 0),
)
