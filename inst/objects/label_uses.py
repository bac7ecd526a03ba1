"""What code does with the address of a label within a function, as GNU C's `&&label` gives it.

Where it is only jumped to, code may be inserted. Where a number is added to it, that number may be
the distance of another label, which is plain in the object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from inst.errors import InstError
from inst.flow.encoded import decoded
from inst.isa.model import Facts, Isa, Transfer

_WORD = 4


@dataclass(frozen=True, slots=True)
class Function:
    """The code in which an address is followed; offsets are those of its section."""

    isa: Isa
    words: Sequence[int]
    """Of the whole section."""
    begin: int
    end: int
    labels: Collection[int]
    """Where its jumps through registers may lead."""
    branches: Mapping[int, int]
    """Branches with a relocation -> where they lead; calls of other functions: beyond the end."""


@dataclass(frozen=True, slots=True)
class _State:
    """A place that is reached while a register holds the address."""

    offset: int
    register: int
    """One bit of `RegisterSet`."""
    then: tuple[int, ...] = ()
    """Where control goes after this instruction, a delay slot; else to the next one."""


def is_only_jumped_to(function: Function, start: int, completes: Collection[int]) -> bool:
    """Return whether the address that the instruction at `start` makes, or begins to make, is read
    by nothing but jumps through its register.

    `completes` are the instructions that add the rest of the same address. What is not understood,
    such as the register of another window, counts as another use; what a function gets or returns
    does not, since compilers know distances of labels within a function only.
    """
    try:
        states = [*_made(function, start)]
        seen = set()
        while states:
            state = states.pop()
            if state in seen or not function.begin <= state.offset < function.end:
                continue
            seen.add(state)
            facts = _facts(function, state.offset)
            if facts.uses & state.register:
                if state.offset in completes:
                    states += _after(function, _moved(state, facts.defs), facts)
                elif facts.transfer != Transfer.JUMP or facts.uses != state.register:
                    return False
            if facts.window and facts.transfer == Transfer.RETURN:
                continue
            if facts.window and state.then != _NOWHERE:
                return False
            if not facts.defs & state.register:
                states += _after(function, state, facts)
    except InstError:
        return False  # a word that nothing decodes
    return True


_NOWHERE = (-1,)
"""After the delay slot of a return."""


def _made(function: Function, start: int) -> Iterator[_State]:
    """Yield what follows the instruction that makes the address."""
    register = _facts(function, start).defs
    before = start - _WORD
    if before >= function.begin and (branch := _facts(function, before)).runs_slot:
        for state in _after(function, _State(before, register), branch):
            yield from (_State(place, register) for place in state.then)
    else:
        yield _State(start + _WORD, register)


def _moved(state: _State, register: int) -> _State:
    return _State(state.offset, register, state.then)


def _facts(function: Function, offset: int) -> Facts:
    return decoded(function.words[offset // _WORD], function.isa)[2]


def _after(function: Function, state: _State, facts: Facts) -> Iterator[_State]:
    """Yield what follows an instruction."""
    offset, register = state.offset, state.register
    after_slot = offset + (2 * _WORD if facts.delay_slot else _WORD)
    ways: tuple[int, ...]
    if facts.transfer in (Transfer.NONE, Transfer.TRAP):
        for place in state.then or (offset + _WORD,):
            yield _State(place, register)
        return
    if facts.transfer == Transfer.CALL or facts.pc_relative_data:
        ways = (after_slot,)
    elif facts.transfer == Transfer.BRANCH:
        ways = (function.branches.get(offset, offset + int(facts.target.removeprefix("."))),)
    elif facts.transfer == Transfer.JUMP:
        ways = tuple(sorted(function.labels))
    else:
        ways = _NOWHERE
    if facts.conditional and facts.annul:
        yield _State(after_slot, register)
    elif facts.conditional:
        ways = (*ways, after_slot)
    if facts.runs_slot:
        yield _State(offset + _WORD, register, ways)
    else:
        for place in ways:
            yield _State(place, register)
