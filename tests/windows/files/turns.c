/* Write what the counter and the windows told, at the end of the program. */
#include <inst/runtime.h>
#include <inst/support.h>

enum { WINDOW = 50 };
static unsigned windows, restores, saves, wrong;

void inithook(void) { setsic(WINDOW); }

void windowhook(void)
{
    windows++;
    wrong += getsic() != 0;
    setsic(WINDOW);
}

/* %sp of a frame is below its caller's, and the window that comes back has that caller's %fp. */
static inst_address frames[1000];

void savehook(inst_address stack, inst_address frame)
{
    saves++;
    wrong += stack >= frame;
    if (saves - restores < 1000) {
        wrong += saves - restores > 1 && frames[saves - restores - 1] != frame;
        frames[saves - restores] = stack;
    }
}

void restorehook(inst_address *buf16)
{
    restores++;
    if (saves - restores > 1)
        wrong += buf16[6] != frames[saves - restores - 1];
}

void exithook(void)
{
    char text[100];
    int size = SNPRINTF(text, sizeof text, "%u %u %u %u\n", windows * WINDOW + WINDOW - getsic(),
                        saves, restores, wrong);
    inst_write_text(text, size);
}
