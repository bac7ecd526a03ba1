"""The LR save slot: where lr is saved around a probe of 64-bit PowerPC if no register is dead.

The doubleword at 16(r1) belongs to the caller's frame, for the return address of its callee; a
function with a frame of its own has another there, for its own callees (ELFv1 chapter 3, "The
Stack Frame"; ELFv2 2.3.3).  As long as a compiler's function has not changed lr, lr is its return
address, and so is what the doubleword holds, if anything.  Once it has, the return address may be
in the doubleword, and lr may hold anything: compilers keep variables in it, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from inst.arch.powerpc.sites import SITES
from inst.dataclass import dataclass
from inst.flow.code import NAME, Code, referring
from inst.isa.model import RegisterSet, Transfer
from inst.rewrite.context import Rewriting
from inst.rewrite.edits import last_of_directives
from inst.rewrite.shared_save import SharedSave

_OFFSET, _SIZE = SITES["elfv2"].lr_save_slot, SITES["elfv2"].width
PLACE = f"{_OFFSET}(1)"
"""The doubleword as an operand."""
_GOING_ON = (Transfer.NONE, Transfer.CALL, Transfer.TRAP)
UNWOUND: tuple[str, ...] = (
    ".cfi_remember_state",
    f".cfi_escape 0x10,65,2,0x71,{_OFFSET}",
)
"""Directives by which lr is saved there: DW_CFA_expression(65, DW_OP_breg1 and the offset)."""
UNWOUND_BEFORE: tuple[str, ...] = (".cfi_restore_state",)
"""The directive after the access."""


@dataclass
class LrSlot:
    """The LR save slot in one part of a file; sites must be passed in order."""

    code: Code
    link: RegisterSet
    shared: SharedSave
    """Where it holds lr already: until lr or r1 changes."""

    @cached_property
    def changed(self) -> bytearray:
        """Return for each instruction whether lr may not be as at its function's entry."""
        return _changed(self.code, self.link)

    def serves(self, index: int) -> bool:
        """Return whether lr may be saved there around an access: not if the access may touch it."""
        fact = self.code.facts[index]
        access = fact.access
        if access is None or fact.defs & self.shared.changed:
            return False
        if self.changed[index] or self._is_prologue(index):
            return False
        if "r1" not in (access.base, access.index):
            return True
        try:
            offset = int(access.offset or "0", 0)
        except ValueError:
            return False
        return not access.index and not _OFFSET - access.size < offset < _OFFSET + _SIZE

    def take(self, index: int) -> bool:
        """Use it for the site of access `index`; return whether it held lr already."""
        return self.shared.take(index)

    def _is_prologue(self, index: int) -> bool:
        """Return whether unwinding changes after an instruction: site and change would mix."""
        position = self.code.statement[index]
        return last_of_directives(self.code.statements, position) != position


def find_lr_slot(work: Rewriting) -> None:
    """Find whether the LR save slot can be used in a part of a file."""
    code, isa = work.code, work.isa
    site = SITES.get(isa.abi)
    if site is not None and site.lr_save_slot and code.compiled:
        shared = SharedSave(code, isa.registers.mask("lr", "r1"))
        work.lr_slot = LrSlot(code, isa.registers.link, shared)


def _changed(code: Code, link: RegisterSet) -> bytearray:
    """Return for each instruction whether some path to it from a function's entry changes lr.

    Where it is not known how control comes to an instruction, it may have changed.
    """
    facts, ends = code.facts, set(code.section_end)
    entries = _entries(code)
    found = bytearray(len(facts))
    pending = [
        index + 1 for index, fact in enumerate(facts) if fact.defs & link and index + 1 not in ends
    ]
    pending += _unknown_places(code)
    while pending:
        index = pending.pop()
        if not 0 <= index < len(facts) or found[index] or index in entries:
            continue
        found[index] = 1
        fact = facts[index]
        if fact.transfer == Transfer.BRANCH:
            pending.append(code.target(index))
        goes_on = fact.conditional or fact.transfer in _GOING_ON
        if goes_on and index + 1 not in ends:
            pending.append(index + 1)
    return found


def _entries(code: Code) -> frozenset[int]:
    """Return where functions begin, whose callers give them lr; parts of functions do not count."""
    names = {name for name in code.functions() if ".cold" not in name}
    return frozenset(
        index for label, index in code.labels.items() if label.removeprefix(".L.") in names
    )


def _unknown_places(code: Code) -> Iterator[int]:
    """Yield the instructions that more than branches may lead to: whose labels others name."""
    named: set[str] = set()
    branches = {
        code.statement[index]
        for index, fact in enumerate(code.facts)
        if fact.transfer == Transfer.BRANCH
    }
    for position in referring(code.statements):
        if position not in branches:
            named.update(NAME.findall(code.statements[position].operands))
    for label, index in code.labels.items():
        if label in named or ".cold" in label:
            yield index
