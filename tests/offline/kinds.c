/* One event of each kind that a trace has. */
#include <inst/annotate.h>

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int lock, numbers[8], counter;
static char bytes[64];
static short halves[4];
static long long wide[4];
static double fractions[3];
static volatile sig_atomic_t arrived;

static void arrive(int number)
{
    arrived = number;
}

__attribute__((noinline)) static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static void annotate(void)
{
    INST_LOCK(&lock);
    INST_UNLOCK(&lock);
    INST_TRYLOCK(&lock);
    INST_UNLOCK(&lock);
    INST_MEM_INIT(bytes, 3);
    INST_MEM_SET(bytes, 3, 0x41);
    INST_MEM_FREE(bytes, 3);
    INST_BARRIER("dsb ish");
    INST_TLBI("vmalle1");
    INST_TLBI_BY("vae1", 77);
    INST_SYSREG("ttbr0", 0x123456789abcull);
    INST_HINT("my_hint", bytes, 0xfedcba9876543210ull);
}

__attribute__((noinline)) static void access_all(int n)
{
    bytes[n] = n + 200;
    halves[n] = halves[n + 1] - 5;
    numbers[n] += bytes[n] + halves[n];
    wide[n] = wide[n + 1] - 0x123456789ll;
    fractions[n] = fractions[n + 1] * 2 + 1.5;
    __atomic_fetch_add(&counter, 3, __ATOMIC_SEQ_CST);
    __atomic_exchange_n(&counter, 9, __ATOMIC_SEQ_CST);
}

int main(int count, char **arguments)
{
    (void)arguments;
    annotate();
    access_all(count);
    memcpy(bytes + 8, halves, sizeof halves);
    signal(SIGUSR1, arrive);
    raise(SIGUSR1);
    return write(1, bytes, 4) != 4 || fibonacci(6) != 8 || arrived != SIGUSR1;
}
