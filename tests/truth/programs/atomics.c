/* Atomic operations of several widths, in line or through the library. Libraries: -latomic */
#include <stdatomic.h>
#include <stdio.h>

static atomic_int counter = 5;
static atomic_uint bits;
static _Atomic short half = 100;
static _Atomic unsigned char byte = 250;
static atomic_flag flag = ATOMIC_FLAG_INIT;
static int plain[8];

int main(void)
{
    int expected, won = 0, sum = 0;
    for (int i = 0; i < 10; i++) {
        sum += atomic_fetch_add(&counter, i);
        sum += (int)atomic_fetch_or(&bits, 1u << i);
        sum -= atomic_exchange(&counter, i * 7);
        expected = i & 1 ? i * 7 : -1;
        if (atomic_compare_exchange_strong(&counter, &expected, i + 1))
            won++;
        sum += expected;
        atomic_fetch_sub(&half, 3);
        atomic_fetch_add(&byte, 2);
        if (!atomic_flag_test_and_set(&flag))
            plain[i & 7]++;
        if (i == 4)
            atomic_flag_clear(&flag);
        __atomic_store_n(&plain[2], i, __ATOMIC_RELEASE);
        sum += __atomic_load_n(&plain[2], __ATOMIC_ACQUIRE);
        sum += __atomic_fetch_xor(&plain[3], i, __ATOMIC_SEQ_CST);
        sum += __atomic_fetch_add(&plain[5], 2, __ATOMIC_RELAXED);
    }
    printf("%d %d %d %u %d %d %d\n", sum, won, counter, bits, half, byte, plain[0] + plain[5]);
    return 0;
}
