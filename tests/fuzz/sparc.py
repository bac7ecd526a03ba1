"""Random SPARC functions: slots, couples, annulment, condition codes, window depth, %o7, %y.

Bases are %i1 (after a save) or %o1 (in a leaf) and never change.  `Machine.names` holds the
least frame, the instruction that adds with carry, and what turns a register by one bit.
"""

from __future__ import annotations

from dataclasses import replace

from tests.fuzz import callers
from tests.fuzz.function import Function, Machine, straight

_FRAME, _CARRY, _SHIFT, _BIAS = range(4)
"""Places in `Machine.names`."""
_ALU = ("add", "sub", "xor", "and", "or", "addcc", "subcc", "andcc", "xorcc")
_ALU += ("umul", "smul", "orcc", "umulcc", "xnor", "andn")
_CONDITIONS = ("e", "ne", "g", "le", "ge", "l", "gu", "leu", "cc", "cs", "pos", "neg", "vc", "vs")
_LOADS = {"ld": 4, "ldub": 1, "ldsb": 1, "lduh": 2, "ldsh": 2}
_STORES = {"st": 4, "stb": 1, "sth": 2}


def branch(f: Function, target: str, annul: str | None = None) -> str:
    """Return a conditional branch; on V9 also one with a prediction, or on a register."""
    random = f.random
    annul = random.choice(["", ",a"]) if annul is None else annul
    name = "b" + random.choice(_CONDITIONS)
    how = random.random()
    if not f.machine.wide or how < 0.3:
        return f"{name}{annul} {target}"
    hint = random.choice(["", ",pt", ",pn"])
    if how < 0.65:
        return f"{name}{annul}{hint} {random.choice(['%icc', '%xcc'])},{target}"
    name = random.choice(["brz", "brnz", "brlz", "brlez", "brgz", "brgez"])
    return f"{name}{annul}{hint} {f.register()},{target}"


def single(f: Function) -> str:
    """Return an instruction that may stand in a slot."""
    chance = f.random.random()
    return access(f) if chance < 0.5 else plain(f) if chance < 0.9 else "nop"


def plain(f: Function) -> str:
    """Return an instruction that touches no memory."""
    random, r = f.random, f.register
    if random.random() < 0.1:
        return f"rd %y,{r()}"
    if f.machine.wide and random.random() < 0.3:
        return _plain_wide(f)
    second = r() if random.random() < 0.6 else str(random.randint(-4096, 4095))
    return f"{random.choice(f.machine.arithmetic)} {r()},{second},{r()}"


def _plain_wide(f: Function) -> str:
    """Return what only V9 has: conditional moves, 64-bit arithmetic, the codes as a whole."""
    random, r = f.random, f.register
    second = r() if random.random() < 0.6 else str(random.randint(-512, 511))
    codes = random.choice(["%icc", "%xcc"])
    return random.choice(
        [
            f"mov{random.choice(_CONDITIONS)} {codes},{second},{r()}",
            f"mov{random.choice(['l', 'g', 'e', 'ne'])} %fcc{random.randint(0, 3)},{second},{r()}",
            f"movr{random.choice(['z', 'nz', 'lz', 'gez'])} {r()},{second},{r()}",
            f"mulx {r()},{second},{r()}",
            f"udivx {r()},{random.randint(1, 4095)},{r()}",
            f"{random.choice(['sllx', 'srlx', 'srax'])} {r()},{random.randint(0, 63)},{r()}",
            f"sra {r()},{random.randint(0, 31)},{r()}",
            f"rd %ccr,{r()}",
        ]
    )


def access(f: Function) -> str:
    """Return a load or store; one in eight is of a rarer form."""
    random = f.random
    if random.random() < 0.12:
        return rare(f)
    if random.random() < 0.5:
        name, size = random.choice(list(f.machine.loads.items()))
        return f"{name} {cell(f, size)},{f.register()}"
    name, size = random.choice(list(f.machine.stores.items()))
    value = "%g0" if random.random() < 0.1 else f.register()
    return f"{name} {value},{cell(f, size)}"


def rare(f: Function) -> str:
    """Return an access of two words, one that loads and stores at once, one of another space."""
    r = f.register
    pair = f.random.choice(["%o2", "%o4"])
    forms = [
        f"ldd {cell(f, 8)},{pair}",
        f"std {pair},{cell(f, 8)}",
        f"swap {cell(f, 4)},{r()}",
        f"ldstub {cell(f, 1)},{r()}",
        f"ldstub {cell(f, 1)},%g0",
    ]
    if f.machine.wide:
        space = f.random.choice(["0x80", "0x88"])
        forms += [
            f"casx [{f.base}],{r()},{r()}",
            f"cas [{f.base}],{r()},{r()}",
            f"casa [{f.base}] {space},{r()},{r()}",
            f"ldxa [{f.base}] {space},{r()}",
            f"stha {r()},[{f.base}] {space}",
            f"lduwa [{f.base}] 0x82,{r()}",
            f"ldq {cell(f, 16)},%f8",  # and no stq: QEMU 7.2 stores the first half twice
            f"ldx {cell(f, 8)},%g0",
        ]
    return f.random.choice(forms)


def cell(f: Function, size: int) -> str:
    """Return an address in the room."""
    return f"[{f.base}+{f.offset(size)}]"


def renew(f: Function, registers: list[str]) -> None:
    """Give registers values that do not depend on where code lies."""
    for register in registers:
        f.emit(f"mov {f.random.randint(-4096, 4095)},{register}")
    f.emit(f"wr %g0,{f.random.randint(0, 4095)},%y", "nop; nop; nop")


def renew_called(f: Function) -> None:
    """Give what a call may change new values."""
    renew(f, [r for r in f.free if r[1] in "og"])
    f.emit("cmp %l0,%l1")
    clear_floating(f)


def begin(f: Function) -> None:
    """Write the entry."""
    f.lines += [f"\t.globl {f.name}", f"\t.type {f.name}, #function", f"{f.name}:"]
    f.base = "%o1" if f.leaf else "%i1"
    f.free = [f"%o{n}" for n in (0, 2, 3, 4, 5)] + ["%g1", "%g4"]
    if not f.leaf:
        f.free += [f"%l{n}" for n in range(8)] + [f"%i{n}" for n in (0, 2, 3, 4, 5)] + ["%o1"]
        f.emit(f"save %sp,-{f.machine.names[_FRAME]},%sp")
    if f.machine.wide:
        f.free.append("%g5")
    flag = "%o0" if f.leaf else "%i0"
    renew(f, [register for register in f.free if register != flag])
    f.emit("cmp %g1,%o0")
    clear_floating(f)


def clear_floating(f: Function) -> None:
    """Give floating-point registers and conditions values."""
    f.emit(f"ldd [{f.base}],%f8", f"ldd [{f.base}+8],%f10", "fcmps %f8,%f9", "nop")
    if f.machine.wide:
        f.emit(*(f"fcmps %fcc{n},%f{7 + n},%f10" for n in (1, 2, 3)), "wr %g0,0x80,%asi")


def forward(f: Function) -> None:
    """Write a conditional branch over something, annulled or not."""
    past = f.place()
    f.emit(branch(f, past), single(f))
    f.straight()
    f.label(past)


def never(f: Function) -> None:
    """Write a branch that annuls its slot always: the next line is its own block."""
    past, back = f.place(), f.place()
    f.emit(branch(f, back, ""), single(f), f"ba,a {past}")
    f.label(back)
    f.straight()
    f.label(past)


def loop(f: Function) -> None:
    """Write a short loop that counts in %g2, with the condition codes of each turn in use."""
    again = f.place()
    f.emit(f"mov {f.random.randint(1, 4)},%g2")
    f.label(again)
    f.straight()
    f.emit("subcc %g2,1,%g2", f"bg{f.random.choice(['', ',a'])} {again}", single(f))


def labelled_slot(f: Function) -> None:
    """Write a slot that another branch goes to."""
    slot, past = f.place(), f.place()
    f.emit(branch(f, slot, ""), single(f), branch(f, past, ""))
    f.label(slot)
    f.emit(single(f))
    f.straight()
    f.label(past)


def couple(f: Function) -> None:
    """Write the lawful couple: one instruction runs at the first target."""
    one, past = f.place(), f.place()
    f.emit(f"ba {one}", branch(f, past, ""), single(f))
    f.label(one)
    f.emit(single(f))
    f.straight()
    f.label(past)


def link(f: Function) -> None:
    """Use %o7 as an ordinary register; in a leaf it comes back from %g3."""
    load, store = ("ldx", "stx") if f.machine.wide else ("ld", "st")
    size = 8 if f.machine.wide else 4
    f.emit("mov %o7,%g3", f"{load} {cell(f, size)},%o7", f"{store} %o7,{cell(f, size)}")
    f.emit(f"mov {f.base},%o7", f"ld [%o7+{f.offset(4)}],{f.register()}", "mov %g3,%o7")


def indexed(f: Function) -> None:
    """Write an access by two registers."""
    index, value = f.register(), f.register()
    sizes = [("ld", "st", 0x7C), ("ldsh", "sth", 0x7E)]
    sizes += [("ldx", "stx", 0x78)] if f.machine.wide else []
    load, store, mask = f.random.choice(sizes)
    address = f"[{f.base}+{index}]"
    f.emit(f"and {index},{mask},{index}")
    f.emit(f.random.choice([f"{load} {address},{value}", f"{store} {value},{address}"]))


def overwritten(f: Function) -> None:
    """Write a load into its own base."""
    register = f.register()
    f.emit(f"add {f.base},{f.offset(4)},{register}", f"ld [{register}],{register}")


def carry(f: Function) -> None:
    """Write sums and differences of several words, with accesses in between.

    What sets the carry from it is after what does not: QEMU 7.2 takes the carry of
    `subxcc` to be zero if the codes it read were those of a logical instruction.
    """
    suffix = "c" if f.machine.wide else "x"
    for name in f.random.sample(["add", "sub"], 2):
        low, high = f.register(), f.register()
        f.emit(f"{name}cc {low},{f.register()},{low}", access(f))
        f.emit(f"{name}{suffix}cc {high},{f.register()},{high}", access(f))


def call(f: Function) -> None:
    """Write a call with an access in its slot; what it may change is given new values."""
    how = f.random.random()
    if how < 0.7:
        f.emit("call fuzz_leaf", single(f))
    else:
        address(f, "fuzz_leaf")
        f.emit("jmpl %g1,%o7")
        with f.without("%g1"):  # it holds an address
            f.emit(f"ld {cell(f, 4)},%g1" if how > 0.9 else single(f))
    renew_called(f)


def address(f: Function, name: str) -> None:
    """Put the address of a function into %g1."""
    f.emit(f"sethi %hi({name}),%g1", f"or %g1,%lo({name}),%g1")


def structure(f: Function) -> None:
    """Write a call that returns to the word after the one after its slot (32-bit code only)."""
    f.emit("call fuzz_structure", single(f), "unimp 8")
    renew_called(f)


def local(f: Function) -> None:
    """Write a local variable, and read it."""
    value, size = f.random.choice(
        [("st", 4), ("sth", 2), ("stb", 1), *([("stx", 8)] if f.machine.wide else [])]
    )
    load = {"st": "ld", "sth": "ldsh", "stb": "ldub", "stx": "ldx"}[value]
    place = f"[%fp+{int(f.machine.names[_BIAS]) - f.random.randrange(size, 17, size)}]"
    f.emit(f"{value} {f.register()},{place}")
    f.straight()
    f.emit(f"{load} {place},{f.register()}")


def lowered(f: Function) -> None:
    """Move %sp for a while, as alloca does."""
    start = 8 + int(f.machine.names[_FRAME]) - 16 + int(f.machine.names[_BIAS])
    f.emit("add %sp,-16,%sp", f"st {f.register()},[%sp+{start}]")
    f.straight()
    f.emit(f"ld [%sp+{start}],{f.register()}", "add %sp,16,%sp")


def deeper(f: Function) -> None:
    """Write other register windows around accesses."""
    depth = f.random.randint(1, 9)
    f.emit("mov %i1,%o1")
    for _ in range(depth):
        f.emit(f"save %sp,-{f.machine.names[_FRAME]},%sp", "mov %i1,%o1")
        f.emit(f"mov {f.random.randint(0, 99)},%l1")
    f.emit(*(f"mov {number},%o{number}" for number in (0, 2, 3, 4, 5)))
    with f.only("%i1", "%l1", "%l2", "%i2"):
        f.emit(*(f"mov {f.random.randint(0, 99)},{register}" for register in ("%l2", "%i2")))
        f.straight()
    f.emit(*(f"restore %l1,{f.random.randint(0, 99)},%o2" for _ in range(depth)))
    renew(f, [r for r in f.free if r[1] == "o"])


def floating(f: Function) -> None:
    """Have floating-point condition codes live over an access."""
    past = f.place()
    code = f"%fcc{f.random.randint(0, 3)}," if f.machine.wide else ""
    hint = f.random.choice(["", ",pt", ",pn"]) if code else ""
    annul = f.random.choice(["", ",a"])
    f.emit(f"ld {cell(f, 4)},%f2", f"ldd {cell(f, 8)},%f4", f"fcmps {code}%f2,%f4")
    f.emit(access(f), f"fb{f.random.choice(['l', 'ug', 'e', 'ne'])}{annul}{hint} {code}{past}")
    f.emit(single(f), f"std %f4,{cell(f, 8)}")
    f.label(past)


def finish(f: Function) -> None:
    """Fold every register, the condition codes and %y into the result; go back."""
    total = "%o0" if f.leaf else "%i0"
    names = f.machine.names
    suffix, last = ("x", 63) if f.machine.wide else ("", 31)
    for register in f.free:
        if register != total:
            f.emit(f"{names[_CARRY]} {total},{register},{total}")
            f.emit(f"sll{suffix} {total},1,%g2; srl{suffix} {total},{last},%g3")
            f.emit(f"or %g2,%g3,{total}")
    f.emit("rd %y,%g2", f"xor {total},%g2,{total}")
    last_forms = f.random.choice(_LEAF_ENDS if f.leaf else _ends(f))
    f.emit(*last_forms)


_LEAF_ENDS = (
    ("retl", "nop"),
    ("retl", "st %o0,[%o1]"),
    ("retl", "ld [%o1+4],%g1"),
    ("mov %o7,%g1", "call fuzz_same", "mov %g1,%o7"),
    ("mov %o7,%g1", "ld [%o1+8],%o2", "call fuzz_same", "mov %g1,%o7"),
)


def _ends(f: Function) -> list[tuple[str, ...]]:
    """Return the ways out of a function with a window of its own."""
    ends: list[tuple[str, ...]] = [
        ("ret", "restore"),
        ("ret", f"restore %i0,{f.random.randint(0, 99)},%o0"),
        ("st %i0,[%i1]", "ret", "restore %g0,%i0,%o0"),
        ("ld [%i1+4],%l0", "jmp %i7+8", "restore %i0,%l0,%o0"),
        ("call fuzz_same", "restore"),
        ("call fuzz_same", "restore %i0,1,%o0"),
        ("sethi %hi(fuzz_same),%g1", "jmp %g1+%lo(fuzz_same)", "restore"),
    ]
    if f.machine.wide:
        ends += [
            ("return %i7+8", "nop"),
            ("return %i7+8", "stx %o0,[%o1+16]"),
            ("return %i7+8", "ldx [%o1+24],%g1"),
            ("return %i7+8", "ldub [%o1+33],%o0"),
            ("return %i7+8", "add %o0,%g1,%o0"),
        ]
    return ends


_REGISTERS = "\t.register %g2,#scratch\n\t.register %g3,#scratch\n"
_LEAF = """\t.text
\t.globl fuzz_leaf, fuzz_same, fuzz_structure
fuzz_leaf:
\tmov 7,%o0
\tmov 9,%g1
\tretl
\tcmp %g0,%g0
fuzz_same:
\tretl
\tadd %o0,5,%o0
fuzz_structure:
\tjmp %o7+12
\tmov 3,%o0
"""

V8 = Machine(
    begin,
    finish,
    single,
    shapes=(
        *(straight, forward, loop, labelled_slot, never, couple, link, indexed, overwritten),
        *(floating, carry),
    ),
    leaf_shapes=(),
    calling_shapes=(call, call, deeper, structure, local, lowered),
    loads=_LOADS,
    stores=_STORES,
    arithmetic=(*_ALU, "addx", "subx"),
    pointer=".long",
    leaf=_LEAF + callers.sparc(wide=False),
    names=("112", "addx", "", "0"),
)
V9 = replace(
    V8,
    calling_shapes=(call, call, deeper, local, lowered),
    loads={**_LOADS, "ldx": 8, "ldsw": 4},
    stores={**_STORES, "stx": 8},
    arithmetic=(*_ALU, "addc", "subc"),
    pointer=".xword",
    leaf=_REGISTERS + _LEAF + callers.sparc(wide=True),
    header=_REGISTERS,
    wide=True,
    names=("192", "addc", "x", "2047"),
)
