"""SPARC words as text where capstone has none or the wrong one: only what our tables read."""

from __future__ import annotations

import re
from collections.abc import Callable

from inst.arch.sparc.tables.registers import INTEGER_NAMES, words

CONDITIONS = words("n e le l leu cs neg vs a ne g ge gu cc pos vc")
REGISTER_CONDITIONS = {1: "z", 2: "lez", 3: "lz", 5: "nz", 6: "gz", 7: "gez"}

PRIVILEGED = dict(
    enumerate(
        words(
            "tpc tnpc tstate tt tick tba pstate tl pil cwp cansave canrestore cleanwin otherwin "
            "wstate fq gl"
        )
    )
) | {31: "ver"}
HYPERPRIVILEGED = {0: "hpstate", 1: "htstate", 3: "hintp", 5: "htba", 6: "hver", 31: "hstick_cmpr"}

SINGLES = {
    # Operands of one word, by position: capstone numbers them as if they were doubles.
    **dict.fromkeys(words("fpadd16s fpadd32s fpsub16s fpsub32s fnadds fnmuls fhadds"), (0, 1, 2)),
    **dict.fromkeys(words("fhsubs fnhadds"), (0, 1, 2)),
    **dict.fromkeys(words("fmul8x16au fmul8x16al fmuld8sux16 fmuld8ulx16 fpmerge"), (0, 1)),
    **dict.fromkeys(words("fmul8x16 fexpand movstouw movstosw"), (0,)),
    **dict.fromkeys(words("fpack16 fpackfix"), (1,)),
    "flcmps": (1, 2),
}


def corrected(mnemonic: str, operands: str) -> tuple[str, str]:
    """Return capstone's text with one-word registers under their right numbers."""
    mnemonic = mnemonic.lower()
    positions = SINGLES.get(mnemonic)
    if positions is None:
        return mnemonic, operands
    parts = operands.split(", ")
    for position in positions:
        found = re.fullmatch(r"%f(\d+)", parts[position])
        if found and int(found[1]) >= 32:
            parts[position] = f"%f{int(found[1]) - 32 | 1}"
    return mnemonic, ", ".join(parts)


def text_of(word: int, version: int) -> tuple[str, str] | None:
    """Return mnemonic and operands of the words that capstone gets wrong; None for others."""
    if word == 0x40000002:  # reads the program counter, which its target shows
        return "call", ".+8"
    kind = _RULES.get((word >> 30, word >> 19 & 0x3F))
    return kind(word, version) if kind else None


def _rd(word: int) -> str:
    return "%" + INTEGER_NAMES[word >> 25 & 31]


def _rs1(word: int) -> str:
    return "%" + INTEGER_NAMES[word >> 14 & 31]


def _second(word: int) -> str:
    if not word & 0x2000:
        return "%" + INTEGER_NAMES[word & 31]
    return str((word & 0x1FFF) - ((word & 0x1000) << 1))


def _sum(word: int) -> str:
    return f"{_rs1(word)}+{_second(word)}".replace("+-", "-")


def _multiply_step(word: int, version: int) -> tuple[str, str]:
    return "mulscc", f"{_rs1(word)}, {_second(word)}, {_rd(word)}"


def _flush(word: int, version: int) -> tuple[str, str]:
    return "flush", _sum(word)


def _trap(word: int, version: int) -> tuple[str, str]:
    codes = "%xcc, " if word >> 11 & 3 == 2 and version == 9 else ""
    address = _sum(word)
    if word & 0x2000 and version == 9:
        address = f"{_rs1(word)}+{word & 0x7F}"
    return "t" + CONDITIONS[word >> 25 & 15], codes + address


def _state(number: int) -> str:
    return f"%asr{number}" if number else "%y"


def _read_state(word: int, version: int) -> tuple[str, str] | None:
    number = word >> 14 & 31
    if number == 15:  # stbar, membar
        return None
    return "rd", f"{_state(number)}, {_rd(word)}"


def _write_state(word: int, version: int) -> tuple[str, str] | None:
    number = word >> 25 & 31
    if number == 15:
        return "sir", _second(word)
    return "wr", f"{_rs1(word)}, {_second(word)}, {_state(number)}"


def _reader(old: str, names: dict[int, str], mnemonic: str) -> Rule:
    def read(word: int, version: int) -> tuple[str, str] | None:
        if version == 8:
            return "rd", f"%{old}, {_rd(word)}"
        name = names.get(word >> 14 & 31)
        return (mnemonic, f"%{name}, {_rd(word)}") if name else None

    return read


def _writer(old: str, names: dict[int, str], mnemonic: str) -> Rule:
    def write(word: int, version: int) -> tuple[str, str] | None:
        if version == 8:
            return "wr", f"{_rs1(word)}, {_second(word)}, %{old}"
        name = names.get(word >> 25 & 31)
        return (mnemonic, f"{_rs1(word)}, {_second(word)}, %{name}") if name else None

    return write


_WINDOW_CARE = dict(enumerate(words("saved restored allclean otherw normalw invalw")))


def _window_care(word: int, version: int) -> tuple[str, str] | None:
    if version == 8:
        return "wr", f"{_rs1(word)}, {_second(word)}, %psr"
    name = _WINDOW_CARE.get(word >> 25 & 31)
    return (name, "") if name else None


def _done(word: int, version: int) -> tuple[str, str] | None:
    name = {0: "done", 1: "retry"}.get(word >> 25 & 31)
    return (name, "") if name and version == 9 else None


def _population(word: int, version: int) -> tuple[str, str] | None:
    return ("popc", f"{_second(word)}, {_rd(word)}") if not word >> 14 & 31 else None


def _move_on_register(word: int, version: int) -> tuple[str, str] | None:
    """fmovr: capstone takes the destination's number for another width's."""
    width = {5: "s", 6: "d", 7: "q"}.get(word >> 5 & 31)
    condition = REGISTER_CONDITIONS.get(word >> 10 & 7)
    if width is None or condition is None or word & 0x2000:
        return None
    source, target = (_float(word >> shift & 31, width) for shift in (0, 25))
    return f"fmovr{width}{condition}", f"{_rs1(word)}, {source}, {target}"


def _float(number: int, width: str) -> str:
    return f"%f{number if width == 's' else number & 30 | (number & 1) << 5}"


def _prefetch(word: int, version: int) -> tuple[str, str]:
    return "prefetch", f"[{_sum(word)}], {word >> 25 & 31}"


def _prefetch_space(word: int, version: int) -> tuple[str, str]:
    space = " %asi" if word & 0x2000 else f" {word >> 5 & 0xFF:#x}"
    return "prefetcha", f"[{_sum(word)}]{space}, {word >> 25 & 31}"


def _load_state(word: int, version: int) -> tuple[str, str]:
    return "ldx" if word >> 25 & 31 == 1 else "ld", f"[{_sum(word)}], %fsr"


def _store_state(word: int, version: int) -> tuple[str, str]:
    return "stx" if word >> 25 & 31 == 1 else "st", f"%fsr, [{_sum(word)}]"


Rule = Callable[[int, int], "tuple[str, str] | None"]

_RULES: dict[tuple[int, int], Rule] = {
    (2, 0x24): _multiply_step,
    (2, 0x28): _read_state,
    (2, 0x29): _reader("psr", HYPERPRIVILEGED, "rdhpr"),
    (2, 0x2A): _reader("wim", PRIVILEGED, "rdpr"),
    (2, 0x2B): _reader("tbr", {}, ""),
    (2, 0x2E): _population,
    (2, 0x30): _write_state,
    (2, 0x31): _window_care,
    (2, 0x32): _writer("wim", PRIVILEGED, "wrpr"),
    (2, 0x33): _writer("tbr", HYPERPRIVILEGED, "wrhpr"),
    (2, 0x35): _move_on_register,
    (2, 0x3A): _trap,
    (2, 0x3B): _flush,
    (2, 0x3E): _done,
    (3, 0x21): _load_state,
    (3, 0x25): _store_state,
    (3, 0x2D): _prefetch,
    (3, 0x3D): _prefetch_space,
}
"""(op, op3) -> the text of such words, for SPARC version 8 or 9."""
