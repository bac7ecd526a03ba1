/* Functions shared by the files that handle the chunks of segments. */
#ifndef INST_SEGMENTS_PART_H
#define INST_SEGMENTS_PART_H

#include "segments.h"

#pragma GCC visibility push(hidden)

/* room.c */
void inst_write_to_sink(void);
uint32_t inst_end_of_blocks(const unsigned char *chunk);
void inst_add_run(unsigned char *chunk, uint32_t start, uint32_t thread, uint64_t order);
void inst_cut_blocks(unsigned char *chunk, uint32_t number, uint32_t thread, struct inst_place last);
void inst_release_part(unsigned char *chunk, uint32_t number, int copied);
void inst_begin_thread(struct inst_thread_state *thread);
void inst_take_handlers_chunk(struct inst_thread_state *thread);
void inst_put_aside(struct inst_part *part);
void inst_continue_part(struct inst_block *block, uintptr_t cursor);

/* ranges.c: what is read and written by code without segments; no code is there. */
extern const char inst_range_read[], inst_range_written[];

/* pins.c */
struct inst_pin *inst_pin(const struct inst_part *part, unsigned n);
void inst_add_pin(struct inst_part *part, const struct inst_pin *pin);
void inst_release_pins(struct inst_part *part, unsigned from);
void inst_release_left(struct inst_part *part, uintptr_t stack);

#pragma GCC visibility pop

#endif
