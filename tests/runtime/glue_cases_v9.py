"""Assembly that calls every entry of the 64-bit SPARC glue with known junk in every register."""

from __future__ import annotations

from glue_cases import KEPT, LOADS, SPARC_FLAGS, SPECIAL, VALUED, Case, tables

SIZES = {"b": 1, "h": 2, "w": 4, "d": 8}
_NAMES = [f"{bank}{n}" for bank in "goli" for n in range(8)]
_LOADED = [name for name in _NAMES if name not in ("g0", "g6", "g7", "o6", "i6", "i7")]
_KEEP = ("add %sp, -192, %sp", "stx %o7, [%sp+2223]")
# Bytes of the register file behind the 32 integer registers, and how each is read and written.
_FLOATS, _Y, _CODES, _STATE, _SPACE, _GRAPHICS = 256, 512, 520, 528, 536, 544
_STATES = {_Y: "%y", _CODES: "%ccr", _SPACE: "%asi", _GRAPHICS: "%asr19"}


def word(register: str) -> int:
    """Return where matrix.c finds a register."""
    if register[0] == "f":
        return _FLOATS // 4 + int(register[1:])
    return 2 * _NAMES.index(register)


def cases() -> list[Case]:
    """Return a case for each name of the glue."""
    found = []
    for kind in ("ld", "st"):
        for letter, size in SIZES.items():
            for flags in SPARC_FLAGS:
                values = ["", *_values(size, "k" in flags)]
                found += [_case(kind, letter, size, value, flags) for value in values]
                if kind == "ld" and "k" in flags:
                    found += [_after(letter, size, value, flags) for value in values[1:]]
    return found + [_rare(flags) for flags in SPARC_FLAGS]


def _values(size: int, kept: bool) -> list[str]:
    integers = [name for name in _NAMES if name != "g6" and (kept or name != "o7")]
    step = size // 4
    return integers + ([f"f{n}" for n in range(0, 32 * step, step)] if step else [])


def _mask(flags: str) -> int:
    return (SPECIAL if "x" in flags else 0) | (KEPT if "k" in flags else 0)


def _case(kind: str, letter: str, size: int, value: str, flags: str) -> Case:
    entry = ".".join(part for part in ("inst", kind + letter, value, flags) if part)
    mask = _mask(flags) | (VALUED if value else 0)
    keep = _KEEP if "k" in flags else ()
    address = ("sethi %hi(data), %g6", "or %g6, %lo(data), %g6")
    call = f'call "{entry}"'
    at = word(value) if value else 0
    if kind == "ld" and value and value not in ("g0", "g7", "o6", "o7", "i6", "i7"):
        wide = {4: "ld", 8: "ldd"} if value[0] == "f" else {1: "ldsb", 2: "ldsh", 4: "ldsw"}
        slot = f"access: {wide.get(size, 'ldx')} [%g6], %{value}"
        return Case(entry, (*address, *keep, call, slot), size, 0, at, mask | LOADS)
    filler = ("nop", "nop")[: len(entry) % 3]  # the access at each distance
    behind = (*filler, "access: ldx [%sp+2175], %g0")
    if kind == "ld" and value:  # which has run in the slot
        address, behind = (address[0], f"access: {address[1]}"), ()
    site = (address[0], *keep, call, address[1], *behind)
    return Case(entry, site, size, int(kind == "st"), at, mask)


def _after(letter: str, size: int, value: str, flags: str) -> Case:
    """Return a load that uses %o7, as far as the entry sees."""
    entry = f"inst.ld{letter}.after.{value}.{flags}"
    address = ("sethi %hi(data), %g6", "or %g6, %lo(data), %g6")
    site = (*address, "access: nop", *_KEEP, f'call "{entry}"', "nop")
    return Case(entry, site, size, 0, word(value), _mask(flags) | VALUED)


def _rare(flags: str) -> Case:
    entry = f"inst.rare.{flags}" if flags else "inst.rare"
    keep = _KEEP if "k" in flags else ()
    site = (
        "sethi %hi(data), %g6",
        *keep,
        f'call "{entry}"',
        "or %g6, %lo(data), %g6",
        "access: stx %l2, [%sp+2175]",
    )
    return Case(entry, site, 8, 1, word("l2"), _mask(flags) | VALUED)


def assembly(wanted: list[Case]) -> str:
    """Return the assembly file with all cases."""
    lines = [f"\t.register %g{n}, #scratch" for n in (2, 3, 6)] + ["\t.text"]
    for number, case in enumerate(wanted):
        lines += [f"case{number}:", "\tsave %sp, -208, %sp", "\tset before, %g6"]
        for at, name in _STATES.items():
            lines += [f"\tldx [%g6+{at}], %l0", f"\twr %l0, 0, {name}"]
        lines += [f"\tldx [%g6+{_STATE}], %fsr"]
        lines += [f"\tldd [%g6+{_FLOATS + 4 * n}], %f{n}" for n in range(0, 64, 2)]
        lines += [f"\tldx [%g6+{4 * word(one)}], %{one}" for one in _LOADED]
        lines += [f"\t{line}".replace("access:", f"access{number}:") for line in case.site]
        lines += ["\tset after, %g6"]
        lines += [f"\tstx %{one}, [%g6+{4 * word(one)}]" for one in _NAMES if one != "g6"]
        for at, name in _STATES.items():
            lines += [f"\trd {name}, %l0", f"\tstx %l0, [%g6+{at}]"]
        lines += [f"\tstx %fsr, [%g6+{_STATE}]"]
        lines += [f"\tstd %f{n}, [%g6+{_FLOATS + 4 * n}]" for n in range(0, 64, 2)]
        lines += ["\twr %g0, 0x80, %asi", "\tret", "\trestore"]
    promised = {word(one) + half for one in _LOADED if one != "o7" for half in (0, 1)}
    promised |= set(range(_FLOATS // 4, _FLOATS // 4 + 64))
    promised |= {at // 4 + half for at in (_STATE, _SPACE, _GRAPHICS) for half in (0, 1)}
    special = {at // 4 + half for at in (_Y, _CODES) for half in (0, 1)}
    data = tables(wanted, promised, special, word("o7"), 256, ".xword")
    return "\n".join([*lines, *data]) + "\n"
