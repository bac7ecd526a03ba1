/* _exit and _Exit: no exit handlers of the C library run, but exithook does. */
#include <inst/handlers.h>
#include <inst/wrap.h>

extern void __real__exit(int) __attribute__((noreturn));

__attribute__((noreturn)) void __wrap__exit(int status)
{
    inst_system_call(__NR_exit_group);
    inst_process_ends();
    __real__exit(status);
}

__attribute__((noreturn)) void __wrap__Exit(int status)
{
    __wrap__exit(status);
}
