"""VIS, the vector instructions of V9 machines, and the ciphers of SPARC T4."""

from __future__ import annotations

ARITHMETIC = """
    fpadd{16,32} fmul8sux16                         | ds,ds,dd       |
    fpadd{8,64} fpsub{8,16,32,64} fp{add,sub}s{8,16,32} fp{add,sub}us{8,16}
    fp{max,min}{,u}{8,16,32} fs{ll,rl,ra,las}{16,32} fps{ll,rl,ra}64x
    fmean16 fchksm16 fmul8ulx16 crc32c              | ds,ds,dd       | recorded
    fpadd{16,32}s fpsub32s                          | fs,fs,fd       |
    fpadds{16,32}s fpsub16s fpsubs{16,32}s          | fs,fs,fd       | recorded
    fmul8x16                                        | fs,ds,dd       | recorded
    fmul8x16a{u,l} fmuld8{su,ul}x16 fpmerge         | fs,fs,dd       | recorded
    fexpand                                         | fs,dd          | recorded
    fpack16 fpackfix                                | ds,fd          | uses:gsr
    fpack32                                         | ds,ds,dd       | uses:gsr
    pdist                                           | ds,ds,dm       |
    pdistn                                          | ds,ds,d        | recorded
    fpmaddx{,hi}                                    | ds,ds,ds,dd    | recorded
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
    fcmp{ne,eq}{16,32} fpcmp{ne,eq}{16,32} fpcmpu{ne,eq}{16,32} | ds,ds,d |
    f{,p}cmp{gt,le}{16,32} fpcmpu{gt,le}{16,32}
    f{p,u}cmp{gt,le,ne,eq}8 fpcmpu{gt,le,ne,eq}8    | ds,ds,d        | recorded
    fpcmp{ule,ugt,eq,ne,de,ur}{8,16,32}shl          | ds,ds,i,d      | recorded
"""

ADDRESSES = """
    alignaddr{,l} bmask                             | s,s,d          | uses:gsr defs:gsr
    faligndata                                      | ds,ds,dd       | uses:gsr
    bshuffle                                        | ds,ds,dd       | uses:gsr recorded
    faligndata                                      | ds,ds,ds,dd    |  # a register for %gsr
    array{8,16,32}                                  | s,s,d          | recorded
    edge{8,16,32}{,l}{,cc}                          | s,s,d          | codes recorded
    edge{8,16,32}{,l}n                              | s,s,d          | recorded
    cmask{8,16,32}                                  | s              | uses:gsr defs:gsr recorded
    siam                                            | i              | uses:gsr defs:gsr
    shutdown                                        |                |
"""

TRANSFERS = """
    movdtox                                         | ds,d           | recorded
    movxtod                                         | s,dd           | recorded
    movwtos                                         | s,fd           | recorded
    movsto{u,s}w                                    | fs,d           | recorded
"""

CIPHERS = """
    aes_{e,d}round{01,23}{,_l} des_round camellia_f kasumi_f{l,i}_xor | ds,ds,ds,dd | recorded
    aes_kexpand{0,2} kasumi_fi_fi camellia_fl{,i}   | ds,ds,dd       | recorded
    aes_kexpand1                                    | ds,ds,i,dd     | recorded
    des_kexpand                                     | ds,i,dd        | recorded
    des_ip des_iip                                  | ds,dd          | recorded
"""

TABLES = (ARITHMETIC, LOGIC, COMPARES, ADDRESSES, TRANSFERS, CIPHERS)
