"""The kinds of s-expression records as a table: their fields in order, and what they mean.

A field is `key:type`; type is word, hex (a bare number is hexadecimal) or int (decimal
unless it begins with 0x). `?` marks a field that may be left out; `/` gives an older name.
"""

from __future__ import annotations

from dataclasses import dataclass

from inst.trace.model import Kind


@dataclass(frozen=True, slots=True)
class SexpField:
    """One field of a record."""

    key: str
    type: str
    older: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class SexpKind:
    """One kind of record: its name, what it means, and its fields after id and thread."""

    name: str
    kind: Kind
    fields: tuple[SexpField, ...]
    extra: tuple[SexpField, ...] = ()
    """Extension fields: always keyed, after the others."""
    addressed: frozenset[str] = frozenset()
    """First words that demand a value (tlbi by address)."""


# A load whose value was not recorded has none (addresses-only traces).
# kind, meaning, fields, extension fields. The last four kinds are this project's own:
# `image` names a loaded object, `producer` a program involved, `mem-reserve` a load that
# makes a reservation (its value cannot be observed without disturbing it), `event` anything
# the kinds before it cannot express, with the word for what it is from the event model.
_ROWS = """
mem-write    WRITE    mem-order:word address:hex value:hex               | size:int
mem-read     READ     address:hex value:hex?                             | size:int
mem-init     INIT     address:hex size:hex                               |
mem-free     FREE     address:hex size:hex                               |
mem-set      SET      address:hex size:hex value:hex                     |
barrier      BARRIER  barrier:word kind:word?                            |
tlbi         TLBI     op:word value/addr:hex? level:int?                 |
sysreg-write SYSREG   sysreg:word value:hex                              |
hint         HINT     kind:word location:hex value:hex                   |
lock         LOCK     address:hex                                        |
trylock      TRYLOCK  address:hex                                        |
unlock       UNLOCK   address:hex                                        |
mem-reserve  RESERVE  address:hex size:int                               |
image        IMAGE    base:hex path:text                                 |
producer     PRODUCER                                                    |
event        OTHER    what:word                                          |
"""

COLUMNS = ("word", "high", "pc", "cpu", "flags", "detail", "address", "size", "value")
"""Extension fields that any record may have, keyed, for what its kind has no field for.

Each is a column of the event model: the instruction word, bits 64 to 127 of a value, the pc
beside a source line, the cpu, the flags where the fields do not imply them, the word. Numbers
begin with 0x or are decimal.
"""

KIND_ALIASES = {"msr": "sysreg-write"}

WORDS = {
    "mem-order": frozenset({"plain", "release"}),
    "barrier": frozenset({"isb", "dsb"}),
}
"""Fields whose words are closed sets. The others (dsb kinds, tlbi operations, system
registers, hints) grow with the architecture: any word is read."""

SIZES = frozenset({1, 2, 4, 8, 16})
"""Bytes of an access; a range that a function of a library touched is an `event`."""

TLBI_BY_ADDRESS = frozenset({"vae2", "vae2is", "vale2is", "ipas2e1is"})

ADDRESS_KEYS = ("address", "location", "base")
DETAIL_KEYS = ("mem-order", "sysreg", "op", "kind")


def _field(text: str) -> SexpField:
    key, _, kind = text.partition(":")
    key, _, older = key.partition("/")
    return SexpField(key, kind.rstrip("?"), older, kind.endswith("?"))


def _row(line: str) -> SexpKind:
    fields, _, extra = line.partition("|")
    name, meaning, *names = fields.split()
    return SexpKind(
        name,
        Kind[meaning],
        tuple(_field(text) for text in names),
        tuple(_field(text) for text in extra.split()),
        TLBI_BY_ADDRESS if name == "tlbi" else frozenset(),
    )


KINDS = {row.name: row for row in map(_row, _ROWS.strip().splitlines())}
