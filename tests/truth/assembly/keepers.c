/* What functions that keep values in the registers of sites make of an array. */
#include <stdio.h>

long in_sequence(long *), in_slots(long *), in_need(long *), in_events(long *), in_window(long *);
static long (*const functions[])(long *) = {in_sequence, in_slots, in_need, in_events, in_window};

int main(void)
{
    for (int n = 0; n < 5; n++) {
        long words[12] = {4, 3, 5, 6, 2, 9, 8, 7, 11, 13, 12, 10};
        printf("%ld:", functions[n](words));
        for (int k = 0; k < 12; k++)
            printf(" %lx", words[k]);
        printf("\n");
    }
    return 0;
}
