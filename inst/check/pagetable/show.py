"""What the model does, shown as it steps: a location's history, the state, its changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inst.check.pagetable import report
from inst.check.pagetable.codes import Violation
from inst.check.pagetable.descriptor import SLOTS, describe
from inst.check.pagetable.diagram import Move, draw
from inst.check.pagetable.feed import Step
from inst.check.pagetable.state import State, Unclean
from inst.errors import InstError
from inst.trace.finding import Options
from inst.trace.model import Kind

PLAIN, NONE = "plain", "-"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user asked to see."""

    address: int | None
    state: bool
    difference: bool
    diagram: str


def watcher_of(options: Options, state: State) -> Watcher | None:
    """Return a watcher when the settings ask for one."""
    settings = options.settings
    address = None
    if "explain-state" in settings:
        address = _number(settings["explain-state"]) & -8
    wanted = Wanted(
        address, "print-state" in settings, "diff-state" in settings, settings.get("diagram", "")
    )
    if address is None and not (wanted.state or wanted.difference or wanted.diagram):
        return None
    return Watcher(state, wanted, options.say)


def _number(text: str) -> int:
    try:
        number = int(text, 16)
    except ValueError:
        raise InstError(f"{text!r} is not an address", hint="hexadecimal, like 0x5000") from None
    if not 0 <= number < 1 << 64:
        raise InstError(f"the address {text} does not fit into 64 bits")
    return number


class Watcher:
    """Looks at the state after each step and reports what was asked for."""

    def __init__(self, state: State, wanted: Wanted, say: Callable[[str], None]) -> None:
        self._state = state
        self._wanted = wanted
        self._say = say
        self.pages = set() if wanted.address is None else {wanted.address >> 12}
        self._before: dict[str, str] = {}
        self._paths: dict[int, list[Move]] = {}
        self._drawn = wanted.address
        self._last = (NONE, 0)

    def stepped(self, step: Step) -> None:
        """Show what a step did."""
        what = f"record {self._state.record}: {_phrase(step)}"
        if self._wanted.address is not None:
            self._explain(what)
        if self._wanted.state:
            self._say(f"{what}:")
            for key, text in snapshot(self._state).items():
                self._say(f"  {key}: {text}")
        if self._wanted.difference:
            self._difference(what)
        if self._wanted.diagram:
            self._follow(_label(step))

    def violated(self, violation: Violation, step: Step) -> None:
        """Show a step that was refused."""
        what = f"record {self._state.record}: {_phrase(step)}: {violation.code}"
        self._say(what)
        if self._wanted.address is not None:
            for line in report.explain_location(self._state, self._wanted.address):
                self._say(f"  {line}")
        if not self._wanted.diagram:
            return
        if self._drawn is None and violation.addresses:
            self._drawn = violation.addresses[0]
        if self._drawn is not None:
            path = self._paths.setdefault(self._drawn, [])
            path.append(Move(self._state.record, _label(step), violation.code, True))
            self._draw()

    def finish(self) -> None:
        """Draw what is still to be drawn."""
        if self._wanted.diagram:
            self._draw()

    def _explain(self, what: str) -> None:
        """Report when the location's state or value has changed."""
        assert self._wanted.address is not None
        now = (
            place_of(self._state, self._wanted.address),
            self._state.memory.value(self._wanted.address),
        )
        if now != self._last:
            self._last = now
            self._say(what)
            for line in report.explain_location(self._state, self._wanted.address):
                self._say(f"  {line}")

    def _difference(self, what: str) -> None:
        now = snapshot(self._state)
        changed = [key for key in {**self._before, **now} if self._before.get(key) != now.get(key)]
        if changed:
            self._say(f"{what}:")
        for key in changed:
            for sign, side in (("-", self._before), ("+", now)):
                if key in side:
                    self._say(f"  {sign} {key}: {side[key]}")
        self._before = now

    def _follow(self, label: str) -> None:
        """Note the moves of all entries, or of the one to be drawn."""
        for address in self._moving():
            path = self._paths.setdefault(address, [])
            place = place_of(self._state, address)
            if place != (path[-1].place if path else NONE):
                path.append(Move(self._state.record, label, place, False))

    def _moving(self) -> Iterator[int]:
        if self._wanted.address is not None:
            yield self._wanted.address
            return
        yield from list(self._paths)
        for table in list(self._state.tables.values()):
            for slot in _used(self._state, table.row, table.unclean):
                if table.page + 8 * slot not in self._paths:
                    yield table.page + 8 * slot

    def _draw(self) -> None:
        from inst.check.output import write_text

        drawn = self._drawn
        if drawn is None:
            drawn = max(self._paths, key=lambda each: len(self._paths[each]), default=0)
        write_text(self._wanted.diagram, draw(drawn, self._paths.get(drawn, [])))


def place_of(state: State, address: int) -> str:
    """Return where a location is in the automaton: -, plain, V, I, or n d ti td ta."""
    location = state.location(address)
    if location is None:
        state.memory.settle()
        return PLAIN if state.memory.is_initialised(address) else NONE
    table, slot = location
    unclean = table.unclean.get(slot)
    if unclean is not None:
        return unclean.progress
    return "V" if state.memory.get(table.row, slot) & 1 else "I"


def _used(state: State, row: int, unclean: dict[int, Unclean]) -> list[int]:
    """Return the slots of a table that are not zero, or not clean."""
    return [slot for slot in range(SLOTS) if slot in unclean or state.memory.get(row, slot)]


def snapshot(state: State) -> dict[str, str]:
    """Return the whole state as lines: threads, roots, locks, and entries that are not zero."""
    lines: dict[str, str] = {}
    for number, thread in sorted(state.threads.items()):
        registers = " ".join(f"{name}={value:#x}" for name, value in thread.registers.items())
        if registers:
            lines[f"thread {number}"] = registers
    for (stage, base), root in sorted(state.roots.items()):
        lines[f"root {base:#x}"] = f"stage {stage}, identifier {root.id}, {root.users} users"
    for base, number in sorted(state.root_locks.items()):
        lines[f"lock of {base:#x}"] = f"{number:#x}"
    for number, lock in sorted(state.locks.items()):
        power = "" if lock.authorised else ", a plain write was made"
        lines[f"lock {number:#x}"] = f"thread {lock.thread}, {lock.count} times{power}"
    for page, table in sorted(state.tables.items()):
        lines[f"table {page:#x}"] = f"level {table.level}, root {table.root.base:#x}"
        for slot in _used(state, table.row, table.unclean):
            value = state.memory.get(table.row, slot)
            owner = table.threads.get(slot)
            owned = "" if owner is None else f", owned by thread {owner}"
            text = f"{value:#x}, {describe(value, table.level)}"
            lines[f"entry {page + 8 * slot:#x}"] = (
                f"{report.state_of(table, slot, value)}: {text}{owned}"
            )
    return lines


def _phrase(step: Step) -> str:
    """Return a step in words."""
    what = f"thread {step.thread} {_label(step)}"
    if step.kind in (Kind.WRITE, Kind.READ):
        what += f" of {step.value:#x} at {step.address:#x}"
    elif step.kind in (Kind.LOCK, Kind.TRYLOCK, Kind.UNLOCK):
        what += f" {step.address:#x}"
    elif step.kind in (Kind.INIT, Kind.FREE, Kind.SET):
        what += f" {step.address:#x} to {step.address + step.size:#x}"
    elif step.kind in (Kind.HINT, Kind.SYSREG):
        location = f" {step.address:#x}" if step.kind == Kind.HINT else ""
        what += f"{location} {step.value:#x}"
    return what


def _label(step: Step) -> str:
    names = {Kind.WRITE: "write", Kind.READ: "read", Kind.TLBI: "tlbi", Kind.LOCK: "lock",
             Kind.TRYLOCK: "trylock", Kind.UNLOCK: "unlock", Kind.INIT: "mem-init",
             Kind.FREE: "mem-free", Kind.SET: "mem-set"}  # fmt: skip
    name = names.get(Kind(step.kind), "")
    if step.kind == Kind.WRITE:
        return f"{name} ({step.word})" if step.word else name
    return f"{name} {step.word}".strip()
