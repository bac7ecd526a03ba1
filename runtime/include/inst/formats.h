/* Formats of printf and scanf, for wrappers of functions that take one. */
#ifndef INST_FORMATS_H
#define INST_FORMATS_H

#include <stdarg.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Report the format and the strings that it reads; return whether it has `%n`. */
int inst_print(const char *format, va_list list);
int inst_wide_print(const wchar_t *format, va_list list);

/* When the function has ended, report what `%n` has written. */
void inst_printed(const char *format, va_list list);
void inst_wide_printed(const wchar_t *format, va_list list);

/* Report the memory written by a function that made so many conversions. */
void inst_scan(const char *format, va_list list, int result);
void inst_wide_scan(const wchar_t *format, va_list list, int result);

#pragma GCC visibility pop

#endif
