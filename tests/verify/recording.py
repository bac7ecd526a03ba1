"""What code that records may do between the input's instructions.

A segment loads the thread's cursor into a register, makes room where the limit is reached, moves
the register over the words of a block, stores the block's name in the last of them, registers in
the others, and the cursor. It writes to no other memory, and the cursor is stored before control
leaves to where it is loaded. What the blocks hold is the affair of `blocks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from inst.isa.model import Transfer

from .blocks import INDEXED, Rows, vsx_register
from .knowledge import canonical
from .listing import Instruction

if TYPE_CHECKING:
    from .contents import Contents
    from .walk import Walk

_THREAD = r"inst\.segments@tprel"
_NAME = r"\(__ehdr_start-(?P<label>\.Linst\d+)\)"
_POWERPC = {
    "load cursor": rf"l(?:wz|d) (?P<to>\d+),{_THREAD}\((?:2|13)\)",
    "load limit": rf"l(?:wz|d) (?P<to>\d+),{_THREAD}\+[48]\((?:2|13)\)",
    "store cursor": rf"st[wd] (?P<pointer>\d+),{_THREAD}\((?:2|13)\)",
    "half a name": rf"lis (?P<to>\d+),{_NAME}@h",
    "a name": rf"ori (?P<to>\d+),(?P=to),{_NAME}@l",
    "add to a name": r"addi (?P<to>\d+),(?P<from>\d+),(?P<base>\.Linst\d+)-(?P<label>\.Linst\d+)",
    "move and store": r"stf?[wds]u (?P<from>\d+),(?P<bytes>\d+)\((?P<pointer>\d+)\)",
    "store": r"(?P<store>st[wd]|stf[sd]) (?P<from>\d+),-(?P<below>\d+)\((?P<pointer>\d+)\)",
    "compare": r"cmpl[wd] (?P<result>\d),(?P<pointer>\d+),(?P<from>\d+)",
    "check": r"blt\+ (?P<result>\d),(?P<label>\.Linst\d+(?:room|set))",
    "count": r"bdnz (?P<label>\.Linst\d+room)",
    "set the count": r"mtctr (?P<from>\d+)",
    "a number": r"li (?P<to>\d+),\d+",
    "save fields": r"mfcr (?P<to>\d+)",
    "restore fields": r"mtcrf \d+,(?P<from>\d+)",
    "save status": r"mffs (?P<to>\d+)",
    "restore status": r"mtfsf 255,(?P<from>\d+)",
    "has stored": r"rlwinm (?P<to>\d+),(?P=to),3,31,31",
    "an address": r"addi (?P<to>\d+),(?P<pointer>\d+),-(?P<below>\d+)",
    "move on": r"addi (?P<pointer>\d+),(?P=pointer),(?P<bytes>[48])",
    "store by address": rf"(?P<store>{'|'.join(INDEXED)}) (?P<from>\d+),0,(?P<at>\d+)",
    "exchange": r"xxswapd (?P<into>\d+),(?P<of>\d+)",
}
_WORD = r"\[%g7\+%tle_lox10\(inst\.segments"
_FROM_HERE = r"\(__ehdr_start\+\(\.-(?P<label>\.Linst\d+)\)\)"
_SPARC = {
    "load cursor": rf"ldx? {_WORD}\)\],%(?P<to>\w+)",
    "load limit": rf"ldx? {_WORD}\+[48]\)\],%(?P<to>\w+)",
    "store cursor": rf"stx? %(?P<pointer>\w+),{_WORD}\)\]",
    "half a name": rf"sethi %pc22{_FROM_HERE},%(?P<to>\w+)",
    "a name": rf"or %(?P<to>\w+),%pc10{_FROM_HERE},%(?P=to)",
    "move": r"add %(?P<pointer>\w+),(?P<bytes>\d+),%(?P=pointer)",
    "stack": r"add %sp,2047,%(?P<to>\w+)",
    "frame": r"sub %fp,%sp,%(?P<to>\w+)",
    "store the name": r"stx? %(?P<from>\w+),\[%(?P<pointer>\w+)\]",
    "store": r"(?P<store>st|stx|std) %(?P<from>\w+),\[%(?P<pointer>\w+)-(?P<below>\d+)\]",
    "store ahead": r"(?P<store>st|stx|std) %(?P<from>\w+),\[%(?P<pointer>\w+)\+(?P<ahead>\d+)\]",
    "compare": r"cmp %(?P<pointer>\w+),%(?P<from>\w+)",
    "subtract": r"sub %(?P<pointer>\w+),%(?P<from>\w+),%(?P=from)",
    "check": r"blu(,a)? (?P<label>\.Linst\d+room)",
    "check a register": r"brlz(,a)?,pt %(?P<from>\w+),(?P<label>\.Linst\d+room)",
}
_RESTORES = ("restore fields", "restore status")
_STORES = ("store", "store ahead", "move and store", "store by address")
_CHECKS = ("check", "check a register", "count")
_BYTES = {"st": 4, "stw": 4, "stfs": 4, "stx": 8, "std": 8, "stfd": 8}
_LIMIT, _COMPARED, _FIELDS = "the limit", "the comparison", "what condition fields hold"
_STATUS = "the status register of floating point"
_STORED, _COPY = "whether a conditional store has stored", "what a load with a reservation loaded"
_READS_PLACE = "__sparc_get_pc_thunk."
"""Functions that leave the pointer alone; it is in a global register, which windows share."""
_ROOM = "inst.room"
"""The glue that makes room: unlike others it leaves alone what names are in."""
_TWO_WORDS = "two words"
"""In place of a block: a value that takes so many has just moved the pointer."""


@dataclass(frozen=True, slots=True)
class Buffer:
    """How far the code that records has got."""

    pointer: str = ""
    """The register that points at the last word written; "": none is known to."""
    block: str = ""
    """The label of the segment whose words are below it; "": they may not be written."""
    moved: bool = False
    """Whether the thread's cursor is behind it."""
    ahead: int = 0
    """Bytes of values that have been stored ahead of it."""
    unnamed: int = 0
    """Bytes that it has been moved by before their name is stored."""
    held: tuple[tuple[str, str], ...] = ()
    """What registers and words of the frame hold: segments' names by their labels, the limit."""

    def holds(self, place: str) -> str:
        """Return what a register holds for the code that records."""
        return dict(self.held).get(place, "")

    def put(self, place: str, what: str = "") -> Buffer:
        """Let a register hold something; "": something else."""
        held = {**dict(self.held), place: what}
        return replace(self, held=tuple(sorted(one for one in held.items() if one[1])))

    def without_names(self) -> Buffer:
        """Return what is left after other code, which leaves alone what reservations need."""
        return replace(self, held=tuple(one for one in self.held if one[1] in (_COPY, _STORED)))


@dataclass(frozen=True, slots=True)
class _Step:
    """An instruction of such code: beside which of the input it stands, and its parts."""

    index: int
    text: str
    part: dict[str, str]

    @property
    def bytes(self) -> int:
        """Return by how much it moves the pointer."""
        return int(self.part["bytes"])


class Recording:
    """The rules of a file that records."""

    def __init__(self, walk: Walk, rows: Rows) -> None:
        self.walk, self.rows = walk, rows
        self.is_powerpc = walk.known.may_store
        patterns = _POWERPC if self.is_powerpc else _SPARC
        self.patterns = {kind: re.compile(text) for kind, text in patterns.items()}
        self._effects: dict[str, Callable[[_Step, Buffer], Buffer]] = {
            "load cursor": self._load_cursor,
            "load limit": lambda step, buffer: buffer.put(step.part["to"], _LIMIT),
            "store cursor": self._store_cursor,
            "half a name": self._half,
            "a name": self._name,
            "add to a name": self._next_name,
            "move": self._move,
            "move and store": self._move_and_store,
            "store the name": self._store_name,
            "store": self._store,
            "store ahead": self._store_ahead,
            "compare": self._compare,
            "subtract": self._subtract,
            "check": lambda step, buffer: self._check(step, buffer, step.part.get("result", "")),
            "check a register": lambda step, buffer: self._check(step, buffer, step.part["from"]),
            "count": lambda _step, buffer: buffer,
            "set the count": lambda _step, buffer: buffer,
            "a number": lambda step, buffer: buffer.put(step.part["to"]),
            "stack": lambda step, buffer: buffer.put(step.part["to"]),
            "frame": lambda step, buffer: buffer.put(step.part["to"]),
            "save fields": lambda step, buffer: buffer.put(step.part["to"], _FIELDS),
            "restore fields": lambda step, buffer: self._restore(step, buffer, _FIELDS),
            "save status": lambda step, buffer: buffer.put(step.part["to"], _STATUS),
            "restore status": lambda step, buffer: self._restore(step, buffer, _STATUS),
            "has stored": lambda step, buffer: buffer.put(step.part["to"], _STORED),
            "an address": lambda step, buffer: buffer.put(
                step.part["to"], f"{step.part['below']} below {buffer.block}"
            ),
            "move on": self._move_on,
            "store by address": self._store_by_address,
            "exchange": lambda _step, buffer: buffer,
        }
        self._found: dict[str, tuple[str, dict[str, str]]] = {}

    def is_check(self, ours: Instruction) -> bool:
        """Return whether an instruction goes past the call that makes room."""
        return self._parts(ours)[0] in _CHECKS

    def saves_fields(self, ours: Instruction) -> bool:
        """Return whether an instruction saves all condition fields."""
        return self._parts(ours)[0] == "save fields"

    def _parts(self, ours: Instruction) -> tuple[str, dict[str, str]]:
        """Return what an instruction looks like, and its parts, with the names of registers."""
        text = ours.text()
        if text not in self._found:
            self._found[text] = "", {}
            for kind, pattern in self.patterns.items():
                if match := pattern.fullmatch(text):
                    part = {name: value for name, value in match.groupdict().items() if value}
                    for name in part.keys() & {"to", "from", "pointer", "at"}:
                        part[name] = self._register(part[name])
                    if text.startswith(("stf", "stx")) and self.is_powerpc:
                        part["from"] = vsx_register(match["from"])
                    if kind in ("save status", "restore status"):
                        part = {name: f"f{match[name]}" for name in part}
                    self._found[text] = kind, part
                    break
        return self._found[text]

    def _register(self, text: str) -> str:
        return f"r{text}" if self.is_powerpc else canonical(f"%{text}", "sparc")

    def _kind(self, ours: Instruction, buffer: Buffer) -> tuple[str, dict[str, str]]:
        """Return the same, if it is about the pointer that there is."""
        kind, part = self._parts(ours)
        return (kind, part) if part.get("pointer", buffer.pointer) == buffer.pointer else ("", {})

    def at_inserted(self, index: int, ours: Instruction, buffer: Buffer) -> Buffer | None:
        """Go on over an inserted instruction; None if it is none that records."""
        kind, part = self._kind(ours, buffer)
        if not kind:
            return None
        after = self._effects[kind](_Step(index, ours.text(), part), buffer)
        if part.get("to") == after.pointer and kind != "load cursor":
            return self._lost(index, after)
        return after

    def holding(
        self, index: int, ours: Instruction, buffer: Buffer, held: Contents
    ) -> Contents | None:
        """Return what registers hold after an inserted instruction; None if it is none of these."""
        kind, part = self._kind(ours, buffer)
        if not kind:
            return None
        stored = part.get("from", "") if kind in _STORES else ""
        # What is elsewhere meanwhile comes back; a register that nothing reads may hold anything.
        is_wrong = stored in held.names() and held.is_elsewhere(stored)
        if is_wrong and not buffer.holds(stored) and not self.walk.addresses:
            self.walk.complain(index, f"records {stored}, which inserted code has changed")
        for register in self.walk.known.names(ours.facts.defs):
            held = held.put(register, register if kind in _RESTORES else "")
        return held

    def at_other(self, index: int, ours: Instruction, buffer: Buffer) -> Buffer:
        """Go on over an inserted instruction that is none of these."""
        if (target := ours.facts.target.strip('"')).startswith("inst."):
            after = self._lost(index, buffer)
            return after if target.startswith(_ROOM) else after.without_names()
        access, after = ours.facts.access, self._without(index, ours, buffer)
        if ours.name == "mr":
            return after.put(self.walk.known.names(ours.facts.defs)[0], _COPY)
        if access is None or access.base != self.walk.known.stack or access.update:
            return after
        register, place = access.value or "", f"frame {access.offset}"
        if access.store:
            return after.put(place, buffer.holds(register))
        return after.put(register, buffer.holds(place))

    def at_own(self, index: int, ours: Instruction, buffer: Buffer) -> Buffer:
        """Go on over an instruction of the input."""
        facts, walk = ours.facts, self.walk
        if index in walk.entries.jumps or (walk.agreed.compiled and index in walk.unseen.tables):
            return buffer
        leaves = facts.transfer in (Transfer.CALL, Transfer.JUMP, Transfer.RETURN)
        leaves &= not (facts.pc_relative_data or facts.target.startswith(_READS_PLACE))
        if leaves or facts.system_call:
            after = self._lost(index, buffer)
            return replace(buffer, moved=False) if facts.conditional else after.without_names()
        return self._without(index, ours, buffer)

    def _without(self, index: int, ours: Instruction, buffer: Buffer) -> Buffer:
        """Forget the registers that an instruction changes."""
        changed = self.walk.known.names(ours.facts.defs)
        for register in changed:
            buffer = buffer.put(register)
        return self._lost(index, buffer) if buffer.pointer in changed else buffer

    def _lost(self, index: int, buffer: Buffer) -> Buffer:
        """Go on without the pointer."""
        if buffer.moved or buffer.ahead:
            self.walk.complain(index, "the pointer is lost before the cursor is stored")
        return Buffer(held=buffer.held)

    def _load_cursor(self, step: _Step, buffer: Buffer) -> Buffer:
        if buffer.moved or buffer.ahead:
            self.walk.complain(step.index, "the cursor is loaded before it was stored")
        to = step.part["to"]
        return replace(buffer.put(to), pointer=to, block="", moved=False, unnamed=0)

    def _store_cursor(self, step: _Step, buffer: Buffer) -> Buffer:
        if buffer.unnamed:
            self.walk.complain(step.index, "the cursor is stored before the name of its block")
        if buffer.ahead:
            self.walk.complain(step.index, "the cursor is stored before values are below it")
        return replace(buffer, moved=False)

    def _half(self, step: _Step, buffer: Buffer) -> Buffer:
        return buffer.put(step.part["to"], f"half of {step.part['label']}")

    def _name(self, step: _Step, buffer: Buffer) -> Buffer:
        to, label = step.part["to"], step.part["label"]
        if buffer.holds(to) != f"half of {label}":
            self.walk.complain(step.index, f"half a name is missing: {step.text}")
        return buffer.put(to, label)

    def _next_name(self, step: _Step, buffer: Buffer) -> Buffer:
        if buffer.holds(step.part["from"]) != step.part["base"]:
            self.walk.complain(step.index, f"it adds to what is not that name: {step.text}")
        return buffer.put(step.part["to"], step.part["label"])

    def _move(self, step: _Step, buffer: Buffer) -> Buffer:
        if self.rows.is_loose:
            if step.bytes != buffer.ahead:
                self.walk.complain(step.index, f"{buffer.ahead} bytes are ahead: {step.text}")
            return replace(buffer, moved=True, ahead=0)
        return replace(buffer, moved=True, block="", unnamed=step.bytes)

    def _move_and_store(self, step: _Step, buffer: Buffer) -> Buffer:
        if not self.rows.is_loose:
            return self._begin(step, buffer, step.bytes)
        if step.bytes not in (self.rows.width, 8):
            self.walk.complain(
                step.index, f"it moves the pointer by more than a value: {step.text}"
            )
        block = _TWO_WORDS if step.bytes > self.rows.width else ""
        return replace(buffer, moved=True, block=block)

    def _move_on(self, step: _Step, buffer: Buffer) -> Buffer:
        if not self.rows.is_loose or step.bytes != self.rows.width:
            self.walk.complain(step.index, f"it moves the pointer by no value: {step.text}")
        return replace(buffer, moved=True, block="")

    def _store_by_address(self, step: _Step, buffer: Buffer) -> Buffer:
        size, at = INDEXED[step.part["store"]], step.part["at"]
        if self.rows.is_loose:
            if at != buffer.pointer or not buffer.moved:
                self.walk.complain(step.index, f"it stores no value: {step.text}")
            return buffer
        below, _, block = buffer.holds(at).partition(" below ")
        row = self.rows.by_label.get(block)
        words = row.words - 1 if row and block == buffer.block else 0
        if not below or int(below) not in range(size, words * self.rows.width + 1):
            self.walk.complain(step.index, f"inserted, and writes beyond its block: {step.text}")
        return buffer

    def _store_name(self, step: _Step, buffer: Buffer) -> Buffer:
        return self._begin(step, buffer, buffer.unnamed)

    def _begin(self, step: _Step, buffer: Buffer, size: int) -> Buffer:
        """Begin a block, whose name is stored."""
        label = buffer.holds(step.part["from"])
        row = self.rows.by_label.get(label)
        if row is None:
            self.walk.complain(step.index, f"it stores no segment's name: {step.text}")
        elif row.words * self.rows.width != size:
            self.walk.complain(step.index, f"{size} bytes are reserved for {row.words} words")
        return replace(buffer, block=label, moved=True, unnamed=0)

    def _store(self, step: _Step, buffer: Buffer) -> Buffer:
        row, below = self.rows.by_label.get(buffer.block), int(step.part["below"])
        words = row.words - 1 if row else int(buffer.block == _TWO_WORDS)
        size = _BYTES[step.part["store"]]
        own = range(size - (4 if buffer.block == _TWO_WORDS else 0), words * self.rows.width + 1)
        if below not in own:
            self.walk.complain(step.index, f"inserted, and writes beyond its block: {step.text}")
        return buffer

    def _store_ahead(self, step: _Step, buffer: Buffer) -> Buffer:
        """Store a value right after those that are ahead of the pointer, or a half of one."""
        place, width = int(step.part["ahead"]), self.rows.width
        is_half = _BYTES[step.part["store"]] < width and place == buffer.ahead + width // 2
        size = max(_BYTES[step.part["store"]], width)  # of two words in 32-bit code
        if not (self.rows.is_loose and (place == buffer.ahead + width or is_half)):
            self.walk.complain(step.index, f"{buffer.ahead} bytes are ahead: {step.text}")
        return buffer if is_half else replace(buffer, ahead=buffer.ahead + size)

    def _compare(self, step: _Step, buffer: Buffer) -> Buffer:
        self._require_limit(step, buffer)
        return buffer.put(f"field {step.part.get('result', '')}", _COMPARED)

    def _subtract(self, step: _Step, buffer: Buffer) -> Buffer:
        self._require_limit(step, buffer)
        return buffer.put(step.part["from"], _COMPARED)

    def _require_limit(self, step: _Step, buffer: Buffer) -> None:
        if buffer.holds(step.part["from"]) != _LIMIT:
            self.walk.complain(step.index, f"it compares with what is not the limit: {step.text}")

    def _check(self, step: _Step, buffer: Buffer, result: str) -> Buffer:
        place = result if "from" in step.part else f"field {result}"
        if buffer.holds(place) != _COMPARED:
            self.walk.complain(step.index, f"nothing was compared before: {step.text}")
        return buffer.put(place)

    def _restore(self, step: _Step, buffer: Buffer, what: str) -> Buffer:
        if buffer.holds(step.part["from"]) != what:
            self.walk.complain(step.index, f"{what} is from elsewhere: {step.text}")
        return buffer
