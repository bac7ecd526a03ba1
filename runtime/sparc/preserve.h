/* Functions that a hook rarely calls: entries need not save the registers that they change. */
#ifndef INST_PRESERVE_H
#define INST_PRESERVE_H

#define INST_THREAD_REGISTER "g7"

#define INST_TEXT_OF(X) #X
#define INST_TEXT(X) INST_TEXT_OF(X)

/* A frame with room for two registers. */
#define INST_FRAME "(" INST_TEXT(INST_SITE_LEAST) "+2*" INST_TEXT(__SIZEOF_LONG__) ")"

#ifdef __arch64__
/* What the stack pointer means: the register is less. */
#define INST_STACK "add %%sp, " INST_TEXT(INST_SITE_BIAS) ", %0"
#define INST_GLOBALS                                                    \
    "\t.register %g2, #scratch\n\t.register %g3, #scratch\n"            \
    "\t.register %g6, #scratch\n"
#else
#define INST_STACK "mov %%sp, %0"
#define INST_GLOBALS ""
#endif

/* Define NAME, which calls NAME_body with up to six words and changes %o0 and %o1, %o7 and the
   condition codes only. */
#define INST_PRESERVING(NAME)                                           \
    extern __typeof__(NAME) NAME __attribute__((visibility("hidden"))); \
    __asm__(".section .text.inst,\"ax\"\n"                              \
            "! inst: " #NAME " clobbers only o0 o1 o7 icc xcc\n"           \
            INST_GLOBALS "\t.align 4\n\t.hidden " #NAME "\n\t.globl " #NAME "\n" \
            "\t.type " #NAME ", #function\n" #NAME ":\n"               \
            "\t.cfi_startproc\n"                                        \
            "\tsave %sp, -" INST_FRAME ", %sp\n"                                 \
            "\t.cfi_window_save\n\t.cfi_register 15, 31\n\t.cfi_def_cfa_register 30\n" \
            "\tmov %g1, %l1\n\tmov %g2, %l2\n\tmov %g3, %l3\n\tmov %g4, %l4\n" \
            "\trd %y, %l5\n\tmov %g5, %l6\n\tmov %g6, %l7\n"                              \
            "\tmov %i0, %o0\n\tmov %i1, %o1\n\tmov %i2, %o2\n"          \
            "\tmov %i3, %o3\n\tmov %i4, %o4\n"                          \
            "\tcall " #NAME "_body\n\t mov %i5, %o5\n"                  \
            "\tmov %l1, %g1\n\tmov %l2, %g2\n\tmov %l3, %g3\n\tmov %l4, %g4\n" \
            "\twr %l5, %g0, %y\n\tmov %l6, %g5\n\tmov %l7, %g6\n"       \
            "\tmov %o1, %i1\n"                                          \
            "\tjmp %i7+8\n\t restore %o0, %g0, %o0\n"                   \
            "\t.cfi_endproc\n\t.size " #NAME ", .-" #NAME "\n\t.previous")

#endif
