/* The order of threads through open files, for wrappers of functions on streams. */
#ifndef INST_FILE_ORDER_H
#define INST_FILE_ORDER_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/* Return whether the process has, or had, several threads. */
int inst_has_threads(void);

/* What the thread did comes before whoever reads the data that it is about to write; and it comes
   after all that wrote what it has read.  Without such a file: nothing. */
void inst_file_sends(int file, uintptr_t place);
void inst_file_received(int file, uintptr_t place);

#pragma GCC visibility pop

#endif
