"""Integer arithmetic, logic, rotates, compares, the condition register, moves and traps.

Source: Power ISA 3.0B, Book I, sections 2.5 and 3.3.
"""

from __future__ import annotations

_ADDITION = """
    addi 14           | RT = RA0 + SI;
    addis 15          | RT = RA0 + ((ureg)SI << 16);
    addpcis 19 a 2 (64) | RT = PC + 4 + ((ureg)(sreg)(s16)(W(15, 6) << 6 | W(20, 16) << 1 | W(0, 0)) << 16);
    addic 12          | RT = sum(s, RA, SI, 0, CA);
    addic. 13         | ureg r = sum(s, RA, SI, 0, CA); RT = r; record(s, r);
    subfic 8          | RT = sum(s, ~RA, SI, 1, CA);
    mulli 7           | RT = RA * (ureg)SI;
    add[o][.] 31 xo 266    | TO_RT(sum(s, RA, RB, 0, WITH_OE));
    subf[o][.] 31 xo 40    | TO_RT(sum(s, ~RA, RB, 1, WITH_OE));
    addc[o][.] 31 xo 10    | TO_RT(sum(s, RA, RB, 0, CA | WITH_OE));
    subfc[o][.] 31 xo 8    | TO_RT(sum(s, ~RA, RB, 1, CA | WITH_OE));
    adde[o][.] 31 xo 138   | TO_RT(sum(s, RA, RB, CARRY, CA | WITH_OE));
    subfe[o][.] 31 xo 136  | TO_RT(sum(s, ~RA, RB, CARRY, CA | WITH_OE));
    addze[o][.] 31 xo 202 rb 0  | TO_RT(sum(s, RA, 0, CARRY, CA | WITH_OE));
    subfze[o][.] 31 xo 200 rb 0 | TO_RT(sum(s, ~RA, 0, CARRY, CA | WITH_OE));
    addme[o][.] 31 xo 234 rb 0  | TO_RT(sum(s, RA, ~(ureg)0, CARRY, CA | WITH_OE));
    subfme[o][.] 31 xo 232 rb 0 | TO_RT(sum(s, ~RA, ~(ureg)0, CARRY, CA | WITH_OE));
    neg[o][.] 31 xo 104 rb 0    | TO_RT(sum(s, ~RA, 0, 1, WITH_OE));
"""

_MULTIPLICATION = """
    mullw[o][.] 31 xo 235 | s64 r = (s64)(s32)RA * (s32)RB;
                          | if (OE) set_overflow(s, r != (s32)r, r != (s32)r); TO_RT(r);
    mulhw[.] 31 xo 75 10=0  | TO_RT((u32)((s64)(s32)RA * (s32)RB >> 32));
    mulhwu[.] 31 xo 11 10=0 | TO_RT((u32)((u64)(u32)RA * (u32)RB >> 32));
    mulld[o][.] 31 xo 233 (64) | s128 r = (s128)(s64)RA * (s64)RB;
                          | if (OE) set_overflow(s, r != (s64)r, r != (s64)r); TO_RT(r);
    mulhd[.] 31 xo 73 10=0 (64)  | TO_RT((s128)(s64)RA * (s64)RB >> 64);
    mulhdu[.] 31 xo 9 10=0 (64)  | TO_RT((u128)RA * RB >> 64);
    maddhd 4 va 48 (64)   | RT = ((s128)(s64)RA * (s64)RB + (s64)s->g[FC]) >> 64;
    maddhdu 4 va 49 (64)  | RT = ((u128)RA * RB + s->g[FC]) >> 64;
    maddld 4 va 51 (64)   | RT = RA * RB + s->g[FC];
"""

_DIVISION = """
    divw[o][.] 31 xo 491 | s32 a = (s32)RA, b = (s32)RB; int over = !b || (b == -1 && a == INT32_MIN);
                         | if (over && OE) UNDEFINED; if (OE) set_overflow(s, 0, 0);
                         | if (over) LEFT_IN(RT); else TO_RT((u32)(a / b));
    divwu[o][.] 31 xo 459 | u32 a = (u32)RA, b = (u32)RB; if (!b && OE) UNDEFINED;
                         | if (OE) set_overflow(s, 0, 0); if (!b) LEFT_IN(RT); else TO_RT(a / b);
    divd[o][.] 31 xo 489 (64) | s64 a = (s64)RA, b = (s64)RB; int over = !b || (b == -1 && a == INT64_MIN);
                         | if (over && OE) UNDEFINED; if (OE) set_overflow(s, 0, 0);
                         | if (over) LEFT_IN(RT); else TO_RT(a / b);
    divdu[o][.] 31 xo 457 (64) | u64 a = RA, b = RB; if (!b && OE) UNDEFINED;
                         | if (OE) set_overflow(s, 0, 0); if (!b) LEFT_IN(RT); else TO_RT(a / b);
    divwe[o][.] 31 xo 427 (64) | s32 b = (s32)RB; if (!b) UNDEFINED; s64 r, a = (s64)((u64)RA << 32);
                         | if (b == -1 && a == INT64_MIN) UNDEFINED; r = a / b; if (r != (s32)r) UNDEFINED;
                         | if (OE) set_overflow(s, 0, 0); TO_RT((sreg)(s32)r);
    divweu[o][.] 31 xo 395 (64) | u32 b = (u32)RB; if (b <= (u32)RA) UNDEFINED;
                         | if (OE) set_overflow(s, 0, 0); TO_RT(((u64)RA << 32) / b);
    divde[o][.] 31 xo 425 (64) | s64 b = (s64)RB; if (!b) UNDEFINED; s128 r, a = (s128)((u128)RA << 64);
                         | if (b == -1 && (s64)RA == INT64_MIN) UNDEFINED; r = a / b; if (r != (s64)r) UNDEFINED;
                         | if (OE) set_overflow(s, 0, 0); TO_RT(r);
    divdeu[o][.] 31 xo 393 (64) | u64 b = RB; if (b <= RA) UNDEFINED;
                         | if (OE) set_overflow(s, 0, 0); TO_RT(((u128)RA << 64) / b);
    modsw 31 x 779 0=0 (64) | s32 a = (s32)RA, b = (s32)RB;
                         | if (!b || (b == -1 && a == INT32_MIN)) RECORDED(RT); else RT = (sreg)(a % b);
    moduw 31 x 267 0=0 (64) | u32 b = (u32)RB; if (!b) RECORDED(RT); else RT = (u32)RA % b;
    modsd 31 x 777 0=0 (64) | s64 a = (s64)RA, b = (s64)RB;
                         | if (!b || (b == -1 && a == INT64_MIN)) RECORDED(RT); else RT = a % b;
    modud 31 x 265 0=0 (64) | if (!RB) RECORDED(RT); else RT = RA % RB;
"""

_LOGIC = """
    ori 24  | RA = RT | UI;
    oris 25 | RA = RT | UI << 16;
    xori 26 | RA = RT ^ UI;
    xoris 27 | RA = RT ^ UI << 16;
    andi. 28 | RA = RT & UI; record(s, RA);
    andis. 29 | RA = RT & UI << 16; record(s, RA);
    and[.] 31 x 28   | TO_RA(RT & RB);
    or[.] 31 x 444   | TO_RA(RT | RB);
    xor[.] 31 x 316  | TO_RA(RT ^ RB);
    nand[.] 31 x 476 | TO_RA(~(RT & RB));
    nor[.] 31 x 124  | TO_RA(~(RT | RB));
    eqv[.] 31 x 284  | TO_RA(~(RT ^ RB));
    andc[.] 31 x 60  | TO_RA(RT & ~RB);
    orc[.] 31 x 412  | TO_RA(RT | ~RB);
    extsb[.] 31 x 954 rb 0 | TO_RA((sreg)(s8)RT);
    extsh[.] 31 x 922 rb 0 | TO_RA((sreg)(s16)RT);
    extsw[.] 31 x 986 rb 0 (64) | TO_RA((sreg)(s32)RT);
    cntlzw[.] 31 x 26 rb 0 | TO_RA((u32)RT ? __builtin_clz((u32)RT) : 32);
    cntlzd[.] 31 x 58 rb 0 (64) | TO_RA(RT ? __builtin_clzll(RT) : 64);
    cnttzw[.] 31 x 538 rb 0 (64) | TO_RA((u32)RT ? __builtin_ctz((u32)RT) : 32);
    cnttzd[.] 31 x 570 rb 0 (64) | TO_RA(RT ? __builtin_ctzll(RT) : 64);
    popcntb 31 x 122 rb 0 0=0 | RA = (ureg)bits_of_bytes(RT);
    popcntw 31 x 378 rb 0 0=0 | RA = (ureg)((u64)__builtin_popcount((u64)RT >> 32) << 32 | __builtin_popcount((u32)RT));
    popcntd 31 x 506 rb 0 0=0 (64) | RA = __builtin_popcountll(RT);
    prtyw 31 x 154 rb 0 0=0 | u64 v = RT & 0x0101010101010101u;
                      | RA = (ureg)((u64)__builtin_parity(v >> 32) << 32 | __builtin_parity((u32)v));
    prtyd 31 x 186 rb 0 0=0 (64) | RA = __builtin_parityll(RT & 0x0101010101010101u);
    cmpb 31 x 508 0=0  | RA = (ureg)each_byte(RT, RB);
    bpermd 31 x 252 0=0 (64) | RA = permuted_bits(RT, RB);
    isel 31 a 15 0=0   | RT = get_bit(s, FC) ? RA0 : RB;
"""

_ROTATES = """
    rlwimi[.] 20 | ureg k = MASK32; TO_RA((rotated_word(RT, FB) & k) | (RA & ~k));
    rlwinm[.] 21 | TO_RA(rotated_word(RT, FB) & MASK32);
    rlwnm[.] 23  | TO_RA(rotated_word(RT, RB & 31) & MASK32);
    rldicl[.] 30 md 0 (64) | TO_RA(rotated64(RT, SHIFT64) & mask64(BEGIN64, 63));
    rldicr[.] 30 md 1 (64) | TO_RA(rotated64(RT, SHIFT64) & mask64(0, BEGIN64));
    rldic[.] 30 md 2 (64)  | TO_RA(rotated64(RT, SHIFT64) & mask64(BEGIN64, 63 - SHIFT64));
    rldimi[.] 30 md 3 (64) | u64 k = mask64(BEGIN64, 63 - SHIFT64);
                           | TO_RA((rotated64(RT, SHIFT64) & k) | (RA & ~k));
    rldcl[.] 30 mds 8 (64) | TO_RA(rotated64(RT, RB & 63) & mask64(BEGIN64, 63));
    rldcr[.] 30 mds 9 (64) | TO_RA(rotated64(RT, RB & 63) & mask64(0, BEGIN64));
    slw[.] 31 x 24  | unsigned n = RB & 63; TO_RA(n < 32 ? (u32)RT << n : 0);
    srw[.] 31 x 536 | unsigned n = RB & 63; TO_RA(n < 32 ? (u32)RT >> n : 0);
    sld[.] 31 x 27 (64)  | unsigned n = RB & 127; TO_RA(n < 64 ? RT << n : 0);
    srd[.] 31 x 539 (64) | unsigned n = RB & 127; TO_RA(n < 64 ? RT >> n : 0);
    sraw[.] 31 x 792 | s32 v = (s32)RT; unsigned n = RB & 63;
                     | int c = v < 0 && (n > 31 || v & ((1u << n) - 1)); set_carry(s, c, c);
                     | TO_RA((sreg)(v >> (n > 31 ? 31 : n)));
    srawi[.] 31 x 824 | s32 v = (s32)RT; unsigned n = FB; int c = v < 0 && v & ((1u << n) - 1);
                     | set_carry(s, c, c); TO_RA((sreg)(v >> n));
    srad[.] 31 x 794 (64) | s64 v = (s64)RT; unsigned n = RB & 127;
                     | int c = v < 0 && (n > 63 || v & (((u64)1 << n) - 1)); set_carry(s, c, c);
                     | TO_RA(v >> (n > 63 ? 63 : n));
    sradi[.] 31 xs 413 (64) | s64 v = (s64)RT; unsigned n = SHIFT64;
                     | int c = v < 0 && v & (((u64)1 << n) - 1); set_carry(s, c, c); TO_RA(v >> n);
    extswsli[.] 31 xs 445 (64) | TO_RA((u64)(s64)(s32)RT << SHIFT64);
"""

_COMPARES = """
    cmpw 31 x 0 21=0 22=0 0=0 | COMPARE(s32, RA, RB);
    cmpd 31 x 0 21=1 22=0 0=0 (64) | COMPARE(s64, RA, RB);
    cmplw 31 x 32 21=0 22=0 0=0 | COMPARE(u32, RA, RB);
    cmpld 31 x 32 21=1 22=0 0=0 (64) | COMPARE(u64, RA, RB);
    cmpwi 11 21=0 22=0 | COMPARE(s32, RA, SI);
    cmpdi 11 21=1 22=0 (64) | COMPARE(s64, RA, SI);
    cmplwi 10 21=0 22=0 | COMPARE(u32, RA, UI);
    cmpldi 10 21=1 22=0 (64) | COMPARE(u64, RA, UI);
    cmpeqb 31 x 224 0=0 21=0 22=0 (64) | set_field(s, FIELD, each_byte((RA & 255) * 0x0101010101010101u, RB) ? 4 : 0);
    cmprb 31 x 192 0=0 22=0 (64) | u32 v = RA & 255, b = (u32)RB;
                | int in = v >= (b & 255) && v <= (b >> 8 & 255);
                | if (W(21, 21)) in |= v >= (b >> 16 & 255) && v <= b >> 24;
                | set_field(s, FIELD, in ? 4 : 0);
    setb 31 x 128 rb 0 17=0 16=0 0=0 (64) | u32 f = get_field(s, FROM); RT = f & 8 ? -1 : f & 4 ? 1 : 0;
"""

_CONDITIONS = """
    crand 19 x 257 0=0  | set_bit(s, FT, get_bit(s, FA) & get_bit(s, FB));
    cror 19 x 449 0=0   | set_bit(s, FT, get_bit(s, FA) | get_bit(s, FB));
    crxor 19 x 193 0=0  | set_bit(s, FT, get_bit(s, FA) ^ get_bit(s, FB));
    crnand 19 x 225 0=0 | set_bit(s, FT, !(get_bit(s, FA) & get_bit(s, FB)));
    crnor 19 x 33 0=0   | set_bit(s, FT, !(get_bit(s, FA) | get_bit(s, FB)));
    creqv 19 x 289 0=0  | set_bit(s, FT, get_bit(s, FA) == get_bit(s, FB));
    crandc 19 x 129 0=0 | set_bit(s, FT, get_bit(s, FA) & !get_bit(s, FB));
    crorc 19 x 417 0=0  | set_bit(s, FT, get_bit(s, FA) | !get_bit(s, FB));
    mcrf 19 x 0 0=0     | set_field(s, FIELD, get_field(s, FROM));
    mtcrf 31 x 144 11=0 0=0 20=0 | for (unsigned n = 0; n < 8; n++) if (W(19, 12) >> n & 1)
                        | set_field(s, 7 - n, RT >> 4 * n & 15);
    mtocrf 31 x 144 11=0 0=0 20=1 | if (__builtin_popcount(W(19, 12)) != 1) UNDEFINED;
                        | unsigned n = __builtin_ctz(W(19, 12)); set_field(s, 7 - n, RT >> 4 * n & 15);
    mfcr 31 x 19 ra 0 rb 0 0=0 | RT = s->cr;
    mfocrf 31 x 19 11=0 0=0 20=1 | if (__builtin_popcount(W(19, 12)) != 1) UNDEFINED;
                        | RT = s->cr & 15u << 4 * __builtin_ctz(W(19, 12));
    mcrxr 31 x 512 ra 0 rb 0 22=0 21=0 0=0  | if (INST_BITS == 64) UNDEFINED; set_field(s, FIELD, s->xer >> 28); s->xer &= 0x0fffffff;
    mcrxrx 31 x 576 ra 0 rb 0 22=0 21=0 0=0 (64) | set_field(s, FIELD, (s->xer >> 30 & 1) << 3 | (s->xer >> 19 & 1) << 2
                        | | (s->xer >> 29 & 1) << 1 | (s->xer >> 18 & 1));
"""

_SPECIAL = """
    mfxer 31 x 339 0=0 spr 1 | RT = s->xer;
    mflr 31 x 339 0=0 spr 8  | RT = s->lr;
    mfctr 31 x 339 0=0 spr 9 | RT = s->ctr;
    mfvrsave 31 x 339 0=0 spr 256 | RT = s->vrsave;
    mfspr 31 x 339 0=0 | RECORDED(RT);
    mtxer 31 x 467 0=0 spr 1 | s->xer = (u32)RT & (INST_BITS == 64 ? ~0u : ~(OV32 | CA32));
    mtlr 31 x 467 0=0 spr 8  | s->lr = RT;
    mtctr 31 x 467 0=0 spr 9 | s->ctr = RT;
    mtvrsave 31 x 467 0=0 spr 256 | s->vrsave = (u32)RT;
    mftb 31 x 371 spr 268 0=0 | RECORDED(RT);
    mftbu 31 x 371 spr 269 0=0 | RECORDED(RT);
    darn 31 x 755 0=0 (64) | RECORDED(RT);
"""

_TRAPS = """
    twi 3 | TRAP_IF(s32, u32, RA, SI);
    tdi 2 (64) | TRAP_IF(s64, u64, RA, SI);
    tw 31 x 4 0=0 | TRAP_IF(s32, u32, RA, RB);
    td 31 x 68 0=0 (64) | TRAP_IF(s64, u64, RA, RB);
"""

TABLE = "".join(
    (
        _ADDITION,
        _MULTIPLICATION,
        _DIVISION,
        _LOGIC,
        _ROTATES,
        _COMPARES,
        _CONDITIONS,
        _SPECIAL,
        _TRAPS,
    )
)
