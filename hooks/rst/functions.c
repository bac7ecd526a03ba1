/* Write an event of our own, an EVENT and an EVENT_PC, where a function is entered or left: only code
   compiled with --inst-functions calls these hooks. */
#include "rst.h"

static inline __attribute__((always_inline)) unsigned char *write_function(
    unsigned char *at, uint32_t kind, inst_address pc, inst_address stack, inst_address value)
{
    put(at + RST_SIZE, 1, 0);
    put_address(at + RST_SIZE, 2, pc);
    put_address(at + RST_SIZE, 4, 0);
    put(at + RST_SIZE, 0, (uint32_t)RST_EVENT_PC << 24);
    put(at, 1, own_cpu());
    put_address(at, 2, stack);
    put_address(at, 4, value);
    inst_ordered();
    put(at, 0, event_word(kind, RST_FLAG_HAS_PC | RST_FLAG_HAS_ADDRESS | RST_FLAG_HAS_VALUE));
    return at + 2 * RST_SIZE;
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
    function_event(RST_KIND_ENTER, function, stack, back);
}

void leavehook(inst_address function, inst_address pc, inst_address stack)
{
    function_event(RST_KIND_LEAVE, pc, stack, function);
}
