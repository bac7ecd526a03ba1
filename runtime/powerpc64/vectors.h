/* Floating-point, vector and VSX registers as numbers, and as memory has them. */
#ifndef INST_VECTORS_H
#define INST_VECTORS_H

#include <stdint.h>

#ifdef __LITTLE_ENDIAN__
enum { INST_LITTLE = 1 };
#else
enum { INST_LITTLE = 0 };
#endif

/* Fetch the two halves of a VSX register as numbers; the second one of a floating-point register
   only where the machine has VSX. */
void inst_vector_register(unsigned number, uint64_t *halves);

/* Fetch 16 bytes as a store of elements in this order (../powerpc/decode.h) lays them into memory. */
void inst_vector_image(unsigned number, unsigned order, uint64_t *halves);

#endif
