/* The names this processor goes by in traces. */
#ifdef __LITTLE_ENDIAN__
#define INST_ARCHITECTURE "ppc64le"
#else
#define INST_ARCHITECTURE "ppc64"
#endif
