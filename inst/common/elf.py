"""The only reader of ELF files: any error in one becomes an `InstError` with its path.

Programs may be truncated, overwritten or forged, and the library that reads them may then raise any
exception. So all of inst opens ELF files here; sizes and counts in a file are compared with the
file's own size before they are used.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inst.dataclass import dataclass
from inst.errors import InstError

if TYPE_CHECKING:
    from elftools.elf.sections import Section

MAGIC = b"\x7fELF"
_SECTION_HEADER = {32: 40, 64: 64}
_PROGRAM_HEADER = {32: 32, 64: 56}
_SYMBOL = {32: struct.Struct(">IIIBBH"), 64: struct.Struct(">IBBHQQ")}
_LITTLE_SYMBOL = {32: struct.Struct("<IIIBBH"), 64: struct.Struct("<IBBHQQ")}
_RATIO = 1032
"""How many bytes one byte of zlib data can expand to at most (zlib's technical details)."""
_SHARED = 16
"""How often the bytes of a string table may be part of names: linkers share names' ends."""


class DamagedElf(InstError):
    """An ELF file that cannot be read, or not entirely, or another kind of file."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One row of a symbol table."""

    value: int
    size: int
    kind: int
    """STT_OBJECT (1), STT_FUNC (2) ..."""
    name: str


OBJECT, FUNCTION = 1, 2


@dataclass(frozen=True, slots=True)
class Header:
    """One row of the table of sections: fields of Elf32_Shdr and Elf64_Shdr by plain names."""

    index: int
    name: str
    kind: int
    flags: int
    size: int
    link: int
    info: int
    align: int
    entry: int
    data: bytes
    """The bytes as they are in the file, which may be compressed; none for SHT_NOBITS."""


@contextmanager
def reading(path: str | Path, part: str) -> Iterator[None]:
    """Turn what reading a part of an ELF file raises into an `InstError`."""
    try:
        yield
    except InstError:
        raise
    except Exception as error:  # struct, construct, zlib, lookups, arithmetic, memory, recursion
        raise DamagedElf(f"{path} is damaged: its {part} cannot be read{_reason(error)}") from error


def _reason(error: Exception) -> str:
    from elftools.common.exceptions import DWARFError, ELFError

    text = " ".join(str(error).split())[:100]
    is_clear = isinstance(error, (DWARFError, ELFError)) and "expected" not in text
    return f" ({text})" if text and is_clear else ""


def file_content(path: str | Path) -> bytes:
    """Return the bytes of a file; raise InstError where it cannot be read or is a device."""
    try:
        if Path(path).is_char_device():  # /dev/zero has no end
            raise DamagedElf(f"{path} is a device, not an ELF file")
        return Path(path).read_bytes()
    except OSError as error:
        raise InstError(f"cannot open {path}: {error.strerror}") from error


class Elf:
    """An ELF file in memory."""

    def __init__(self, path: str | Path, content: bytes | None = None) -> None:
        """Read a file, or `content`, such as an archive's member, which errors call `path`."""
        from elftools.elf.elffile import ELFFile
        from elftools.elf.enums import ENUM_E_MACHINE

        self.path = Path(path)
        self._data = file_content(path) if content is None else content
        if not self._data.startswith(MAGIC):
            from inst.common.scripts import hint

            message = f"{path} is not an ELF file: it does not begin with 7f 45 4c 46"
            raise DamagedElf(message, hint=hint(self.path))
        with reading(path, "header"):
            self._elf: Any = ELFFile(io.BytesIO(self._data))
            self.width = int(self._elf.elfclass)
            self._check_headers()
        self.is_little = bool(self._elf.little_endian)
        self.machine = str(self._elf["e_machine"])
        self.machine_number = int(ENUM_E_MACHINE.get(self.machine, 0))
        self.relocatable = self._elf["e_type"] == "ET_DYN"
        self.is_object = self._elf["e_type"] == "ET_REL"
        self.flags = int(self._elf["e_flags"])
        with reading(path, "program headers"):
            self.loads = [
                (int(s["p_vaddr"]), int(s["p_memsz"]))
                for s in self._elf.iter_segments()
                if s["p_type"] == "PT_LOAD"
            ]

    def interpreter(self) -> str:
        """Return the dynamic loader that the program requests, or nothing."""
        from elftools.elf.segments import InterpSegment

        with reading(self.path, "interpreter"):
            segments = (s for s in self._elf.iter_segments() if isinstance(s, InterpSegment))
            return next((str(s.get_interp_name()) for s in segments), "")

    def has_section(self, name: str) -> bool:
        """Return whether there is a section of that name."""
        return self._section(name) is not None

    def section(self, name: str) -> tuple[bytes, int] | None:
        """Return a section's content, decompressed, and its address; None if there is none."""
        found = self._section(name)
        return (self._content(found, name), int(found["sh_addr"])) if found else None

    def debug_section(self, name: str) -> bytes:
        """Return a section of debugging information, which may be compressed the old way."""
        found = self.section(f".debug_{name}")
        old = None if found else self.section(f".zdebug_{name}")
        if old is None:
            return found[0] if found else b""
        with reading(self.path, f"section .zdebug_{name}"):
            size = int.from_bytes(old[0][4:12], "big")
            if size > len(old[0]) * _RATIO:
                raise ValueError
            return zlib.decompressobj().decompress(old[0][12:], max(size, 1))

    def headers(self) -> list[Header]:
        """Return all sections in their order, with their bytes."""
        from elftools.elf.enums import ENUM_SH_TYPE_BASE

        found = []
        with reading(self.path, "section headers"):
            for index, section in enumerate(self._elf.iter_sections()):
                kind, start, size = (section[f"sh_{n}"] for n in ("type", "offset", "size"))
                number = kind if isinstance(kind, int) else int(ENUM_SH_TYPE_BASE[kind])
                has_bytes = index and kind != "SHT_NOBITS"
                if has_bytes and start + size > len(self._data):
                    raise ValueError
                link, info, align, entry = (
                    int(section[f"sh_{n}"]) for n in ("link", "info", "addralign", "entsize")
                )
                data = self._data[start : start + size] if has_bytes else b""
                row = (index, section.name, number, section["sh_flags"], size)
                found.append(Header(*row, link, info, align, entry, data))
        return found

    def contents(self) -> list[tuple[int, bytes]]:
        """Return the address of each segment that is loaded, and its bytes in the file."""
        found = []
        with reading(self.path, "program headers"):
            for segment in self._elf.iter_segments():
                start, size = int(segment["p_offset"]), int(segment["p_filesz"])
                if segment["p_type"] == "PT_LOAD" and size:
                    if start + size > len(self._data):
                        raise ValueError
                    found.append((int(segment["p_vaddr"]), self._data[start : start + size]))
        return found

    def symbols(self, name: str) -> Iterator[Symbol]:
        """Yield the rows of a symbol table, if there is one."""
        found = self._section(name)
        if found is None:
            return
        with reading(self.path, f"symbol table {name}"):
            names = self._content(self._elf.get_section(found["sh_link"]), "names of symbols")
            room = len(names) * _SHARED
            for row in self._rows(self._content(found, name)):
                end = names.find(b"\0", row[0])
                text = names[row[0] : end].decode(errors="replace") if end > row[0] else ""
                room -= len(text)
                if end < 0 or room < 0:
                    raise ValueError
                yield Symbol(row[1], row[2], row[3] & 15, text)

    def _rows(self, data: bytes) -> Iterator[tuple[int, int, int, int]]:
        """Yield offset of the name, value, size and st_info of each symbol."""
        layout = (_LITTLE_SYMBOL if self.is_little else _SYMBOL)[self.width]
        if len(data) % layout.size:
            raise ValueError
        for row in layout.iter_unpack(data):
            yield (row[0], row[1], row[2], row[3]) if self.width == 32 else (
                row[0], row[4], row[5], row[1])  # fmt: skip

    def _check_headers(self) -> None:
        """Refuse tables of headers that extend beyond the file."""
        header, size = self._elf.header, len(self._data)
        tables = (
            ("section", "e_sh", _SECTION_HEADER, self._elf.num_sections),
            ("program", "e_ph", _PROGRAM_HEADER, self._elf.num_segments),
        )
        for what, field, least, number in tables:
            place, each, count = (header[field + end] for end in ("off", "entsize", "num"))
            if not place:
                continue
            if place + each <= size:
                count = number()  # if there are very many, the first section header has the count
            if count and (each < least[self.width] or place + each * count > size):
                raise DamagedElf(
                    f"{self.path} is damaged: it has {size} bytes, and its {count} {what} headers "
                    f"of {each} bytes would begin at byte {place}",
                    hint="was it cut when it was copied?",
                )

    def _section(self, name: str) -> Section | None:
        with reading(self.path, "section headers"):
            found: Section | None = self._elf.get_section_by_name(name)
            return found

    def _content(self, section: Section, name: str) -> bytes:
        with reading(self.path, f"section {name}"):
            if section["sh_type"] == "SHT_NOBITS":
                return b""
            start, size = int(section["sh_offset"]), int(section["sh_size"])
            if start + size > len(self._data) or section.data_size > max(size, 1) * _RATIO:
                raise ValueError
            return bytes(section.data())
