"""What `--inst-objects` took from the inputs of a link, and what it left (`--inst-objects-report`).

The cache has no reasons: what stayed as it is in an archive is tried again to find them.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path

from inst.common.colours import report
from inst.common.elf import Elf
from inst.common.wholefile import whole_file
from inst.errors import InstError
from inst.objects.archive import Member, is_archive, read_members
from inst.objects.growing import ALREADY
from inst.objects.model import EXECUTE, PROGBITS
from inst.rewrite.options import Options
from inst.wrap.link_objects import NOT_CHOSEN, Input
from inst.wrap.objects import Instrumenter

_SUMS = (
    "objects", "code", "compiled_objects", "compiled_code", "left_objects", "left_code",
)  # fmt: skip


@dataclass(slots=True)
class Row:
    """An input of the link; code is in bytes, as it was before anything was inserted."""

    input: str
    made: str = ""
    """The instrumented file in the cache that is linked instead; empty: the input itself."""
    objects: int = 0
    """Instrumented objects: members of an archive, or the input itself."""
    code: int = 0
    compiled_objects: int = 0
    """Those that inst-cc has compiled."""
    compiled_code: int = 0
    left_objects: int = 0
    left_code: int = 0
    left: dict[str, str] = field(default_factory=dict)
    """What is linked as it is -> why. Members of an archive; the input itself has the name ""."""


def give_report(inputs: list[Input], options: Options, output: str, path: str) -> None:
    """Write a report of the link of `output` to a path, if there is one; and sums to a terminal.

    Elsewhere than on a terminal the sums could be taken for an error: configure scripts judge a
    compiler by whether it prints anything.
    """
    shown = sys.stderr is not None and sys.stderr.isatty()
    if path or shown:
        rows = [_row(one, Instrumenter(options)) for one in inputs]
        if shown:
            report(summary(rows))
        if path:
            write_report(Path(path), output, rows)


def _row(one: Input, instrumenter: Instrumenter) -> Row:
    row = Row(str(one.path), one.made)
    members = _members(one.path, one.content)
    made = _members(one.path, Path(one.made).read_bytes()) if one.made else members
    for number, (before, after) in enumerate(zip(members, made, strict=True), 1):
        reason, size = (
            one.reason or _reason(one.path, before, after, instrumenter),
            code_size(before),
        )
        if ALREADY in reason:
            row.compiled_objects += 1
            row.compiled_code += size
        elif reason:
            name = f"{before.name}, member {number}" if before.name in row.left else before.name
            row.left[name] = reason
            row.left_objects += 1
            row.left_code += size
        else:
            row.objects += 1
            row.code += size
    if one.reason and row.left:
        row.left = {"": one.reason}
    return row


def _members(path: Path, content: bytes) -> list[Member]:
    """Return the members of an archive; one without a name for an object."""
    try:
        return read_members(str(path), content) if is_archive(content) else [Member("", content)]
    except InstError:
        return []


def _reason(path: Path, before: Member, after: Member, instrumenter: Instrumenter) -> str:
    """Return why a member is as it was; nothing if it was instrumented."""
    if before.content != after.content:
        return ""
    name = f"{path}({before.name})"
    try:
        instrumenter.object(name, before.content)
    except InstError as error:
        return error.message.removeprefix(f"{name}: ")
    return ""  # it has no code, for example


def code_size(member: Member) -> int:
    """Return how many bytes of code an object has; 0 for what is none."""
    try:
        headers = Elf(member.name, member.content).headers()
    except InstError:
        return 0
    return sum(one.size for one in headers if one.kind == PROGBITS and one.flags & EXECUTE)


def write_report(path: Path, output: str, rows: list[Row]) -> None:
    """Write the rows and their sums as one JSON object; raise InstError if that fails."""
    content = {"output": output, **_sums(rows), "inputs": [asdict(row) for row in rows]}
    try:
        with whole_file(path) as stream:
            stream.write(f"{json.dumps(content, indent=2)}\n".encode())
    except OSError as error:
        raise InstError(f"cannot write {path}: {error.strerror}") from error


def _sums(rows: list[Row]) -> dict[str, int]:
    return {name: sum(getattr(row, name) for row in rows) for name in _SUMS}


def summary(rows: list[Row]) -> str:
    """Return the message about how much of the inputs that were to be instrumented is."""
    sums = _sums([row for row in rows if row.left.get("") != NOT_CHOSEN])
    return (
        "inst: note: --inst-objects: {objects} objects with {code} bytes of code instrumented, "
        "{left_objects} with {left_code} left as they are".format(**sums)
    )
