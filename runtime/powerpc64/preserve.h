/* Functions that a hook rarely calls: entries need not save the registers that they change. */
#ifndef INST_PRESERVE_H
#define INST_PRESERVE_H

#include "../powerpc/routine.h"

#define INST_THREAD_REGISTER "r13"
#define INST_STACK "mr %0, 1"
#define INST_STORE_STACK "std%U0%X0 1, %0"
#define INST_STORE_SWAPPED "stdbrx %1, %y0"

/* Define NAME, which calls NAME_body with up to eight words and changes r3 and lr only.  It
   finds the TOC pointer by itself: a hook that needs it only here costs its entry nothing. */
#define INST_PRESERVING(NAME)                                           \
    INST_OUT_OF_LINE(NAME);                                             \
    __asm__(INST_ROUTINE(#NAME)                                         \
            "\tstdu 1, -224(1)\n\tstd 0, 216(1)\n\tmflr 0\n\tstd 0, 240(1)\n" \
            "\t.cfi_def_cfa_offset 224\n\t.cfi_offset 65, 16\n"         \
            "\tstd 2, 112(1)\n\tstd 4, 120(1)\n\tstd 5, 128(1)\n\tstd 6, 136(1)\n" \
            "\tstd 7, 144(1)\n\tstd 8, 152(1)\n\tstd 9, 160(1)\n\tstd 10, 168(1)\n" \
            "\tstd 11, 176(1)\n\tstd 12, 184(1)\n"                      \
            "\tmfcr 0\n\tstd 0, 192(1)\n\tmfctr 0\n\tstd 0, 200(1)\n"   \
            "\tmfxer 0\n\tstd 0, 208(1)\n"                              \
            "\tbcl 20, 31, .+4\n1:\tmflr 2\n"                           \
            "\taddis 2, 2, (.TOC.-1b)@ha\n\taddi 2, 2, (.TOC.-1b)@l\n"  \
            "\tbl " #NAME "_body\n"                                     \
            "\tld 0, 192(1)\n\tmtcrf 0xc7, 0\n\tld 0, 200(1)\n\tmtctr 0\n" \
            "\tld 0, 208(1)\n\tmtxer 0\n"                               \
            "\tld 2, 112(1)\n\tld 4, 120(1)\n\tld 5, 128(1)\n\tld 6, 136(1)\n" \
            "\tld 7, 144(1)\n\tld 8, 152(1)\n\tld 9, 160(1)\n\tld 10, 168(1)\n" \
            "\tld 11, 176(1)\n\tld 12, 184(1)\n"                        \
            "\tld 0, 240(1)\n\tmtlr 0\n\tld 0, 216(1)\n\taddi 1, 1, 224\n\tblr\n" \
            INST_ROUTINE_END(#NAME))

#endif
