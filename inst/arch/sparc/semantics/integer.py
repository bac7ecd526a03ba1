"""Integer arithmetic, logic, shifts, moves, and registers of the processor's state.

Sources: The SPARC Architecture Manual, Versions 8 and 9 (appendices B and A); Oracle SPARC
Architecture 2015 for popc. Registers have 64 bits in 32-bit programs, too, since V8+ code uses
them; what V8's instructions do follows from the lower 32.
"""

from __future__ import annotations

_ARITHMETIC = """
    add[cc][i] 2.00  | u64 a = A, b = B, r = a + b; if (CC) set_sum(s, a, b, r); TO_RD(r);
    addc[cc][i] 2.08 | u64 a = A, b = B, r = a + b + CARRY; if (CC) set_sum(s, a, b, r); TO_RD(r);
    sub[cc][i] 2.04  | u64 a = A, b = B, r = a - b; if (CC) set_difference(s, a, b, r); TO_RD(r);
    subc[cc][i] 2.0c | u64 a = A, b = B, r = a - b - CARRY; if (CC) set_difference(s, a, b, r); TO_RD(r);
    taddcc[i] 2.20   | u64 a = A, b = B, r = a + b; set_sum(s, a, b, r); s->icc |= TAGGED; TO_RD(r);
    tsubcc[i] 2.21   | u64 a = A, b = B, r = a - b; set_difference(s, a, b, r); s->icc |= TAGGED; TO_RD(r);
    mulscc[i] 2.24   | u32 a = A, b = s->y & 1 ? B : 0; u64 shifted = (u64)(LESS << 31 | a >> 1);
                     | u64 r = shifted + b; s->y = a << 31 | s->y >> 1; set_sum(s, shifted, b, r); TO_RD(r);
    umul[cc][i] 2.0a | u64 r = (u64)(u32)A * (u32)B; s->y = r >> 32; if (CC) set_logic(s, r); TO_RD(r);
    smul[cc][i] 2.0b | u64 r = (s64)(s32)A * (s32)B; s->y = r >> 32; if (CC) set_logic(s, r); TO_RD(r);
    udiv[cc][i] 2.0e | u64 a = (u64)s->y << 32 | (u32)A; u32 b = B; if (!b) STOP(TRAP);
                     | u64 r = a / b; int over = r >> 32 != 0; if (over) r = UINT32_MAX;
                     | if (CC) set_quotient(s, r, over); TO_RD(r);
    sdiv[cc][i] 2.0f | s64 a = (s64)((u64)s->y << 32 | (u32)A); s32 b = B; if (!b) STOP(TRAP);
                     | int least = a == INT64_MIN && b == -1; s64 r = least ? INT64_MAX : a / b;
                     | int over = r != (s32)r; if (over) r = r < 0 ? INT32_MIN : INT32_MAX;
                     | if (CC) set_quotient(s, r, over); TO_RD(r);
    mulx[i] 2.09     | TO_RD(A * B);
    udivx[i] 2.0d    | u64 b = B; if (!b) STOP(TRAP); TO_RD(A / b);
    sdivx[i] 2.2d    | s64 b = B; if (!b) STOP(TRAP); TO_RD(b == -1 ? -A : (s64)A / b);
    popc[i] 2.2e rs1=0 | TO_RD(__builtin_popcountll(B));
"""

_LOGIC = """
    and[cc][i] 2.01  | u64 r = A & B; if (CC) set_logic(s, r); TO_RD(r);
    or[cc][i] 2.02   | u64 r = A | B; if (CC) set_logic(s, r); TO_RD(r);
    xor[cc][i] 2.03  | u64 r = A ^ B; if (CC) set_logic(s, r); TO_RD(r);
    andn[cc][i] 2.05 | u64 r = A & ~B; if (CC) set_logic(s, r); TO_RD(r);
    orn[cc][i] 2.06  | u64 r = A | ~B; if (CC) set_logic(s, r); TO_RD(r);
    xnor[cc][i] 2.07 | u64 r = A ^ ~B; if (CC) set_logic(s, r); TO_RD(r);
    sethi 0.4        | TO_RD(W(21, 0) << 10);
"""

_SHIFTS = """
    sll 2.25 i=0 x=0 11:5=0  | TO_RD(A << (s->g[F2] & 31));
    srl 2.26 i=0 x=0 11:5=0  | TO_RD((u32)A >> (s->g[F2] & 31));
    sra 2.27 i=0 x=0 11:5=0  | TO_RD((s64)((s32)A >> (s->g[F2] & 31)));
    sll.i 2.25 i=1 x=0 11:5=0 | TO_RD(A << F2);
    srl.i 2.26 i=1 x=0 11:5=0 | TO_RD((u32)A >> F2);
    sra.i 2.27 i=1 x=0 11:5=0 | TO_RD((s64)((s32)A >> F2));
    sllx 2.25 i=0 x=1 11:5=0 | TO_RD(A << (s->g[F2] & 63));
    srlx 2.26 i=0 x=1 11:5=0 | TO_RD(A >> (s->g[F2] & 63));
    srax 2.27 i=0 x=1 11:5=0 | TO_RD((s64)A >> (s->g[F2] & 63));
    sllx.i 2.25 i=1 x=1 11:6=0 | TO_RD(A << W(5, 0));
    srlx.i 2.26 i=1 x=1 11:6=0 | TO_RD(A >> W(5, 0));
    srax.i 2.27 i=1 x=1 11:6=0 | TO_RD((s64)A >> W(5, 0));
"""

_MOVES = """
    mov_icc.r 2.2c cc2=1 i=0 cc=0 10:5=0 | if (IF(s->icc, W(17, 14))) TO_RD(s->g[F2]);
    mov_xcc.r 2.2c cc2=1 i=0 cc=2 10:5=0 | if (IF(s->xcc, W(17, 14))) TO_RD(s->g[F2]);
    mov_icc.i 2.2c cc2=1 i=1 cc=0 | if (IF(s->icc, W(17, 14))) TO_RD(SIGNED(11));
    mov_xcc.i 2.2c cc2=1 i=1 cc=2 | if (IF(s->xcc, W(17, 14))) TO_RD(SIGNED(11));
    mov_fcc.r 2.2c cc2=0 i=0 10:5=0 | if (IF_FLOAT(fcc(s, W(12, 11)), W(17, 14))) TO_RD(s->g[F2]);
    mov_fcc.i 2.2c cc2=0 i=1 | if (IF_FLOAT(fcc(s, W(12, 11)), W(17, 14))) TO_RD(SIGNED(11));
    movr.r 2.2f i=0 9:5=0 | if (!(W(12, 10) & 3)) UNDEFINED; if (if_register(W(12, 10), A)) TO_RD(s->g[F2]);
    movr.i 2.2f i=1 | if (!(W(12, 10) & 3)) UNDEFINED; if (if_register(W(12, 10), A)) TO_RD(SIGNED(10));
"""

_STATE = """
    rdy 2.28 rs1=0 13:0=0   | TO_RD(s->y);
    rdccr 2.28 rs1=2 13:0=0 | TO_RD(s->xcc << 4 | s->icc);
    rdasi 2.28 rs1=3 13:0=0 | TO_RD(s->asi);
    rdpc 2.28 rs1=5 13:0=0  | TO_RD(PC);
    rdgsr 2.28 rs1=19 13:0=0 | TO_RD(s->gsr);
    stbar 2.28 rs1=15 rd=0 13:0=0 | ;
    membar 2.28 rs1=15 rd=0 i=1 | ;
    rd 2.28 13:0=0 | if (F1 == 15) UNDEFINED; u64 r; RECORDED(r); TO_RD(r);
    wry[i] 2.30 rd=0   | s->y = A ^ B;
    wrccr[i] 2.30 rd=2 | u32 r = A ^ B; s->icc = r & 15; s->xcc = r >> 4 & 15;
    wrasi[i] 2.30 rd=3 | s->asi = (A ^ B) & 255;
    wrfprs[i] 2.30 rd=6 | if (!((A ^ B) & 4)) UNDEFINED;
    wrgsr[i] 2.30 rd=19 | s->gsr = A ^ B;
"""

TABLE = "".join((_ARITHMETIC, _LOGIC, _SHIFTS, _MOVES, _STATE))
