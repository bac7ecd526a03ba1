/* Write a line for each system call, range, block and thread, in the order of the hooks. */
#include <inst/runtime.h>

static void line(const char *what, uint64_t first, uint64_t second, const uint64_t *third)
{
    char text[120], *end = text + sizeof text - 1;
    char *at = inst_text(text, end, what);
    at = inst_hexadecimal(inst_text(at, end, " "), end, first);
    at = inst_hexadecimal(inst_text(at, end, " "), end, second);
    if (third)
        at = inst_hexadecimal(inst_text(at, end, " "), end, *third);
    at = inst_text(at, end, "\n");
    inst_write_text(text, at - text);
}

void systemhook(uint32_t id)
{
    line("call", id, 0, 0);
}

void systemresulthook(uint32_t id, inst_address result, int failed)
{
    line(failed ? "error" : "result", id, result, 0);
}

void ldsyshook(inst_address address, inst_address size)
{
    line("read", address, size, 0);
}

void stsyshook(inst_address address, inst_address size)
{
    line("write", address, size, 0);
}

void allochook(inst_address address, inst_address size, inst_address caller)
{
    uint64_t where = caller;
    line("alloc", address, size, &where);
}

void releasehook(inst_address address, inst_address caller)
{
    line("release", address, caller, 0);
}

void keephook(inst_address address, inst_address caller)
{
    line("keep", address, caller, 0);
}

void threadhook(uint32_t number, inst_address start)
{
    line("thread", number, start, 0);
}

void threadendhook(uint32_t number)
{
    line("end", number, 0, 0);
}
