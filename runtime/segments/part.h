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

/* handlers.c: release chunks that no interrupted code writes to any more; all of a thread's, where it
   has ended. */
void inst_release_kept(struct inst_part *part);
void inst_release_all_kept(struct inst_part *part);

#pragma GCC visibility pop

#endif
