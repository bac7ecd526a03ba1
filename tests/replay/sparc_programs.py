"""Random code of branches, delay slots, calls and register windows, as bodies of `sparc.py`."""

from __future__ import annotations

from random import Random

from inst.target.model import Target
from tests.replay.sparc import STACK, STACK_SIZE, Body

_INTEGER = [
    "a",
    "n",
    "e",
    "ne",
    "g",
    "le",
    "ge",
    "l",
    "gu",
    "leu",
    "cc",
    "cs",
    "pos",
    "neg",
    "vc",
    "vs",
]
_FLOAT = ["a", "n", "u", "g", "ug", "l", "ul", "lg", "ne", "e", "ue", "ge", "uge", "le", "ule", "o"]
_REGISTER = ["z", "lez", "lz", "nz", "gz", "gez"]
_GLOBAL = [f"%g{n}" for n in range(1, 6)]
_LOCAL = [f"%l{n}" for n in range(7)]
_COUNTER = "%l7"
_WRITTEN = [*_GLOBAL, *_LOCAL, *(f"%{bank}{n}" for bank in "oi" for n in range(6))]
_READ = [*_WRITTEN, "%g0", "%o6", "%i6", "%o7", "%i7", _COUNTER]
_FRESH = [*_LOCAL, _COUNTER, *(f"%o{n}" for n in range(6)), "%o7"]
_NARROW = "add addcc addc sub subcc subc and andcc or orcc xor xorcc xnor andn orncc"
"""Without addccc and subccc, whose carry QEMU 7.2 loses after a logical instruction."""
_SHIFTS = "sll srl sra"
_WIDE_SHIFTS = "sllx srlx srax"
_DEPTHS = (1, 3, 9, 70)
"""More than a processor has windows, and more than a state of the interpreter has."""


class Programs:
    """Makes bodies for a target."""

    def __init__(self, random: Random, target: Target) -> None:
        self.random = random
        self.wide = target.bits == 64
        self.frame, self.bias = (176, 2047) if self.wide else (96, 0)
        self.labels = 0
        self.functions: list[str] = []

    @property
    def stack(self) -> int:
        """Return the stack pointer with which a body begins."""
        return STACK + STACK_SIZE - 0x1000 - self.bias

    def body(self) -> Body:
        """Return a body; its labels are of no other body of this maker."""
        self.functions = []
        lines = self.items(self.random.randrange(4, 12), 0)
        over = self.label()
        lines += [f"ba,a {over}", *self.functions, f"{over}:"]
        return Body("\n".join(lines))

    def label(self) -> str:
        self.labels += 1
        return f".L{self.labels}"

    def items(self, count: int, level: int) -> list[str]:
        """Return instructions that are executed from the first on and go on behind the last."""
        lines = []
        for _ in range(count):
            kinds = [self.plain, self.plain, self.branch, self.branch, self.jump]
            if level < 2:
                kinds += [self.loop, self.call, self.call, self.recursion]
            lines += self.random.choice(kinds)(level)
        return lines

    def plain(self, level: int) -> list[str]:
        del level
        return [self.operation()]

    def operation(self) -> str:
        """Return an instruction that goes on with the next."""
        random = self.random
        first, written = random.choice(_READ), random.choice(_WRITTEN)
        shifts = f"{_SHIFTS} {_WIDE_SHIFTS if self.wide else ''}".split()
        kind = random.randrange(6)
        if kind == 0:
            return f"{random.choice(shifts)} {first}, {random.randrange(32)}, {written}"
        if kind == 1:
            condition = random.choice(_INTEGER)
            code = random.choice(("%icc", "%xcc") if self.wide else ("%icc",))
            return f"mov{condition} {code}, {first}, {written}"
        second = random.choice((random.choice(_READ), random.randrange(-4096, 4096)))
        return f"{random.choice(_NARROW.split())} {first}, {second}, {written}"

    def branch(self, level: int) -> list[str]:
        """Return a branch over some items, with its delay slot."""
        random, to = self.random, self.label()
        annuls = random.choice(("", ",a"))
        kinds = [
            f"b{random.choice(_INTEGER)}{annuls} {to}",
            f"b{random.choice(_INTEGER)}{annuls} %icc, {to}",
            f"fb{random.choice(_FLOAT)}{annuls} {to}",
            f"fb{random.choice(_FLOAT)}{annuls} %fcc{random.randrange(4)}, {to}",
        ]
        if self.wide:
            kinds.append(f"b{random.choice(_INTEGER)}{annuls} %xcc, {to}")
            kinds.append(f"br{random.choice(_REGISTER)}{annuls} {random.choice(_READ)}, {to}")
        over = self.items(random.randrange(3), level + 1)
        return [random.choice(kinds), self.operation(), *over, f"{to}:"]

    def jump(self, level: int) -> list[str]:
        """Return a jump to a computed address."""
        random, to = self.random, self.label()
        linked = random.choice((*_GLOBAL, "%g0"))
        lines = [f"sethi %hi({to}), %g4", f"jmpl %g4 + %lo({to}), {linked}", self.operation()]
        return [*lines, *self.items(random.randrange(2), level + 1), f"{to}:"]

    def loop(self, level: int) -> list[str]:
        del level
        start, annuls = self.label(), self.random.choice(("", ",a"))
        inner = [line for _ in range(3) for line in self.branch(2)]
        lines = [f"mov {self.random.randrange(1, 5)}, {_COUNTER}", f"{start}:", *inner]
        return [
            *lines,
            f"subcc {_COUNTER}, 1, {_COUNTER}",
            f"bne{annuls} {start}",
            self.operation(),
        ]

    def call(self, level: int) -> list[str]:
        """Return a call of a function of its own, with windows or without."""
        name = self.label()
        lines = [f"{name}:"]
        if self.random.randrange(3):
            lines += [*self.entered(), *self.items(3, level + 1), *self.left()]
        else:
            lines += [*self.items(2, 2), "retl", self.operation()]
        self.functions += lines
        return [f"call {name}", self.operation()]

    def recursion(self, level: int) -> list[str]:
        """Return a call of a function that calls itself."""
        name, innermost = self.label(), self.label()
        depth = self.random.choice(_DEPTHS[: 4 - level])
        lines = [f"{name}:", *self.entered(), "subcc %i0, 1, %o0", f"ble {innermost}", "nop"]
        lines += [f"call {name}", "nop", f"{innermost}:", *self.items(2, 2)]
        self.functions += [*lines, *self.left()]
        return [f"call {name}", f"mov {depth}, %o0"]

    def entered(self) -> list[str]:
        """Return the beginning of a function with a window, whose registers it sets."""
        constants = [
            f"add {self.random.choice(_GLOBAL)}, {self.random.randrange(-4096, 4096)}, {name}"
            for name in _FRESH
        ]
        return [f"save %sp, -{self.frame}, %sp", *constants]

    def left(self) -> list[str]:
        """Return the end of a function with a window, which may change the window below."""
        random, lines = self.random, []
        if random.randrange(4) == 0:
            lines.append("flushw" if self.wide else random.choice(("ta 3", "flushw")))
            place = random.randrange(14)
            store, size = ("stx", 8) if self.wide else ("st", 4)
            lines.append(f"{store} {random.choice(_READ)}, [%fp + {self.bias + size * place}]")
        if random.randrange(3) == 0:
            return [*lines, "return %i7 + 8", self.operation()]
        restore = (
            f"restore {random.choice(_READ)}, {random.choice(_READ)}, {random.choice(_WRITTEN)}"
        )
        return [*lines, "ret", restore]
