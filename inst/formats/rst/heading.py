"""What an RST trace begins with, and what its HEADER has to hold in each version.

Sun's rstf.h counts 1.8, 1.9, 1.10, 2.00, 2.01 ...: from 2.00 on the minor version has two digits in
the text. Its numbers are binary, at bytes 1 and 2, since 1.4; the text and '%' are fixed since 1.8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.formats.rst.codes import TRACE_LEVEL
from inst.formats.rst.record import RstRecord, encode
from inst.formats.rst.table import CURRENT

_FREE, _FIXED = 1004, 1008
"""The first versions with numbers, and with a text that is fixed."""
_TEXT = re.compile(r"RST Header v(\d{1,3})\.(\d{1,3})(?!\S)")


def header_text(version: int) -> str:
    """Return the text of the header of a version, which is major * 1000 + minor."""
    major, minor = divmod(version, 1000)
    return f"RST Header v{major}.{minor:0{2 if major > 1 else 1}}"


def beginning() -> bytes:
    """Return the records that a trace of the current version begins with."""
    major, minor = divmod(CURRENT, 1000)
    header = encode("header", majorVer=major, minorVer=minor, percent=ord("%"),
                    header_str=header_text(CURRENT))  # fmt: skip
    return header + encode("traceinfo", rtype2=TRACE_LEVEL)


def header_problems(fields: dict[str, int | str]) -> Iterator[tuple[str, str]]:
    """Yield what is wrong with a header's fields: the code of a finding, and a message."""
    major, minor, text = int(fields["majorVer"]), int(fields["minorVer"]), fields["header_str"]
    if not _FREE <= major * 1000 + minor < _FIXED:
        yield from _text_problems(fields["percent"] == ord("%"), str(text), major, minor)
    if not 1000 <= major * 1000 + minor <= CURRENT:
        last = header_text(CURRENT).rpartition("v")[2]
        message = f"version {major}.{minor} is not known; {last} is the last one that is"
        yield "rst-version", message


def _text_problems(percent: bool, text: str, major: int, minor: int) -> Iterator[tuple[str, str]]:
    found = _TEXT.match(text)
    if not percent:
        yield "rst-header", "the header's fourth byte is not '%'"
    if found is None:
        yield "rst-header", f"the header is {text!r}; {header_text(CURRENT)!r} would be one"
    elif (int(found[1]), int(found[2])) != (major, minor):
        yield "rst-header", f"the header's numbers are {major}.{minor}, its text {text!r}"


def no_header(record: RstRecord) -> str:
    """Return what is wrong with a first record that is no header."""
    return f"the first record is {record.name}, not a HEADER"
