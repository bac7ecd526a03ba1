"""What the probe passes share: the code, what is live, and what they collect."""

from __future__ import annotations

from inst.dataclass import dataclass, field
from inst.flow.code import Code
from inst.flow.liveness import Liveness
from inst.flow.sections import Position
from inst.isa.model import Access, Barrier, Facts, Form, Isa, RegisterSet, SystemEvent
from inst.rewrite.edits import Edit, Edits, apply_edits
from inst.rewrite.leaving import Leaving
from inst.rewrite.options import Options
from inst.rewrite.record.kept import Reserved
from inst.rewrite.selection import without
from inst.rewrite.shared_save import SaveSlot, SharedSave
from inst.rewrite.site_table import SiteRow
from inst.rewrite.source_file import SourceFile

EVENT_SIZE = {1: "b", 2: "h", 4: "w", 8: "d", 16: "q"}


@dataclass(slots=True)
class Rewriting:
    """One part of a file on its way through the passes, each of which is passed this value."""

    file: SourceFile
    code: Code
    """The code as passes see it: without the events of functions that are left out."""
    start: Position
    """The section in which the part begins."""
    mentioned: RegisterSet
    """Every register that some instruction of the part names, as it came."""
    named: RegisterSet = 0
    """The same with what opened forms name: long immediates take a register of sites (SPARC)."""
    liveness: Liveness = field(default_factory=lambda: Liveness([], []))
    whole: Code = field(init=False)
    """The code with all of its facts."""
    left_out: frozenset[int] = frozenset()
    """Instructions of functions that are left out (`inst.rewrite.selection`)."""
    small_data: bool = False
    """Leave r13 alone: small data has it (32-bit PowerPC)."""
    shared_link: SharedSave | None = None
    """Where the sites of a basic block share a saved link register (32-bit SPARC)."""
    lr_slot: SaveSlot | None = None
    """The LR save slot, if it can be used (64-bit PowerPC)."""
    marked: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    """Accesses that a table names, with the words that do (`inst.rewrite.marks`)."""
    reserved: frozenset[int] = frozenset()
    """Instructions before which a reservation is open (`inst.rewrite.reservations`)."""
    leaving: dict[int, Leaving] = field(default_factory=dict)
    """Where hooks stay on the stack that the program leaves, by the first instruction."""
    unreported: dict[int, bool] = field(default_factory=dict)
    """Accesses that no probe can report, and whether they surely are accesses: the linker may make
    additions of others."""
    renamed: dict[str, str] = field(default_factory=dict)
    """The same by their labels, which stay when code is read again."""
    originals: dict[int, str] = field(default_factory=dict)
    """Accesses that were renamed for another register window -> the program's own text."""
    orders: dict[int, Barrier] = field(default_factory=dict)
    """Accesses that order threads (`inst.rewrite.ordering`)."""
    edits: Edits = field(default_factory=Edits)
    computed: frozenset[int] = frozenset()
    """Accesses that re-execution computes: nothing records them."""
    recorded_results: dict[int, str] = field(default_factory=dict)
    """Instructions that re-execution does not execute, since all that they leave is recorded after
    them, and their labels."""
    framed: frozenset[int] = frozenset()
    """Instructions that make a frame which is recorded."""
    unknown_values: RegisterSet = 0
    """Registers whose values re-execution may not know: stores of these call hooks."""
    kept_values: list[Reserved] = field(default_factory=list)
    """Reservations whose values are recorded for re-execution."""
    hook_starts: dict[int, int] = field(default_factory=dict)
    """Loads with a reservation -> where in what is inserted before them the hook's code begins."""
    rows: list[SiteRow] = field(default_factory=list)
    """The part's rows of the site table."""
    isa: Isa = field(init=False)
    options: Options = field(init=False)
    values: bool = field(init=False)
    """Hooks report values, not only addresses: also in code that records addresses, since what the
    library `record` has of an access is written."""
    records_values: bool = field(init=False)
    """What is recorded inline has values, and the order of accesses by threads is reported."""
    addresses: bool = field(init=False)
    """Report addresses, which re-execution computes otherwise."""

    def __post_init__(self) -> None:
        self.isa, self.options = self.file.isa, self.file.options
        self.records_values = self.options.level != "addresses"
        self.values = self.records_values or self.options.record
        self.addresses = not self.options.executed
        self.named = self.mentioned
        self._select(self.code)

    def opening_edits(self) -> Edits:
        """Return edits for `read_again`, whose labels follow those of the ones before."""
        return Edits(labels=self.file.opened_labels, label_prefix=".Lopen")

    def read_again(self, opened: Edits) -> None:
        """Apply edits that open forms, and read the result from where the part began."""
        if not opened.by_statement:
            return
        self.file.opened_labels = opened.labels
        self.file.sections.restore(self.start)
        code = self.file.read(apply_edits(self.code.statements, opened))
        code.written = self.code.written or self.code.statements
        self.renamed |= opened.renamed
        self.originals = {code.labels[label]: text for label, text in self.renamed.items()}
        self.named |= code.mentioned()
        self._select(code)

    def _select(self, whole: Code) -> None:
        """Leave out the functions that the user does not want instrumented."""
        self.whole = whole
        self.left_out, names = self.options.selection.left_out(whole, self.isa)
        self.file.left_out |= names
        self.file.is_partial |= bool(self.left_out)
        self.code = without(whole, self.left_out)

    def mark_site(self, index: int, event: str, size: int) -> str:
        """Give instruction `index` a row in the site table; return the label to put on it."""
        label = self.edits.new_label()
        original = self.originals.get(index, "")
        self.rows.append(SiteRow(label, self.code.statement[index], event, size, original))
        return label

    def leave_unreported(self, index: int, size: int, certain: bool) -> None:
        """Give an access that no probe can report a row in the site table all the same."""
        label = self.mark_site(index, "unreported", size)
        self.edit(index).before.append(f"{label}:")
        self.unreported[index] = certain

    def ordering_entry(self, index: int, plain: str) -> str:
        """Return the entry for an access that C decodes: `plain`, or one that says that it is a
        release (before the access) or an acquire (after it)."""
        order = self.orders.get(index)
        if order is None:
            return plain
        return "rare.release" if order == Barrier.RELEASE else "rare.after.acquire"

    def edit(self, index: int) -> Edit:
        """Return the edit of an instruction."""
        return self.edits.at(self.code.statement[index])


def is_reported(access: Access | None) -> bool:
    """Return whether an access gets an ordinary probe.

    The linker turns some loads from the GOT into additions: reporting these would invent
    accesses, so their probe checks what the linker has left (`inst.table`).
    """
    return access is not None and not access.linker_rewrites


def is_event(work: Rewriting, fact: Facts) -> bool:
    """Return whether an instruction is reported that does something to memory without an access."""
    if fact.event == SystemEvent.BARRIER:
        return work.options.barriers
    return fact.event != SystemEvent.NONE


def event_of(access: Access) -> str:
    """Return the event's name for a simple access: "ldw", "stb", ..."""
    return ("st" if access.store else "ld") + EVENT_SIZE[access.size]


def is_simple(access: Access) -> bool:
    """Return whether one ordinary hook call says everything about the access."""
    return (
        access.form == Form.SIMPLE
        and access.size in (1, 2, 4, 8)
        and access.value is not None
        and not access.byte_reversed
        and not (access.load and access.store)
    )


def named_event(access: Access) -> str:
    """Return what the site table calls an access: by its size if one hook call says all of it."""
    return event_of(access) if is_simple(access) else "rare"
