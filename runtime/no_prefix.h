/* Architectures whose instructions have one word each. */
#define INST_HAS_PREFIXES 0

/* Whether a word is the first of two. */
static inline int inst_is_prefix(uint32_t word)
{
    (void)word;
    return 0;
}
