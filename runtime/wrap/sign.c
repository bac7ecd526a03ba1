/* signgam, the sign that lgamma and its kin store: in the mathematical library. */
#include <inst/wrap.h>
#include <math.h>

void inst_sign_written(void)
{
    inst_writes(&signgam, sizeof signgam);
}
