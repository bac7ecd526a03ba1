/* The hooks that a library may define.  Generated from inst/hooktable.py by
   `inst new-hook --header`; do not edit. */
#ifndef INST_HOOKS_H
#define INST_HOOKS_H

#include <stdint.h>

typedef uintptr_t inst_address;

/* Hooks stay inside the program they are linked into. */
#pragma GCC visibility push(hidden)

/* The full declaration of each hook stands in its comment: a library may define it with
   fewer parameters, so what C is told says nothing of them. */

/* The numbers of hooks. */
enum {
    INST_INITHOOK = 1, INST_EXITHOOK = 34, INST_WINDOWHOOK = 3, INST_RESTOREHOOK = 35,
    INST_SAVEHOOK = 53, INST_LDBHOOK = 4, INST_LDHHOOK = 5, INST_LDWHOOK = 6, INST_LDDHOOK = 7,
    INST_STBHOOK = 8, INST_STHHOOK = 9, INST_STWHOOK = 10, INST_STDHOOK = 11, INST_LDQHOOK = 32,
    INST_STQHOOK = 33, INST_LLHOOK = 36, INST_STBLOCKHOOK = 37, INST_SYSTEMHOOK = 38,
    INST_LDSYSHOOK = 39, INST_STSYSHOOK = 40, INST_SIGNALHOOK = 41, INST_SIGNALHOOK_SPECIAL =
    42, INST_BARRIERHOOK = 43, INST_HINTHOOK = 44, INST_LOCKHOOK = 45, INST_TRYLOCKHOOK = 46,
    INST_UNLOCKHOOK = 47, INST_MEMINITHOOK = 48, INST_MEMFREEHOOK = 49, INST_MEMSETHOOK = 50,
    INST_TLBIHOOK = 51, INST_SYSREGHOOK = 52
};

/* void inithook(void): Called once, before the first event of the process. */
void inithook();

/* void exithook(void): Called once, when the process exits in the normal way. */
void exithook();

/* void windowhook(void): The number that setsic set has been counted down to 0: one for each
   call and backward branch. Call setsic for the next window. */
void windowhook();

/* void restorehook(inst_address *buf16): A register window was given back (SPARC); buf16 holds
   the 16 registers it comes back with: %i0 to %i7, then %l0 to %l7. */
void restorehook();

/* void savehook(inst_address stack, inst_address frame, inst_address pc): A function took a
   register window (SPARC): its stack pointer, where the window may be saved at any time, and
   its caller's. */
void savehook();

/* void ldbhook(inst_address address, inst_address pc, uint32_t value): The program loads a byte
   at address; value is what the load itself got. */
void ldbhook();

/* void ldhhook(inst_address address, inst_address pc, uint32_t value): The program loads 2
   bytes at address; value is what the load itself got. */
void ldhhook();

/* void ldwhook(inst_address address, inst_address pc, uint32_t value): The program loads 4
   bytes at address; value is what the load itself got. */
void ldwhook();

/* void lddhook(inst_address address, inst_address pc, uint64_t value): The program loads 8
   bytes at address; value is what the load itself got. */
void lddhook();

/* void stbhook(inst_address address, inst_address pc, uint32_t value): The program is about to
   store a byte at address; value is stored. */
void stbhook();

/* void sthhook(inst_address address, inst_address pc, uint32_t value): The program is about to
   store 2 bytes at address; value is stored. */
void sthhook();

/* void stwhook(inst_address address, inst_address pc, uint32_t value): The program is about to
   store 4 bytes at address; value is stored. */
void stwhook();

/* void stdhook(inst_address address, inst_address pc, uint64_t value): The program is about to
   store 8 bytes at address; value is stored. */
void stdhook();

/* void ldqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low): The program
   loads 16 bytes: two halves, as the load got them. */
void ldqhook();

/* void stqhook(inst_address address, inst_address pc, uint64_t high, uint64_t low): The program
   stores 16 bytes: two halves, lowest address first, before they are stored. */
void stqhook();

/* void llhook(inst_address address, inst_address pc, inst_address size): A load that reserves
   its address (lwarx); its value cannot be had without disturbing the reservation. */
void llhook();

/* void stblockhook(inst_address address, inst_address pc, inst_address size): The program is
   about to clear the size bytes of a cache line at address (dcbz). */
void stblockhook();

/* void systemhook(uint32_t id): The program makes system call id. */
void systemhook();

/* void ldsyshook(inst_address address, inst_address size): A system call reads size bytes at
   address. */
void ldsyshook();

/* void stsyshook(inst_address address, inst_address size): A system call writes size bytes at
   address. */
void stsyshook();

/* void signalhook(int sic, int signal): The program's handler for signal is about to run. */
void signalhook();

/* void signalhook_special(int hook, int sic, int signal): A signal arrived while the hook with
   the given id was running, in which its thread still is; the program's handler is about to
   run. Without this hook, signalhook is called. */
void signalhook_special();

/* void barrierhook(const char *kind, const char *source): The program is at a barrier, such as
   "dsb ish". */
void barrierhook();

/* void hinthook(const char *kind, inst_address address, uint64_t value, const char *source):
   The program states a fact for the checker. */
void hinthook();

/* void lockhook(inst_address address, const char *source): The program has taken the lock at
   address. */
void lockhook();

/* void trylockhook(inst_address address, const char *source): The program has taken the lock at
   address at once. */
void trylockhook();

/* void unlockhook(inst_address address, const char *source): The program is about to release
   the lock at address. */
void unlockhook();

/* void meminithook(inst_address address, inst_address size, const char *source): The program
   starts to use size bytes at address. */
void meminithook();

/* void memfreehook(inst_address address, inst_address size, const char *source): The program
   gives up size bytes at address. */
void memfreehook();

/* void memsethook(inst_address address, inst_address size, uint32_t value, const char *source):
   Every one of the size bytes at address becomes value. */
void memsethook();

/* void tlbihook(const char *operation, int operands, uint64_t operand, const char *source): The
   program invalidates translations; operands is 1 if the operation takes an operand. */
void tlbihook();

/* void sysreghook(const char *name, uint64_t value, const char *source): The program writes
   value to a system register. */
void sysreghook();

/* Returns the id of the interrupted hook while signalhook_special runs, otherwise 0. */
#define getflag inst_getflag
int getflag(void);

/* Returns how many calls and backward branches of this thread are left to the next window;
   below 0, how many there were beyond the last one. */
#define getsic inst_getsic
int getsic(void);

/* Makes this thread's next window end after so many calls and backward branches; 0: no more
   windows. Threads that never called it start with what inithook set. */
#define setsic inst_setsic
void setsic(int number);

#pragma GCC visibility pop

#endif
