"""Floating point of scalars.

Source: Power ISA 3.0B, Book I, chapter 4. FR, which tells that rounding made a fraction greater, is
always 0, as under the emulator. With an exception enabled, or in the mode that is not of IEEE, nothing
is executed. Neither are negated products that are inexact and rounded up or down: the emulator
negates them before it rounds, and the processor after. The same holds for mtfsb1 of an exception,
which sets FX on the processor only.
"""

from __future__ import annotations

from itertools import product

_ARITHMETIC = (
    ("fadd", 21, "rc 0", "ADD", "FRA, FRB, 0"),
    ("fsub", 20, "rc 0", "SUB", "FRA, FRB, 0"),
    ("fmul", 25, "rb 0", "MUL", "FRA, 0, FRC"),
    ("fdiv", 18, "rc 0", "DIV", "FRA, FRB, 0"),
    ("fsqrt", 22, "ra 0 rc 0", "SQRT", "0, FRB, 0"),
    ("fmadd", 29, "", "MADD", "FRA, FRB, FRC"),
    ("fmsub", 28, "", "MSUB", "FRA, FRB, FRC"),
    ("fnmadd", 31, "", "NMADD", "FRA, FRB, FRC"),
    ("fnmsub", 30, "", "NMSUB", "FRA, FRB, FRC"),
)
_TO_INTEGER = {
    "fctid": (814, 1, 64), "fctidz": (815, 1, 64), "fctidu": (942, 0, 64), "fctiduz": (943, 0, 64),
    "fctiw": (14, 1, 32), "fctiwz": (15, 1, 32), "fctiwu": (142, 0, 32), "fctiwuz": (143, 0, 32),
}  # fmt: skip
"""Mnemonic -> extended opcode, whether the result has a sign, and its bits."""
_FROM_INTEGER = {"fcfid": (63, 846, 1, 0), "fcfidu": (63, 974, 0, 0), "fcfids": (59, 846, 1, 1),
                 "fcfidus": (59, 974, 0, 1)}  # fmt: skip
_INTEGRAL = {"frin": (392, -1), "friz": (424, 1), "frip": (456, 2), "frim": (488, 3)}
_MOVES = """
    fmr[.] 63 x 72 ra 0    | SET_FRT(FRB); CR1_IF_RC;
    fneg[.] 63 x 40 ra 0   | SET_FRT(FRB ^ SIGN); CR1_IF_RC;
    fabs[.] 63 x 264 ra 0  | SET_FRT(FRB & ~SIGN); CR1_IF_RC;
    fnabs[.] 63 x 136 ra 0 | SET_FRT(FRB | SIGN); CR1_IF_RC;
    fcpsgn[.] 63 x 8       | SET_FRT((FRB & ~SIGN) | (FRA & SIGN)); CR1_IF_RC;
    fmrgew 63 x 966 0=0    | u64 r = (FRA >> 32 << 32) | FRB >> 32; SET_FRT(r);
    fmrgow 63 x 838 0=0    | u64 r = FRA << 32 | (u32)FRB; SET_FRT(r);
    fsel[.] 63 a 23        | u64 r = is_nan(FRA) || (FRA >> 63 && !is_zero(FRA)) ? FRB : FRC; SET_FRT(r); CR1_IF_RC;
    fcmpu 63 x 0 22=0 21=0 0=0  | NEEDS_FPSCR; set_field(s, FIELD, compare_floats(s, FRA, FRB, 0));
    fcmpo 63 x 32 22=0 21=0 0=0 | NEEDS_FPSCR; set_field(s, FIELD, compare_floats(s, FRA, FRB, 1));
    frsp[.] 63 x 12 ra 0   | ARITHMETIC(ROUND, 1, 0, FRB, 0);
"""
_STATUS = """
    mffs[.] 63 x 583 ra 0 rb 0 | SET_FRT(s->fpscr); CR1_IF_RC;
    mffsce 63 x 583 ra 1 rb 0 0=0 | u64 was = s->fpscr; OF_POWER9(SET_FPSCR(ENABLED, 0)); SET_FRT(was);
    mffscdrn 63 x 583 ra 20 0=0 (64) | u64 was = s->fpscr & (0xff | 7ull << 32); SET_FPSCR(7ull << 32, FRB); SET_FRT(was);
    mffscdrni 63 x 583 ra 21 15=0 14=0 0=0 (64) | u64 was = s->fpscr & (0xff | 7ull << 32); SET_FPSCR(7ull << 32, (u64)FB << 32); SET_FRT(was);
    mffscrn 63 x 583 ra 22 0=0 | u64 was = s->fpscr; OF_POWER9(was &= 0xff; SET_FPSCR(3, FRB)); SET_FRT(was);
    mffscrni 63 x 583 ra 23 15=0 14=0 13=0 0=0 | u64 was = s->fpscr; OF_POWER9(was &= 0xff; SET_FPSCR(3, FB)); SET_FRT(was);
    mffsl 63 x 583 ra 24 rb 0 0=0 | u64 was = s->fpscr; OF_POWER9(was &= 0xff | FR | FI | FPRF); SET_FRT(was);
    mtfsf[.] 63 x 711 25=0 16=0 | SET_FPSCR(of_nibbles(W(24, 17)), FRB); CR1_IF_RC;
    mtfsf.high[.] 63 x 711 25=0 16=1 (64) | SET_FPSCR((u64)of_nibbles(W(24, 17)) << 32, FRB); CR1_IF_RC;
    mtfsf.all[.] 63 x 711 25=1 16=0 | SET_FPSCR(ALL_BITS, FRB); CR1_IF_RC;
    mtfsfi[.] 63 x 134 22=0 21=0 ra 0 11=0 | SET_FPSCR(15u << (28 - 4 * FIELD), FB >> 1 << (28 - 4 * FIELD)); CR1_IF_RC;
    mtfsb0[.] 63 x 70 ra 0 rb 0 | SET_FPSCR(SIGN >> 32 >> FT, 0); CR1_IF_RC;
    mtfsb1[.] 63 x 38 ra 0 rb 0 | u32 b = (u32)(SIGN >> 32) >> FT; if (b & (STICKY | NI) & ~s->fpscr) UNDEFINED;
        | SET_FPSCR(b, b); CR1_IF_RC;
    mcrfs 63 x 64 22=0 21=0 17=0 16=0 rb 0 0=0 | unsigned shift = 28 - 4 * FROM;
        | set_field(s, FIELD, s->fpscr >> shift & 15); SET_FPSCR(15u << shift & (STICKY | FX), 0);
"""


def _arithmetic() -> str:
    return "\n".join(
        f"{name}{'s' * single}[.] {63 - 4 * single} a {opcode} {zero} | ARITHMETIC({operation}, {single}, {operands});"
        for (name, opcode, zero, operation, operands), single in product(_ARITHMETIC, (0, 1))
    )


def _conversions() -> str:
    lines = [
        f"{name}[.] 63 x {opcode} ra 0 | TO_INTEGER({1 if name.endswith('z') else 's->fpscr & 3'}, {signed}, {size});"
        for name, (opcode, signed, size) in _TO_INTEGER.items()
    ]
    lines += [
        f"{name}[.] {primary} x {opcode} ra 0 | FROM_INTEGER({signed}, {single});"
        for name, (primary, opcode, signed, single) in _FROM_INTEGER.items()
    ]
    lines += [
        f"{name}[.] 63 x {opcode} ra 0 | TO_INTEGRAL({mode});"
        for name, (opcode, mode) in _INTEGRAL.items()
    ]
    return "\n".join(lines)


TABLE = "\n".join((_arithmetic(), _conversions(), _MOVES, _STATUS))
