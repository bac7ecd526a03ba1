/* Functions shared by the files that handle the chunks of segments. */
#ifndef INST_SEGMENTS_PART_H
#define INST_SEGMENTS_PART_H

#include "segments.h"

#pragma GCC visibility push(hidden)

/* room.c */
void inst_write_to_sink(void);
uint32_t inst_end_of_blocks(const unsigned char *chunk);
void inst_add_run(unsigned char *chunk, uint32_t start, uint32_t thread, uint64_t order);
void inst_release_part(unsigned char *chunk, uint32_t number, int copied);
void inst_make_room(struct inst_thread *thread);

/* handlers.c: release the chunks that only handlers above this number of pins have kept. */
void inst_release_pins(struct inst_part *part, int number);

#pragma GCC visibility pop

#endif
