/* The instructions that reserve a segment: as in 32-bit code except for the definitions there. */
#include "../powerpc/segment_words.h"
