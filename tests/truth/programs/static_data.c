/* Static and global data of every size, initialised and not, function-local statics. */
#include <stdio.h>

char global_byte = 'q';
short global_half = -1234;
int global_word = 0x12345678;
long long global_wide = 0x1122334455667788LL;
float global_float = 1.5f;
double global_double = -2.75;
const int constants[8] = {2, 3, 5, 7, 11, 13, 17, 19};
int common_words[50];
static unsigned char zeros[33];
static int *pointers[4] = {&global_word, &common_words[7], &common_words[9], &global_word};

static int counter(void)
{
    static int calls;
    static long long history[4];
    history[calls & 3] += calls * 1000000007LL;
    calls++;
    return (int)(history[0] ^ history[3]) + calls;
}

int main(void)
{
    unsigned sum = 0;
    for (int i = 0; i < 50; i++) {
        common_words[i] = constants[i & 7] * i + zeros[i % 33];
        zeros[(i * 5) % 33]++;
        sum += (unsigned)counter();
    }
    for (int i = 0; i < 4; i++)
        sum += (unsigned)(*pointers[i])++;
    global_byte++;
    global_half -= 40;
    global_wide += global_word;
    global_float *= 3;
    global_double += global_float;
    printf("%u %c %d %d %lld %g %g\n", sum, global_byte, global_half, global_word, global_wide,
           global_float, global_double);
    return 0;
}
