"""VIS, the vector instructions of V9 machines, and the ciphers of SPARC T4."""

from __future__ import annotations

ARITHMETIC = """
    fp{add,sub}{8,16,32,64} fp{add,sub}s{8,16,32} fp{add,sub}us{8,16}
    fp{max,min}{,u}{8,16,32} fs{ll,rl,ra,las}{16,32} fps{ll,rl,ra}64x
    fmean16 fchksm16 fmul8{su,ul}x16 crc32c         | ds,ds,dd       |
    fp{add,sub}{,s}{16,32}s                         | fs,fs,fd       |
    fmul8x16                                        | fs,ds,dd       |
    fmul8x16a{u,l} fmuld8{su,ul}x16 fpmerge         | fs,fs,dd       |
    fexpand                                         | fs,dd          |
    fpack16 fpackfix                                | ds,fd          | uses:gsr
    fpack32                                         | ds,ds,dd       | uses:gsr
    pdist                                           | ds,ds,dm       |
    pdistn                                          | ds,ds,d        |
    fpmaddx{,hi}                                    | ds,ds,ds,dd    |
"""

LOGIC = """
    f{or,nor,and,nand,xor,xnor}{,d} f{or,and}not{1,2}{,d} | ds,ds,dd |
    f{or,nor,and,nand,xor,xnor}s f{or,and}not{1,2}s | fs,fs,fd       |
    f{src,not}{1,2}{,d}                             | ds,dd          |
    f{src,not}{1,2}s                                | fs,fd          |
    f{zero,one}{,d}                                 | dd             |
    f{zero,one}s                                    | fd             |
"""

COMPARES = """
    f{,p}cmp{gt,le,ne,eq}{16,32} fpcmpu{gt,le,ne,eq}{16,32}
    f{p,u}cmp{gt,le,ne,eq}8 fpcmpu{gt,le,ne,eq}8    | ds,ds,d        |
    fpcmp{ule,ugt,eq,ne,de,ur}{8,16,32}shl          | ds,ds,i,d      |
"""

ADDRESSES = """
    alignaddr{,l} bmask                             | s,s,d          | uses:gsr defs:gsr
    faligndata bshuffle                             | ds,ds,dd       | uses:gsr
    faligndata                                      | ds,ds,ds,dd    |  # a register for %gsr
    array{8,16,32}                                  | s,s,d          |
    edge{8,16,32}{,l}{,cc}                          | s,s,d          | codes
    edge{8,16,32}{,l}n                              | s,s,d          |
    cmask{8,16,32}                                  | s              | uses:gsr defs:gsr
    siam                                            | i              | uses:gsr defs:gsr
    shutdown                                        |                |
"""

TRANSFERS = """
    movdtox                                         | ds,d           |
    movxtod                                         | s,dd           |
    movwtos                                         | s,fd           |
    movsto{u,s}w                                    | fs,d           |
"""

CIPHERS = """
    aes_{e,d}round{01,23}{,_l} des_round camellia_f kasumi_f{l,i}_xor | ds,ds,ds,dd |
    aes_kexpand{0,2} kasumi_fi_fi camellia_fl{,i}   | ds,ds,dd       |
    aes_kexpand1                                    | ds,ds,i,dd     |
    des_kexpand                                     | ds,i,dd        |
    des_ip des_iip                                  | ds,dd          |
"""

TABLES = (ARITHMETIC, LOGIC, COMPARES, ADDRESSES, TRANSFERS, CIPHERS)
