"""The site table: the source line and original instruction of every instrumented access.

The translator adds one row per access to the section `.debug_inst_sites` (not loaded;
named like a debugging section so that the linker drops rows of discarded functions
silently and `strip` treats it as it treats line numbers).  A section is a sequence of
entries, unaligned, in the byte order of the file:

    'F' name NUL                      source file of the rows that follow
    'S' address fields NUL            one access; address has the width of the ELF class
    'L' address NUL                   level at which what follows was instrumented; the address
                                      is a symbol's that the hook library defines if it can
                                      work with that level, so that the linker refuses others

`fields` is text with tabs: event ("ldw", "stb", "rare", "unreported"; of an instruction without an
access "barrier", "tlbi", "sysreg"), size in bytes (0: known only at run time), source line (0:
unknown), the original instruction.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from inst.common.elf import DamagedElf, Elf, reading
from inst.dataclass import dataclass
from inst.errors import InstError
from inst.hooktable import SITE_SECTION

WITHOUT_ACCESS = ("barrier", "tlbi", "sysreg")
"""Events of instructions that access no memory."""


@dataclass(frozen=True, slots=True)
class Site:
    """One instrumented access of a program, by its link-time address."""

    address: int
    event: str
    size: int
    file: str
    line: int
    text: str


def read_sites(path: str | Path) -> list[Site]:
    """Return the site table of an ELF file in ascending order of address; [] if it has none.

    Raises InstError when the file is not ELF or the table is damaged.
    """
    return sites_of(Elf(path))


def sites_of(elf: Elf) -> list[Site]:
    """Return the site table of an ELF file that is open."""
    with reading(elf.path, "site table"):
        return sorted(_sites(elf), key=lambda site: site.address)


def has_sites(path: str | Path) -> bool:
    """Return whether an ELF file has a site table at all; strip takes it away."""
    try:
        return Elf(path).has_section(SITE_SECTION)
    except InstError:
        return False


def _sites(elf: Elf) -> Iterator[Site]:
    section = elf.section(SITE_SECTION)
    if section is None:
        return
    width = elf.width // 8
    order = "little" if elf.is_little else "big"
    data, _ = section
    position, name = 0, ""
    while position < len(data):
        tag = data[position : position + 1]
        start = position + 1
        end = data.find(b"\0", start + (width if tag in b"SL" else 0))
        if end < 0 or tag not in (b"F", b"S", b"L"):
            raise DamagedElf(
                f"{elf.path}: site table damaged at offset {position} of {SITE_SECTION}"
            )
        if tag == b"F":
            name = data[start:end].decode(errors="replace")
        elif tag == b"S":
            address = int.from_bytes(data[start : start + width], order)  # type: ignore[arg-type]
            fields = data[start + width : end].decode(errors="replace").split("\t", 3)
            if address and len(fields) == 4:  # address 0: its function was discarded
                event, size, line, text = fields
                yield Site(address, event, int(size), name, int(line), text)
        position = end + 1
