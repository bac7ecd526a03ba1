"""The language of rows that state what a system call reads and writes of the caller's memory.

A row is `NAMES EFFECT...`; calls that share a row are joined by commas, `NAME[N=VALUE]` holds when
argument N is VALUE (`[N&MASK=VALUE]`: when these bits of it are). An effect is `DIRECTION
ARGUMENT:SIZE` without the blank: `r` the kernel reads it, before; `w` it has written, unless
the call failed; `i` it has written if the call was interrupted. Arguments count from 0. A SIZE
is a sum of constants and at most one term known only at run time, which may have a factor:

    16  2L  {struct stat}     bytes, longs, the size of a C type of the kernel's headers
    a2  r  r2  p2             argument 2, the result (argument 2 at most), what argument 2 points to
                              (a length; written: the smaller of that before and afterwards)
    s  b0  n2                 a string with its end; bit masks for argument 0 descriptors, and for
                              one memory node less than argument 2
    iov2  msg  mmsg2  argv    vectors with their buffers, message headers, lists of strings
    ioctl  mask               what the request encodes; a pointer to a mask and its size

Numbers and structures are those of the target's own headers when a hook library is built, so a row
holds for each width and ISA.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """Memory that a call reads or writes; texts are C."""

    when: str
    """READS, WRITES or INTERRUPTED."""
    argument: int
    source: str
    """What the size depends on."""
    other: int
    """The argument that `source` is about."""
    scale: str
    base: str
    test: int
    """The argument that a condition is about."""
    mask: str
    equals: str
    """"": there is no condition."""


_WHEN = {"r": "READS", "w": "WRITES", "i": "INTERRUPTED"}
_NAME = re.compile(r"(\w+)(?:\[(\d)(?:&(\w+))?=(\w+)\])?")
_CONSTANT = re.compile(r"(\d+)(L?)|\{(.*)\}")
_TERM = re.compile(r"(a|r|p|b|n|iov|mmsg|s|msg|argv|ioctl|mask)(\d?)(?:\*(.*))?")
_SOURCES = {
    "a": "ARGUMENT",
    "r": "RESULT",
    "p": "POINTED",
    "b": "BITS",
    "n": "NODES",
    "s": "STRING",
    "iov": "VECTOR",
    "msg": "MESSAGE",
    "mmsg": "MESSAGES",
    "argv": "STRINGS",
    "ioctl": "REQUEST",
    "mask": "MASK",
}
_PAGES = "(a1+4095)/4096"


def _constant(text: str) -> str | None:
    found = _CONSTANT.fullmatch(text)
    if not found:
        return None
    if found[3]:
        kind = found[3]
        named = kind.startswith(("struct ", "__kernel"))
        return f"sizeof({kind})" if named else f"({kind})"
    return f"{found[1]} * sizeof(long)" if found[2] else found[1]


def _effect(text: str, condition: tuple[int, str, str]) -> Effect:
    place, size = text.split(":", 1)
    source, other, scale, base = "NOTHING", 0, "0", "0"
    if size == _PAGES:
        source, other, size = "PAGES", 1, "0"
    for term in size.split("+") if "{" not in size else [size]:
        constant = _constant(term)
        if constant is not None:
            base = constant
            continue
        found = _TERM.fullmatch(term)
        assert found, text
        source, other = _SOURCES[found[1]], int(found[2] or 0)
        scale = (_constant(found[3]) or "") if found[3] else "1"
    return Effect(_WHEN[place[0]], int(place[1]), source, other, scale, base, *condition)


_PIECES = re.compile(r"(?:\{[^}]*\}|\S)+")


def read_rows(text: str) -> dict[str, list[Effect]]:
    """Return the effects of each call, in order; lines that begin with `#` are comments."""
    calls: dict[str, list[Effect]] = {}
    for line in text.strip().splitlines():
        if line.startswith("#"):
            continue
        names, *effects = _PIECES.findall(line)
        condition = (0, "0", "")
        last = _NAME.fullmatch(names.split(",")[-1])
        assert last, line
        if last[2]:
            condition = (int(last[2]), last[3] or "~0", last[4])
        for name in names.split(","):
            row = calls.setdefault(name.split("[")[0], [])
            row += [_effect(effect, condition) for effect in effects]
    return calls
