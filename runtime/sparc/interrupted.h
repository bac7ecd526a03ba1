/* What a signal interrupted, as Linux gives it to handlers on SPARC; included by context.h. */
#ifndef INST_INTERRUPTED_H
#define INST_INTERRUPTED_H

struct inst_context {
    uintptr_t pc;
    uintptr_t link;             /* where a function without a frame returns to; first frame only */
    uintptr_t stack;            /* what %sp of the frame means */
    const uintptr_t *saved;     /* its %l0-%l7 and %i0-%i7 */
};

#ifdef __arch64__
#define INST_FLUSH_WINDOWS "flushw"
enum { INST_PC = 17, INST_REGISTERS = 0, INST_INFORMATION = 128 };
#else
#define INST_FLUSH_WINDOWS "ta 3"
enum { INST_PC = 1, INST_REGISTERS = 4, INST_INFORMATION = 0 };
#endif

/* Linux gives every handler the address of the registers: psr, pc, npc, y, %g, %o for 32 bits,
   and after the siginfo_t (128 bytes) %g, %o, tstate, tpc, tnpc for 64
   (arch/sparc/kernel/signal32.c, signal_64.c).  What returns from a handler reads them there. */
static inline uintptr_t *inst_interrupted_registers(int with_information, void *second,
                                                    void *third)
{
    char *at = sizeof(long) == 8 ? second : third;
    (void)with_information;
    return (uintptr_t *)(at + INST_INFORMATION);
}

/* `frame` is what the handler's %fp means, the frame of the signal: there the window of what was
   interrupted is spilled to. */
static inline struct inst_context inst_interrupted(const uintptr_t *registers, uintptr_t frame)
{
    __asm__ __volatile__(INST_FLUSH_WINDOWS : : : "memory");
    return (struct inst_context){
        .pc = registers[INST_PC],
        .link = registers[INST_REGISTERS + 15],
        .stack = registers[INST_REGISTERS + 14] + INST_SITE_BIAS,
        .saved = (const uintptr_t *)frame,
    };
}

/* Return where Linux has stored the registers of floating point, as 32-bit words; 0 if they are not in
   use.  After the registers comes the address of that, in 32-bit programs after the signals that were
   blocked: of a handler with SA_SIGINFO 8 bytes, of others 4. */
static inline const uint32_t *inst_interrupted_floats(int with_information,
                                                      const uintptr_t *registers)
{
    enum { WORDS = 20 };
    unsigned blocked = sizeof(long) == 8 ? 0 : with_information ? 2 : 1;
    return (const uint32_t *)registers[WORDS + blocked];
}

/* The registers that were interrupted, one by one: with those of floating point, or without. */
enum { INST_INTEGERS = 32, INST_VALUES = INST_INTEGERS + 32 + (sizeof(long) == 8 ? 16 : 0) };
static inline struct inst_value inst_interrupted_value(unsigned n, const uintptr_t *registers,
                                                       const uintptr_t *window,
                                                       const uint32_t *floats)
{
    enum { LOCALS = 16, SINGLES = 32 };
    if (n < LOCALS)
        return (struct inst_value){ RST_REGISTER_INT, n, n ? registers[INST_REGISTERS + n] : 0 };
    if (n < INST_INTEGERS)
        return (struct inst_value){ RST_REGISTER_INT, n, window[n - LOCALS] };
    n -= INST_INTEGERS;
    if (n < SINGLES)
        return (struct inst_value){ RST_REGISTER_FLOAT, n, floats[n] };
    n = 2 * n - SINGLES;
    return (struct inst_value){ RST_REGISTER_FLOAT, n, (uint64_t)floats[n] << 32 | floats[n + 1] };
}

/* Go on to the caller; return 0 at the end of the stack. */
static inline int inst_to_caller(struct inst_context *context)
{
    uintptr_t stack = context->stack;
    context->pc = context->link = context->saved[15];
    context->stack = context->saved[14] + INST_SITE_BIAS;
    context->saved = (const uintptr_t *)context->stack;
    return context->stack - stack - 1 < INST_LARGEST_FRAME;
}

#endif
