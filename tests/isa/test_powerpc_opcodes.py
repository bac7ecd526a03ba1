"""Memory accesses against an opcode table of their own, by fields of the assembled words."""

from __future__ import annotations

import pytest
from powerpc_instances import Instance, instances

from inst.arch.powerpc.tables.registers import FLOAT_NAMES, GENERAL_NAMES, VECTOR_NAMES, VSX_NAMES
from inst.isa.model import Form

# Primary opcode -> ("l" or "s", bytes, class of the register, updates the base).
DISPLACEMENT = {
    32: ("l", 4, "r", False),
    33: ("l", 4, "r", True),
    34: ("l", 1, "r", False),
    35: ("l", 1, "r", True),
    36: ("s", 4, "r", False),
    37: ("s", 4, "r", True),
    38: ("s", 1, "r", False),
    39: ("s", 1, "r", True),
    40: ("l", 2, "r", False),
    41: ("l", 2, "r", True),
    42: ("l", 2, "r", False),
    43: ("l", 2, "r", True),
    44: ("s", 2, "r", False),
    45: ("s", 2, "r", True),
    46: ("l", 16, "r", False),
    47: ("s", 16, "r", False),
    48: ("l", 4, "f", False),
    49: ("l", 4, "f", True),
    50: ("l", 8, "f", False),
    51: ("l", 8, "f", True),
    52: ("s", 4, "f", False),
    53: ("s", 4, "f", True),
    54: ("s", 8, "f", False),
    55: ("s", 8, "f", True),
    56: ("l", 16, "r", False),
}

# (primary opcode, low bits) of the forms with a shorter displacement.
SHORT_DISPLACEMENT = {
    (57, 2): ("l", 8, "v", False),
    (57, 3): ("l", 4, "v", False),
    (58, 0): ("l", 8, "r", False),
    (58, 1): ("l", 8, "r", True),
    (58, 2): ("l", 4, "r", False),
    (61, 2): ("s", 8, "v", False),
    (61, 3): ("s", 4, "v", False),
    (62, 0): ("s", 8, "r", False),
    (62, 1): ("s", 8, "r", True),
    (62, 2): ("s", 16, "r", False),
}

# Extended opcode under primary opcode 31.
INDEXED = {
    20: ("l", 4, "r", False),
    52: ("l", 1, "r", False),
    84: ("l", 8, "r", False),
    116: ("l", 2, "r", False),
    276: ("l", 16, "r", False),
    150: ("s", 4, "r", False),
    214: ("s", 8, "r", False),
    182: ("s", 16, "r", False),
    694: ("s", 1, "r", False),
    726: ("s", 2, "r", False),
    21: ("l", 8, "r", False),
    53: ("l", 8, "r", True),
    149: ("s", 8, "r", False),
    181: ("s", 8, "r", True),
    341: ("l", 4, "r", False),
    373: ("l", 4, "r", True),
    23: ("l", 4, "r", False),
    55: ("l", 4, "r", True),
    151: ("s", 4, "r", False),
    183: ("s", 4, "r", True),
    87: ("l", 1, "r", False),
    119: ("l", 1, "r", True),
    215: ("s", 1, "r", False),
    247: ("s", 1, "r", True),
    279: ("l", 2, "r", False),
    311: ("l", 2, "r", True),
    343: ("l", 2, "r", False),
    375: ("l", 2, "r", True),
    407: ("s", 2, "r", False),
    439: ("s", 2, "r", True),
    532: ("l", 8, "r", False),
    534: ("l", 4, "r", False),
    790: ("l", 2, "r", False),
    310: ("l", 4, "r", False),
    438: ("s", 4, "r", False),
    660: ("s", 8, "r", False),
    662: ("s", 4, "r", False),
    918: ("s", 2, "r", False),
    535: ("l", 4, "f", False),
    567: ("l", 4, "f", True),
    599: ("l", 8, "f", False),
    631: ("l", 8, "f", True),
    663: ("s", 4, "f", False),
    695: ("s", 4, "f", True),
    727: ("s", 8, "f", False),
    759: ("s", 8, "f", True),
    983: ("s", 4, "f", False),
    855: ("l", 4, "f", False),
    887: ("l", 4, "f", False),
    7: ("l", 1, "v", False),
    39: ("l", 2, "v", False),
    71: ("l", 4, "v", False),
    103: ("l", 16, "v", False),
    359: ("l", 16, "v", False),
    135: ("s", 1, "v", False),
    167: ("s", 2, "v", False),
    199: ("s", 4, "v", False),
    231: ("s", 16, "v", False),
    487: ("s", 16, "v", False),
    533: ("l", 0, "r", False),
    661: ("s", 0, "r", False),
}

# VSX: the extended opcode's ten bits, whose register has a sixth bit at the word's end.
VSX_INDEXED = {
    12: ("l", 4),
    76: ("l", 4),
    268: ("l", 16),
    332: ("l", 8),
    269: ("l", 0),
    301: ("l", 0),
    397: ("s", 0),
    429: ("s", 0),
    13: ("l", 1),
    45: ("l", 2),
    77: ("l", 4),
    109: ("l", 8),
    141: ("s", 1),
    173: ("s", 2),
    205: ("s", 4),
    237: ("s", 8),
    364: ("l", 4),
    524: ("l", 4),
    588: ("l", 8),
    780: ("l", 16),
    812: ("l", 2 * 8),
    844: ("l", 16),
    876: ("l", 16),
    781: ("l", 1),
    813: ("l", 2),
    140: ("s", 4),
    396: ("s", 16),
    652: ("s", 4),
    716: ("s", 8),
    908: ("s", 16),
    940: ("s", 16),
    972: ("s", 16),
    1004: ("s", 16),
    909: ("s", 1),
    941: ("s", 2),
}

# Second words of prefixed instructions that are not those of unprefixed ones: primary opcode.
PREFIXED = {
    41: ("l", 4, "r"),
    42: ("l", 8, "v"),
    43: ("l", 4, "v"),
    46: ("s", 8, "v"),
    47: ("s", 4, "v"),
    50: ("l", 16, "f"),
    51: ("l", 16, "v"),
    54: ("s", 16, "f"),
    55: ("s", 16, "v"),
    56: ("l", 16, "r"),
    57: ("l", 8, "r"),
    58: ("l", 32, "pair"),
    60: ("s", 16, "r"),
    61: ("s", 8, "r"),
    62: ("s", 32, "pair"),
}
PAIRS_INDEXED = {333: "l", 461: "s"}
PAIRS = {0: "l", 1: "s"}
"""By the low four bits under primary opcode 6."""

ZEROES_BLOCK = 1014
LENGTH_FORMS = ("lxvl", "lxvll", "stxvl", "stxvll")
LOAD_STRING, STORE_STRING = 597, 725
NAMES = {"r": GENERAL_NAMES, "f": FLOAT_NAMES, "v": VECTOR_NAMES}


@pytest.fixture(scope="module")
def assembled(tmp_path_factory: pytest.TempPathFactory) -> list[Instance]:
    found = instances(tmp_path_factory.mktemp("opcodes"))[0]
    return [instance for instance in found if not instance.uncommon]


def pair(word: int) -> str:
    """Return the first of a pair of VSX registers."""
    return VSX_NAMES[(word >> 21 & 30) + 32 * (word >> 21 & 1)]


def expected(word: int, prefix: int = 0) -> tuple[str, int, str, bool] | None:
    """Return (direction, size, register, update) of a word that accesses memory."""
    primary, extended, field = word >> 26, word >> 1 & 0x3FF, word >> 21 & 31
    if prefix:
        if prefix >> 24 & 3 == 1:  # registers only
            return None
        if prefix >> 24 & 3 == 0:
            direction, size, bank = PREFIXED[primary]
            name = pair(word) if bank == "pair" else NAMES[bank][field]
            return direction, size, name, False
        return DISPLACEMENT.get(primary) and (
            *DISPLACEMENT[primary][:2],
            NAMES[DISPLACEMENT[primary][2]][field],
            False,
        )
    if primary == 6:
        return PAIRS[word & 15], 32, pair(word), False
    if primary == 31 and extended in PAIRS_INDEXED:
        return PAIRS_INDEXED[extended], 32, pair(word), False
    row = DISPLACEMENT.get(primary) or SHORT_DISPLACEMENT.get((primary, word & 3))
    if primary == 61 and word & 7 in (1, 5):
        return "s" if word & 4 else "l", 16, VSX_NAMES[field + 32 * (word >> 3 & 1)], False
    if primary == 31:
        if (extended & 0x3FE in VSX_INDEXED and extended not in INDEXED) or extended in VSX_INDEXED:
            key = extended if extended in VSX_INDEXED else extended & 0x3FE
            return *VSX_INDEXED[key], VSX_NAMES[field + 32 * (word & 1)], False
        if extended in (LOAD_STRING, STORE_STRING):
            count = (word >> 11 & 31) or 32
            return "l" if extended == LOAD_STRING else "s", count, f"r{field}", False
        row = INDEXED.get(extended)
    if row is None:
        return None
    direction, size, register_class, update = row
    if primary in (46, 47):
        size = 4 * (32 - field)
    return direction, size, NAMES[register_class][field], update


def test_sizes_directions_values_and_updates(assembled: list[Instance]) -> None:
    wrong, compared = [], 0
    for instance in assembled:
        access = instance.facts.access
        if access is not None and access.form == Form.BLOCK:
            assert instance.word >> 26 == 31 and instance.word >> 1 & 0x3FF == ZEROES_BLOCK
            continue
        found = None
        if access is not None:
            assert access.load != access.store
            direction = "l" if access.load else "s"
            found = (direction, access.size, access.value, access.update)
        if found != expected(instance.word, instance.prefix):
            wrong.append(
                f"{instance}: {found}, the opcode says {expected(instance.word, instance.prefix)}"
            )
        compared += found is not None
    assert not wrong, "\n".join(wrong)
    assert compared >= 220


def test_bases_and_indexes(assembled: list[Instance]) -> None:
    for instance in assembled:
        access = instance.facts.access
        if access is None:
            continue
        base, index = instance.word >> 16 & 31, instance.word >> 11 & 31
        assert access.base == (f"r{base}" if base else None), str(instance)
        if access.index is not None:
            assert instance.word >> 26 == 31 and access.index == f"r{index}", str(instance)
        elif access.form != Form.STRING and instance.mnemonic not in LENGTH_FORMS:
            assert instance.word >> 26 != 31, str(instance)
            assert access.offset == "16" and instance.word & 0xFFF0 == 16, str(instance)
