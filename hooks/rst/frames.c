/* Write an EVENT of our own for stack memory that a function allocated and has not initialised.
   Without register windows none is needed: functions store the frame's back chain, which the trace
   has. */
#include "rst.h"

#include <architecture.h>

#if INST_HAS_WINDOWS
static inline __attribute__((always_inline)) unsigned char *write_frame(
    unsigned char *at, inst_address start, inst_address size)
{
    put(at, 1, own_cpu());
    put_address(at, 2, start);
    put_address(at, 4, size);
    inst_ordered();
    put(at, 0, event_word(RST_KIND_FRAME, RST_FLAG_HAS_ADDRESS | RST_FLAG_HAS_VALUE));
    return at + RST_SIZE;
}

__attribute__((used)) void rst_slow_frame_body(inst_address start, inst_address size)
{
    if (inst_wanted(start, size))
        inst_commit_slow(write_frame(rst_position(inst_place_slow()), start, size));
}

__attribute__((used)) void rst_retry_frame_body(unsigned char *at, inst_address start,
                                                inst_address size)
{
    at = inst_retry(at);
    inst_retry_done(at ? write_frame(rst_position(at), start, size) : 0);
}

void rst_slow_frame(inst_address start, inst_address size);
INST_PRESERVING(rst_slow_frame);
void rst_retry_frame(unsigned char *at, inst_address start, inst_address size);
INST_PRESERVING(rst_retry_frame);

void savehook(inst_address stack, inst_address frame)
{
    inst_address size = frame - stack;
    if (size <= INST_SITE_LEAST)
        return;
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        rst_slow_frame(stack + INST_SITE_BIAS, size);
        return;
    }
    unsigned char *end = write_frame(rst_position(at), stack + INST_SITE_BIAS, size);
    if (inst_unlikely(inst_commit(end)))
        rst_retry_frame(at, stack + INST_SITE_BIAS, size);
}
#endif
