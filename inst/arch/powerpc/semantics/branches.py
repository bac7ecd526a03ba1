"""Branches and system calls.

Source: Power ISA 3.0B, Book I, section 2.4. The commonest options of bc have rows of their own.
"""

from __future__ import annotations

TABLE = """
    b[l][a] 18 | ureg to = (ureg)((s32)(d->word << 6) >> 6 & ~3) + (AA ? 0 : PC);
               | if (LK) s->lr = PC + 4; BRANCH(to);
    bc.false 16 25=0 24=0 23=1 1=0 0=0 | if (!get_bit(s, FA)) BRANCH(PC + (SI & ~3));
    bc.true 16 25=0 24=1 23=1 1=0 0=0  | if (get_bit(s, FA)) BRANCH(PC + (SI & ~3));
    bc[l][a] 16 | int is_taken = taken(s, FT, FA); if (LK) s->lr = PC + 4;
                | if (is_taken) BRANCH((ureg)(SI & ~3) + (AA ? 0 : PC));
    bclr[l] 19 x 16 15=0 14=0 13=0 | ureg to = s->lr & ~(ureg)3; int is_taken = taken(s, FT, FA);
                | if (LK) s->lr = PC + 4; if (is_taken) BRANCH(to);
    bcctr[l] 19 x 528 15=0 14=0 13=0 | if (!(FT & 4)) UNDEFINED; ureg to = s->ctr & ~(ureg)3;
                | int is_taken = taken(s, FT, FA); if (LK) s->lr = PC + 4; if (is_taken) BRANCH(to);
    sc 17 low 2 | CALL_SYSTEM();
    scv 17 low 1 (64) | CALL_SYSTEM();
"""
