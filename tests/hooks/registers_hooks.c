/* Writes the registers of inithook and of a window at each count into the file REGISTERS. */
#include <inst/hooks.h>
#include <inst/support.h>

static int file = -1;

/* Change what a hook may change: entries have to bring it all back. */
static void spoil(void)
{
#ifdef __sparc__
    __asm__ __volatile__("wr %%g0, -1, %%y\n\taddcc %%g0, -1, %%g1\n\tmov -2, %%g2\n\t"
                         "mov -3, %%g3\n\tmov -4, %%g4\n\tmov -5, %%g5"
                         : : : "g1", "g2", "g3", "g4", "g5", "cc");
#else
    __asm__ __volatile__("li 0, -1\n\tmtctr 0\n\tmtxer 0\n\tmtcrf 0xc7, 0\n\tli 3, -3\n\t"
                         "li 4, -4\n\tli 5, -5\n\tli 6, -6\n\tli 7, -7\n\tli 8, -8\n\t"
                         "li 9, -9\n\tli 10, -10\n\tli 11, -11\n\tli 12, -12"
                         : : : "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11",
                           "r12", "ctr", "xer", "cr0", "cr1", "cr5", "cr6", "cr7");
#endif
}

static void write_registers(const struct inst_registers *registers)
{
    WRITE(file, registers, sizeof *registers);
    setsic(1);
}

void inithook(const struct inst_registers *registers)
{
    file = OPEN(GETENV("REGISTERS"), 1);
    write_registers(registers);
    spoil();
}

void windowhook(const struct inst_registers *registers)
{
    write_registers(registers);
}
