"""Values of loads that make a reservation, for re-execution.

Nothing that accesses memory may stand between such a load and its conditional store. So the value
stays in a register, and is recorded right after the store, with whether that one stored, or where
control leaves the way to it (the failure path of a compare-and-swap). A move between registers,
where the program overwrites what was loaded, is all that stands between the two. Where no register
is free for all this, two are saved in a frame before the load.

The accesses themselves call hooks, as in other recordings: these state how they order threads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from inst.dataclass import replace
from inst.flow.functions import entry_labels
from inst.flow.liveness import dead_registers
from inst.flow.model import Conventions
from inst.isa.model import Form, RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.record.kept import Place, Reserved, Way
from inst.rewrite.record.model import KNOWN, LOOSE, Item, Reservation, Segment
from inst.rewrite.record.reading import union
from inst.rewrite.record.recorder import Loose, Recorder
from inst.rewrite.reservations import form_of
from inst.rewrite.sites import Site

_FORMS = (Form.RESERVE, Form.CONDITIONAL)
MOST_WORDS = 2
"""Words that are written for one reservation: the value, and whether it was stored."""


def find_reserved(work: Rewriting, sites: Iterable[Site]) -> list[Reserved]:
    """Return the reservations whose values can be recorded; their registers become live.

    Re-execution refuses the others: accesses between the load and the store, another way to the
    store, no register that is free.
    """
    used = [site for site in sites if form_of(work.code, site.index) in _FORMS and site.reported]
    if not used:
        return []
    finder = _Finder(work)
    loads = (site for site in used if form_of(work.code, site.index) == Form.RESERVE)
    found = [one for site in loads if (one := finder.reserved(site))]
    own = {store for one in found for store in one.way.stores}
    stores = (site for site in used if form_of(work.code, site.index) == Form.CONDITIONAL)
    alone = [one for site in stores if site.index not in own and (one := finder.alone(site.index))]
    _keep_live(work, found, used)
    return [*found, *alone]


def _keep_live(work: Rewriting, found: list[Reserved], sites: list[Site]) -> None:
    """Let nothing else have the registers that hold values until they are recorded."""
    live = work.liveness
    for one in found:
        bit = work.isa.registers.bit[one.keeper]
        live.after[one.way.load] |= bit
        for index in one.way.inside | one.way.stores:
            live.before[index] |= bit
            live.after[index] |= bit
    for site in sites:
        site.live_before = live.before[site.index]
        site.live_after = live.after[site.index]


class _Finder:
    def __init__(self, work: Rewriting) -> None:
        self.work, self.code = work, work.code
        self.recorder = work.isa.part(Recorder)
        self.named = {self.code.labels[name] for name in entry_labels(work.code, work.isa)}
        self.ends = frozenset(self.code.section_end)
        self.before: defaultdict[int, set[int]] = defaultdict(set)
        """The branches to each instruction."""
        for index, fact in enumerate(self.code.facts):
            if fact.target:
                self.before[self.code.target(index)].add(index)

    def reserved(self, site: Site) -> Reserved | None:
        """Return what is recorded for a load that reserves; None if that is not possible."""
        work, access = self.work, site.access
        assert access is not None
        value = access.value or ""
        if access.size > work.isa.bits // 8 or not value.startswith("r"):
            return None
        way = self._way(site.index)
        if way is None:
            return None
        found = self._kept(way, value)
        spilled = () if found else self._untouched(way)
        if spilled:
            with _spilled(work, way, spilled):
                found = self._kept(way, value)
        return found and replace(found, spilled=spilled)

    def _kept(self, way: Way, value: str) -> Reserved | None:
        """Return how what a load brings is recorded; None if too few registers are free."""
        used, changed = self._registers(way)
        keeper = value if not changed & self.work.isa.registers.bit[value] else self._free(used)
        places = {exit: self._place(way, *exit, keeper, value) for exit in way.exits()}
        found = {exit: place for exit, place in places.items() if place is not None}
        return Reserved(way, value, keeper, found) if keeper and len(found) == len(places) else None

    def _untouched(self, way: Way) -> tuple[str, ...]:
        """Return two registers that may be saved in a frame, which nothing on a way uses; () if
        anything there uses the stack pointer."""
        work, registers = self.work, self.work.isa.registers
        facts = [self.code.facts[index] for index in (way.load, *way.inside, *way.stores)]
        touched = union(fact.uses | fact.defs for fact in facts)
        if touched & registers.bit[work.isa.part(Conventions).stack_pointer]:
            return ()
        kept = registers.mask(*filter(None, (self.recorder.kept(self.work),)))
        names = [one for one in _loose(work).spillable if not registers.bit[one] & (touched | kept)]
        return tuple(names[:2]) if len(names) > 1 else ()

    def alone(self, store: int) -> Reserved | None:
        """Return what is recorded for a conditional store that no load comes before."""
        if store + 1 in self.ends:
            return None
        way = Way(-1, stores={store})
        place = self._place(way, store, store + 1, "", "")
        return Reserved(way, "", "", {(store, store + 1): place}) if place else None

    def _way(self, load: int) -> Way | None:
        """Follow control from a load to its stores; None where it may go elsewhere unseen."""
        way, pending = Way(load), [load]
        while pending:
            index = pending.pop()
            fact = self.code.facts[index]
            if index != load and not self._is_passed(index):
                return None
            falls = fact.transfer != Transfer.BRANCH or fact.conditional
            ways = [(index + 1, way.falling)] if falls else []
            if fact.transfer == Transfer.BRANCH:
                ways.append((self.code.target(index), way.branching))
            for following, leaving in ways:
                if following < 0 or (leaving is way.falling and following in self.ends):
                    return None
                if following not in self.work.reserved:
                    leaving[index] = following
                elif form_of(self.code, following) == Form.CONDITIONAL:
                    way.stores.add(following)
                elif following not in way.inside:
                    way.inside.add(following)
                    pending.append(following)
        return way if self._is_alone(way) else None

    def _is_passed(self, index: int) -> bool:
        """Return whether an instruction may stand between a load that reserves and its store."""
        fact = self.code.facts[index]
        plain = fact.transfer in (Transfer.NONE, Transfer.BRANCH) and not fact.system_call
        return plain and fact.access is None and not fact.pc_relative_data

    def _is_alone(self, way: Way) -> bool:
        """Return whether control comes to the instructions of a way by it alone."""
        own = way.inside | way.stores
        for index in own:
            from_above = self.code.facts[index - 1]
            falls = from_above.transfer in (Transfer.NONE, Transfer.CALL, Transfer.TRAP)
            is_own = index - 1 == way.load or index - 1 in way.inside
            if index in self.named or not self.before[index] <= way.inside:
                return False
            if (falls or from_above.conditional) and not is_own:
                return False
        if any(store + 1 in self.ends for store in way.stores):
            return False
        return all(self.code.facts[index].inverse for index in way.branching)

    def _registers(self, way: Way) -> tuple[RegisterSet, RegisterSet]:
        """Return the registers in use anywhere on a way or after it, and those it changes."""
        facts, live = self.code.facts, self.work.liveness
        used = changed = 0
        for index in (way.load, *way.inside, *way.stores):
            fact = facts[index]
            used |= live.before[index] | live.after[index] | fact.uses | fact.defs
            changed |= fact.defs if index != way.load else 0
        for _, index in way.exits():
            used |= live.before[index]
        return used, changed

    def _free(self, used: RegisterSet) -> str:
        """Return a register that is free; empty if there is none."""
        kept = self.recorder.kept(self.work)
        return next((r for r in dead_registers(self.work.isa, used, 0) if r != kept), "")

    def _place(self, way: Way, last: int, index: int, keeper: str, value: str) -> Place | None:
        """Return the registers with which values are recorded between two instructions.

        Whether it was stored is known last: then the register is free that kept the value.
        """
        work, bit = self.work, self.work.isa.registers.bit
        used = work.liveness.before[index] | (bit[keeper] if keeper else 0)
        pointer = self.recorder.pointer(work, used)
        if not pointer:
            return None
        is_stored = last in way.stores
        is_free = bool(keeper) and keeper not in (value, pointer)
        other = keeper if is_free else self._free(used | bit[pointer])
        result = other if is_stored else ""
        if is_stored and not result:
            return None
        place = Place(index, pointer, result)
        with _in_use(work, index, (keeper, result)):
            return place if self.recorder.reserve(work, _reservation(work, place, ".")) else None


def _reservation(work: Rewriting, place: Place, label: str) -> Reservation:
    """Return what the code at a place reserves, which looks at the limit whatever came before.

    So nothing is added to what segments may write unchecked: beyond the limit the runtime has room
    for more than that (`ZONE` in runtime/segments/room.c).
    """
    size = MOST_WORDS * work.isa.bits // 8
    return Reservation(place.index, label, place.pointer, size, checked=True)


@contextmanager
def _spilled(work: Rewriting, way: Way, registers: tuple[str, ...]) -> Iterator[None]:
    """Let registers be dead on a way while code is made for it: they are in a frame."""
    live, dead = work.liveness, work.isa.registers.mask(*registers)
    indices = {way.load, *way.inside, *way.stores, *(index for _, index in way.exits())}
    saved = {index: (live.before[index], live.after[index]) for index in indices}
    for index, (before, after) in saved.items():
        live.before[index], live.after[index] = before & ~dead, after & ~dead
    try:
        yield
    finally:
        for index, (before, after) in saved.items():
            live.before[index], live.after[index] = before, after


@contextmanager
def _in_use(work: Rewriting, index: int, registers: Iterable[str]) -> Iterator[None]:
    """Let registers be live before an instruction while code is made that stands there."""
    before, bit = work.liveness.before, work.isa.registers.bit
    saved = before[index]
    before[index] |= sum(bit[name] for name in {*registers} if name and not saved & bit[name])
    try:
        yield
    finally:
        before[index] = saved


def _loose(work: Rewriting) -> Loose:
    """Return how values for re-execution are written."""
    loose = work.isa.part(Recorder).loose
    assert loose is not None
    return loose


def write_reserved(work: Rewriting, found: Iterable[Reserved]) -> None:
    """Write what records the values of reservations, after the hooks of their accesses."""
    for one in found:
        if not one.spilled or _make_frame(work, one):
            with _spilled(work, one.way, one.spilled):
                _write(work, one)


def _make_frame(work: Rewriting, one: Reserved) -> bool:
    """Save registers before the hook of the load; return whether no hook up to the places where
    values are recorded needs the stack as it was."""
    before, start = work.edit(one.way.load).before, work.hook_starts.get(one.way.load, -1)
    hooks = [before[start:], *(work.edit(store).after for store in one.way.stores)]
    if start < 0 or any(_loose(work).reads_stack(lines) for lines in hooks):
        return False
    before[start:start] = _loose(work).spill(work, one.spilled)[0]
    return True


def _write(work: Rewriting, one: Reserved) -> None:
    way, loose = one.way, _loose(work)
    pop = loose.spill(work, one.spilled)[1] if one.spilled else ()
    items = [_marked(work, index) for index in sorted({way.load, *way.stores}) if index >= 0]
    if one.keeper != one.value:
        work.edit(way.load).after[:0] = [loose.copy(one.value, one.keeper)]
    for store in sorted(way.stores):
        work.edit(store).after += [*_recorded(work, one, one.places[store, store + 1]), *pop]
    for branch, target in sorted(way.branching.items()):
        fact, edit, skip = work.code.facts[branch], work.edit(branch), work.edits.new_label()
        edit.instead = work.code.retargeted(branch, skip, fact.inverse)
        code = _recorded(work, one, one.places[branch, target])
        edit.after += [*code, *pop, f"{work.isa.jump} {fact.target}", f"{skip}:"]
    for last, following in sorted(way.falling.items()):
        work.edit(last).after += [*_recorded(work, one, one.places[last, following]), *pop]
    work.file.segments.add(items)


def _marked(work: Rewriting, index: int) -> Segment:
    """Return the row of the table of segments for an instruction that takes a value."""
    label = work.edits.new_label()
    work.edit(index).before.append(f"{label}:")
    return Segment(
        [], "", index, label=label, end=label, items=[Item(label, 0, 0, 0, KNOWN | LOOSE, 0, 0)]
    )


def _recorded(work: Rewriting, one: Reserved, place: Place) -> list[str]:
    """Return the code that records a reservation's value, and whether it was stored."""
    recorder, loose = work.isa.part(Recorder), _loose(work)
    label = work.edits.new_label()
    with _in_use(work, place.index, (one.keeper, place.result)):
        reserve = recorder.reserve(work, _reservation(work, place, label))
    assert reserve is not None
    code = [f"{label}:", *reserve]
    if one.keeper:
        code += loose.put(work, one.keeper, place.pointer, 0)
    if place.result:
        code += [*loose.has_stored(place.result), *loose.put(work, place.result, place.pointer, 0)]
    return code + (loose.store_moved(work, place.pointer) or [recorder.store_pointer(work)])
