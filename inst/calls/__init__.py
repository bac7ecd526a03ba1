"""What system calls and library functions read and write of the program's memory: tables."""
