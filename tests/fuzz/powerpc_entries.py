"""How random functions for PowerPC begin and end, by ABI.

ELFv1: a descriptor in .opd, the code has a name of its own.  ELFv2: a global entry that
computes r2 from r12, and the local one after it.
"""

from __future__ import annotations

from tests.fuzz import callers
from tests.fuzz.function import Function

_FRAMES = {"svr4": 48, "elfv1": 176, "elfv2": 96}
_LINKS = {"svr4": 4, "elfv1": 16, "elfv2": 16}
"""Where in its caller's frame a function saves lr."""
_ENTRIES = {
    "svr4": "{name}:\n",
    "elfv1": '\t.section .opd,"aw"\n\t.balign 8\n{name}:\n'
    "\t.quad .L.{name},.TOC.@tocbase,0\n\t.previous\n.L.{name}:\n",
    "elfv2": "{name}:\n0:\taddis 2,12,.TOC.-0b@ha\n\taddi 2,2,.TOC.-0b@l\n"
    "\t.localentry {name},.-{name}\n",
}


def entry(f: Function) -> None:
    """Write names, entry points and the frame."""
    abi = f.machine.names[0]
    f.lines += [f"\t.globl {f.name}", f"\t.type {f.name}, @function"]
    f.lines.append(_ENTRIES[abi].format(name=f.name).rstrip("\n"))
    if f.leaf:
        return
    size, store = _FRAMES[abi], "std" if f.machine.wide else "stw"
    f.emit(f"{store}u 1,-{size}(1)", "mflr 0", f"{store} 0,{size + _LINKS[abi]}(1)")
    if f.machine.wide:
        f.emit(*(f"std {28 + n},{size - 32 + 8 * n}(1)" for n in range(4)), "mr 31,4")
    else:
        f.emit("stmw 28,32(1)", "mr 31,4")


def last(f: Function) -> None:
    """Give frame and registers back; return."""
    abi = f.machine.names[0]
    if not f.leaf:
        size, load = _FRAMES[abi], "ld" if f.machine.wide else "lwz"
        if f.machine.wide:
            f.emit(*(f"ld {28 + n},{size - 32 + 8 * n}(1)" for n in range(4)))
        else:
            f.emit("lmw 28,32(1)")
        f.emit(f"{load} 0,{size + _LINKS[abi]}(1)", "mtlr 0", f"addi 1,1,{size}")
    f.emit("blr")


_CALLED = "\tli 3,1\n\tcmpwi 0,3,0\n\tcmpwi 6,3,2\n\tblr\n"


def _leaf(abi: str, head: str) -> str:
    called, calling = (_ENTRIES[abi].format(name=name) for name in ("fuzz_leaf", "fuzz_call"))
    names = "\t.text\n\t.globl fuzz_leaf, fuzz_call\n"
    kinds = "\t.type fuzz_leaf, @function\n\t.type fuzz_call, @function\n"
    return f"{head}{names}{kinds}{called}{_CALLED}{calling}{callers.powerpc(abi)}"


LEAF_SVR4 = _leaf("svr4", "")
LEAF_ELFV1 = _leaf("elfv1", "\t.machine power9\n")
LEAF_ELFV2 = _leaf("elfv2", "\t.machine power9\n\t.abiversion 2\n")
