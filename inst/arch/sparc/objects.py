"""SPARC's relocations as GNU as writes them (SPARC ABI supplements; bfd/elfxx-sparc.c)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from inst.objects.model import ObjectFile
from inst.objects.parts import Form, Objects, Setup

_LISTED = (
    "NONE 8 16 32 DISP8 DISP16 DISP32 WDISP30 WDISP22 HI22 22 13 LO10 GOT10 GOT13 GOT22 "
    "PC10 PC22 WPLT30 COPY GLOB_DAT JMP_SLOT RELATIVE UA32 PLT32 HIPLT22 LOPLT10 PCPLT32 "
    "PCPLT22 PCPLT10 10 11 64 OLO10 HH22 HM10 LM22 PC_HH22 PC_HM10 PC_LM22 WDISP16 WDISP19 "
    "UNUSED_42 7 5 6 DISP64 PLT64 HIX22 LOX10 H44 M44 L44 REGISTER UA64 UA16 TLS_GD_HI22 "
    "TLS_GD_LO10 TLS_GD_ADD TLS_GD_CALL TLS_LDM_HI22 TLS_LDM_LO10 TLS_LDM_ADD TLS_LDM_CALL "
    "TLS_LDO_HIX22 TLS_LDO_LOX10 TLS_LDO_ADD TLS_IE_HI22 TLS_IE_LO10 TLS_IE_LD TLS_IE_LDX "
    "TLS_IE_ADD TLS_LE_HIX22 TLS_LE_LOX10 TLS_DTPMOD32 TLS_DTPMOD64 TLS_DTPOFF32 "
    "TLS_DTPOFF64 TLS_TPOFF32 TLS_TPOFF64 GOTDATA_HIX22 GOTDATA_LOX10 GOTDATA_OP_HIX22 "
    "GOTDATA_OP_LOX10 GOTDATA_OP H34 SIZE32 SIZE64 WDISP10"
)
"""The types from 0 on."""
_NAMES = {number: f"R_SPARC_{name}" for number, name in enumerate(_LISTED.split())}
_HIGH, _LOW, _BRANCH = 0x12345, 0x555, 0x555
"""Fields that show: of 22 bits, of 13, of branches and calls."""
_UPPER = {
    9: "%hi", 17: "%pc22", 34: "%hh", 36: "%lm", 48: "%hix", 50: "%h44", 56: "%tgd_hi22",
    60: "%tldm_hi22", 64: "%tldo_hix22", 67: "%tie_hi22", 72: "%tle_hix22", 80: "%gdop_hix22",
    82: "%gdop_hix22", 85: "%h34",
}  # fmt: skip
_LOWER = {
    12: "%lo", 16: "%pc10", 33: "%lo", 35: "%hm", 49: "%lox", 51: "%m44", 52: "%l44",
    57: "%tgd_lo10", 61: "%tldm_lo10", 65: "%tldo_lox10", 68: "%tie_lo10",
    73: "%tle_lox10", 83: "%gdop_lox10",
}  # fmt: skip
_MARKS = {
    58: "%tgd_add", 62: "%tldm_add", 66: "%tldo_add", 69: "%tie_ld", 70: "%tie_ldx",
    71: "%tie_add", 84: "%gdop",
}  # fmt: skip
_CALLS = {59: "%tgd_call", 63: "%tldm_call"}
_FORMS = {
    **{kind: Form(f"{name}({{}})", _HIGH) for kind, name in _UPPER.items()},
    **{kind: Form(f"{name}({{}})", _LOW) for kind, name in _LOWER.items()},
    **{kind: Form("", appended=f", {name}({{}})") for kind, name in _MARKS.items()},
    **{
        kind: Form("__tls_get_addr", _BRANCH, appended=f", {name}({{}})")
        for kind, name in _CALLS.items()
    },
    **dict.fromkeys((7, 8, 40, 41), Form("{}", _BRANCH)),
    11: Form("{}", _LOW),
    1: Form("{}", directive=".byte", size=1),
    2: Form("{}", directive=".half", size=2),
    3: Form("{}", directive=".word"),
    6: Form("%r_disp32({})", directive=".uaword"),
    23: Form("{}", directive=".uaword"),
    32: Form("{}", directive=".xword", size=8),
    46: Form("%r_disp64({})", directive=".uaxword", size=8),
    54: Form("{}", directive=".uaxword", size=8),
    55: Form("{}", directive=".uahalf", size=2),
    76: Form("%r_tls_dtpoff32({})", directive=".uaword"),
    77: Form("%r_tls_dtpoff64({})", directive=".uaxword", size=8),
}
_POSITION_INDEPENDENT = {
    13: Form("%lo({})", _LOW),
    14: Form("{}", _LOW),
    15: Form("%hi({})", _HIGH),
    18: Form("{}", _BRANCH),
}
"""What the assembler's -KPIC makes of the usual operands."""
_SETUP = {16: Setup(Form("%lo({})", _LOW), 4), 17: Setup(Form("%hi({})", _HIGH), -4)}
_REGISTER = 13
_PLUS, _ULTRA, _ULTRA3 = 18, 0x200, 0x800
_MEMORY, _IMMEDIATE = 3, 0x2000
"""The format of loads and stores, and the bit that says that a number is added."""
_ADDRESS = re.compile(r"\[(%\w+)\]")
_JUMP_OVER, _NOP = 0x30680000, 0x01000000
_THROUGH_REGISTER = 0xFFF80000, 0x9FC00000
"""The bits of `jmpl ...,%o7` that do not depend on its address, and what they are."""
_READ_COUNTER = 0xC1FFFFFF, 0x81414000
"""The same of `rd %pc`."""
_ABORT = 0xF00
"""The `unimp` by which glibc ends a process that nothing else has ended."""
_CALL_NEXT = 0x40000002
"""A call of the instruction after its slot."""
_MODELS = {0: "-TSO", 1: "-PSO", 2: "-RMO"}


def _names(found: ObjectFile) -> Mapping[int, str]:
    return _NAMES


def _is_position_independent(found: ObjectFile) -> bool:
    kinds = {r.kind for section in found.sections for r in section.relocations}
    return not kinds.isdisjoint(_POSITION_INDEPENDENT)


def _forms(found: ObjectFile) -> Mapping[int, Form]:
    return _FORMS | _POSITION_INDEPENDENT if _is_position_independent(found) else _FORMS


def _options(found: ObjectFile) -> list[str]:
    suffix = "b" if found.flags & _ULTRA3 else "a" if found.flags & _ULTRA else ""
    if found.bits == 64:
        words = ["-64", f"-Av9{suffix}", _MODELS.get(found.flags & 3, "-RMO")]
    else:
        plus = [] if found.machine == _PLUS else ["-bump"]  # what code uses decides on e_machine
        words = ["-32", f"-Av8plus{suffix}", *plus]
    return [*words, "-KPIC"] if _is_position_independent(found) else words


def _producer(found: ObjectFile) -> str:
    return "sparc64" if found.bits == 64 or found.machine == _PLUS else "sparc"


def _directives(found: ObjectFile) -> list[str]:
    """Declare the application's registers that the object uses."""
    lines = []
    for symbol in found.symbols:
        if symbol.kind == _REGISTER:
            use = symbol.name or "#scratch"
            lines.append(f".register %g{symbol.value & 7}, {use}")
    return lines


def _spelled(text: str, producer: str, word: int) -> str:
    """Return the text of which the assembler makes the word.

    SPARC V9's return gets its own name: V8's, of the same word, asks for no V9 processor. An
    address of a register and the number 0 is written so; without the 0 it is one of two registers.
    """
    if word >> 30 == _MEMORY and word & 0x3FFF == _IMMEDIATE:
        text = _ADDRESS.sub(r"[\1+0]", text)
    return text.replace("rett", "return", 1) if producer == "sparc64" else text


def _padding(words: Sequence[int], number: int) -> int:
    """Return the words of a jump over nops, by which gas aligns code where V9 is allowed."""
    length = words[number] & 0x7FFFF
    nops = words[number + 1 : number + length]
    is_one = words[number] - length == _JUMP_OVER and len(nops) == length - 1
    return length if is_one and length > 1 and set(nops) == {_NOP} else 0


def _is_data(words: Sequence[int], number: int) -> bool:
    """Return whether a word is one of `unimp` that has no known purpose."""
    sizes = number >= 2 and _calls(words[number - 2])  # of a structure that a call returns
    return words[number] >> 22 == 0 and words[number] != _ABORT and not sizes


def _calls(word: int) -> bool:
    """Return whether a word is a call, of a place or through a register."""
    return word >> 30 == 1 or word & _THROUGH_REGISTER[0] == _THROUGH_REGISTER[1]


def _own_place(word: int) -> bool:
    return word == _CALL_NEXT or word & _READ_COUNTER[0] == _READ_COUNTER[1]


PART = Objects(
    names=_names,
    forms=_forms,
    options=_options,
    producer=_producer,
    directives=_directives,
    spelled=_spelled,
    register_symbols=_REGISTER,
    branches=frozenset((7, 8, 18, 40, 41)),
    table_setup=_SETUP,
    is_data=_is_data,
    own_place=_own_place,
    padding=_padding,
)
