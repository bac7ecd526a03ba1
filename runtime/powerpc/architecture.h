/* The names this processor goes by in traces. */
#define INST_ARCHITECTURE "ppc"
