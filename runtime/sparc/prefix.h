/* Instructions of two words: there are none. */
#include "../no_prefix.h"
