"""An opcode map of SPARC V8 and V9 by instruction word: the oracle of the cross-check.

Written from the opcode tables of the architecture manuals, by the fields of the word; it
shares nothing with the tables under test but the registers' names.
"""

from __future__ import annotations

from dataclasses import dataclass, field

INTEGER = [f"{bank}{n}" for bank in "goli" for n in range(8)]


@dataclass
class Effects:
    """What the word says the instruction does."""

    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    load: bool = False
    store: bool = False
    size: int = 0
    value: str = ""


def bits(word: int, high: int, low: int) -> int:
    return word >> low & ((1 << (high - low + 1)) - 1)


def float_group(number: int, width: int) -> set[str]:
    """The registers of a field; doubles and quads keep bit 5 in bit 0."""
    if width == 1:
        return {f"f{number}"}
    number = (number & 0x1E) | (number & 1) << 5
    first = number - number % width
    return {f"f{n}" for n in range(first, first + width)}


def integers(number: int, width: int = 1) -> set[str]:
    first = number - number % width
    return {INTEGER[n] for n in range(first, first + width)} - {"g0"}


# op3 -> (size, is load, is store, kind of rd); kinds: r integer, p pair, f d q floating
# point, s %fsr, c coprocessor.  Alternate-space forms are those + 0x10.
MEMORY = {
    0x00: (4, 1, 0, "r"),
    0x01: (1, 1, 0, "r"),
    0x02: (2, 1, 0, "r"),
    0x03: (8, 1, 0, "p"),
    0x04: (4, 0, 1, "r"),
    0x05: (1, 0, 1, "r"),
    0x06: (2, 0, 1, "r"),
    0x07: (8, 0, 1, "p"),
    0x08: (4, 1, 0, "r"),
    0x09: (1, 1, 0, "r"),
    0x0A: (2, 1, 0, "r"),
    0x0B: (8, 1, 0, "r"),
    0x0D: (1, 1, 1, "r"),
    0x0E: (8, 0, 1, "r"),
    0x0F: (4, 1, 1, "r"),
    0x20: (4, 1, 0, "f"),
    0x21: (4, 1, 0, "s"),
    0x22: (16, 1, 0, "q"),
    0x23: (8, 1, 0, "d"),
    0x24: (4, 0, 1, "f"),
    0x25: (4, 0, 1, "s"),
    0x26: (16, 0, 1, "q"),
    0x27: (8, 0, 1, "d"),
}
# opm -> (size, width of a floating-point register; 0: an integer register)
MISALIGNED = {
    0: (2, 0),
    1: (2, 0),
    2: (4, 0),
    3: (4, 0),
    5: (8, 0),
    6: (4, 1),
    7: (8, 2),
}
READ_WRITE_VALUE = {0x0F, 0x1F, 0x3C, 0x3E}  # swap swapa casa casxa

CODES = {"icc", "xcc"}
# op3 of op 2 -> (reads besides rs1 and rs2, writes besides rd)
ARITHMETIC: dict[int, tuple[set[str], set[str]]] = {
    **{op3: (set(), set()) for op3 in (0, 1, 2, 3, 4, 5, 6, 7, 9, 0x0D, 0x2D, 0x25, 0x26, 0x27)},
    **{op3: (set(), CODES) for op3 in (0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17)},
    **{op3: (set(), CODES) for op3 in (0x20, 0x21, 0x22, 0x23)},
    **{op3: ({"icc"}, set()) for op3 in (0x08, 0x0C)},
    **{op3: ({"icc"}, CODES) for op3 in (0x18, 0x1C)},
    **{op3: (set(), {"y"}) for op3 in (0x0A, 0x0B)},
    **{op3: (set(), {"y"} | CODES) for op3 in (0x1A, 0x1B)},
    **{op3: ({"y"}, set()) for op3 in (0x0E, 0x0F)},
    **{op3: ({"y"}, CODES) for op3 in (0x1E, 0x1F)},
    0x24: ({"y", "icc"}, {"y"} | CODES),
    0x3C: (set(), set()),
    0x3D: (set(), set()),
}

# opf of FPop1 -> widths of (rs1, rs2, rd); 0: field unused
FLOAT_1 = {
    **{opf + k: (0, 1 << k, 1 << k) for opf in (0x01, 0x05, 0x09, 0x29) for k in range(3)},
    **{opf + k: (1 << k,) * 3 for opf in (0x41, 0x45, 0x49, 0x4D) for k in range(3)},
    0x69: (1, 1, 2),
    0x6E: (2, 2, 4),
    0x81: (0, 1, 2),
    0x82: (0, 2, 2),
    0x83: (0, 4, 2),
    0x84: (0, 2, 1),
    0x88: (0, 2, 2),
    0x8C: (0, 2, 4),
    0xC4: (0, 1, 1),
    0xC6: (0, 2, 1),
    0xC7: (0, 4, 1),
    0xC8: (0, 1, 2),
    0xC9: (0, 1, 2),
    0xCB: (0, 4, 2),
    0xCC: (0, 1, 4),
    0xCD: (0, 1, 4),
    0xCE: (0, 2, 4),
    0xD1: (0, 1, 1),
    0xD2: (0, 2, 1),
    0xD3: (0, 4, 1),
}
QUIET = set(range(0x01, 0x0C))  # moves, negations, absolute values: %fsr has no part in them


def decode(word: int) -> Effects | None:
    """Return the effects of a word, or None where the map has no entry."""
    op, op3 = bits(word, 31, 30), bits(word, 24, 19)
    if op == 1:
        return Effects(writes={"o7"})
    if op == 3:
        return _memory(word, op3)
    if op == 2:
        return _arithmetic(word, op3)
    return _branch(word)


def _source(word: int) -> set[str]:
    """rs1, and rs2 unless the word has an immediate."""
    found = integers(bits(word, 18, 14))
    return found if bits(word, 13, 13) else found | integers(bits(word, 4, 0))


def _misaligned(word: int, op3: int, rd: int) -> Effects:
    """M8's loads and stores at any address, by the opm field; bit 9 says that %asi is the space."""
    size, width = MISALIGNED[bits(word, 12, 10)]
    reads = integers(bits(word, 18, 14))
    if not bits(word, 13, 13):
        reads |= integers(bits(word, 4, 0)) | ({"asi"} if bits(word, 9, 9) else set())
    group = float_group(rd, width) if width else integers(rd)
    value = min(group, key=lambda name: int(name[1:])) if width else INTEGER[rd]
    if op3 == 0x31:
        return Effects(reads, group, True, False, size, value)
    return Effects(reads | group, set(), False, True, size, value)


def _memory(word: int, op3: int) -> Effects | None:
    rd = bits(word, 29, 25)
    if op3 in (0x31, 0x35):
        return _misaligned(word, op3, rd)
    if op3 in (0x3C, 0x3E):
        reads = integers(bits(word, 18, 14)) | integers(bits(word, 4, 0)) | integers(rd)
        if bits(word, 13, 13):
            reads |= {"asi"}
        size = 4 if op3 == 0x3C else 8
        return Effects(reads, integers(rd), True, True, size, INTEGER[rd])
    alternate = bool(op3 & 0x10)
    entry = MEMORY.get(op3 & ~0x10)
    if entry is None:
        return None
    size, load, store, kind = entry
    reads = _source(word)
    if alternate and bits(word, 13, 13):
        reads |= {"asi"}
    if kind == "s":
        long = rd != 0
        size = 8 if long else 4  # %efsr is rd 3
        group = {"fsr", "fcc0"} | ({"fcc1", "fcc2", "fcc3"} if long else set())
        value = "fsr"
    elif kind in "rp":
        group = integers(rd, 2 if kind == "p" else 1)
        value = INTEGER[rd]
    else:
        width = {"f": 1, "d": 2, "q": 4}[kind]
        group = float_group(rd, width)
        value = min(group, key=lambda name: int(name[1:]))
    effects = Effects(reads, set(), bool(load), bool(store), size, value)
    if not load or op3 in READ_WRITE_VALUE:
        effects.reads |= group
    if load:
        effects.writes |= group
    return effects


def _arithmetic(word: int, op3: int) -> Effects | None:
    rd = bits(word, 29, 25)
    if op3 in ARITHMETIC:
        reads, writes = ARITHMETIC[op3]
        return Effects(_source(word) | reads, integers(rd) | writes)
    if op3 == 0x38:
        return Effects(_source(word), integers(rd))
    if op3 in (0x39, 0x3B):
        return Effects(_source(word))
    if op3 in (0x2C, 0x2F):
        return _move(word, op3, rd)
    if op3 == 0x28 and bits(word, 18, 14) == 0:
        return Effects({"y"}, integers(rd))
    if op3 == 0x30 and rd == 0:
        return Effects(_source(word), {"y"})
    if op3 == 0x34:
        return _float_1(word, rd)
    if op3 == 0x35:
        return _float_2(word, rd)
    return None


def _code(number: int) -> set[str]:
    """The condition register of movcc's three-bit field."""
    return {{4: "icc", 6: "xcc"}.get(number, f"fcc{number}")}


def _move(word: int, op3: int, rd: int) -> Effects:
    reads = set() if bits(word, 13, 13) else integers(bits(word, 4, 0))
    if op3 == 0x2F:
        return Effects(reads | integers(bits(word, 18, 14)) | integers(rd), integers(rd))
    if bits(word, 17, 14) == 8:
        return Effects(reads, integers(rd))
    code = _code(bits(word, 18, 18) << 2 | bits(word, 12, 11))
    return Effects(reads | integers(rd) | code, integers(rd))


def _float_1(word: int, rd: int) -> Effects | None:
    opf = bits(word, 13, 5)
    if opf not in FLOAT_1:
        return None
    widths = FLOAT_1[opf]
    reads: set[str] = set() if opf in QUIET else {"fsr"}
    for number, width in zip((bits(word, 18, 14), bits(word, 4, 0)), widths, strict=False):
        if width:
            reads |= float_group(number, width)
    return Effects(reads, float_group(rd, widths[2]) | (reads & {"fsr"}))


def _float_2(word: int, rd: int) -> Effects | None:
    opf = bits(word, 13, 5)
    rs1, rs2 = bits(word, 18, 14), bits(word, 4, 0)
    if 0x51 <= opf <= 0x57 and opf != 0x54:
        width = 1 << (opf - 1) % 4
        reads = float_group(rs1, width) | float_group(rs2, width) | {"fsr"}
        return Effects(reads, {f"fcc{rd & 3}", "fsr"})
    width = {1: 1, 2: 2, 3: 4, 5: 1, 6: 2, 7: 4}.get(opf & 15)
    if width is None:
        return None
    group = float_group(rd, width)
    if opf & 15 >= 5:
        return Effects(float_group(rs2, width) | group | integers(rs1), group)
    if bits(word, 17, 14) == 8:
        return Effects(float_group(rs2, width), group)
    return Effects(float_group(rs2, width) | group | _code(bits(word, 13, 11)), group)


def _branch(word: int) -> Effects | None:
    op2, condition = bits(word, 24, 22), bits(word, 28, 25)
    if op2 == 4:
        return Effects(writes=integers(bits(word, 29, 25)))
    if op2 == 3:
        if bits(word, 28, 28):
            return Effects(_source(word))
        return Effects(integers(bits(word, 18, 14)))
    if op2 == 0:
        return Effects()
    if condition in (0, 8):
        return Effects()
    number = bits(word, 21, 20)
    if op2 in (1, 2):
        return Effects({"xcc" if op2 == 1 and number == 2 else "icc"})
    if op2 in (5, 6):
        return Effects({f"fcc{number if op2 == 5 else 0}"})
    return None


def reach(word: int) -> int:
    """How many bytes the displacement field of a branch spans either way."""
    op, op2 = bits(word, 31, 30), bits(word, 24, 22)
    if op != 0:
        return 0
    if op2 == 3:
        return (1 << 9 if bits(word, 28, 28) else 1 << 15) * 4
    return {1: 1 << 18, 5: 1 << 18, 2: 1 << 21, 6: 1 << 21, 7: 1 << 21}.get(op2, 0) * 4
