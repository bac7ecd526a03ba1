"""Immediates of SPARC code that hold differences of labels: code between the labels grows.

A 13-bit one goes into a register, by sethi and or.  In a delay slot there is no room for that:

- behind a transfer that goes right behind its slot (`call .+8`), by which position-independent
  code learns where it is, the instruction comes behind the slot;
- otherwise it comes in front of the transfer, if neither depends on the other.

What such a call leaves in %o7 is measured from a label in front of it (`add %o7,TABLE-1b,%o0`
behind `1: call .+8`), so nothing that is inserted may part the two.  Where it would, the distance
is measured from another label, which stays where the call is (`Edits.new_pin`); branches to the
old one still lead to what is inserted.
"""

from __future__ import annotations

import functools
import re

from inst.asm.model import Kind
from inst.asm.operands import split_operands
from inst.flow.code import Code, statement_error
from inst.flow.liveness import Liveness, find_liveness
from inst.isa.model import Facts, Isa, Transfer
from inst.rewrite.edits import Edits
from inst.rewrite.neighbours import adjoins, is_slot, labels_at
from inst.rewrite.sparc_site import SITES

_NAME = r"(?:[A-Za-z_.$][\w.$]*|\d+[bf])"
NAME = re.compile(rf"(?<![\w.$%]){_NAME}(?![\w.$])")
"""A label in an expression."""
_DEEPEST = 5
"""How many brackets an expression has inside of each other."""
_INSIDE = functools.reduce(lambda inner, _: rf"(?:[^()]|\({inner}\))*", range(_DEEPEST), r"[^()]*")
MODIFIER = re.compile(rf"%\w+\({_INSIDE}\)")
"""What takes a part of an expression: `%lo(...)`."""
DIFFERENCE = re.compile(rf"{_NAME}\s*-\s*\(*\s*(?:[A-Za-z_.$]|\d+[bf])")
_MEASURED_FROM = re.compile(rf"(?<=-)(\s*\(*\s*)({_NAME})(?![\w.$])")
_LOCATION = re.compile(r"(?<![\w.$])\.(?![\w.$])")
_BEHIND_SLOT = re.compile(r"\.\s*\+\s*8")
_ASSIGNS = frozenset((".set", ".equ", ".equiv", ".eqv"))
_BYTES_AWAY = re.compile(r"[.$]\s*[-+]\s*\d+")
"""The target of a branch that says how many bytes it skips."""
_MARGIN = 4
"""From a transfer to its slot."""

_CANNOT_GROW = "a difference of labels cannot grow in this place"
_OUT_OF_SLOT = "write it in front of the branch or behind it, and `nop` in the delay slot"
_INTO_REGISTER = "put the difference into a register first: `set` takes one of any size"
_ELSEWHERE = "use another register here, or compile this file with INST_DISABLE=1"


class Distances:
    """The differences of labels in one file, and the edits that they need."""

    def __init__(self, code: Code, isa: Isa, edits: Edits, check_registers: bool = True) -> None:
        self.code = code
        self.isa = isa
        self.edits = edits
        self.site = SITES[isa.abi]
        self.check_registers = check_registers
        self._pins: dict[int, str] = {}
        """Call -> the label that stays where it is."""
        self._grown: set[int] = set()
        """Instructions that have got longer, or something in front of them."""
        self._found: Liveness | None = None
        self._assigned = assigned_differences(code)

    def concern(self, index: int) -> bool:
        """Tell whether there may be a difference of labels in an instruction."""
        operands = self.code.statements[self.code.statement[index]].operands
        return "-" in operands or bool(self._assigned)

    def treat(self, index: int) -> None:
        """Let the differences of labels in an instruction grow with the code."""
        fact = self.code.facts[index]
        if fact.target:
            return
        self._refuse_parted_symbols(index)
        wide = _wide_operands(self.code, index) if fact.transfer == Transfer.NONE else []
        if not wide:
            self._measure(index)
        elif fact.access is not None or fact.never_runs or len(wide) > 1:
            raise statement_error(self.code, index, _CANNOT_GROW, _INTO_REGISTER)
        else:
            self._widen(index, wide[0])

    def refuse_branches_over_growth(self) -> None:
        """Refuse branches that count the bytes of what has grown."""
        for index, fact in enumerate(self.code.facts if self._grown else ()):
            if not _BYTES_AWAY.fullmatch(fact.target) or _goes_behind(self.code, index):
                continue
            target = self.code.target(index)
            over = range(index + 1, target) if target > index else range(target, index)
            if target >= 0 and not self._grown.isdisjoint(over):
                raise statement_error(
                    self.code,
                    index,
                    f"a branch to {fact.target} depends on the length of the code in between",
                    "name the target by a label of its own",
                )

    def _measure(self, index: int) -> None:
        """Let an instruction measure from where calls stay."""
        position = self.code.statement[index]
        statement = self.code.statements[position]
        operands = self._pinned(index, statement.operands)
        if operands == statement.operands:
            return
        if position in self.edits.by_statement:
            raise statement_error(self.code, index, _CANNOT_GROW, _OUT_OF_SLOT)
        self.edits.at(position).instead = f"{statement.name} {operands}"

    def _widen(self, index: int, operand: int) -> None:
        """Move an immediate difference of labels into a register."""
        code, edits = self.code, self.edits
        slot = edits.at(code.statement[index])
        if not is_slot(code, index):
            slot.instead = "; ".join(self._sequence(index, operand))
            self._grown.add(index)
        elif _goes_behind(code, index - 1):
            behind = [*self._entered(index - 1), *self._sequence(index, operand)]
            slot.instead = "; ".join(["nop", *behind])
            self._grown.add(index)
        elif _may_change_places(code, index - 1):
            edits.at(code.statement[index - 1]).before[:0] = self._sequence(index, operand)
            slot.instead = "nop"
            self._grown.add(index - 1)
        else:
            raise statement_error(code, index, _CANNOT_GROW, _OUT_OF_SLOT)

    def _entered(self, transfer: int) -> list[str]:
        """Let a transfer that goes behind its slot go to what is put there: return its label."""
        fact = self.code.facts[transfer]
        if _BEHIND_SLOT.fullmatch(fact.target):
            return []
        label = self.edits.new_label()
        statement = self.code.statements[self.code.statement[transfer]]
        operands = list(split_operands(statement.operands))
        operands[fact.target_operand] = label
        edit = self.edits.at(self.code.statement[transfer])
        edit.instead = f"{statement.name} {','.join(operands)}"
        return [f"{label}:"]

    def _sequence(self, index: int, operand: int) -> list[str]:
        """Return an instruction with one of its operands put into a register before it."""
        code, register = self.code, f"%{self.site.address}"
        if self._register_is_in_use(index):
            message = f"{register} is in use here, and the instrumentation needs it"
            raise statement_error(code, index, message, _ELSEWHERE)
        statement = code.statements[code.statement[index]]
        operands = list(split_operands(statement.operands))
        text = self._pinned(index, operands[operand])
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
        """Return an expression as it reads so many bytes in front of its instruction.

        What was in a slot is not any more: its place is told from the transfer's.
        """
        if not is_slot(self.code, index):
            return _LOCATION.sub(f"(.+{distance})", text)
        if not _LOCATION.search(text):
            return text
        return _LOCATION.sub(f"({self._pin(index - 1)}+{_MARGIN})", text)

    def _register_is_in_use(self, index: int) -> bool:
        """Tell whether the register for a difference is the program's own there."""
        register = self.isa.registers.bit[self.site.address]
        if not self.check_registers or not self.code.mentioned() & register:
            return False
        self._found = found = self._found or find_liveness(self.code, self.isa)
        first = index - 1 if is_slot(self.code, index) else index
        live = found.before[first] | found.before[index] | found.after[index]
        return bool(live & register)

    def _pinned(self, index: int, text: str) -> str:
        """Return an expression that measures from where calls stay."""

        def replaced(match: re.Match[str]) -> str:
            call = self._parted_call(self.code.statement[index], match[2])
            return match[0] if call is None else f"{match[1]}{self._pin(call)}"

        return _MEASURED_FROM.sub(replaced, text)

    def _refuse_parted_symbols(self, index: int) -> None:
        """Refuse a symbol for a distance from a call that does not stay with its label."""
        operands = self.code.statements[self.code.statement[index]].operands
        for name in NAME.findall(operands) if self._assigned else ():
            text, here = self._assigned.get(name, ("", 0))
            for match in _MEASURED_FROM.finditer(text):
                if self._parted_call(here, match[2]) is not None:
                    raise statement_error(self.code, index, _CANNOT_GROW, f"write {text} here")

    def _parted_call(self, here: int, name: str) -> int | None:
        """Return the call in front of which there is a label, if something may part the two.

        `here` is the statement that names the label.
        """
        code = self.code
        place = code.place_of(name, here)
        if place is None or not 0 <= place < len(code.facts) - 1 or not _is_call(code.facts[place]):
            return None
        label = name[:-1] if name[0].isdigit() else name
        if label not in labels_at(code, place):
            return None
        return place if _may_be_parted(code, place) else None

    def _pin(self, index: int) -> str:
        """Return a label that stays right in front of an instruction."""
        found = self._pins.get(index)
        if found is None:
            found = self._pins[index] = self.edits.new_pin()
            self.edits.at(self.code.statement[index]).before.append(f"{found}:")
        return found


def assigned_differences(code: Code) -> dict[str, tuple[str, int]]:
    """Return the symbols that stand for differences of labels: the text, and its statement."""
    found = {}
    for position, statement in enumerate(code.statements):
        name, text = statement.name, statement.operands
        if statement.kind == Kind.DIRECTIVE and name in _ASSIGNS:
            name, _, text = (part.strip() for part in text.partition(","))
        elif statement.kind != Kind.ASSIGNMENT:
            continue
        if DIFFERENCE.search(text):
            found[name] = text, position
    return found


def _wide_operands(code: Code, index: int) -> list[int]:
    """Return the operands of an instruction that have no room for a difference which grows."""
    if code.facts[index].length != 4:
        return []
    operands = split_operands(code.statements[code.statement[index]].operands)
    return [number for number, operand in enumerate(operands) if _is_difference(operand)]


def _is_difference(operand: str) -> bool:
    """Tell whether an operand is an immediate made of a difference of labels."""
    return not operand.startswith("[") and bool(DIFFERENCE.search(MODIFIER.sub("", operand)))


def _is_call(fact: Facts) -> bool:
    """Tell whether an instruction leaves its own address behind."""
    return fact.delay_slot and (fact.transfer == Transfer.CALL or fact.pc_relative_data)


def _may_be_parted(code: Code, call: int) -> bool:
    """Tell whether later passes, or this one, may put something in front of a call."""
    fact, slot = code.facts[call], code.facts[call + 1]
    behind = _goes_behind(code, call)
    counted = not behind and not fact.pc_relative_data and not fact.target.startswith(".L")
    moved = bool(_wide_operands(code, call + 1)) and not behind
    return counted or moved or slot.access is not None


def _goes_behind(code: Code, transfer: int) -> bool:
    """Tell whether a transfer always goes right behind its slot."""
    fact, behind = code.facts[transfer], transfer + 2
    if fact.conditional or fact.annul or fact.window or not adjoins(code, transfer):
        return False
    if is_slot(code, transfer) or code.target(transfer) != behind:
        return False
    if _BEHIND_SLOT.fullmatch(fact.target):
        return True
    label = fact.target[:-1] if fact.target[0].isdigit() else fact.target
    return label in labels_at(code, behind)


def _may_change_places(code: Code, transfer: int) -> bool:
    """Tell whether a transfer's slot may as well run in front of it."""
    fact, slot = code.facts[transfer], code.facts[transfer + 1]
    if fact.annul or fact.window or slot.window or is_slot(code, transfer):
        return False
    depend = slot.defs & (fact.uses | fact.defs) or slot.uses & fact.defs
    return not depend and adjoins(code, transfer)
