/* Write an event of our own for stack memory that a function allocated and has not initialised.
   Without register windows none is needed: functions store the frame's back chain, which the trace
   has. */
#include "sexp.h"

#include <architecture.h>

#if INST_HAS_WINDOWS
ALWAYS unsigned char *write_frame(unsigned char *start, inst_address address, inst_address size,
                                  uint32_t id)
{
    unsigned char *at = put_start(start, "event", id);
    at = put_short_address(put_text(at, " (what frame) (address "), address);
    at = put_short_address(put_text(at, ") (value "), size);
    return put_ends(at, start);
}

__attribute__((used)) void sexp_slow_frame_body(inst_address address, inst_address size)
{
    if (!inst_wanted(address, size))
        return;
    unsigned char *at = inst_place_slow();
    inst_commit_slow(write_frame(at, address, size, inst_slow_id()));
}

__attribute__((used)) void sexp_retry_frame_body(unsigned char *at, inst_address address,
                                                 inst_address size)
{
    at = inst_retry(at);
    inst_retry_done(at ? write_frame(at, address, size, inst_slow_id()) : 0);
}

void sexp_slow_frame(inst_address address, inst_address size);
INST_PRESERVING(sexp_slow_frame);
void sexp_retry_frame(unsigned char *at, inst_address address, inst_address size);
INST_PRESERVING(sexp_retry_frame);

void savehook(inst_address stack, inst_address frame)
{
    inst_address size = frame - stack, address = stack + INST_SITE_BIAS;
    if (size <= INST_SITE_LEAST)
        return;
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        sexp_slow_frame(address, size);
        return;
    }
    uint32_t id = inst_thread.next_id;
    unsigned char *end = write_frame(at, address, size, id);
    inst_thread.next_id = id + 1;
    if (inst_unlikely(inst_commit(end)))
        sexp_retry_frame(at, address, size);
}
#endif
