"""Immediates of SPARC code that hold differences of labels: code between the labels grows.

A 13-bit one goes into a register, by sethi and or.  In a delay slot there is no room for that:

- after a transfer that goes right after its slot (`call .+8`), by which position-independent
  code learns where it is, the instruction moves after the slot;
- otherwise it moves before the transfer, if neither depends on the other.

Differences from a call's label stay relative to the call: see `inst.rewrite.label_differences`.

Those in addresses and jumps keep their form, as `ld [%o7+(TABLE-1b)],%o0`: what has grown must
fit.  The assembler lets differences up to 8191 pass, of which the processor makes negative ones,
so they are checked here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.arch.sparc.sites import SITES
from inst.asm.model import Kind
from inst.asm.operands import split_operands
from inst.flow.code import Code, label_of, statement_error
from inst.flow.encoded import BYTES
from inst.flow.liveness import Liveness, find_liveness
from inst.isa.model import Isa, Transfer
from inst.rewrite.bounds import Bounds, bound_of
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import Edits
from inst.rewrite.label_differences import (
    CANNOT_GROW,
    DIFFERENCE,
    LOCATION,
    MINUS_NAME,
    MODIFIER,
    NAME,
    LabelDifferences,
    assigned_differences,
)
from inst.rewrite.neighbours import adjoins, labels_at

_AFTER_SLOT = re.compile(r"\.\s*\+\s*8")
_BYTES_AWAY = re.compile(rf"[.$]\s*[-+]\s*{BYTES}")
"""The target of a branch that says how many bytes it skips."""
_MARGIN = 4
"""From a transfer to its slot."""

_OUT_OF_SLOT = "write it before or after the branch, with `nop` in the delay slot"
_INTO_REGISTER = "put the difference into a register first: `set` takes one of any size"
_ELSEWHERE = "use another register here, or compile this file with INST_DISABLE=1"
_LARGEST = 4095
_NUMBER = re.compile(r"(?<![\w.$%])(?:0[xX][0-9a-fA-F]+|\d+)(?![\w.$])")


class Immediates:
    """The immediates of one file that hold differences, and the edits that they need."""

    def __init__(self, code: Code, isa: Isa, edits: Edits, check_registers: bool = True) -> None:
        self.code = code
        self.isa = isa
        self.edits = edits
        self.site = SITES[isa.abi]
        self.check_registers = check_registers
        self.differences = LabelDifferences(code, edits, _may_be_parted)
        self._grown: set[int] = set()
        """Instructions that became longer, or before which something was inserted."""
        self._found: Liveness | None = None

    def treat(self, index: int) -> None:
        """Rewrite the differences of labels in an instruction so that they can grow."""
        if not self.differences.are_in(index):
            return
        fact = self.code.facts[index]
        wide = _wide_operands(self.code, index) if fact.transfer == Transfer.NONE else []
        if not wide:
            self.differences.keep_at_calls(index, _OUT_OF_SLOT)
        elif fact.access is not None or fact.never_runs or len(wide) > 1:
            raise statement_error(self.code, index, CANNOT_GROW, _INTO_REGISTER)
        else:
            self._widen(index, wide[0])

    def refuse_branches_over_growth(self) -> None:
        """Refuse branches by a number of bytes over code that has grown."""
        for index, fact in enumerate(self.code.facts if self._grown else ()):
            if not _BYTES_AWAY.fullmatch(fact.target) or _goes_right_after(self.code, index):
                continue
            target = self.code.target(index)
            over = range(index + 1, target) if target > index else range(target, index)
            if target >= 0 and not self._grown.isdisjoint(over):
                raise statement_error(
                    self.code,
                    index,
                    f"a branch to {fact.target} depends on the length of the code in between",
                    "name the target by a label of its own,"
                    " or compile this file with INST_DISABLE=1",
                )

    def _widen(self, index: int, operand: int) -> None:
        """Move an immediate difference of labels into a register."""
        code, edits = self.code, self.edits
        slot = edits.at(code.statement[index])
        if not code.is_slot(index):
            slot.instead = "; ".join(self._sequence(index, operand))
            self._grown.add(index)
        elif _goes_right_after(code, index - 1):
            moved = [*self._entered(index - 1), *self._sequence(index, operand)]
            slot.instead = "; ".join(["nop", *moved])
            self._grown.add(index)
        elif _may_change_places(code, index - 1):
            edits.at(code.statement[index - 1]).before[:0] = self._sequence(index, operand)
            slot.instead = "nop"
            self._grown.add(index - 1)
        else:
            raise statement_error(code, index, CANNOT_GROW, _OUT_OF_SLOT)

    def _entered(self, transfer: int) -> list[str]:
        """Redirect a transfer that goes right after its slot to code there; return its label."""
        fact = self.code.facts[transfer]
        if _AFTER_SLOT.fullmatch(fact.target):
            return []
        label = self.edits.new_label()
        edit = self.edits.at(self.code.statement[transfer])
        edit.instead = self.code.retargeted(transfer, label)
        return [f"{label}:"]

    def _sequence(self, index: int, operand: int) -> list[str]:
        """Return an instruction with one of its operands put into a register before it."""
        code, register = self.code, f"%{self.site.address}"
        if self._register_is_in_use(index):
            message = f"{register} is in use here, and the instrumentation needs it"
            raise statement_error(code, index, message, _ELSEWHERE)
        statement = code.at(index)
        operands = list(split_operands(statement.operands))
        text = self.differences.pinned(code.statement[index], operands[operand])
        operands[operand] = register
        extend = [f"sra {register},0,{register}"] if self.site.wide else []
        distances = [8 + 4 * len(extend), 4 + 4 * len(extend)]
        high, low = (self._located(index, text, distance) for distance in distances)
        return [
            f"sethi %hi({high}),{register}",
            f"or {register},%lo({low}),{register}",
            *extend,
            f"{statement.name} {','.join(operands)}",
        ]

    def _located(self, index: int, text: str, distance: int) -> str:
        """Return an expression as it reads `distance` bytes before its instruction.

        What was in a slot no longer is: its place is given relative to the transfer's.
        """
        if not self.code.is_slot(index):
            return LOCATION.sub(f"(.+{distance})", text)
        if not LOCATION.search(text):
            return text
        return LOCATION.sub(f"({self.differences.pin(index - 1)}+{_MARGIN})", text)

    def _register_is_in_use(self, index: int) -> bool:
        """Return whether the register for a difference is the program's own there."""
        register = self.isa.registers.bit[self.site.address]
        if not self.check_registers or not self.code.mentioned() & register:
            return False
        self._found = found = self._found or find_liveness(self.code, self.isa)
        first = index - 1 if self.code.is_slot(index) else index
        live = found.before[first] | found.before[index] | found.after[index]
        return bool(live & register)


def _wide_operands(code: Code, index: int) -> list[int]:
    """Return the operands of an instruction that have no room for a difference which grows."""
    if code.facts[index].length != 4:
        return []
    operands = split_operands(code.at(index).operands)
    return [number for number, operand in enumerate(operands) if _is_difference(operand)]


def _is_difference(operand: str) -> bool:
    """Return whether an operand is an immediate made of a difference of labels."""
    return not operand.startswith("[") and bool(DIFFERENCE.search(MODIFIER.sub("", operand)))


def _may_be_parted(code: Code, call: int) -> bool:
    """Return whether later passes, or this one, may insert something before a call."""
    fact, slot = code.facts[call], code.facts[call + 1]
    if not fact.delay_slot:
        return False
    right_after = _goes_right_after(code, call)
    counted = not right_after and not fact.pc_relative_data and not fact.target.startswith(".L")
    moved = bool(_wide_operands(code, call + 1)) and not right_after
    return counted or moved or slot.access is not None


def _goes_right_after(code: Code, transfer: int) -> bool:
    """Return whether a transfer always goes right after its slot."""
    fact, following = code.facts[transfer], transfer + 2
    if fact.conditional or fact.annul or fact.window or not adjoins(code, transfer):
        return False
    if code.is_slot(transfer) or code.target(transfer) != following:
        return False
    if _AFTER_SLOT.fullmatch(fact.target):
        return True
    return label_of(fact.target) in labels_at(code, following)


def _may_change_places(code: Code, transfer: int) -> bool:
    """Return whether a transfer's slot may as well run before it."""
    fact, slot = code.facts[transfer], code.facts[transfer + 1]
    if fact.annul or fact.window or slot.window or code.is_slot(transfer):
        return False
    depend = slot.defs & (fact.uses | fact.defs) or slot.uses & fact.defs
    return not depend and adjoins(code, transfer)


def refuse_long_immediates(work: Rewriting) -> None:
    """Refuse differences that may not fit any more; the edits must be complete."""
    code, edits = work.whole, work.edits
    if not edits.by_statement:
        return
    immediates = _LongImmediates(code)
    concerned = [index for index in range(len(code.facts)) if immediates.are_in(index)]
    if not concerned:
        return
    labels, bounds = _Labels(code), Bounds(code, edits, relaxed=True)
    for index in concerned:
        for text, here in immediates.of(index):
            places = [labels.place(name, here) for name in NAME.findall(text)]
            known = [place for place in places if place is not None]
            if len(known) < len(places) and code.elsewhere:
                raise statement_error(code, index, "a distance across parts of the file")
            apart = (bounds.distance(one, other) for one in known for other in known)
            farthest = max(apart, default=0) * (len(known) // 2)
            if farthest + sum(bound_of(number) for number in _NUMBER.findall(text)) > _LARGEST:
                raise statement_error(
                    code,
                    index,
                    f"a distance may grow past {_LARGEST} here, which is all an immediate holds",
                    "put the difference into a register first: `set` takes one of any size",
                )


class _LongImmediates:
    """The differences of labels that instructions hold in immediates."""

    def __init__(self, code: Code) -> None:
        self._code = code
        self._assigned = assigned_differences(code)

    def are_in(self, index: int) -> bool:
        """Return whether there is one in an instruction: a quick check that most do not pass."""
        operands = self._code.at(index).operands
        if not self._assigned and ("-" not in operands or not MINUS_NAME.search(operands)):
            return False
        return self._code.facts[index].length == 4 and any(self.of(index))

    def of(self, index: int) -> Iterator[tuple[str, int]]:
        """Yield the text of each, and the statement in which it is written."""
        position = self._code.statement[index]
        text = MODIFIER.sub("", self._code.statements[position].operands)
        if DIFFERENCE.search(text):
            yield text, position
        for name in NAME.findall(text) if self._assigned else ():
            if name in self._assigned:
                yield self._assigned[name]


class _Labels:
    """The statements of a file's labels."""

    def __init__(self, code: Code) -> None:
        self._places: dict[str, list[int]] = {}
        for position, statement in enumerate(code.statements):
            if statement.kind == Kind.LABEL:
                self._places.setdefault(statement.name, []).append(position)

    def place(self, name: str, here: int) -> int | None:
        """Return where a name is defined, as statement `here` names it; None: not in this file."""
        if name in (".", "$"):
            return here
        if not name[0].isdigit():
            return self._places.get(name, [None])[0]
        places = self._places.get(name[:-1], ())
        if name[-1] == "b":
            return next((place for place in reversed(places) if place < here), None)
        return next((place for place in places if place > here), None)
