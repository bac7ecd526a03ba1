"""Registers and memory as far as a trace shows them, stepped instruction by instruction."""

from __future__ import annotations

from inst.arch.registry import is_wide, producer
from inst.isa.model import Access, Form
from inst.simulation import numbers
from inst.simulation.memory import KnownMemory
from inst.simulation.model import Instruction, Memory, Observed, Register, Value
from inst.simulation.plan import Plan, planner
from inst.words import singles
from inst.words.model import Words

WINDOW_LIMIT = 4096
"""Register windows remembered at most: deeper ones are unknown when restored."""
LINE_LIMIT = 128
"""Bytes that a cache line has at most."""

_make = tuple.__new__
"""Makes a named tuple twice as fast as its own constructor: there are many."""


class Machine:
    """One processor's registers; processors of a trace share the memory."""

    def __init__(self, arch: str, memory: KnownMemory) -> None:
        self.plan = planner(arch)
        self.memory = memory
        self.registers: dict[str, int] = {}
        self._width = 8 if is_wide(arch) else 4
        words = producer(arch).part(Words)
        self._wide_floats = words.wide_floats
        self._passed = words.windows.passed if words.windows else {}
        self._preserved = (*self._passed.values(), *(words.windows.own if words.windows else ()))
        """The registers of a window that are as they were when it is restored."""
        self._windowed = frozenset((*self._passed, *self._preserved))
        self._mask = (1 << 8 * self._width) - 1
        self._windows: list[dict[str, int]] = []

    def forget(self) -> None:
        """Forget all registers: instructions were left out of the trace."""
        self.registers.clear()
        self._windows.clear()

    def step(self, seen: Observed) -> Instruction:
        """Return the instruction that was seen, and apply its effects."""
        plan = self.plan(seen.word)
        if plan.facts is None:
            return self._unknown(seen, plan)
        if seen.annulled:
            return _instruction(seen, plan, (), (), ())
        if seen.trapped:
            known = self.registers.get
            inputs = tuple([_make(Register, (name, known(name))) for name in plan.inputs])
            self.registers.update(seen.after)
            return _instruction(seen, plan, inputs, (), ())
        return self._run(seen, plan)

    def _run(self, seen: Observed, plan: Plan) -> Instruction:
        known, after = self.registers.get, seen.after
        read: tuple[Memory, ...] = ()
        written: tuple[Memory, ...] = ()
        if plan.access is not None:
            after, read, written = self._operands(plan, plan.access, seen)
        inputs: list[Value] = [_make(Register, (name, known(name))) for name in plan.inputs]
        if plan.window:
            self._change_window(plan.window)
        kills: list[Value] = [_make(Register, (name, known(name))) for name in plan.outputs]
        outputs: list[Value] = [
            _make(Register, (name, self._result(name, after, seen.unchanged)))
            for name in plan.outputs
        ]
        if after:
            self._take_others(plan, after, outputs, kills)
        if plan.access is not None:
            self._move(read, written, inputs, outputs, kills)
        elif plan.system_call:
            self.memory.clear()  # no trace shows what the system wrote
        return _instruction(seen, plan, tuple(inputs), tuple(outputs), tuple(kills))

    def _take_others(
        self, plan: Plan, after: dict[str, int], outputs: list[Value], kills: list[Value]
    ) -> None:
        """Take over the registers that changed without being the instruction's outputs."""
        for name, value in after.items():
            if name in plan.outputs:
                continue
            old = self.registers.get(name)
            if old is not None and old != value:  # what a system call returns, mostly
                kills.append(Register(name, old))
                outputs.append(Register(name, value))
            self.registers[name] = value

    def _unknown(self, seen: Observed, plan: Plan) -> Instruction:
        """Handle a word that nothing decodes: any register may have changed."""
        unchanged = {name: self.registers[name] for name in seen.unchanged & self.registers.keys()}
        self.forget()
        self.registers.update(unchanged | seen.after)
        return _instruction(seen, plan, (), (), ())

    def _result(self, name: str, after: dict[str, int], unchanged: frozenset[str]) -> int | None:
        """Return a register's value after the instruction, and remember it."""
        value = after.get(name)
        if value is not None:
            self.registers[name] = value
        elif name in unchanged:
            return self.registers.get(name)
        else:
            self.registers.pop(name, None)
        return value

    def _change_window(self, direction: int) -> None:
        """Rename the registers as `save` and `restore` do."""
        old = self.registers
        renamed = {name: value for name, value in old.items() if name not in self._windowed}
        if direction > 0:
            saved = {name: old[name] for name in self._preserved if name in old}
            self._windows.append(saved)
            del self._windows[:-WINDOW_LIMIT]
            renamed |= {new: old[name] for name, new in self._passed.items() if name in old}
        else:
            renamed |= {name: old[new] for name, new in self._passed.items() if new in old}
            renamed |= self._windows.pop() if self._windows else {}
        self.registers.clear()
        self.registers.update(renamed)

    def _operands(
        self, plan: Plan, access: Access, seen: Observed
    ) -> tuple[dict[str, int], tuple[Memory, ...], tuple[Memory, ...]]:
        """Return the registers known afterwards, and the memory read and written."""
        after, moved = seen.after, seen.memory or self._place(plan, access, seen)
        if moved:
            self._learn_address(plan, access, moved[0].address)
            if access.update and access.base and access.base not in after:
                after = {access.base: moved[0].address} | after
        if access.load and access.store:  # read-modify-write: what was read comes first
            value = moved[0].value if moved else None
            if value is not None and access.value in plan.outputs:
                after = {str(access.value): value} | after
            return after, moved[:1], moved[1:] or tuple(m._replace(value=None) for m in moved[:1])
        if access.load:
            return self._loaded(plan, moved) | after, moved, ()
        if access.form == Form.CONDITIONAL and not seen.memory:
            moved = _if_stored(access, moved, after)
        elif seen.memory:
            self._learn(plan, moved)
        return after, (), moved

    def _place(self, plan: Plan, access: Access, seen: Observed) -> tuple[Memory, ...]:
        """Return the memory operand, its value taken from the registers it moves to or from."""
        address = seen.ea if seen.ea is not None else self._address(plan, access)
        if address is None:
            if access.store:
                self.memory.clear()  # it may have been stored anywhere
            return ()
        value = None
        if plan.data and not (access.load and access.store):
            value = self._assembled(plan, seen if access.load else None)
        return (_make(Memory, (address, plan.size, value)),)

    def _address(self, plan: Plan, access: Access) -> int | None:
        address, known = plan.offset, self.registers
        if address is None:
            return None
        try:
            if access.base is not None:
                address += known[access.base]
            if access.index is not None:
                address += known[access.index]
        except KeyError:
            return None
        address &= self._mask
        return address - address % access.align if access.align else address

    def _learn_address(self, plan: Plan, access: Access, address: int) -> None:
        """Infer the one unknown register that the address was computed from."""
        known = self.registers
        if (access.base is None or access.base in known) and (
            access.index is None or access.index in known
        ):
            return
        if plan.offset is None or access.align or access.base == access.index:
            return
        rest, unknown = address - plan.offset, []
        for name in (access.base, access.index):
            if name is not None and name in self.registers:
                rest -= self.registers[name]
            elif name is not None:
                unknown.append(name)
        if len(unknown) == 1:
            self.registers[unknown[0]] = rest & self._mask

    def _assembled(self, plan: Plan, loaded: Observed | None) -> int | None:
        """Return the bytes in memory as the registers show them, before or after."""
        total = 0
        for name in plan.data:
            value = self.registers.get(name)
            if loaded is not None:
                value = loaded.after.get(name, value if name in loaded.unchanged else None)
            if value is None:
                return None
            if plan.single:
                if not singles.is_defined(value):
                    return None
                value = singles.single_of(value)
            total = total << 8 * plan.element | value & (1 << 8 * plan.element) - 1
        return numbers.swap_bytes(total, plan.size) if plan.reversed else total

    def _loaded(self, plan: Plan, moved: tuple[Memory, ...]) -> dict[str, int]:
        """Return the registers that a load filled from memory whose content is known."""
        if not plan.data or sum(place.size for place in moved) != plan.size:
            return {}
        total = 0
        for place in moved:
            if place.value is None:
                return {}
            total = total << 8 * place.size | place.value
        if plan.reversed:
            total = numbers.swap_bytes(total, plan.size)
        if len(plan.data) == 1:
            return {plan.data[0]: self._in_register(plan, total)}
        bits = 8 * plan.element
        return {
            name: total >> bits * (len(plan.data) - 1 - n) & (1 << bits) - 1
            for n, name in enumerate(plan.data)
        }

    def _in_register(self, plan: Plan, value: int) -> int:
        if plan.single:
            return singles.double_of(value)
        return numbers.extend_sign(value, plan.size, self._width) if plan.signed else value

    def _learn(self, plan: Plan, moved: tuple[Memory, ...]) -> None:
        """Infer the registers that a store wrote in full."""
        whole = 4 if plan.data and plan.data[0][0] == "f" and not self._wide_floats else self._width
        if plan.data and plan.data[0][0] == "f" and self._wide_floats:
            whole = 8
        if plan.element == whole:
            self.registers.update(self._loaded(plan, moved))

    def _move(
        self,
        read: tuple[Memory, ...],
        written: tuple[Memory, ...],
        inputs: list[Value],
        outputs: list[Value],
        kills: list[Value],
    ) -> None:
        """Record in memory what was read from it and written to it."""
        memory = self.memory
        for place in read:
            if place.value is None:
                place = place._replace(value=memory.read(place.address, place.size))
            else:
                memory.write(*place)
            inputs.append(place)
        for place in written:
            old = memory.read(place.address, place.size) if place.size else None
            kills.append(_make(Memory, (place.address, place.size, old)))
            outputs.append(place)
            if place.size:
                memory.write(*place)
            else:  # a cache line, of an unknown length
                memory.write(place.address - place.address % LINE_LIMIT, LINE_LIMIT, None)


def _if_stored(
    access: Access, moved: tuple[Memory, ...], after: dict[str, int]
) -> tuple[Memory, ...]:
    """Return what a conditional store wrote: nothing if its register says so."""
    name, bit = access.stored or ("", 0)
    if name not in after:
        return tuple(place._replace(value=None) for place in moved)
    return moved if after[name] & bit else ()


def _instruction(
    seen: Observed,
    plan: Plan,
    inputs: tuple[Value, ...],
    outputs: tuple[Value, ...],
    kills: tuple[Value, ...],
) -> Instruction:
    taken = None
    if plan.branches and not seen.annulled:
        taken = True if plan.unconditional else seen.taken
    return _make(
        Instruction,
        (
            seen.address,
            seen.word,
            seen.mnemonic or plan.decoded.mnemonic,
            inputs,
            outputs,
            kills,
            plan.facts,
            taken,
            seen.target if taken else None,
            seen.cpu,
            seen.thread,
            seen.annulled,
            seen.trapped,
            seen.record,
        ),
    )
