/* Sorting by hand: insertion, heap, merge, quick, radix. -DSCALE=N makes it a benchmark. */
#include <stdio.h>
#include <string.h>

#ifndef SCALE
#define SCALE 1
#endif
#define COUNT 100

static int input[COUNT], work[COUNT], extra[COUNT];

static void insertion(int *at, int count)
{
    for (int i = 1; i < count; i++) {
        int value = at[i], j = i;
        for (; j > 0 && at[j - 1] > value; j--)
            at[j] = at[j - 1];
        at[j] = value;
    }
}

static void sift(int *at, int root, int count)
{
    for (int child; (child = 2 * root + 1) < count; root = child) {
        if (child + 1 < count && at[child + 1] > at[child])
            child++;
        if (at[root] >= at[child])
            return;
        int t = at[root];
        at[root] = at[child];
        at[child] = t;
    }
}

static void heap(int *at, int count)
{
    for (int i = count / 2; i-- > 0;)
        sift(at, i, count);
    while (--count > 0) {
        int t = at[0];
        at[0] = at[count];
        at[count] = t;
        sift(at, 0, count);
    }
}

static void merge(int *at, int count)
{
    int half = count / 2, i = 0, j = half, k = 0;
    if (count < 2)
        return;
    merge(at, half);
    merge(at + half, count - half);
    while (i < half && j < count)
        extra[k++] = at[i] <= at[j] ? at[i++] : at[j++];
    while (i < half)
        extra[k++] = at[i++];
    memcpy(at, extra, (size_t)k * sizeof *at);
}

static void quick(int *low, int *high)
{
    while (low < high) {
        int pivot = low[(high - low) / 2], *i = low, *j = high;
        while (i <= j) {
            while (*i < pivot)
                i++;
            while (*j > pivot)
                j--;
            if (i <= j) {
                int t = *i;
                *i++ = *j;
                *j-- = t;
            }
        }
        quick(low, j);
        low = i;
    }
}

static void radix(int *at, int count)
{
    for (int shift = 0; shift < 16; shift += 4) {
        int starts[17] = {0};
        for (int i = 0; i < count; i++)
            starts[(at[i] >> shift & 15) + 1]++;
        for (int i = 0; i < 16; i++)
            starts[i + 1] += starts[i];
        for (int i = 0; i < count; i++)
            extra[starts[at[i] >> shift & 15]++] = at[i];
        memcpy(at, extra, (size_t)count * sizeof *at);
    }
}

int main(void)
{
    unsigned state = 99, hash = 0;
    for (int round = 0; round < SCALE; round++) {
        for (int i = 0; i < COUNT; i++)
            input[i] = (int)((state = state * 1664525 + 1013904223) >> 16 & 0x7fff);
        for (int method = 0; method < 5; method++) {
            memcpy(work, input, sizeof work);
            switch (method) {
            case 0: insertion(work, COUNT); break;
            case 1: heap(work, COUNT); break;
            case 2: merge(work, COUNT); break;
            case 3: quick(work, work + COUNT - 1); break;
            case 4: radix(work, COUNT); break;
            }
            for (int i = 0; i < COUNT; i++)
                hash = hash * 31 + (unsigned)work[i];
        }
    }
    printf("%u\n", hash);
    return 0;
}
