/* Bit-fields of many widths, signed and unsigned, read, written and compared. */
#include <stdio.h>

struct packed_bits {
    unsigned one : 1;
    unsigned three : 3;
    int signed_five : 5;
    unsigned : 0;
    unsigned seventeen : 17;
    int signed_fifteen : 15;
    unsigned long long wide : 40;
    long long signed_wide : 24;
    unsigned char byte_part : 6;
};

static struct packed_bits table[16];

int main(void)
{
    unsigned long long sum = 0;
    for (int i = 0; i < 16; i++) {
        struct packed_bits *b = &table[i];
        b->one = i;
        b->three = i * 3;
        b->signed_five = i - 8;
        b->seventeen = i * 9001u;
        b->signed_fifteen = -i * 1000;
        b->wide = 0x123456789aULL * i;
        b->signed_wide = -77777LL * i;
        b->byte_part = i * 5;
    }
    for (int i = 0; i < 16; i++) {
        struct packed_bits *b = &table[i], *other = &table[15 - i];
        b->three++;
        b->signed_five -= other->one;
        if (b->seventeen > other->seventeen)
            b->wide ^= other->wide;
        sum = sum * 31 + b->one + b->three + b->signed_five + b->seventeen + b->signed_fifteen;
        sum = sum * 31 + b->wide + b->signed_wide + b->byte_part;
    }
    printf("%llu\n", sum);
    return 0;
}
