/* What no operating system is there for, and what only libraries with a ring do something about: these
   define what is weak here. */
#include "../calls.h"

#include <architecture.h>

#pragma GCC visibility push(hidden)
void inst_leave_out(uint32_t number);
void inst_pause(const char *source);
void inst_resume(const char *source);
void inst_dump(void (*put)(char));
void inst_drain(void (*put)(char));
void inst_unreported(uint32_t number);
void inst_annotate_pause(const char *source);
void inst_annotate_resume(const char *source);
void inst_annotate_dump(void (*put)(char));
void inst_annotate_drain(void (*put)(char));
#pragma GCC visibility pop

/* Accesses were left out. */
__attribute__((weak)) void inst_leave_out(uint32_t number)
{
    (void)number;
}

/* Recording pauses, and goes on. */
__attribute__((weak)) void inst_pause(const char *source)
{
    (void)source;
}

__attribute__((weak)) void inst_resume(const char *source)
{
    (void)source;
}

/* Write the ring as text: all of it, or what is new. */
__attribute__((weak)) void inst_dump(void (*put)(char))
{
    (void)put;
}

__attribute__((weak)) void inst_drain(void (*put)(char))
{
    (void)put;
}

/* System calls of the program are its own kernel's: they are not reported. */
void inst_call_instruction(uintptr_t stack, uint32_t number, const long *arguments)
{
    (void)stack, (void)number, (void)arguments;
}

void inst_call_returned(uintptr_t stack, long result, int failed)
{
    (void)stack, (void)result, (void)failed;
}

#if INST_LEAVES_OUT_ACCESSES
/* Sites pass how many accesses between a reservation and its store they have left out. */
void inst_unreported(uint32_t number)
{
    inst_leave_out(number);
}
#endif

void inst_annotate_pause(const char *source)
{
    inst_pause(source);
}

void inst_annotate_resume(const char *source)
{
    inst_resume(source);
}

void inst_annotate_dump(void (*put)(char))
{
    inst_dump(put);
}

void inst_annotate_drain(void (*put)(char))
{
    inst_drain(put);
}
