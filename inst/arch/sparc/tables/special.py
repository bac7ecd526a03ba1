"""What few SPARC processors have: SPARClite, SPARClet, the ciphers and big numbers of T4 to M8.

Sources: MB86860 series and TSC701 (SPARClet) user's manuals; Oracle SPARC Architecture 2011 and
2015, chapter 7; of M8 (2017) the assembler's names only, whose operands say the same.

`windows` stands for registers of other windows: `mpmul`, `montmul` and `montsqr` read their
operands from all windows, so the rewriter refuses files with them.
"""

from __future__ import annotations

SPARCLITE = """
    ef{add,sub,mul,div}s                            | fs,fs,fd       | status recorded
    ef{add,sub,mul,div}d                            | ds,ds,dd       | status recorded
    efsmuld                                         | fs,fs,dd       | status
    efsqrts efitos efstoi                           | fs,fd          | status recorded
    efsqrtd                                         | ds,dd          | status
    efitod efstod                                   | fs,dd          | status recorded
    efdto{i,s}                                      | ds,fd          | status recorded
    ef{mov,neg,abs}s                                | fs,fd          | recorded
    efcmp{,e}s                                      | fs,fs          | status defs:fcc0 recorded
    efcmp{,e}d                                      | ds,ds          | status defs:fcc0 recorded
"""

SPARCLET = """
    {u,s}macd                                       | s,si,m ; i,s,m | uses:y,asr defs:y,asr
    cpush cpusha                                    | s,si           | coprocessor
    cpull                                           | d              | coprocessor
    crdcxt                                          | cps,d          |
    cwrcxt                                          | s,cpd          |
"""

# The state in the first registers, the block of data after it.
DIGESTS = """
    md5                                     |                | uses:f0-f3,f8-f23 defs:f0-f3 recorded
    sha1                                    |                | uses:f0-f4,f8-f23 defs:f0-f4 recorded
    sha256                                        |                | uses:f0-f23 defs:f0-f7 recorded
    sha512                                       |                | uses:f0-f47 defs:f0-f15 recorded
    sha3                                         |                | uses:f0-f49 defs:f0-f49 recorded
"""

# How many registers they take depends on the length of the numbers.
BIG_NUMBERS = """
    {,x}{mpmul,montmul,montsqr} | i | uses:o0-i7,f0-f63,windows defs:o0-i7,f0-f63,windows,fcc3
    on{add,sub,mul,div}         | ds,ds,dd          | uses:f0-f63 defs:f0-f63,fcc3
    dictunpack                  | ds,i,dd           | recorded
"""

# M8's loads and stores at any address.
MISALIGNED = """
    ldm{s,u}h                                       | mem,d          | load:2
    ldm{s,u}w                                       | mem,d          | load:4
    ldm{,u}x                                        | mem,d          | load:8
    ldmfs                                           | mem,fd         | load:4
    ldmfd                                           | mem,dd         | load:8
    ldm{s,u}ha                                      | alt,d          | load:2
    ldm{s,u}wa                                      | alt,d          | load:4
    ldm{,u}xa                                       | alt,d          | load:8
    ldmfsa                                          | alt,fd         | load:4
    ldmfda                                          | alt,dd         | load:8
    stmh                                            | s,mem          | store:2
    stmw                                            | s,mem          | store:4
    stmx                                            | s,mem          | store:8
    stmfs                                           | fs,mem         | store:4
    stmfd                                           | ds,mem         | store:8
    stmha                                           | s,alt          | store:2
    stmwa                                           | s,alt          | store:4
    stmxa                                           | s,alt          | store:8
    stmfsa                                          | fs,alt         | store:4
    stmfda                                          | ds,alt         | store:8
"""

TABLES = (SPARCLITE, SPARCLET, DIGESTS, BIG_NUMBERS, MISALIGNED)
