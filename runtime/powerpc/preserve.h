/* Functions that a hook rarely calls: entries need not save the registers that they change. */
#ifndef INST_PRESERVE_H
#define INST_PRESERVE_H

#include "routine.h"

#define INST_THREAD_REGISTER "r2"
#define INST_STACK "mr %0, 1"
#define INST_STORE_STACK "stw%U0%X0 1, %0"

/* Define NAME, which calls NAME_body with up to eight words and changes lr and r3 only,
   where NAME_body returns its result. */
#define INST_PRESERVING(NAME)                                           \
    INST_OUT_OF_LINE(NAME);                                             \
    __asm__(INST_ROUTINE(#NAME)                                         \
            "\tstwu 1, -64(1)\n\tstw 0, 56(1)\n\tmflr 0\n\tstw 0, 68(1)\n" \
            "\t.cfi_def_cfa_offset 64\n\t.cfi_offset 65, 4\n"           \
            "\tstw 4, 8(1)\n\tstw 5, 12(1)\n\tstw 6, 16(1)\n\tstw 7, 20(1)\n" \
            "\tstw 8, 24(1)\n\tstw 9, 28(1)\n\tstw 10, 32(1)\n\tstw 11, 36(1)\n" \
            "\tstw 12, 40(1)\n"                                         \
            "\tmfcr 0\n\tstw 0, 44(1)\n\tmfctr 0\n\tstw 0, 48(1)\n"     \
            "\tmfxer 0\n\tstw 0, 52(1)\n"                               \
            "\tbl " #NAME "_body\n"                                     \
            "\tlwz 0, 44(1)\n\tmtcrf 0xc7, 0\n\tlwz 0, 48(1)\n\tmtctr 0\n" \
            "\tlwz 0, 52(1)\n\tmtxer 0\n"                               \
            "\tlwz 4, 8(1)\n\tlwz 5, 12(1)\n\tlwz 6, 16(1)\n\tlwz 7, 20(1)\n" \
            "\tlwz 8, 24(1)\n\tlwz 9, 28(1)\n\tlwz 10, 32(1)\n\tlwz 11, 36(1)\n" \
            "\tlwz 12, 40(1)\n"                                         \
            "\tlwz 0, 68(1)\n\tmtlr 0\n\tlwz 0, 56(1)\n\taddi 1, 1, 64\n\tblr\n" \
            INST_ROUTINE_END(#NAME))

#endif
