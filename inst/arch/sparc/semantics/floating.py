"""Floating point of single and double precision, and the simple ones of VIS.

Sources: The SPARC Architecture Manual, Version 9 (appendix A, and B for NaN); Oracle SPARC
Architecture 2015 for VIS, of which there is what QEMU 7.2 does as the architecture says. Numbers of
128 bits are not executed: compilers call functions for them.
"""

from __future__ import annotations

_ARITHMETIC = """
    fadds 2.34 opf=0x41 | SINGLE(ADD, S1, S2);
    faddd 2.34 opf=0x42 | DOUBLES(ADD, D1, D2);
    fsubs 2.34 opf=0x45 | SINGLE(SUB, S1, S2);
    fsubd 2.34 opf=0x46 | DOUBLES(SUB, D1, D2);
    fmuls 2.34 opf=0x49 | SINGLE(MUL, S1, S2);
    fmuld 2.34 opf=0x4a | DOUBLES(MUL, D1, D2);
    fdivs 2.34 opf=0x4d | SINGLE(DIV, S1, S2);
    fdivd 2.34 opf=0x4e | DOUBLES(DIV, D1, D2);
    fsqrts 2.34 opf=0x29 rs1=0 | SINGLE(SQRT, S2, S2);
    fsqrtd 2.34 opf=0x2a rs1=0 | DOUBLES(SQRT, D2, D2);
    fsmuld 2.34 opf=0x69 | u32 of_a, of_b, found; u64 a = widened(S1, &of_a), b = widened(S2, &of_b);
                  | u64 r = of_doubles(MUL, a, b, &found); EXCEPTIONS(found | of_a | of_b); TO_DD(r);
"""

_CONVERSIONS = """
    fstoi 2.34 opf=0xd1 rs1=0 | u32 found, of_a; s64 r = truncated(widened(S2, &of_a), 32, &found); EXCEPTIONS(found); TO_SD(r);
    fdtoi 2.34 opf=0xd2 rs1=0 | u32 found; s64 r = truncated(D2, 32, &found); EXCEPTIONS(found); TO_SD(r);
    fstox 2.34 opf=0x81 rs1=0 | u32 found, of_a; s64 r = truncated(widened(S2, &of_a), 64, &found); EXCEPTIONS(found); TO_DD(r);
    fdtox 2.34 opf=0x82 rs1=0 | u32 found; s64 r = truncated(D2, 64, &found); EXCEPTIONS(found); TO_DD(r);
    fitos 2.34 opf=0xc4 rs1=0 | u32 found; float r = integer_to_float((s32)S2, &found); EXCEPTIONS(found); TO_SD(of_float(r));
    fitod 2.34 opf=0xc8 rs1=0 | u32 found; double r = integer_to_double((s32)S2, &found); EXCEPTIONS(found); TO_DD(of_double(r));
    fxtos 2.34 opf=0x84 rs1=0 | u32 found; float r = integer_to_float(D2, &found); EXCEPTIONS(found); TO_SD(of_float(r));
    fxtod 2.34 opf=0x88 rs1=0 | u32 found; double r = integer_to_double(D2, &found); EXCEPTIONS(found); TO_DD(of_double(r));
    fstod 2.34 opf=0xc9 rs1=0 | u32 found; u64 r = widened(S2, &found); EXCEPTIONS(found); TO_DD(r);
    fdtos 2.34 opf=0xc6 rs1=0 | u32 found, r = narrowed(D2, &found); EXCEPTIONS(found); TO_SD(r);
"""

_COMPARES = """
    fcmps 2.35 opf=0x51 29:27=0 | u32 of_a, of_b; u64 a = widened(S1, &of_a), b = widened(S2, &of_b);
                  | COMPARE(a, b, of_a | of_b);
    fcmpd 2.35 opf=0x52 29:27=0 | COMPARE(D1, D2, is_signaling(a_) || is_signaling(b_));
    fcmpes 2.35 opf=0x55 29:27=0 | u32 of_a, of_b; u64 a = widened(S1, &of_a), b = widened(S2, &of_b);
                  | COMPARE(a, b, is_nan(a) || is_nan(b));
    fcmped 2.35 opf=0x56 29:27=0 | COMPARE(D1, D2, is_nan(a_) || is_nan(b_));
"""

_MOVES = """
    fmovs 2.34 opf=1 rs1=0 | EXCEPTIONS(0); TO_SD(S2);
    fmovd 2.34 opf=2 rs1=0 | EXCEPTIONS(0); TO_DD(D2);
    fnegs 2.34 opf=5 rs1=0 | EXCEPTIONS(0); TO_SD(S2 ^ 1u << 31);
    fnegd 2.34 opf=6 rs1=0 | EXCEPTIONS(0); TO_DD(D2 ^ SIGN);
    fabss 2.34 opf=9 rs1=0 | EXCEPTIONS(0); TO_SD(S2 & ~(1u << 31));
    fabsd 2.34 opf=10 rs1=0 | EXCEPTIONS(0); TO_DD(D2 & ~SIGN);
    fmovs_icc 2.35 18:18=0 13:11=4 10:5=1 | EXCEPTIONS(0); if (IF(s->icc, W(17, 14))) TO_SD(S2);
    fmovd_icc 2.35 18:18=0 13:11=4 10:5=2 | EXCEPTIONS(0); if (IF(s->icc, W(17, 14))) TO_DD(D2);
    fmovs_xcc 2.35 18:18=0 13:11=6 10:5=1 | EXCEPTIONS(0); if (IF(s->xcc, W(17, 14))) TO_SD(S2);
    fmovd_xcc 2.35 18:18=0 13:11=6 10:5=2 | EXCEPTIONS(0); if (IF(s->xcc, W(17, 14))) TO_DD(D2);
    fmovs_fcc 2.35 18:18=0 13:13=0 10:5=1 | EXCEPTIONS(0); if (IF_FLOAT(fcc(s, W(12, 11)), W(17, 14))) TO_SD(S2);
    fmovd_fcc 2.35 18:18=0 13:13=0 10:5=2 | EXCEPTIONS(0); if (IF_FLOAT(fcc(s, W(12, 11)), W(17, 14))) TO_DD(D2);
    fmovrs 2.35 13:13=0 9:5=5 | if (!(W(12, 10) & 3)) UNDEFINED; EXCEPTIONS(0); if (if_register(W(12, 10), A)) TO_SD(S2);
    fmovrd 2.35 13:13=0 9:5=6 | if (!(W(12, 10) & 3)) UNDEFINED; EXCEPTIONS(0); if (if_register(W(12, 10), A)) TO_DD(D2);
"""

_LOGIC = (
    ("zero", 0x60, "0"),
    ("one", 0x7E, "~(u64)0"),
    ("src1", 0x74, "a"),
    ("src2", 0x78, "b"),
    ("not1", 0x6A, "~a"),
    ("not2", 0x66, "~b"),
    ("or", 0x7C, "a | b"),
    ("nor", 0x62, "~(a | b)"),
    ("and", 0x70, "a & b"),
    ("nand", 0x6E, "~(a & b)"),
    ("xor", 0x6C, "a ^ b"),
    ("xnor", 0x72, "~(a ^ b)"),
    ("ornot1", 0x7A, "~a | b"),
    ("ornot2", 0x76, "a | ~b"),
    ("andnot1", 0x68, "~a & b"),
    ("andnot2", 0x64, "a & ~b"),
)
"""VIS: name without f, opf of the form with double registers (one less than that with single
ones), and result."""
_VIS = """
    alignaddr 2.36 opf=0x18 | u64 r = A + s->g[F2]; s->gsr = (s->gsr & ~(u64)7) | (r & 7); TO_RD(r & ~(u64)7);
    alignaddrl 2.36 opf=0x1a | u64 r = A + s->g[F2]; s->gsr = (s->gsr & ~(u64)7) | (-r & 7); TO_RD(r & ~(u64)7);
    faligndata 2.36 opf=0x48 | u64 a = D1, b = D2; unsigned n = 8 * (s->gsr & 7);
                  | TO_DD(n ? a << n | b >> (64 - n) : a);
    bmask 2.36 opf=0x19 | u64 r = A + s->g[F2]; s->gsr = (u32)s->gsr | r << 32; TO_RD(r);
    fpadd16 2.36 opf=0x50 | LANES(D1, D2, 16, x + y); TO_DD(r);
    fpadd16s 2.36 opf=0x51 | LANES(S1, S2, 16, x + y); TO_SD(r);
    fpadd32 2.36 opf=0x52 | LANES(D1, D2, 32, x + y); TO_DD(r);
    fpadd32s 2.36 opf=0x53 | TO_SD(S1 + S2);
    fpsub32s 2.36 opf=0x57 | TO_SD(S1 - S2);
    fcmpne16 2.36 opf=0x22 | LANES_IF(16, x != y); TO_RD(r);
    fcmpne32 2.36 opf=0x26 | LANES_IF(32, x != y); TO_RD(r);
    fcmpeq16 2.36 opf=0x2a | LANES_IF(16, x == y); TO_RD(r);
    fcmpeq32 2.36 opf=0x2e | LANES_IF(32, x == y); TO_RD(r);
    fmul8sux16 2.36 opf=0x36 | LANES(D1, D2, 16, ((x >> 8) * y + 0x80) >> 8); TO_DD(r);
    fpack16 2.36 opf=0x3b | u64 b = D2, r = 0; for (unsigned n = 0; n < 4; n++) r |= within(LANE(b, 16, 16 * n) << (s->gsr >> 3 & 15) >> 7, 0, 255) << 8 * n;
                  | TO_SD(r);
    fpack32 2.36 opf=0x3a | LANES(D1, D2, 32, (u64)x << 8 | within(y << (s->gsr >> 3 & 31) >> 23, 0, 255)); TO_DD(r);
    fpackfix 2.36 opf=0x3d | u64 b = D2, r = 0; for (unsigned n = 0; n < 2; n++)
                  | r |= (within(LANE(b, 32, 32 * n) << (s->gsr >> 3 & 31) >> 16, -0x8000, 0x7fff) & 0xffff) << 16 * n;
                  | TO_SD(r);
    pdist 2.36 opf=0x3e | u64 a = D1, b = D2, r = get_double(s, DOUBLE(FD));
                  | for (unsigned n = 0; n < 64; n += 8) { s64 x = a >> n & 255, y = b >> n & 255; r += x > y ? x - y : y - x; } TO_DD(r);
"""


def _logic() -> str:
    return "\n".join(
        f"f{name} 2.36 opf={opf} | u64 a = D1, b = D2; TO_DD({result});\n"
        f"f{name}s 2.36 opf={opf + 1} | u32 a = S1, b = S2; TO_SD({result});"
        for name, opf, result in _LOGIC
    )


TABLE = "\n".join((_ARITHMETIC, _CONVERSIONS, _COMPARES, _MOVES, _VIS, _logic()))
