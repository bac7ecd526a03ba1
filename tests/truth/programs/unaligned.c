/* Packed structures: fields at odd addresses, read in pieces or unaligned. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct __attribute__((packed)) header {
    uint8_t kind;
    uint16_t length;
    uint32_t sequence;
    uint64_t stamp;
    float level;
    double gain;
    uint8_t tail[3];
};

static struct header headers[9];

int main(void)
{
    uint64_t sum = 0;
    double gain = 0;
    for (int i = 0; i < 9; i++) {
        struct header *h = &headers[i];
        h->kind = (uint8_t)i;
        h->length = (uint16_t)(i * 300);
        h->sequence = 0x10203040u * (unsigned)i;
        h->stamp = 0x0102030405060708ULL + (unsigned)i;
        h->level = (float)i / 2;
        h->gain = i * 1.5;
        memcpy(h->tail, "xyz", 3);
    }
    for (int i = 0; i < 9; i++) {
        struct header *h = &headers[8 - i];
        h->sequence += h->length;
        h->stamp -= h->sequence;
        sum = sum * 31 + h->stamp + h->kind + h->tail[1];
        gain += h->gain * h->level;
    }
    printf("%d %llu %.2f\n", (int)sizeof(struct header), (unsigned long long)sum, gain);
    return 0;
}
