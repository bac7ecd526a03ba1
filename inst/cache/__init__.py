"""What is built once and used again: libraries for programs, and notes about compilers.

Whoever can write there decides what is linked into programs, so only the user (and root)
may.  What is read is checked against the digest in its name.
"""
