"""What few SPARC processors have: SPARClite, SPARClet, the ciphers and big numbers of T4 to M8.

Sources: MB86860 series and TSC701 (SPARClet) user's manuals; Oracle SPARC Architecture 2011 and
2015, chapter 7; of M8 (2017) the assembler's names only, whose operands say the same.

`windows` stands for registers of other windows: `mpmul`, `montmul` and `montsqr` read their
operands from all windows, so the rewriter refuses files with them.
"""

from __future__ import annotations

from inst.arch.sparc.tables.row import Row, Touch
from inst.isa.model import Form

EVERY_INTEGER = " ".join(f"{bank}{n}" for bank in "oli" for n in range(8))


def _floats(*ranges: tuple[int, int]) -> str:
    return " ".join(f"f{n}" for first, end in ranges for n in range(first, end))


def _arithmetic(names: str, operands: str) -> Row:
    return Row(names, operands, uses="fsr", defs="fsr")


SPARCLITE = (
    _arithmetic("efadds efsubs efmuls efdivs", "f:s f:s f:d"),
    _arithmetic("efaddd efsubd efmuld efdivd", "d:s d:s d:d"),
    _arithmetic("efsmuld", "f:s f:s d:d"),
    _arithmetic("efsqrts efitos efstoi", "f:s f:d"),
    _arithmetic("efsqrtd", "d:s d:d"),
    _arithmetic("efitod efstod", "f:s d:d"),
    _arithmetic("efdtoi efdtos", "d:s f:d"),
    Row("efmovs efnegs efabss", "f:s f:d"),
    Row("efcmps efcmpes", "f:s f:s", uses="fsr", defs="fcc0 fsr"),
    Row("efcmpd efcmped", "d:s d:s", uses="fsr", defs="fcc0 fsr"),
)

SPARCLET = (
    Row("umacd smacd", "r:s ri r:x | i r:s r:x", uses="y asr", defs="y asr"),
    Row("cpush cpusha", "r:s ri", uses="coprocessor", defs="coprocessor"),
    Row("cpull", "r:d", uses="coprocessor", defs="coprocessor"),
    Row("crdcxt", "cp:s r:d"),
    Row("cwrcxt", "r:s cp:d"),
)

# The state in the first registers, the block of data after it.
_DIGESTS = (
    ("md5", (0, 4), (8, 24)),
    ("sha1", (0, 5), (8, 24)),
    ("sha256", (0, 8), (8, 24)),
    ("sha512", (0, 16), (16, 48)),
    ("sha3", (0, 50), (50, 50)),
)

DIGESTS = tuple(
    Row(name, uses=_floats(state, block), defs=_floats(state)) for name, state, block in _DIGESTS
)

# How many registers they take depends on the length of the numbers.
_ALL_FLOATS = _floats((0, 64))
_BIG = f"{EVERY_INTEGER} {_ALL_FLOATS} windows"
BIG_NUMBERS = (
    Row("mpmul xmpmul montmul xmontmul montsqr xmontsqr", "i", uses=_BIG, defs=f"{_BIG} fcc3"),
    Row("onadd onsub onmul ondiv", "d:s d:s d:d", uses=_ALL_FLOATS, defs=f"{_ALL_FLOATS} fcc3"),
    Row("dictunpack", "d:s i d:d"),
)


def _misaligned(names: str, operands: str, size: int, store: bool = False) -> Row:
    return Row(names, operands, touch=Touch(not store, store, size, Form.SIMPLE))


# M8's loads and stores at any address.
MISALIGNED = (
    _misaligned("ldmsh ldmuh", "memory r:d", 2),
    _misaligned("ldmsw ldmuw", "memory r:d", 4),
    _misaligned("ldmx ldmux", "memory r:d", 8),
    _misaligned("ldmfs", "memory f:d", 4),
    _misaligned("ldmfd", "memory d:d", 8),
    _misaligned("ldmsha ldmuha", "alternate r:d", 2),
    _misaligned("ldmswa ldmuwa", "alternate r:d", 4),
    _misaligned("ldmxa ldmuxa", "alternate r:d", 8),
    _misaligned("ldmfsa", "alternate f:d", 4),
    _misaligned("ldmfda", "alternate d:d", 8),
    _misaligned("stmh", "r:s memory", 2, store=True),
    _misaligned("stmw", "r:s memory", 4, store=True),
    _misaligned("stmx", "r:s memory", 8, store=True),
    _misaligned("stmfs", "f:s memory", 4, store=True),
    _misaligned("stmfd", "d:s memory", 8, store=True),
    _misaligned("stmha", "r:s alternate", 2, store=True),
    _misaligned("stmwa", "r:s alternate", 4, store=True),
    _misaligned("stmxa", "r:s alternate", 8, store=True),
    _misaligned("stmfsa", "f:s alternate", 4, store=True),
    _misaligned("stmfda", "d:s alternate", 8, store=True),
)

ALL = (*SPARCLITE, *SPARCLET, *DIGESTS, *BIG_NUMBERS, *MISALIGNED)
