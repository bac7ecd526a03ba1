/* Instructions of two words: Power ISA 3.1, book I, 1.6.3. */
#define INST_HAS_PREFIXES 1

/* Whether a word is the first of two. */
static inline int inst_is_prefix(uint32_t word)
{
    return word >> 26 == 1;
}
