/* The names this processor goes by in traces. */
#define INST_ARCHITECTURE inst_architecture()

/* Return "ppc", or "ppcspe" where instruction words of primary operation 4 are SPE's. */
const char *inst_architecture(void);

