/* Write an event of our own, an EVENT and an EVENT_PC, where a function is entered or left: only code
   compiled with --inst-functions calls these hooks. */
#include "rst.h"

enum { EVENT_PC = 41, HAS_PC = 1 };
enum { ENTER = 21, LEAVE = 22 };

static inline __attribute__((always_inline)) unsigned char *write_function(
    unsigned char *at, uint32_t kind, inst_address pc, inst_address stack, inst_address value)
{
    put(at + RECORD, 1, 0);
    put_address(at + RECORD, 2, pc);
    put_address(at + RECORD, 4, 0);
    put(at + RECORD, 0, (uint32_t)EVENT_PC << 24);
    put(at, 1, own_cpu());
    put_address(at, 2, stack);
    put_address(at, 4, value);
    inst_ordered();
    put(at, 0, (uint32_t)EVENT << 24 | kind << 16 | HAS_PC | HAS_ADDRESS | HAS_VALUE);
    return at + 2 * RECORD;
}

__attribute__((used)) void rst_slow_function_body(uint32_t kind, inst_address pc,
                                                  inst_address stack, inst_address value)
{
    inst_commit_slow(write_function(rst_position(inst_place_slow()), kind, pc, stack, value));
}

__attribute__((used)) void rst_retry_function_body(unsigned char *at, uint32_t kind,
                                                   inst_address pc, inst_address stack,
                                                   inst_address value)
{
    at = inst_retry(at);
    inst_retry_done(at ? write_function(rst_position(at), kind, pc, stack, value) : 0);
}

void rst_slow_function(uint32_t kind, inst_address pc, inst_address stack, inst_address value);
INST_PRESERVING(rst_slow_function);
void rst_retry_function(unsigned char *at, uint32_t kind, inst_address pc, inst_address stack,
                        inst_address value);
INST_PRESERVING(rst_retry_function);

static inline __attribute__((always_inline)) void function_event(
    uint32_t kind, inst_address pc, inst_address stack, inst_address value)
{
    unsigned char *at = inst_place();
    if (inst_unlikely(!at)) {
        rst_slow_function(kind, pc, stack, value);
        return;
    }
    unsigned char *end = write_function(rst_position(at), kind, pc, stack, value);
    if (inst_unlikely(inst_commit(end)))
        rst_retry_function(at, kind, pc, stack, value);
}

void enterhook(inst_address function, inst_address back, inst_address stack)
{
    function_event(ENTER, function, stack, back);
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    function_event(LEAVE, pc, stack, function);
}
