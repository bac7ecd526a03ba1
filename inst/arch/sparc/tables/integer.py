"""Integer arithmetic and logic, with the synthetic instructions made of them.

Condition codes are defined in both widths: V8's %icc is V9's %icc and %xcc.
"""

from __future__ import annotations

from inst.arch.sparc.tables.registers import words
from inst.arch.sparc.tables.row import Row

CODES = "icc xcc"

THREE = "r:s ri r:d"
COMMUTATIVE = "r:s ri r:d | i r:s r:d"

ROWS = (
    Row("add and or xor xnor umuld smuld mulx", COMMUTATIVE),
    Row("sub andn orn sdivx udivx sll srl sra sllx srlx srax scan shuffle", THREE),
    Row("addcc andcc orcc xorcc xnorcc taddcc taddcctv", COMMUTATIVE, defs=CODES),
    Row("subcc andncc orncc tsubcc tsubcctv", THREE, defs=CODES),
    Row("addx addc", COMMUTATIVE, uses="icc"),
    Row("subx subc", THREE, uses="icc"),
    Row("addxcc addccc", COMMUTATIVE, uses="icc", defs=CODES),
    Row("subxcc subccc", THREE, uses="icc", defs=CODES),
    Row("addxc subxc", "r:s r:s r:d", uses="xcc"),
    Row("addxccc subxccc", "r:s r:s r:d", uses="xcc", defs=CODES),
    Row("umulxhi xmulx xmulxhi rle_burst", "r:s r:s r:d"),
    Row("umul smul", COMMUTATIVE, defs="y"),
    Row("umulcc smulcc", COMMUTATIVE, defs="y icc xcc"),
    Row("udiv sdiv", COMMUTATIVE, uses="y"),
    Row("udivcc sdivcc", COMMUTATIVE, uses="y", defs=CODES),
    Row("mulscc", THREE, uses="y icc", defs="y icc xcc"),
    Row("divscc", THREE, uses="y icc", defs="y icc xcc"),
    Row("umac smac", COMMUTATIVE, uses="y asr", defs="y asr"),
    Row("popc", "ri r:d"),
    Row("lzcnt lzd rle_length revbitsb revbytesh revbytesw revbytesx", "r:s r:d"),
    Row("sethi", "i r:d"),
    Row("nop"),
)

CONDITIONS = words(
    "ne e g le ge l gu leu cc cs pos neg vc vs nz z geu lu u ug ul lg ue uge ule o n"
)
REGISTER_CONDITIONS = words("ne e gez lz lez gz nz z")

CONDITIONAL_MOVES = (
    Row("mova", "anycc ri r:d"),
    Row(
        " ".join(f"mov{condition}" for condition in CONDITIONS),
        "cc:s ri r:x | fcc:s ri r:x",
    ),
    Row(" ".join(f"movr{condition}" for condition in REGISTER_CONDITIONS), "r:s ri r:x"),
)

SYNTHETIC = (
    Row("mov", "ri r:d"),
    Row("set setuw", "i r:d", length=8),
    Row("setsw", "i r:d", length=12),
    Row("setx", "i r:d r:d", length=24),
    Row("cmp", "r:s ri", defs=CODES),
    Row("tst", "r:s", defs=CODES),
    Row("btst", "ri r:s | r:s ri", defs=CODES),
    Row("clr", "r:d"),
    Row("clruw signx", "r:s r:d | r:x"),
    Row("inc dec", "r:x | i r:x"),
    Row("inccc deccc", "r:x | i r:x", defs=CODES),
    Row("bset bclr btog", "ri r:x"),
    Row("not neg", "r:s r:d | r:x"),
)

ALL = ROWS + CONDITIONAL_MOVES + SYNTHETIC
