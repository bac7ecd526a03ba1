"""Which plain accesses and reservations order threads, by the barriers beside them.

C11's atomic loads and stores are plain ones in assembly; what makes an acquire or a release of
them is a barrier. A store is a release if a barrier is before it with neither a transfer of
control nor a store between. A load is an acquire if control reaches a barrier from it before
another access: at once, or over branches that depend on what it loaded, as with fences after a
waiting loop. A barrier before a store, though, orders that store, not a load before the barrier.

Facts: the C/C++11 mappings of Sewell et al. (lwsync or sync; store: release. load; compare;
branch; isync: acquire), Power ISA Book II 1.7, SPARC V9 8.4.3 and appendix J.
"""

from __future__ import annotations

from inst.flow.code import Code
from inst.flow.model import Conventions
from inst.isa.model import Access, Barrier, Facts, Form, Isa, RegisterFile, Transfer

_REACH = 24
"""Instructions between an access and its barrier."""


def find_orders(code: Code, isa: Isa) -> dict[int, Barrier]:
    """Return the accesses that order threads: RELEASE for stores, ACQUIRE for loads.

    A reserving load counts as a store, for nothing may be inserted before the conditional
    store that belongs to it; that one counts as a load.
    """
    barriers = [index for index, fact in enumerate(code.facts) if fact.barrier]
    if not barriers:
        return {}
    found: dict[int, Barrier] = {}
    stack = stack_bases(isa)
    for barrier in barriers:
        store = _store_after(code, barrier, stack)
        if store >= 0 and _only_addresses(code, isa.registers, barrier, store, stack):
            found[store] = Barrier.RELEASE
    finder = _Acquires(code, stack)
    loads = (index for index, fact in enumerate(code.facts) if _takes(fact.access, stack))
    found.update((load, Barrier.ACQUIRE) for load in loads if finder.is_acquire(load))
    return found


def stack_bases(isa: Isa) -> frozenset[str]:
    """Return the registers whose accesses are of the thread's own stack, which order nothing."""
    conventions = isa.part(Conventions)
    return frozenset((conventions.stack_pointer, conventions.frame_pointer)) - {""}


def is_only_barrier(fact: Facts) -> bool:
    """Return whether an access is there to keep others in order: `ldstub [%sp-1],%g0`."""
    return fact.access is not None and fact.barrier != Barrier.NONE


def _takes(access: Access | None, stack: frozenset[str]) -> bool:
    if access is None or access.linker_rewrites or access.base in stack:
        return False
    return access.form == Form.CONDITIONAL or (access.form == Form.SIMPLE and access.load)


def _gives(access: Access) -> bool:
    return access.form == Form.RESERVE or (access.form == Form.SIMPLE and access.store)


def _store_after(code: Code, barrier: int, stack: frozenset[str]) -> int:
    """Return the store that a barrier makes a release; -1 if there is none."""
    if not code.facts[barrier].barrier & Barrier.RELEASE:
        return -1
    end = next(end for end in code.section_end if end > barrier)
    for index in range(barrier + 1, min(barrier + _REACH, end)):
        fact = code.facts[index]
        if fact.access is not None and not is_only_barrier(fact):
            if _gives(fact.access) and fact.access.base not in stack:
                return index
            if fact.access.form in (Form.ATOMIC, Form.CONDITIONAL):
                return -1
        if index > 0 and code.facts[index - 1].delay_slot:
            return -1  # after a branch and its slot
        if fact.transfer != Transfer.NONE and not fact.delay_slot:
            return -1
    return -1


def _only_addresses(
    code: Code, registers: RegisterFile, barrier: int, store: int, stack: frozenset[str]
) -> bool:
    """Return whether all loads between a barrier and a store compute the store's address.

    A fence is followed by its store; other loads there are of data that a thread computes with.
    """
    access = code.facts[store].access
    assert access is not None
    needed = registers.mask(*(name for name in (access.base, access.index) if name))
    for fact in reversed(code.facts[barrier + 1 : store]):
        if fact.defs & needed:
            needed = needed & ~fact.defs | fact.uses
        elif fact.access is not None and not is_only_barrier(fact):
            stacked = fact.access.base in stack
            if fact.access.load and not fact.access.linker_rewrites and not stacked:
                return False
    return True


def _goes_on(fact: Facts) -> bool:
    """Return whether this is a branch or a conditional return: `bnelr`."""
    return fact.transfer == Transfer.BRANCH or (
        fact.transfer == Transfer.RETURN and fact.conditional
    )


class _Acquires:
    """Looks for barriers after loads."""

    def __init__(self, code: Code, stack: frozenset[str]) -> None:
        self.code = code
        self.stack = stack
        self.ends = set(code.section_end)

    def is_acquire(self, load: int) -> bool:
        """Return whether control goes from a load to a barrier that orders it."""
        waiting, seen = [(load + 1, self._has_branched(load), _REACH)], {load}
        if load and self.code.facts[load - 1].delay_slot:
            waiting = [(there, True, _REACH) for there in self._after(load - 1)]
        while waiting:
            index, branched, left = waiting.pop()
            if index in seen or left == 0 or index < 0 or index >= len(self.code.facts):
                continue
            seen.add(index)
            barrier = self.code.facts[index].barrier
            if barrier:
                if self._orders(barrier, index, branched):
                    return True
                continue
            fact = self.code.facts[index]
            if fact.access is not None and fact.access.base not in self.stack:
                continue
            if fact.transfer == Transfer.NONE:
                if index + 1 not in self.ends:
                    waiting.append((index + 1, branched, left - 1))
            elif _goes_on(fact) and self._slot_is_free(index):
                now = branched or fact.conditional
                waiting += [(there, now, left - 1) for there in self._after(index)]
        return False

    def _has_branched(self, store: int) -> bool:
        """Return whether a branch stands between a reserving load and its conditional store.

        A compare-exchange that may fail is lwarx; compare; branch; stwcx.; isync; branch.
        """
        access = self.code.facts[store].access
        if access is None or access.form != Form.CONDITIONAL:
            return False
        branched = False
        for index in range(store - 1, max(store - _REACH, -1), -1):
            fact = self.code.facts[index]
            if index + 1 in self.ends:
                return False
            if fact.access is not None and fact.access.form == Form.RESERVE:
                return branched
            branched |= fact.transfer == Transfer.BRANCH and fact.conditional
        return False

    def _orders(self, barrier: Barrier, index: int, branched: bool) -> bool:
        """Return whether a barrier orders the load from which control came to it."""
        if barrier & Barrier.CONTROL:
            return branched
        if not barrier & Barrier.ACQUIRE:
            return self._has_more(index, branched)
        if branched or not barrier & Barrier.RELEASE:
            return True
        return self._is_fence(index)

    def _has_more(self, index: int, branched: bool) -> bool:
        """Return whether the next instruction is a barrier, too, and orders the load."""
        following = index + 1
        if following in self.ends or not self.code.facts[following].barrier:
            return False
        return self._orders(self.code.facts[following].barrier, following, branched)

    def _is_fence(self, barrier: int) -> bool:
        """Return whether no store, and no load with a barrier of its own, follows directly."""
        for index in range(barrier + 1, min(barrier + _REACH, len(self.code.facts))):
            fact = self.code.facts[index]
            if index in self.ends or fact.transfer != Transfer.NONE:
                return True
            if fact.access is not None and fact.access.base not in self.stack:
                return (
                    fact.access.form == Form.SIMPLE
                    and fact.access.load
                    and not (self._has_isync(index))
                )
        return True

    def _has_isync(self, load: int) -> bool:
        """Return whether `compare; branch; isync` follows, so that a sync before is the load's."""
        return any(fact.barrier & Barrier.CONTROL for fact in self.code.facts[load + 1 : load + 4])

    def _slot_is_free(self, branch: int) -> bool:
        """Return whether no access stands in a branch's delay slot."""
        fact = self.code.facts[branch]
        if not fact.delay_slot:
            return True
        following = branch + 1
        return following not in self.ends and self.code.facts[following].access is None

    def _after(self, branch: int) -> list[int]:
        """Return where control goes from a branch, past its delay slot."""
        fact = self.code.facts[branch]
        found = [self.code.target(branch)] if fact.transfer == Transfer.BRANCH else []
        if fact.conditional:
            straight = branch + (2 if fact.delay_slot else 1)
            found.append(straight if straight not in self.ends else -1)
        return found
