"""Archives of objects (`ar`): their members in order, read and written.

The format is that of System V and GNU: a header of 60 characters before each member, long names
in a member called `//`, the index of symbols in one called `/` or `/SYM64/`.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from inst.common.elf import DamagedElf
from inst.errors import InstError
from inst.target.tools import compiler_tool, run_tool

MAGIC = b"!<arch>\n"
_THIN = b"!<thin>\n"
_HEADER = 60
_END = b"`\n"
_SHORT = 15
"""Characters of the longest name that a header holds, before its `/`."""


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive."""

    name: str
    content: bytes


def is_archive(content: bytes) -> bool:
    """Return whether a file's content is an archive."""
    return content.startswith((MAGIC, _THIN))


def read_members(path: str, content: bytes) -> list[Member]:
    """Return the members but for index and names; raise InstError for a damaged archive."""
    if content.startswith(_THIN):
        raise InstError(
            f"{path} is a thin archive, which has only the names of its objects",
            hint="give the objects themselves, or make an archive of them by `ar rc`",
        )
    members, names, position = [], b"", len(MAGIC)
    while position < len(content):
        header = content[position : position + _HEADER]
        size = header[48:58].strip()
        start = position + _HEADER
        if header[58:] != _END or not size.isdigit() or start + int(size) > len(content):
            raise DamagedElf(
                f"{path} is damaged: expected the header of a member at byte {position}",
                hint="was it cut when it was copied?",
            )
        data = content[start : start + int(size)]
        name = header[:16].rstrip()
        if name == b"//":
            names = data
        elif name not in (b"/", b"/SYM64/"):
            members.append(Member(_name(path, name, names), data))
        position = start + int(size) + int(size) % 2
    return members


def _name(path: str, name: bytes, names: bytes) -> str:
    if name.startswith(b"/"):
        if not name[1:].isdigit() or int(name[1:]) >= len(names):
            raise DamagedElf(f"{path} is damaged: a member's name is {name!r}")
        name = names[int(name[1:]) :].partition(b"\n")[0]
    return name.removesuffix(b"/").decode("utf-8", "surrogateescape")


def archive_of(members: Iterable[Member]) -> bytes:
    """Return an archive without an index of symbols, which `ranlib` adds; all dates are 0."""
    names, pieces = b"", []
    for member in members:
        name = member.name.encode("utf-8", "surrogateescape")
        if len(name) > _SHORT or b"/" in name:
            field = b"/%d" % len(names)
            names += name + b"/\n"
        else:
            field = name + b"/"
        pieces.append(_member(field, member.content))
    return MAGIC + (_member(b"//", names) if names else b"") + b"".join(pieces)


def with_index(archive: bytes, compiler: list[str]) -> bytes:
    """Return an archive with the index of symbols that the compiler's `ranlib` adds."""
    handle, name = tempfile.mkstemp(suffix=".a")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(archive)
        run_tool([compiler_tool(compiler, "ranlib"), "-D", name])
        return Path(name).read_bytes()
    finally:
        Path(name).unlink(missing_ok=True)


def _member(field: bytes, content: bytes) -> bytes:
    header = b"%-16s%-12d%-6d%-6d%-8s%-10d" % (field, 0, 0, 0, b"644", len(content))
    return header + _END + content + b"\n" * (len(content) % 2)
