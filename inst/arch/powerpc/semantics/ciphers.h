/* Ciphers and checksums: what vector registers compute of polynomials, AES and SHA-2. */

/* The product of elements as polynomials over two. */
static u128 carryless(const u64 *a, const u64 *b, unsigned bits, unsigned n)
{
    u128 left = GET(a, bits, n), made = 0;
    for (u64 right = GET(b, bits, n); right; right >>= 1, left <<= 1)
        made ^= right & 1 ? left : 0;
    return made;
}

/* AES (FIPS 197): bytes are numbered down the columns of the state. */
static inline u8 multiplied(u8 a, u8 b)
{
    u8 made = 0;
    for (; b; b >>= 1, a = a << 1 ^ (a & 0x80 ? 0x1b : 0))
        made ^= b & 1 ? a : 0;
    return made;
}
static u8 substitutes[256], substituted[256];
static void make_substitutes(void)
{
    for (unsigned n = 0; n < 256; n++) {
        u8 inverse = 1, square = n, made = 0x63;
        for (unsigned power = 254; power; power >>= 1, square = multiplied(square, square))
            inverse = power & 1 ? multiplied(inverse, square) : inverse;
        for (unsigned turn = 0; turn < 5; turn++)
            made ^= inverse << turn | inverse >> (8 - turn);
        substitutes[n] = made;
        substituted[made] = n;
    }
}
static void substitute(const u64 *from, u64 *made, int shifts)
{
    if (!substitutes[0])
        make_substitutes();
    for (unsigned n = 0; n < 16; n++)
        set_element(made, 8, n, substitutes[GET(from, 8, shifts ? (n + 4 * (n % 4)) % 16 : n)]);
}
static void substitute_back(const u64 *from, u64 *made)
{
    if (!substitutes[0])
        make_substitutes();
    for (unsigned n = 0; n < 16; n++)
        set_element(made, 8, n, substituted[GET(from, 8, (n + 12 * (n % 4)) % 16)]);
}
static const u8 encrypting[4] = {2, 3, 1, 1}, decrypting[4] = {14, 11, 13, 9};
static void mix_columns(u64 *state, const u8 *factors)
{
    u64 before[2] = {state[0], state[1]};
    for (unsigned n = 0; n < 16; n++) {
        u8 made = 0;
        for (unsigned row = 0; row < 4; row++)
            made ^= multiplied(GET(before, 8, n / 4 * 4 + row), factors[(row + 4 - n % 4) % 4]);
        set_element(state, 8, n, made);
    }
}

/* SHA-2 (FIPS 180-4): the functions of the message schedule, and those of a round. */
static inline u64 rotated(u64 value, unsigned bits, unsigned by)
{
    return low_bits(value >> by | value << (bits - by), bits);
}
#define SIGMA(bits, a, b, c) (rotated(v, bits, a) ^ rotated(v, bits, b) ^ rotated(v, bits, c))
static inline u64 sigma_of_word(u64 v, int of_round, int second)
{
    if (of_round)
        return second ? SIGMA(32, 6, 11, 25) : SIGMA(32, 2, 13, 22);
    return second ? rotated(v, 32, 17) ^ rotated(v, 32, 19) ^ v >> 10
                  : rotated(v, 32, 7) ^ rotated(v, 32, 18) ^ v >> 3;
}
static inline u64 sigma_of_doubleword(u64 v, int of_round, int second)
{
    if (of_round)
        return second ? SIGMA(64, 14, 18, 41) : SIGMA(64, 28, 34, 39);
    return second ? rotated(v, 64, 19) ^ rotated(v, 64, 61) ^ v >> 6
                  : rotated(v, 64, 1) ^ rotated(v, 64, 8) ^ v >> 7;
}
