"""Tables of exceptions (`.gcc_except_table`): which calls of a function lead to which landing pad.

They hold distances of code, which are wrong when code is inserted; in the text they are differences
of labels, as compilers write them. Format: that of GCC (`except.cc`, `unwind-c.c`), which follows
the "Exception Handling Tables" of the Itanium C++ ABI.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inst.errors import InstError
from inst.objects.leb128 import sleb128, uleb128
from inst.objects.model import ObjectFile, Section

NAME = ".gcc_except_table"
OMITTED = 0xFF
"""The encoding of what is not there (DW_EH_PE_omit)."""
ULEB128 = 1
"""The encoding of ranges of code that compilers use (DW_EH_PE_uleb128)."""
_SIZES = {2: 2, 3: 4, 4: 8}
"""Low three bits of an encoding (DW_EH_PE_*) -> bytes of a number; 0 is that of an address."""


@dataclass(frozen=True, slots=True)
class CallSite:
    """A range of a function's code; all are offsets from its beginning."""

    start: int
    end: int
    pad: int
    """0: it has none."""
    action: int
    """1 and more: an offset in the table of actions; 0: cleanup."""


@dataclass(frozen=True, slots=True)
class Table:
    """The table of one function; places are offsets in its section."""

    start: int
    sites: tuple[CallSite, ...]
    actions: tuple[int, int]
    """Where the records of actions begin and end."""
    encoding: int
    """Of the types; OMITTED: it has none."""
    size: int
    """Bytes of a type; 0: it has none."""
    types: tuple[int, int]
    """Where they begin and end."""
    end: int
    """Where the table ends, with the lists of types that functions may throw."""

    @property
    def align(self) -> int:
        """Return the bytes of a type, to which the table is aligned; 1 without types."""
        return self.size or 1


def encoded_size(encoding: int, bits: int) -> int:
    """Return the bytes of a number with this encoding; 0: they vary."""
    return bits // 8 if not encoding & 7 else _SIZES.get(encoding & 7, 0)


def read_table(found: ObjectFile, section: Section, start: int, limit: int) -> Table:
    """Return the table between two offsets of a section.

    Raises InstError for encodings that compilers for these targets do not use, and where numbers
    lead out of the table.
    """
    data = section.data[:limit]

    def refused(offset: int, reason: str) -> InstError:
        return InstError(
            f"{found.name}: {section.name}+{offset:#x}: {reason}", hint="leave this object as it is"
        )

    if start + 3 > limit:
        raise refused(start, "no table of exceptions begins here")
    if data[start] != OMITTED:
        raise refused(start, "landing pads are counted from another place than the function")
    encoding, position = data[start + 1], start + 2
    base = size = 0
    if encoding != OMITTED:
        distance, position = uleb128(data, position)
        base = position + distance
        size = encoded_size(encoding, found.bits)
        if not size or base > limit:
            raise refused(start, "the types of its exceptions are not in the table")
    if position >= limit or data[position] != ULEB128:
        raise refused(position, "its ranges of code are not of variable length")
    length, position = uleb128(data, position + 1)
    actions = position + length
    if actions > (base or limit):
        raise refused(position, "its ranges of code end outside of the table")
    sites = tuple(_sites(data[:actions], position))
    kinds, ended = _actions(data, actions, {site.action for site in sites if site.action})
    first = base - size * max([0, *kinds])
    lists = [_list_end(data, base - kind - 1) for kind in kinds if kind < 0]
    end = max([base or ended, *lists])
    if (base and ended > first) or end > limit or any(data[ended:first] if base else b""):
        raise refused(actions, "its actions are not as compilers write them")
    return Table(start, sites, (actions, ended), encoding, size, (first, base), end)


def _sites(data: bytes, position: int) -> Iterator[CallSite]:
    while position < len(data):
        start, position = uleb128(data, position)
        length, position = uleb128(data, position)
        pad, position = uleb128(data, position)
        action, position = uleb128(data, position)
        yield CallSite(start, start + length, pad, action)


def _actions(data: bytes, base: int, wanted: set[int]) -> tuple[set[int], int]:
    """Return the numbers of types of all actions, and where the last record ends."""
    kinds, seen, end = set(), set(), base
    places = [base + action - 1 for action in wanted]
    while places:
        place = places.pop()
        if place in seen or not base <= place < len(data):
            continue
        seen.add(place)
        kind, position = sleb128(data, place)
        kinds.add(kind)
        step, after = sleb128(data, position)
        end = max(end, after)
        if step:
            places.append(position + step)
    return kinds, end


def _list_end(data: bytes, position: int) -> int:
    """Return where a list of types ends, after its 0."""
    while position < len(data):
        kind, position = uleb128(data, position)
        if not kind:
            break
    return position
