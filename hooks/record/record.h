/* What a recording has besides the records that the library rst writes: this library is made from the
   same code, with what is defined here.

   Segments write most accesses without any hook (runtime/segments.h).  So each event of a hook comes
   after a POSITION: where the blocks end that the thread had written before. */
#ifndef INST_HOOKS_RECORD_H
#define INST_HOOKS_RECORD_H

#include "../rst/rst.h"

#include <segments.h>

#ifndef RECORD_VERSION                  /* the library `windows` has another */
#define RECORD_VERSION INST_RECORDING_VERSION
#endif

#undef RST_EXTENSION
#define RST_EXTENSION "rec"
#undef RST_POSITIONS
#define RST_POSITIONS 1
#undef rst_position
#define rst_position record_position
#undef rst_begin_file
#define rst_begin_file record_begin_file
#undef rst_signal_place
#define rst_signal_place(HOOK) inst_signal_place()
#undef rst_more_strings
#define rst_more_strings(PUT, AT)                                                        \
    PUT(PUT(AT, "segments", inst_segments_described() ? "inline" : "none"), "partial",  \
        INST_WHOLE + sizeof "partial=" - 1)

static inline __attribute__((always_inline)) unsigned char *record_position(unsigned char *at)
{
    const struct inst_block *block = inst_thread.block;
    struct inst_place place = inst_segments_place();
    inst_ordered();
    if (inst_unlikely(block->place == at))      /* a handler's events follow this one */
        place = block->part.interrupted;
    put(at, 1, block->number - 1);
    put(at, 2, place.chunk);
    put(at, 3, place.offset);
    put(at, 4, place.order >> 32);
    put(at, 5, place.order);
    inst_ordered();
    put(at, 0, (uint32_t)RST_POSITION << 24);
    return at + RST_SIZE;
}

/* The start of a recording: the version, bytes and byte order of its words, bytes of a chunk. */
static inline unsigned char *record_begin_file(unsigned char *at)
{
    enum { CHUNK_BYTES = 196608 };
    const unsigned char order = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? 'b' : 'l';
    put(at, 2, (uint32_t)RECORD_VERSION << 24 | sizeof(uintptr_t) << 16 | order << 8);
    put(at, 3, CHUNK_BYTES);
    put(at, 4, 0);
    put(at, 5, 0);
    put(at, 1, 0x2d524543);     /* "-REC" */
    inst_ordered();
    put(at, 0, 0x494e5354);     /* "INST" */
    return at + RST_SIZE;
}

#endif
