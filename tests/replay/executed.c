/* Executes single instructions of PowerPC: reads cases from standard input, writes them back with
 * the registers and the memory that each left. See tests/replay/executed.py for the layout. */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __powerpc64__
#define STORE "std"
#define LOAD "ld"
#define SIZE "8"
typedef uint64_t ureg;
#else
#define STORE "stw"
#define LOAD "lwz"
#define SIZE "4"
typedef uint32_t ureg;
#endif

struct state {
    ureg g[32];
    ureg lr, ctr, cr, xer;
    uint64_t fpscr, filler;
    uint32_t vscr[4];
    uint64_t vs[64][2];
};
struct test {
    uint64_t instruction; /* a prefix is its high half */
    uint32_t signal, filler;
    uint64_t pc, filler_too;
    struct state state;
    uint8_t memory[512] __attribute__((aligned(128)));
};

/* Where g, lr, ctr, cr, xer, fpscr, vscr, vs are in a state, as text for the assembler. */
#define G(n) "(" #n "*" SIZE ")"
#define OTHER(n) "((32+" #n ")*" SIZE ")"
#define FPSCR "(36*" SIZE ")"
#define VSCR "(36*" SIZE "+16)"
#define VS "(36*" SIZE "+32)"

#ifdef __powerpc64__
#define EACH_VS(what) \
    ".set n,0\n.rept 64\n li 30," VS "+16*n\n " what " n,31,30\n.set n,n+1\n.endr\n"
#define SET_FPSCR "mtfsf 255,0,1,0"
#define LOAD_VS EACH_VS("lxvd2x")
#define STORE_VS EACH_VS("stxvd2x")
#else
#define EACH_F(what) ".set n,0\n.rept 32\n " what " n," VS "+16*n(31)\n.set n,n+1\n.endr\n"
#define EACH_V(what) \
    ".set n,0\n.rept 32\n li 30," VS "+512+16*n\n " what " n,31,30\n.set n,n+1\n.endr\n"
#define SET_FPSCR "mtfsf 255,0"
#define LOAD_VS EACH_F("lfd") EACH_V("lvx")
#define STORE_VS EACH_F("stfd") EACH_V("stvx")
#endif
#define EACH_G(what) \
    ".set n,0\n.rept 31\n.if n-1\n.if n-2\n.if n-13\n " what " n,n*" SIZE "(31)\n.endif\n.endif\n.endif\n" \
    ".set n,n+1\n.endr\n"

/* execute(state, slot): the slot sets ctr and r30, has the instruction, and branches to executed. */
__asm__(
    ".text\n.globl execute_it\nexecute_it:\n"
    " mflr 0\n " STORE " 0,2*" SIZE "(1)\n mfcr 0\n " STORE " 0,1*" SIZE "(1)\n"
    " " STORE "u 1,-640(1)\n"
    ".set n,14\n.rept 18\n " STORE " n,64+n*" SIZE "(1)\n.set n,n+1\n.endr\n"
    ".set n,14\n.rept 18\n stfd n,336+8*(n-14)(1)\n.set n,n+1\n.endr\n"
    " mr 31,3\n mtctr 4\n"
    " lfd 0," FPSCR "(31)\n " SET_FPSCR "\n"
    " li 30," VSCR "\n lvx 0,31,30\n mtvscr 0\n"
    LOAD_VS
    " " LOAD " 30," OTHER(0) "(31)\n mtlr 30\n"
    " " LOAD " 30," OTHER(2) "(31)\n mtcr 30\n"
    " " LOAD " 30," OTHER(3) "(31)\n mtxer 30\n"
    EACH_G(LOAD)
    " bctr\n"
    ".globl executed\nexecuted:\n"
    EACH_G(STORE)
    " " STORE " 31," G(31) "(31)\n"
    " mflr 30\n " STORE " 30," OTHER(0) "(31)\n"
    " mfctr 30\n " STORE " 30," OTHER(1) "(31)\n"
    " mfcr 30\n " STORE " 30," OTHER(2) "(31)\n"
    " mfxer 30\n " STORE " 30," OTHER(3) "(31)\n"
    STORE_VS
    " mffs 0\n stfd 0," FPSCR "(31)\n"
    " mtfsfi 6,0\n mtfsfi 7,0\n mfvscr 0\n li 30," VSCR "\n stvx 0,31,30\n"
    ".set n,14\n.rept 18\n " LOAD " n,64+n*" SIZE "(1)\n.set n,n+1\n.endr\n"
    ".set n,14\n.rept 18\n lfd n,336+8*(n-14)(1)\n.set n,n+1\n.endr\n"
    " addi 1,1,640\n"
    " " LOAD " 0,1*" SIZE "(1)\n mtcr 0\n " LOAD " 0,2*" SIZE "(1)\n mtlr 0\n blr\n"
    ".globl load_ctr\nload_ctr: " LOAD " 30," OTHER(1) "(31)\n"
    " mtctr 30\n"
    " " LOAD " 30," G(30) "(31)\n"
    ".section .slots,\"awx\",@nobits\n.balign 64\n.globl slots\nslots: .space 16*1024*1024\n.text\n");

extern char executed[], load_ctr[], slots[];
static sigjmp_buf before;
static volatile int caught;

static void failed(int number)
{
    __asm__ volatile("mtfsfi 6,0\n mtfsfi 7,0");
    caught = number;
    siglongjmp(before, 1);
}

static void execute(struct state *state, void *slot)
{
    register ureg first __asm__("3") = (ureg)state;
    register ureg second __asm__("4") = (ureg)slot;
    __asm__ volatile("bl execute_it\n nop"
                     : "+r"(first), "+r"(second)
                     :
                     : "r0", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "lr", "ctr", "memory",
                     "cr0", "cr1", "cr5", "cr6", "cr7", "xer", "fr0", "fr1", "fr2", "fr3", "fr4", "fr5",
                     "fr6", "fr7", "fr8", "fr9", "fr10", "fr11", "fr12", "fr13");
}

static void run(struct test *test, uint32_t *slot)
{
    uint32_t *next = slot + 3, prefix = test->instruction >> 32;
    memcpy(slot, load_ctr, 12);
    test->pc = (ureg)next;
    if (prefix)
        *next++ = prefix;
    *next++ = test->instruction;
    *next = 0x48000000 | (((ureg)executed - (ureg)next) & 0x3fffffc);
    __builtin___clear_cache((char *)slot, (char *)(next + 1));
    if (sigsetjmp(before, 1) == 0)
        execute(&test->state, slot);
    else
        test->signal = caught;
}

static int all(ssize_t (*move)(int, void *, size_t), int descriptor, void *bytes, size_t size)
{
    for (ssize_t done; size; size -= done, bytes = (char *)bytes + done)
        if ((done = move(descriptor, bytes, size)) <= 0)
            return 0;
    return 1;
}

static ssize_t put(int descriptor, void *bytes, size_t size)
{
    return write(descriptor, bytes, size);
}

int main(void)
{
    struct test *test = mmap((void *)0x30000000, 1 << 16, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    struct sigaction action = {.sa_handler = failed, .sa_flags = SA_NODEFER};
    mprotect((void *)((ureg)slots & -65536), 17 * 1024 * 1024, PROT_READ | PROT_WRITE | PROT_EXEC);
    for (int n = 0; n < 5; n++)
        sigaction((int[]){SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE}[n], &action, 0);
    for (uint32_t *slot = (uint32_t *)slots; all(read, 0, test, sizeof *test); slot += 8) {
        run(test, slot);
        if (!all(put, 1, test, sizeof *test))
            return 1;
    }
    return 0;
}
