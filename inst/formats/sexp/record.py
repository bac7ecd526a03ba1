"""One s-expression record as a value, and how it is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import BinaryIO, NamedTuple

from inst.errors import InstError
from inst.formats.sexp.parse import Value
from inst.formats.sexp.table import KINDS, SexpField, SexpKind


class SexpRecord(NamedTuple):
    """One record: its fields, where it is, and the bytes it was read from.

    A named tuple since a reader makes hundreds of thousands a second: a frozen dataclass
    takes four times as long to make.
    """

    ordinal: int
    kind: str
    id: int
    thread: int
    fields: tuple[tuple[str, Value], ...]
    """(key, value) in order, extension fields last."""
    source: str | int | None = None
    """`file:line`, or a number: the access's pc in traces of this project's runtime."""
    text: bytes = b""
    """The record as it stood in the file, with the white space before it."""
    line: int = 0
    """Line of the file, from 1; 0 for a record that comes from none."""

    def get(self, key: str) -> Value | None:
        """Return the first field of that key."""
        return next((value for name, value in self.fields if name == key), None)

    @property
    def named(self) -> dict[str, Value]:
        """The fields by their keys; the first where a key is repeated."""
        return dict(reversed(self.fields))


def quote(text: str) -> str:
    """Return a string in quotes; a quote or a backslash in it is escaped."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def render(record: SexpRecord, *, condensed: bool = False) -> str:
    """Return the record as current producers write it, keyed or condensed.

    Extension fields are keyed in both, since older readers skip only what is keyed.
    """
    kind = KINDS.get(record.kind)
    parts = [record.kind]
    for key, number in (("id", record.id), ("tid", record.thread)):
        parts.append(str(number) if condensed else f"({key} {number})")
    for place, (key, value) in enumerate(record.fields):
        field = _field(kind, key, place)
        text = _value(field, value)
        bare = field is not None and key == field.key and key != "level"
        bare = bare and (condensed or key in ("barrier", "op"))
        parts.append(text if bare or not key else f"({key} {text})" if text else f"({key})")
    if record.source is not None:
        source = record.source
        text = quote(source) if isinstance(source, str) else f"0x{source:x}"
        parts.append(text if condensed else f"(src {text})")
    return "(" + " ".join(parts) + ")"


def _field(kind: SexpKind | None, key: str, place: int) -> SexpField | None:
    """Return the ordinary field that the value is, or None for an extension."""
    for field in kind.fields[: place + 1] if kind else ():
        if key in (field.key, field.older):
            return field
    return None


def _value(field: SexpField | None, value: Value) -> str:
    if isinstance(value, int):
        return f"0x{value:x}" if field and field.type == "hex" else str(value)
    return quote(value) if field and field.type == "text" else value


def write(records: Iterable[SexpRecord], output: BinaryIO, *, condensed: bool = False) -> int:
    """Write records one a line; return how many. A number over 64 bits is an InstError."""
    count = 0
    for record in records:
        require(record)
        line = render(record, condensed=condensed) + "\n"
        output.write(line.encode("utf-8", "surrogateescape"))
        count += 1
    return count


def require(record: SexpRecord) -> None:
    """Raise InstError when a number of the record is wider than 64 bits."""
    numbers: list[tuple[str, Value]] = [("id", record.id), ("tid", record.thread)]
    numbers += record.fields
    for key, number in numbers:
        if isinstance(number, int) and not 0 <= number < 1 << 64:
            raise InstError(f"{record.kind}: {key} {number} does not fit into 64 bits")
