/* What `scv` does, for an emulator that has no such instruction: `sc`, but an error's number is
   returned negated. */
#include <signal.h>
#include <ucontext.h>

static void execute(int signal, siginfo_t *info, void *context)
{
    unsigned long *registers = ((ucontext_t *)context)->uc_mcontext.gp_regs;
    register long r0 __asm__("r0") = registers[0];
    register long r3 __asm__("r3") = registers[3];
    register long r4 __asm__("r4") = registers[4];
    register long r5 __asm__("r5") = registers[5];
    __asm__ volatile("sc\n\tbns+ 1f\n\tneg 3, 3\n1:"
                     : "+r"(r0), "+r"(r3), "+r"(r4), "+r"(r5) :
                     : "memory", "cr0", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "ctr");
    registers[3] = r3;
    registers[32] += 4;
}

__attribute__((constructor)) static void begin(void)
{
    struct sigaction how = { .sa_sigaction = execute, .sa_flags = SA_SIGINFO };
    sigaction(SIGILL, &how, 0);
}
