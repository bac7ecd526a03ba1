"""Functions of the C library that touch the program's memory without a system call.

A row is `PROTOTYPE | READS | WRITES`. Each part of READS and WRITES is `POINTER: BYTES`, two C
expressions in terms of the parameters and of `result`; READS without `result` are reported
before the function runs, everything else after it. The headers that declare the functions stand
above them. Facts: the C standard, POSIX, and what glibc's manual adds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ROWS = """
#include <string.h>
void *memcpy(void *to, const void *from, size_t size) | from: size | to: size
void *memmove(void *to, const void *from, size_t size) | from: size | to: size
void *memset(void *to, int value, size_t size) | | to: size
"""


@dataclass(frozen=True, slots=True)
class Range:
    """Memory that a function touches: two C expressions."""

    pointer: str
    size: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function and what it touches."""

    name: str
    result: str
    """Its type, as C."""
    parameters: str
    arguments: tuple[str, ...]
    """Names of the parameters."""
    before: tuple[Range, ...]
    """Read; known before the function runs."""
    after: tuple[Range, ...]
    """Read; known when it has run."""
    written: tuple[Range, ...]
    header: str


_PROTOTYPE = re.compile(r"\s*(?P<result>.*?)(?P<name>\w+)\((?P<parameters>.*)\)\s*")
_NAME = re.compile(r"(?:\(\*(\w+)\)\(.*?\)|(\w+)(?:\[\w*\])?)\s*(?:,|$)")


def _function(line: str, header: str) -> Function:
    prototype, reads, writes = line.split("|")
    found = _PROTOTYPE.fullmatch(prototype)
    assert found, line
    ranges = _ranges(reads)
    names = [one or other for one, other in _NAME.findall(found["parameters"])]
    return Function(
        name=found["name"],
        result=found["result"].strip(),
        parameters=found["parameters"],
        arguments=tuple(name for name in names if name != "void"),
        before=tuple(one for one in ranges if "result" not in one.pointer + one.size),
        after=tuple(one for one in ranges if "result" in one.pointer + one.size),
        written=_ranges(writes),
        header=header,
    )


def _ranges(text: str) -> tuple[Range, ...]:
    parts = [part.split(":", 1) for part in text.split(";") if part.strip()]
    return tuple(Range(pointer.strip(), size.strip()) for pointer, size in parts)


def _read(rows: str) -> dict[str, Function]:
    functions, header = {}, ""
    for line in rows.strip().splitlines():
        if line.startswith("#include"):
            header = line.removeprefix("#include").strip()
        else:
            function = _function(line, header)
            functions[function.name] = function
    return functions


FUNCTIONS: dict[str, Function] = _read(_ROWS)
"""The functions by name."""
