"""inst-cc: the real compiler, with an assembler and a linker of ours behind it."""
