/* Starts a program on a processor without floating-point registers, as a kernel does that emulates
   their instructions: what saves and restores them is passed over. */
#include <elf.h>
#include <stdint.h>

enum { EXIT_GROUP = 234, WRITE = 4, SIGACTION = 173, ILLEGAL = 4, WITH_CONTEXT = 4, PROGRAM_COUNTER = 32,
       THREAD_POINTER_OFFSET = 0x7000 };

typedef void (*function)(void);
extern const Elf32_Ehdr __ehdr_start;
extern const function __init_array_start[], __init_array_end[];
extern const function __fini_array_start[], __fini_array_end[];
extern int run(void);
extern const char cells[64];

struct context {
    uint32_t before[12], *registers;
};

static char thread[1 << 16] __attribute__((aligned(64)));

static long call(long number, long first, long second, long third, long fourth)
{
    register long r0 __asm__("0") = number, r3 __asm__("3") = first, r4 __asm__("4") = second;
    register long r5 __asm__("5") = third, r6 __asm__("6") = fourth;
    __asm__ volatile("sc" : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5), "+r"(r6) : : "7", "8", "9",
                     "10", "11", "12", "cr0", "ctr", "memory");
    return r3;
}

static void pass_over(int signal, void *what, struct context *context)
{
    (void)signal, (void)what;
    context->registers[PROGRAM_COUNTER] += 4;
}

static void find_thread(void)
{
    const Elf32_Phdr *header = (const void *)((const char *)&__ehdr_start + __ehdr_start.e_phoff);
    for (int n = 0; n < __ehdr_start.e_phnum; n++)
        if (header[n].p_type == PT_TLS)
            for (uint32_t at = 0; at < header[n].p_filesz; at++)
                thread[at] = ((const char *)header[n].p_vaddr)[at];
    __asm__ volatile("mr 2, %0" : : "r"(thread + THREAD_POINTER_OFFSET));
}

__attribute__((used)) static void start(void)
{
    struct { void *handler; uint32_t flags; void *restorer; uint32_t mask[2]; } action = {
        pass_over, WITH_CONTEXT, 0, { 0, 0 }
    };
    call(SIGACTION, ILLEGAL, (long)&action, 0, 8);
    find_thread();
    for (const function *each = __init_array_start; each < __init_array_end; each++)
        (*each)();
    int status = run();
    call(WRITE, 1, (long)cells, sizeof cells, 0);
    for (const function *each = __fini_array_start; each < __fini_array_end; each++)
        (*each)();
    call(EXIT_GROUP, status, 0, 0, 0);
}

__asm__(".globl _start\n_start:\tb start");
