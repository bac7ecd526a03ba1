/* What a signal interrupted: program counter, stack, and from there the callers. */
#ifndef INST_CONTEXT_H
#define INST_CONTEXT_H

#include <stdint.h>

#include <inst/rst.h>

#include <call.h>

/* A frame beyond this counts as the end of the stack. */
enum { INST_LARGEST_FRAME = 1 << 20 };

/* A register: its type and number in REGVAL records (docs/formats/rst.md), and what it holds. */
struct inst_value {
    unsigned char type, number;
    uint64_t value;
};
enum { INST_INTEGER = RST_REGISTER_INT, INST_FLOATING = RST_REGISTER_FLOAT,
       INST_OTHER = RST_REGISTER_OTHER, INST_CONDITION = RST_REGISTER_CC };

#ifdef __sparc__

struct inst_context {
    uintptr_t pc;
    uintptr_t link;             /* where a function without a frame returns to; first frame only */
    uintptr_t stack;            /* what %sp of the frame means */
    const uintptr_t *saved;     /* its %l0-%l7 and %i0-%i7 */
};

#ifdef __arch64__
#define INST_FLUSH_WINDOWS "flushw"
enum { INST_STACK_BIAS = 2047, INST_PC = 17, INST_REGISTERS = 0, INST_INFORMATION = 128 };
#else
#define INST_FLUSH_WINDOWS "ta 3"
enum { INST_STACK_BIAS = 0, INST_PC = 1, INST_REGISTERS = 4, INST_INFORMATION = 0 };
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
        .stack = registers[INST_REGISTERS + 14] + INST_STACK_BIAS,
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
        return (struct inst_value){ INST_INTEGER, n, n ? registers[INST_REGISTERS + n] : 0 };
    if (n < INST_INTEGERS)
        return (struct inst_value){ INST_INTEGER, n, window[n - LOCALS] };
    n -= INST_INTEGERS;
    if (n < SINGLES)
        return (struct inst_value){ INST_FLOATING, n, floats[n] };
    n = 2 * n - SINGLES;
    return (struct inst_value){ INST_FLOATING, n, (uint64_t)floats[n] << 32 | floats[n + 1] };
}

/* Go on to the caller; return 0 at the end of the stack. */
static inline int inst_to_caller(struct inst_context *context)
{
    uintptr_t stack = context->stack;
    context->pc = context->link = context->saved[15];
    context->stack = context->saved[14] + INST_STACK_BIAS;
    context->saved = (const uintptr_t *)context->stack;
    return context->stack - stack - 1 < INST_LARGEST_FRAME;
}

#else

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
    } others[] = { { COUNT, INST_OTHER, 9 }, { INST_LINK, INST_OTHER, 8 },
                   { EXCEPTION, INST_OTHER, 1 }, { CONDITION, INST_CONDITION, 0 } };
    (void)window;
    if (n < 32)
        return (struct inst_value){ INST_INTEGER, n, registers[n] };
    n -= 32;
    if (n < sizeof others / sizeof *others)
        return (struct inst_value){ others[n].type, others[n].number, registers[others[n].at] };
    n -= sizeof others / sizeof *others;
    return (struct inst_value){ INST_FLOATING, n, ((const uint64_t *)floats)[n] };
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

#endif
