/* What a signal interrupted, as Linux gives it to handlers on PowerPC; included by context.h. */
#ifndef INST_INTERRUPTED_H
#define INST_INTERRUPTED_H

struct inst_context {
    uintptr_t pc;
    uintptr_t link;             /* where a function without a frame returns to; first frame only */
    uintptr_t stack;            /* r1 of the frame */
    uintptr_t moved;            /* r0, first frame only */
};

/* `ld 0,16(1)` or `lwz 0,4(1)`: an epilogue loads the return address, the frame is released. */
#define INST_LOAD_LINK (sizeof(long) == 8 ? 0xe8010010u : 0x80010004u)

/* Words of Linux's frames (arch/powerpc/kernel/signal_32.c, signal_64.c): where a struct
   ucontext and a struct sigcontext hold the address of the registers, or the registers. */
enum { INST_UC_REGISTERS = 12, INST_SC_REGISTERS = 7, INST_UC_REGISTERS_64 = 29 };
enum { INST_PC = 32, INST_LINK = 36, INST_LINK_SAVED = sizeof(long) == 8 ? 2 : 1 };

static inline uintptr_t *inst_interrupted_registers(int with_information, void *second,
                                                    void *third)
{
    if (sizeof(long) == 8)
        return (uintptr_t *)third + INST_UC_REGISTERS_64;
    if (with_information)
        return (uintptr_t *)((const uintptr_t *)third)[INST_UC_REGISTERS];
    return (uintptr_t *)((const uintptr_t *)second)[INST_SC_REGISTERS];
}

static inline struct inst_context inst_interrupted(const uintptr_t *registers, uintptr_t frame)
{
    (void)frame;
    return (struct inst_context){ registers[INST_PC], registers[INST_LINK], registers[1],
                                  registers[0] };
}

/* Return where Linux has stored the registers of floating point, of 64 bits each: after the 48 others. */
static inline const uint32_t *inst_interrupted_floats(int with_information,
                                                      const uintptr_t *registers)
{
    enum { WORDS = 48 };
    (void)with_information;
    return (const uint32_t *)(registers + WORDS);
}

/* The registers that were interrupted, one by one. */
enum { INST_INTEGERS = 32 + 4, INST_VALUES = INST_INTEGERS + 32 };
static inline struct inst_value inst_interrupted_value(unsigned n, const uintptr_t *registers,
                                                       const uintptr_t *window,
                                                       const uint32_t *floats)
{
    enum { COUNT = 35, EXCEPTION = 37, CONDITION = 38 };
    static const struct {
        unsigned char at, type, number;
    } others[] = { { COUNT, RST_REGISTER_OTHER, 9 }, { INST_LINK, RST_REGISTER_OTHER, 8 },
                   { EXCEPTION, RST_REGISTER_OTHER, 1 }, { CONDITION, RST_REGISTER_CC, 0 } };
    (void)window;
    if (n < 32)
        return (struct inst_value){ RST_REGISTER_INT, n, registers[n] };
    n -= 32;
    if (n < sizeof others / sizeof *others)
        return (struct inst_value){ others[n].type, others[n].number, registers[others[n].at] };
    n -= sizeof others / sizeof *others;
    return (struct inst_value){ RST_REGISTER_FLOAT, n, ((const uint64_t *)floats)[n] };
}

/* Go on to the caller; return 0 at the end of the stack. */
static inline int inst_to_caller(struct inst_context *context)
{
    uintptr_t stack = context->stack;
    context->stack = *(const uintptr_t *)stack;
    if (context->stack - stack - 1 >= INST_LARGEST_FRAME)
        return 0;
    context->pc = context->link = ((const uintptr_t *)context->stack)[INST_LINK_SAVED];
    return 1;
}

#endif
