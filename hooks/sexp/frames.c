/* Write an event of our own for stack memory that a function took, and that held nothing of its own
   yet.  PowerPC's functions store their frame's chain, and traces show it. */
#include "sexp.h"

#ifdef __sparc__
__attribute__((used)) void sexp_frame_body(inst_address start, inst_address size)
{
    if (!inst_wanted(start, size))
        return;
    unsigned char *first = inst_place_slow();
    unsigned char *at = put_start(first, "event", inst_slow_id());
    at = put_short_address(put_text(at, " (what frame) (address "), start);
    at = put_short_address(put_text(at, ") (value "), size);
    inst_commit_slow(put_ends(at, first));
}

void sexp_frame(inst_address start, inst_address size);
INST_PRESERVING(sexp_frame);

void savehook(inst_address stack, inst_address frame)
{
    inst_address size = frame - stack;
    if (size > INST_LEAST_FRAME)
        sexp_frame(stack + INST_FRAME_BIAS, size);
}
#endif
