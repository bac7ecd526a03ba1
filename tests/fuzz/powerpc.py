"""Random PowerPC functions: condition fields, ctr loops, lr live, carries, reservations.

Each is `unsigned name(unsigned flag, unsigned *words)` and keeps to the ABI, so that it may
pass for a compiler's.  The base is r4, in functions that call others r31.
"""

from __future__ import annotations

from random import Random

ROOM = 128
_ALU = ("add", "subf", "xor", "and", "or", "nor", "mullw", "addc", "adde", "subfe", "slw", "srw")
_RECORDS = ("add.", "subf.", "and.", "or.", "adde.", "addc.")
_CONDITIONS = ("beq", "bne", "blt", "bge", "bgt", "ble")
_LOADS = {"lwz": 4, "lbz": 1, "lhz": 2, "lha": 2}
_STORES = {"stw": 4, "stb": 1, "sth": 2}
_FIELDS = (0, 1, 5, 6, 7)


class Function:
    """One function while it is written."""

    def __init__(self, random: Random, name: str) -> None:
        self.random, self.name = random, name
        self.leaf = random.random() < 0.5
        self.volatile = [0, *range(5, 13)]
        self.free = list(self.volatile)
        self.base = 4
        if not self.leaf:
            self.base = 31
            self.free += [4, 28, 29, 30]
        self.lines: list[str] = []
        self.labels = 0

    def text(self) -> str:
        """Return the function."""
        self.lines += [f"\t.globl {self.name}", f"\t.type {self.name}, @function", f"{self.name}:"]
        if not self.leaf:
            for text in ("stwu 1,-48(1)", "mflr 0", "stw 0,52(1)", "stmw 28,32(1)", "mr 31,4"):
                self.emit(text)
        self.renew(self.free)
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

    def register(self) -> int:
        """Return a register that may hold anything."""
        return self.random.choice(self.free)

    def renew(self, registers: list[int]) -> None:
        """Give registers, fields, ctr and xer values that do not depend on where code lies."""
        for register in registers:
            self.emit(f"li {register},{self.random.randint(-32768, 32767)}")
        for field in _FIELDS:
            self.emit(f"cmpwi {field},5,{self.random.randint(-99, 99)}")
        self.emit("mtctr 5")
        self.emit("addic 5,5,1")

    def plain(self) -> str:
        """Return an instruction that touches no memory."""
        random, r = self.random, self.register
        return random.choice(
            [
                f"{random.choice(_ALU + _RECORDS)} {r()},{r()},{r()}",
                f"cmpwi {random.choice(_FIELDS)},{r()},{random.randint(-99, 99)}",
                f"cmplw {random.choice(_FIELDS)},{r()},{r()}",
                f"addic {r()},{r()},{random.randint(-999, 999)}",
                f"addze {r()},{r()}",
                f"rlwinm {r()},{r()},{random.randint(0, 31)},3,29",
                f"mfctr {r()}",
                f"crxor {4 * random.choice(_FIELDS)},{random.choice(_FIELDS) * 4 + 1},2",
            ]
        )

    def place(self, size: int) -> str:
        """Return an address in the room."""
        return f"{self.random.randrange(0, ROOM, size)}({self.base})"

    def access(self) -> str:
        """Return a load or store; one in ten is of a rarer form."""
        random = self.random
        if random.random() < 0.1:
            return random.choice(
                [
                    f"lswi 8,{self.base},{random.randint(1, 16)}",
                    f"stswi 8,{self.base},{random.randint(1, 16)}",
                    f"lwbrx {self.register()},0,{self.base}",
                    f"sthbrx {self.register()},0,{self.base}",
                ]
            )
        if random.random() < 0.5:
            name, size = random.choice(list(_LOADS.items()))
        else:
            name, size = random.choice(list(_STORES.items()))
        return f"{name} {self.register()},{self.place(size)}"

    def piece(self) -> None:
        """Write one of the shapes that instrumentation may get wrong."""
        shapes = [self.straight, self.straight, self.forward, self.loop, self.reservation]
        shapes += [self.update, self.indexed, self.fields]
        shapes += [self.link] if self.leaf else [self.call, self.multiple]
        self.random.choice(shapes)()

    def straight(self) -> None:
        """Accesses and others in a row."""
        for _ in range(self.random.randint(1, 4)):
            self.emit(self.access() if self.random.random() < 0.6 else self.plain())

    def forward(self) -> None:
        """A branch over something on some field."""
        past = self.label()
        hint = self.random.choice(["", "+", "-"])
        self.emit(f"{self.random.choice(_CONDITIONS)}{hint} {self.random.choice(_FIELDS)},{past}")
        self.straight()
        self.lines.append(f"{past}:")

    def loop(self) -> None:
        """A loop that counts in ctr."""
        again, register = self.label(), self.register()
        self.emit(f"li {register},{self.random.randint(1, 4)}")
        self.emit(f"mtctr {register}")
        self.lines.append(f"{again}:")
        self.straight()
        self.emit(
            self.random.choice(
                [f"bdnz {again}", f"bdnzt {4 * self.random.choice(_FIELDS)},{again}"]
            )
        )

    def reservation(self) -> None:
        """An atomic addition."""
        again = self.label()
        self.emit(f"addi 10,{self.base},{self.random.randrange(0, ROOM, 4)}")
        self.lines.append(f"{again}:")
        self.emit("lwarx 11,0,10")
        self.emit("addi 11,11,1")
        self.emit("stwcx. 11,0,10")
        self.emit(f"bne- {again}")
        self.emit("mr 10,11")  # no address may come into the result

    def update(self) -> None:
        """Accesses that write their base, which then is a distance again."""
        self.emit(f"mr 9,{self.base}")
        name = self.random.choice(["lwzu", "lbzu", "stwu", "sthu"])
        self.emit(f"{name} 8,{self.random.randrange(0, ROOM, 4)}(9)")
        self.emit("lwz 9,0(9)")

    def indexed(self) -> None:
        """An access by two registers."""
        index = self.random.choice([n for n in self.free if n])
        self.emit(f"andi. {index},{index},0x7c")
        name = self.random.choice(["lwzx", "stwx", "lbzx", "stbx"])
        self.emit(f"{name} {self.register()},{self.base},{index}")

    def fields(self) -> None:
        """All fields at once, through a register."""
        self.emit(f"mtcrf {self.random.choice([0x80, 0x41, 0xC7, 0x07])},{self.register()}")
        self.emit(self.access())

    def link(self) -> None:
        """lr as an ordinary register in a leaf, which keeps its own in r11."""
        self.emit("mflr 11")
        self.emit("mtlr 5")
        self.emit(self.access_keeping())
        self.emit("mflr 6")
        self.emit("mtlr 11")
        self.emit("li 11,3")

    def access_keeping(self) -> str:
        """Return an access that leaves r11 alone."""
        return f"lwz {self.random.choice([0, 7, 8, 12])},{self.place(4)}"

    def call(self) -> None:
        """A call; what it may change is given new values."""
        self.emit("bl fuzz_leaf")
        self.renew([*self.volatile, 4])

    def multiple(self) -> None:
        """Many registers at once, in a frame that is this function's own."""
        self.emit("stwu 1,-64(1)")
        self.emit("stmw 28,16(1)")
        self.emit("lmw 28,16(1)")
        self.emit("addi 1,1,64")

    def finish(self) -> None:
        """Fold registers, fields, ctr and xer into the result."""
        self.emit("addze 3,3")
        for register in self.free:
            self.emit(f"rlwinm 3,3,1,0,31; xor 3,3,{register}")
        self.emit("mfctr 5; add 3,3,5; mfcr 5; rlwinm 5,5,20,0,19; xor 3,3,5")
        if not self.leaf:
            for text in ("lmw 28,32(1)", "lwz 0,52(1)", "mtlr 0", "addi 1,1,48"):
                self.emit(text)
        self.emit("blr")


LEAF = "\t.globl fuzz_leaf\nfuzz_leaf:\n\tli 3,1\n\tcmpwi 0,3,0\n\tcmpwi 6,3,2\n\tblr\n"
