/* What do instructions read and write?  Run each with random registers, change one register
   at a time, and see what else changes.  Prints a line for each: its number, then the registers
   seen to be written after `defs`, those seen to matter after `uses`; or its number and
   `illegal`.  Rows of the table: the numbers of its base and index registers, or -1. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "table.h" /* static const int addresses[COUNT][2]; */

enum { R, F = 32, V = 64, CR = 96, LR = 104, CTR, XER, CA, FPSCR, VSCR, REGISTERS };
enum { CARRY = 1 << 29, CARRY_COPY = 1 << 18 }; /* in xer; the copy of POWER9's 32-bit results */
enum { KINDS = 4, ROUNDS = 3 * KINDS, BUFFER = 1024, MIDDLE = 384 };

struct context {
    uint64_t r[32], vs[64][2], cr, lr, ctr, xer, fpscr, unused, vscr[2];
};

extern void run(struct context *in, struct context *out, const void *slot);
extern const char slots[][16];

static uint64_t seed = 88172645463325252u;
static uint64_t thread_pointer;
static sigjmp_buf faulted;
static unsigned char memory[BUFFER] __attribute__((aligned(128)));
static unsigned char before[BUFFER], baseline_memory[BUFFER];

static uint64_t random64(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 2685821657736338717u;
}

static uint64_t floats(int kind) {
    union { double d; float f[2]; uint64_t u; } value;
    if (kind == 1) value.d = 1 + (double)(random64() % 100000) / 1000;
    else value.f[0] = 1 + random64() % 99 / 3.0f, value.f[1] = 1 + random64() % 99 / 7.0f;
    return value.u;
}

static uint64_t value(int kind, int general) {
    if (kind == 0) return random64();
    if (kind == 3 || general) return kind == 1 ? (uint64_t)(int32_t)random64() : random64() % (kind == 2 ? 256 : 8);
    return floats(kind);
}

/* In xer without the carry only the overflow changes: every compare copies the summary
   overflow, and the count says how much memory a string instruction touches. */
static void change(struct context *c, int number, int kind, const int *address) {
    if (number < F) {
        c->r[number] = value(kind, 1);
        if (number == address[0]) c->r[number] = (uintptr_t)memory + MIDDLE + 32 * (random64() % 4);
        if (number == address[1]) c->r[number] = 64 + 32 * (random64() % 3);
    } else if (number < CR) {
        c->vs[number - F][0] = value(kind, 0);
        c->vs[number - F][1] = value(kind, 0);
    } else if (number < LR) {
        int shift = 28 - 4 * (number - CR);
        c->cr = (c->cr & ~(15ull << shift)) | (random64() & 15) << shift;
    } else if (number == LR) c->lr = random64();
    else if (number == CTR) c->ctr = random64();
    else if (number == XER) c->xer = (c->xer & CARRY) | (random64() & 1) << 30 | 10;
    else if (number == CA) c->xer = (c->xer & ~(uint64_t)CARRY) | (random64() & 1) << 29;
    else if (number == FPSCR) c->fpscr = (random64() & 3) | (random64() & 15) << 25;
    else c->vscr[1] = (random64() & 1) << 16 | (random64() & 1);
}

/* Compares depend on equality, which is rare among random numbers. */
static void equal_neighbour(struct context *c, int number, const int *address) {
    int other = number + (random64() & 1 ? 1 : -1);
    if (number > 1 && number < 31 && number != address[0] && number != address[1]) c->r[number] = c->r[other];
    if (number > F && number < CR - 1) memcpy(c->vs[number - F], c->vs[other - F], 16);
}

static uint64_t field(const struct context *c, int number) { return c->cr >> (28 - 4 * (number - CR)) & 15; }

static int differs(const struct context *a, const struct context *b, int number) {
    if (number == 1) return 0;
    if (number < F) return a->r[number] != b->r[number];
    if (number < V) return a->vs[number - F][0] != b->vs[number - F][0] || a->vs[number - F][1] != b->vs[number - F][1];
    if (number < CR) return memcmp(a->vs[number - F], b->vs[number - F], 16) != 0;
    if (number < LR) return field(a, number) != field(b, number);
    if (number == LR) return a->lr != b->lr;
    if (number == CTR) return a->ctr != b->ctr;
    if (number == XER) return ((a->xer ^ b->xer) & ~(uint64_t)(CARRY | CARRY_COPY)) != 0;
    if (number == CA) return ((a->xer ^ b->xer) & CARRY) != 0;
    if (number == FPSCR) return a->fpscr != b->fpscr;
    return a->vscr[1] != b->vscr[1];
}

static void execute(struct context *in, struct context *out, int slot) {
    memcpy(memory, before, BUFFER);
    run(in, out, slots[slot]);
}

static void observe(int slot, char *defs, char *uses) {
    const int *address = addresses[slot];
    uint32_t instruction;
    memcpy(&instruction, slots[slot] + 8, 4);
    seed = instruction | 88172645463325252u << 32; /* other rows must not change what this one gets */
    for (int round = 0; round < ROUNDS; round++) {
        int kind = round % KINDS;
        struct context in, out, changed_in, changed_out;
        memset(&in, 0, sizeof in);
        out = changed_out = in;
        for (int i = 0; i < BUFFER; i += 8) *(uint64_t *)(before + i) = value(kind, 0);
        for (int i = 0; i < REGISTERS; i++) change(&in, i, kind, address);
        execute(&in, &out, slot);
        memcpy(baseline_memory, memory, BUFFER);
        for (int i = 0; i < REGISTERS; i++) defs[i] |= differs(&in, &out, i);
        for (int number = 0; number < REGISTERS; number++) {
            if (number == 1) continue;
            changed_in = in;
            change(&changed_in, number, random64() & 1 ? kind : 0, address);
            if (random64() % 4 == 0) equal_neighbour(&changed_in, number, address);
            execute(&changed_in, &changed_out, slot);
            int matters = memcmp(memory, baseline_memory, BUFFER) != 0;
            for (int i = 0; i < REGISTERS; i++) {
                int written = differs(&changed_in, &changed_out, i);
                defs[i] |= written;
                if (i != number || written || differs(&in, &out, i)) matters |= differs(&out, &changed_out, i);
            }
            uses[number] |= matters;
        }
    }
}

static void fault(int signal) {
    __asm__ volatile("mr 13,%0" : : "r"(thread_pointer));
    siglongjmp(faulted, signal);
}

static void print(const char *title, const char *set) {
    static const char *const last[] = {"lr", "ctr", "xer", "ca", "fpscr", "vscr"};
    printf(" %s", title);
    for (int i = 0; i < REGISTERS; i++) {
        if (!set[i]) continue;
        if (i < LR) printf(" %s%d", i < F ? "r" : i < V ? "f" : i < CR ? "v" : "cr", i < CR ? i % 32 : i - CR);
        else printf(" %s", last[i - LR]);
    }
}

int main(void) {
    struct sigaction action = {.sa_handler = fault, .sa_flags = SA_NODEFER};
    __asm__("mr %0,13" : "=r"(thread_pointer));
    for (int i = 0; i < 4; i++) sigaction((int[]){SIGILL, SIGSEGV, SIGBUS, SIGFPE}[i], &action, 0);
    for (int slot = 0; slot < COUNT; slot++) {
        char defs[REGISTERS] = {0}, uses[REGISTERS] = {0};
        printf("%d", slot);
        fflush(stdout);
        int signal = sigsetjmp(faulted, 1);
        if (signal) printf(" illegal %d", signal);
        else {
            observe(slot, defs, uses);
            print("defs", defs);
            print("uses", uses);
        }
        printf("\n");
    }
    return 0;
}
