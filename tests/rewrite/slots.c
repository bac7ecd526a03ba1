/* Calls every function of slots_*.s with both flags and prints what it did to memory. */
#include <stdio.h>
#include <string.h>

#define EACH(X)                                                                            \
    X(always) X(always_store) X(annulled) X(annulled_store) X(never) X(carry) X(call)      \
    X(pointer) X(leaf_link) X(overwritten) X(atomic) X(multiply) X(floating) X(labelled)   \
    X(couple) X(difference)

#define DECLARE(name) int slot_##name(int flag, int *words);
EACH(DECLARE)

static const struct {
    const char *name;
    int (*function)(int, int *);
} functions[] = {
#define ROW(name) {#name, slot_##name},
    EACH(ROW)
};

int main(void)
{
    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++) {
        for (int flag = 0; flag < 2; flag++) {
            static _Alignas(8) int words[16];
            for (int n = 0; n < 16; n++)
                words[n] = 0x01020304 * (n + 1);
            int result = functions[i].function(flag, words);
            words[10] = 0; /* a return address: differs with the build */
            printf("%s(%d) = %d:", functions[i].name, flag, result);
            for (int n = 0; n < 16; n++)
                printf(" %x", words[n]);
            putchar('\n');
        }
    }
    return 0;
}
