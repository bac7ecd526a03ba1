"""Delay slots of SPARC code in which no probe could stand: they are opened first.

- A branch target in a delay slot: the slot's instruction is duplicated, once as the slot and
  once after the label (figure 11 of the 1994 translator, in another way).
- A delayed branch in another's slot (a couple): the lawful ones (SPARC V8 manual B.21)
  are written out in the order in which they run.
- An access in the slot of V9's `return`, which runs in the caller's window: it moves before the
  `return`, with the names its registers have in the window before. If it has none there, the
  window is restored first; then a local variable that it reads would no longer be safe from
  probes, which compilers' code does not read that way.
- A barrier or a change of translations in a slot moves before the branch.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from inst.asm.model import Kind
from inst.flow.code import Code, referring, statement_error
from inst.flow.tables import REFERENCE, jump_targets, table_words
from inst.isa.model import Facts, Transfer
from inst.rewrite.edits import Edits
from inst.rewrite.label_differences import LOCATION

_PAIR = re.compile(r"[A-Za-z_.$][\w.$]*\s*-\s*[A-Za-z_.$][\w.$]*")
_DISTANCES = (".uleb128", ".sleb128")
_INPUT = re.compile(r"%i([0-7])|%fp")
_OUTPUT = re.compile(r"%o([0-7])\b|%sp\b")
_CALLERS_OWN = re.compile(r"%[li][0-7]\b|%fp\b|%r\d")
_LOST_BY_RESTORE = re.compile(r"%[lo]\d|%sp")


class Slots:
    """The delay slots of one file, and the edits that open them."""

    def __init__(self, code: Code, edits: Edits, is_event: Callable[[Facts], bool]) -> None:
        self.code = code
        self.edits = edits
        self.is_event = is_event
        """Whether an instruction without an access is reported."""

    @cached_property
    def referenced(self) -> set[str]:
        """Return the labels that code or data refers to: most files do not need them."""
        return _referenced(self.code)

    def open(self, index: int) -> None:
        """Open the slot of a transfer if a probe could not stand there."""
        code, edits = self.code, self.edits
        slot = code.facts[index + 1]
        if slot.delay_slot:
            _open_couple(code, index, edits)
            return
        labelled = any(name in self.referenced for name in _labels_between(code, index))
        if labelled and slot.never_parted:
            message = "a label parts the jump and the rett of a trap return"
            raise statement_error(code, index + 1, message)
        in_callers_window = code.facts[index].window and slot.access is not None
        if in_callers_window and (labelled or not _move_before_return(code, index, edits)):
            _split_return(code, index, edits)
        elif self.is_event(slot):
            _move_event_before(code, index, edits, movable=not labelled)
        if labelled:
            _open_labelled_slot(code, index, edits)


def _move_before_return(code: Code, index: int, edits: Edits) -> bool:
    """Write `return; ACCESS` as `ACCESS'; return; nop`; return whether that can be done."""
    slot = code.at(index + 1)
    if _CALLERS_OWN.search(slot.operands):
        return False
    operands = _OUTPUT.sub(lambda match: f"%i{match[1]}" if match[1] else "%fp", slot.operands)
    moved = f"{slot.name} {operands}"
    if "%i7" in operands:  # what the return itself reads
        return False
    if operands != slot.operands:
        label = edits.new_label()
        edits.renamed[label] = code.text(index + 1)
        moved = f"{label}: {moved}"
    edits.at(code.statement[index]).instead = f"{moved}; {code.text(index)}"
    edits.at(code.statement[index + 1]).instead = "nop"
    return True


def _move_event_before(code: Code, index: int, edits: Edits, *, movable: bool) -> None:
    """Write a transfer with a system event in its slot as that instruction, and an empty slot."""
    fact, slot = code.facts[index], code.facts[index + 1]
    if not movable or fact.annul or fact.window or fact.defs & slot.uses:
        message = f"no probe can stand before `{code.at(index + 1).name}` in this delay slot"
        raise statement_error(code, index + 1, message, "write it before or after the branch")
    edits.at(code.statement[index]).instead = f"{_elsewhere(code, index + 1)}; {code.text(index)}"
    edits.at(code.statement[index + 1]).instead = "nop"


def _split_return(code: Code, index: int, edits: Edits) -> None:
    """Write `return ADDRESS` as `restore` and a jump: its slot is then like any other's."""
    statement = code.at(index)
    if _LOST_BY_RESTORE.search(statement.operands):
        raise statement_error(
            code, index, "the access in this delay slot runs in another register window"
        )
    target = _INPUT.sub(lambda match: f"%{'sp' if match[0] == '%fp' else 'o' + match[1]}",
                        statement.operands)  # fmt: skip
    edits.at(code.statement[index]).instead = f"restore; jmp {target}"


def _labels_between(code: Code, branch: int) -> list[str]:
    """Return the labels between a branch and its slot."""
    first, last = code.statement[branch], code.statement[branch + 1]
    if last == first + 1:
        return []
    between = code.statements[first + 1 : last]
    return [s.name for s in between if s.kind == Kind.LABEL]


def _referenced(code: Code) -> set[str]:
    """Return every name that code or data (not debugging information) refers to.

    Names that an instruction holds only as a distance from each other do not count: clang
    marks the three instructions that find the GOT by labels, one of them in a delay slot.
    """
    found: set[str] = set()
    marking = set(table_words(code.statements))
    for position in referring(code.statements):
        statement = code.statements[position]
        if position in marking:  # what it marks is the access, wherever that is moved
            found.update(jump_targets(statement.operands))
            continue
        if statement.name in _DISTANCES:
            continue
        operands = statement.operands
        if statement.kind == Kind.INSTRUCTION:
            operands = _PAIR.sub("", operands)  # a distance alone is no branch target
        for name in REFERENCE.findall(operands):
            found.add(name[:-1] if name[:-1].isdigit() else name)
    return found


def _open_labelled_slot(code: Code, branch: int, edits: Edits) -> None:
    """Duplicate a slot that is also a branch target, with the `unimp` that belongs to its call."""
    past = edits.new_label()
    last, copies = branch + 1, [_elsewhere(code, branch + 1)]
    following = code.facts[branch + 2 : branch + 3]
    if code.facts[branch].transfer == Transfer.CALL and any(one.never_runs for one in following):
        last = branch + 2  # the callee looks for it after the call's slot
        copies.append(code.text(last))
    edits.at(code.statement[branch]).after += [*copies, f"ba {past}", "nop"]
    edits.at(code.statement[last]).after.append(f"{past}:")


def _open_couple(code: Code, first: int, edits: Edits) -> None:
    """Write out `ba X; b2 Y` as `b2 Y; the instruction at X; ba past X`."""
    fact = code.facts[first]
    target = code.target(first)
    lawful = fact.transfer == Transfer.BRANCH and not fact.conditional and not fact.annul
    if not lawful or target < 0 or code.facts[target].transfer != Transfer.NONE:
        raise statement_error(
            code, first, "a branch in this delay slot makes a couple that cannot be opened"
        )
    past = edits.new_label()
    edits.at(code.statement[target]).after.append(f"{past}:")
    edits.at(code.statement[first]).instead = ""
    edits.at(code.statement[first + 1]).instead = "; ".join(
        [code.text(first + 1), _elsewhere(code, target), f"ba {past}", "nop"]
    )


def _elsewhere(code: Code, index: int) -> str:
    """Return the text of an instruction for another place: it may not name its own."""
    if LOCATION.search(code.at(index).operands):
        message = "an instruction that refers to its own address cannot leave its place"
        raise statement_error(code, index, message, "name the address by a label")
    return code.text(index)
