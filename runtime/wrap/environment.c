/* The environment: the list, and the pointer to it. */
#include <inst/wrap.h>
#include <unistd.h>

char **inst_environ(void)
{
    return environ;
}

void inst_environment_written(void)
{
    inst_writes(&environ, sizeof environ);
    inst_strings_written(environ);
}
