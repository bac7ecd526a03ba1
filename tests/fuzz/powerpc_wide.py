"""What random functions for 64-bit PowerPC have in addition: vectors, pairs, the TOC."""

from __future__ import annotations

from tests.fuzz.function import ROOM, Function

HEADER_ELFV1 = "\t.machine power9\n"
HEADER_ELFV2 = "\t.machine power9\n\t.abiversion 2\n"
TRAILER = """\t.section .toc,"aw"
\t.balign 8
.Ltable:
\t.quad fuzz_words
\t.data
\t.balign 16
fuzz_words:
\t.quad 0x0123456789abcdef, 0x1122334455667788, 0x99aabbccddeeff00, 0x0f1e2d3c4b5a6978
\t.quad 1, 2, 3, 4, 5, 6, 7, 8
\t.text
"""
_VECTORS = ("lxvd2x", "lxvw4x", "lxvx", "lxvh8x", "lxvb16x", "lvx", "lvxl")
_VECTOR_STORES = ("stxvd2x", "stxvw4x", "stxvx", "stxvh8x", "stxvb16x", "stvx", "stvxl")
_ELEMENTS = ("lvebx", "lvehx", "lvewx", "lxsdx", "lxsiwzx", "lxsiwax", "lxsspx", "lxvdsx")
_ELEMENTS += ("lxsibzx", "lxsihzx", "lxvwsx")
_ELEMENT_STORES = ("stvebx", "stvehx", "stvewx", "stxsdx", "stxsiwx", "stxsspx", "stxsibx")
_ELEMENT_STORES += ("stxsihx",)
_SHORT = ("lxsd", "lxssp", "stxsd", "stxssp")


def renew(f: Function) -> None:
    """Give the vector registers values."""
    f.emit(f"lxv 33,16({f.base})", f"lxv 34,32({f.base})", f"lxv 12,48({f.base})")


def plain(f: Function) -> str:
    """Return an instruction that touches no memory and is of 64-bit code only."""
    random, r = f.random, f.register
    return random.choice(
        [
            f"rldicl {r()},{r()},{random.randint(0, 63)},{random.randint(0, 63)}",
            f"sradi {r()},{r()},{random.randint(0, 63)}",
            f"extsw {r()},{r()}",
            f"cmpd {random.choice((0, 1, 5, 6, 7))},{r()},{r()}",
            f"isel {r()},{random.choice([n for n in f.free if n != '0'])},{r()},"
            f"{random.choice((0, 1, 2, 21, 26, 30))}",
            f"mtvsrd 33,{r()}",
            f"mfvsrd {r()},34",
            "vaddubm 2,1,2",
            "vcmpequw. 1,1,2",
            "xxlxor 34,33,12",
        ]
    )


def access(f: Function) -> str:
    """Return a load or store of 16 bytes or of floating-point registers."""
    random = f.random
    forms = [
        f"lxv {random.choice(('33', '34', '12'))},{f.offset(16)}({f.base})",
        f"stxv {random.choice(('33', '34', '12'))},{f.offset(16)}({f.base})",
        f"{random.choice(_SHORT)} 2,{f.offset(8)}({f.base})",
        f"lvx 1,0,{f.base}",
        f"stvx 2,0,{f.base}",
        f"ldbrx {f.register()},0,{f.base}",
    ]
    if "6" in f.free and "7" in f.free:
        pair = f"6,{f.offset(16)}({f.base})"
        forms += [f"lq {pair}", f"stq {pair}"]
    return random.choice(forms)


def vector(f: Function) -> None:
    """Write vector accesses by two registers; those of an element round the address down."""
    index = f.random.choice([n for n in f.free if n != "0"])
    names = f.random.choice((_VECTORS, _VECTOR_STORES, _ELEMENTS, _ELEMENT_STORES))
    name = f.random.choice(names)
    aligned = name.removeprefix("st").removeprefix("l")[0] == "v"
    number = f.random.choice((1, 2) if aligned else (33, 34, 12))
    f.emit(f"li {index},{f.random.randrange(0, ROOM - 16, 4)}", f"{name} {number},{f.base},{index}")
    if f.random.random() < 0.3:
        length = f.random.randint(0, 16)
        f.emit(f"addi 9,{f.base},{f.offset(16)}", f"li 10,{length}; sldi 10,10,56")
        f.emit(f"{f.random.choice(('lxvl', 'stxvl', 'lxvll', 'stxvll'))} 34,9,10", "li 9,7")


def table(f: Function) -> None:
    """Reach data by the table of contents, which the linker may shorten."""
    name, size = f.random.choice([("ld", 8), ("lwz", 4), ("lbz", 1), ("std", 8), ("stw", 4)])
    offset = f.random.randrange(0, 64, size)
    if f.random.random() < 0.5:
        f.emit("addis 9,2,.Ltable@toc@ha", "ld 9,.Ltable@toc@l(9)", f"{name} 8,{offset}(9)")
    else:
        f.emit("addis 9,2,fuzz_words@toc@ha", f"{name} 8,fuzz_words+{offset}@toc@l(9)")
    f.emit("li 9,11")


def finish(f: Function) -> None:
    """Fold the vector registers into memory."""
    f.emit(f"stxv 33,0({f.base})", f"stxv 34,64({f.base})", f"stxv 12,96({f.base})")
