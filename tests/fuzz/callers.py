"""What calls a generated function: `fuzz_call(function, flag, words, seed)`.

Everything that the ABI does not define at a call gets values from the seed. So a function
whose result changes with the seed reads an uninitialised value, and proves nothing.
"""

from __future__ import annotations

_SPARC = """\t.globl fuzz_call
\t.type fuzz_call, #function
fuzz_call:
\t.rept 10
\tsave %sp,-{frame},%sp
\tmov %i3,%o3
\tmov %i3,%l0; mov %i3,%l1; mov %i3,%l2; mov %i3,%l3
\tmov %i3,%l4; mov %i3,%l5; mov %i3,%l6; mov %i3,%l7
\t.endr
\t.rept 10
\trestore
\t.endr
\tsethi %hi(fuzz_cells),%g1
\tor %g1,%lo(fuzz_cells),%g1
\tst %o3,[%g1]
{loads}
\tfcmps %f0,%f1
\tmov %o0,%g1
\tmov %o1,%o0
\tmov %o2,%o1
\twr %o3,0,%y
\tmov %o3,%o2; mov %o3,%o4; mov %o3,%o5; mov %o3,%g2; mov %o3,%g3; mov %o3,%g4
{more}\tjmp %g1
\tcmp %o3,5
\t.data
\t.balign 8
fuzz_cells:
\t.skip 8
"""


def sparc(wide: bool) -> str:
    """Return the caller for SPARC."""
    return _SPARC.format(
        frame=192 if wide else 112,
        loads="\n".join(f"\tld [%g1],%f{n}" for n in range(32)),
        more="\tmov %o3,%g5\n" if wide else "",
    )


_POWERPC_BODY = """{names}
\tmr 3,4
\tmr 4,5
\tmr 0,6
{moves}
\tmtcrf 0xc7,6
\tmtxer 6
\tmtctr 12
{vectors}\tbctr
"""
_REACHED = {
    "svr4": "\tmr 12,3\n\tstwu 1,-16(1)\n\tstw 6,8(1)\n\tstw 6,12(1)\n\tlfd 0,8(1)\n\taddi 1,1,16",
    "elfv1": "\tld 2,8(3)\n\tld 12,0(3)\n\tstd 6,-16(1)\n\tstd 6,-8(1)\n\tlfd 0,-8(1)",
    "elfv2": "\tmr 12,3\n\tstd 6,-16(1)\n\tstd 6,-8(1)\n\tlfd 0,-8(1)",
}


def powerpc(abi: str) -> str:
    """Return the caller for PowerPC, without its entry point."""
    moves = [f"\tmr {n},6" for n in (*range(7, 12), 5)]
    moves += [f"\tfmr {n},0" for n in range(1, 14)]
    vectors = "" if abi == "svr4" else "\taddi 11,1,-16\n\tlvx 0,0,11\n\tmr 11,6\n"
    vectors += "" if abi == "svr4" else "".join(f"\tvmr {n},0\n" for n in range(1, 20))
    return _POWERPC_BODY.format(names=_REACHED[abi], moves="\n".join(moves), vectors=vectors)
