"""What is built once and used again: libraries for programs, and notes about compilers.

A user who can write there decides what is linked into programs, so only the user (and root)
may.  A file that is read is checked against the digest in its name.
"""
