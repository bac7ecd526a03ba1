"""The truth test: what the emulator saw of a program's accesses, against what its trace says."""
