"""Hook libraries that run over a trace, instead of in the program."""
