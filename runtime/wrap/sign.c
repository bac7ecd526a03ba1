/* signgam, the sign that lgamma and similar functions store: in the mathematical library. */
#include <inst/wrap.h>
#include <math.h>

void inst_sign_written(void)
{
    inst_writes(&signgam, sizeof signgam);
}
