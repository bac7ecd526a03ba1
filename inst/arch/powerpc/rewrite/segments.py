"""The instructions of segments for PowerPC.

The cursor is one instruction away, by the thread pointer: r2 in 32-bit code, r13 in 64-bit code.
The trailer is stored by the same instruction that moves the pointer, and slots lie below it.

The runtime recognises the instructions from the load of the cursor to its store, and begins again
there when a handler has moved the cursor: their order and forms are fixed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inst.arch.powerpc.rewrite import vectors
from inst.arch.powerpc.rewrite.parts import SPILLABLE
from inst.arch.powerpc.rewrite.probes import count_sequence
from inst.arch.powerpc.sites import SEGMENTS, SITES, Segment
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import CURSOR, LIMIT, ROOM, SYMBOL, Reservation
from inst.rewrite.record.recorder import Spill
from inst.rewrite.segment_table import IMAGE

_FIELDS = ("cr7", "cr6", "cr5", "cr1", "cr0", "cr2", "cr3", "cr4")
_KEPT_FIELD = "7"
"""The field that is saved where none is dead; `mtcrf 1` restores it."""
_LOW = re.compile(r"[\w.$]+([-+]\d+)?@l")
"""An offset of 32-bit code that the linker leaves in its place."""


def _segment(work: Rewriting) -> Segment:
    return SEGMENTS[work.isa.bits]


def _thread_word(work: Rewriting, addend: str = "") -> str:
    """Return the operand of the cursor, or of what lies after it."""
    return f"{SYMBOL}@tprel{addend}({_segment(work).thread[1:]})"


def _limit(work: Rewriting) -> str:
    return _thread_word(work, f"+{work.isa.bits // 8}")


def takes(work: Rewriting, index: int) -> bool:
    """Return whether an access can be recorded inline."""
    access = work.code.facts[index].access
    assert access is not None
    value = access.value
    if value is None or access.linker_rewrites or "@tls" in access.offset:
        return False
    if access.base is None and access.offset and not access.offset.lstrip("-").isdigit():
        return not work.addresses and vectors.takes(work, index)
    if access.form != Form.SIMPLE or access.align or access.size > 8:
        return vectors.takes(work, index)
    if value.startswith("f"):
        return not access.byte_reversed
    if work.small_data and "@sda" in access.offset:
        return False
    return value.startswith("r") and value[1:].isdigit()


def pointer(work: Rewriting, used: RegisterSet) -> str:
    """Return a register for the pointer: not r0, which as a base is the number 0.

    Where liveness knows nothing, every register is in use, but not one that the code never names.
    """
    own = kept(work)
    free = [one for one in dead_registers(work.isa, used, 0) if one != "r0"]
    if own == "r13" or own in free or (own and not work.isa.registers.bit[own] & work.mentioned):
        return own
    return free[-1] if free else ""


def spilled(work: Rewriting, arriving: tuple[str, ...]) -> str:
    """Return a register for the pointer where all are in use: not one of those that arrive.

    It waits in a word behind the limit, which the runtime keeps where handlers of signals run.
    """
    if work.isa.bits == 32:
        return ""  # r13 is free, or code with small data is in the way
    others = {*arriving, kept(work)}
    return next((one for one in SPILLABLE if one not in others), "")


def spill_pointer(work: Rewriting, to: str) -> Spill:
    """Return code that saves that register in its word, and what restores it."""
    form, word = _segment(work), _thread_word(work, f"+{2 * work.isa.bits // 8}")
    return (f"{form.store} {to[1:]},{word}",), (f"{form.load} {to[1:]},{word}",)


def kept(work: Rewriting) -> str:
    """Return r13 in 32-bit code without small data, where it is free in the entire program.

    In 64-bit code it is r11: GCC is asked to leave it alone (`Targets.gcc_record_options`).
    """
    return "" if work.small_data and work.isa.bits == 32 else _segment(work).kept


def store_pointer(work: Rewriting) -> str:
    """Store that register as the cursor."""
    return f"{_segment(work).store} {kept(work)[1:]},{_thread_word(work)}"


def reserve(work: Rewriting, place: Reservation) -> list[str] | None:
    """Return the code that reserves space for a segment."""
    if work.options.global_cursor:
        return _reserve_globally(work, place)
    live = work.liveness.before[place.index]
    scratch = _scratch(work, place.pointer, live)
    segment, to, cursor = _segment(work), place.pointer[1:], _thread_word(work)
    code = [f"{segment.load} {to},{cursor}"] if place.loads else []
    if place.count:
        code += _counted_check(work, place, live)
    elif place.checked:
        code += _check(work, place, scratch, live)
    if not (work.addresses and place.bytes):
        return code
    register, label = place.base
    if place.leaves_name:
        number = place.leaves_name[1:]
        return [*code, *_distance(place, number), f"{segment.update} {number},{place.bytes}({to})"]
    number = scratch.number
    made = [f"addi {number},{register[1:]},{label}-{place.label}"] if register else []
    name = [*(made or _distance(place, number)), f"{segment.update} {number},{place.bytes}({to})"]
    stored = [f"{segment.store} {to},{cursor}"] if place.stores else []
    return [*code, *scratch.around(name), *stored]


def _reserve_globally(work: Rewriting, place: Reservation) -> list[str]:
    """Return the same for 32-bit code whose cursor is a word at a fixed address.

    What runs from the load of the cursor to its store begins again at the `lis` before, if an
    interrupt comes in between (`runtime/powerpc/flight_steps.h`): it may be done any number of
    times. So registers are saved before it, and restored after it.
    """
    live = work.liveness.before[place.index]
    scratch, to = _scratch(work, place.pointer, live), place.pointer[1:]
    number, save, restore = scratch.number, scratch.save, scratch.restore
    check: list[str] = []
    if place.checked:
        field, past = _free_field(work, live), f"{place.label}room"
        if not field:
            field = _KEPT_FIELD
            save, restore = _with_field(work, place.pointer, scratch, live)
        check = [
            f"lis {number},{LIMIT}@ha",
            f"lwz {number},{LIMIT}@l({number})",
            f"cmplw {field},{to},{number}",
            f"blt+ {field},{past}",
            *restore,
            *count_sequence(work, place.index, ROOM),
            f"b {place.label}",
            f"{past}:",
        ]
    return [
        *save,
        f"lis {to},{CURSOR}@ha",
        f"lwz {to},{CURSOR}@l({to})",
        *check,
        *_distance(place, number),
        f"stwu {number},{place.bytes}({to})",
        f"lis {number},{CURSOR}@ha",
        f"stw {to},{CURSOR}@l({number})",
        *restore,
    ]


def _distance(place: Reservation, number: str) -> list[str]:
    """Return code that makes the name of a segment in a register."""
    distance = f"({IMAGE}-{place.label})"
    return [f"lis {number},{distance}@h", f"ori {number},{number},{distance}@l"]


@dataclass(frozen=True, slots=True)
class _Scratch:
    """A register that code may change, and what saves it where it is live."""

    number: str
    save: tuple[str, ...] = ()
    restore: tuple[str, ...] = ()

    def around(self, code: list[str]) -> list[str]:
        """Return code between saving and restoring."""
        return [*self.save, *code, *self.restore]


def _scratch(work: Rewriting, pointer: str, live: RegisterSet) -> _Scratch:
    """Return a register that is dead or saved; where the cursor's address is made in it, not r0."""
    is_base = work.options.global_cursor
    others = {pointer, "" if work.addresses else kept(work), "r0" if is_base else ""}
    dead = [one for one in dead_registers(work.isa, live, 0) if one not in others]
    if dead:
        return _Scratch(dead[0][1:])
    site = SITES[work.isa.abi].shared
    register = "12" if pointer != "r12" else "11" if is_base else "0"
    place = f"{register},{site.slot}(1)"
    save = (f"{site.push} 1,-{site.frame}(1)", f"{site.store} {place}")
    return _Scratch(register, save, (f"{site.load} {place}", f"addi 1,1,{site.frame}"))


def _check(work: Rewriting, place: Reservation, scratch: _Scratch, live: RegisterSet) -> list[str]:
    """Return code that makes room if the limit is reached.

    The pointer is stored before, and loaded again after: the room may be in another buffer.
    """
    free = _free_field(work, live)
    field = free or _KEPT_FIELD
    segment, to, past = _segment(work), place.pointer[1:], f"{place.label}room"
    cursor, number = _thread_word(work), scratch.number
    code = [f"{segment.load} {number},{_limit(work)}", f"{segment.compare} {field},{to},{number}"]
    before, restore = (
        (scratch.around(code), ())
        if free
        else _keeping_field(work, code, place.pointer, scratch, live)
    )
    again = place.loads or bool(restore)
    return [
        *before,
        f"blt+ {field},{past}",
        *restore,
        *([] if place.loads else [f"{segment.store} {to},{cursor}"]),
        *count_sequence(work, place.index, ROOM),
        *([] if place.loads else [f"{segment.load} {to},{cursor}"]),
        *([f"b {place.label}"] if again else []),
        f"{past}:",
        *restore,
    ]


def set_counter(work: Rewriting, index: int, count: int, looks: bool) -> list[str] | None:
    """Set the count register before an instruction; None if there is no register for that, or no
    condition field, if the limit is to be looked at as well."""
    number = _counting(work, index)
    if not number or (looks and not _free_field(work, work.liveness.before[index])):
        return None
    return _counter_set(number, count)


def _counting(work: Rewriting, index: int) -> str:
    """Return the number of a register that is free for the count; empty if there is none."""
    dead = dead_registers(work.isa, work.liveness.before[index], 0)
    return next((one[1:] for one in dead if one != kept(work)), "")


def _counter_set(number: str, count: int) -> list[str]:
    return [f"li {number},{count}", f"mtctr {number}"]


def _counted_check(work: Rewriting, place: Reservation, live: RegisterSet) -> list[str]:
    """Return code that counts a check, and makes room if one in so many finds the limit reached."""
    number, field = _counting(work, place.index), _free_field(work, live)
    assert number and field, "the counter has been set before"
    segment, cursor = _segment(work), _thread_word(work)
    to, past = place.pointer[1:], f"{place.label}room"
    return [
        f"bdnz {past}",
        f"{segment.load} {number},{_limit(work)}",
        f"{segment.compare} {field},{to},{number}",
        f"blt+ {field},{place.label}set",
        *([] if place.loads else [f"{segment.store} {to},{cursor}"]),
        *count_sequence(work, place.index, ROOM),
        f"{segment.load} {to},{cursor}",
        f"{place.label}set:",
        *_counter_set(number, place.count),
        f"{past}:",
    ]


def _free_field(work: Rewriting, live: RegisterSet) -> str:
    """Return the number of a condition field that is dead; empty if there is none."""
    bit = work.isa.registers.bit
    return next((one[2:] for one in _FIELDS if not live & bit[one]), "")


def _keeping_field(
    work: Rewriting, code: list[str], pointer: str, scratch: _Scratch, live: RegisterSet
) -> tuple[list[str], tuple[str, ...]]:
    """Return code after what saves a condition field, and what restores that.

    It is kept in a dead register, or in a frame, where the scratch register lies as well if it is
    live.
    """
    keeper = _keeper(work, pointer, scratch, live)
    if keeper:
        return [f"mfcr {keeper}", *scratch.around(code)], (f"mtcrf 1,{keeper}",)
    save, restore = _with_field(work, pointer, scratch, live)
    return [*save, *code], restore


def _keeper(work: Rewriting, pointer: str, scratch: _Scratch, live: RegisterSet) -> str:
    """Return the number of a dead register for a condition field; empty if there is none."""
    others = {pointer, f"r{scratch.number}"}
    return next((one[1:] for one in dead_registers(work.isa, live, 0) if one not in others), "")


def _with_field(
    work: Rewriting, pointer: str, scratch: _Scratch, live: RegisterSet
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what saves the scratch register and a condition field, and what restores both."""
    keeper = _keeper(work, pointer, scratch, live)
    if keeper:
        return (*scratch.save, f"mfcr {keeper}"), (f"mtcrf 1,{keeper}", *scratch.restore)
    site, number = SITES[work.isa.abi].shared, scratch.number
    place = f"{number},{site.link_slot}(1)"
    push = scratch.save or (f"{site.push} 1,-{site.frame}(1)",)
    pop = scratch.restore or (f"addi 1,1,{site.frame}",)
    save = (*push, f"mfcr {number}", f"{site.store} {place}")
    return save, (f"{site.load} {place}", f"mtcrf 1,{number}", *pop)


def put(work: Rewriting, register: str, to: str, below: int) -> str:
    """Store a register below the pointer."""
    return f"{_segment(work).store} {register[1:]},-{below}({to[1:]})"


def raw_bytes(_work: Rewriting, access: Access) -> int:
    """Return how many bytes a value has that is no integer register's; 0 for one of these."""
    return vectors.raw_bytes(access)


def can_put_raw(work: Rewriting, index: int, to: str) -> bool:
    """Return whether a register is free for storing such a value, if that needs one."""
    return not vectors.needs_register(work, index) or bool(vectors.free_register(work, index, to))


def name_loosely(work: Rewriting, place: Reservation, label: str) -> list[str]:
    """Store a segment's name, and move the pointer; the instruction that does has a label."""
    scratch = _scratch(work, place.pointer, work.liveness.before[place.index])
    (store,) = put_loosely(work, f"r{scratch.number}", place.pointer, 0)
    return scratch.around([*_distance(place, scratch.number), f"{label}: {store}"])


def put_loosely(work: Rewriting, register: str, to: str, _ahead: int) -> list[str]:
    """Store a register, and move the pointer; what runs last stores the register.

    In 32-bit code a number of double precision takes two instructions, since the pointer is at
    the last word written: both are stores.
    """
    width, number, pointer = work.isa.bits // 8, register[1:], to[1:]
    if not register.startswith("f"):
        return [f"{_segment(work).update} {number},{width}({pointer})"]
    if width == 8:
        return [f"stfdu {number},8({pointer})"]
    return [f"stwu 1,8({pointer})", f"stfd {number},-4({pointer})"]


def put_value_loosely(work: Rewriting, index: int, to: str, _ahead: int) -> list[str]:
    """Store what an access has loaded, and move the pointer."""
    access = work.code.facts[index].access
    assert access is not None and access.value is not None
    if vectors.raw_bytes(access):
        return vectors.put_loosely(work, index, to)
    return put_loosely(work, access.value, to, 0)


def store_moved(work: Rewriting, to: str) -> list[str]:
    """Store a pointer that is not kept as the cursor, each time it has been moved."""
    if to == kept(work):
        return []
    return [f"{_segment(work).store} {to[1:]},{_thread_word(work)}"]


def copy(source: str, to: str) -> str:
    """Copy an integer register to another one."""
    return f"mr {to[1:]},{source[1:]}"


def has_stored(to: str) -> list[str]:
    """Make a register 1 if the conditional store before has stored (as cr0 says), and 0 if not."""
    return [f"mfcr {to[1:]}", f"rlwinm {to[1:]},{to[1:]},3,31,31"]


def needs_address(work: Rewriting, index: int) -> bool:
    """Return whether the linker may give an access another base register."""
    access = work.code.facts[index].access
    assert access is not None
    if "@" not in access.offset:
        return False
    return work.isa.bits == 64 or not _LOW.fullmatch(access.offset)


def linked_address(work: Rewriting, index: int, to: str) -> tuple[str, list[str]] | None:
    """Compute an address as the access does, so that the linker changes both alike."""
    fact, live = work.code.facts[index], work.liveness.before[index]
    access = fact.access
    assert access is not None
    dead = [one for one in dead_registers(work.isa, live, fact.uses | fact.defs) if one != to]
    if not dead or access.base is None:
        return None
    return dead[0], [f"addi {dead[0][1:]},{access.base[1:]},{access.offset}"]
