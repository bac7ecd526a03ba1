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

/* Where the program begins all registers are saved for inithook, and restored. */
#define INST_STORE(N) "\tstd " #N ", 112+8*" #N "(1)\n"
#define INST_LOAD(N) "\tld " #N ", 112+8*" #N "(1)\n"
#define INST_TEN(DO, N) DO(N##0) DO(N##1) DO(N##2) DO(N##3) DO(N##4) DO(N##5) DO(N##6) DO(N##7) \
                        DO(N##8) DO(N##9)
#define INST_NOTE_REGISTERS                                             \
    ".Linst_first:\n\tstdu 1, -400(1)\n"                               \
    INST_STORE(0) INST_STORE(2) INST_STORE(3) INST_STORE(4) INST_STORE(5) \
    INST_STORE(6) INST_STORE(7) INST_STORE(8) INST_STORE(9)             \
    INST_TEN(INST_STORE, 1) INST_TEN(INST_STORE, 2) INST_STORE(30) INST_STORE(31) \
    "\tmfcr 0\n\tstd 0, 368(1)\n\tmfxer 0\n\tstd 0, 376(1)\n"           \
    "\tmfctr 0\n\tstd 0, 384(1)\n\tmflr 0\n\tstd 0, 392(1)\n"           \
    "\taddi 3, 1, 400\n\tstd 3, 120(1)\n"                              \
    "\tbcl 20, 31, .+4\n4:\tmflr 2\n\taddi 4, 2, .Linst_first-4b\n"     \
    "\taddis 2, 2, (.TOC.-4b)@ha\n\taddi 2, 2, (.TOC.-4b)@l\n"         \
    "\taddi 3, 1, 112\n\tbl inst_save_first_registers\n\tnop\n"             \
    "\tld 0, 376(1)\n\tmtxer 0\n\tld 0, 384(1)\n\tmtctr 0\n"          \
    "\tld 0, 392(1)\n\tmtlr 0\n\tld 0, 368(1)\n\tmtcrf 255, 0\n"      \
    INST_LOAD(0) INST_LOAD(2) INST_LOAD(3) INST_LOAD(4) INST_LOAD(5)    \
    INST_LOAD(6) INST_LOAD(7) INST_LOAD(8) INST_LOAD(9) INST_LOAD(10)   \
    INST_LOAD(11) INST_LOAD(12) "\taddi 1, 1, 400\n"

/* All registers but r0, r2, r11 to r13 reach the C library as the kernel has set them. */
#define INST_ENTRY_POINT                                                \
    __asm__(INST_DESCRIPTOR                                             \
            INST_NOTE_REGISTERS                                         \
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
