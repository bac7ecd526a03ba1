/* Write a line for each system call and each range, in the order in which they are told. */
#include <inst/runtime.h>

static void line(const char *what, uint64_t first, uint64_t second)
{
    char text[80], *end = text + sizeof text - 1;
    char *at = inst_text(text, end, what);
    at = inst_hexadecimal(inst_text(at, end, " "), end, first);
    at = inst_hexadecimal(inst_text(at, end, " "), end, second);
    at = inst_text(at, end, "\n");
    inst_write_text(text, at - text);
}

void systemhook(uint32_t id)
{
    line("call", id, 0);
}

void ldsyshook(inst_address address, inst_address size)
{
    line("read", address, size);
}

void stsyshook(inst_address address, inst_address size)
{
    line("write", address, size);
}
