"""PowerPC's relocations as GNU as writes them (System V ABI supplements; bfd/elf32-ppc.c)."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from inst.arch.powerpc.tables.routines import ROUTINE
from inst.objects.code_data import CodeData, Traceback
from inst.objects.model import ObjectFile
from inst.objects.parts import Form, Objects

_OPERAND = 0x1554
"""A displacement that forms of 16 bits, of 14 and of 24 show."""
_SUFFIXES = {
    3: "", 4: "@l", 5: "@h", 6: "@ha", 14: "@got", 15: "@got@l", 16: "@got@h", 17: "@got@ha",
    69: "@tprel", 70: "@tprel@l", 71: "@tprel@h", 72: "@tprel@ha",
    74: "@dtprel", 75: "@dtprel@l", 76: "@dtprel@h", 77: "@dtprel@ha",
    79: "@got@tlsgd", 80: "@got@tlsgd@l", 81: "@got@tlsgd@h", 82: "@got@tlsgd@ha",
    83: "@got@tlsld", 84: "@got@tlsld@l", 85: "@got@tlsld@h", 86: "@got@tlsld@ha",
    87: "@got@tprel", 88: "@got@tprel@l", 89: "@got@tprel@h", 90: "@got@tprel@ha",
    91: "@got@dtprel", 92: "@got@dtprel@l", 93: "@got@dtprel@h", 94: "@got@dtprel@ha",
    7: "", 10: "", 11: "",
}  # fmt: skip
"""Type -> what follows the symbol, in instructions of 32 and of 64 bits."""
_NARROW_SUFFIXES = {18: "@plt", 23: "@local", 32: "@sdarel"}
_WIDE_SUFFIXES = {
    39: "@higher", 40: "@highera", 41: "@highest", 42: "@highesta",
    47: "@toc", 48: "@toc@l", 49: "@toc@h", 50: "@toc@ha", 56: "", 57: "@l", 58: "@got",
    59: "@got@l", 63: "@toc", 64: "@toc@l", 95: "@tprel", 96: "@tprel@l", 101: "@dtprel",
    102: "@dtprel@l", 110: "@high", 111: "@higha", 116: "@notoc",
}  # fmt: skip
_FROM_HERE = {249: "({}-.)", 250: "({}-.)@l", 251: "({}-.)@h", 252: "({}-.)@ha"}
_NARROW_DATA = {
    1: Form("{}", directive=".long"), 26: Form("{}-.", directive=".long"),
    68: Form("{}@dtpmod", directive=".long"), 73: Form("{}@tprel", directive=".long"),
    78: Form("{}@dtprel", directive=".long"),
}  # fmt: skip
_WIDE_DATA = {
    1: Form("{}", directive=".long"), 26: Form("{}-.", directive=".long"),
    38: Form("{}", directive=".quad", size=8), 44: Form("{}-.", directive=".quad", size=8),
    51: Form(".TOC.@tocbase", directive=".quad", size=8),
    68: Form("{}@dtpmod", directive=".quad", size=8),
    73: Form("{}@tprel", directive=".quad", size=8),
    78: Form("{}@dtprel", directive=".quad", size=8),
}  # fmt: skip
_NARROW_NAMES = {
    32: "R_PPC_SDAREL16", 67: "R_PPC_TLS", 68: "R_PPC_DTPMOD32", 73: "R_PPC_TPREL32",
    78: "R_PPC_DTPREL32", 95: "R_PPC_TLSGD", 96: "R_PPC_TLSLD", 119: "R_PPC_PLTSEQ",
    120: "R_PPC_PLTCALL", 249: "R_PPC_REL16", 250: "R_PPC_REL16_LO", 251: "R_PPC_REL16_HI",
    252: "R_PPC_REL16_HA",
}  # fmt: skip
"""Types that pyelftools does not name."""
_LISTED = (
    "TPREL16 TPREL16_LO TPREL16_HI TPREL16_HA - DTPREL16 DTPREL16_LO DTPREL16_HI DTPREL16_HA - "
    "GOT_TLSGD16 GOT_TLSGD16_LO GOT_TLSGD16_HI GOT_TLSGD16_HA GOT_TLSLD16 GOT_TLSLD16_LO "
    "GOT_TLSLD16_HI GOT_TLSLD16_HA GOT_TPREL16 GOT_TPREL16_LO GOT_TPREL16_HI GOT_TPREL16_HA "
    "GOT_DTPREL16 GOT_DTPREL16_LO GOT_DTPREL16_HI GOT_DTPREL16_HA"
)
"""Types of 32-bit thread-local storage from 69 on."""
_WIDE_NAMES = {
    119: "R_PPC64_PLTSEQ", 120: "R_PPC64_PLTCALL", 132: "R_PPC64_PCREL34",
    133: "R_PPC64_GOT_PCREL34", 134: "R_PPC64_PLT_PCREL34", 135: "R_PPC64_PLT_PCREL34_NOTOC",
    146: "R_PPC64_TPREL34", 147: "R_PPC64_DTPREL34", 148: "R_PPC64_GOT_TLSGD_PCREL34",
    149: "R_PPC64_GOT_TLSLD_PCREL34", 150: "R_PPC64_GOT_TPREL_PCREL34",
    151: "R_PPC64_GOT_DTPREL_PCREL34",
}  # fmt: skip
_REGISTER = re.compile(r"(?<![\w.])(?:r|f|v|vs)(\d+)\b")
_INDEPENDENT, _RELOCATABLE, _EMBEDDED = 0x8000, 0x10000, 0x80000000
_ABI = 3
_BRANCHES = frozenset((7, 8, 9, 10, 11, 12, 13, 18, 23))
_NEXT_ADDRESS = 0x429F0005
"""bcl 20,31,.+4"""
_FROM_ENTRY = 0x3C4C
"""addis 2,12,..."""


def _names(found: ObjectFile) -> Mapping[int, str]:
    return _named(found.bits)


@functools.cache
def _named(bits: int) -> Mapping[int, str]:
    from elftools.elf.enums import ENUM_RELOC_TYPE_PPC, ENUM_RELOC_TYPE_PPC64

    known = ENUM_RELOC_TYPE_PPC if bits == 32 else ENUM_RELOC_TYPE_PPC64
    names = {number: name for name, number in known.items() if isinstance(number, int)}
    if bits == 64:
        return names | _WIDE_NAMES
    threads = {69 + n: f"R_PPC_{name}" for n, name in enumerate(_LISTED.split()) if name != "-"}
    return names | threads | _NARROW_NAMES


def _forms(found: ObjectFile) -> Mapping[int, Form]:
    return _formed(found.bits)


@functools.cache
def _formed(bits: int) -> Mapping[int, Form]:
    suffixes = _SUFFIXES | (_NARROW_SUFFIXES if bits == 32 else _WIDE_SUFFIXES)
    operands = {kind: "{}" + suffix for kind, suffix in suffixes.items()} | _FROM_HERE
    forms = {kind: Form(text, _OPERAND) for kind, text in operands.items()}
    forms[67] = Form("{}@tls", last=True)
    gd, ld = (95, 96) if bits == 32 else (107, 108)
    forms |= {gd: Form("", appended="({}@tlsgd)"), ld: Form("", appended="({}@tlsld)")}
    return forms | (_NARROW_DATA if bits == 32 else _WIDE_DATA)


def _options(found: ObjectFile) -> list[str]:
    words = ["-a64", "-mpower10"] if found.bits == 64 else ["-a32"]
    words.append("-many")
    words.append("-mbig" if found.byte_order == "big" else "-mlittle")
    if found.bits == 32:
        marks = {_INDEPENDENT: "-KPIC", _RELOCATABLE: "-mrelocatable", _EMBEDDED: "-memb"}
        words += [option for flag, option in marks.items() if found.flags & flag]
    return words


def _directives(found: ObjectFile) -> list[str]:
    abi = found.flags & _ABI if found.bits == 64 else 0
    return [f".abiversion {abi}"] if abi else []


def _producer(found: ObjectFile) -> str:
    if found.bits == 32:
        return "ppc"
    return "ppc64" if found.byte_order == "big" else "ppc64le"


def _cannot_grow(found: ObjectFile) -> str:
    own = [symbol.name for symbol in found.symbols if ROUTINE.match(symbol.name) and symbol.section]
    if own:
        return f"{own[0]} saves or restores registers for its caller, in no calling convention"
    return ""


_COUNT_JUMP = 0x4E800420
"""bctr"""
_PARAMETERS, _LENGTH, _CONTROL = 0xFFFE, 1 << 45, 1 << 43
_HANDLER, _NAME, _ALLOCA = 1 << 39, 1 << 38, 1 << 37
"""Of the 64 bits that a traceback table begins with: what follows them."""
_VERSION = 56
"""Where in them the version is: 0."""


def _tracebacks(data: bytes, order: str) -> Iterator[Traceback]:
    """Yield what a word of 0 and 8 bytes may be the beginning of.

    Compilers write single bytes; the C library's assembly has one number.
    """
    for read in dict.fromkeys(("big", order)):
        fixed = int.from_bytes(data[4:12], read)  # type: ignore[arg-type]
        if len(data) < 12 or any(data[:4]) or fixed >> _VERSION or fixed & (_CONTROL | _HANDLER):
            continue
        size, distance = 12, 0
        if fixed & _PARAMETERS:
            size += 4
        if fixed & _LENGTH:
            distance, size = size, size + 4
        if fixed & _NAME:
            size += 2 + int.from_bytes(data[size : size + 2], order)  # type: ignore[arg-type]
        size += bool(fixed & _ALLOCA)
        yield Traceback(size + -size % 4, distance)


def _code_data(found: ObjectFile) -> CodeData:
    return CodeData(_COUNT_JUMP, _tracebacks) if found.bits == 64 else CodeData()


def _descriptors(found: ObjectFile) -> str:
    return ".opd" if found.bits == 64 and found.flags & _ABI < 2 else ""


PART = Objects(
    names=_names,
    forms=_forms,
    options=_options,
    producer=_producer,
    directives=_directives,
    spelled=lambda text, _producer, _word: _REGISTER.sub(r"\1", text),
    local_entries=True,
    branches=_BRANCHES,
    cannot_grow=_cannot_grow,
    reads_counter=frozenset((_NEXT_ADDRESS,)),
    reads_entry=lambda word: word >> 16 == _FROM_ENTRY,
    code_data=_code_data,
    descriptors=_descriptors,
)
