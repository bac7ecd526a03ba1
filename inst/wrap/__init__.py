"""inst-cc: the real compiler, run with inst's assembler and linker."""
