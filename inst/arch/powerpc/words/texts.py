"""PowerPC words as text where capstone has none or one that GNU as would not take."""

from __future__ import annotations

import re

from inst.arch.powerpc.tables.table import rows_of
from inst.arch.powerpc.words.accesses import first_of_pair, place_text
from inst.arch.powerpc.words.operands import Operands, operands_of

OVERFLOW = 1 << 10
"""The bit of the forms that set XER's overflow, most of which capstone does not know."""

CONDITION_BIT = re.compile(r"\bcr([0-7])(lt|gt|eq|so|un)\b")
VECTOR_SCALAR = re.compile(r"^(?:x(?!s\w*qp)|lx|stx|mtvsr|mfvsr)")
"""Mnemonics whose operands are VSX registers; numbers of quadruple precision are in the others."""
FLOAT_OR_VECTOR = re.compile(r"\b([fv])(\d+)\b")

CONDITION_LOGIC = {
    33: "crnor", 129: "crandc", 193: "crxor", 225: "crnand",
    257: "crand", 289: "creqv", 417: "crorc", 449: "cror",
}  # fmt: skip

# extended opcode: mnemonic, fields in the order of the operands (target, a, b)
EXTENDED = {
    154: ("prtyw", "at"), 186: ("prtyd", "at"),
    533: ("lswx", "tab"), 661: ("stswx", "tab"), 276: ("lqarx", "tab"), 182: ("stqcx.", "tab"),
    310: ("eciwx", "tab"), 438: ("ecowx", "tab"), 166: ("dcbtls", "tab"),
    134: ("dcbtstls", "tab"), 390: ("dcblc", "tab"),
}  # fmt: skip

_ADD_EXTENDED = 170
"""With the carry that is in XER's overflow: the only one that Power ISA 3.0 has."""

# extended opcode: mnemonics of hints 1 to 7, 8 to 15, and 16 (Power ISA 2.07, book II, 4.3.2)
TOUCHING = {278: ("dcbtct", "dcbtds", "dcbtt"), 246: ("dcbtstct", "dcbtstds", "dcbtstt")}

# primary opcode and low bits: mnemonic
WITH_OFFSET = {
    (57, 2): "lxsd", (57, 3): "lxssp", (61, 2): "stxsd", (61, 3): "stxssp", (62, 2): "stq",
    **dict.fromkeys(((56, low) for low in range(4)), "lq"),
}  # fmt: skip


def corrected(mnemonic: str, operands: str) -> tuple[str, str]:
    """Return capstone's text in the spelling of GNU as."""
    if "cr" in operands:
        operands = CONDITION_BIT.sub(_bit, operands)
    if VECTOR_SCALAR.match(mnemonic) and FLOAT_OR_VECTOR.search(operands):
        operands = FLOAT_OR_VECTOR.sub(_both_halves, operands)
    if mnemonic in ("dcbt", "dcbtst"):  # a hint after the address would read as a register
        operands = ", ".join(operands.split(", ")[:2])
    return mnemonic, operands


def _bit(match: re.Match[str]) -> str:
    return f"4*cr{match[1]}+{'so' if match[2] == 'un' else match[2]}"


def _both_halves(match: re.Match[str]) -> str:
    """VSX registers are the floating-point registers and then the vector registers."""
    return f"vs{int(match[2]) + (32 if match[1] == 'v' else 0)}"


_VECTORED_CALL = 0x44000001
"""Power ISA 3.0, 3.3.1, `scv`: the level is in bits 20 to 26."""


def text_of(word: int) -> tuple[str, str] | None:
    """Return mnemonic and operands of words that capstone cannot print; None for others."""
    primary = word >> 26
    if primary == 16:
        return _conditional_branch(word)
    if primary == 17 and word & 0xFFFFF01F == _VECTORED_CALL:
        return "scv", str(word >> 5 & 127)
    if primary == 19:
        return _by_condition_register(word)
    if primary == 31:
        return _extended(word)
    if primary == 63:
        return _floating(word)
    name = WITH_OFFSET.get((primary, word & 3))
    if name is None:
        return None
    offset = (word & (0xFFF0 if name == "lq" else 0xFFFC)) - ((word & 0x8000) << 1)
    return name, f"{_field(word, 't')}, {offset}({_field(word, 'a')})"


def text_of_prefixed(instruction: int) -> tuple[str, str] | None:
    """Return mnemonic and operands of an access by an instruction of two words."""
    operands = operands_of(instruction)
    if operands is None:
        return None
    place = place_text(operands.displacement, operands.base)
    last = ", 1" if operands.relative else ""
    return operands.access.mnemonic, f"{_register(operands)}, {place}{last}"


def _register(operands: Operands) -> str:
    number, access = operands.number, operands.access
    if access.value != "whole":
        kind = "v" if access.bank == "high" else "f" if access.value == "float" else "r"
        return f"{kind}{number}"
    if access.bank == "even":
        return f"vs{first_of_pair(number)}"
    return f"vs{number + 32 * (access.bank == 'high')}"


def _field(word: int, name: str) -> int:
    return word >> {"t": 21, "a": 16, "b": 11}[name] & 31


def _conditional_branch(word: int) -> tuple[str, str]:
    """Every conditional branch by its option, bit and displacement: there are too many names."""
    suffix = ("l" if word & 1 else "") + ("a" if word & 2 else "")
    displacement = (word & 0xFFFC) - ((word & 0x8000) << 1)
    target = str(displacement) if word & 2 else f".{displacement:+d}"
    return "bc" + suffix, f"{_field(word, 't')}, {_field(word, 'a')}, {target}"


def _by_condition_register(word: int) -> tuple[str, str] | None:
    opcode = word >> 1 & 0x3FF
    if opcode in CONDITION_LOGIC:
        fields = [_field(word, name) for name in "tab"]
        if CONDITION_LOGIC[opcode] in ("crxor", "creqv") and len(set(fields)) == 1:
            return {"crxor": "crclr", "creqv": "crset"}[CONDITION_LOGIC[opcode]], str(fields[0])
        return CONDITION_LOGIC[opcode], ", ".join(map(str, fields))
    name = {16: "bclr", 528: "bcctr"}.get(opcode)
    if name is None:
        return None
    hint = word >> 11 & 3
    return name + ("l" if word & 1 else ""), f"{_field(word, 't')}, {_field(word, 'a')}, {hint}"


def _extended(word: int) -> tuple[str, str] | None:
    opcode = word >> 1 & 0x3FF
    if opcode == 512:
        return "mcrxr", f"cr{word >> 23 & 7}"
    if opcode == _ADD_EXTENDED and not word & 1:
        return "addex", ", ".join([*(str(_field(word, name)) for name in "tab"), "0"])
    if opcode in TOUCHING:
        return _touching(word, TOUCHING[opcode])
    row = EXTENDED.get(opcode)
    if row is None:
        return None
    return row[0], ", ".join(str(_field(word, name)) for name in row[1])


def _touching(word: int, names: tuple[str, str, str]) -> tuple[str, str] | None:
    """Touches of a cache line with a hint."""
    hint, address = _field(word, "t"), f"{_field(word, 'a')}, {_field(word, 'b')}"
    if not 1 <= hint <= 16 or word & 1:
        return None
    name = names[hint // 8]
    return name, address if hint == 16 else f"{address}, {hint}"


def _floating(word: int) -> tuple[str, str] | None:
    opcode, fields = word >> 1 & 0x3FF, [_field(word, name) for name in "tab"]
    if opcode == 32:
        return "fcmpo", f"cr{word >> 23 & 7}, {fields[1]}, {fields[2]}"
    if opcode in (838, 966):
        name = "fmrgow" if opcode == 838 else "fmrgew"
        return name, ", ".join(map(str, fields))
    if opcode in (38, 70):
        return ("mtfsb1" if opcode == 38 else "mtfsb0") + "." * (word & 1), str(fields[0])
    which = word >> 16 & 1
    if opcode == 134 and not word & 0x7E0800:
        name, field, value = "mtfsfi" + "." * (word & 1), word >> 23, word >> 12 & 15
        return name, f"{field & 7}, {value}, {which}" if which else f"{field & 7}, {value}"
    if opcode == 711 and word & 0x2010000:
        mask, whole = word >> 17 & 255, word >> 25 & 1
        return "mtfsf" + "." * (word & 1), f"{mask}, {fields[2]}, {whole}, {which}"
    return None


def with_overflow(mnemonic: str) -> str:
    """Return the name of the form that also sets the overflow, "" if there is none."""
    name = mnemonic.removesuffix(".") + "o" + "." * mnemonic.endswith(".")
    return name if rows_of(name) else ""
