/* The hooks that a library may define.  Generated from inst/hooktable.py by
   `inst new-hook --header`; do not edit. */
#ifndef INST_HOOKS_H
#define INST_HOOKS_H

#include <stdint.h>

#include <inst/registers.h>

typedef uintptr_t inst_address;

#ifdef __cplusplus
extern "C" {
#endif

/* Hooks stay inside the program they are linked into. */
#pragma GCC visibility push(hidden)

/* A library may define a hook with fewer parameters than it is passed, counted from the left, in C
   and in C++.  So hooks are not declared here, but for a type of each, inst_NAME; inst-cc compares
   each definition with the table of hooks when it builds the library.  Define INST_ALL_PARAMETERS
   before including this file to declare every hook with all of its parameters: for code that calls
   hooks, or always takes them all. */
#ifdef INST_ALL_PARAMETERS
#define INST_HOOK(name, ...) void name(__VA_ARGS__)
#else
#define INST_HOOK(name, ...) typedef void inst_##name(__VA_ARGS__)
#endif

/* The numbers of hooks. */
enum {
    INST_INITHOOK = 1, INST_EXITHOOK = 34, INST_WINDOWHOOK = 3, INST_RESTOREHOOK = 35,
    INST_SAVEHOOK = 53, INST_LDBHOOK = 4, INST_LDHHOOK = 5, INST_LDWHOOK = 6, INST_LDDHOOK = 7,
    INST_STBHOOK = 8, INST_STHHOOK = 9, INST_STWHOOK = 10, INST_STDHOOK = 11, INST_LDQHOOK = 32,
    INST_STQHOOK = 33, INST_LLHOOK = 36, INST_STBLOCKHOOK = 37, INST_SYSTEMHOOK = 38,
    INST_LDSYSHOOK = 39, INST_STSYSHOOK = 40, INST_SIGNALHOOK = 41, INST_SIGNALHOOK_SPECIAL =
    42, INST_BARRIERHOOK = 43, INST_HINTHOOK = 44, INST_LOCKHOOK = 45, INST_TRYLOCKHOOK = 46,
    INST_UNLOCKHOOK = 47, INST_MEMINITHOOK = 48, INST_MEMFREEHOOK = 49, INST_MEMSETHOOK = 50,
    INST_TLBIHOOK = 51, INST_SYSREGHOOK = 52, INST_ALLOCHOOK = 60, INST_RELEASEHOOK = 61,
    INST_KEEPHOOK = 62, INST_THREADHOOK = 63, INST_THREADENDHOOK = 64, INST_SYSTEMRESULTHOOK =
    65, INST_ENTERHOOK = 54, INST_LEAVEHOOK = 55
};

/* Called once, before the first event of the process; registers are those at the program's
   entry point. */
INST_HOOK(inithook, const struct inst_registers *registers);

/* Called once, when the process ends: by exit, by exec, or by a signal that can be caught. */
INST_HOOK(exithook, void);

/* The number that setsic set has been counted down to 0, by one for each call and backward
   branch. Call setsic for the next window. registers are the program's, just before that call
   or branch (inst/registers.h). */
INST_HOOK(windowhook, const struct inst_registers *registers);

/* A register window was restored (SPARC); buf16 holds its 16 registers: %i0 to %i7, then %l0 to
   %l7. */
INST_HOOK(restorehook, inst_address *buf16);

/* A function allocated a register window (SPARC): its stack pointer, where the window may be
   spilled at any time, and its caller's. */
INST_HOOK(savehook, inst_address stack, inst_address frame, inst_address pc);

/* The program loads a byte at address; value is the one that the load itself read. */
INST_HOOK(ldbhook, inst_address address, inst_address pc, uint32_t value);

/* The program loads 2 bytes at address; value is the one that the load itself read. */
INST_HOOK(ldhhook, inst_address address, inst_address pc, uint32_t value);

/* The program loads 4 bytes at address; value is the one that the load itself read. */
INST_HOOK(ldwhook, inst_address address, inst_address pc, uint32_t value);

/* The program loads 8 bytes at address; value is the one that the load itself read. */
INST_HOOK(lddhook, inst_address address, inst_address pc, uint64_t value);

/* The program is about to store a byte at address; value is stored. */
INST_HOOK(stbhook, inst_address address, inst_address pc, uint32_t value);

/* The program is about to store 2 bytes at address; value is stored. */
INST_HOOK(sthhook, inst_address address, inst_address pc, uint32_t value);

/* The program is about to store 4 bytes at address; value is stored. */
INST_HOOK(stwhook, inst_address address, inst_address pc, uint32_t value);

/* The program is about to store 8 bytes at address; value is stored. */
INST_HOOK(stdhook, inst_address address, inst_address pc, uint64_t value);

/* The program loads 16 bytes: two halves, as the load read them. */
INST_HOOK(ldqhook, inst_address address, inst_address pc, uint64_t high, uint64_t low);

/* The program stores 16 bytes: two halves, lowest address first, before they are stored. */
INST_HOOK(stqhook, inst_address address, inst_address pc, uint64_t high, uint64_t low);

/* A load that reserves its address (lwarx); its value cannot be read without disturbing the
   reservation. */
INST_HOOK(llhook, inst_address address, inst_address pc, inst_address size);

/* The program is about to clear the size bytes of a cache line at address (dcbz). */
INST_HOOK(stblockhook, inst_address address, inst_address pc, inst_address size);

/* The program makes system call id. */
INST_HOOK(systemhook, uint32_t id);

/* A system call reads size bytes at address. */
INST_HOOK(ldsyshook, inst_address address, inst_address size);

/* A system call writes size bytes at address. */
INST_HOOK(stsyshook, inst_address address, inst_address size);

/* The program's handler for signal is about to run. */
INST_HOOK(signalhook, int sic, int signal);

/* A signal interrupted the hook with the given id, which has not ended; the program's handler
   is about to run. Without this hook, signalhook is called. */
INST_HOOK(signalhook_special, int hook, int sic, int signal);

/* The program is at a barrier, such as "dsb ish". */
INST_HOOK(barrierhook, const char *kind, const char *source);

/* The program states a fact for the checker. */
INST_HOOK(hinthook, const char *kind, inst_address address, uint64_t value, const char *source);

/* The program has taken the lock at address. */
INST_HOOK(lockhook, inst_address address, const char *source);

/* The program has tried the lock at address and taken it. */
INST_HOOK(trylockhook, inst_address address, const char *source);

/* The program is about to release the lock at address. */
INST_HOOK(unlockhook, inst_address address, const char *source);

/* The program starts to use size bytes at address. */
INST_HOOK(meminithook, inst_address address, inst_address size, const char *source);

/* The program ends its use of size bytes at address. */
INST_HOOK(memfreehook, inst_address address, inst_address size, const char *source);

/* Every one of the size bytes at address becomes value. */
INST_HOOK(memsethook, inst_address address, inst_address size, uint32_t value,
          const char *source);

/* The program invalidates translations; operands is 1 if the operation takes an operand. */
INST_HOOK(tlbihook, const char *operation, int operands, uint64_t operand, const char *source);

/* The program writes value to a system register. */
INST_HOOK(sysreghook, const char *name, uint64_t value, const char *source);

/* The program has allocated size bytes at address, by malloc and the like or C++'s new, in the
   call at caller. */
INST_HOOK(allochook, inst_address address, inst_address size, inst_address caller);

/* The program is about to free the block at address: free, delete, realloc. */
INST_HOOK(releasehook, inst_address address, inst_address caller);

/* The block at address, for which releasehook has just been called in this thread, was not
   freed: realloc failed, or getline needed no other block. */
INST_HOOK(keephook, inst_address address, inst_address caller);

/* A thread begins, in the thread itself and before its start function, at start. Numbers count
   from 2; the first thread has 1, and neither this hook nor threadendhook. */
INST_HOOK(threadhook, uint32_t number, inst_address start);

/* The thread ends: by return, pthread_exit or cancellation. Called in the thread itself, when
   the destructors of its variables have run. */
INST_HOOK(threadendhook, uint32_t number);

/* System call id, which systemhook was called for, has returned; result is its value or, if it
   failed, the number of the error. */
INST_HOOK(systemresulthook, uint32_t id, inst_address result, int failed);

/* The program enters the function at address function, with the stack pointer stack; back is
   its return address. Only in code compiled with --inst-functions. */
INST_HOOK(enterhook, inst_address function, inst_address back, inst_address stack);

/* The program is about to leave a function by a return or a tail call; stack is what it was
   when the function was entered. Only in code compiled with --inst-functions. */
INST_HOOK(leavehook, inst_address function, inst_address pc, inst_address stack);

/* Blocks the hooks of other threads and all signal handlers until end_shared, for hooks that
   change what threads share. Must not be nested. After a fork in between, the child may call it
   again. */
#define begin_shared inst_begin_shared
void begin_shared(void);

/* Ends the section that begin_shared began. */
#define end_shared inst_end_shared
void end_shared(void);

/* Returns where the first byte of the program's file lies in memory (in a shared object that is
   instrumented by itself: of its own file). `inst symbols` needs it. */
#define getbase inst_getbase
inst_address getbase(void);

/* Returns the id of the interrupted hook while signalhook_special runs, otherwise 0. */
#define getflag inst_getflag
int getflag(void);

/* Returns how many calls and backward branches of this thread are left in the current window;
   if negative, how many there were since the last window ended. */
#define getsic inst_getsic
int getsic(void);

/* Makes this thread's next window end after that many calls and backward branches; 0: no more
   windows. Threads that have not called it start with the number that inithook set. */
#define setsic inst_setsic
void setsic(int number);

#undef INST_HOOK
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
