"""Code around a restore, run with symbols for values along every way that it has.

Glue is what its entries promise: what the flags of its name say it preserves, and %o7 from where
the ABI's sites save it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from inst.asm.operands import split_operands
from inst.isa.model import Transfer

from .knowledge import STACK_BIAS, Knowledge
from .listing import Instruction, Listing
from .probes import takes_link_in_register

_PAST_ONE = ".+8"
"""Where `bn,a` goes."""
_STEPS = 200
MOVED_LABEL = re.compile(r"\.Linst\d+")
_REGISTER = re.compile(r"%(fp|sp|[goli][0-7]|r\d+)\b")
_NAMES = {"fp": "i6", "sp": "o6", **{f"r{n}": f"{'goli'[n // 8]}{n % 8}" for n in range(32)}}
LINK, CONDITIONS = "o7", ("icc", "xcc", "y")
_KEPT_AT = 2223
"""Where from the lowered %sp 64-bit sites save %o7: see `inst.arch.sparc.rewrite.site`."""
_GARBAGE = "garbage"
ENDLESS = "nowhere: it runs on and on"
"""Where a way leads that has not left after many steps."""

Value = tuple[str, int]
"""A symbol and a distance from it."""


@dataclass(frozen=True, slots=True)
class State:
    """What a way has come to: registers that are not as at its start, accesses, decisions."""

    registers: dict[str, Value] = field(default_factory=dict)
    memory: dict[Value, Value] = field(default_factory=dict)
    events: tuple[str, ...] = ()
    decided: tuple[tuple[str, bool], ...] = ()

    def value(self, register: str) -> Value:
        """Return what a register holds, in symbols of the start."""
        if register == "g0":
            return ("", 0)
        return self.registers.get(register, (register, 0))

    def put(self, register: str, value: Value) -> State:
        """Return the state after a write."""
        if register == "g0":
            return self
        return replace(self, registers={**self.registers, register: value})

    def restored(self) -> State:
        """Return the state in the window of the caller."""
        found = {name: value for name, value in self.registers.items() if name[0] not in "oil"}
        for n in range(8):
            found[f"o{n}"] = self.value(f"i{n}")
            found[f"l{n}"], found[f"i{n}"] = (f"caller's l{n}", 0), (f"caller's i{n}", 0)
        return replace(self, registers=found)


@dataclass(frozen=True, slots=True)
class Exit:
    """Where a way leaves the code, and with what."""

    place: str
    state: State


class Runner:
    """Runs one side of a group of lines along every way."""

    def __init__(
        self, listing: Listing, first: int, last: int, known: Knowledge, bits: int
    ) -> None:
        self.listing, self.known = listing, known
        self.inside = [
            index for index, one in enumerate(listing.instructions) if first <= one.line <= last
        ]
        self.wide, self.bias = bits == 64, STACK_BIAS if bits == 64 else 0
        self.steps = 0

    def exits(self) -> Iterator[Exit]:
        """Yield where the ways from the first instruction leave."""
        yield from self._run(self.inside[0], State())

    def _run(self, at: int, state: State) -> Iterator[Exit]:
        while True:
            self.steps += 1
            if self.steps > _STEPS:
                yield Exit(ENDLESS, state)
                return
            if at not in self.inside:
                yield Exit("after", state)
                return
            found = self.listing.instructions[at]
            facts = found.facts
            if facts.transfer in (Transfer.NONE, Transfer.TRAP):
                state, at = self._step(found, state), at + 1
            elif facts.target.startswith("inst."):
                slot = self.listing.instructions[at + 1]
                if slot.facts.window < 0:
                    yield self._returning(found, self._step(slot, state.put(LINK, (_GARBAGE, 0))))
                    return
                state, at = self._glue(found, self._step(slot, state)), at + 2
            else:
                yield from self._transfer(at, state)
                return

    def _transfer(self, at: int, state: State) -> Iterator[Exit]:
        found = self.listing.instructions[at]
        facts, slot = found.facts, self.listing.instructions[at + 1]
        ways = [(True, state)]
        if facts.conditional:
            condition, sense = self._condition(found, state)
            decided = dict(state.decided)
            senses = [decided[condition]] if condition in decided else [True, False]
            ways = [
                (
                    one == sense,
                    replace(state, decided=tuple(sorted({**decided, condition: one}.items()))),
                )
                for one in senses
            ]
        for taken, way in ways:
            place = self._place(found, way) if taken else ""
            if facts.defs & self.known.link or facts.transfer == Transfer.CALL:
                way = way.put(LINK, ("here", 0))
            if facts.window < 0:  # V9's return
                way = way.restored()
            if not facts.annul or (facts.conditional and taken):
                way = self._step(slot, way)
            if not taken:
                yield from self._run(at + 2, way)
                continue
            inside = at + 2 if place == _PAST_ONE else self.listing.labels.get(place, -1)
            past = inside == self.inside[-1] + 1 and MOVED_LABEL.fullmatch(place)
            if inside in self.inside or past:
                yield from self._run(inside, way)
            else:
                yield Exit(place, way)

    def _condition(self, found: Instruction, state: State) -> tuple[str, bool]:
        """Return what a branch asks for, and the answer with which it goes."""
        names = (re.sub(r",.*", "", name) for name in (found.name, found.facts.inverse))
        name, inverse = names
        operands = list(split_operands(found.operands))
        del operands[found.facts.target_operand]
        asked = ",".join(self._text(operand, state) for operand in operands)
        flags = [str(state.value(one)) for one in CONDITIONS[:2]]
        return f"{min(name, inverse)} {asked} {flags}", name < inverse

    def _place(self, found: Instruction, state: State) -> str:
        if found.facts.target:
            return found.facts.target
        if found.name in ("ret", "retl"):
            base = state.value("i7" if found.name == "ret" else "o7")
            return self._shown((base[0], base[1] + 8))
        operands = split_operands(found.operands)
        return self._shown(self._sum(operands[0], state))

    def _returning(self, found: Instruction, state: State) -> Exit:
        """Return where glue goes that is called with a restore in the slot: it returns for us."""
        link = state.value(LINK)
        flags = found.facts.target.split(".")[2:]
        if "k" in "".join(flags):
            return Exit("glue that restores what was not saved", state)
        for register in self._changed(flags):
            state = state.put(register, (_GARBAGE, 0))
        return Exit(self._shown((link[0], link[1] + 8)), state)

    def _changed(self, flags: list[str]) -> list[str]:
        """Return what glue changes whatever it is called for."""
        special = [] if "x" in "".join(flags) else list(CONDITIONS)
        return [self.known.address_register, *special]

    def _glue(self, found: Instruction, state: State) -> State:
        """Return the state after a call of glue."""
        flags = found.facts.target.split(".")[2:]
        kept = any(set(flag) <= {"x", "k"} and "k" in flag for flag in flags)
        if not kept:
            link: Value = (_GARBAGE, 0)
        elif not self.wide:
            link = state.value(self.known.scratch[0])
        elif takes_link_in_register(found):
            link = state.value(self.known.address_register)
        else:
            stack = state.value("o6")
            link = state.memory.get((stack[0], stack[1] + _KEPT_AT), (_GARBAGE, 0))
            state = state.put("o6", (stack[0], stack[1] + self.known.link_frame))
        for register in self._changed(flags[-1:]):
            state = state.put(register, (_GARBAGE, 0))
        if not kept:
            for register in self.known.scratch:
                state = state.put(register, (_GARBAGE, 0))
        return state.put(LINK, link)

    def _step(self, found: Instruction, state: State) -> State:
        """Return the state after an instruction that goes nowhere."""
        facts, operands = found.facts, list(split_operands(found.operands))
        if facts.window < 0:
            *terms, result = operands or ["%g0", "%g0", "%g0"]
            value = self._add(*(self._operand(term, state) for term in terms))
            state = state.restored()
            return state.put(_NAMES.get(result[1:], result[1:]), value)
        if facts.access is not None:
            return self._access(found, operands, state)
        if found.name in ("add", "mov", "sub") and not facts.defs & self.known.registers.special:
            *terms, result = operands
            values = [self._operand(term, state) for term in terms]
            if found.name == "sub":
                values[1] = self._negated(values[1])
            return state.put(_NAMES.get(result[1:], result[1:]), self._add(*values))
        if found.name == "nop":
            return state
        written = self.known.names(facts.defs)
        flags = [name for name in CONDITIONS if facts.uses & self.known.mask(name)]
        read = [self._text(operand, state) for operand in operands[:-1] or operands]
        text = f"{found.name} {read} {[state.value(flag) for flag in flags]}"
        for register in written:
            state = state.put(register, (f"{text} {register in CONDITIONS}", 0))
        return state

    def _access(self, found: Instruction, operands: list[str], state: State) -> State:
        access = found.facts.access
        assert access is not None
        memory = next(one for one in operands if one.startswith("["))
        address = self._sum(memory.strip("[]").split("]")[0], state)
        own = address[0] == state.value("o6")[0] and address[1] < self.bias
        if own and access.store:
            value = self._operand(operands[0], state)
            return replace(state, memory={**state.memory, address: value})
        if own:
            return state.put(operands[-1][1:], state.memory.get(address, (_GARBAGE, 0)))
        event = f"{found.name} {self._shown(address)}"
        if access.store:
            event += f" {self._text(operands[0], state)}"
        state = replace(state, events=(*state.events, event))
        for register in self.known.names(found.facts.defs):
            state = state.put(register, (f"loaded by {len(state.events)}", 0))
        return state

    def _sum(self, text: str, state: State) -> Value:
        """Return the value of an address: one or two terms."""
        terms = re.findall(r"[+-]?[^+-]+(?:\([^)]*\))?", "".join(text.split()))
        return self._add(*(self._operand(term.lstrip("+"), state) for term in terms))

    def _operand(self, text: str, state: State) -> Value:
        match = _REGISTER.fullmatch(text)
        if match:
            return state.value(_NAMES.get(match[1], match[1]))
        if re.fullmatch(r"-?(0x[0-9a-f]+|\d+)", text):
            return ("", int(text, 0))
        return (text, 0)

    def _text(self, text: str, state: State) -> str:
        def shown(match: re.Match[str]) -> str:
            return self._shown(state.value(_NAMES.get(match[1], match[1])))

        return _REGISTER.sub(shown, "".join(text.split()))

    @staticmethod
    def _add(*values: Value) -> Value:
        symbols = sorted(symbol for symbol, _ in values if symbol)
        return "+".join(symbols), sum(number for _, number in values)

    @staticmethod
    def _negated(value: Value) -> Value:
        return (f"-({value[0]})" if value[0] else "", -value[1])

    @staticmethod
    def _shown(value: Value) -> str:
        return f"{value[0]}{value[1]:+}" if value[1] or not value[0] else value[0]
