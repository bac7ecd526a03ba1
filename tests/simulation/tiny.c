/* Loads and stores of every size, recursion and branches, without a library. */
static int numbers[16];
static short halves[8];
static unsigned char bytes[8];
struct pair { int first, second; };
static struct pair pairs[4];

__attribute__((noinline)) static int fill(int count)
{
    int sum = 0;
    for (int n = 0; n < count; n++) {
        numbers[n & 15] += n * 7 - 3;
        halves[n & 7] = -n;
        bytes[n & 7] ^= numbers[n & 15];
        if (halves[(n * 3) & 7] < -4)
            sum += halves[n & 7];
        pairs[n & 3] = (struct pair){ sum, bytes[n & 7] };
    }
    return sum + pairs[2].first;
}

__attribute__((noinline)) static int deep(int level)
{
    volatile int kept = level;
    return level ? deep(level - 1) * 2 + kept : fill(40);
}

void run(void)
{
    deep(12);
}
#ifdef __sparc__
__asm__(".globl _start\n_start:\n\tsub %sp, 96, %sp\n\tcall run\n\tnop\n\tmov 1, %g1\n\tmov 0, %o0\n\tta 0x10\n");
#else
__asm__(".globl _start\n_start:\n\tstwu 1,-32(1)\n\tbl run\n\tli 0,1\n\tli 3,0\n\tsc\n");
#endif
