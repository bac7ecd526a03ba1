"""What POWER10 added: prefixed instructions other than accesses, and integers of vectors.

Source: Power ISA 3.1, Book I, chapters 3, 6 and 7. The opcodes are those of
`inst.arch.powerpc.words.power10`. Not here: products of
matrices of numbers of half precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from inst.arch.powerpc.words.power10 import OPCODES
from inst.replay.rows import lines_of

_PREFIXED = """
    paddi | PREFIXED_ADDRESS; RT = at;
    pnop | ;
    xxsplti32dx | u64 v = IMMEDIATE; unsigned n = W(17, 17);
        | set_element(XT16, 32, n, v); set_element(XT16, 32, n + 2, v);
    xxspltidp | if (is_denormal_single(IMMEDIATE)) UNDEFINED;
        | u64 v = widened(IMMEDIATE); SET_BOTH(XT16, v, v);
    xxspltiw | u64 v = IMMEDIATE; MAKE(XT16, 32, v);
    xxblendvb | BLEND(8);
    xxblendvh | BLEND(16);
    xxblendvw | BLEND(32);
    xxblendvd | BLEND(64);
    xxpermx | MAKE(XT, 8, GET(XC, 8, n) >> 5 == (prefix & 7) ? byte_of(XA, XB, GET(XC, 8, n)) : 0);
    xxeval | MAKE(XT, 64, evaluated(prefix & 255, XA[n], XB[n], XC[n]));
"""
_INTEGER = """
    setbc | RT = get_bit(s, FA);
    setbcr | RT = !get_bit(s, FA);
    setnbc | RT = -(ureg)get_bit(s, FA);
    setnbcr | RT = -(ureg)!get_bit(s, FA);
    brh | u64 v = RT; RA = (v >> 8 & 0x00ff00ff00ff00ffu) | (v & 0x00ff00ff00ff00ffu) << 8;
    brw | RA = rotated64(__builtin_bswap64(RT), 32);
    brd | RA = __builtin_bswap64(RT);
    cfuged | RA = sorted_bits(RT, RB);
    cntlzdm | RA = zeros_before(RT, RB);
    cnttzdm | RA = zeros_after(RT, RB);
    pdepd | RA = deposited(RT, RB);
    pextd | RA = extracted(RT, RB);
"""
_VECTOR = """
    mtvsrbm | u64 v = RB; MAKE(VT, 8, -(v >> (15 - n) & 1));
    mtvsrhm | u64 v = RB; MAKE(VT, 16, -(v >> (7 - n) & 1));
    mtvsrwm | u64 v = RB; MAKE(VT, 32, -(v >> (3 - n) & 1));
    mtvsrdm | u64 v = RB; MAKE(VT, 64, -(v >> (1 - n) & 1));
    mtvsrqm | u64 v = -(RB & 1); SET_BOTH(VT, v, v);
    mtvsrbmi | u32 v = W(15, 6) << 6 | FA << 1 | W(0, 0); MAKE(VT, 8, -(u64)(v >> (15 - n) & 1));
    vexpandqm | u64 v = -(VB[0] >> 63); SET_BOTH(VT, v, v);
    vextractqm | RT = VB[0] >> 63;
    vgnb | if (FA < 2) UNDEFINED; RT = every_bit(VB, FA);
    vinsw | if (FA > 12) UNDEFINED; INSERT(0xffffffff, (u32)RB, 12 - FA);
    vinsd | if (FA > 8) UNDEFINED; INSERT(~(u64)0, RB, 8 - FA);
    vsldbi | unsigned n = W(8, 6); SET_WHOLE(VT, n ? WHOLE(VA) << n | WHOLE(VB) >> (128 - n) : WHOLE(VA));
    vsrdbi | unsigned n = W(8, 6); SET_WHOLE(VT, n ? WHOLE(VA) << (128 - n) | WHOLE(VB) >> n : WHOLE(VB));
    vmulld | EACH(u64, 64, a * b);
    vmulhuw | EACH(u32, 32, (u64)a * b >> 32);
    vmulhsw | EACH(s32, 32, (s64)a * b >> 32);
    vmulhud | EACH(u64, 64, (u128)a * b >> 64);
    vmulhsd | EACH(s64, 64, (s128)a * b >> 64);
    vmuleud | SET_WHOLE(VT, (u128)VA[0] * VB[0]);
    vmuloud | SET_WHOLE(VT, (u128)VA[1] * VB[1]);
    vmulesd | SET_WHOLE(VT, (s128)(s64)VA[0] * (s64)VB[0]);
    vmulosd | SET_WHOLE(VT, (s128)(s64)VA[1] * (s64)VB[1]);
    vmsumcud | u128 one = (u128)VA[0] * VB[0], two = (u128)VA[1] * VB[1], sum = one + two, all = sum + WHOLE(VC);
        | SET_BOTH(VT, 0, (u64)(sum < one) + (all < sum));
    vrlq | SET_WHOLE(VT, rotated_whole(WHOLE(VA), VB[0]));
    vrlqnm | SET_WHOLE(VT, rotated_whole(WHOLE(VA), VB[0]) & mask_of_whole(VB[0]));
    vrlqmi | u128 k = mask_of_whole(VB[0]); SET_WHOLE(VT, (rotated_whole(WHOLE(VA), VB[0]) & k) | (WHOLE(VT) & ~k));
    vslq | SET_WHOLE(VT, WHOLE(VA) << (VB[0] & 127));
    vsrq | SET_WHOLE(VT, WHOLE(VA) >> (VB[0] & 127));
    vsraq | SET_WHOLE(VT, (s128)WHOLE(VA) >> (VB[0] & 127));
    vcmpuq | u128 a = WHOLE(VA), b = WHOLE(VB); set_field(s, FIELD, a < b ? 8 : a > b ? 4 : 2);
    vcmpsq | s128 a = WHOLE(VA), b = WHOLE(VB); set_field(s, FIELD, a < b ? 8 : a > b ? 4 : 2);
    vextsd2q | u64 v = VB[1]; SET_BOTH(VT, -(v >> 63), v);
    vclrlb | u64 count = RB; MAKE(VT, 8, 15 - n < count ? GET(VA, 8, n) : 0);
    vclrrb | u64 count = RB; MAKE(VT, 8, n < count ? GET(VA, 8, n) : 0);
    vcfuged | MAKE(VT, 64, sorted_bits(VA[n], VB[n]));
    vpdepd | MAKE(VT, 64, deposited(VA[n], VB[n]));
    vpextd | MAKE(VT, 64, extracted(VA[n], VB[n]));
    vclzdm | MAKE(VT, 64, zeros_before(VA[n], VB[n]));
    vctzdm | MAKE(VT, 64, zeros_after(VA[n], VB[n]));
    lxvkq | u64 v = quadruple(FB); if (!v) UNDEFINED; SET_BOTH(XT, v, 0);
    xvtlsbb | u64 all = XB[0] & XB[1] & LOW_BITS, any = (XB[0] | XB[1]) & LOW_BITS;
        | set_field(s, FIELD, (all == LOW_BITS) << 3 | !any << 1);
    xvcvbf16spn | MAKE(XT, 32, GET(XB, 16, 2 * n + 1) << 16);
"""
_FLOATING = """
    xvcvspbf16 | u32 found_ = 0; u64 made[2] = {0, 0}; NEEDS_FPSCR;
        | for (unsigned n = 0; n < 4; n++) set_element(made, 32, n, shortened(GET(XB, 32, n), s->fpscr & 3, &found_));
        | XV_DONE; SET(XT, made);
    xscvqpuqz | TO_WHOLE(0);
    xscvqpsqz | TO_WHOLE(1);
    xscvuqqp | FROM_WHOLE(0);
    xscvsqqp | FROM_WHOLE(1);
    xscmpeqqp | COMPARE_QUADRUPLES(EQUAL);
    xscmpgeqp | COMPARE_QUADRUPLES(GREATER_EQUAL);
    xscmpgtqp | COMPARE_QUADRUPLES(GREATER);
    xsmaxcqp | CHOOSE_QUADRUPLE(a > b);
    xsmincqp | CHOOSE_QUADRUPLE(a < b);
"""
_ACCUMULATORS = """
    xxmfacc | ;
    xxmtacc | ;
    xxsetaccz | for (unsigned n = 0; n < 4; n++) SET_BOTH(ACCUMULATOR(n), 0, 0);
"""
_WHOLE_MATRICES = (("xvi4ger8", 4, ("", "pp")), ("xvi8ger4", 8, ("", "pp", "spp")),
                   ("xvi16ger2", 16, ("", "pp", "s", "spp")))  # fmt: skip
_OPERATIONS = {"": "MUL", "pp": "MADD", "np": "NMSUB", "pn": "MSUB", "nn": "NMADD"}
"""The signs of the product and of what was there -> the operation."""
_SIZES = {"b": 8, "h": 16, "w": 32, "d": 64}
_WHOLE = _SIZES | {"q": 128}
_KINDS = {"div": "QUOTIENT", "dive": "QUOTIENT_EXTENDED", "mod": "REMAINDER"}
_COMPARES = {"equ": ("u", "=="), "gtu": ("u", ">"), "gts": ("s", ">")}


def _divisions() -> Iterator[str]:
    for (name, kind), size, sign in product(_KINDS.items(), "wdq", "su"):
        yield f"v{name}{sign}{size} | DIVIDE_EACH({int(sign == 's')}, {_WHOLE[size]}, {kind});"


def _elements() -> Iterator[str]:
    for place, (size, bits) in enumerate(_SIZES.items()):
        each, highest = (
            f"for (unsigned n = 0; n < {128 // bits}; n++)",
            f"GET(VB, {bits}, n) >> {bits - 1}",
        )
        yield f"vexpand{size}m | MAKE(VT, {bits}, -({highest}));"
        yield f"vextract{size}m | u64 v = 0; {each} v = v << 1 | {highest}; RT = v;"
        yield f"vcntmb{size} | u64 v = 0; {each} v += {highest} == W(16, 16); RT = v << {56 + place};"
        yield f"xxgenpcv{size}m | GENERATE_PLACES({bits});"


def _insertions() -> Iterator[str]:
    for (size, bits), side in product(_SIZES.items(), "lr"):
        most = 16 - bits // 8
        place = f"{most} - (RA & 15)" if side == "l" else "(RA & 15)"
        head, mask = f"if ((RA & 15) > {most}) UNDEFINED; INSERT", hex((1 << bits) - 1)
        yield f"vins{size}{side}x | {head}({mask}, (u{bits})RB, {place});"
        if size != "d":
            yield f"vins{size}v{side}x | {head}({mask}, (u{bits})VB[0], {place});"


def _extractions() -> Iterator[str]:
    for (size, bits), side in product(_SIZES.items(), "lr"):
        most = 32 - bits // 8
        place = "at" if side == "l" else f"{most} - at"
        yield (
            f"vextd{'' if size == 'd' else 'u'}{size}v{side}x | unsigned at = s->g[FC] & 31; "
            f"if (at > {most}) UNDEFINED; SET_BOTH(VT, element_of_two(VA, VB, {bits}, {place}), 0);"
        )


def _recording() -> Iterator[str]:
    """Yield the lines of instructions that may set a condition field."""
    for size, side in product("bh", "lr"):
        text = f"int ends; ISOLATE({_SIZES[size]}, {int(side == 'r')}, ends);"
        yield f"vstri{size}{side} | {text}"
        yield f"vstri{size}{side}. | {text} set_field(s, 6, ends << 1);"
    for name, (sign, relation) in _COMPARES.items():
        kind = f"({sign}128)"
        text = f"u64 v = -(u64)({kind}WHOLE(VA) {relation} {kind}WHOLE(VB)); SET_BOTH(VT, v, v);"
        yield f"vcmp{name}q | {text}"
        yield f"vcmp{name}q. | {text} set_all_or_none(s, VT);"


def _matrices() -> Iterator[str]:
    """Yield the lines of products of matrices, whose results go to an accumulator."""
    for prefix, masks in (("", "ALL_OF_MATRIX"), ("pm", "prefix")):
        for (name, bits, ends), how in product(_WHOLE_MATRICES, ("", "pp", "s", "spp")):
            if how in ends:
                adds, saturates = int("pp" in how), int("s" in how)
                text = f"WHOLE_PRODUCTS({bits}, {masks}, {adds}, {saturates});"
                yield f"{prefix}{name}{how} | {text}"
        for bits, (how, operation) in product((32, 64), _OPERATIONS.items()):
            yield f"{prefix}xvf{bits}ger{how} | FLOATING_PRODUCTS({bits}, {masks}, {operation});"


def _with_opcodes(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines with opcodes, and the mark of what only 64-bit programs have."""
    for line in lines:
        name, _, text = line.partition(" | ")
        yield f"{name} {OPCODES[name]} (64) | {text}"


TABLE = "\n".join(
    _with_opcodes(
        (
            *(
                one
                for part in (_PREFIXED, _INTEGER, _VECTOR, _FLOATING, _ACCUMULATORS)
                for one in lines_of(part)
            ),
            *_divisions(),
            *_elements(),
            *_insertions(),
            *_extractions(),
            *_recording(),
            *_matrices(),
        )
    )
)
