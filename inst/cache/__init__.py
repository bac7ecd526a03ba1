"""The cache: libraries for programs, and facts about compilers.

Whoever can write to it decides what is linked into programs, so only the user and root may.
A file that is read is checked against the digest in its name.
"""
