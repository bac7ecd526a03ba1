"""The interpreter of a target as a library: made from its semantics, compiled once, loaded."""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, NamedTuple

from inst.arch.registry import architecture
from inst.errors import InstError
from inst.replay.model import Field, Row, Semantics
from inst.target.archives import cached_archive, digest
from inst.target.model import Target

_COMPILERS = ("cc", "gcc", "clang")
_OPTIONS = (
    "-O1",
    "-shared",
    "-fPIC",
    "-std=gnu11",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-frounding-math",
    "-ffp-contract=off",
    "-fno-gcse",
    "-fvisibility=default",
    "-w",
)
"""Of the host's compiler. -fno-gcse keeps a jump of its own at the end of each handler."""
_TEMPLATE = "engine.c.j2"
"""It includes the files of `engine/`."""


class Reason(IntEnum):
    """Why the interpreter stopped; the instruction at pc has not been executed."""

    LIMIT = 0
    """As many instructions were executed as were asked for."""
    FEED_END = 1
    """The next instruction takes values from the feed, which has none left, or not enough."""
    DIVERGED = 2
    """The next value of the feed is another instruction's."""
    UNKNOWN_MEMORY = 3
    """A load of memory whose content is not known; `address` and `size` are its place."""
    SYSTEM_CALL = 4
    """The instruction before pc has called the system: what that leaves is to be set."""
    OUTSIDE = 5
    """Control left the code: pc is where it went."""
    UNKNOWN_INSTRUCTION = 6
    """No row has the word, its result is not defined, or it should be recorded and is not."""
    TRAP = 7
    """A trap instruction whose condition is true, or what traps: a division by zero on SPARC."""
    BREAK = 8
    """A breakpoint; running on executes the instruction there."""
    OUTPUT_FULL = 9
    """The columns have no room for what the next instruction reports."""
    NO_MEMORY = 10
    """The machine that runs this has no memory left."""
    WINDOW_UNDERFLOW = 11
    """A restore of a register window that is neither in the state nor in memory that is known;
    `address` and `size` are the place of its registers in the stack."""
    WATCHED = 12
    """An access of memory that is watched, which has not been done; `address` and `size` are its
    place."""


class Column(ctypes.Structure):
    """Ascending addresses."""

    _fields_ = (("rows", ctypes.c_void_p), ("count", ctypes.c_uint64))


class Control(ctypes.Structure):
    """`struct control` of the interpreter."""

    _fields_ = (
        ("sites", Column),
        ("reported", Column),
        ("breakpoints", Column),
        ("loose", Column),
        ("named", Column),
        ("high", Column),
        ("reversed", Column),
        ("ahead", Column),
        ("windowed", Column),
        ("arriving", Column),
        ("feed_pc", ctypes.c_void_p),
        ("feed_value", ctypes.c_void_p),
        ("feed_count", ctypes.c_uint64),
        ("feed_place", ctypes.c_uint64),
        ("out_pc", ctypes.c_void_p),
        ("out_address", ctypes.c_void_p),
        ("out_value", ctypes.c_void_p),
        ("out_kind", ctypes.c_void_p),
        ("out_room", ctypes.c_uint64),
        ("out_count", ctypes.c_uint64),
        ("executed_pc", ctypes.c_void_p),
        ("executed_room", ctypes.c_uint64),
        ("executed_count", ctypes.c_uint64),
        ("changed_row", ctypes.c_void_p),
        ("changed_unit", ctypes.c_void_p),
        ("changed_value", ctypes.c_void_p),
        ("changed_room", ctypes.c_uint64),
        ("changed_count", ctypes.c_uint64),
        ("watches", ctypes.c_void_p),
        ("watch_count", ctypes.c_uint64),
        ("stop_address", ctypes.c_uint64),
        ("stop_word", ctypes.c_uint64),
        ("stop_size", ctypes.c_uint32),
        ("stop_kind", ctypes.c_uint64),
        ("left_out", ctypes.c_uint64),
        ("hold", ctypes.c_uint64),
        ("glue", Column),
        ("pass_until", ctypes.c_uint64),
        ("link_at", ctypes.c_uint64),
        ("link_size", ctypes.c_uint64),
        ("beyond_link", ctypes.c_uint64),
        ("kept_links", ctypes.c_void_p),
        ("kept_count", ctypes.c_uint64),
        ("cursor", ctypes.c_uint64),
        ("buffer", ctypes.c_uint64),
        ("buffer_limit", ctypes.c_uint64),
        ("takers", Column),
        ("returns", Column),
        ("others", Column),
        ("stack_at", ctypes.c_uint64),
        ("stack_size", ctypes.c_uint64),
        ("highest", ctypes.c_uint64),
        ("name_mask", ctypes.c_uint64),
        ("waits", ctypes.c_uint64),
    )


class RoundSearch(ctypes.Structure):
    """`struct rounds` of the interpreter."""

    _fields_ = (
        ("wanted", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
        ("places", ctypes.c_void_p),
        ("masks", ctypes.c_void_p),
        ("count", ctypes.c_uint64),
        ("most", ctypes.c_uint64),
        ("times", ctypes.c_uint64),
        ("found", ctypes.c_uint64),
        ("executed", ctypes.c_uint64),
        ("is_open", ctypes.c_uint64),
        ("other", ctypes.c_uint64),
    )


def fields_of(target: Target) -> tuple[Field, ...]:
    """Return the registers of a target's state, in their order."""
    semantics = architecture(target.isa).part(Semantics)
    counters = (Field("pc"), *([Field("npc")] if semantics.delay_slot else []))
    return (*counters, *semantics.fields)


@dataclass(frozen=True, slots=True)
class Bank:
    """A field of the state of which the changes are reported."""

    offset: int
    """In the state, in bytes."""
    size: int
    """Of all its numbers, in bytes."""
    first: int
    """The unit that its first number is; each number is one."""
    count: int


class Unit(NamedTuple):
    """A number in the state: a register, or 64 bits of one that is wider."""

    register: str
    """Its name in `inst.isa`; "" where that has none."""
    shift: int
    """Which bit of the register its lowest bit is."""


@functools.cache
def banks_of(target: Target) -> tuple[Bank, ...]:
    """Return the fields that hold registers with a name."""
    state = state_type(target)
    registers = architecture(target.isa).part(Semantics).registers(target.bits)
    named = {field for field, _ in registers.values()}
    banks: list[Bank] = []
    for field in fields_of(target):
        if field.name not in named:
            continue
        place = getattr(state, field.name)
        first = banks[-1].first + banks[-1].count if banks else 0
        banks.append(Bank(place.offset, place.size, first, math.prod(field.shape)))
    return tuple(banks)


@functools.cache
def units_of(target: Target) -> tuple[Unit, ...]:
    """Return the units in the order of their numbers."""
    registers = architecture(target.isa).part(Semantics).registers(target.bits)
    shapes = {field.name: field.shape for field in fields_of(target)}
    found: dict[tuple[str, tuple[int, ...]], Unit] = {}
    for name, (field, place) in registers.items():
        parts = [*itertools.product(*map(range, shapes[field][len(place) :]))]
        for number, part in enumerate(parts):
            found[field, (*place, *part)] = Unit(name, 64 * (len(parts) - 1 - number))
    named = {field for field, _ in registers.values()}
    return tuple(
        found.get((field.name, place), Unit("", 0))
        for field in fields_of(target)
        if field.name in named
        for place in itertools.product(*map(range, field.shape))
    )


def rows_of(target: Target) -> list[Row]:
    """Return the instructions that the interpreter of a target executes, in its own order."""
    semantics = architecture(target.isa).part(Semantics)
    return [row for row in semantics.rows() if row.bits <= target.bits]


@functools.cache
def state_type(target: Target) -> type[ctypes.Structure]:
    """Return the structure of a target's registers."""
    members = []
    for field in fields_of(target):
        kind: Any = getattr(ctypes, f"c_uint{field.bits or target.bits}")
        for size in reversed(field.shape):
            kind = kind * size
        members.append((field.name, kind))
    return type("State", (ctypes.Structure,), {"_fields_": tuple(members)})


@functools.cache
def load(target: Target) -> ctypes.CDLL:
    """Return the interpreter of a target, which is compiled if the cache does not have it."""
    library = ctypes.CDLL(str(_compiled(target)))
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    for name, result, *parameters in (
        ("inst_new", pointer),
        ("inst_free", None, pointer),
        ("inst_clear", None, pointer),
        ("inst_state", pointer, pointer),
        ("inst_control", pointer, pointer),
        ("inst_state_size", number),
        ("inst_forget_decoded", None, pointer),
        ("inst_add_code", ctypes.c_int, pointer, number, pointer, number),
        ("inst_write", ctypes.c_int, pointer, number, pointer, number),
        ("inst_read", None, pointer, number, pointer, pointer, number),
        ("inst_unknow", ctypes.c_int, pointer, number, number),
        ("inst_recent", None, pointer, number, pointer, number),
        ("inst_begin_period", None, pointer),
        ("inst_begin_window", ctypes.c_int, pointer),
        ("inst_firsts", pointer, pointer, pointer),
        ("inst_keep", pointer, pointer),
        ("inst_return", None, pointer, pointer),
        ("inst_drop", None, pointer),
        ("inst_arrive", None, pointer),
        ("inst_run", ctypes.c_int, pointer, number, pointer),
        ("inst_run_rounds", ctypes.c_int, pointer, pointer),
        ("inst_row", ctypes.c_int, number),
    ):
        function = getattr(library, str(name))
        function.restype, function.argtypes = result, parameters
    assert library.inst_state_size() == ctypes.sizeof(state_type(target))
    return library


def source(target: Target) -> str:
    """Return the C of a target's interpreter."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    semantics, rows = architecture(target.isa).part(Semantics), rows_of(target)
    folder = Path(__file__).parent
    environment = Environment(
        loader=FileSystemLoader((folder, folder / "engine")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(_TEMPLATE).render(
        fields=list(_declarations(target)),
        reasons=[(one.name, one.value) for one in Reason],
        rows=rows,
        banks=banks_of(target),
        apart_numbers=[sum(row.is_apart for row in rows[:place]) for place in range(len(rows))],
        prelude="\n".join(path.read_text() for path in semantics.prelude),
        delay_slot=semantics.delay_slot,
        unwritten=semantics.unwritten,
        prefix=semantics.prefix,
    )


def _declarations(target: Target) -> Iterator[tuple[str, str, str]]:
    for field in fields_of(target):
        kind = f"u{field.bits}" if field.bits else "ureg"
        yield kind, field.name, "".join(f"[{size}]" for size in field.shape)


def _compiled(target: Target) -> Path:
    command = [_compiler(), *_options(target)]
    text = source(target)
    key = digest(command, ("replay/library.py",), text)
    return cached_archive(
        f"replay-{target.name}", key, lambda scratch: _compile(command, text, target, scratch)
    )


def _options(target: Target) -> tuple[str, ...]:
    little = int(target.byte_order == "little")
    return (*_OPTIONS, f"-DINST_BITS={target.bits}", f"-DINST_LITTLE={little}")


def _compiler() -> str:
    for name in _COMPILERS:
        if shutil.which(name):
            return name
    raise InstError(
        "re-execution needs a C compiler for this machine, and there is none",
        hint="on Debian: sudo apt-get install gcc",
    )


def _compile(command: list[str], text: str, target: Target, scratch: Path) -> Path:
    written, made = scratch / "engine.c", scratch / "engine.so"
    written.write_text(text)
    done = subprocess.run(
        [*command, "-o", str(made), str(written), "-lm"], capture_output=True, check=False
    )
    if done.returncode:
        message = done.stderr.decode(errors="replace").rstrip()
        raise InstError(f"the interpreter of {target.name} does not compile\n{message}")
    return made
