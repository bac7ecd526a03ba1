"""The table of segments: how addresses and values follow from what a segment wrote.

A section that is not loaded, named like debugging information: rows of functions that the linker
discards have the address 0. All numbers are in the program's byte order, unaligned:

    address of the segment's label (4 or 8 bytes), words of a block (2 bytes), items (2 bytes);
    and for each item, 16 bytes: distance from the label to the access (4), base, index, value (1
    each: slots, counted in words below the trailer; 0: none), flags (1), addend (4), value's
    addend (4).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inst import TYPE_CHECKING
from inst.asm.syntax import Syntax
from inst.dataclass import dataclass
from inst.hooktable import SEGMENT_SECTION
from inst.isa.model import Isa

if TYPE_CHECKING:
    from inst.calls.argued import Touched
    from inst.rewrite.record.model import Segment

IMAGE = "__ehdr_start"
"""The linker's symbol for the first byte of the image, from which segments are counted."""
LOOSE_SYMBOL = "inst.loose"
"""Defined in programs whose segments are written loosely: the runtime asks for it."""
EXECUTED_SYMBOL = "inst.executed"
"""Defined in programs that record for re-execution: the runtime records where they fork."""
_CODE = "inst_code"
"""The section in which programs without an operating system find where code records."""
_MOST_PLACES = 1000
_HOOKED, _WINDOWED, _LEFT = "+0x80000000", "+0x40000000", "+0xc0000000"
_CALL = 0x8000
_FRAME = 0x4002
"""In place of words: blocks have the address and the size of a frame."""


@dataclass(frozen=True, slots=True)
class Place:
    """An access that no segment records, or an instruction that is not executed again."""

    label: str
    hooked: bool
    """It calls a hook, which writes its record."""
    windowed: bool = False
    """It calls a hook of the library `windows`, which may write its value."""
    left: bool = False
    """It is no access: all that it leaves is recorded after it."""


def _mark(place: Place) -> str:
    if place.left:
        return _LEFT
    return _HOOKED if place.hooked else _WINDOWED if place.windowed else ""


class SegmentTable:
    """The directives of a file's table of segments."""

    def __init__(self, isa: Isa, *, states_code: bool = False) -> None:
        self.states_code = states_code
        """Whether the program finds out where its segments are."""
        self.first = ""
        """The label of the first segment."""
        self.address = isa.part(Syntax).addresses[isa.bits]
        self.rows: list[str] = []
        self.is_loose = False
        """Whether some segments are written loosely."""
        self.is_executed = False
        """Whether some code is to be executed again."""
        self.has_calls = False
        self.has_frames = False

    def add(self, segments: Iterable[Segment]) -> None:
        """Add the segments of a part of the file."""
        for segment in segments:
            self.is_loose |= bool(segment.end)
            self.first = self.first or segment.label
            lines = [f"\t{self.address} {segment.label}"]
            words = f"({segment.end}-{segment.label})/4+1" if segment.end else segment.words
            words = _FRAME if segment.is_frame else words
            self.has_frames |= segment.is_frame
            lines.append(f"\t.2byte {words},{len(segment.items)}")
            for item in segment.items:
                lines.append(f"\t.4byte {item.label}-{segment.label}")
                lines.append(f"\t.byte {item.base},{item.index},{item.value},{item.flags}")
                lines.append(f"\t.4byte {item.addend},{item.value_addend}")
            self.rows.append("\n".join(lines) + "\n")

    def add_code(self, start: str, end: str, places: list[Place]) -> None:
        """Add what re-execution has to know of some code: rows without a block.

        Their items are of 4 bytes: how far from the start of the code its end is, and then its
        stores, which follow from all else, and accesses that call hooks, with the highest bit set,
        or the next one for those of `windows`, or both for instructions that are not executed.
        """
        self.is_executed = True
        for first in range(0, max(len(places), 1), _MOST_PLACES):
            some = places[first : first + _MOST_PLACES]
            marked = (f"{one.label}-{start}{_mark(one)}" for one in some)
            distances = ",".join((f"{end}-{start}", *marked))
            head = f"\t{self.address} {start}\n\t.2byte 0,{len(some) + 1}\n"
            self.rows.append(f"{head}\t.4byte {distances}\n")

    def add_call(self, label: str, touched: Touched) -> None:
        """Add a call of a function whose arguments state what memory it touches: a row without
        items, at the label after the call. In place of words it has the number of the argument
        with the size, and bits of those with the addresses of what is read and of what is written.
        """
        reads, writes = (sum(1 << one for one in part) for part in (touched.reads, touched.writes))
        code = _CALL | touched.size << 8 | writes << 4 | reads
        self.rows.append(f"\t{self.address} {label}\n\t.2byte {code},0\n")
        self.has_calls = True

    def text(self) -> Iterator[str]:
        """Yield the section; nothing for a table without rows."""
        if self.rows:
            for symbol, wanted in (
                (LOOSE_SYMBOL, self.is_loose),
                (EXECUTED_SYMBOL, self.is_executed),
            ):
                if wanted:
                    yield f"\n\t.comm {symbol},1,1\n\t.hidden {symbol}\n"
            if self.states_code and self.first:
                yield f'\n\t.section {_CODE},"a"\n\t.balign 4\n\t.4byte {self.first}\n'
            yield f"\n\t.weak {IMAGE}\n\t.hidden {IMAGE}\n"
            yield f'\t.section {SEGMENT_SECTION},"",@progbits\n'
            yield from self.rows
