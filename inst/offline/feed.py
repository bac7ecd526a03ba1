"""From a trace's events to frames for the driver: what each hook would have been passed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from inst.errors import InstError
from inst.hooktable import ACCESS_HOOKS
from inst.offline.layout import NUMBERS, SIGNALS, TEXT, frame, record_type
from inst.target.model import Target
from inst.trace.model import Array, Flag, Kind, Trace, among
from inst.words import decode
from inst.words.access import RESERVE_BIT

MOST = 4096
"""Records of a frame, at most."""
_ACCESSES = among(Kind.READ, Kind.WRITE, Kind.RESERVE)
_REGIONS = {Kind.READ: "ldsyshook", Kind.WRITE: "stsyshook"}
"""Accesses that no instruction makes: ranges of system calls and library functions."""
_OTHERS = {
    Kind.TRAP: "systemhook",
    Kind.INIT: "meminithook",
    Kind.FREE: "memfreehook",
    Kind.SET: "memsethook",
    Kind.BARRIER: "barrierhook",
    Kind.TLBI: "tlbihook",
    Kind.SYSREG: "sysreghook",
    Kind.HINT: "hinthook",
    Kind.LOCK: "lockhook",
    Kind.TRYLOCK: "trylockhook",
    Kind.UNLOCK: "unlockhook",
    Kind.ENTER: "enterhook",
    Kind.LEAVE: "leavehook",
}
_KINDS = np.zeros(1 << 16, "u2")
"""Kind of an event that is no access of an instruction -> the hook's number; 0: none."""
for _kind, _name in (*_REGIONS.items(), *_OTHERS.items()):
    _KINDS[_kind] = NUMBERS[_name]
_SIZES = np.zeros((2, 17), "u2")
"""Whether an access stores, and its size -> the hook's number."""
for _hook in ACCESS_HOOKS:
    _SIZES[int(_hook.name.startswith("st")), _hook.size] = _hook.id
_QUADS = _SIZES[:, 16]
_WITH_SIZE = ("llhook", "stblockhook", "ldsyshook", "stsyshook", "meminithook", "memfreehook",
              "memsethook")  # fmt: skip
_NEED_VALUES = _SIZES[_SIZES > 0]
_IN_HOOK = "signal in "
_SIGNAL = "signal"


class Feed:
    """The events of a trace for the hooks that a library has."""

    def __init__(
        self, trace: Trace, target: Target, hooks: frozenset[str], *, reads_values: bool
    ) -> None:
        self._trace, self._target = trace, target
        self._hooks = hooks
        self._wanted = np.zeros(1 << 16, bool)
        self._wanted[[number for name, number in NUMBERS.items() if name in hooks]] = True
        self._reads_values = reads_values
        self._signals = dict(self._hooks_of_signals())
        self._threads: dict[int, int] = {}
        self._told: tuple[set[int], set[int]] = ({0}, {0})
        """Numbers of words and of sites that the driver has the text of."""
        self.count = 0
        """Events that hooks have been given."""

    def frames(self, batches: Iterable[Array]) -> Iterator[bytes]:
        """Yield frames of batches of events."""
        for events in batches:
            records, rows = self._records(events)
            if len(records):
                self.count += len(records)
                yield from self._texts(records)
                yield from self._of_threads(records, self._numbers(events[rows]))

    def _records(self, events: Array) -> tuple[Array, Array]:
        """Return the records of events, and which event each is of."""
        kinds, flags = events["kind"], events["flags"]
        access = _ACCESSES[kinds] & (flags & int(Flag.HAS_WORD) != 0)
        firsts, counts = _groups(events, access)
        hook = np.where(access, 0, _KINDS[kinds])[firsts]
        whole = np.flatnonzero(access[firsts])
        hook[whole], size = self._accesses(events, firsts[whole], counts[whole])
        self._take_signals(events, firsts, hook)
        chosen = np.flatnonzero(self._wanted[hook])
        rows, hook = firsts[chosen], hook[chosen]
        sizes = events["size"][firsts]
        sizes[whole] = size
        self._refuse_unknown(events, rows, hook)
        records = np.zeros(len(rows), record_type(self._target))
        for name in ("address", "pc", "value", "site"):
            records[name] = events[name][rows]
        records["word"], records["hook"] = events["detail"][rows], hook
        _fill_more(records, events, rows, hook, sizes[chosen])
        _fill_quads(records, events, rows, hook, counts[chosen], self._target)
        return records, rows

    def _accesses(self, events: Array, rows: Array, counts: Array) -> tuple[Array, Array]:
        """Return the hooks of accesses, and their sizes; `counts` says of how many events each is.

        Two are the halves of 16 bytes; more are a block.
        """
        stores = (events["kind"][rows] == Kind.WRITE).astype("i8")
        size = events["size"][rows] * counts.astype("u8")
        small = (counts < 3) & (size < _SIZES.shape[1])
        hook = _SIZES[stores, np.where(small, size, 0).astype("i8")]
        hook[(hook == 0) & (stores == 1)] = NUMBERS["stblockhook"]
        atomic = np.flatnonzero(events["flags"][rows] & int(Flag.ATOMIC))
        if len(atomic):
            what, _ = decode.lookup(events["word"][rows[atomic]], self._trace.facts.arch)
            reserves = (what & RESERVE_BIT != 0) & (stores[atomic] == 0)
            hook[atomic[reserves]] = NUMBERS["llhook"]
        return hook, size

    def _refuse_unknown(self, events: Array, rows: Array, hook: Array) -> None:
        """Refuse hooks that read values which the trace does not have."""
        if not self._reads_values:
            return
        lacking = events["flags"][rows] & int(Flag.HAS_VALUE) == 0
        lacking &= np.isin(hook, _NEED_VALUES)
        if lacking.any():
            raise InstError(
                f"{self._trace.name} has addresses without values, and the hooks read values",
                hint="record them: --inst-record=values, or loads; or leave the parameter out",
            )

    def _hooks_of_signals(self) -> Iterator[tuple[str, tuple[str, int]]]:
        """Yield the words of signals' events: the hook to call, and which one it interrupted."""
        plain, special = SIGNALS
        yield _SIGNAL, (plain, 0)
        interrupting = special if special in self._hooks else plain
        yield f"{_IN_HOOK}a hook", (interrupting, -1)
        for name, number in NUMBERS.items():
            yield f"{_IN_HOOK}{name}", (interrupting, number)

    def _take_signals(self, events: Array, rows: Array, hook: Array) -> None:
        """Set the hooks of signals, and put which hook they interrupted into the high half."""
        others = np.flatnonzero(events["kind"][rows] == Kind.OTHER)
        texts = self._trace.words.texts
        for place in others.tolist():
            row = rows[place]
            name, interrupted = self._signals.get(texts[int(events["detail"][row])], ("", 0))
            if name:
                hook[place] = NUMBERS[name]
                events["value_high"][row] = interrupted & 0xFFFFFFFF

    def _texts(self, records: Array) -> Iterator[bytes]:
        """Yield frames that define the texts of records which the driver does not have yet."""
        vocabularies = (self._trace.words, self._trace.sites)
        for member, vocabulary, told in zip(
            ("word", "site"), vocabularies, self._told, strict=True
        ):
            column = records[member]
            if not column.any():
                continue
            for number in set(np.unique(column).tolist()) - told:
                told.add(number)
                yield self._text(member, number, vocabulary.texts[number])

    def _text(self, member: str, number: int, text: str) -> bytes:
        content = text.encode("utf-8", "surrogateescape") + b"\0"
        layout = record_type(self._target)
        pieces = -(-len(content) // layout.itemsize)
        defining = np.zeros(1, layout)
        defining[member], defining["value"], defining["hook"] = number, len(content), TEXT
        filled = content.ljust(pieces * layout.itemsize, b"\0")
        records = np.frombuffer(defining.tobytes() + filled, layout)
        return frame(max(self._last_thread, 0), records, self._target)

    def _numbers(self, events: Array) -> Array:
        """Return the driver's number of each event's thread: threads count from 0 as they come.

        A thread is what has one number of the trace and one of the kernel, since both come again.
        """
        keys = events["thread"] << np.uint64(16) | events["cpu"]
        begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        known = [self._threads.setdefault(key, len(self._threads)) for key in keys[begins].tolist()]
        return np.repeat(known, np.diff(np.append(begins, len(keys))))

    def _of_threads(self, records: Array, threads: Array) -> Iterator[bytes]:
        """Yield the records in frames of one thread each."""
        begins = np.flatnonzero(np.append(True, threads[1:] != threads[:-1]))
        for start, end in zip(begins.tolist(), [*begins[1:].tolist(), len(threads)], strict=True):
            self._last_thread = int(threads[start])
            for at in range(start, end, MOST):
                part = records[at : min(at + MOST, end)]
                yield frame(self._last_thread, part, self._target)

    _last_thread = 0
    """The thread that has the turn: who defines a text does not matter."""


def _groups(events: Array, access: Array) -> tuple[Array, Array]:
    """Return the first event of each call of a hook, and of how many events it is.

    Events of one record are one access, in parts; but what loads and stores is two.
    """
    if not len(events):
        return np.zeros(0, "i8"), np.zeros(0, "i8")
    record, kind = events["record"], events["kind"]
    goes_on = np.zeros(len(events), bool)
    goes_on[1:] = access[1:] & (record[1:] == record[:-1]) & (kind[1:] == kind[:-1])
    firsts = np.flatnonzero(~goes_on)
    return firsts, np.diff(np.append(firsts, len(events)))


def _fill_more(records: Array, events: Array, rows: Array, hook: Array, sizes: Array) -> None:
    """Fill what a hook takes besides its address and its value."""
    for name in _WITH_SIZE:
        records["more"][hook == NUMBERS[name]] = sizes[hook == NUMBERS[name]]
    has_value = (events["flags"][rows] & int(Flag.HAS_VALUE) != 0).astype("u8")
    fillings: tuple[tuple[str, Callable[[Array], Array]], ...] = (
        ("tlbihook", lambda at: has_value[at]),
        ("enterhook", lambda at: events["pc"][rows[at]]),
        ("leavehook", lambda at: events["value"][rows[at]]),
        (SIGNALS[1], lambda at: events["value_high"][rows[at]]),
    )
    for name, filling in fillings:
        at = np.flatnonzero(hook == NUMBERS[name])
        if len(at):
            records["more"][at] = filling(at)


def _fill_quads(
    records: Array, events: Array, rows: Array, hook: Array, counts: Array, target: Target
) -> None:
    """Fill the halves of 16 bytes, that of the lower address first."""
    at = np.flatnonzero(np.isin(hook, _QUADS))
    if not len(at):
        return
    row = rows[at]
    first, second = events["value"][row], events["value_high"][row]
    if target.byte_order == "big":
        first, second = second, first
    apart = counts[at] == 2
    following = np.minimum(row + 1, len(events) - 1)
    records["value"][at] = np.where(apart, events["value"][row], first)
    records["more"][at] = np.where(apart, events["value"][following], second)
