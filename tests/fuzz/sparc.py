"""Random SPARC functions: slots, couples, annulment, condition codes, window depth, %o7, %y.

Each is `unsigned name(unsigned flag, unsigned *words)` and keeps to the ABI, so that it may
pass for a compiler's.  Bases are %i1 (after a save) or %o1 (in a leaf) and never change.
"""

from __future__ import annotations

from random import Random

_ALU = ("add", "sub", "xor", "and", "or", "addcc", "subcc", "andcc", "xorcc", "addx", "subx")
_ALU_MUL = ("umul", "smul", "orcc", "addxcc", "subxcc")
_BRANCHES = ("be", "bne", "bg", "ble", "bge", "bl", "bgu", "bleu", "bcc", "bcs", "bpos", "bneg")
_LOADS = {"ld": 4, "ldub": 1, "ldsb": 1, "lduh": 2, "ldsh": 2}
_STORES = {"st": 4, "stb": 1, "sth": 2}
ROOM = 128
"""Bytes at `words` that functions touch."""


class Function:
    """One function while it is written."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.leaf = random.random() < 0.4
        self.base = "%o1" if self.leaf else "%i1"
        free = [f"%o{n}" for n in (0, 2, 3, 4, 5)] + [f"%g{n}" for n in (1, 4)]
        if not self.leaf:
            free += [f"%l{n}" for n in range(8)] + [f"%i{n}" for n in (0, 2, 3, 4, 5)] + ["%o1"]
        self.free = free
        self.lines: list[str] = []
        self.labels = 0

    def text(self) -> str:
        """Return the function."""
        self.lines += [f"\t.globl {self.name}", f"\t.type {self.name}, #function", f"{self.name}:"]
        if not self.leaf:
            self.emit("save %sp,-112,%sp")
        flag = "%o0" if self.leaf else "%i0"
        self.renew([register for register in self.free if register != flag])
        self.emit("cmp %g1,%o0")
        for _ in range(self.random.randint(3, 14)):
            self.piece()
        self.finish()
        self.lines.append(f"\t.size {self.name}, .-{self.name}")
        return "\n".join(self.lines) + "\n"

    def emit(self, text: str) -> None:
        """Append an instruction."""
        self.lines.append(f"\t{text}")

    def label(self) -> str:
        """Return a label of this function."""
        self.labels += 1
        return f".L{self.name}_{self.labels}"

    def register(self) -> str:
        """Return a register that may hold anything."""
        return self.random.choice(self.free)

    def renew(self, registers: list[str]) -> None:
        """Give registers values that do not depend on where code lies."""
        for register in registers:
            self.emit(f"mov {self.random.randint(-4096, 4095)},{register}")
        self.emit(f"wr %g0,{self.random.randint(0, 4095)},%y")
        self.emit("nop; nop; nop")

    def plain(self) -> str:
        """Return an instruction that touches no memory."""
        random = self.random
        if random.random() < 0.1:
            return f"rd %y,{self.register()}"
        name = random.choice(_ALU + _ALU_MUL)
        second = self.register() if random.random() < 0.6 else str(random.randint(-4096, 4095))
        return f"{name} {self.register()},{second},{self.register()}"

    def access(self) -> str:
        """Return a load or store; one in eight is of a rarer form."""
        random = self.random
        if random.random() < 0.12:
            return self.rare()
        if random.random() < 0.5:
            name, size = random.choice(list(_LOADS.items()))
            return f"{name} {self.place(size)},{self.register()}"
        name, size = random.choice(list(_STORES.items()))
        value = "%g0" if random.random() < 0.1 else self.register()
        return f"{name} {value},{self.place(size)}"

    def rare(self) -> str:
        """Return an access of two words, or one that loads and stores at once."""
        pair = self.random.choice(["%o2", "%o4"])
        return self.random.choice(
            [
                f"ldd {self.place(8)},{pair}",
                f"std {pair},{self.place(8)}",
                f"swap {self.place(4)},{self.register()}",
                f"ldstub {self.place(1)},{self.register()}",
                f"ldstub {self.place(1)},%g0",
            ]
        )

    def place(self, size: int) -> str:
        """Return an address in the room."""
        return f"[{self.base}+{self.random.randrange(0, ROOM, size)}]"

    def any(self) -> str:
        """Return an instruction that may stand in a slot."""
        chance = self.random.random()
        return self.access() if chance < 0.5 else self.plain() if chance < 0.9 else "nop"

    def piece(self) -> None:
        """Write one of the shapes that instrumentation may get wrong."""
        shapes = [self.straight, self.forward, self.loop, self.labelled_slot, self.never]
        shapes += [self.couple, self.link, self.indexed, self.overwritten]
        if not self.leaf:
            shapes += [self.call, self.deeper, self.floating]
        self.random.choice(shapes)()

    def straight(self) -> None:
        """Accesses and others in a row."""
        for _ in range(self.random.randint(1, 4)):
            self.emit(self.any())

    def forward(self) -> None:
        """A conditional branch over something, annulled or not."""
        past, annul = self.label(), self.random.choice(["", ",a"])
        self.emit(f"{self.random.choice(_BRANCHES)}{annul} {past}")
        self.emit(self.any())
        self.straight()
        self.lines.append(f"{past}:")

    def never(self) -> None:
        """A branch that annuls its slot always: the next line is its own block."""
        past, back = self.label(), self.label()
        self.emit(f"{self.random.choice(_BRANCHES)} {back}")
        self.emit(self.any())
        self.emit(f"ba,a {past}")
        self.lines.append(f"{back}:")
        self.straight()
        self.lines.append(f"{past}:")

    def loop(self) -> None:
        """A short loop that counts in %g2, with the condition codes of each turn in use."""
        again = self.label()
        self.emit(f"mov {self.random.randint(1, 4)},%g2")
        self.lines.append(f"{again}:")
        self.straight()
        self.emit("subcc %g2,1,%g2")
        self.emit(f"bg{self.random.choice(['', ',a'])} {again}")
        self.emit(self.any())

    def labelled_slot(self) -> None:
        """A slot that another branch goes to."""
        slot, past = self.label(), self.label()
        self.emit(f"{self.random.choice(_BRANCHES)} {slot}")
        self.emit(self.any())
        self.emit(f"{self.random.choice(_BRANCHES)} {past}")
        self.lines.append(f"{slot}:")
        self.emit(self.any())
        self.straight()
        self.lines.append(f"{past}:")

    def couple(self) -> None:
        """The lawful couple: one instruction runs at the first target."""
        one, past = self.label(), self.label()
        self.emit(f"ba {one}")
        self.emit(f"{self.random.choice(_BRANCHES)} {past}")
        self.emit(self.any())
        self.lines.append(f"{one}:")
        self.emit(self.any())
        self.straight()
        self.lines.append(f"{past}:")

    def link(self) -> None:
        """%o7 as an ordinary register; in a leaf it comes back from %g3."""
        self.emit("mov %o7,%g3")
        self.emit(f"ld {self.place(4)},%o7")
        self.emit(f"st %o7,{self.place(4)}")
        self.emit(f"mov {self.base},%o7")
        self.emit(f"ld [%o7+{self.random.randrange(0, ROOM, 4)}],{self.register()}")
        self.emit("mov %g3,%o7")

    def indexed(self) -> None:
        """An access by two registers."""
        index, value = self.register(), self.register()
        self.emit(f"and {index},0x7c,{index}")
        self.emit(
            self.random.choice(
                [f"ld [{self.base}+{index}],{value}", f"st {value},[{self.base}+{index}]"]
            )
        )

    def overwritten(self) -> None:
        """A load into its own base, or into its own index."""
        register = self.register()
        self.emit(f"add {self.base},{self.random.randrange(0, ROOM, 4)},{register}")
        self.emit(f"ld [{register}],{register}")

    def call(self) -> None:
        """A call with an access in its slot; what it may change is given new values."""
        how = self.random.random()
        if how < 0.7:
            self.emit("call fuzz_leaf")
        else:
            self.emit("sethi %hi(fuzz_leaf),%g1")
            self.emit("or %g1,%lo(fuzz_leaf),%g1")
            self.emit("jmpl %g1,%o7")
        into_target = f"ld {self.place(4)},%g1"
        self.emit(into_target if how > 0.9 else self.any())
        self.renew([r for r in self.free if r[1] in "og"])
        self.emit("cmp %l0,%l1")

    def deeper(self) -> None:
        """Another register window around accesses."""
        depth = self.random.randint(1, 9)
        self.emit("mov %i1,%o1")
        for _ in range(depth):
            self.emit("save %sp,-96,%sp")
            self.emit("mov %i1,%o1")
        for number in range(2, 6):  # a new window holds what was there before
            self.emit(f"mov {number},%o{number}")
        keep, self.free = self.free, ["%l1", "%l2", "%i2"]
        self.base, before = "%i1", self.base
        for register in self.free:
            self.emit(f"mov {self.random.randint(0, 99)},{register}")
        self.straight()
        self.free, self.base = keep, before
        for _ in range(depth):
            self.emit(f"restore %l1,{self.random.randint(0, 99)},%o2")
        self.renew([r for r in keep if r[1] == "o"])

    def floating(self) -> None:
        """Floating-point condition codes live across an access."""
        past = self.label()
        self.emit(f"ld {self.place(4)},%f2")
        self.emit(f"ldd {self.place(8)},%f4")
        self.emit("fcmps %f2,%f4")
        self.emit(self.access())
        self.emit(f"fbl{self.random.choice(['', ',a'])} {past}")
        self.emit(self.any())
        self.emit(f"std %f4,{self.place(8)}")
        self.lines.append(f"{past}:")

    def finish(self) -> None:
        """Fold every register, the condition codes and %y into the result."""
        total = "%o0" if self.leaf else "%i0"
        for register in self.free:
            if register != total:
                self.emit(f"addx {total},{register},{total}")
                self.emit(f"sll {total},1,%g2; srl {total},31,%g3; or %g2,%g3,{total}")
        self.emit("rd %y,%g2")
        self.emit(f"xor {total},%g2,{total}")
        if self.leaf:
            self.emit("retl")
            self.emit(self.random.choice(["nop", "st %o0,[%o1]", "ld [%o1+4],%g1"]))
        else:
            self.emit("ret")
            self.emit("restore")


LEAF = "\t.globl fuzz_leaf\nfuzz_leaf:\n\tmov 7,%o0\n\tmov 9,%g1\n\tretl\n\tcmp %g0,%g0\n"
