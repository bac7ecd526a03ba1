/* Where the kernel goes when a handler of ours with SA_SIGINFO is over. */
#ifndef INST_RESTORER_H
#define INST_RESTORER_H

#include "preserve.h"
#include "syscall.h"

/* The kernel goes two instructions beyond the address that it is given. */
extern const char toggle_over[] __asm__("inst.toggle.over") __attribute__((visibility("hidden")));
__asm__("\t.text\n\t.align 4\n\tnop\n\tnop\n\t.globl inst.toggle.over\n\t.hidden inst.toggle.over\n"
        "inst.toggle.over:\n\tmov " INST_TEXT(__NR_rt_sigreturn) ", %g1\n\t" INST_TRAP "\n");
#define INST_RESTORER ((uintptr_t)toggle_over - 8)

#endif
