"""Segments, and what they write.

A segment is a run of instructions of one basic block. It reserves space in a buffer of the thread,
and stores base registers and values there, each in a slot; the last word, the trailer, names the
segment. A reader finds by the trailer which accesses the slots are of: the table of segments says
how each address and value follows from them (`inst.rewrite.segment_table`).
"""

from __future__ import annotations

from inst.dataclass import dataclass, field
from inst.rewrite.sites import Site

KNOWN, CONSTANT, RAW, WHOLE_ADDRESS, ENTERED, LOOSE, NAME, INSTEAD = 1, 2, 4, 8, 16, 32, 64, 128
"""Flags of an item, as the table of segments has them."""
SYMBOL = "inst.segments"
"""The thread-local variable of the cursor, where the last word written is, and then the limit."""
CURSOR, LIMIT = "inst.cursor", "inst.limit"
"""The same two without thread-local storage (`Options.global_cursor`)."""
ROOM = "inst.room"
"""The entry that makes room: called where the cursor has reached the limit."""
MOST_ITEMS = 120
FRAME_WORDS = 3
"""Of the block of a frame: its address, its size, and the name."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What an instruction leaves in a register: another one's value and a number, or a number."""

    target: str
    source: str
    """Empty: only the number."""
    addend: int


@dataclass(frozen=True, slots=True)
class Known:
    """Where a register's value can be read: in a slot, to which a number is added."""

    slot: int
    """How many words below the trailer; 0: none, the number is the value."""
    addend: int = 0


@dataclass(frozen=True, slots=True)
class Item:
    """One access of a segment, as the table of segments describes it."""

    label: str
    base: int
    index: int
    value: int
    flags: int
    addend: int
    value_addend: int


@dataclass(slots=True)
class Segment:
    """One segment while it is made."""

    sites: list[Site]
    pointer: str
    """The register that points at the trailer."""
    first: int
    """The instruction before which it begins."""
    spill: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """Code that saves the register if it is in use, and what restores it."""
    checked: bool = False
    late: int = -1
    """The instruction before which the limit is checked, where it cannot be before the segment."""
    count: int = 0
    """Of how many checks one looks at the limit; 0: each."""
    loads: bool = True
    """The pointer is not in its register yet."""
    stores: bool = True
    """The pointer is stored at once."""
    label: str = ""
    words: int = 1
    end: str = ""
    """Of one that is written loosely: the label after the code that reserves and names it."""
    on_one_way: str = ""
    """Of one whose last access only runs if its branch is taken: the label after that way."""
    items: list[Item] = field(default_factory=list)
    leaves_name: str = ""
    """The register in which it leaves its name for others (`inst.rewrite.record.names`)."""
    base: Segment | None = None
    """The one whose name this one's follows from."""

    @property
    def arrives(self) -> bool:
        """Return whether registers arrive in it, or it is a frame."""
        return any(site.access is None for site in self.sites)

    @property
    def is_frame(self) -> bool:
        """Return whether it records a frame, and no accesses."""
        return bool(self.sites) and self.sites[0].frame

    @property
    def last(self) -> int:
        """Return its last access, or the branch that this one is in the slot of."""
        return self.sites[-1].place


@dataclass(frozen=True, slots=True)
class Reservation:
    """What the code that reserves a segment's space is made for."""

    index: int
    """The instruction before which it stands."""
    label: str
    pointer: str
    bytes: int
    """Of a block; 0: it only makes room."""
    checked: bool
    loads: bool = True
    stores: bool = True
    arrives: bool = False
    """Registers arrive in it, or it is a frame: nothing else can record that."""
    count: int = 0
    """Of how many checks one looks at the limit; 0: each."""
    leaves_name: str = ""
    """The register in which it leaves its name; empty: any."""
    base: tuple[str, str] = ("", "")
    """The register with another segment's name, from which its own follows, and the other's label;
    empty: there is none."""
    named: bool = False
    """The name of what is written loosely follows."""
    slot: str = ""
    """The instruction that comes after the check, and fills its slot (`Loose.fills`)."""
