/* Write an event of our own where a function is entered or left: only code compiled with
   --inst-functions calls these hooks. */
#include "sexp.h"

ALWAYS unsigned char *write_function(unsigned char *start, int leaves, inst_address pc,
                                     inst_address stack, inst_address value, uint32_t id)
{
    unsigned char *at = put_start(start, "event", id);
    at = leaves ? put_text(at, " (what leave) (address ") : put_text(at, " (what enter) (address ");
    at = put_short_address(at, stack);
    at = put_short_address(put_text(at, ") (value "), value);
    at = put_short_address(put_text(at, ") (pc "), pc);
    return put_ends(at, start);
}

__attribute__((used)) void sexp_slow_function_body(int leaves, inst_address pc,
                                                   inst_address stack, inst_address value)
{
    unsigned char *at = inst_place_slow();
    inst_commit_slow(write_function(at, leaves, pc, stack, value, inst_slow_id()));
}

void sexp_slow_function(int leaves, inst_address pc, inst_address stack, inst_address value);
INST_PRESERVING(sexp_slow_function);

void enterhook(inst_address function, inst_address back, inst_address stack)
{
    sexp_slow_function(0, function, stack, back);
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    sexp_slow_function(1, pc, stack, function);
}
