"""What POWER10 added: prefixed instructions other than accesses, and integers of vectors.

Source: Power ISA 3.1, Book I, chapters 3, 6 and 7. Not here: its matrices, and what rounds numbers of
quadruple precision or makes numbers of half of it.
"""

from __future__ import annotations

from collections.abc import Iterator

_PREFIXED = """
    paddi mls 14 | PREFIXED_ADDRESS; RT = at;
    pnop mrr/0 0 | ;
    xxsplti32dx 8rr/16 32 20=0 19=0 18=0 | u64 v = IMMEDIATE; unsigned n = W(17, 17);
        | set_element(XT16, 32, n, v); set_element(XT16, 32, n + 2, v);
    xxspltidp 8rr/16 32 20=0 19=0 18=1 17=0 | if (is_denormal_single(IMMEDIATE)) UNDEFINED;
        | u64 v = widened(IMMEDIATE); SET_BOTH(XT16, v, v);
    xxspltiw 8rr/16 32 20=0 19=0 18=1 17=1  | u64 v = IMMEDIATE; MAKE(XT16, 32, v);
    xxblendvb 8rr/0 33 xx4 0 | BLEND(8);
    xxblendvh 8rr/0 33 xx4 1 | BLEND(16);
    xxblendvw 8rr/0 33 xx4 2 | BLEND(32);
    xxblendvd 8rr/0 33 xx4 3 | BLEND(64);
    xxpermx 8rr/3 34 xx4 0   | MAKE(XT, 8, GET(XC, 8, n) >> 5 == (prefix & 7) ? byte_of(XA, XB, GET(XC, 8, n)) : 0);
    xxeval 8rr/8 34 xx4 1    | MAKE(XT, 64, evaluated(prefix & 255, XA[n], XB[n], XC[n]));
"""
_INTEGER = """
    setbc 31 x 384 rb 0 0=0   | RT = get_bit(s, FA);
    setbcr 31 x 416 rb 0 0=0  | RT = !get_bit(s, FA);
    setnbc 31 x 448 rb 0 0=0  | RT = -(ureg)get_bit(s, FA);
    setnbcr 31 x 480 rb 0 0=0 | RT = -(ureg)!get_bit(s, FA);
    brh 31 x 219 rb 0 0=0 | u64 v = RT; RA = (v >> 8 & 0x00ff00ff00ff00ffu) | (v & 0x00ff00ff00ff00ffu) << 8;
    brw 31 x 155 rb 0 0=0 | RA = rotated64(__builtin_bswap64(RT), 32);
    brd 31 x 187 rb 0 0=0 | RA = __builtin_bswap64(RT);
    cfuged 31 x 220 0=0   | RA = sorted_bits(RT, RB);
    cntlzdm 31 x 59 0=0   | RA = zeros_before(RT, RB);
    cnttzdm 31 x 571 0=0  | RA = zeros_after(RT, RB);
    pdepd 31 x 156 0=0    | RA = deposited(RT, RB);
    pextd 31 x 188 0=0    | RA = extracted(RT, RB);
"""
_VECTOR = """
    mtvsrbm 4 vx 1602 ra 16 | u64 v = RB; MAKE(VT, 8, -(v >> (15 - n) & 1));
    mtvsrhm 4 vx 1602 ra 17 | u64 v = RB; MAKE(VT, 16, -(v >> (7 - n) & 1));
    mtvsrwm 4 vx 1602 ra 18 | u64 v = RB; MAKE(VT, 32, -(v >> (3 - n) & 1));
    mtvsrdm 4 vx 1602 ra 19 | u64 v = RB; MAKE(VT, 64, -(v >> (1 - n) & 1));
    mtvsrqm 4 vx 1602 ra 20 | u64 v = -(RB & 1); SET_BOTH(VT, v, v);
    mtvsrbmi 4 a 10         | u32 v = W(15, 6) << 6 | FA << 1 | W(0, 0); MAKE(VT, 8, -(u64)(v >> (15 - n) & 1));
    vexpandqm 4 vx 1602 ra 4   | u64 v = -(VB[0] >> 63); SET_BOTH(VT, v, v);
    vextractqm 4 vx 1602 ra 12 | RT = VB[0] >> 63;
    vgnb 4 vx 1228 20=0 19=0   | if (FA < 2) UNDEFINED; RT = every_bit(VB, FA);
    vinsw 4 vx 207 20=0 | if (FA > 12) UNDEFINED; INSERT(0xffffffff, (u32)RB, 12 - FA);
    vinsd 4 vx 463 20=0 | if (FA > 8) UNDEFINED; INSERT(~(u64)0, RB, 8 - FA);
    vsldbi 4 va 22 10=0 9=0 | unsigned n = W(8, 6); SET_WHOLE(VT, n ? WHOLE(VA) << n | WHOLE(VB) >> (128 - n) : WHOLE(VA));
    vsrdbi 4 va 22 10=0 9=1 | unsigned n = W(8, 6); SET_WHOLE(VT, n ? WHOLE(VA) << (128 - n) | WHOLE(VB) >> n : WHOLE(VB));
    vmulld 4 vx 457  | EACH(u64, 64, a * b);
    vmulhuw 4 vx 649 | EACH(u32, 32, (u64)a * b >> 32);
    vmulhsw 4 vx 905 | EACH(s32, 32, (s64)a * b >> 32);
    vmulhud 4 vx 713 | EACH(u64, 64, (u128)a * b >> 64);
    vmulhsd 4 vx 969 | EACH(s64, 64, (s128)a * b >> 64);
    vmuleud 4 vx 712 | SET_WHOLE(VT, (u128)VA[0] * VB[0]);
    vmuloud 4 vx 200 | SET_WHOLE(VT, (u128)VA[1] * VB[1]);
    vmulesd 4 vx 968 | SET_WHOLE(VT, (s128)(s64)VA[0] * (s64)VB[0]);
    vmulosd 4 vx 456 | SET_WHOLE(VT, (s128)(s64)VA[1] * (s64)VB[1]);
    vmsumcud 4 va 23 | u128 one = (u128)VA[0] * VB[0], two = (u128)VA[1] * VB[1], sum = one + two, all = sum + WHOLE(VC);
        | SET_BOTH(VT, 0, (u64)(sum < one) + (all < sum));
    vrlq 4 vx 5      | SET_WHOLE(VT, rotated_whole(WHOLE(VA), VB[0]));
    vrlqnm 4 vx 325  | SET_WHOLE(VT, rotated_whole(WHOLE(VA), VB[0]) & mask_of_whole(VB[0]));
    vrlqmi 4 vx 69   | u128 k = mask_of_whole(VB[0]); SET_WHOLE(VT, (rotated_whole(WHOLE(VA), VB[0]) & k) | (WHOLE(VT) & ~k));
    vslq 4 vx 261    | SET_WHOLE(VT, WHOLE(VA) << (VB[0] & 127));
    vsrq 4 vx 517    | SET_WHOLE(VT, WHOLE(VA) >> (VB[0] & 127));
    vsraq 4 vx 773   | SET_WHOLE(VT, (s128)WHOLE(VA) >> (VB[0] & 127));
    vcmpuq 4 vx 257 22=0 21=0 | u128 a = WHOLE(VA), b = WHOLE(VB); set_field(s, FIELD, a < b ? 8 : a > b ? 4 : 2);
    vcmpsq 4 vx 321 22=0 21=0 | s128 a = WHOLE(VA), b = WHOLE(VB); set_field(s, FIELD, a < b ? 8 : a > b ? 4 : 2);
    vextsd2q 4 vx 1538 ra 27  | u64 v = VB[1]; SET_BOTH(VT, -(v >> 63), v);
    vclrlb 4 vx 397  | u64 count = RB; MAKE(VT, 8, 15 - n < count ? GET(VA, 8, n) : 0);
    vclrrb 4 vx 461  | u64 count = RB; MAKE(VT, 8, n < count ? GET(VA, 8, n) : 0);
    vcfuged 4 vx 1357 | MAKE(VT, 64, sorted_bits(VA[n], VB[n]));
    vpdepd 4 vx 1485  | MAKE(VT, 64, deposited(VA[n], VB[n]));
    vpextd 4 vx 1421  | MAKE(VT, 64, extracted(VA[n], VB[n]));
    vclzdm 4 vx 1924  | MAKE(VT, 64, zeros_before(VA[n], VB[n]));
    vctzdm 4 vx 1988  | MAKE(VT, 64, zeros_after(VA[n], VB[n]));
    lxvkq 60 xx1 360 ra 31 | u64 v = quadruple(FB); if (!v) UNDEFINED; SET_BOTH(XT, v, 0);
    xvtlsbb 60 xx2 475 ra 2 22=0 21=0 0=0 | u64 all = XB[0] & XB[1] & LOW_BITS, any = (XB[0] | XB[1]) & LOW_BITS;
        | set_field(s, FIELD, (all == LOW_BITS) << 3 | !any << 1);
    xvcvbf16spn 60 xx2 475 ra 16 | MAKE(XT, 32, GET(XB, 16, 2 * n + 1) << 16);
"""
_SIZES = {"b": 8, "h": 16, "w": 32, "d": 64}
# Mnemonic with {} for the size -> the opcode of a signed one, that of an unsigned one.
_DIVISIONS = {
    "w": (("vdiv{}w", 395, 139), ("vdive{}w", 907, 651), ("vmod{}w", 1931, 1675)),
    "d": (("vdiv{}d", 459, 203), ("vdive{}d", 971, 715), ("vmod{}d", 1995, 1739)),
    "q": (("vdiv{}q", 267, 11), ("vdive{}q", 779, 523), ("vmod{}q", 1803, 1547)),
}
_KINDS = {"div": "QUOTIENT", "dive": "QUOTIENT_EXTENDED", "mod": "REMAINDER"}
_COMPARES = {"equ": (455, "u"), "gtu": (647, "u"), "gts": (903, "s")}
_RELATIONS = {"equ": "==", "gtu": ">", "gts": ">"}
_INSERTED = {"b": 527, "h": 591, "w": 655, "d": 719}
"""Opcodes of vins*lx; those from the right are 256 greater."""
_INSERTED_OF_VECTORS = {"b": 15, "h": 79, "w": 143}


def _divisions() -> Iterator[str]:
    for size, rows in _DIVISIONS.items():
        bits = {"w": 32, "d": 64, "q": 128}[size]
        for name, *opcodes in rows:
            kind = _KINDS[name[1:-3]]
            for sign, opcode in zip("su", opcodes, strict=True):
                text = f"DIVIDE_EACH({int(sign == 's')}, {bits}, {kind});"
                yield f"{name.format(sign)} 4 vx {opcode} | {text}"


def _elements() -> Iterator[str]:
    for place, (size, bits) in enumerate(_SIZES.items()):
        last, count = bits - 1, 128 // bits
        yield f"vexpand{size}m 4 vx 1602 ra {place} | MAKE(VT, {bits}, -(GET(VB, {bits}, n) >> {last}));"
        yield (
            f"vextract{size}m 4 vx 1602 ra {8 + place} | u64 v = 0; "
            f"for (unsigned n = 0; n < {count}; n++) v = v << 1 | GET(VB, {bits}, n) >> {last}; RT = v;"
        )
        yield (
            f"vcntmb{size} 4 vx 1602 20=1 19=1 18={place >> 1} 17={place & 1} | u64 v = 0; "
            f"for (unsigned n = 0; n < {count}; n++) v += GET(VB, {bits}, n) >> {last} == W(16, 16); "
            f"RT = v << {56 + place};"
        )
        yield f"xxgenpcv{size}m 60 xx1 {(916, 917, 948, 949)[place]} | GENERATE_PLACES({bits});"
        size_in_bytes = bits // 8
        for from_right in (0, 1):
            side, most = "lr"[from_right], 16 - size_in_bytes
            index = f"{most} - (RA & 15)" if not from_right else "(RA & 15)"
            guard = f"if ((RA & 15) > {most}) UNDEFINED;"
            mask = hex((1 << bits) - 1)
            opcode = _INSERTED[size] + 256 * from_right
            yield f"vins{size}{side}x 4 vx {opcode} | {guard} INSERT({mask}, (u{bits})RB, {index});"
            if size in _INSERTED_OF_VECTORS:
                opcode = _INSERTED_OF_VECTORS[size] + 256 * from_right
                yield f"vins{size}v{side}x 4 vx {opcode} | {guard} INSERT({mask}, (u{bits})VB[0], {index});"
            name = f"vextd{'d' if size == 'd' else 'u' + size}v{side}x"
            yield (
                f"{name} 4 va {24 + 2 * place + from_right} | unsigned at = s->g[FC] & 31; "
                f"if (at > {32 - size_in_bytes}) UNDEFINED; "
                f"at = {f'{32 - size_in_bytes} - at' if from_right else 'at'}; "
                f"SET_BOTH(VT, element_of_two(VA, VB, {bits}, at), 0);"
            )


def _strings() -> Iterator[str]:
    for number, (size, side) in enumerate((("b", "l"), ("b", "r"), ("h", "l"), ("h", "r"))):
        for record in (0, 1):
            yield (
                f"vstri{size}{side}{'.' * record} 4 vc 13 ra {number} 10={record} | "
                f"int ends; ISOLATE({_SIZES[size]}, {int(side == 'r')}, ends); "
                + "set_field(s, 6, ends << 1);"
                * record
            )


def _compares() -> Iterator[str]:
    for name, (opcode, sign) in _COMPARES.items():
        for record in (0, 1):
            yield (
                f"vcmp{name}q{'.' * record} 4 vc {opcode} 10={record} | "
                f"u64 v = -(u64)(({sign}128)WHOLE(VA) {_RELATIONS[name]} ({sign}128)WHOLE(VB)); "
                "SET_BOTH(VT, v, v);" + " set_all_or_none(s, VT);" * record
            )


def _all_of_64_bits(lines: str) -> str:
    """Return the lines with the mark of what only 64-bit programs have."""
    return "\n".join(
        line if "|" not in line or line.lstrip().startswith("|") else line.replace("|", "(64) |", 1)
        for line in lines.splitlines()
    )


TABLE = _all_of_64_bits(
    "\n".join(
        (_PREFIXED, _INTEGER, _VECTOR, *_divisions(), *_elements(), *_strings(), *_compares())
    )
)
