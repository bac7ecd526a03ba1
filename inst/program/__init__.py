"""What is read from a program's file: ELF, symbols, lines, sites of accesses, C++ names."""
