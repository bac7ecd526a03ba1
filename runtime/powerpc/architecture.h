/* The names this processor goes by in traces. */
#define INST_ARCHITECTURE inst_architecture()

/* Return "ppc", or "ppcspe" where instruction words of primary operation 4 are SPE's. */
const char *inst_architecture(void);

/* Whether functions have register windows: hooks are called where a frame is made. */
#define INST_HAS_WINDOWS 0
/* Whether sites between a reservation and its store only count accesses (inst_unreported). */
#define INST_LEAVES_OUT_ACCESSES 1
/* Whether hooks that add with carry cost their entries much: it is saved with a special register. */
#define INST_SAVES_CARRY 1
/* The alignment of what each event may change: no code comes before the data. */
#define INST_DATA_ALIGNMENT 16
