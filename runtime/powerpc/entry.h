/* Where a program begins, in assembly: see early.c. */
#ifndef INST_ENTRY_H
#define INST_ENTRY_H

#define INST_THREAD_POINTER "mr %0, 2"

/* Where the program begins all registers are saved for inithook, and restored. */
#define INST_NOTE_REGISTERS                                             \
    ".Linst_first:\n\tstwu 1, -160(1)\n\tstmw 0, 16(1)\n"                \
    "\tmfcr 0\n\tstw 0, 144(1)\n\tmfxer 0\n\tstw 0, 148(1)\n"           \
    "\tmfctr 0\n\tstw 0, 152(1)\n\tmflr 0\n\tstw 0, 156(1)\n"           \
    "\taddi 3, 1, 160\n\tstw 3, 20(1)\n"                               \
    "\tbcl 20, 31, .+4\n3:\tmflr 4\n\taddi 4, 4, .Linst_first-3b\n"     \
    "\taddi 3, 1, 16\n\tbl inst_save_first_registers\n"                      \
    "\tlwz 0, 148(1)\n\tmtxer 0\n\tlwz 0, 152(1)\n\tmtctr 0\n"        \
    "\tlwz 0, 156(1)\n\tmtlr 0\n\tlwz 0, 144(1)\n\tmtcrf 255, 0\n"    \
    "\tlwz 0, 16(1)\n\tlmw 3, 28(1)\n\taddi 1, 1, 160\n"

/* All registers but r0 and r2 reach the C library as the kernel has set them. */
#define INST_ENTRY_POINT                                                \
    __asm__(".section .text.inst,\"ax\"\n\t.align 2\n\t.globl inst.start\n" \
            "\t.hidden inst.start\n\t.type inst.start, @function\ninst.start:\n" \
            INST_NOTE_REGISTERS                                         \
            "\tcmpwi 2, 0\n\tbne 1f\n\tmflr 0\n\tstwu 1, -144(1)\n"      \
            "\tstw 0, 8(1)\n\tstmw 3, 12(1)\n"                          \
            "\taddi 3, 1, 144\n\tbl inst_early_thread\n"                 \
            "\tmr. 2, 3\n\tbeq 2f\n\tbl inst_begin\n"                 \
            "2:\tlwz 0, 8(1)\n\tmtlr 0\n\tlmw 3, 12(1)\n\taddi 1, 1, 144\n" \
            "1:\tb _start\n"                                            \
            "\t.size inst.start, .-inst.start\n\t.weak _start\n\t.previous")

#endif
