"""SPARC's register windows: a call of glue after every save, restore and move of %sp.

After a save the glue is passed the new frame, after a restore the restored window. A
return with a restore becomes a call of the glue with that restore in its slot: the call's own %o7
goes with the old window, in the new one %o7 is where the program returns to, so the glue
returns for it. A restore in the delay slot of another jump or of a call is moved before it,
with what the transfer reads renamed for the window after it: %i registers are %o there, and
locals are copied to a free global first, or saved on the stack where none is free. A call with
a restore (a tail call) keeps %o7 by way of the site's address register (%g5, in 64-bit code
%g6), which nothing changes between the call and its slot. A restore that reads or writes what
its transfer writes is left alone, and so are all where that register is the program's own:
these are not reported to the library.

Where the function has unwinding information, the code after the restore is described as in
the caller's frame, so that a backtrace taken in restorehook is right.

Moves of %sp alone (alloca, leaf functions' frames) move the area in which the window may be
saved at any time, so these are reported to the glue as well. Files that record inline have no
stack check: only the frames that traces have are reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.arch.sparc.rewrite.site import call_sequence, in_use, saving, site_of
from inst.asm.operands import split_operands
from inst.dataclass import dataclass
from inst.flow.liveness import dead_registers
from inst.isa.model import RegisterSet, Transfer
from inst.rewrite.context import Rewriting

SAVE, RESTORE, MOVE = "inst.save", "inst.restore", "inst.move"
_NAMES = {"fp": "i6", "sp": "o6", **{f"r{n}": f"{'goli'[n // 8]}{n % 8}" for n in range(32)}}
_ADDRESS = re.compile(r"(%\w+)(?:\s*\+\s*([^+-]+)|\s*(-[^+-]+))?")
"""A jump's address: a register, and another or a distance."""
_REGISTER = re.compile(r"%(fp|sp|[goli][0-7]|r\d+)\b")
_RETURN_ADDRESS = re.compile(r"%i7\s*\+\s*8")
_SIZE = re.compile(r"%sp,\s*-(\d+),\s*%sp")
_OUTPUT = re.compile(r"%o([0-5])\b")


@dataclass(frozen=True, slots=True)
class _Around:
    """Directives that stand around code."""

    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def _in_caller(work: Rewriting, first: int, last: int) -> _Around:
    """Return the directives around what runs in the caller's frame after a restore.

    They describe the frame as it is at a function's entry: DWARF numbers %sp 14, %o7 15, %l0 to
    %i7 16 to 31.  `first` and `last` are the instructions that the directives go to. None are
    returned where the unwinding table does not describe both in one procedure.
    """
    if not work.code.is_described(first, last):
        return _Around()
    restored = (f".cfi_restore {number}" for number in range(15, 32))
    before = (".cfi_remember_state", f".cfi_def_cfa 14,{site_of(work).bias}", *restored)
    return _Around(before, (".cfi_restore_state",))


def report_windows(work: Rewriting) -> None:
    """Insert a call after each save, restore and move of %sp that the user wants reported."""
    options = work.options
    restores = options.restores and not options.record
    new_frames = frozenset(reported_frames(work))
    found = False
    for index, fact in enumerate(work.code.facts):
        if fact.window < 0 and restores:
            found |= _restore(work, index)
        elif index in work.leaving:
            found |= reports_moves(work)  # reported where the stack pointer gets its value
        elif index in new_frames:
            found |= _frame(work, index, SAVE if fact.window else MOVE)
    work.file.calls_glue |= found


def frames(work: Rewriting) -> Iterator[int]:
    """Yield the saves and moves of %sp after which glue is called, unless registers are in use."""
    stack = work.isa.registers.bit["o6"]
    for index, fact in enumerate(work.code.facts if work.options.frames else ()):
        makes_frame = fact.window >= 0 and fact.defs & stack and index not in work.leaving
        if makes_frame and _reports_frame(work, index):
            yield index


def reported_frames(work: Rewriting) -> Iterator[int]:
    """Yield those of them that are not recorded inline."""
    return (index for index in frames(work) if index not in work.framed)


def reports_moves(work: Rewriting) -> bool:
    """Return whether glue is called where only the stack check needs it: recordings have none."""
    return work.options.frames and not work.options.record


def _reports_frame(work: Rewriting, index: int) -> bool:
    """Return whether glue is called after a save or move of %sp.

    What traces have is frames with memory of their own.
    """
    if work.code.is_slot(index):
        return False
    if reports_moves(work) or not work.code.facts[index].window:
        return reports_moves(work)
    if not work.addresses:
        return False  # re-execution finds them
    size = frame_size(work, index)
    return not size or size > site_of(work).least


def frame_size(work: Rewriting, index: int) -> int:
    """Return the bytes of a frame that a save makes; 0: a register has them."""
    size = _SIZE.fullmatch(work.code.at(index).operands)
    return int(size[1]) if size else 0


def _frame(work: Rewriting, index: int, entry: str) -> bool:
    """Report a frame, unless the register that its caller's %sp goes into is in use."""
    live = work.liveness.after[index]
    if in_use(work, live):
        return False
    frame = f"mov %fp,%{site_of(work).address}"
    _insert_after(work, index, call_sequence(work, index, entry, live, frame))
    return True


def _insert_after(work: Rewriting, index: int, sequence: list[str]) -> None:
    """Insert a sequence after an instruction and after the directives that describe it."""
    statements = work.code.statements
    place = work.code.statement[index]
    while place + 1 < len(statements) and _describes(statements[place + 1].name):
        place += 1
    work.edits.at(place).after += sequence


def _describes(name: str) -> bool:
    return name.startswith(".cfi_") and name != ".cfi_endproc"


def _restore(work: Rewriting, index: int) -> bool:
    """Report a restore; return whether that is possible."""
    fact = work.code.facts[index]
    if fact.transfer == Transfer.RETURN:
        if work.code.is_slot(index):
            return False  # a couple that was to be left as it is
        return _split_return(work, index)
    if work.code.is_slot(index):
        return _in_slot(work, index - 1)
    around = _in_caller(work, index, index)
    sequence = call_sequence(work, index, RESTORE, work.liveness.after[index])
    _insert_after(work, index, [*around.before, *sequence, *around.after])
    return True


def _split_return(work: Rewriting, index: int) -> bool:
    """Write V9's `return` as a restore and a jump; its slot is in the new window already."""
    slot = _before_restore(work, index + 1)
    live = work.liveness.after[index + 1]
    if slot is not None and _returns(work, index) and not in_use(work, live):
        call = _returning_call(work, live)
        work.edit(index).instead = "; ".join([*slot, call])
        work.edit(index + 1).instead = "restore"
        return True
    moved = _in_new_window(work, index, work.code.facts[index].defs, 0)
    if moved is None:
        return False
    around = _in_caller(work, index, index + 1)
    sequence = _sequence(work, work.liveness.after[index], index)
    text = f"jmp {moved.text.split(None, 1)[1]}"
    edit = work.edit(index)
    edit.instead = "; ".join([*moved.copies, "restore", *around.before, *sequence, text])
    edit_slot = work.edit(index + 1)
    edit_slot.after += around.after
    return True


def _returns(work: Rewriting, index: int) -> bool:
    """Return whether an instruction returns to where %i7 says, past the call and its slot."""
    operands = work.code.at(index).operands
    if operands:
        return bool(_RETURN_ADDRESS.fullmatch(operands))
    return bool(work.code.facts[index].uses & work.isa.registers.bit["i7"])


def _returning_call(work: Rewriting, live: RegisterSet) -> str:
    """Return the call that returns for the program, with `live` what its caller reads.

    %o7 is not saved: the call leaves it in the window that its slot leaves.
    """
    return f"call {RESTORE}{saving(work, live & ~work.isa.registers.link).flags}"


def _before_restore(work: Rewriting, index: int) -> list[str] | None:
    """Return the slot of a `return` as code of the window before; None if that cannot be."""
    fact, registers = work.code.facts[index], work.isa.registers
    lost = registers.mask(*(f"{bank}{n}" for bank in "li" for n in range(8)), "o6", "o7")
    if fact.access is not None or fact.transfer != Transfer.NONE or fact.window:
        return None
    text = work.code.text(index)
    unnamed = "%r" in text or text.startswith(".")  # by another name, or by a number only
    if (fact.uses | fact.defs) & lost or unnamed:
        return None
    return [] if text == "nop" else [_OUTPUT.sub(r"%i\1", text)]


def _in_slot(work: Rewriting, branch: int) -> bool:
    """Move a restore out of the delay slot of instruction `branch`."""
    code, slot = work.code, branch + 1
    fact, restored = code.facts[branch], code.facts[slot]
    if fact.pc_relative_data or fact.defs & (restored.uses | restored.defs):
        return False
    at_branch = work.edits.at(code.statement[branch])
    links = (restored.uses | restored.defs) & work.isa.registers.link
    if _returns(work, branch) and not links and not in_use(work, work.liveness.after[slot]):
        at_branch.instead = _returning_call(work, work.liveness.after[slot])
        return True
    at_slot = work.edits.at(code.statement[slot])
    restore = work.code.text(slot)
    around = _in_caller(work, branch, slot)
    if fact.annul:
        skip = work.edits.new_label()
        at_branch.instead = f"{_inverted(work, branch, skip)}; nop"
        lines = [*_sequence(work, work.liveness.after[slot], slot), f"ba {fact.target}", "nop"]
        lines = [restore, *around.before, *lines, *around.after, f"{skip}:"]
        at_slot.instead = "; ".join(lines)
        return True
    live = work.liveness.after[slot] | fact.uses & work.isa.registers.special
    moved = _in_new_window(work, branch, restored.defs, restored.uses | restored.defs)
    if moved is None:
        return _by_stack(work, branch, live, around)
    lines, filler = [*moved.copies, restore, *around.before, *_sequence(work, live, slot)], "nop"
    if fact.transfer == Transfer.CALL:
        lines.append(f"mov %o7,%{site_of(work).address}")
        filler = f"mov %{site_of(work).address},%o7"
    at_branch.instead = "; ".join([*lines, moved.text])
    at_slot.instead = "; ".join([filler, *around.after])
    return True


def _by_stack(work: Rewriting, branch: int, live: RegisterSet, around: _Around) -> bool:
    """Move a restore out of a slot, with the jump's address in a frame of the new window.

    What a call would write into %o7 goes with the old window: the jump writes it instead.
    """
    code = work.code
    fact = code.facts[branch]
    operands = split_operands(_jump_operands(work, branch))
    address = _ADDRESS.fullmatch(operands[0]) if operands else None
    ways = (Transfer.JUMP, Transfer.CALL, Transfer.RETURN)
    through = fact.transfer in ways and not fact.target and not fact.window
    lone = len(operands) == 1 or operands[1] in ("%g0", "%o7", "0")
    if not through or address is None or not lone or in_use(work, live):
        return False
    site = site_of(work)
    place = f"[%sp+{site.kept_at}]"
    lines = [
        f"add {address[1]},{address[2] or address[3] or '0'},%{site.address}",
        work.code.text(branch + 1),
        *around.before,
        f"add %sp,-{site.frame},%sp",
        f"{site.store} %{site.address},{place}",
        *_sequence(work, live, branch + 1),
        f"{site.load} {place},%{site.address}",
        f"jmp %{site.address}",
    ]
    work.edits.at(code.statement[branch]).instead = "; ".join(lines)
    slot = [f"add %sp,{site.frame},%sp", *around.after]
    work.edits.at(code.statement[branch + 1]).instead = "; ".join(slot)
    return True


def _sequence(work: Rewriting, live: RegisterSet, index: int) -> list[str]:
    """Return the call after a restore that a jump follows, which may read %o7."""
    return call_sequence(work, index, RESTORE, live | work.isa.registers.link)


def _inverted(work: Rewriting, branch: int, target: str) -> str:
    """Return an annulled conditional branch as its opposite, without its annulling."""
    inverse = work.code.facts[branch].inverse.replace(",a", "")
    return work.code.retargeted(branch, target, inverse)


@dataclass(frozen=True, slots=True)
class _Moved:
    """A transfer as it reads after the restore that stood in its slot."""

    copies: list[str]
    """Moves, before the restore, of what only the old window holds."""
    text: str


def _in_new_window(
    work: Rewriting, branch: int, written: RegisterSet, avoid: RegisterSet
) -> _Moved | None:
    """Return a transfer for the new window; None if too few registers are free for that."""
    registers = work.isa.registers
    code = work.code
    statement = code.at(branch)
    text = work.code.text(branch) if statement.operands else f"jmp {_jump_operands(work, branch)}"
    free = _free_globals(work, branch, avoid)
    copied: dict[str, str] = {}

    def renamed(match: re.Match[str]) -> str:
        name = _NAMES.get(match[1], match[1])
        if name == "o7" and code.facts[branch].defs & registers.bit["o7"]:
            return match[0]  # jmpl's own result
        there = f"o{name[1]}" if name[0] == "i" else name
        if name[0] in "gi" and not written & registers.bit[there]:
            return f"%{there}"
        if name not in copied:
            copied[name] = free.pop(0) if free else ""
        return f"%{copied[name]}"

    text = _REGISTER.sub(renamed, text)
    if not all(copied.values()):
        return None
    return _Moved([f"mov %{name},%{free}" for name, free in copied.items()], text)


def _jump_operands(work: Rewriting, branch: int) -> str:
    """Return the operands of a transfer, also of `ret` and `retl`, which are written without."""
    operands = work.code.at(branch).operands
    if operands:
        return operands
    reads_input = work.code.facts[branch].uses & work.isa.registers.bit["i7"]
    return "%i7+8" if reads_input else "%o7+8"


def _free_globals(work: Rewriting, branch: int, avoid: RegisterSet) -> list[str]:
    """Return the global registers that are free around a transfer and its slot."""
    registers = work.isa.registers
    live = work.liveness.before[branch] | work.liveness.after[branch]
    if branch + 1 < len(work.code.facts):
        live |= work.liveness.after[branch + 1]
    usable = registers.mask(*site_of(work).spare)
    return dead_registers(work.isa, live | registers.integer & ~usable, avoid)
