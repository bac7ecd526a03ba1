/* Run-length and LZ-like coding of a buffer, and back. */
#include <stdio.h>
#include <string.h>

static unsigned char source[500], packed[1200], unpacked[600];

static int pack(const unsigned char *in, int size, unsigned char *out)
{
    int used = 0;
    for (int i = 0; i < size;) {
        int best = 0, where = 0;
        for (int back = 1; back <= 32 && back <= i; back++) {
            int length = 0;
            while (length < 18 && i + length < size && in[i + length] == in[i + length - back])
                length++;
            if (length > best)
                best = length, where = back;
        }
        if (best > 2) {
            out[used++] = (unsigned char)(128 + best);
            out[used++] = (unsigned char)where;
            i += best;
        } else
            out[used++] = in[i++] & 127;
    }
    return used;
}

static int unpack(const unsigned char *in, int size, unsigned char *out)
{
    int made = 0;
    for (int i = 0; i < size; i++)
        if (in[i] & 128) {
            int length = in[i++] & 127;
            while (length--) {
                out[made] = out[made - in[i]];
                made++;
            }
        } else
            out[made++] = in[i];
    return made;
}

int main(void)
{
    for (int i = 0; i < 500; i++)
        source[i] = (unsigned char)("abracadabra"[i % 11 * (i / 100 + 1) % 11]);
    int used = pack(source, 500, packed), made = unpack(packed, used, unpacked);
    printf("%d %d %d\n", used, made, memcmp(source, unpacked, 500));
    return 0;
}
