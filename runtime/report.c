/* Texts that a library writes at the end. */
#include "process.h"

/* Write a text to the file that INST_OUT names, else on standard error.  A privileged process writes
   nothing: at its end, standard error may be one of its own files. */
void inst_write_text(const char *text, unsigned size)
{
    const char *given = inst_environment("INST_OUT");
    int error = 0;
    if (inst_privileged())
        return;
    if (!given || !*given) {
        inst_write_all(2, text, size);
        return;
    }
    error = inst_open_output("txt");
    if (!error)
        error = inst_write_all(inst_process.fd, text, size);
    if (error)
        inst_message("cannot write the counts to ", inst_process.name, error);
    if (inst_process.fd >= 0)
        inst_syscall(__NR_close, inst_process.fd, 0, 0, 0, 0, 0);
    inst_process.fd = -1;
}
