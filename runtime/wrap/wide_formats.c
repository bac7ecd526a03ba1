/* Formats of wchar_t. */
#include <stddef.h>
#define CHARACTER wchar_t
#define PRINT inst_wide_print
#define PRINTED inst_wide_printed
#define SCAN inst_wide_scan
#include "formats.h"
