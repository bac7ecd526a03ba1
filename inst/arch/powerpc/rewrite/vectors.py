"""How values are put as they are in memory: those of floating-point and of VSX registers.

Here is also what else is recorded of accesses that are not plain: with instructions of two words.

Each is stored by the instruction that undoes its load, or does what its own store does, so that
the bytes are the ones in memory, whatever the order of elements is. But for plain numbers these
have no displacement: a register has the address. `lvx` and its kin can only be undone at addresses
that are multiples of 16; where memory is little-endian, the two halves are exchanged instead.
"""

from __future__ import annotations

import re

from inst.arch.powerpc.sites import SEGMENTS
from inst.dataclass import dataclass
from inst.flow.liveness import dead_registers
from inst.isa.model import Access, Form
from inst.rewrite.context import Rewriting

_DOUBLE, _SINGLE, _WHOLE, _DOUBLEWORDS = "stxsdx", "stxsspx", "stxvx", "stxvd2x"
_PLAIN = {_DOUBLE: "stfd", _SINGLE: "stfs"}
"""The same for floating-point registers, with a displacement."""
_STORES = {
    **dict.fromkeys(("lxsd", "lxsdx", "lxvdsx", "stxsd", "stxsdx"), _DOUBLE),
    **dict.fromkeys(("lxssp", "lxsspx", "stxssp", "stxsspx"), _SINGLE),
    **dict.fromkeys(("lxsiwax", "lxsiwzx", "lxvwsx", "stxsiwx"), "stxsiwx"),
    **dict.fromkeys(("lfiwax", "lfiwzx", "stfiwx"), "stfiwx"),
    **dict.fromkeys(("lxsihzx", "stxsihx"), "stxsihx"),
    **dict.fromkeys(("lxsibzx", "stxsibx"), "stxsibx"),
    **{f"{way}xvr{size}x": f"stxvr{size}x" for way in ("l", "st") for size in "bhwd"},
    **dict.fromkeys(("lxv", "lxvx", "stxv", "stxvx"), _WHOLE),
    **{
        f"{way}xv{order}x": f"stxv{order}x"
        for way in ("l", "st")
        for order in ("d2", "w4", "h8", "b16")
    },
    **dict.fromkeys(("lvx", "lvxl", "stvx", "stvxl"), _DOUBLEWORDS),
}
"""What puts the value of each access; those of processors after the first with VSX are used only
where the access is one of the same processor's, or of a later one's."""
_FLOAT = re.compile(r"(l|st)f[sd]u?x?")
_WORD, _PREFIXED = 4, "p"
"""Bytes of an instruction that is not one of two words; how the names of those begin."""
_ELEMENTS = ("lvebx", "lvehx", "lvewx", "stvebx", "stvehx", "stvewx")
"""Accesses of the element that the address chooses: nothing puts that anywhere else."""
_HALVES = 32
"""Vector register n is VSX register 32 + n, floating-point register n the first half of n."""
_CHANGED_BY_CALLS = (*(f"v{n}" for n in range(20)), *(f"f{n}" for n in range(14)))
"""The whole of these VSX registers."""


@dataclass(frozen=True, slots=True)
class _Put:
    """What stores a value."""

    name: str
    """The instruction, whose address is a register."""
    number: int
    """Of the register with the value, among those that the instruction counts."""
    plain: str = ""
    """An instruction that takes a displacement; empty: there is none."""
    before: tuple[str, ...] = ()
    """What runs before it."""


def takes(work: Rewriting, index: int) -> bool:
    """Return whether an access can be recorded inline that no plain load or store is."""
    fact, name = work.code.facts[index], work.code.at(index).name
    access = fact.access
    assert access is not None and access.value is not None
    if fact.length > _WORD:  # only words of one instruction have room in readers' columns
        if work.addresses:
            return False
        if access.value.startswith("r"):
            return access.size <= 8 and access.form in (Form.SIMPLE, Form.SPECIAL)
        name = name.removeprefix(_PREFIXED)
    is_known = name in _STORES or _FLOAT.fullmatch(name) is not None
    if not work.records_values or (access.store and not work.addresses):
        return is_known or name in _ELEMENTS  # no value is recorded
    return is_known and _put(work, index) is not None


def raw_bytes(access: Access) -> int:
    """Return how many bytes a value has that is no integer register's; 0 for one of these."""
    return access.size if access.value and access.value[0] in "fv" else 0


def needs_register(work: Rewriting, index: int) -> bool:
    """Return whether the value of an access is put by way of a register with its address."""
    access = work.code.facts[index].access
    assert access is not None
    found = _put(work, index) if raw_bytes(access) else None
    return found is not None and not found.plain


def put(work: Rewriting, index: int, to: str, below: int) -> list[str]:
    """Store a value below the pointer."""
    found = _put(work, index)
    assert found is not None
    if found.plain:
        return [f"{found.plain} {found.number},-{below}({to[1:]})"]
    through = free_register(work, index, to)[1:]
    return [
        *found.before,
        f"addi {through},{to[1:]},-{below}",
        f"{found.name} {found.number},0,{through}",
    ]


def free_register(work: Rewriting, index: int, to: str) -> str:
    """Return an integer register that is dead where the value is put; empty if none is."""
    fact, live = work.code.facts[index], work.liveness
    access = fact.access
    assert access is not None
    used = live.after[index] if access.load else live.before[index] | fact.uses
    taken = (to, SEGMENTS[work.isa.bits].kept)
    return next((one for one in dead_registers(work.isa, used, 0) if one not in taken), "")


def put_loosely(work: Rewriting, index: int, to: str) -> list[str]:
    """Store what an access has loaded, and move the pointer.

    The runtime finds a value that takes several instructions by the one that moves the pointer
    before the store: it begins again at the load (`runtime/powerpc/segment_words.h`).
    """
    found, width, pointer = _put(work, index), work.isa.bits // 8, to[1:]
    assert found is not None
    access = work.code.facts[index].access
    assert access is not None
    if found.plain and access.size <= width:
        return [f"{found.plain}u {found.number},{width}({pointer})"]
    if found.plain:
        return [f"stwu 1,{access.size}({pointer})", f"stfd {found.number},-{width}({pointer})"]
    moved = [f"addi {pointer},{pointer},{width}"]
    beyond = moved if access.size > width else []
    return [*found.before, *moved, f"{found.name} {found.number},0,{pointer}", *beyond]


def _put(work: Rewriting, index: int) -> _Put | None:
    """Return what stores the value of an access; None where no register is free for that, or the
    processor may not have the instruction."""
    access, name = work.code.facts[index].access, work.code.at(index).name
    assert access is not None and access.value is not None
    number = int(access.value[1:])
    name = name.removeprefix(_PREFIXED)
    if _FLOAT.fullmatch(name):
        plain = "stfs" if access.size == 4 else "stfd"
        return _Put(plain, number, plain)
    store, is_float = _STORES[name], access.value.startswith("f")
    if access.align:
        return _exchanged(work, index, number)
    if is_float and store in _PLAIN:
        return _Put(store, number, _PLAIN[store])
    return _Put(store, number if is_float else _HALVES + number)


def _exchanged(work: Rewriting, index: int, number: int) -> _Put | None:
    """Return what stores the value of `lvx` and its kin.

    A processor with a big-endian program need not have VSX (OpenPOWER ELF V2 ABI 1.5, section 1.1:
    little-endian ones are for POWER8 and later).
    """
    if work.isa.abi != "elfv2":
        return None
    fact, live, bits = work.code.facts[index], work.liveness, work.isa.registers.bit
    used = live.before[index] | live.after[index] | fact.uses | fact.defs
    free = next((one for one in _CHANGED_BY_CALLS if not used & bits[one]), "")
    if not free:
        return None
    through = int(free[1:]) + (_HALVES if free.startswith("v") else 0)
    return _Put(_DOUBLEWORDS, through, before=(f"xxswapd {through},{_HALVES + number}",))
