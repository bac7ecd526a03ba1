/* Functions shared by the files that handle a trace's output. */
#ifndef INST_OUTPUT_H
#define INST_OUTPUT_H

#include "process.h"

#pragma GCC visibility push(hidden)

/* descriptor.c: all return 0 or an error number, and chunks or 0. */
int inst_identify(unsigned long long *device, unsigned long long *inode, unsigned *mode);
int inst_look_at_output(void);
int inst_reserve(uint64_t offset);
unsigned char *inst_map_chunk(uint64_t offset);
unsigned char *inst_map_far_chunk(uint64_t offset);
void inst_write_out(const unsigned char *from, const unsigned char *to);
int inst_write_at(uint64_t offset, const void *from, unsigned long size);
void inst_copy_out(int copied, const unsigned char *chunk, uint64_t offset, unsigned long size);

/* output.c */
void inst_release(unsigned char *chunk);
unsigned char *inst_next_mapped(uint64_t *offset, int *copied);

/* segments/ring.c, ring_file.c: chunks are slots of a ring; the process's member `ring` states whether. */
int inst_open_ring(void) __attribute__((weak));
void inst_ring_began(const unsigned char *start) __attribute__((weak));
unsigned char *inst_next_slot(uint64_t *offset) __attribute__((weak));
int inst_release_slot(const unsigned char *chunk) __attribute__((weak));
unsigned char *inst_map_slot(uint64_t offset) __attribute__((weak));
void inst_finish_ring(void) __attribute__((weak));
void inst_forget_ring(void) __attribute__((weak));

/* finish.c */
unsigned char *inst_take_over(unsigned char *chunk, uint64_t offset);

/* The events of another thread, when one ends the trace. */
struct inst_taken {
    unsigned char *chunk;       /* the last ones, as they are in the file; 0: there are none */
    unsigned char *end;         /* where those end that are kept, */
    int is_cut;                 /* because an event comes there that is not */
};

/* ending.c */
void inst_map_ending(const unsigned char *start);
void inst_write_stopped(int error);
void inst_write_partial(const char *cause);

/* variables.c: read a number, a size such as 64M, or two numbers such as 10K/1M; return 0 if there is none.  What is wrong is
   reported and ignored. */
int inst_read_number(const char *variable, uint64_t *number);
int inst_read_size(const char *variable, uint64_t *size);
int inst_read_pair(const char *variable, uint64_t *first, uint64_t *second);

/* unreported.c */
void inst_map_unreported(unsigned char *start);
void inst_forget_unreported(void);

/* chunk_end.c */
void inst_clear(unsigned char *from, unsigned char *to);
unsigned char *inst_written_end(const struct inst_block *block, unsigned char *chunk);
void inst_write_around(struct inst_block *block, const unsigned char *from,
                       const unsigned char *to);
unsigned char *inst_take_rest(struct inst_block *block);

#pragma GCC visibility pop

#endif
