/* The names this processor goes by in traces. */
#define INST_ARCHITECTURE "sparc64"
