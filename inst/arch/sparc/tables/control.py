"""Branches, calls, returns, traps, and the register window."""

from __future__ import annotations

from inst.arch.sparc.tables.row import Row
from inst.isa.model import Transfer

MEGABYTE = 1 << 20
BRANCH_REACH = 8 * MEGABYTE
PREDICTED_REACH = MEGABYTE
REGISTER_REACH = 128 << 10
COMPARE_REACH = 2 << 10

INTEGER_OPPOSITES = (
    "e ne, z nz, eq ne, g le, gt le, ge l, lt ge, gu leu, cc cs, geu lu, pos neg, vc vs"
)
"""Conditions on %icc and their opposites; the first pair that has a spelling is used for it."""

FLOAT_OPPOSITES = "e ne, z nz, u o, g ule, ug le, l uge, ul ge, lg ue"
COPROCESSOR_OPPOSITES = (
    "0 123, 1 023, 2 013, 3 012, 01 23, 02 13, 03 12, e ne, f nf, ef nef, r nr, er ner, "
    "fr nfr, efr nefr"
)
REGISTER_OPPOSITES = "z nz, lez gz, lz gez"
COMPARE_OPPOSITES = "e ne, z nz, g le, ge l, gu leu, cc cs, geu lu, pos neg, vc vs"


def _opposites(prefix: str, pairs: str) -> dict[str, str]:
    """Return mnemonic -> opposite, both ways; the first pair that names one counts."""
    result: dict[str, str] = {}
    for pair in pairs.split(","):
        one, other = (prefix + condition for condition in pair.split())
        result.setdefault(one, other)
        result.setdefault(other, one)
    return result


INTEGER_BRANCHES = _opposites("b", INTEGER_OPPOSITES)
FLOAT_BRANCHES = _opposites("fb", FLOAT_OPPOSITES)
COPROCESSOR_BRANCHES = _opposites("cb", COPROCESSOR_OPPOSITES)
REGISTER_BRANCHES = _opposites("br", REGISTER_OPPOSITES)
COMPARE_BRANCHES = _opposites("cwb", COMPARE_OPPOSITES) | _opposites("cxb", COMPARE_OPPOSITES)

INVERSES = (
    INTEGER_BRANCHES | FLOAT_BRANCHES | COPROCESSOR_BRANCHES | REGISTER_BRANCHES | COMPARE_BRANCHES
)
"""Mnemonic -> the branch taken exactly when this one is not."""


def _branches(names: str, plain: str, predicted: str, uses: str = "") -> tuple[Row, ...]:
    """Return the rows of conditional branches: without and with a condition register."""
    return (
        Row(
            names,
            plain,
            uses=uses,
            transfer=Transfer.BRANCH,
            conditional=True,
            delay_slot=True,
            suffixes="a",
            reach=BRANCH_REACH,
        ),
        Row(
            names,
            predicted,
            transfer=Transfer.BRANCH,
            conditional=True,
            delay_slot=True,
            suffixes="a pt pn",
            reach=PREDICTED_REACH,
        ),
    )


def _constant_branches(names: str, never: bool) -> tuple[Row, ...]:
    """Return the rows of branches that are always or never taken: they read no code."""
    forms = (("label", "a", BRANCH_REACH), ("anycc label", "a pt pn", PREDICTED_REACH))
    return tuple(
        Row(
            names,
            operands,
            transfer=Transfer.BRANCH,
            delay_slot=True,
            suffixes=suffixes,
            never=never,
            reach=reach,
        )
        for operands, suffixes, reach in forms
    )


BRANCHES = (
    *_branches(" ".join(INTEGER_BRANCHES), "label", "cc:s label", uses="icc"),
    *_branches(" ".join(FLOAT_BRANCHES), "label", "fcc:s label", uses="fcc0"),
    _branches(" ".join(COPROCESSOR_BRANCHES), "label", "", uses="coprocessor")[0],
    *_constant_branches("b ba", never=False),
    *_constant_branches("fb fba", never=False),
    *_constant_branches("cb cba", never=False)[:1],
    *_constant_branches("bn", never=True),
    *_constant_branches("fbn", never=True),
    *_constant_branches("cbn", never=True)[:1],
    Row(
        " ".join(REGISTER_BRANCHES),
        "r:s label",
        transfer=Transfer.BRANCH,
        conditional=True,
        delay_slot=True,
        suffixes="a pt pn",
        reach=REGISTER_REACH,
    ),
    Row(
        " ".join(COMPARE_BRANCHES),
        "r:s ri label",
        transfer=Transfer.BRANCH,
        conditional=True,
        reach=COMPARE_REACH,
    ),
)

CALLS = (
    # A call of a place relative to itself is no call: it puts the pc into %o7 and goes on
    # there, so no convention about clobbered registers holds.
    Row(
        "call",
        "here | here i",
        defs="o7",
        transfer=Transfer.BRANCH,
        delay_slot=True,
        pc_relative_data=True,
    ),
    Row(
        "call",
        "label | label i | address | address i",
        defs="o7",
        transfer=Transfer.CALL,
        delay_slot=True,
    ),
    Row("jmpl", "return =g0", transfer=Transfer.RETURN, delay_slot=True),
    Row("jmpl", "address =o7", defs="o7", transfer=Transfer.CALL, delay_slot=True),
    Row("jmpl", "address r:d", transfer=Transfer.JUMP, delay_slot=True),
    Row("jmp", "return", transfer=Transfer.RETURN, delay_slot=True),
    Row("jmp", "address", transfer=Transfer.JUMP, delay_slot=True),
    Row("ret", uses="i7", transfer=Transfer.RETURN, delay_slot=True),
    Row("retl", uses="o7", transfer=Transfer.RETURN, delay_slot=True),
    Row("return rett", "address", transfer=Transfer.RETURN, delay_slot=True, window=-1),
    # Trap handlers return to any code: every register is live there.
    Row("done retry", uses="privileged", transfer=Transfer.JUMP),
)

# The window moves between an instruction's reads and its writes: `uses` are names in the
# window before it, `defs` names in the window after it.  The registers themselves are
# renamed by `window`: after a save the old %o are %i, after a restore the old %i are %o.
WINDOW = (
    Row("save", "r:s ri r:d | i r:s r:d", window=1),
    Row("restore", "r:s ri r:d", window=-1),
    Row("save", window=1),
    Row("restore", window=-1),
    Row("flushw"),
    Row("saved restored allclean otherw normalw invalw", uses="privileged", defs="privileged"),
)

# A software trap passes what a system call may read, and returns its results and
# the condition codes; what it may leave unchanged is in both sets.
TRAP_USES = "g1 g2 g3 g4 g5 g6 g7 o0 o1 o2 o3 o4 o5 o6 o7 icc xcc"
TRAP_DEFS = "g1 o0 o1 icc xcc"
SYSTEM_TRAPS = (0x10, 0x6D)
"""Linux's system calls of 32-bit and 64-bit programs."""
TRAP_CONDITIONS = "t" + " t".join(name[1:] for name in INTEGER_BRANCHES)

TRAPS = (
    Row(
        "ta t",
        "address | anycc address",
        uses=TRAP_USES,
        defs=TRAP_DEFS,
        transfer=Transfer.TRAP,
        calls_system=True,
    ),
    Row("tn", "address | anycc address"),
    Row(
        TRAP_CONDITIONS,
        "address | cc:s address",
        uses=TRAP_USES,
        defs=TRAP_DEFS,
        transfer=Transfer.TRAP,
        conditional=True,
    ),
    Row("unimp illtrap", "i", never_runs=True),
    Row("unimp illtrap", "", never_runs=True),
    Row("sir pause", "i"),
    Row("mwait", "ri"),
)

ALL = BRANCHES + CALLS + WINDOW + TRAPS
