"""Random C++ programs that throw: nested handlers, destructors, rethrows, several frames.

All arithmetic is unsigned and every variable has a value, so what a program prints is defined.
Functions call only earlier ones, and at most thirty times for each call from main.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.fuzz.manner import OPTIMISATIONS, PLACES, RECORD, Manner, widths
from tests.fuzz.statement_writer import LOCALS, StatementWriter

FUNCTIONS = 6
_ROUNDS = 24
_DEPTH = 2
_HEAD = """\
extern "C" int printf(const char *, ...);
extern "C" void exit(int);
namespace std { typedef void (*handler)(); handler set_terminate(handler) noexcept; }
typedef unsigned u;
static u sum = 2166136261u, cells[16];
static int calls;
static void mix(u x) { sum = (sum ^ x) * 16777619u; sum ^= sum >> 15; }
struct Small { u a; };
struct Derived : Small { u b; };
struct Large {
    u a[9];
    Large(u x) { for (u i = 0; i < 9; i++) a[i] = x * i; }
    Large(const Large &o) { for (u i = 0; i < 9; i++) a[i] = o.a[i]; mix(a[1]); }
    ~Large() { mix(a[8] + 1); }
};
struct Guard {
    u v;
    Guard(u x) : v(x) { cells[x & 15] += x; }
    ~Guard() { mix(v + cells[v & 15]); }
};
struct Virtual { virtual u go(u x, u y); virtual ~Virtual() { mix(77); } };
u __attribute__((noinline)) Virtual::go(u x, u y) {
    if ((x ^ y) % 5 == 1) throw Large(x);
    return y;
}
static void __attribute__((noinline)) again() { throw; }
static void ended() { printf("terminated %u\\n", sum); exit(0); }
static void __attribute__((noinline)) raise(u kind, u x) {
    switch (kind % 7) {
    case 0: throw x;
    case 1: throw (int) (x % 1000);
    case 2: throw "text";
    case 3: { Small s = {x}; throw s; }
    case 4: { Derived d; d.a = x; d.b = x * 3; throw d; }
    case 5: throw Large(x);
    default: throw (unsigned long long) x << 20;
    }
}
"""
_HANDLERS = {
    "u &e": "e",
    "int e": "(u) e",
    "const char *e": "(u) e[1]",
    "Small &e": "e.a",
    "Derived e": "e.b + e.a",
    "const Large &e": "e.a[3]",
    "unsigned long long e": "(u) (e >> 20)",
}
"""What is caught, and what is read of it."""
_FLAGS = (
    (),
    (),
    (),
    ("-fnon-call-exceptions",),
    ("-fnon-call-exceptions", "-fno-omit-frame-pointer"),
    ("-fno-omit-frame-pointer",),
    ("-fno-inline",),
    ("-ffunction-sections",),
    ("-fno-reorder-blocks-and-partition",),
    ("-fno-dwarf2-cfi-asm",),
)
_CLANG_FLAGS = ((), (), ("-fno-omit-frame-pointer",), ("-ffunction-sections",))


class _Function(StatementWriter):
    """One function as it is written."""

    def text(self) -> str:
        """Return the function."""
        pick, number = self.random.choice, self.random.randrange
        linkage = pick(("static ", "", ""))
        inlined = pick(("", "", "__attribute__((noinline)) "))
        lines = [f"{linkage}u {inlined}f{self.number}(u x, u y) {{"]
        lines.append("    if (--calls < 0) return x ^ y;")
        lines += [f"    u v{n} = {pick('xy')} {pick('+^*-')} {number(99)}u;" for n in range(LOCALS)]
        lines += [f"    {line}" for line in self.block(0, 6, False)]
        lines.append(f"    return {' ^ '.join(f'v{n}' for n in range(LOCALS))};\n}}\n")
        return "\n".join(lines)

    def block(self, depth: int, most: int, handling: bool) -> Iterator[str]:
        """Yield the lines of some statements; `handling` says that an exception is caught."""
        for _ in range(self.random.randint(1, most)):
            kinds = ["assign", "cell", "call", "call", "raise"]
            kinds += ["guard", "try", "try", "if", "loop"] if depth < _DEPTH else []
            kinds += ["rethrow"] if handling else []
            yield from getattr(self, f"_{self.random.choice(kinds)}")(depth, handling)

    def _indented(self, depth: int, handling: bool) -> list[str]:
        return [f"    {line}" for line in self.block(depth + 1, 4, handling)]

    def _cell(self, *_: object) -> Iterator[str]:
        cell = f"cells[{self._value()} & 15]"
        value = self._variable()
        yield self.random.choice((f"{cell} += {value};", f"{value} ^= {cell};"))

    def _call(self, *_: object) -> Iterator[str]:
        arguments = f"({self._value()}, {self._value()})"
        if not self.number or self.random.random() < 0.15:
            self.fresh += 1
            name = f"o{self.fresh}"
            yield f"{{ Virtual {name}; {self._variable()} += {name}.go{arguments}; }}"
        elif self.random.random() < 0.25:
            yield f"{self._variable()} += safe{self.random.randrange(self.number)}{arguments};"
        else:
            yield f"{self._variable()} += f{self.random.randrange(self.number)}{arguments};"

    def _raise(self, *_: object) -> Iterator[str]:
        yield f"if ({self._condition()}) raise({self._value()}, {self._variable()});"

    def _rethrow(self, *_: object) -> Iterator[str]:
        how = self.random.choice(("throw;", "again();", f"throw {self._variable()};"))
        yield f"if ({self._condition()}) {how}"

    def _guard(self, *_: object) -> Iterator[str]:
        self.fresh += 1
        yield f"Guard g{self.fresh}({self._value()});"

    def _if(self, depth: int, handling: bool) -> Iterator[str]:
        yield f"if ({self._condition()}) {{"
        yield from self._indented(depth, handling)
        yield "}"

    def _loop(self, depth: int, handling: bool) -> Iterator[str]:
        name = self._name()
        yield f"for (u {name} = 0; {name} < {self.random.randint(2, 3)}; {name}++) {{"
        yield from self._indented(depth, handling)
        yield "}"

    def _try(self, depth: int, handling: bool) -> Iterator[str]:
        yield "try {"
        yield from self._indented(depth, handling)
        chosen = self.random.sample(sorted(_HANDLERS), self.random.randint(0, 3))
        for caught in sorted(chosen, key=lambda one: "Small" in one):  # what is derived comes first
            yield f"}} catch ({caught}) {{"
            yield f"    {self._variable()} += {_HANDLERS[caught]};"
            yield from self._indented(depth, True)
        if not chosen or self.random.random() < 0.5:
            yield "} catch (...) {"
            yield from self._indented(depth, True)
        yield "}"


def _safe(number: int) -> str:
    """Return a function that lets nothing out."""
    return (
        f"static u safe{number}(u x, u y) noexcept {{\n"
        f"    try {{ return f{number}(x, y); }} catch (u e) {{ return e; }}"
        f" catch (...) {{ return x - y; }}\n}}\n"
    )


def write_exceptions(seed: int) -> str:
    """Return the C++ program that a seed means."""
    random = Random(f"exceptions {seed}")
    parts = [_HEAD]
    for number in range(FUNCTIONS):
        parts += [_Function(random, number).text(), _safe(number)]
    lines = ["int main() {", "    std::set_terminate(ended);"]
    lines.append(f"    for (u n = 0; n < {_ROUNDS}; n++) {{")
    for number in range(FUNCTIONS):
        lines.append("        calls = 30;")
        lines.append(f"        mix(safe{number}(n, n * {random.randrange(1000)}u));")
    lines += ["    }", "    for (u n = 0; n < 16; n++) mix(cells[n]);", '    printf("%u\\n", sum);']
    if random.random() < 0.2:
        lines.append("    struct End { static void out(u x) noexcept { raise(x, x); } };")
        lines.append("    End::out(sum);")
    return "\n".join([*parts, *lines, "    return 0;", "}", ""])


def choose_exceptions(target: str, seed: int) -> Manner:
    """Return the manner that a seed means for such a program."""
    random = Random(f"exceptions {target} {seed}")
    compiler = random.choice(("g++", "g++", "g++", "clang++"))
    flags = [random.choice(OPTIMISATIONS[(random.random() < 0.7 and 2) or 0 :])]
    if compiler == "g++":
        flags += widths(target, random)
        flags += random.choice(_FLAGS)
    else:
        flags += random.choice(_CLANG_FLAGS)
    flags += ["-g"] if random.random() < 0.2 else []
    level = random.choice(("values", "values", "values", "addresses"))
    hooks = random.choice(("hostile", "hostile", "empty"))
    counter, driver = random.random() < 0.7, compiler == "g++" and random.random() < 0.05
    place = random.choice(tuple(PLACES))
    functions = random.random() < 0.3
    if random.random() < 0.3:
        hooks, counter, driver, functions = RECORD, False, False, False
    return Manner((), compiler, tuple(flags), place, hooks, level, counter, driver, functions)
