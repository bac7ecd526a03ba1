"""What random functions for POWER10 have in addition: prefixed instructions, pairs of vectors."""

from __future__ import annotations

import os

from tests.fuzz.function import ROOM, Function

TARGETS = ("ppc64", "ppc64le")
"""Those with a processor that knows these instructions."""
PROCESSOR = "power10"
"""What compiler, assembler and emulator call it."""
_VARIABLE = "QEMU_CPU"
_LOADS = {"plwz": 4, "plbz": 1, "plhz": 2, "plha": 2, "plwa": 4, "pld": 8}
_STORES = {"pstw": 4, "pstb": 1, "psth": 2, "pstd": 8}
_FLOATS = {"plfd": 8, "plfs": 4, "pstfd": 8, "pstfs": 4}
_WORDS = 64
"""Bytes at `fuzz_words` that functions touch."""
_FIELDS = (0, 1, 5, 6, 7)


def choose() -> None:
    """Let all programs of this process be for POWER10, and those of the processes it starts."""
    os.environ[_VARIABLE] = PROCESSOR


def is_chosen(target: str) -> bool:
    """Return whether programs for a target are for POWER10."""
    return target in TARGETS and os.environ.get(_VARIABLE) == PROCESSOR


def emulated() -> dict[str, str]:
    """Return the variables of a program's environment that the emulator reads."""
    return {name: os.environ[name] for name in (_VARIABLE,) if name in os.environ}


def renew(f: Function) -> None:
    """Give the other registers of pairs values."""
    f.emit(f"lxvp 12,0({f.base})", f"lxvp 34,32({f.base})")


def plain(f: Function) -> str:
    """Return an instruction that touches no memory."""
    random, r = f.random, f.register
    nonzero = [name for name in f.free if name != "0"]
    return random.choice(
        [
            f"pli {r()},{random.randint(-(1 << 33), (1 << 33) - 1)}",
            f"paddi {r()},{random.choice(nonzero)},{random.randint(-(1 << 20), 1 << 20)},0",
            f"{random.choice(('setbc', 'setbcr', 'setnbc', 'setnbcr'))} {r()},"
            f"{4 * random.choice(_FIELDS) + 2}",
            f"{random.choice(('brh', 'brw', 'brd'))} {r()},{r()}",
            f"{random.choice(('pextd', 'pdepd', 'cfuged'))} {r()},{r()},{r()}",
            f"xxspltiw 33,{random.randrange(1 << 32)}",
            "xxpermx 34,33,34,12,3",
            "xxblendvb 33,33,34,12",
            "pnop",
        ]
    )


def access(f: Function) -> str:
    """Return a load or store of two words, or of a pair of vector registers."""
    random = f.random
    kind = random.randrange(4)
    if kind == 0:
        name = random.choice(("lxvp", "stxvp", "plxvp", "pstxvp"))
        return f"{name} {random.choice(('12', '34'))},{f.offset(32)}({f.base})"
    if kind == 1:
        name = random.choice(("plxv", "pstxv"))
        return f"{name} {random.choice(('33', '34', '12'))},{_place(f, 16)}"
    if kind == 2:
        name, size = random.choice(list(_FLOATS.items()))
        return f"{name} {random.choice('12')},{_place(f, size)}"
    name, size = random.choice(list((_LOADS if random.random() < 0.5 else _STORES).items()))
    return f"{name} {f.register()},{_place(f, size)}"


def _place(f: Function, size: int) -> str:
    """Return an address in the room, or relative to the instruction."""
    if f.random.random() < 0.3:
        return f"fuzz_words+{f.random.randrange(0, _WORDS, size)}@pcrel"
    return f"{f.offset(size)}({f.base}),0"


def far(f: Function) -> None:
    """Write accesses with displacements of more than 16 bits, one of which loads its own base."""
    distance = f.random.choice((0x12340, -0x12340, 1 << 30, -(1 << 32), (1 << 33) - 2 * ROOM))
    with f.without("9"):
        stored = f.register()
    f.emit(f"paddi 9,{f.base},{-distance},0", f"pstw {stored},{distance + f.offset(4)}(9),0")
    f.emit(f"plwz 9,{distance + f.offset(4)}(9),0")


def relative(f: Function) -> None:
    """Take the address of data, and access it by that."""
    offset = f.random.randrange(0, _WORDS, 8)
    f.emit("pla 9,fuzz_words@pcrel", f"{f.random.choice(('ld', 'std'))} 8,{offset}(9)", "li 9,3")


def finish(f: Function) -> None:
    """Fold the other registers of pairs into memory."""
    f.emit(f"stxv 13,16({f.base})", f"stxv 35,48({f.base})")
