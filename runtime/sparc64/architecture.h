/* The names this processor goes by in traces. */
#define INST_ARCHITECTURE "sparc64"

/* Whether functions have register windows: hooks are called where a frame is made. */
#define INST_HAS_WINDOWS 1
/* Whether sites between a reservation and its store only count accesses (inst_unreported). */
#define INST_LEAVES_OUT_ACCESSES 0
/* Whether hooks that add with carry cost their entries much: it is saved with a special register. */
#define INST_SAVES_CARRY 0
/* The alignment of what each event may change: SPARC's PLT, which is code, comes right before the data. */
#define INST_DATA_ALIGNMENT 8192
