"""Branches, calls, register windows and traps.

Sources: The SPARC Architecture Manual, Versions 8 and 9 (appendices B and A). Traps that Linux
gives a meaning: arch/sparc/include/uapi/asm/traps.h.
"""

from __future__ import annotations

TABLE = """
    ba 0.2 a=0 cond=8   | BRANCH(PC + OFFSET(22));
    ba,a 0.2 a=1 cond=8 | BRANCH_ANNUL(PC + OFFSET(22));
    b[a] 0.2            | BRANCH_IF(IF(s->icc, W(28, 25)), OFFSET(22));
    bp_icc_a 0.1 a=0 cond=8 bcc=0   | BRANCH(PC + OFFSET(19));
    bp_icc_a,a 0.1 a=1 cond=8 bcc=0 | BRANCH_ANNUL(PC + OFFSET(19));
    bp_icc[a] 0.1 bcc=0 | BRANCH_IF(IF(s->icc, W(28, 25)), OFFSET(19));
    bp_xcc_a 0.1 a=0 cond=8 bcc=2   | BRANCH(PC + OFFSET(19));
    bp_xcc_a,a 0.1 a=1 cond=8 bcc=2 | BRANCH_ANNUL(PC + OFFSET(19));
    bp_xcc[a] 0.1 bcc=2 | BRANCH_IF(IF(s->xcc, W(28, 25)), OFFSET(19));
    br[a] 0.3 28:28=0   | if (!(W(27, 25) & 3)) UNDEFINED;
                        | BRANCH_IF(if_register(W(27, 25), A), OFFSET16);
    fba 0.6 a=0 cond=8   | BRANCH(PC + OFFSET(22));
    fba,a 0.6 a=1 cond=8 | BRANCH_ANNUL(PC + OFFSET(22));
    fb[a] 0.6            | BRANCH_IF(IF_FLOAT(fcc(s, 0), W(28, 25)), OFFSET(22));
    fbp_a 0.5 a=0 cond=8   | BRANCH(PC + OFFSET(19));
    fbp_a,a 0.5 a=1 cond=8 | BRANCH_ANNUL(PC + OFFSET(19));
    fbp[a] 0.5           | BRANCH_IF(IF_FLOAT(fcc(s, W(21, 20)), W(28, 25)), OFFSET(19));
    call 1       | s->g[15] = PC; BRANCH(PC + (s32)(d->word << 2));
    jmpl[i] 2.38 | u64 to = A + B; if (to & 3) STOP(TRAP); TO_RD(PC); BRANCH(to);
    return[i] 2.39 | u64 to = A + B; if (to & 3) STOP(TRAP); OR_STOP(restore_window(m, d)); BRANCH(to);
    save[i] 2.3c | u64 r = A + B; OR_STOP(save_window(m, d, r)); TO_RD(r);
    restore[i] 2.3d | u64 r = A + B; OR_STOP(restore_window(m, d)); TO_RD(r);
    flushw 2.2b rd=0 rs1=0 13:0=0 | OR_STOP(flush_windows(m));
    t_icc.r 2.3a 29:29=0 i=0 cc=0 10:5=0 | TRAP_IF(s->icc, s->g[F2]);
    t_xcc.r 2.3a 29:29=0 i=0 cc=2 10:5=0 | TRAP_IF(s->xcc, s->g[F2]);
    t_icc.i 2.3a 29:29=0 i=1 cc=0 10:7=0 | TRAP_IF(s->icc, W(6, 0));
    t_xcc.i 2.3a 29:29=0 i=1 cc=2 10:7=0 | TRAP_IF(s->xcc, W(6, 0));
"""
