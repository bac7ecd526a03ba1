"""The instructions of segments for SPARC.

The cursor is one instruction away, by the thread pointer %g7. The pointer is %g6, where it stays
from one segment to the next, and the other register %g5 in 32-bit code, where calls may change both
(or the two that the builder has chosen); in 64-bit code it is one that is dead.
The trailer is made by `sethi` and `or`: in 64-bit code the upper half of its word is 0.

Values that follow each other are stored ahead of the pointer, which is moved once a segment, after
the last of its values.

The runtime recognises the instructions that move the pointer and store the trailer, and readers of
recordings do: their order and forms are fixed.

What the linker makes of an access to the GOT, an addition, has the operands of the access: the
slots of their registers serve for both, and readers find in the code which one it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inst.arch.sparc.rewrite import windows
from inst.arch.sparc.rewrite.parts import UPPER_FLOATS, WHOLE_STATUS, is_float
from inst.arch.sparc.rewrite.site import SPILLED, call_sequence, site_of, spill
from inst.arch.sparc.sites import SEGMENTS
from inst.asm.operands import split_operands
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form, RegisterSet
from inst.rewrite.context import Rewriting
from inst.rewrite.record.model import CURSOR, LIMIT, ROOM, SYMBOL, Effect, Reservation
from inst.rewrite.segment_table import IMAGE

_HIGH = re.compile(r"%hi\((\w+)\)")
_NAMES = {"sp": "o6", "fp": "i6", **{f"r{n}": f"{'goli'[n // 8]}{n % 8}" for n in range(32)}}
_REGISTER = re.compile(r"[goli][0-7]")
_ZERO = "g0"


def takes(work: Rewriting, index: int) -> bool:
    """Return whether an access can be recorded inline."""
    access = work.code.facts[index].access
    assert access is not None
    value = access.value
    if access.form != Form.SIMPLE or access.asi or value is None or access.size not in (1, 2, 4, 8):
        return False
    if access.load and value == _ZERO and access.registers == 1:
        return False
    if work.isa.bits == 64 or access.size < 8:
        return True
    if is_float(value):
        return int(value[1:]) < 32
    return access.registers > 1


def loads_constant(work: Rewriting, index: int) -> bool:
    """Return whether an instruction loads an address from the GOT (`%gdop`), or the distance of a
    thread-local variable."""
    access = work.code.facts[index].access
    return access is not None and access.load and access.linker_rewrites


def pointer(work: Rewriting, used: RegisterSet) -> str:
    """Return the register for the pointer; empty where the program uses what sites may change."""
    scratch = work.isa.registers.mask(*site_of(work).scratch)
    return "" if used & scratch & work.named else site_of(work).scratch[-1]


def kept(work: Rewriting) -> str:
    """Return %g6, unless calls report functions, which change it, or the cursor is no thread's."""
    options = work.options
    is_kept = not (options.global_cursor or options.functions)
    return SEGMENTS[work.isa.bits].kept if is_kept else ""


def passes(function: str) -> bool:
    """Return whether a function only reads where it is called, for the address of the GOT."""
    return function.startswith("__sparc_get_pc_thunk.")


def store_pointer(work: Rewriting) -> str:
    """Store the pointer as the cursor."""
    return f"{site_of(work).store} %{site_of(work).scratch[-1]},{_thread_word(work, '')}"


def reserve(work: Rewriting, place: Reservation) -> list[str] | None:
    """Return the code that reserves space for a segment, and names a block.

    Hooks take less time where no register is dead, or a comparison would change condition codes
    that are live.
    """
    if work.options.global_cursor:
        return _reserve_globally(work, place)
    first = _have_room(work, place)
    if first is None or not _is_block(work, place):
        return first
    scratch, spilled = _scratch(work, place)
    if spilled:
        return None
    to = f"%{place.pointer}"
    return [
        *first,
        *_name(work, place, scratch),
        f"add {to},{place.bytes},{to}",
        f"{site_of(work).store} %{scratch},[{to}]",
        *([store_pointer(work)] if place.stores else []),
    ]


def _have_room(work: Rewriting, place: Reservation) -> list[str] | None:
    """Return the code that has the pointer in its register, and room after it where it checks.

    The pointer is stored before what makes room, and loaded after: that may be in another buffer.
    """
    site, to, cursor = site_of(work), f"%{place.pointer}", _thread_word(work, "")
    load, store = f"{site.load} {cursor},{to}", f"{site.store} {to},{cursor}"
    first = [load] if place.loads else []
    if not place.checked:
        return first
    scratch, spilled = _scratch(work, place)
    room = call_sequence(work, place.index, ROOM, work.liveness.before[place.index])
    room = room if place.loads else [store, *room, load]
    if not spilled and _can_compare(work, place):
        past = f"{place.label}room"
        check = _check(work, place, to, f"%{scratch}")
        return [*first, *check, *room, f"ba,a {place.label}", f"{past}:"]
    if not place.arrives:
        return None
    return [*room, load] if place.loads else room


def _name(work: Rewriting, place: Reservation, scratch: str) -> list[str]:
    """Return the code that makes a name in a register, without what the slot of a check has."""
    high, low = (f"%{part}({IMAGE}+(.-{place.label}))" for part in ("pc22", "pc10"))
    first = [] if fills(work, place) else [f"sethi {high},%{scratch}"]
    return [*first, f"or %{scratch},{low},%{scratch}"]


def _reserve_globally(work: Rewriting, place: Reservation) -> list[str] | None:
    """Return the same for 32-bit code whose cursor is a word at a fixed address.

    What runs from the load of the cursor to its store begins again at the `sethi` before, if an
    interrupt comes in between (`runtime/sparc/flight_steps.h`): it may be done any number of times.
    """
    if place.checked and not _can_compare(work, place):
        return None
    site, to = site_of(work), f"%{place.pointer}"
    other = f"%{next(one for one in site.scratch if one != place.pointer)}"
    high, low = (f"%{part}({IMAGE}+(.-{place.label}))" for part in ("pc22", "pc10"))
    code = [f"sethi %hi({CURSOR}),{other}", f"ld [{other}+%lo({CURSOR})],{to}"]
    make = f"sethi {high},{other}"
    if place.checked:
        past = f"{place.label}room"
        code += [f"sethi %hi({LIMIT}),{other}", f"ld [{other}+%lo({LIMIT})],{other}"]
        code += [f"cmp {to},{other}", f"blu {past}", make]
        code += call_sequence(work, place.index, ROOM, work.liveness.before[place.index])
        code += [f"ba,a {place.label}", f"{past}:"]
    else:
        code += [make]
    return [
        *code,
        f"or {other},{low},{other}",
        f"add {to},{place.bytes},{to}",
        f"st {other},[{to}]",
        f"sethi %hi({CURSOR}),{other}",
        f"st {to},[{other}+%lo({CURSOR})]",
    ]


def _thread_word(work: Rewriting, addend: str) -> str:
    return f"[%{SEGMENTS[work.isa.bits].thread}+%tle_lox10({SYMBOL}{addend})]"


def _scratch(work: Rewriting, place: Reservation) -> tuple[str, bool]:
    """Return the register in which the trailer is made, and whether it is live."""
    others = [one for one in site_of(work).scratch if one != place.pointer]
    if others:
        return others[0], False
    avoid = work.isa.registers.bit[place.pointer]
    dead = dead_registers(work.isa, work.liveness.before[place.index], avoid)
    return (dead[0], False) if dead else (SPILLED, True)


def _can_compare(work: Rewriting, place: Reservation) -> bool:
    """Return whether the limit can be checked: in 32-bit code that changes the condition codes."""
    live = work.liveness.before[place.index]
    return site_of(work).wide or not live & work.isa.registers.bit["icc"]


def _check(work: Rewriting, place: Reservation, to: str, other: str) -> list[str]:
    """Return the code that branches past the call of the room, for blocks without its slot."""
    site, past = site_of(work), f"{place.label}room"
    limit = f"{site.load} {_thread_word(work, f'+{site.width}')},{other}"
    annul = ",a" if place.slot else ""
    slot = [place.slot or _first_half(work, place, other)]
    if site.wide:  # the two are addresses of one chunk, or the limit is 0
        branch = f"brlz{annul},pt {other},{past}"
        return [limit, f"sub {to},{other},{other}", branch, *slot]
    return [limit, f"cmp {to},{other}", f"blu{annul} {past}", *slot]


def _first_half(work: Rewriting, place: Reservation, other: str) -> str:
    """Return what stands in the slot of a check: if a name comes next, the first half of that."""
    is_named = place.named or _is_block(work, place)
    return f"sethi %pc22({IMAGE}+(.-{place.label})),{other}" if is_named else "nop"


def _is_block(work: Rewriting, place: Reservation) -> bool:
    """Return whether a block is reserved, and not only room made."""
    return work.addresses and place.bytes > 0


def fills(work: Rewriting, place: Reservation) -> bool:
    """Return whether a check has a slot for what comes after it: if it compares."""
    return place.checked and not _scratch(work, place)[1] and _can_compare(work, place)


def put(work: Rewriting, register: str, to: str, below: int) -> str:
    """Store a register below the pointer."""
    return f"{site_of(work).store} %{register},[%{to}-{below}]"


def raw_bytes(work: Rewriting, access: Access) -> int:
    """Return how many bytes a floating-point value or a pair takes; 0: it is one register."""
    value = access.value
    return access.size if access.registers > 1 or (value and is_float(value)) else 0


def put_raw(work: Rewriting, index: int, to: str, below: int) -> list[str]:
    """Store such a value below the pointer, as it is in memory."""
    access = work.code.facts[index].access
    assert access is not None and access.value is not None
    value = access.value
    if access.size == 8 and (access.registers > 1 or work.isa.bits == 32):
        bank, number = value[0], int(value[1:])
        places = (_from(to, 4 * n - below) for n in range(2))
        return [f"st %{bank}{number + n},{at}" for n, at in enumerate(places)]
    return [f"{'st' if access.size == 4 else 'std'} %{value},{_from(to, -below)}"]


def _from(to: str, distance: int) -> str:
    return f"[%{to}{distance:+}]"


def name_loosely(work: Rewriting, place: Reservation, label: str) -> list[str]:
    """Store a segment's name, by the instruction with the label; no value is ahead of it."""
    scratch, spilled = _scratch(work, place)
    frame, back = spill(work) if spilled else ((), ())
    (store,) = put_loosely(work, scratch, place.pointer, 0)
    return [*frame, *_name(work, place, scratch), f"{label}: {store}", *back]


def put_loosely(work: Rewriting, register: str, to: str, ahead: int) -> list[str]:
    """Store a register ahead of the pointer, which is at the last word written."""
    at = f"[%{to}+{ahead + site_of(work).width}]"
    if register in UPPER_FLOATS:
        return [f"std %{register},{at}"]
    if register == WHOLE_STATUS:
        return [f"stx %fsr,{at}"]
    return [f"{'st' if is_float(register) else site_of(work).store} %{register},{at}"]


def put_value_loosely(work: Rewriting, index: int, to: str, ahead: int) -> list[str]:
    """Store what an access has loaded ahead of the pointer, as it is in memory if it is raw."""
    access = work.code.facts[index].access
    assert access is not None and access.value is not None
    if raw_bytes(work, access):
        return put_raw(work, index, to, -(ahead + site_of(work).width))
    return put_loosely(work, access.value, to, ahead)


def frames(work: Rewriting) -> Iterator[int]:
    """Yield the saves whose frames are recorded: where it is known that traces have these."""
    if kept(work) and work.addresses:
        yield from (one for one in windows.frames(work) if windows.frame_size(work, one))


def put_frame(work: Rewriting, index: int, to: str) -> list[str]:
    """Store the address of a frame, and then its size, which is never 0."""
    site, place = site_of(work), Reservation(index, "", to, 0, checked=False)
    other = f"%{_scratch(work, place)[0]}"
    address = [f"add %sp,{site.bias},{other}"] if site.bias else []
    return [
        *address,
        f"{site.store} {other if site.bias else '%sp'},[%{to}-{2 * site.width}]",
        f"sub %fp,%sp,{other}",
        f"{site.store} {other},[%{to}-{site.width}]",
    ]


def move(to: str, count: int) -> str:
    """Move the pointer over what has been written ahead of it."""
    return f"add %{to},{count},%{to}"


def store_moved(work: Rewriting, to: str) -> list[str]:
    """Store a pointer that is not kept as the cursor, when it has been moved."""
    return [] if to == kept(work) else [store_pointer(work)]


CALLS = re.compile(r"[ \t]*call[ \t]+[\w.$]+(,[ \t]*0)?[ \t]*$", re.MULTILINE)
"""A call of a function by its name, or a tail call: what is in the slot tells the two apart."""


def effect(work: Rewriting, index: int) -> Effect | None:
    """Return what copies, and additions and loads of numbers, leave in a register."""
    statement = work.code.at(index)
    operands = split_operands(statement.operands)
    target = _register(operands[-1]) if operands else ""
    read = _EFFECTS.get(statement.name)
    if not target or read is None:
        return None
    found = read(list(operands[:-1]), target)
    if found is None:
        return None
    source, number = found
    if work.isa.bits == 32 and number >= 1 << 31:
        number -= 1 << 32
    return Effect(target, "" if source == _ZERO else source, number)


Found = tuple[str, int] | None
"""A source register and what is added to it."""


def _sum(operands: list[str], target: str) -> Found:
    if len(operands) != 2:
        return None
    source, number = _register(operands[0]), _number(operands[1])
    return (source, number) if source and number is not None else None


def _difference(operands: list[str], target: str) -> Found:
    found = _sum(operands, target)
    return found and (found[0], -found[1])


def _either(operands: list[str], target: str) -> Found:
    """Take `or` where it copies a register or loads a number."""
    found = _sum(operands, target)
    if found and (found[0] == _ZERO or found[1] == 0):
        return found
    if len(operands) == 2 and _register(operands[0]) == _ZERO:
        return _copy(operands[1:], target)
    return None


def _copy(operands: list[str], target: str) -> Found:
    if len(operands) != 1:
        return None
    source, number = _register(operands[0]), _number(operands[0])
    if source:
        return source, 0
    return None if number is None else (_ZERO, number)


def _high(operands: list[str], target: str) -> Found:
    match = _HIGH.fullmatch(operands[0]) if operands else None
    number = _number(match[1]) if match else None
    return None if number is None else (_ZERO, number & 0xFFFFFC00)


def _zero(operands: list[str], target: str) -> Found:
    return None if operands else (_ZERO, 0)


def _more(operands: list[str], target: str) -> Found:
    return _sum([f"%{target}", *(operands or ["1"])], target)


def _less(operands: list[str], target: str) -> Found:
    return _difference([f"%{target}", *(operands or ["1"])], target)


_EFFECTS = {
    "add": _sum,
    "sub": _difference,
    "or": _either,
    "mov": _copy,
    "sethi": _high,
    "clr": _zero,
    "inc": _more,
    "dec": _less,
}


def _register(text: str) -> str:
    """Return the name of an integer register in the tables; empty for other operands."""
    name = text.strip().removeprefix("%")
    name = _NAMES.get(name, name)
    return name if text.strip().startswith("%") and _REGISTER.fullmatch(name) else ""


def _number(text: str) -> int | None:
    """Return a number; `%g0` is one, too."""
    if _register(text) == _ZERO:
        return 0
    try:
        return int(text.strip(), 0)
    except ValueError:
        return None
