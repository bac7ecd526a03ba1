/* Formats of char. */
#define CHARACTER char
#define PRINT inst_print
#define PRINTED inst_printed
#define SCAN inst_scan
#include "formats.h"
