/* Formats of char. */
#define CHARACTER char
#define PRINT inst_print
#define SCAN inst_scan
#include "formats.h"
