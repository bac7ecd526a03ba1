"""Tables of exceptions (`.gcc_except_table`): which calls of a function lead to which landing pad.

They hold distances of code, which are wrong when code is inserted; in the text they are differences
of labels, as compilers write them. Format: that of GCC (`except.cc`, `unwind-c.c`), which follows
the "Exception Handling Tables" of the Itanium C++ ABI.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from inst.errors import InstError
from inst.objects.leb128 import sleb128, uleb128
from inst.objects.model import ObjectFile, Place, Section, refused

NAME = ".gcc_except_table"
OMITTED = 0xFF
"""The encoding of what is not there (DW_EH_PE_omit)."""
ULEB128 = 1
"""The encoding of ranges of code that compilers use (DW_EH_PE_uleb128)."""
_NO_TABLE = "this is in no function's table of exceptions"
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

    def malformed(offset: int, reason: str) -> InstError:
        return InstError(
            f"{found.name}: {section.name}+{offset:#x}: {reason}", hint="leave this object as it is"
        )

    if start + 3 > limit:
        raise malformed(start, "no table of exceptions begins here")
    if data[start] != OMITTED:
        raise malformed(start, "landing pads are counted from another place than the function")
    encoding, position = data[start + 1], start + 2
    base = size = 0
    if encoding != OMITTED:
        distance, position = uleb128(data, position)
        base = position + distance
        size = encoded_size(encoding, found.bits)
        if not size or base > limit:
            raise malformed(start, "the types of its exceptions are not in the table")
    if position >= limit or data[position] != ULEB128:
        raise malformed(position, "its ranges of code are not of variable length")
    length, position = uleb128(data, position + 1)
    actions = position + length
    if actions > (base or limit):
        raise malformed(position, "its ranges of code end outside of the table")
    sites = tuple(_sites(data[:actions], position))
    kinds, ended = _actions(data, actions, {site.action for site in sites if site.action})
    first = base - size * max([0, *kinds])
    lists = [_list_end(data, base - kind - 1) for kind in kinds if kind < 0]
    end = max([base or ended, *lists])
    if (base and ended > first) or end > limit or any(data[ended:first] if base else b""):
        raise malformed(actions, "its actions are not as compilers write them")
    return Table(start, sites, (actions, ended), encoding, size, (first, base), end)


def read_tables(
    found: ObjectFile,
    section: Section,
    functions: Mapping[Place, tuple[int, int, int]],
    named: Iterable[int],
) -> tuple[Table, ...]:
    """Return the tables of a section, which functions point to and which fill it.

    `functions` are the section, begin and end of the function of each table; `named` are offsets
    with relocations or symbols, all of which have to be a table's. Raises InstError for others,
    and for ranges of code that lead out of their function.
    """
    index, end, stray = section.index, 0, set(named)
    starts = sorted(offset for one, offset in functions if one == index)
    tables = []
    for start, limit in pairwise([*starts, section.size]):
        table = read_table(found, section, start, limit)
        if any(section.data[end:start]) or start - end >= table.align or start % table.align:
            raise refused(found, section, end, _NO_TABLE)
        _, begin, last = functions[index, start]
        for one in (n for site in table.sites for n in (site.start, site.end, site.pad)):
            if one % 4 or begin + one > last:
                reason = "a range of code leads out of its function"
                raise refused(found, section, start, reason)
        tables.append(table)
        end = table.end
        stray -= {start, *range(*table.types)}
    if end != section.size or stray:
        raise refused(found, section, min([end, *stray]), _NO_TABLE)
    return tuple(tables)


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
