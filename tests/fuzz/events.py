"""Random C programs with threads, signals, callbacks and jumps, whose output is always the same.

Each thread computes on cells of its own, so that it does not matter when others run, and what
handlers compute is not printed.  Signals come from a timer,
from other threads and from the program itself.  Functions call only earlier ones, and at most so
often for each call from a thread's own function.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.fuzz.manner import LOADS, OPTIMISATIONS, RECORD, Manner, widths
from tests.fuzz.statement_writer import LOCALS, StatementWriter

FUNCTIONS = 5
_DEPTH = 2
_CALLS = 25
"""Calls of functions for one of a thread's own."""
_HEAD = """\
#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
typedef unsigned u;
typedef unsigned long long ull;
struct own { u cells[16]; u sum; int calls, depth; jmp_buf back; double x; };
static __thread struct own *mine;
static __thread volatile u ticks, nested, pad[4], count;
static __thread volatile double sum;
static void mix(u x) { mine->sum = (mine->sum ^ x) * 16777619u; mine->sum ^= mine->sum >> 15; }
static volatile u *cell(u x) { return &mine->cells[x & 15]; }
"""
_HANDLER = """\
static u __attribute__((noinline)) beat(volatile u *at, u n) {
    u a = n * 3u, b = n ^ 5u;
    for (u i = 0; i < (n & 7); i++) { a += at[i & 3]; b ^= a >> 3; at[i & 3] = b; }
    return a ^ b;
}
static void tick(int number) {
    u before = ticks;
    pad[3] += beat(pad, before) + count + (sum > 9);
    if (number == SIGUSR2 && before % 5 == 1) { nested++; raise(SIGUSR1); }
    ticks++;
}
static int compare(const void *x, const void *y) {
    u a = *(const u *) x, b = *(const u *) y;
    mine->cells[1] += a ^ b;
    return a < b ? -1 : a > b;
}
static void __attribute__((noinline)) away(u x) {
    u kept[5] = { x, x + 1, x + 2, x + 3, x + 4 };
    mine->cells[x & 15] += kept[x % 5u];
    if (x % 3 == 0) longjmp(mine->back, 1 + x % 7u);
}
"""
_FLAGS = (
    (),
    (),
    (),
    ("-fno-omit-frame-pointer",),
    ("-fno-inline",),
    ("-ffunction-sections",),
    ("-fno-plt",),
    ("-funroll-loops",),
    ("-fno-asynchronous-unwind-tables",),
)
HANDLERS = ("tick", "beat")
"""The functions that only signals call."""
_STATEMENTS = ("assign", "assign", "cell", "cell", "call", "wide", "real", "library", "raise")
_BLOCKS = ("if", "loop", "loop", "sort", "jump", "text", "heap", "count", "count")


class _Function(StatementWriter):
    """One function as it is written."""

    def text(self) -> str:
        """Return the function."""
        pick, number = self.random.choice, self.random.randrange
        linkage, inlined = pick(("static ", "", "")), pick(("", "__attribute__((noinline)) "))
        lines = [f"{linkage}u {inlined}f{self.number}(u x, u y) {{"]
        lines.append("    if (--mine->calls < 0) return x ^ y;")
        for n in range(LOCALS):
            kind = "volatile u" if number(8) == 0 else "u"
            lines.append(f"    {kind} v{n} = {pick('xy')} {pick('+^*-')} {number(99)}u;")
        lines.append(f"    double d = x * {number(9)}.5 + y;")
        lines.append("    ull w = (ull) x << 20 ^ y;")
        lines += [f"    {line}" for line in self.block(0, 7)]
        total = " ^ ".join(f"v{n}" for n in range(LOCALS))
        lines.append(f"    return {total} ^ (u) (w >> 7) ^ (u) (ull) (d < 0 ? -d : d);\n}}\n")
        return "\n".join(lines)

    def block(self, depth: int, most: int) -> Iterator[str]:
        """Yield the lines of some statements."""
        for _ in range(self.random.randint(1, most)):
            kinds = (*_STATEMENTS, *_BLOCKS) if depth < _DEPTH else _STATEMENTS
            yield from getattr(self, f"_{self.random.choice(kinds)}")(depth)

    def _indented(self, depth: int) -> list[str]:
        return [f"    {line}" for line in self.block(depth + 1, 4)]

    def _cell(self, _: int) -> Iterator[str]:
        place, value = f"*cell({self._value()})", self._variable()
        yield self.random.choice((f"{place} += {value};", f"{value} ^= {place};"))

    def _wide(self, _: int) -> Iterator[str]:
        yield self.random.choice(
            (
                f"w = w * {self._value()} + {self._value()};",
                f"w ^= (ull) {self._variable()} << {self.random.randrange(32)};",
                f"w /= {self._value()} | 1;",
            )
        )

    def _real(self, _: int) -> Iterator[str]:
        yield self.random.choice(
            (
                f"d = d * 0.5 + {self._variable()};",
                "mine->x = d;",
                "d += mine->x * 0.25;",
                f"if (d > {self.random.randrange(9999)}.0) {self._variable()}++;",
            )
        )

    def _call(self, _: int) -> Iterator[str]:
        if self.number:
            called = f"f{self.random.randrange(self.number)}"
            if self.random.random() < 0.3:
                yield f"{{ u (*volatile by)(u, u) = {called};"
                yield f"  {self._variable()} += by({self._value()}, {self._value()}); }}"
                return
            yield f"{self._variable()} += {called}({self._value()}, {self._value()});"

    def _raise(self, _: int) -> Iterator[str]:
        number = self.random.choice(("SIGUSR1", "SIGUSR2"))
        how = self.random.choice((f"raise({number})", f"pthread_kill(pthread_self(), {number})"))
        yield f"if ({self._condition()}) {how};"

    def _library(self, _: int) -> Iterator[str]:
        yield self.random.choice(
            (
                f"memmove(&mine->cells[2], &mine->cells[{self.random.randrange(6)}], 24);",
                f"memset(&mine->cells[{self.random.randrange(9)}], {self._variable()} & 7, 20);",
                f"{self._variable()} += memcmp(&mine->cells[1], &mine->cells[5], 12) > 0;",
                f"{self._variable()} ^= getpid() > 0;",
            )
        )

    def _text(self, _: int) -> Iterator[str]:
        name = self._name()
        yield f"{{ char {name}[40];"
        yield f'  snprintf({name}, 40, "%u-%x", {self._value()}, {self._value()});'
        yield f"  {self._variable()} += strtoul({name}, NULL, 10) + strlen({name}); }}"

    def _heap(self, depth: int) -> Iterator[str]:
        name = self._name()
        yield f"{{ u *{name} = malloc(64); for (u n = 0; n < 16; n++) {name}[n] = *cell(n) + n;"
        yield from self._indented(depth)
        yield f"  {self._variable()} += {name}[{self._value()} & 15]; free({name}); }}"

    def _sort(self, _: int) -> Iterator[str]:
        name = self._name()
        size = self.random.randint(3, 7)
        yield f"{{ u {name}[8];"
        yield f"  for (u n = 0; n < 8; n++) {name}[n] = *cell(n) * 7u ^ {self._value()};"
        yield f"  qsort({name}, {size}, sizeof(u), compare);"
        yield f"  u key = {name}[2], *found = bsearch(&key, {name}, {size}, sizeof(u), compare);"
        yield f"  {self._variable()} += *found; }}"

    def _jump(self, _: int) -> Iterator[str]:
        """Yield a call that may come back by longjmp; jumps within jumps are left out."""
        name = self._name()
        yield "if (!mine->depth) {"
        yield f"    volatile u {name} = {self._value()};"
        yield "    mine->depth = 1;"
        yield f"    if (setjmp(mine->back) == 0) {{ away({name}); {name} += 2; away({name} * 2); }}"
        yield f"    else {name} ^= 77;"
        yield "    mine->depth = 0;"
        yield f"    mix({name});"
        yield "}"

    def _if(self, depth: int) -> Iterator[str]:
        yield f"if ({self._condition()}) {{"
        yield from self._indented(depth)
        yield "}"

    def _loop(self, depth: int) -> Iterator[str]:
        """Yield a loop that loads something in each round: values tell when signals come."""
        name = self._name()
        yield f"for (u {name} = 0; {name} < {self.random.randint(2, 9)}; {name}++) {{"
        yield f"    {self._variable()} += *cell({name});"
        yield from self._indented(depth)
        yield "}"

    def _count(self, _: int) -> Iterator[str]:
        """Yield a loop that may load nothing: registers tell when signals come."""
        name, rounds = self._name(), self.random.choice((5, 60, 700))
        value = f"{name} / ({name} % 7 + 1) + {name} / ({self._variable()} | 1)"
        yield self.random.choice(
            (
                f"for (u {name} = 0; {name} < {rounds}; {name}++) count = {value};",
                f"for (u {name} = 0; {name} < {rounds}; {name} += 9)\n"
                f"        for (u m = {name}; m < {name} + 9; m++) count = m ^ {value};",
                f"for (double {name} = 0; {name} < {rounds}; {name} += 1) sum = {name} / 7;",
            )
        )


def write_events(seed: int, target: str) -> str:
    """Return the C program that a seed means for a target.

    On sparc-v8 signals come where the program raises them: the emulator loses registers otherwise.
    """
    random = Random(f"events {seed}")
    threads = random.choice((0, 0, 1, 2, 3))
    rounds = random.randint(3, 12)
    functions = "".join(_Function(random, number).text() for number in range(FUNCTIONS))
    return f"{_HEAD}{_HANDLER}{functions}{_work(random, rounds)}{_main(random, threads, target)}"


def _work(random: Random, rounds: int) -> str:
    """Return what each thread runs."""
    calls = "".join(
        f"        own->calls = {_CALLS};\n"
        f"        mix(f{number}(n + first, n * {random.randrange(1000)}u));\n"
        for number in range(FUNCTIONS)
    )
    stack = {
        "none": "",
        "frame": "    char other[65536];\n"
        "    stack_t stack = {.ss_sp = other, .ss_size = 65536};\n",
        "heap": "    stack_t stack = {.ss_sp = malloc(65536), .ss_size = 65536};\n",
    }[random.choice(("none", "none", "frame", "heap"))]
    stack += "    sigaltstack(&stack, NULL);\n" if stack else ""
    return (
        "static pthread_barrier_t all;\n"
        "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
        "static volatile int ended;\n"
        "static void *work(void *argument) {\n"
        "    struct own *own = argument;\n"
        f"    u first = own->sum;\n    mine = own;\n{stack}"
        "    pthread_barrier_wait(&all);\n"
        f"    for (u n = 0; n < {rounds}; n++) {{\n{calls}    }}\n"
        "    for (u n = 0; n < 16; n++) mix(own->cells[n]);\n"
        "    stack_t none = {.ss_flags = SS_DISABLE}; sigaltstack(&none, NULL);\n"
        "    pthread_mutex_lock(&lock);\n    ended++;\n    pthread_mutex_unlock(&lock);\n"
        "    return NULL;\n}\n"
    )


def _main(random: Random, threads: int, target: str) -> str:
    """Return the main function."""
    flags = random.choice(("0", "SA_NODEFER", "SA_ONSTACK", "SA_NODEFER | SA_ONSTACK"))
    often = (0, 3000, 9000) if "NODEFER" in flags else (0, 300, 1000, 3000)  # or handlers pile up
    microseconds = random.choice(often) if target != "sparc-v8" else 0
    timer = (
        "    struct itimerval never = {0};\n"
        f"    struct itimerval often = {{{{0, {microseconds}}}, {{0, {microseconds}}}}};\n"
        "    setitimer(ITIMER_REAL, &often, NULL);\n"
        if microseconds
        else "    struct itimerval never = {0};\n"
    )
    starts = "".join(
        f"    pthread_create(&thread[{n}], NULL, work, &owns[{n + 1}]);\n" for n in range(threads)
    )
    kills = (
        f"    for (int n = 0; n < 40 && ended < {threads}; n++)\n"
        f"        pthread_kill(thread[n % {threads}], n & 1 ? SIGUSR1 : SIGUSR2), usleep(200);\n"
        if threads and random.random() < 0.6 and target != "sparc-v8"
        else ""
    )
    joins = "".join(f"    pthread_join(thread[{n}], NULL);\n" for n in range(threads))
    return (
        f"static struct own owns[{threads + 1}];\n"
        "int main(void) {\n"
        f"    pthread_t thread[{threads + 1}];\n"
        f"    struct sigaction action = {{.sa_handler = tick, .sa_flags = SA_RESTART | {flags}}};\n"
        "    sigaction(SIGUSR1, &action, NULL);\n    sigaction(SIGUSR2, &action, NULL);\n"
        "    sigaction(SIGALRM, &action, NULL);\n"
        f"    pthread_barrier_init(&all, NULL, {threads + 1});\n"
        f"    for (u n = 0; n <= {threads}; n++) owns[n].sum = 2166136261u + n;\n"
        f"{starts}{timer}"
        f"    work(&owns[0]);\n{kills}"
        f"    setitimer(ITIMER_REAL, &never, NULL);\n{joins}"
        f'    for (u n = 0; n <= {threads}; n++) printf("%u\\n", owns[n].sum);\n'
        "    return 0;\n}\n"
    )


def choose_events(target: str, seed: int) -> Manner:
    """Return the manner that a seed means for such a program."""
    random = Random(f"events {target} {seed}")
    compiler = random.choice(("gcc", "gcc", "gcc", "clang"))
    flags = [random.choice(OPTIMISATIONS)]
    if compiler == "gcc":
        flags += widths(target, random)
        flags += random.choice(_FLAGS)
    if target == "ppc32" and compiler == "gcc":
        # A signal between two records of one `lmw` cannot be followed; clang has none.
        flags += ["-mno-multiple"]
    place = random.choice(("pie", "fixed", "static"))
    return Manner((), compiler, tuple(flags), place, RECORD, LOADS, False, False, events=True)
