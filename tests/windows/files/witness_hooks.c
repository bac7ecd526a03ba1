/* Compare what restorehook is given with what the program wrote down: RESTORES WRONG. */
#include <inst/runtime.h>
#include <inst/support.h>

extern unsigned depth;
extern inst_address expected[][16];
static unsigned restores, compared, wrong;

void restorehook(inst_address *buf16)
{
    restores++;
    if (!depth)
        return;
    compared++;
    for (int n = 0; n < 16; n++)
        wrong += buf16[n] != expected[depth][n];
}

void exithook(void)
{
    char text[60];
    inst_write_text(text, SNPRINTF(text, sizeof text, "%u %u %u\n", restores, compared, wrong));
}
