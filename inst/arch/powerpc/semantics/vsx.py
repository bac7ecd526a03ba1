"""VSX: moves, permutations and floating point of scalars and vectors.

Source: Power ISA 3.0B, Book I, chapter 7. Not here: quadruple and half precision, and
estimates.

Where the emulator differs from the architecture, nothing is executed: scalars of single precision
whose operands are not (it rounds twice); a vector's elements of which one overflows and another
underflows, or with different invalid operations (it reports one); conversions of vectors with a
NaN to integers; the greater or less of a quiet NaN and a signaling one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

_FIXED = """
    xxland 60 xx3 130  | SET_BOTH(XT, XA[0] & XB[0], XA[1] & XB[1]);
    xxlandc 60 xx3 138 | SET_BOTH(XT, XA[0] & ~XB[0], XA[1] & ~XB[1]);
    xxlor 60 xx3 146   | SET_BOTH(XT, XA[0] | XB[0], XA[1] | XB[1]);
    xxlxor 60 xx3 154  | SET_BOTH(XT, XA[0] ^ XB[0], XA[1] ^ XB[1]);
    xxlnor 60 xx3 162  | SET_BOTH(XT, ~(XA[0] | XB[0]), ~(XA[1] | XB[1]));
    xxlorc 60 xx3 170  | SET_BOTH(XT, XA[0] | ~XB[0], XA[1] | ~XB[1]);
    xxlnand 60 xx3 178 | SET_BOTH(XT, ~(XA[0] & XB[0]), ~(XA[1] & XB[1]));
    xxleqv 60 xx3 186  | SET_BOTH(XT, ~(XA[0] ^ XB[0]), ~(XA[1] ^ XB[1]));
    xxmrghw 60 xx3 18  | MAKE(XT, 32, GET(n % 2 ? XB : XA, 32, n / 2));
    xxmrglw 60 xx3 50  | MAKE(XT, 32, GET(n % 2 ? XB : XA, 32, 2 + n / 2));
    xxpermdi 60 xp 10 10=0 | SET_BOTH(XT, XA[W(9, 9)], XB[W(8, 8)]);
    xxsldwi 60 xp 2 10=0   | MAKE(XT, 32, n + W(9, 8) < 4 ? GET(XA, 32, n + W(9, 8)) : GET(XB, 32, n + W(9, 8) - 4));
    xxsel 60 xx4 3         | SET_BOTH(XT, (XA[0] & ~XC[0]) | (XB[0] & XC[0]), (XA[1] & ~XC[1]) | (XB[1] & XC[1]));
    xxperm 60 xx3 26       | MAKE(XT, 8, byte_of(XA, XT, GET(XB, 8, n)));
    xxpermr 60 xx3 58      | MAKE(XT, 8, byte_of(XA, XT, 31 - (GET(XB, 8, n) & 31)));
    xxspltw 60 xx2 164 20=0 19=0 18=0 | u64 v = GET(XB, 32, FA & 3); MAKE(XT, 32, v);
    xxspltib 60 xx1 360 20=0 19=0 | MAKE(XT, 8, W(18, 11));
    xxextractuw 60 xx2 165 20=0 | if (FA > 12) UNDEFINED; SET_BOTH(XT, (u32)(WHOLE(XB) >> (12 - FA) * 8), 0);
    xxinsertw 60 xx2 181 20=0 | if (FA > 12) UNDEFINED; unsigned p = (12 - FA) * 8;
        | SET_WHOLE(XT, (WHOLE(XT) & ~((u128)0xffffffff << p)) | (u128)(u32)XB[0] << p);
    xxbrh 60 xx2 475 ra 7  | MAKE(XT, 16, __builtin_bswap16(GET(XB, 16, n)));
    xxbrw 60 xx2 475 ra 15 | MAKE(XT, 32, __builtin_bswap32(GET(XB, 32, n)));
    xxbrd 60 xx2 475 ra 23 | SET_BOTH(XT, __builtin_bswap64(XB[0]), __builtin_bswap64(XB[1]));
    xxbrq 60 xx2 475 ra 31 | SET_BOTH(XT, __builtin_bswap64(XB[1]), __builtin_bswap64(XB[0]));
    mfvsrd 31 x 51 rb 0   | RA = XT[0];
    mfvsrwz 31 x 115 rb 0 | RA = (u32)XT[0];
    mfvsrld 31 x 307 rb 0 | RA = XT[1];
    mtvsrd 31 x 179 rb 0  | SET_FIRST(XT, RA);
    mtvsrwa 31 x 211 rb 0 | SET_FIRST(XT, (u64)(s64)(s32)RA);
    mtvsrwz 31 x 243 rb 0 | SET_FIRST(XT, (u32)RA);
    mtvsrws 31 x 403 rb 0 | MAKE(XT, 32, (u32)RA);
    mtvsrdd 31 x 435      | SET_BOTH(XT, RA0, RB);
    xsabsqp 63 x 804 ra 0 0=0   | SET_BOTH(VT, VB[0] & ~SIGN, VB[1]);
    xsnabsqp 63 x 804 ra 8 0=0  | SET_BOTH(VT, VB[0] | SIGN, VB[1]);
    xsnegqp 63 x 804 ra 16 0=0  | SET_BOTH(VT, VB[0] ^ SIGN, VB[1]);
    xscpsgnqp 63 x 100 0=0      | SET_BOTH(VT, (VB[0] & ~SIGN) | (VA[0] & SIGN), VB[1]);
    lxvl 31 x 269   | LOAD_LENGTH(XT, IN_WHOLE, RA0, RB);
    lxvll 31 x 301  | LOAD_LENGTH(XT, IN_BYTES, RA0, RB);
    stxvl 31 x 397  | STORE_LENGTH(XT, IN_WHOLE, RA0, RB);
    stxvll 31 x 429 | STORE_LENGTH(XT, IN_BYTES, RA0, RB);
    xscmpudp 60 xx3 35 22=0 21=0 0=0 | NEEDS_FPSCR; set_field(s, FIELD, compare_floats(s, XA[0], XB[0], 0));
    xscmpodp 60 xx3 43 22=0 21=0 0=0 | NEEDS_FPSCR; set_field(s, FIELD, compare_floats(s, XA[0], XB[0], 1));
    xscmpexpdp 60 xx3 59 22=0 21=0 0=0 | set_field(s, FIELD, compare_exponents(s, XA[0], XB[0]));
    xsmaxcdp 60 xx3 128 | NEEDS_FPSCR; u32 found_ = 0; u64 r = chosen(XA[0], XB[0], 0, &found_); EXTREMES_OF_ZEROS; raise_bits(s, found_); SET_XT(r);
    xsmincdp 60 xx3 136 | NEEDS_FPSCR; u32 found_ = 0; u64 r = chosen(XA[0], XB[0], 1, &found_); EXTREMES_OF_ZEROS; raise_bits(s, found_); SET_XT(r);
    xststdcdp 60 xx2 362 0=0 | set_field(s, FIELD, test_class(s, XB[0], data_class_of(XB[0]) & W(22, 16)));
    xvtstdcdp 60 10=1 9=1 8=1 7=1 5=1 4=0 3=1 | MAKE(XT, 64, data_class_of(XB[n]) & CLASSES ? ~(u64)0 : 0);
    xvtstdcsp 60 10=1 9=1 8=0 7=1 5=1 4=0 3=1 | MAKE(XT, 32, data_class_of_single((u32)GET(XB, 32, n)) & CLASSES ? ~(u64)0 : 0);
    xsiexpdp 60 x 918   | SET_XT((RA & ~(0x7ffull << 52)) | (RB & 0x7ff) << 52);
    xsxexpdp 60 xx2 347 ra 0 0=0 | RT = XB[0] >> 52 & 0x7ff;
    xsxsigdp 60 xx2 347 ra 1 0=0 | RT = significand_of_double(XB[0]);
    xviexpdp 60 xx3 248 | MAKE(XT, 64, (XA[n] & ~(0x7ffull << 52)) | (XB[n] & 0x7ff) << 52);
    xviexpsp 60 xx3 216 | MAKE(XT, 32, (GET(XA, 32, n) & 0x807fffff) | (GET(XB, 32, n) & 0xff) << 23);
    xvxexpdp 60 xx2 475 ra 0 | MAKE(XT, 64, XB[n] >> 52 & 0x7ff);
    xvxsigdp 60 xx2 475 ra 1 | MAKE(XT, 64, significand_of_double(XB[n]));
    xvxexpsp 60 xx2 475 ra 8 | MAKE(XT, 32, GET(XB, 32, n) >> 23 & 0xff);
    xvxsigsp 60 xx2 475 ra 9 | MAKE(XT, 32, significand_of_single((u32)GET(XB, 32, n)));
    xsabsdp 60 xx2 345 ra 0  | SET_XT(XB[0] & ~SIGN);
    xsnabsdp 60 xx2 361 ra 0 | SET_XT(XB[0] | SIGN);
    xsnegdp 60 xx2 377 ra 0  | SET_XT(XB[0] ^ SIGN);
    xscpsgndp 60 xx3 176     | SET_XT((XB[0] & ~SIGN) | (XA[0] & SIGN));
    xvabsdp 60 xx2 473 ra 0  | SET_BOTH(XT, XB[0] & ~SIGN, XB[1] & ~SIGN);
    xvnabsdp 60 xx2 489 ra 0 | SET_BOTH(XT, XB[0] | SIGN, XB[1] | SIGN);
    xvnegdp 60 xx2 505 ra 0  | SET_BOTH(XT, XB[0] ^ SIGN, XB[1] ^ SIGN);
    xvcpsgndp 60 xx3 240     | MAKE(XT, 64, (XB[n] & ~SIGN) | (XA[n] & SIGN));
    xvabssp 60 xx2 409 ra 0  | MAKE(XT, 32, GET(XB, 32, n) & 0x7fffffff);
    xvnabssp 60 xx2 425 ra 0 | MAKE(XT, 32, GET(XB, 32, n) | 0x80000000);
    xvnegsp 60 xx2 441 ra 0  | MAKE(XT, 32, GET(XB, 32, n) ^ 0x80000000);
    xvcpsgnsp 60 xx3 208     | MAKE(XT, 32, (GET(XB, 32, n) & 0x7fffffff) | (GET(XA, 32, n) & 0x80000000));
    xscvspdpn 60 xx2 331 ra 0 | SET_XT(widened(XB[0] >> 32));
    xscvdpspn 60 xx2 267 ra 0 | u64 v = narrowed(XB[0]); SET_XT(v << 32 | v);
    xscvspdp 60 xx2 329 ra 0 | XS_CONVERT(widened_quiet(b >> 32, &found_), 1, class_of(r_));
    xscvdpsp 60 xx2 265 ra 0 | XS_CONVERT(twice(narrowed(arithmetic(ROUND, 1, 0, b, 0, &found_))), 1, class_of_single((u32)r_));
    xsrsp 60 xx2 281 ra 0    | XS_CONVERT(arithmetic(ROUND, 1, 0, b, 0, &found_), 1, class_of(r_));
    xvcvdpsp 60 xx2 393 ra 0 | XV_EACH(64, 32, narrowed(arithmetic(ROUND, 1, 0, b, 0, &found_)));
    xvcvspdp 60 xx2 457 ra 0 | XV_EACH(32, 64, widened_quiet((u32)b, &found_));
"""
# Operation, its opcode for scalars of double precision, operands: a, b, c of the arithmetic.
_ARITHMETIC = (
    ("add", 32, "ADD", "XA", "XB", ""),
    ("sub", 40, "SUB", "XA", "XB", ""),
    ("mul", 48, "MUL", "XA", "", "XB"),
    ("div", 56, "DIV", "XA", "XB", ""),
    ("madda", 33, "MADD", "XA", "XT", "XB"),
    ("maddm", 41, "MADD", "XA", "XB", "XT"),
    ("msuba", 49, "MSUB", "XA", "XT", "XB"),
    ("msubm", 57, "MSUB", "XA", "XB", "XT"),
    ("nmadda", 161, "NMADD", "XA", "XT", "XB"),
    ("nmaddm", 169, "NMADD", "XA", "XB", "XT"),
    ("nmsuba", 177, "NMSUB", "XA", "XT", "XB"),
    ("nmsubm", 185, "NMSUB", "XA", "XB", "XT"),
)
_SQUARE_ROOTS = {"xssqrtdp": 75, "xssqrtsp": 11, "xvsqrtdp": 203, "xvsqrtsp": 139}
_SINGLE, _VECTOR = 32, 64
"""How far the opcodes of single precision lie below, and those of vectors above."""
_TO_INTEGER = {
    "xscvdpsxds": (344, 64, 64), "xscvdpuxds": (328, 64, 64),
    "xscvdpsxws": (88, 64, 32), "xscvdpuxws": (72, 64, 32),
    "xvcvdpsxds": (472, 64, 64), "xvcvdpuxds": (456, 64, 64),
    "xvcvdpsxws": (216, 64, 32), "xvcvdpuxws": (200, 64, 32),
    "xvcvspsxds": (408, 32, 64), "xvcvspuxds": (392, 32, 64),
    "xvcvspsxws": (152, 32, 32), "xvcvspuxws": (136, 32, 32),
}  # fmt: skip
"""Mnemonic -> opcode, bits of the operand, bits of the result."""
_FROM_INTEGER = {
    "xscvsxddp": (376, 64, 64), "xscvuxddp": (360, 64, 64),
    "xscvsxdsp": (312, 64, 32), "xscvuxdsp": (296, 64, 32),
    "xvcvsxddp": (504, 64, 64), "xvcvuxddp": (488, 64, 64),
    "xvcvsxwdp": (248, 32, 64), "xvcvuxwdp": (232, 32, 64),
    "xvcvsxdsp": (440, 64, 32), "xvcvuxdsp": (424, 64, 32),
    "xvcvsxwsp": (184, 32, 32), "xvcvuxwsp": (168, 32, 32),
}  # fmt: skip
_INTEGRAL = {"i": (73, "-1"), "iz": (89, "1"), "ip": (105, "2"), "im": (121, "3"), "ic": (107, "s->fpscr & 3 | AND_TELL")}  # fmt: skip
_EXTREMES = {"max": (160, 0), "min": (168, 1)}
_RELATIONS = {"eq": (0, "EQUAL"), "gt": (1, "GREATER"), "ge": (2, "GREATER_EQUAL")}


def _arithmetic() -> Iterator[str]:
    for (name, opcode, operation, *operands), single, vector in product(
        _ARITHMETIC, (0, 1), (0, 1)
    ):
        full = f"x{'sv'[vector]}{name}{'ds'[single]}p"
        number = opcode - _SINGLE * single + _VECTOR * vector
        if vector:
            used = ", ".join(one or "no_operand" for one in operands)
        else:
            used = ", ".join(f"{one}[0]" if one else "0" for one in operands)
        how = "XV" if vector else "XS"
        yield f"{full} 60 xx3 {number} | {how}_ARITHMETIC({operation}, {single}, {used});"
    for name, number in _SQUARE_ROOTS.items():
        single = int(name.endswith("sp"))
        how = "XV" if name[1] == "v" else "XS"
        used = "no_operand, XB, no_operand" if name[1] == "v" else "0, XB[0], 0"
        yield f"{name} 60 xx2 {number} ra 0 | {how}_ARITHMETIC(SQRT, {single}, {used});"


def _conversions() -> Iterator[str]:
    for name, (opcode, source, size) in _TO_INTEGER.items():
        signed = int("sx" in name)
        number = "b" if source == 64 else "widened((u32)b)"
        value = f"to_integer({number}, 1, {signed}, {size}, &found_)"
        if name[1] == "v":
            text = f"XV_TO_INTEGER({source}, {size}, {number}, {value});"
        else:
            value = f"twice({value})" if size == 32 else value
            text = f"XS_CONVERT({value}, 0, 0);"
        yield f"{name} 60 xx2 {opcode} ra 0 | {text}"
    for name, (opcode, source, size) in _FROM_INTEGER.items():
        signed, single = int("sx" in name), int(size == 32)
        number = "b" if source == 64 else "(u64)(s64)(s32)b" if signed else "b"
        value = f"from_integer({number}, {signed}, {single}, &found_)"
        if name[1] == "v":
            value = f"narrowed({value})" if single else value
            text = f"XV_EACH({source}, {size}, {value});"
        else:
            text = f"XS_CONVERT({value}, 1, class_of(r_));"
        yield f"{name} 60 xx2 {opcode} ra 0 | {text}"
    for name, (opcode, mode) in _INTEGRAL.items():
        value = f"to_integral(b, {mode}, &found_)"
        narrow = f"narrowed(to_integral(widened((u32)b), {mode}, &found_))"
        yield f"xsrdp{name} 60 xx2 {opcode} ra 0 | XS_CONVERT({value}, 1, class_of(r_));"
        yield f"xvrdp{name} 60 xx2 {opcode + 128} ra 0 | XV_EACH(64, 64, {value});"
        yield f"xvrsp{name} 60 xx2 {opcode + 64} ra 0 | XV_EACH(32, 32, {narrow});"


def _comparisons() -> Iterator[str]:
    for name, (opcode, least) in _EXTREMES.items():
        double = f"greatest(XA[n], b, {least}, &found_)"
        single = (
            f"narrowed(greatest(widened((u32)GET(XA, 32, n)), widened((u32)b), {least}, &found_))"
        )
        scalar = double.replace("[n]", "[0]")
        yield f"xs{name}dp 60 xx3 {opcode} | NEEDS_FPSCR; u32 found_ = 0; u64 b = XB[0], r = {scalar}; XV_DONE; SET_XT(r);"
        yield f"xv{name}dp 60 xx3 {opcode + 64} | XV_EACH(64, 64, {double});"
        yield f"xv{name}sp 60 xx3 {opcode + 32} | XV_EACH(32, 32, {single});"
    for name, (number, relation) in _RELATIONS.items():
        scalar = f"-(u64)holds(XA[0], b, {relation}, &found_)"
        yield f"xscmp{name}dp 60 xx3 {3 + 8 * number} | NEEDS_FPSCR; u32 found_ = 0; u64 b = XB[0], r = {scalar}; raise_bits(s, found_); SET_XT(r);"
        double = f"-(u64)holds(XA[n], b, {relation}, &found_)"
        single = f"-(u64)holds(widened((u32)GET(XA, 32, n)), widened((u32)b), {relation}, &found_)"
        for record in (0, 1):
            tail = " set_all_or_none(s, XT);" * record
            dot = "." * record
            yield f"xvcmp{name}dp{dot} 60 xc {99 + 8 * number} 10={record} | XV_EACH(64, 64, {double});{tail}"
            yield f"xvcmp{name}sp{dot} 60 xc {67 + 8 * number} 10={record} | XV_EACH(32, 32, {single});{tail}"


def _all_of_64_bits(lines: str) -> str:
    """Return the lines with the mark of what only 64-bit programs have."""
    return "\n".join(
        line if "|" not in line or line.lstrip().startswith("|") else line.replace("|", "(64) |", 1)
        for line in lines.splitlines()
    )


TABLE = _all_of_64_bits("\n".join((_FIXED, *_arithmetic(), *_conversions(), *_comparisons())))
