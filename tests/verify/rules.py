"""Rules that look at the text itself: what must stay together, and what must stay as it was."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.asm.model import Kind, Statement
from inst.isa.model import Transfer
from inst.target.targets import Target

from .distances import check_distances
from .listing import END, Listing, relocations_after
from .reservations import check_reservations
from .runs import goes_elsewhere
from .unseen import marks
from .walk import FOR_DEBUGGERS, Walk

_ENTRY_WORDS = (1, 2, 4, 8, 16)
"""How many instructions may stand between two entry points (ELFv2 1.5, 3.4.1)."""
_LINK_WAITS = "0x10,65,2,0x71,16"
"""DW_CFA_expression: register 65 is in memory, at DW_OP_breg1 16."""
_AROUND_FUNCTIONS = (".cfi_startproc", ".cfi_endproc", ".cfi_sections")
"""Frame information that speaks of no instruction before it."""
_GOT_DISTANCE = re.compile(r"_GLOBAL_OFFSET_TABLE_\s*[-+]\s*\d")
_NAMES = re.compile(r"[A-Za-z_.$][\w.$]*|\b\d+[bf]\b")


def check_text(walk: Walk, source: str, rewritten: str, target: Target) -> None:
    """Run all rules of this module."""
    _lines_without_code(walk, source, rewritten)
    for first, second, why in _together(walk.old, target):
        for place in walk.core.get(first, ()):
            if place + second - first not in walk.core.get(second, ()):
                walk.complain(second, f"parted from what precedes it: {why}")
    check_reservations(walk)
    _labels_of_calls(walk)
    _local_entries(walk)
    _relocation_directives(walk)
    _frame_information(walk)
    _marked_instructions(walk)
    check_distances(walk)


_ADDED = re.compile(r"(?:\.register %g[236], ?#scratch; )*(?:(?<![^\s])\.Linst\d+: )?")
"""Declarations of SPARC's registers, and the label of a function's address, which is after the
function's own."""


def _lines_without_code(walk: Walk, source: str, rewritten: str) -> None:
    """Lines that hold no instruction are as they were: data, directives, debug information."""
    before, after = source.split("\n"), rewritten.split("\n")
    if len(after) < len(before) - 1:
        walk.problems.append("lines are missing")
    code = {found.line for found in walk.old.instructions}
    statements = walk.old.statements
    described = {s.line for s in statements if s.name.startswith((".cfi_", ".reloc"))}
    tables = {statements[position].line for position, _, _ in marks(walk.old)}
    for number, (old, new) in enumerate(zip(before, after, strict=False), 1):
        if new == old or number in code:
            continue
        new = _ADDED.sub("", new)
        kept = new == old
        if number in tables:
            kept = _NAMES.sub("", new) == _NAMES.sub("", old)
        if number in described:
            kept = new.startswith(old) or new.endswith(old.lstrip())
        if not kept:
            walk.problems.append(f"line {number}: changed, and holds no instruction: {new}")


def _together(old: Listing, target: Target) -> Iterator[tuple[int, int, str]]:
    """Yield pairs of instructions that must stay as far from each other as they are."""
    for index, found in enumerate(old.instructions):
        facts = found.facts
        if _GOT_DISTANCE.search(found.operands) and found.name == "sethi":
            yield from _set_up(old, index)
        after = old.following(index)
        if facts.transfer != Transfer.CALL or after == END:
            continue
        if facts.delay_slot:
            later = old.following(after)
            if later != END and old.instructions[later].name == "unimp":
                yield index, later, "a call, its slot and unimp"
        elif target.bits == 64 and facts.target and old.instructions[after].text() == "nop":
            yield index, after, "the linker restores the TOC pointer here"


def _set_up(old: Listing, start: int) -> Iterator[tuple[int, int, str]]:
    """Yield the instructions whose constants hold their distances from each other."""
    index = start
    while old.following(index) != END:
        yield index, index + 1, "the set-up of the GOT pointer counts the bytes in between"
        index += 1
        if old.instructions[index - 1].facts.transfer == Transfer.CALL:
            return


def _labels_of_calls(walk: Walk) -> None:
    """`bcl 20,31,.L; .L:` computes where it is: the label is directly after it."""
    for index, found in enumerate(walk.old.instructions):
        facts, after = found.facts, walk.old.following(index)
        label = facts.target
        if not facts.pc_relative_data or after == END or walk.old.labels.get(label) != after:
            continue
        for place in walk.core.get(index, ()):
            if walk.new.labels.get(label) != place + 1:
                walk.complain(index, f"{label} is no longer directly after it")


def _local_entries(walk: Walk) -> None:
    """The distance of a local entry point stays, or becomes one that a symbol has room for."""
    for position, statement in enumerate(walk.old.statements):
        if statement.name != ".localentry":
            continue
        label = statement.operands.split(",")[0].strip()
        first = walk.old.labels.get(label)
        if first is None:
            continue
        section = walk.old.section[position]
        ends = [
            n
            for n, i in enumerate(walk.old.instructions)
            if i.statement > position and i.section == section
        ]
        wanted = (ends[0] if ends else len(walk.old.instructions)) - first
        there = [n for n, s in enumerate(walk.new.statements) if _same(s, statement)]
        start = walk.new.labels.get(label, END)
        before = [
            i
            for i in walk.new.instructions[start:]
            if i.statement < there[0] and i.section == section
        ]
        grown = len(before) > wanted and len(before) in _ENTRY_WORDS
        if len(before) != wanted and not grown:
            walk.complain(first, "the distance of its local entry point has changed")


def _same(one: Statement, other: Statement) -> bool:
    return one.name == other.name and one.operands == other.operands


def _before(listing: Listing, index: int) -> Statement | None:
    """Return the statement that an instruction's own line of thought begins with."""
    position = listing.instructions[index].statement - 1
    while position >= 0 and listing.statements[position].kind in (Kind.BLANK, Kind.LABEL):
        position -= 1
    return listing.statements[position] if position >= 0 else None


def _relocation_directives(walk: Walk) -> None:
    """`.reloc .,KIND,symbol` names the instruction directly after it, `.-4` the one before."""
    for index in range(len(walk.old.instructions)):
        before = _before(walk.old, index)
        if before is None or before.name != ".reloc" or before.operands.startswith(".-"):
            continue
        for place in walk.core.get(index, ()):
            found = _before(walk.new, place)
            if found is None or not _same(found, before):
                walk.complain(index, "parted from its .reloc")
    for index in range(len(walk.old.instructions)):
        later = _relocations_after(walk.old, index)
        for place in walk.core.get(index, ()):
            if _relocations_after(walk.new, place) != later:
                walk.complain(index, "parted from the .reloc after it")


def _relocations_after(listing: Listing, index: int) -> list[str]:
    return relocations_after(listing.statements, listing.instructions[index].statement)


def _frame_information(walk: Walk) -> None:
    """A .cfi_ directive is directly after the instruction whose effect it describes.

    After a label it describes the state there, and what precedes the label is unrelated.
    """
    directives = _frame_directives(walk.old)
    described = [_instruction_before(walk.old, n) for n in directives]
    labelled = [_is_after_label(walk.old, n) for n in directives]
    link_saved = set(_link_directives(walk))
    found = [
        _instruction_before(walk.new, n) for n in _frame_directives(walk.new) if n not in link_saved
    ]
    if len(described) != len(found):
        walk.problems.append("a .cfi_ directive is lost or new")
        return
    slots = {i + 1 for i, x in enumerate(walk.old.instructions) if x.facts.delay_slot}
    for index, place, after_label in zip(described, found, labelled, strict=True):
        if (index < 0) != (place < 0):
            walk.complain(max(index, 0), "a .cfi_ directive has changed places with code")
        elif (
            index < 0
            or after_label
            or index in slots
            or goes_elsewhere(walk.old.instructions[index])
        ):
            continue
        elif place not in walk.core.get(index, ()):
            walk.complain(index, "the .cfi_ directive that follows it is elsewhere")


def _link_directives(walk: Walk) -> Iterator[int]:
    """Yield the inserted directives that describe, around one access, where lr is saved."""
    own = {place for places in walk.core.values() for place in places}
    statements = walk.new.statements
    directives = _frame_directives(walk.new)
    for first, second, third in zip(directives, directives[1:], directives[2:], strict=False):
        names = [statements[n].name for n in (first, second, third)]
        if names != [".cfi_remember_state", ".cfi_escape", ".cfi_restore_state"]:
            continue
        around = [walk.new.at[n] for n in range(second, third) if n in walk.new.at]
        if statements[second].operands == _LINK_WAITS and len(own & set(around)) == 1:
            yield from (first, second, third)


def _frame_directives(listing: Listing) -> list[int]:
    return [
        n
        for n, s in enumerate(listing.statements)
        if s.name.startswith(".cfi_") and s.name not in _AROUND_FUNCTIONS
    ]


def _is_after_label(listing: Listing, position: int) -> bool:
    """Return whether code may come to a directive from elsewhere than the instruction before it."""
    for earlier in range(position - 1, -1, -1):
        statement = listing.statements[earlier]
        if statement.kind == Kind.INSTRUCTION:
            return False
        if statement.kind == Kind.LABEL and not statement.name.startswith(FOR_DEBUGGERS):
            return True
    return False


def _instruction_before(listing: Listing, position: int) -> int:
    """Return the last instruction of the section before a statement; -1 without one."""
    section = listing.section[position]
    for earlier in range(position - 1, -1, -1):
        statement = listing.statements[earlier]
        if statement.name == ".cfi_startproc":
            return -1
        if statement.kind == Kind.INSTRUCTION and listing.section[earlier] == section:
            return listing.at[earlier]
    return -1


def _marked_instructions(walk: Walk) -> None:
    """What a table of special instructions names is the instruction itself."""
    marked, ours = list(marks(walk.old)), list(marks(walk.new))
    if len(marked) != len(ours):
        walk.problems.append("a table of marked instructions has lost a label")
    for (_, label, index), (_, _, place) in zip(marked, ours, strict=False):
        if place not in walk.core.get(index, ()):
            walk.complain(index, f"{label} marks it for a table, and is elsewhere")
