"""PowerPC's registers as gdb knows them.

Source: gdb's manual, "PowerPC Features", and gdb's features/rs6000.
"""

from __future__ import annotations

from inst.arch.powerpc.sites import SEGMENTS
from inst.replay.model import Debugger, Shown

_CORE, _FLOATING, _VECTOR = (f"org.gnu.gdb.power.{name}" for name in ("core", "fpu", "altivec"))
_UNKNOWN = 0x9E8D7B6A5F4C3D21
"""A number that no program is likely to compute."""
_UNKNOWN_FIELD = 0b1100
"""Less and greater at once."""


def _features(bits: int) -> tuple[tuple[str, tuple[Shown, ...]], ...]:
    integer = f"int{bits}"
    core = (
        *(Shown(f"r{n}", bits, f"r{n}", integer) for n in range(32)),
        Shown("pc", bits, "pc", "code_ptr"),
        Shown("msr", bits, "", integer),
        Shown("cr", 32, "cr", "int32"),
        Shown("lr", bits, "lr", "code_ptr"),
        Shown("ctr", bits, "ctr", integer),
        Shown("xer", 32, "", "int32"),
    )
    floating = (
        *(Shown(f"f{n}", 64, f"f{n}", "ieee_double") for n in range(32)),
        Shown("fpscr", 32, "", "int32"),
    )
    vector = (
        *(Shown(f"vr{n}", 128, f"v{n}", "uint128") for n in range(32)),
        Shown("vscr", 32, "", "int32"),
        Shown("vrsave", 32, "", "int32"),
    )
    return (_CORE, core), (_FLOATING, floating), (_VECTOR, vector)


def _unknown(register: str, bits: int) -> int | None:
    """Return nothing for XER: instructions copy its summary overflow to condition fields."""
    if register.startswith("cr"):
        return _UNKNOWN_FIELD if register != "cr" else None
    if register in ("xer", "ca", "fpscr", "vscr", "vrsave"):
        return None
    width = {"f": 64, "v": 128}.get(register[0], bits)
    return (_UNKNOWN << 64 | _UNKNOWN) & (1 << width) - 1


PART = Debugger(
    architecture=lambda bits: "powerpc:common64" if bits == 64 else "powerpc:common",
    features=_features,
    unknown=_unknown,
    recording=lambda bits: (SEGMENTS[bits].kept,),
    watched_before=True,
    return_addresses=("lr",),
    program_counter=384,
)
