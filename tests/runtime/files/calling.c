/* Hooks that call the C library, which may change every volatile register. */
#include <stdio.h>
#include <string.h>

#include <inst/hooks.h>

static uint32_t events;

void ldwhook(inst_address address, inst_address pc, uint32_t value)
{
    char text[64], copy[64];
    snprintf(text, sizeof text, "%lx %lx %x", (long)address, (long)pc, (unsigned)value);
    memcpy(copy, text, sizeof copy);
    events += strlen(copy) > 0;
}

void exithook(void)
{
    printf("%u events\n", (unsigned)events);
}
