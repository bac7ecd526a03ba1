"""The SPARC register file: V8's registers, and those that V9 adds."""

from __future__ import annotations

from inst.dataclass import replace
from inst.isa.model import RegisterFile, RegisterSet


def words(text: str) -> list[str]:
    """Return the words of a table's line."""
    return text.split()


INTEGER_NAMES = tuple(f"{bank}{n}" for bank in "goli" for n in range(8))
FLOAT_NAMES = tuple(f"f{n}" for n in range(64))
CONDITION_NAMES = ("icc", "xcc")
FLOAT_CONDITION_NAMES = ("fcc0", "fcc1", "fcc2", "fcc3")
STATE_NAMES = (
    "y",
    "fsr",
    "asi",
    "gsr",
    "psr",
    "wim",
    "tbr",
    "asr",  # every other ancillary state register
    "privileged",  # every register that rdpr and rdhpr read
    "windows",  # registers of all other windows, where one instruction reads them
    "coprocessor",  # V8's coprocessor with all it holds; also V7-style %cq and %csr
)

NAMES = INTEGER_NAMES + FLOAT_NAMES + CONDITION_NAMES + FLOAT_CONDITION_NAMES + STATE_NAMES


def _bits() -> dict[str, RegisterSet]:
    bits = {name: 1 << n for n, name in enumerate(NAMES)}
    bits["g0"] = 0
    return bits


def _union(bits: dict[str, RegisterSet], names: str) -> RegisterSet:
    result = 0
    for name in names.split():
        result |= bits[name]
    return result


def _register_file(arguments: str, reserved: str) -> RegisterFile:
    bits = _bits()
    floats = _union(bits, " ".join(FLOAT_NAMES))
    special = _union(bits, "icc xcc fcc0 fcc1 fcc2 fcc3 y")
    scratch = _union(bits, "g1 g2 g3 g4 g5 g6 o0 o1 o2 o3 o4 o5 o7")
    return RegisterFile(
        names=NAMES,
        bit=bits,
        integer=_union(bits, " ".join(INTEGER_NAMES)),
        special=special,
        link=bits["o7"],
        volatile=scratch | special | floats | _union(bits, "fsr asi gsr"),
        # Unwinders read %i6 and %i7 of every frame; %f0-%f31 are V9's arguments.
        arguments=_union(bits, f"{arguments} g7 o0 o1 o2 o3 o4 o5 o6 i6 i7")
        | _union(bits, " ".join(FLOAT_NAMES[:32])),
        reserved=_union(bits, f"{reserved} g7 o6 i6"),
    )


# %g2-%g4 may hold global register variables; nested functions get their static chain in %g2
# (V8) or %g5 (V9).  Of the rewriter's own, %g5 is an ordinary register on V9, where the
# assembler wants %g2 and %g3 declared.
REGISTERS = _register_file(arguments="g2 g3 g4 g5", reserved="g5 g6")
V9_REGISTERS = _register_file(arguments="g2 g3 g4 g5", reserved="g2 g3 g6")


def with_reserved(*names: str) -> RegisterFile:
    """Return V8's registers where sites take some: %g5 and %g6 then are the system's."""
    return replace(REGISTERS, reserved=REGISTERS.reserved | REGISTERS.mask(*names))


def _spans() -> dict[int, dict[str, RegisterSet]]:
    """For 1, 2, 4 and 16 registers: first register -> mask of the aligned group it names."""
    spans: dict[int, dict[str, RegisterSet]] = {}
    for bank, widths in ((INTEGER_NAMES, (1, 2)), (FLOAT_NAMES, (1, 2, 4, 16))):
        for width in widths:
            masks = spans.setdefault(width, {})
            for n, name in enumerate(bank):
                first = n - n % width
                masks[name] = _union(REGISTERS.bit, " ".join(bank[first : first + width]))
    return spans


SPANS = _spans()

STATE: dict[str, RegisterSet] = {
    # What `rd` and `wr` touch by the register's name; V9's %asrN numbers are names too.
    "y": REGISTERS.bit["y"],
    "psr": REGISTERS.mask("psr", "icc"),
    "wim": REGISTERS.bit["wim"],
    "tbr": REGISTERS.bit["tbr"],
    "ccr": REGISTERS.mask("icc", "xcc"),
    "asi": REGISTERS.bit["asi"],
    "gsr": REGISTERS.bit["gsr"],
    "pc": 0,
    **dict.fromkeys(
        words(
            "fprs tick pcr pic dcr softint set_softint clear_softint softint_set softint_clear "
            "tick_cmpr stick sys_tick stick_cmpr sys_tick_cmpr cfr pause mwait entropy "
            "mcdper"
        ),
        REGISTERS.bit["asr"],
    ),
    **dict.fromkeys((f"asr{n}" for n in range(32)), REGISTERS.bit["asr"]),
    "asr0": REGISTERS.bit["y"],
    "asr2": REGISTERS.mask("icc", "xcc"),
    "asr3": REGISTERS.bit["asi"],
    "asr5": 0,
    "asr19": REGISTERS.bit["gsr"],
}

PRIVILEGED: dict[str, RegisterSet] = dict.fromkeys(
    words(
        "tpc tnpc tstate tt tick tba pstate tl pil cwp cansave canrestore cleanwin otherwin "
        "wstate fq gl ver pmcdper hpstate htstate hintp htba hver hstick_offset hstick_enable "
        "hstick_cmpr hmcdper hmcddfr hva_mask_nz"
    ),
    REGISTERS.bit["privileged"],
)

COPROCESSOR: dict[str, RegisterSet] = dict.fromkeys(
    words("csr cq fq ccsr ccfr cccrcr ccpr ccsr2 cccrr ccrstr") + [f"c{n}" for n in range(32)],
    REGISTERS.bit["coprocessor"],
)
