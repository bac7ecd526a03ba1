"""Functions that object files define, with their parameters, as DWARF describes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from inst.arch.registry import all_architectures
from inst.common.elf import reading
from inst.errors import Location
from inst.target.model import Targets

_ENCODINGS = {2: "boolean", 4: "floating", 5: "signed", 6: "signed", 7: "unsigned", 8: "unsigned"}
"""DW_ATE_ numbers of DWARF 4, 7.8."""
_QUALIFIERS = ("const", "volatile", "restrict", "atomic")


@dataclass(frozen=True, slots=True)
class Type:
    """A type of C, as far as it matters to a call."""

    kind: str
    """"signed", "unsigned", "integer" (of unknown sign), "pointer", "floating" ..."""
    size: int
    text: str
    """As in the source, typedefs by their names."""

    def declare(self, name: str) -> str:
        """Return the declaration of something of this type."""
        blank = "" if self.text.endswith("*") or not name else " "
        return f"{self.text}{blank}{name}"


@dataclass(frozen=True, slots=True)
class Function:
    """A function that other files see."""

    name: str
    location: Location
    result: Type
    parameters: tuple[tuple[Type, str], ...]

    def __str__(self) -> str:
        listed = ", ".join(type.declare(name) for type, name in self.parameters)
        return f"{self.result.declare(self.name)}({listed or 'void'})"


_NOTHING = Type("nothing", 0, "void")


def functions_of(path: Path) -> list[Function]:
    """Return the functions that an object file defines for others, in the order of their lines.

    There are none if it was compiled without debugging information.
    """
    from elftools.elf.elffile import ELFFile

    with reading(path, "debugging information"):
        elf = ELFFile(BytesIO(_relocated(path)))
        if not elf.has_dwarf_info():
            return []
        dwarf = elf.get_dwarf_info(relocate_dwarf_sections=False)
        found = [
            function
            for unit in dwarf.iter_CUs()
            for function in _functions(unit.get_top_DIE(), _files(dwarf, unit))
        ]
    return sorted(found, key=lambda one: (one.location.file, one.location.line))


def _relocated(path: Path) -> bytes:
    """Return an object file with what its debugging information takes from symbols filled in."""
    from elftools.elf.elffile import ELFFile
    from elftools.elf.relocation import RelocationSection

    data = bytearray(path.read_bytes())
    elf: Any = ELFFile(BytesIO(bytes(data)))
    known = (one.part(Targets).absolute.get(elf["e_machine"]) for one in all_architectures())
    sizes = next((sizes for sizes in known if sizes), {})
    order: Any = "little" if elf.little_endian else "big"
    for table in elf.iter_sections():
        if not isinstance(table, RelocationSection) or not table.name.startswith(".rela.debug"):
            continue
        start = elf.get_section(table["sh_info"])["sh_offset"]
        symbols = elf.get_section(table["sh_link"])
        for one in table.iter_relocations():
            size = sizes.get(one["r_info_type"] & 0xFF)
            if size:
                value = symbols.get_symbol(one["r_info_sym"])["st_value"] + one["r_addend"]
                at = start + one["r_offset"]
                data[at : at + size] = (value & (1 << 8 * size) - 1).to_bytes(size, order)
    return bytes(data)


def _files(dwarf: Any, unit: Any) -> list[str]:
    """Return the names of a unit's files, by their numbers.

    The line table decides how they are numbered: assemblers write an older version than the unit's.
    """
    program = dwarf.line_program_for_CU(unit)
    names = [entry.name.decode(errors="replace") for entry in program["file_entry"] if program]
    own = unit.get_top_DIE().attributes.get("DW_AT_name")
    first = own.value.decode(errors="replace") if own else ""
    names = names if program and program["version"] >= 5 else [first, *names]
    return [first if Path(name).name == Path(first).name else name for name in names]


def _functions(parent: Any, files: list[str]) -> Iterator[Function]:
    for die in parent.iter_children():
        if die.tag == "DW_TAG_namespace":
            yield from (one for one in _functions(die, files) if one.name)
        elif die.tag == "DW_TAG_subprogram" and _is_defined(die, parent):
            yield _function(die, files)


def _is_defined(die: Any, parent: Any) -> bool:
    """Return whether this is the definition of a function with a name of C or a global one."""
    attributes = die.attributes
    is_mangled = "DW_AT_linkage_name" in attributes or "DW_AT_MIPS_linkage_name" in attributes
    return (
        "DW_AT_name" in attributes
        and "DW_AT_external" in attributes
        and "DW_AT_declaration" not in attributes
        and ("DW_AT_low_pc" in attributes or "DW_AT_inline" in attributes)
        and not (is_mangled and parent.tag == "DW_TAG_namespace")
    )


def _function(die: Any, files: list[str]) -> Function:
    number = die.attributes.get("DW_AT_decl_file")
    line = die.attributes.get("DW_AT_decl_line")
    file = files[number.value] if number and number.value < len(files) else files[0]
    return Function(
        die.attributes["DW_AT_name"].value.decode(errors="replace"),
        Location(file, line.value if line else 0),
        _type_of(die),
        tuple(
            (_type_of(one), _name(one))
            for one in die.iter_children()
            if one.tag == "DW_TAG_formal_parameter"
        ),
    )


def _name(die: Any) -> str:
    found = die.attributes.get("DW_AT_name")
    return found.value.decode(errors="replace") if found else ""


def _type_of(die: Any) -> Type:
    """Return the type that an entry refers to."""
    if "DW_AT_type" not in die.attributes:
        return _NOTHING
    return _type(die.get_DIE_from_attribute("DW_AT_type"))


def _type(die: Any) -> Type:
    what = die.tag.removeprefix("DW_TAG_").removesuffix("_type")
    size = die.attributes["DW_AT_byte_size"].value if "DW_AT_byte_size" in die.attributes else 0
    if what == "typedef":
        return replace(_type_of(die), text=_name(die))
    if what in _QUALIFIERS:
        inner = _type_of(die)
        text = f"{inner.text} {what}" if inner.kind == "pointer" else f"{what} {inner.text}"
        return replace(inner, text=text)
    if what in ("pointer", "reference", "rvalue_reference"):
        mark = {"pointer": "*", "reference": "&"}.get(what, "&&")
        return Type("pointer", size or die.cu["address_size"], f"{_pointed(die)}{mark}")
    if what == "base":
        encoding = die.attributes["DW_AT_encoding"].value
        return Type(_ENCODINGS.get(encoding, "floating"), size, _name(die))
    if what == "enumeration":
        return Type("integer", size, f"enum {_name(die)}".strip())
    return Type("structure", size, f"{what.removesuffix('ure')} {_name(die)}".strip())


def _pointed(die: Any) -> str:
    text = _type_of(die).text
    return text if text.endswith("*") else f"{text} "
