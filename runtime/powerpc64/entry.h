/* Where a program begins, in assembly: see early.c. */
#ifndef INST_ENTRY_H
#define INST_ENTRY_H

#define INST_THREAD_POINTER "mr %0, 13"

/* The C library's beginning has a TOC pointer of its own: from its descriptor, or which it finds
   by r12.  A program that has no _start begins elsewhere. */
#if _CALL_ELF == 2
#define INST_DESCRIPTOR                                                 \
    "\t.section .text.inst,\"ax\"\n\t.align 2\n\t.globl inst.start\n\t.hidden inst.start\n" \
    "\t.type inst.start, @function\ninst.start:\n"
#define INST_TO_START "\tmr 12, 11\n\tmtctr 12\n\tbctr\n"
#else
#define INST_DESCRIPTOR                                                 \
    "\t.section .opd,\"aw\"\n\t.align 3\n\t.globl inst.start\n\t.hidden inst.start\n" \
    "\t.type inst.start, @function\ninst.start:\n\t.quad .Linst_entry, .TOC.@tocbase, 0\n" \
    "\t.size inst.start, 24\n\t.previous\n"                             \
    "\t.section .text.inst,\"ax\"\n\t.align 2\n.Linst_entry:\n"
#define INST_TO_START "\tld 12, 0(11)\n\tmtctr 12\n\tld 2, 8(11)\n\tbctr\n"
#endif

/* All registers but r0, r2, r11 to r13 reach the C library as the kernel has set them. */
#define INST_ENTRY_POINT                                                \
    __asm__(INST_DESCRIPTOR                                             \
            "\tcmpdi 13, 0\n\tbne 1f\n\tstdu 1, -224(1)\n"              \
            "\tstd 3, 112(1)\n\tstd 4, 120(1)\n\tstd 5, 128(1)\n\tstd 6, 136(1)\n" \
            "\tstd 7, 144(1)\n\tstd 8, 152(1)\n\tstd 9, 160(1)\n\tstd 10, 168(1)\n" \
            "\tmflr 0\n\tstd 0, 176(1)\n"                               \
            "\tbcl 20, 31, .+4\n2:\tmflr 2\n"                           \
            "\taddis 2, 2, (.TOC.-2b)@ha\n\taddi 2, 2, (.TOC.-2b)@l\n"  \
            "\taddi 3, 1, 224\n\tbl inst_early_thread\n\tnop\n"   \
            "\tmr. 13, 3\n\tbeq 3f\n\tbl inst_begin\n\tnop\n"         \
            "3:\tld 3, 112(1)\n\tld 4, 120(1)\n\tld 5, 128(1)\n\tld 6, 136(1)\n" \
            "\tld 7, 144(1)\n\tld 8, 152(1)\n\tld 9, 160(1)\n\tld 10, 168(1)\n" \
            "\tld 0, 176(1)\n\tmtlr 0\n\taddi 1, 1, 224\n"              \
            "1:\tmflr 0\n\tbcl 20, 31, .+4\n2:\tmflr 11\n\tmtlr 0\n"    \
            "\taddis 11, 11, (_start-2b)@ha\n\taddi 11, 11, (_start-2b)@l\n" \
            INST_TO_START "\t.weak _start\n\t.previous")

#endif
