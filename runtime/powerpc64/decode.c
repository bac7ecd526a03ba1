/* Which words of 64-bit PowerPC code access memory, and how: Power ISA 3.1, books I and II. */
#include "decode.h"

/* By primary operation. */
static const struct access displaced[] = {
    { 32, 4, LOAD },  { 33, 4, LOAD },  { 34, 1, LOAD },  { 35, 1, LOAD },
    { 36, 4, STORE }, { 37, 4, STORE }, { 38, 1, STORE }, { 39, 1, STORE },
    { 40, 2, LOAD },  { 41, 2, LOAD },  { 42, 2, LOAD },  { 43, 2, LOAD },
    { 44, 2, STORE }, { 45, 2, STORE }, { 46, 4, LOAD, GENERAL, MULTIPLE },
    { 47, 4, STORE, GENERAL, MULTIPLE },
    { 48, 4, LOAD, FLOAT },  { 49, 4, LOAD, FLOAT },  { 50, 8, LOAD, FLOAT },
    { 51, 8, LOAD, FLOAT },  { 52, 4, STORE, FLOAT }, { 53, 4, STORE, FLOAT },
    { 54, 8, STORE, FLOAT }, { 55, 8, STORE, FLOAT }, { 56, 16, LOAD, GENERAL, PAIR },
    { 0 }
};

/* By primary operation and the two low bits. */
static const struct access short_displaced[] = {
    { 57 << 2 | 2, 8, LOAD, FLOAT, SIMPLE, HIGH },  { 57 << 2 | 3, 4, LOAD, FLOAT, SIMPLE, HIGH },
    { 58 << 2 | 0, 8, LOAD },  { 58 << 2 | 1, 8, LOAD },  { 58 << 2 | 2, 4, LOAD },
    { 61 << 2 | 2, 8, STORE, FLOAT, SIMPLE, HIGH }, { 61 << 2 | 3, 4, STORE, FLOAT, SIMPLE, HIGH },
    { 62 << 2 | 0, 8, STORE }, { 62 << 2 | 1, 8, STORE },
    { 62 << 2 | 2, 16, STORE, GENERAL, PAIR },
    { 0 }
};

/* By primary operation and the three, or four, low bits. */
static const struct access vector_displaced[] = {
    { 61 << 3 | 1, 16, LOAD, WHOLE, SIMPLE, BY_BIT_3 },
    { 61 << 3 | 5, 16, STORE, WHOLE, SIMPLE, BY_BIT_3 },
    { 0 }
};
static const struct access pair_displaced[] = {
    { 6 << 4 | 0, 32, LOAD, WHOLE, SIMPLE, EVEN },
    { 6 << 4 | 1, 32, STORE, WHOLE, SIMPLE, EVEN },
    { 0 }
};

/* By extended operation under primary operation 31. */
static const struct access indexed[] = {
    { 7, 1, LOAD, ELEMENT, SIMPLE, HIGH },      { 12, 4, LOAD, FIRST, SIMPLE, BY_BIT_0 },
    { 13, 1, LOAD, SECOND, SIMPLE, BY_BIT_0 },  { 20, 4, LOAD, GENERAL, RESERVE },
    { 21, 8, LOAD },                            { 23, 4, LOAD },
    { 39, 2, LOAD, ELEMENT, SIMPLE, HIGH },     { 45, 2, LOAD, SECOND, SIMPLE, BY_BIT_0 },
    { 52, 1, LOAD, GENERAL, RESERVE },          { 53, 8, LOAD },
    { 55, 4, LOAD },                            { 71, 4, LOAD, ELEMENT, SIMPLE, HIGH },
    { 76, 4, LOAD, FIRST, SIMPLE, BY_BIT_0 },   { 77, 4, LOAD, SECOND, SIMPLE, BY_BIT_0 },
    { 84, 8, LOAD, GENERAL, RESERVE },          { 87, 1, LOAD },
    { 103, 16, LOAD, WHOLE, SIMPLE, HIGH },     { 109, 8, LOAD, SECOND, SIMPLE, BY_BIT_0 },
    { 116, 2, LOAD, GENERAL, RESERVE },         { 119, 1, LOAD },
    { 135, 1, STORE, ELEMENT, SIMPLE, HIGH },   { 140, 4, STORE, FIRST, SIMPLE, BY_BIT_0 },
    { 141, 1, STORE, SECOND, SIMPLE, BY_BIT_0 }, { 149, 8, STORE },
    { 150, 4, STORE, GENERAL, CONDITIONAL },    { 151, 4, STORE },
    { 167, 2, STORE, ELEMENT, SIMPLE, HIGH },   { 173, 2, STORE, SECOND, SIMPLE, BY_BIT_0 },
    { 181, 8, STORE },                          { 182, 16, STORE, GENERAL, CONDITIONAL },
    { 183, 4, STORE },                          { 199, 4, STORE, ELEMENT, SIMPLE, HIGH },
    { 205, 4, STORE, SECOND, SIMPLE, BY_BIT_0 }, { 214, 8, STORE, GENERAL, CONDITIONAL },
    { 215, 1, STORE },                          { 231, 16, STORE, WHOLE, SIMPLE, HIGH },
    { 237, 8, STORE, SECOND, SIMPLE, BY_BIT_0 }, { 247, 1, STORE },
    { 268, 16, LOAD, WHOLE, SIMPLE, BY_BIT_0 }, { 269, 0, LOAD, WHOLE, LENGTH, BY_BIT_0 },
    { 276, 16, LOAD, GENERAL, RESERVE },        { 279, 2, LOAD },
    { 301, 0, LOAD, BYTES, LENGTH, BY_BIT_0 },  { 311, 2, LOAD },
    { 332, 8, LOAD, FIRST, SIMPLE, BY_BIT_0 },  { 333, 32, LOAD, WHOLE, SIMPLE, BY_BIT_26 },
    { 341, 4, LOAD },                           { 343, 2, LOAD },
    { 359, 16, LOAD, WHOLE, SIMPLE, HIGH },     { 364, 4, LOAD, FIRST_HIGH, SIMPLE, BY_BIT_0 },
    { 373, 4, LOAD },                           { 375, 2, LOAD },
    { 396, 16, STORE, WHOLE, SIMPLE, BY_BIT_0 }, { 397, 0, STORE, WHOLE, LENGTH, BY_BIT_0 },
    { 407, 2, STORE },                          { 429, 0, STORE, BYTES, LENGTH, BY_BIT_0 },
    { 439, 2, STORE },                          { 461, 32, STORE, WHOLE, SIMPLE, BY_BIT_26 },
    { 487, 16, STORE, WHOLE, SIMPLE, HIGH },    { 524, 4, LOAD, FLOAT, SIMPLE, BY_BIT_0 },
    { 532, 8, LOAD, REVERSED },                 { 533, 1, LOAD, GENERAL, INDEXED_STRING },
    { 534, 4, LOAD, REVERSED },                 { 535, 4, LOAD, FLOAT },
    { 567, 4, LOAD, FLOAT },                    { 588, 8, LOAD, FIRST, SIMPLE, BY_BIT_0 },
    { 597, 1, LOAD, GENERAL, COUNTED },         { 599, 8, LOAD, FLOAT },
    { 631, 8, LOAD, FLOAT },                    { 652, 4, STORE, FLOAT, SIMPLE, BY_BIT_0 },
    { 660, 8, STORE, REVERSED },                { 661, 1, STORE, GENERAL, INDEXED_STRING },
    { 662, 4, STORE, REVERSED },                { 663, 4, STORE, FLOAT },
    { 694, 1, STORE, GENERAL, CONDITIONAL },    { 695, 4, STORE, FLOAT },
    { 716, 8, STORE, FIRST, SIMPLE, BY_BIT_0 }, { 725, 1, STORE, GENERAL, COUNTED },
    { 726, 2, STORE, GENERAL, CONDITIONAL },    { 727, 8, STORE, FLOAT },
    { 759, 8, STORE, FLOAT },                   { 780, 16, LOAD, WORDS, SIMPLE, BY_BIT_0 },
    { 781, 1, LOAD, FIRST, SIMPLE, BY_BIT_0 },  { 790, 2, LOAD, REVERSED },
    { 812, 16, LOAD, HALFWORDS, SIMPLE, BY_BIT_0 }, { 813, 2, LOAD, FIRST, SIMPLE, BY_BIT_0 },
    { 844, 16, LOAD, DOUBLEWORDS, SIMPLE, BY_BIT_0 }, { 855, 4, LOAD, FIRST },
    { 876, 16, LOAD, BYTES, SIMPLE, BY_BIT_0 }, { 887, 4, LOAD, FIRST },
    { 908, 16, STORE, WORDS, SIMPLE, BY_BIT_0 }, { 909, 1, STORE, FIRST, SIMPLE, BY_BIT_0 },
    { 918, 2, STORE, REVERSED },                { 940, 16, STORE, HALFWORDS, SIMPLE, BY_BIT_0 },
    { 941, 2, STORE, FIRST, SIMPLE, BY_BIT_0 },
    { 972, 16, STORE, DOUBLEWORDS, SIMPLE, BY_BIT_0 }, { 983, 4, STORE, FIRST },
    { 1004, 16, STORE, BYTES, SIMPLE, BY_BIT_0 }, { 1014, 0, STORE, GENERAL, BLOCK },
    { 0 }
};

/* Second words of prefixed instructions: with an operation of the unprefixed form (above), and
   with one of their own. */
static const struct access prefixed[] = {
    { 41, 4, LOAD },  { 42, 8, LOAD, FLOAT, SIMPLE, HIGH },  { 43, 4, LOAD, FLOAT, SIMPLE, HIGH },
    { 46, 8, STORE, FLOAT, SIMPLE, HIGH }, { 47, 4, STORE, FLOAT, SIMPLE, HIGH },
    { 50, 16, LOAD, WHOLE, SIMPLE, LOW },  { 51, 16, LOAD, WHOLE, SIMPLE, HIGH },
    { 54, 16, STORE, WHOLE, SIMPLE, LOW }, { 55, 16, STORE, WHOLE, SIMPLE, HIGH },
    { 56, 16, LOAD, GENERAL, PAIR },       { 57, 8, LOAD },
    { 58, 32, LOAD, WHOLE, SIMPLE, EVEN }, { 60, 16, STORE, GENERAL, PAIR },
    { 61, 8, STORE },                      { 62, 32, STORE, WHOLE, SIMPLE, EVEN },
    { 0 }
};

static const struct access *find(const struct access *table, unsigned operation)
{
    for (; table->what; table++)
        if (table->operation == operation)
            return table;
    return 0;
}

const struct access *inst_access_of(uint32_t prefix, uint32_t word)
{
    enum { OWN = 0, UNPREFIXED = 2 };
    unsigned primary = word >> 26;
    const struct access *found;
    if (prefix)
        return find((prefix >> 24 & 3) == UNPREFIXED ? displaced : prefixed, primary);
    if (primary == 31)
        return find(indexed, word >> 1 & 1023);
    if ((found = find(displaced, primary)))
        return found;
    if ((found = find(short_displaced, primary << 2 | (word & 3))))
        return found;
    if ((found = find(vector_displaced, primary << 3 | (word & 7))))
        return found;
    return find(pair_displaced, primary << 4 | (word & 15));
}
