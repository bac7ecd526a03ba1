/* Print for each line of the input, the words of some code, what the runtime says of the last one:
   whether it is a barrier, whether it stores elsewhere than on the stack, whether it is a release. */
#include <inst/order.h>
#include <stdio.h>

#ifdef __powerpc__
int inst_has_spe(void)
{
    return 1;
}
#endif

int main(void)
{
    char line[256];
    while (fgets(line, sizeof line, stdin)) {
        uint32_t code[2 * INST_ORDER_REACH] = { 0 }, *at = code + INST_ORDER_REACH;
        unsigned word;
        int length = 0;
        for (char *text = line; sscanf(text, "%x%n", &word, &length) == 1; text += length)
            *++at = word;
        printf("%d %d %d\n", inst_is_barrier(at), inst_stores(at), inst_is_release(at));
    }
    return 0;
}
