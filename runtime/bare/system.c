/* What no operating system is there for, and what the library `ring` alone does something about. */
#include "../calls.h"

#pragma GCC visibility push(hidden)
/* Of a library: accesses were left out; recording pauses, and goes on. */
void inst_leave_out(uint32_t number) __attribute__((weak));
void inst_pause(const char *source) __attribute__((weak));
void inst_resume(const char *source) __attribute__((weak));
/* Write the ring as text: all of it, or what is new. */
void inst_dump(void (*put)(char)) __attribute__((weak));
void inst_drain(void (*put)(char)) __attribute__((weak));
void inst_unreported(uint32_t number);
void inst_annotate_pause(const char *source);
void inst_annotate_resume(const char *source);
void inst_annotate_dump(void (*put)(char));
void inst_annotate_drain(void (*put)(char));
#pragma GCC visibility pop

/* System calls of the program are its own kernel's: they are not reported. */
void inst_call_instruction(uintptr_t stack, uint32_t number, const long *arguments)
{
    (void)stack, (void)number, (void)arguments;
}

void inst_call_returned(uintptr_t stack, long result, int failed)
{
    (void)stack, (void)result, (void)failed;
}

#ifdef __powerpc__
/* Sites pass how many accesses between a reservation and its store they have left out. */
void inst_unreported(uint32_t number)
{
    if (inst_leave_out)
        inst_leave_out(number);
}
#endif

void inst_annotate_pause(const char *source)
{
    if (inst_pause)
        inst_pause(source);
}

void inst_annotate_resume(const char *source)
{
    if (inst_resume)
        inst_resume(source);
}

void inst_annotate_dump(void (*put)(char))
{
    if (inst_dump)
        inst_dump(put);
}

void inst_annotate_drain(void (*put)(char))
{
    if (inst_drain)
        inst_drain(put);
}
