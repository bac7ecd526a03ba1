"""The table of RST records as a C header: `python -m inst.formats.rst.header > .../inst/rst.h`."""

from __future__ import annotations

import enum
import sys
from collections.abc import Iterable, Iterator

from inst.formats.rst.codes import END_OF_FILE, POSITION, TRACE_LEVEL, Register
from inst.formats.rst.heading import header_text
from inst.formats.rst.table import CURRENT, MODERN, SIZE, TYPES, Field, RecordType
from inst.trace.model import Flag, Kind

_START = """\
/* The records of RST {major}.{minor}: made by `python -m inst.formats.rst.header`, not by hand.

   A trace is a sequence of records of {size} bytes, of which byte 0 tells the type.  For each type
   there is a struct of plain numbers, a function that fills it from a record and one that writes
   it to a record; both work by bytes, so that the host's byte order and alignment do not matter:

       unsigned char record[RST_SIZE];
       struct rst_instr instr;
       while (fread(record, RST_SIZE, 1, file) == 1)
           if (record[0] == RST_INSTR)
               rst_read_instr(record, version, &instr);

   `version` is major * 1000 + minor, as rst_version says of a header record: traces older than
   {modern} have shorter cpu numbers.  A function that writes sets the type and its fields and
   leaves all other bits: clear a new record first.  A text has a NUL more than its field.  */
#ifndef INST_RST_H
#define INST_RST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

enum {{ RST_SIZE = {size}, RST_CURRENT = {current} }};

/* What the header record says of that version; its third number is a '%'. */
#define RST_HEADER_TEXT "{text}"

"""

_HELPERS = """
/* Bits are counted from the most significant one of byte 0. */
static inline uint64_t rst_get(const unsigned char *record, unsigned start, unsigned width)
{
    unsigned byte = start / 8, end = start + width;
    uint64_t value = 0;
    for (; byte * 8 < end; byte++)
        value = value << 8 | record[byte];
    value >>= byte * 8 - end;
    return width < 64 ? value & (((uint64_t)1 << width) - 1) : value;
}

static inline void rst_put(unsigned char *record, unsigned start, unsigned width, uint64_t value)
{
    while (width) {
        unsigned last = start + width - 1, shift = 7 - last % 8;
        unsigned count = 8 - shift < width ? 8 - shift : width;
        unsigned mask = ((1u << count) - 1) << shift;
        unsigned bits = (unsigned)(value & 0xff) << shift;
        record[last / 8] = (unsigned char)((record[last / 8] & ~mask) | (bits & mask));
        value >>= count;
        width -= count;
    }
}

static inline void rst_get_text(const unsigned char *record, unsigned byte, unsigned size, char *to)
{
    unsigned n = 0;
    for (; n < size && record[byte + n]; n++)
        to[n] = (char)record[byte + n];
    to[n] = 0;
}

/* What is after the text and its NUL stays. */
static inline void rst_put_text(unsigned char *record, unsigned byte, unsigned size,
                                const char *from)
{
    for (unsigned n = 0; n < size; n++) {
        record[byte + n] = (unsigned char)from[n];
        if (!from[n])
            return;
    }
}
"""

_END = """
/* The version that explains the records after a header record. */
static inline unsigned rst_version(const unsigned char *record)
{
    struct rst_header header;
    rst_read_header(record, RST_CURRENT, &header);
    return (unsigned)header.majorVer * 1000 + header.minorVer;
}

#ifdef __cplusplus
}
#endif
#endif
"""


def header() -> str:
    """Return the text of runtime/include/inst/rst.h."""
    start = _START.format(
        size=SIZE, modern=MODERN, current=CURRENT, major=CURRENT // 1000, minor=CURRENT % 1000,
        text=header_text(CURRENT),
    )  # fmt: skip
    parts = [start, _constants(), _HELPERS]
    parts += [_struct(kind) + _reader(kind) + _writer(kind) for kind in TYPES if kind.fields]
    return "".join([*parts, _END])


def _constants() -> str:
    """Return the types of records, and what some of their fields hold."""
    enums = (
        ("Record types; where two have one number, the first bit of byte 1 decides.", _codes()),
        ("Fields that are one bit of byte 1: that bit.", _bits()),
        ("The kind of an EVENT: what it is about.", _members("KIND", Kind)),
        ("The flags of an EVENT: which numbers it has, and what else is known.",
         _members("FLAG", [flag for flag in Flag if flag != Flag.STATED])),
        ("The regtype0 and regtype1 of a REGVAL: what kind of register.",
         _members("REGISTER", Register)),
        ("The rtype2 of a TRACEINFO that states the level, and the status of the last record.",
         [f"TRACEINFO_LEVEL = {TRACE_LEVEL},", f"STATUS_END_OF_FILE = {END_OF_FILE},"]),
    )  # fmt: skip
    return "\n".join(_enum(comment, list(constants)) for comment, constants in enums)


def _enum(comment: str, constants: list[str]) -> str:
    constants[-1] = constants[-1].replace(",", "", 1)
    lines = [f"    RST_{constant}" for constant in constants]
    return "\n".join([f"/* {comment} */", "enum {", *lines, "};\n"])


def _codes() -> Iterator[str]:
    """Types that share a code are distinguished by the first bit of byte 1."""
    for kind in TYPES:
        note = "" if kind.variant is None else f" /* the bit is {kind.variant} */"
        yield f"{kind.name.upper()} = {kind.code},{note}"
    yield f"POSITION = {POSITION}, /* before each event of a recording, in no RST trace */"


def _bits() -> Iterator[str]:
    for kind in TYPES:
        for field in kind.fields:
            if field.flag:
                yield f"{kind.name.upper()}_{field.name.upper()} = {field.flag:#04x},"


def _members(prefix: str, members: Iterable[enum.Enum]) -> Iterator[str]:
    for one in members:
        yield f"{prefix}_{one.name} = {one.value},"


def _declaration(field: Field) -> str:
    if field.text:
        return f"char {field.name}[{field.width // 8 + 1}];"
    bits = 64 if field.signed_shift >= 0 else field.width
    width = next(width for width in (8, 16, 32, 64) if bits <= width)
    return f"uint{width}_t {field.name};"


def _struct(kind: RecordType) -> str:
    lines = [f"    {_declaration(field)}" for field in kind.fields]
    return "\n".join([f"\nstruct rst_{kind.name} {{", *lines, "};\n"])


def _signature(line: str, rest: str) -> str:
    """Return a function's head, in two lines if it is too long for one."""
    if len(line) + len(rest) < 100:
        return f"\n{line} {rest}\n{{\n"
    return f"\n{line}\n{' ' * (line.index('(') + 1)}{rest}\n{{\n"


def _reader(kind: RecordType) -> str:
    head = _signature(
        f"static inline void rst_read_{kind.name}(const unsigned char *record, unsigned version,",
        f"struct rst_{kind.name} *to)",
    )
    lines = [_broken(f"    {line}") for field in kind.fields for line in _read_field(field)]
    return head + "\n".join([*_unused(kind), *lines, "}\n"])


def _broken(line: str) -> str:
    """Break a long expression before its last term."""
    if len(line) < 100:
        return line
    first, _, last = line.rpartition(" | ")
    indent = " " * (len(line) - len(line.lstrip()) + 8)
    return f"{first}\n{indent}| {last}"


def _unused(kind: RecordType) -> list[str]:
    changed = any(field.modern_parts or field.since for field in kind.fields)
    return [] if changed else ["    (void)version;"]


def _read_field(field: Field) -> list[str]:
    if field.text:
        start, width = field.parts[0]
        return [f"rst_get_text(record, {start // 8}, {width // 8}, to->{field.name});"]
    lines, old = [], field.parts[field.modern_parts :]
    name = f"to->{field.name}"
    type_name = _declaration(field).split()[0]
    first = f"{name} = ({type_name}){_expression(old)};" if old else f"{name} = 0;"
    if field.since:
        lines += [f"{name} = 0;", f"if (version >= {field.since})", f"    {first}"]
    else:
        lines.append(first)
    if field.modern_parts:
        lines += [
            f"if (version >= {MODERN})",
            f"    {name} = ({type_name}){_expression(field.parts)};",
        ]
    if field.signed_shift >= 0:
        lines.append(f"if ({name} >> {field.width - 1} & 1)")
        lines.append(f"    {name} |= ~(uint64_t)0 << {field.width};")
        lines.append(f"{name} <<= {field.signed_shift};")
    return lines


def _expression(parts: tuple[tuple[int, int], ...]) -> str:
    text = ""
    for start, width in parts:
        piece = f"rst_get(record, {start}, {width})"
        text = f"({text} << {width} | {piece})" if text else piece
    return text


def _writer(kind: RecordType) -> str:
    head = _signature(
        f"static inline void rst_write_{kind.name}(const struct rst_{kind.name} *from,",
        "unsigned version, unsigned char *record)",
    )
    lines = [*_unused(kind), f"    record[0] = RST_{kind.name.upper()};"]
    if kind.variant is not None:
        lines.append(f"    rst_put(record, 8, 1, {kind.variant});")
    lines += [f"    {line}" for field in kind.fields for line in _write_field(field)]
    return head + "\n".join([*lines, "}\n"])


def _write_field(field: Field) -> list[str]:
    if field.text:
        start, width = field.parts[0]
        return [f"rst_put_text(record, {start // 8}, {width // 8}, from->{field.name});"]
    shift = max(field.signed_shift, 0)
    lines = []
    for number, (start, width) in reversed(list(enumerate(field.parts))):
        value = f"from->{field.name}" + (f" >> {shift}" if shift else "")
        put = f"rst_put(record, {start}, {width}, {value});"
        first = MODERN if number < field.modern_parts else field.since
        lines += [f"if (version >= {first})", f"    {put}"] if first else [put]
        shift += width
    return lines


if __name__ == "__main__":
    sys.stdout.write(header())
