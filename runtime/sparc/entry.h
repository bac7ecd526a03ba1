/* Where a program begins, in assembly: see early.c. */
#ifndef INST_ENTRY_H
#define INST_ENTRY_H

#define INST_THREAD_POINTER "mov %%g7, %0"

/* %g1 is the function that the C library is to call at exit.  The arguments lie behind the room of a
   window. */
#ifdef __arch64__
#define INST_UNLESS_SET "\tbne,pt %xcc, 1f\n\t nop\n"
#define INST_IF_NONE "\tbe,pn %xcc, 2f\n\t nop\n"
#define INST_INITIAL_STACK "\tadd %fp, 2047+128, %o0\n"
#else
#define INST_UNLESS_SET "\tbne 1f\n\t nop\n"
#define INST_IF_NONE "\tbe 2f\n\t nop\n"
#define INST_INITIAL_STACK "\tadd %fp, 64, %o0\n"
#endif

#define INST_ENTRY_POINT                                                \
    __asm__(".section .text.inst,\"ax\"\n\t.align 4\n\t.globl inst.start\n" \
            INST_GLOBALS                                                \
            "\t.hidden inst.start\n\t.type inst.start, #function\ninst.start:\n" \
            "\torcc %g7, %g0, %g0\n" INST_UNLESS_SET                    \
            "\tsave %sp, -" INST_FRAME ", %sp\n" INST_INITIAL_STACK     \
            "\tcall inst_early_thread\n\t mov %g1, %l1\n"               \
            "\torcc %o0, %g0, %g7\n" INST_IF_NONE                       \
            "\tcall inst_begin\n\t nop\n"                               \
            "2:\tmov %l1, %g1\n\trestore\n"                             \
            "1:\tmov %o7, %g2\n\tcall _start\n\t mov %g2, %o7\n"        \
            "\t.size inst.start, .-inst.start\n\t.weak _start\n\t.previous")

#endif
