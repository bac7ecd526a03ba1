"""Sections of a trace that are known to be right: what a thread does between lock and unlock.

Code that maintains page tables does the same again and again with other entries and values.
A section is made of the steps of one thread from the lock of a root to its unlock, if they touch
nothing but entries of level 3 below this root. What the protocol says of such steps depends on
their forms only: kinds, operations, which of the section's entries each is about, whether values
are valid, and whether a read gives what was written. A form that was stepped once, from and to a
state in which nothing is unclean and no lock is held, without a finding, is right wherever it
comes again: only the entries' values are stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from inst.check.pagetable.operations import operation
from inst.check.pagetable.state import FEW, Root, State, Table
from inst.trace.model import Array, Kind, among

LONGEST = 64
"""Steps of a section, at most."""
FORMS = 4096
"""Forms that are remembered."""
UNKNOWN, RIGHT, WRONG = 0, 1, 2
_PAGES = np.uint64(1 << 44)
"""Operands below this are a page's number, without a hint."""
_WITHIN = among(Kind.READ, Kind.WRITE, Kind.BARRIER, Kind.TLBI)
_TO_FORM = 8
"""Bits of a token that are below the number of the entry."""

Columns = dict[str, Array]
"""Columns of events, by name."""

_IGNORED, _BY_ADDRESS, _UNUSABLE = 0, 1, 2
"""What becomes of an operand: it has no meaning; it is a page's number; it has more in it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The sections among some steps, and the values that their forms assume."""

    starts: list[int]
    """Of each section: its first step."""
    ends: list[int]
    """... and the step after its last."""
    forms: list[int]
    """... and the number of its form."""
    steps: Array
    """Of each access of an entry, ascending: its step."""
    slots: Array
    """... the place of the entry among all cells of the memory."""
    writes: Array
    values: Array
    previous: Array
    """... the access before it, of the same entry; -1 for none."""
    held: Array
    """... and the entry's value before it."""
    users: Array
    """... and who accesses which table under which lock: a row of `known`."""
    known: list[_User]


@dataclass(frozen=True, slots=True)
class _User:
    """A thread that accesses entries of a table under a lock."""

    thread: int
    lock: int
    table: Table
    identified: bool
    """The thread's current root has the identifier of the table's."""


class Sections:
    """The forms known so far, and the state that they are about."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._numbers: dict[bytes, int] = {}
        self._words: dict[str, int] = {}
        self._uses: list[tuple[int, int]] = []
        """By number of a word: what becomes of operands, were it a TLBI or a barrier."""
        self.verdicts: list[int] = [WRONG]
        """By number of a form; 0 stands for those that are not remembered."""

    def plan(self, rows: Columns, details: Array, words: Sequence[str]) -> Plan | None:
        """Find the sections among steps; None where there are none."""
        kinds = rows["kind"]
        first, last = _bounds(rows, kinds)
        if not len(first):
            return None
        return _Planning(self, rows, kinds, first, last).plan(details, words)

    def is_quiet(self) -> bool:
        """Return whether no lock is held, nothing is unclean and nothing is suspected."""
        state = self.state
        if state.locks or state.stale or state.suspected or state.advice or state.fresh:
            return False
        return not any(known.by_address or known.stale for known in state.threads.values())

    def fits(self, plan: Plan, start: int, end: int) -> bool:
        """Return whether the sections from step `start` up to `end` assume the state as it is."""
        if not self.is_quiet():
            return False
        low, high = np.searchsorted(plan.steps, (start, end)).tolist()
        if not all(self._allows(plan.known[user]) for user in set(plan.users[low:high].tolist())):
            return False
        cells = self.state.memory.values.reshape(-1)
        before = plan.previous[low:high] < low
        slots, held = plan.slots[low:high][before], plan.held[low:high][before]
        return bool((cells[slots] == held).all())

    def _allows(self, user: _User) -> bool:
        """Return whether the thread has power over the table by the lock, and nothing else has."""
        state, table = self.state, user.table
        if state.tables.get(table.page) is not table or table.threads:
            return False
        if state.root_locks.get(table.owner) != user.lock:
            return False
        known = state.threads.get(user.thread)
        if known is None or len(known.buckets) > FEW:
            return False
        if (table.owner, table.root, None) not in known.buckets:
            return False
        return _is_identified(state, user.thread, table) == user.identified

    def take(self, plan: Plan, start: int, end: int) -> None:
        """Store what the sections from step `start` up to `end` write."""
        low, high = np.searchsorted(plan.steps, (start, end)).tolist()
        writes = plan.writes[low:high]
        cells = self.state.memory.values.reshape(-1)
        # Where a slot comes twice, the last value stays.
        cells[plan.slots[low:high][writes]] = plan.values[low:high][writes]

    def number_of(self, form: bytes) -> int:
        """Return the number of a form."""
        number = self._numbers.get(form)
        if number is None:
            if len(self.verdicts) > FORMS:
                return 0
            number = self._numbers[form] = len(self.verdicts)
            self.verdicts.append(UNKNOWN)
        return number

    def words_of(self, details: Array, words: Sequence[str], kinds: Array) -> tuple[Array, Array]:
        """Return numbers of the steps' words, alike in all batches, and the use of operands."""
        distinct, places = np.unique(details, return_inverse=True)
        numbers = np.array([self._word(words[detail]) for detail in distinct.tolist()])
        found = numbers[places]
        uses = np.array(self._uses)[found]
        used = np.where(kinds == int(Kind.TLBI), uses[:, 0], _IGNORED)
        return found, np.where(kinds == int(Kind.BARRIER), uses[:, 1], used)

    def _word(self, word: str) -> int:
        number = self._words.get(word)
        if number is None:
            number = self._words[word] = len(self._words)
            self._uses.append((_use_of(word), _IGNORED if _is_dsb(word) else _UNUSABLE))
        return number

    def pages(self, pages: Array) -> tuple[list[Table | None], Array]:
        """Return the tables whose entries may be in sections, by page number, and their places."""
        distinct, places = np.unique(pages, return_inverse=True)
        return [self._usable(page << 12) for page in distinct.tolist()], places

    def _usable(self, page: int) -> Table | None:
        table = self.state.tables.get(page)
        if table is None or table.level != 3 or table.threads:
            return None
        # An ISB between cleaning and making counts in stage 1: more than the form shows.
        return table if table.root.stage == 2 or self.state.casemate else None

    def user(self, thread: int, lock: int, table: Table) -> _User:
        """Return who accesses what, as it is now."""
        return _User(thread, lock, table, _is_identified(self.state, thread, table))


def _use_of(word: str) -> int:
    """Return what becomes of the operand of a TLBI."""
    op = operation(word)
    if op is None or op.by not in ("address", "range"):
        return _IGNORED
    return _BY_ADDRESS if op.by == "address" else _UNUSABLE


def _is_dsb(word: str) -> bool:
    return word.partition(" ")[0] == "dsb"


def _is_identified(state: State, thread: int, table: Table) -> bool:
    known = state.threads.get(thread)
    root = known.current.get(table.root.stage) if known is not None else None
    return root is not None and root.id == table.root.id


def _bounds(rows: Columns, kinds: Array) -> tuple[Array, Array]:
    """Return first and last steps, locks and unlocks with nothing but simple steps between."""
    control = np.flatnonzero(~_WITHIN[kinds])
    first, last = control[:-1], control[1:]
    good = (kinds[first] == int(Kind.LOCK)) & (kinds[last] == int(Kind.UNLOCK))
    good &= (last - first < LONGEST) & (rows["address"][first] == rows["address"][last])
    good &= rows["thread"][first] == rows["thread"][last]
    return first[good], last[good]


class _Planning:
    """Makes the plan of some steps."""

    def __init__(
        self, sections: Sections, rows: Columns, kinds: Array, first: Array, last: Array
    ) -> None:
        self._sections, self._rows, self._kinds = sections, rows, kinds
        self._first, self._last = first, last
        self._tables: list[Table | None] = []
        marks = np.zeros(len(kinds) + 1, "i8")
        marks[first] += 1
        marks[last + 1] -= 1
        self._inside = np.cumsum(marks[:-1]) > 0
        begun = np.zeros(len(kinds), "i8")
        begun[first] = 1
        self._section = np.cumsum(begun) - 1
        """Section of each step; of those outside, the one before."""
        accesses = (kinds == int(Kind.READ)) | (kinds == int(Kind.WRITE))
        whole = (rows["size"] == 8) & (rows["address"] & np.uint64(7) == 0)
        self._accesses = np.flatnonzero(accesses & whole)
        self._bad = accesses & ~whole
        owner = rows["thread"][first][self._section]
        self._bad |= self._inside & (rows["thread"] != owner)

    def plan(self, details: Array, words: Sequence[str]) -> Plan | None:
        """Return the plan; None where no section has an entry of level 3."""
        steps = self._of_tables()
        if not len(steps):
            return None
        tokens, used = self._sections.words_of(details, words, self._kinds)
        tokens = self._kinds.astype("i8") << 48 | tokens << 32
        previous, held = self._history(steps)
        entries, roles = self._entries(steps)
        tokens[steps] |= roles << _TO_FORM | self._values(steps, held)
        self._operands(tokens, used, entries)
        users, known = self._users(steps)
        starts, ends, forms = self._forms(tokens, users, known, steps)
        writes = self._kinds[steps] == int(Kind.WRITE)
        values = self._rows["value"][steps]
        return Plan(starts, ends, forms, steps, self._slots, writes, values, previous, held, users,
                    known)  # fmt: skip

    def _of_tables(self) -> Array:
        """Return the accesses of usable tables' entries; others spoil their sections."""
        steps = self._accesses
        address = self._rows["address"][steps]
        tables, places = self._sections.pages(address >> np.uint64(12))
        usable = np.array([table is not None for table in tables], "?")[places]
        self._bad[steps[~usable]] = True
        steps, places, address = steps[usable], places[usable], address[usable]
        self._tables, self._places = tables, places
        rows = np.array([table.row if table else 0 for table in tables], "i8")[places]
        starts = np.array([table.start >> 12 if table else 0 for table in tables], "i8")[places]
        slot = (address >> np.uint64(3) & np.uint64(511)).astype("i8")
        self._slots = rows << 9 | slot
        self._numbers = starts + slot
        return np.asarray(steps)

    def _history(self, steps: Array) -> tuple[Array, Array]:
        """Return the access of the same entry before each, and what the entry held."""
        slots, count = self._slots, len(steps)
        order = np.argsort(slots, kind="stable")
        place, ordered = np.arange(count), slots[order]
        begins = np.ones(count, "?")
        begins[1:] = ordered[1:] != ordered[:-1]
        previous = np.full(count, -1)
        previous[order[1:]] = np.where(begins[1:], -1, order[:-1])
        wrote = (self._kinds[steps] == int(Kind.WRITE))[order]
        written = np.maximum.accumulate(np.where(wrote, place, -1))
        before = np.append(-1, written[:-1])
        group = np.maximum.accumulate(np.where(begins, place, 0))
        cells = self._sections.state.memory.values.reshape(-1)
        values = self._rows["value"][steps][order]
        held = np.zeros(count, "u8")
        held[order] = np.where(before >= group, values[before], cells[ordered])
        return previous, held

    def _values(self, steps: Array, held: Array) -> Array:
        """Return what of the values a form has: validity, and whether a read gives what is held."""
        value = self._rows["value"][steps]
        reads = self._kinds[steps] == int(Kind.READ)
        valid, low = held & np.uint64(1), value & np.uint64(3)
        self._bad[steps[~reads & (valid & value & np.uint64(1) != 0)]] = True
        form = np.where(reads, (value == held).astype("u8"), valid << np.uint64(2) | low)
        return np.asarray(form.astype("i8"))

    def _entries(self, steps: Array) -> tuple[Array, Array]:
        """Return keys of the entries, and of each access the number of its entry in the section."""
        keys = self._section[steps] << 40 | self._numbers
        distinct, first, places = np.unique(keys, return_index=True, return_inverse=True)
        order = np.argsort(first, kind="stable")
        sections = (distinct >> 40)[order]
        begins = np.ones(len(order), "?")
        begins[1:] = sections[1:] != sections[:-1]
        place = np.arange(len(order))
        rank = np.zeros(len(order), "i8")
        rank[order] = place - np.maximum.accumulate(np.where(begins, place, 0))
        self._rank = rank
        return distinct, rank[places]

    def _operands(self, tokens: Array, used: Array, entries: Array) -> None:
        """Put the entries that operations name into their tokens; others spoil their sections."""
        self._bad |= used == _UNUSABLE
        steps = np.flatnonzero(used == _BY_ADDRESS)
        operands = self._rows["value"][steps]
        numbers = np.where(operands < _PAGES, operands, 0).astype("i8")
        keys = self._section[steps] << 40 | numbers & (1 << 40) - 1
        places = np.minimum(np.searchsorted(entries, keys), len(entries) - 1)
        found = (entries[places] == keys) & (operands < np.uint64(1 << 40))
        self._bad[steps[~found]] = True
        tokens[steps] |= self._rank[places] << _TO_FORM

    def _users(self, steps: Array) -> tuple[Array, list[_User]]:
        """Return who accesses which table under which lock, by number, and the table of them."""
        section = np.maximum(self._section[steps], 0)
        threads, thread = np.unique(self._rows["thread"][self._first], return_inverse=True)
        locks, lock = np.unique(self._rows["address"][self._first], return_inverse=True)
        keys = (thread * len(locks) + lock)[section] * len(self._tables) + self._places
        distinct, places = np.unique(keys, return_inverse=True)
        pairs, tables = np.divmod(distinct, len(self._tables))
        known = []
        for pair, place in zip(pairs.tolist(), tables.tolist(), strict=True):
            table = self._tables[place]
            assert table is not None
            of_thread, of_lock = int(threads[pair // len(locks)]), int(locks[pair % len(locks)])
            known.append(self._sections.user(of_thread, of_lock, table))
        return places, known

    def _forms(
        self, tokens: Array, users: Array, known: list[_User], steps: Array
    ) -> tuple[list[int], list[int], list[int]]:
        """Return starts, ends and forms of the sections whose forms say all."""
        bad = np.append(0, np.cumsum(self._bad))
        first, last = self._first, self._last
        low, high = np.searchsorted(steps, first), np.searchsorted(steps, last)
        good = (bad[last + 1] == bad[first]) & (low < high)
        first, last, low, high = first[good], last[good], low[good], high[good]
        if not len(first):
            return [], [], []
        # All accesses of a section are below one root, by one lock; its class is the first one's.
        roots: dict[tuple[Root, int], int] = {}
        numbers = [roots.setdefault((u.table.root, u.table.owner), len(roots)) for u in known]
        root = np.array(numbers)[users]
        same = np.append(0, np.cumsum(root[1:] != root[:-1]))
        single = same[high - 1] == same[low]
        first, last, low = first[single], last[single], low[single]
        classes = np.array([u.table.root.stage << 1 | u.identified for u in known])[users[low]]
        forms = np.zeros(len(first), "i8")
        lengths = last - first + 1
        for length in np.unique(lengths).tolist():
            chosen = np.flatnonzero(lengths == length)
            table = np.empty((len(chosen), length + 1), "i8")
            table[:, 0] = classes[chosen]
            table[:, 1:] = tokens[first[chosen, None] + np.arange(length)]
            distinct, places = np.unique(
                table.view(f"V{table.itemsize * (length + 1)}").reshape(-1), return_inverse=True
            )
            found = [self._sections.number_of(form.tobytes()) for form in distinct]
            forms[chosen] = np.array(found)[places]
        return first.tolist(), (last + 1).tolist(), forms.tolist()
