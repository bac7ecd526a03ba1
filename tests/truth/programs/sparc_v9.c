/* The 64-bit instructions a 32-bit program may use: compare and swap, V9 branches.
 * Targets: sparc-v8
 * Flags: -mcpu=v9 */
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter = 3;
static _Atomic unsigned char byte = 250;
static atomic_uint bits;
static int plain[16];

int main(void)
{
    int sum = 0, won = 0;
    for (int i = 0; i < 12; i++) {
        int expected = i & 1 ? 0 : atomic_load(&counter);
        won += atomic_compare_exchange_strong(&counter, &expected, i * 3);
        sum += atomic_fetch_add(&counter, i) + expected;
        atomic_fetch_add(&byte, 1);
        atomic_fetch_xor(&bits, 1u << i);
        plain[i] = sum > 20 ? plain[15 - i] : i;
        sum += plain[i / 2] * (plain[i] != 0 ? 2 : 1);
    }
    printf("%d %d %d %d %u\n", sum, won, counter, byte, bits);
    return 0;
}
