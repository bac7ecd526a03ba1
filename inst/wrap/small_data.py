"""Check for a program that relies on small data in one object and changes its base in another.

Probes put addresses in that register (r13 of 32-bit PowerPC) in files without small data, and code
that records puts its place in the buffer there; never in files with it.  A program must not have
both kinds of object, even if the second is not instrumented: its relocations show that it reads
small data.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inst.arch.registry import architecture
from inst.errors import InstError
from inst.hooktable import SITE_SECTION, SMALL_DATA_SYMBOL
from inst.isa.sites import Sites, SmallData
from inst.target.model import Target

LISTING = ("-t", "-t")
"""The option by which a linker prints each input, also members of archives."""
_MEMBER = re.compile(r"\((?P<archive>.+)\)(?P<name>[^()]+)|(?P<archive2>.+)\((?P<name2>[^()]+)\)")
_ENTRY = re.compile(rb"inst\.(?:rare|table|window|room|(?:ld|st)[bhwdq])(?:\.\w+)*\0")
_RELA = 4


@dataclass(slots=True)
class _Found:
    """The first object of each kind."""

    changes: str = ""
    counts: str = ""


def inputs_of(output: bytes) -> tuple[list[str], bytes]:
    """Return the inputs that a linker printed, and the rest of its output."""
    named: list[str] = []
    rest: list[str] = []
    for line in output.decode("utf-8", "surrogateescape").splitlines(keepends=True):
        name = line.rstrip("\n")
        known = _MEMBER.fullmatch(name) or name.endswith((".o", ".a", ".so")) or Path(name).exists()
        (named if known and not name[:1].isspace() else rest).append(line)
    text = "".join(rest).encode("utf-8", "surrogateescape")
    return [line.rstrip("\n") for line in named], text


def refuse_mixture(inputs: list[str], own: frozenset[str], target: Target) -> None:
    """Raise an error if one input changes the base and another relies on it; `own` are not checked.

    The target is one that has small data.
    """
    found, small = _Found(), architecture(target.isa).part(Sites).abis[target.abi].small_data
    assert small is not None
    for name, data in _objects(inputs, own, target):
        changes = _changes if _is_object(data) else _library_changes
        if not found.changes and changes(data, small):
            found.changes = name
        if not found.counts and _is_object(data) and _counts(data, small):
            found.counts = name
        if found.changes and found.counts:
            raise _mixture(found, small)


def _mixture(found: _Found, small: SmallData) -> InstError:
    return InstError(
        f"{found.counts} reads small data by {small.register}, which probes in {found.changes} "
        "change",
        hint=f"compile {found.changes} with --inst-small-data, or as {found.counts} with -msdata=",
    )


def _objects(inputs: list[str], own: frozenset[str], target: Target) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each object and library; other and missing files are left out."""
    archives: dict[str, dict[str, list[bytes]]] = {}
    for text in dict.fromkeys(inputs):
        member = _MEMBER.fullmatch(text)
        archive = (member["archive"] or member["archive2"]) if member else text
        if archive in own:
            continue
        try:
            if not member:
                contents = [Path(text).read_bytes()]
            else:
                members = archives.get(archive) or _members(archive)
                archives[archive] = members
                contents = members.get(member["name"] or member["name2"], [])
        except OSError:
            continue
        yield from ((text, data) for data in contents if _is_of(data, target))


def _members(path: str) -> dict[str, list[bytes]]:
    """Return the members of an archive by name; several may have the same."""
    from inst.objects.archive import MAGIC, read_members

    found: dict[str, list[bytes]] = {}
    data = Path(path).read_bytes()
    for member in read_members(path, data) if data.startswith(MAGIC) else ():
        found.setdefault(member.name, []).append(member.content)
    return found


def _is_of(data: bytes, target: Target) -> bool:
    """Return whether content is an ELF file for the target, which has 32 bits and is big-endian."""
    machine = int.from_bytes(data[18:20], "big")
    return data[:6] == b"\x7fELF\1\2" and target.has_machine(machine)


def _is_object(data: bytes) -> bool:
    """Return whether an ELF file is relocatable: the input of a static linker."""
    return data[17] == 1


def _changes(data: bytes, small: SmallData) -> bool:
    """Return whether an object calls entries that take an address, or its buffer's, in the base."""
    kept = tuple(mark.encode() for mark in small.marks)
    return any(not any(mark in name for mark in kept) for name in _ENTRY.findall(data))


def _counts(data: bytes, small: SmallData) -> bool:
    """Return whether an object reads small data, by its own mark or its relocations."""
    return SMALL_DATA_SYMBOL.encode() + b"\0" in data or any(
        small.relocations & set(data[start + 7 : start + size : 12])
        for start, size in _relocations(data)
    )


def _library_changes(data: bytes, small: SmallData) -> bool:
    """Return whether a shared library has probes that change the base, by its site table."""
    headers = list(_headers(data))
    names = headers[struct.unpack_from(">H", data, 50)[0]][4] if headers else 0
    wanted = SITE_SECTION.encode() + b"\0"
    for header in headers:
        if data.startswith(wanted, names + header[0]):
            return _has_unkept(data[header[4] : header[4] + header[5]], small.register.encode())
    return False


def _has_unkept(table: bytes, register: bytes) -> bool:
    """Return whether a site table has an object whose probes change the register."""
    position = 0
    while position < len(table):
        tag, fields = table[position], position + (5 if table[position] in b"SL" else 1)
        end = table.find(b"\0", fields)
        if tag == ord("L") and table[fields:end] != register:
            return True
        position = end + 1 if end >= 0 else len(table)
    return False


def _relocations(data: bytes) -> Iterator[tuple[int, int]]:
    """Yield place and size of the sections of relocations."""
    return ((header[4], header[5]) for header in _headers(data) if header[1] == _RELA)


def _headers(data: bytes) -> Iterator[tuple[int, ...]]:
    """Yield the section headers of an ELF file."""
    (table,) = struct.unpack_from(">I", data, 32)
    entry, count = struct.unpack_from(">HH", data, 46)
    return (struct.unpack_from(">10I", data, table + n * entry) for n in range(count))
