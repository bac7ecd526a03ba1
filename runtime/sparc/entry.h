/* Where a program begins, in assembly: see early.c. */
#ifndef INST_ENTRY_H
#define INST_ENTRY_H

#include "preserve.h"

#define INST_THREAD_POINTER "mov %%g7, %0"
#define INST_DUMP INST_TEXT(INST_SITE_REGISTERS)
#define INST_MOVED INST_TEXT(INST_SITE_MOVED)

/* %g1 is the function that the C library is to call at exit.  The arguments lie after the save area
   of a window. */
#ifdef __arch64__
#define INST_STORE(BANK, FIRST, N) "\tstx %" #BANK #N ", [%sp+" INST_DUMP "+8*(" #FIRST "+" #N ")]\n"
#define INST_STORE_SPECIAL                                              \
    "\trd %ccr, %o3\n\tstx %o3, [%fp+" INST_DUMP "]\n"                      \
    "\trd %y, %o3\n\tstx %o3, [%fp+" INST_DUMP "+256]\n"
#define INST_LOAD(N) "\tldx [%sp+" INST_DUMP "+8*" #N "], %g" #N "\n"
#define INST_UNLESS_SET "\tbne,pt %xcc, 1f\n\t nop\n"
#define INST_IF_NONE "\tbe,pn %xcc, 2f\n\t nop\n"
#define INST_INITIAL_STACK "\tadd %fp, " INST_TEXT(INST_SITE_BIAS) "+128, %o0\n"
#else
#define INST_STORE(BANK, FIRST, N) "\tst %" #BANK #N ", [%sp+" INST_DUMP "+4*(" #FIRST "+" #N ")]\n"
#define INST_STORE_SPECIAL "\trd %y, %o3\n\tst %o3, [%fp+" INST_DUMP "+128]\n"
#define INST_LOAD(N) "\tld [%sp+" INST_DUMP "+4*" #N "], %g" #N "\n"
#define INST_UNLESS_SET "\tbne 1f\n\t nop\n"
#define INST_IF_NONE "\tbe 2f\n\t nop\n"
#define INST_INITIAL_STACK "\tadd %fp, 64, %o0\n"
#endif

#define INST_SEVEN(BANK, FIRST)                                         \
    INST_STORE(BANK, FIRST, 1) INST_STORE(BANK, FIRST, 2) INST_STORE(BANK, FIRST, 3) \
    INST_STORE(BANK, FIRST, 4) INST_STORE(BANK, FIRST, 5) INST_STORE(BANK, FIRST, 6) \
    INST_STORE(BANK, FIRST, 7)
#define INST_EIGHT(BANK, FIRST) INST_STORE(BANK, FIRST, 0) INST_SEVEN(BANK, FIRST)

/* Where the program begins all registers are saved for inithook, and restored. */
#define INST_NOTE_REGISTERS                                             \
    ".Linst_first:\n\tadd %sp, -" INST_MOVED ", %sp\n"                  \
    INST_SEVEN(g, 0) INST_EIGHT(o, 8) INST_EIGHT(l, 16) INST_EIGHT(i, 24) \
    "\tsave %sp, -" INST_FRAME ", %sp\n" INST_STORE_SPECIAL             \
    "5:\tcall 6f\n\t nop\n6:\tadd %o7, .Linst_first-5b, %o1\n"         \
    "\tcall inst_save_first_registers\n\t add %fp, " INST_DUMP ", %o0\n\trestore\n" \
    INST_LOAD(1) INST_LOAD(2) INST_LOAD(3) INST_LOAD(4) INST_LOAD(5)    \
    "\tadd %sp, " INST_MOVED ", %sp\n"

#define INST_ENTRY_POINT                                                \
    __asm__(".section .text.inst,\"ax\"\n\t.align 4\n\t.globl inst.start\n" \
            INST_GLOBALS                                                \
            "\t.hidden inst.start\n\t.type inst.start, #function\ninst.start:\n" \
            INST_NOTE_REGISTERS                                         \
            "\torcc %g7, %g0, %g0\n" INST_UNLESS_SET                    \
            "\tsave %sp, -" INST_FRAME ", %sp\n" INST_INITIAL_STACK     \
            "\tcall inst_early_thread\n\t mov %g1, %l1\n"               \
            "\torcc %o0, %g0, %g7\n" INST_IF_NONE                       \
            "\tcall inst_begin\n\t nop\n"                               \
            "2:\tmov %l1, %g1\n\trestore\n"                             \
            "1:\tmov %o7, %g2\n\tcall _start\n\t mov %g2, %o7\n"        \
            "\t.size inst.start, .-inst.start\n\t.weak _start\n\t.previous")

#endif
