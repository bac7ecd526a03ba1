/* Says at the end where the software instruction counter stands. */
#include <inst/hooks.h>
#include <inst/support.h>

void exithook(void)
{
    DPRINTF(2, "%d\n", -getsic());
}
