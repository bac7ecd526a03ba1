"""Every instruction that gcc and clang emit for SPARC is known."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from inst.arch.sparc.tables.interpret import facts
from inst.asm.model import Kind
from inst.asm.split import split
from inst.errors import InstError
from inst.isa.model import Form

PROGRAM = r"""
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair { int a; double b; char c[5]; long long d; };
static __thread int per_thread;
extern __thread int elsewhere;
static int table[64];
static jmp_buf escape;
volatile int flag;

struct pair give(int n) { struct pair p = {n, n * 0.5, "abc", (long long)n << 33}; return p; }
int sum(int n, ...) {
    va_list list; int total = 0;
    va_start(list, n);
    while (n--) total += va_arg(list, int);
    va_end(list);
    return total;
}
long long wide(long long a, long long b) { return a * b + a / (b | 1) - (a >> 7) + (a ^ b) % 1000; }
uint64_t shifts(uint64_t a, unsigned n) { return a << n | a >> (64 - n); }
unsigned divide(unsigned a, unsigned b) { return a / b + a % b + (int)a / (int)b; }
float single(float a, float b) { return a * b + a / b - sqrtf(a) + (a > b ? fabsf(a) : -b); }
double twice(double a, double b) { return a * b + a / b - sqrt(a) + (a < b ? fabs(a) : -b); }
long double quad(long double a, long double b) { return a * b + a / b - (a < b); }
int converts(float f, double d, long long l) { return (int)f + (int)d + (long long)d + (float)l; }
int unordered(double a, double b) {
    return !(a < b) + 2 * !(a >= b) + 4 * isunordered(a, b) + 8 * isgreater(a, b) + (a != b);
}
int choose(int n) {
    switch (n) {
    case 0: return 7; case 1: return table[3]; case 2: return per_thread; case 3: return -1;
    case 4: return elsewhere; case 5: return 12; case 6: return n * 7; case 9: return flag;
    default: return 99;
    }
}
int atomics(int *p, char *q, long long *r) {
    __atomic_fetch_add(p, 3, __ATOMIC_SEQ_CST);
    __sync_lock_test_and_set(q, 1);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return __atomic_exchange_n(p, 5, __ATOMIC_ACQ_REL)
        + __atomic_compare_exchange_n(p, p + 1, 4, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)
        + __builtin_popcount(*p) + __builtin_clz(*p) + __builtin_ctzll(*r);
}
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
void sorted(int *p, size_t n) { qsort(p, n, sizeof *p, compare); }
int recurse(int n) { return n < 2 ? n : recurse(n - 1) + recurse(n - 2); }
int tail(int n, int m) { return n == 0 ? m : tail(n - 1, m + n); }
char *stack(int n) { char *p = __builtin_alloca(n); memset(p, 1, n); return strdup(p); }
void copies(struct pair *a, struct pair *b) { *a = *b; memcpy(b->c, a->c, 5); memmove(a, b, 40); }
int overflow(int a, int b) { int c; return __builtin_add_overflow(a, b, &c) ? -1 : c; }
int overflow64(long long a, long long b) { long long c; return __builtin_mul_overflow(a, b, &c); }
unsigned swapped(unsigned n) { return __builtin_bswap32(n); }
int (*indirect)(int) = recurse;
int calls(int n) { return indirect(n) + sum(3, n, 2, 1) + give(n).a; }
int jumps(int n) { if (setjmp(escape)) return n; longjmp(escape, 1); }
void trap(int n) { if (n) __builtin_trap(); __builtin_unreachable(); }
void prefetches(int *p) {
    for (int i = 0; i < 64; i++) { __builtin_prefetch(p + i + 8); p[i] *= 3; }
}
void vector(float *a, const float *b, int n) { for (int i = 0; i < n; i++) a[i] += b[i] * 2; }
void shorts(short *a, const short *b) { for (int i = 0; i < 64; i++) a[i] = a[i] * b[i] + 1; }
unsigned checksum(const unsigned char *p, int n) {
    unsigned s = 1;
    while (n--) s = s * 31 + *p++;
    return s;
}
void *frames(void) { return __builtin_frame_address(1) ? __builtin_return_address(1) : 0; }
int goes(int n) {
    static void *labels[] = {&&one, &&two};
    goto *labels[n & 1];
one: return 1;
two: return n;
}
double _Complex complicated(double _Complex a, double _Complex b) { return a * b; }
int bits(struct { unsigned a : 3, b : 9; int c : 20; } *p) { p->b += p->a; return p->c; }
int main(void) { printf("%d\n", choose(3)); return 0; }
"""

GCC = ["sparc64-linux-gnu-gcc", "-w"]
CLANG = ["clang", "-w", "-fno-integrated-as"]
SYSTEM = "/usr/sparc64-linux-gnu/include"

MACHINES = {
    "v8": [*GCC, "-m32", "-mcpu=v8"],
    "leon3": [*GCC, "-m32", "-mcpu=leon3"],
    "m32": [*GCC, "-m32"],
    "v9": [*GCC, "-m32", "-mcpu=v9"],
    "v8plus": [*GCC, "-m32", "-mcpu=v9", "-mv8plus"],
    "ultrasparc": [*GCC, "-m32", "-mcpu=ultrasparc"],
    "niagara4": [*GCC, "-m32", "-mcpu=niagara4"],
    "sparc64": [*GCC, "-m64", "-mcpu=niagara4", "-mvis3"],
    "hard-quad": [*GCC, "-m64", "-mhard-quad-float"],
    "clang": [*CLANG, "--target=sparc-linux-gnu", "-mcpu=v8", f"-I{SYSTEM}"],
    "clang-v9": [*CLANG, "--target=sparcv9-linux-gnu", f"-I{SYSTEM}"],
}
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")
EXTRAS = (("-fPIC", "-g"), ("-fno-pic", "-pthread"))
PARTS = 3
"""Of the combinations of these two. Each machine has one of them, the campaign has all."""


def _cases() -> Iterator[ParameterSet]:
    for (row, machine), part in itertools.product(enumerate(MACHINES), range(PARTS)):
        marks = () if part == row % PARTS else (pytest.mark.campaign,)
        yield pytest.param(machine, part, id=f"{machine}-{part}", marks=marks)


def _compile(command: list[str], folder: Path) -> str:
    source, output = folder / "program.c", folder / "program.s"
    source.write_text(PROGRAM)
    subprocess.run([*command, "-S", "-o", str(output), str(source)], check=True)
    return output.read_text()


@pytest.mark.parametrize(("machine", "part"), [*_cases()])
def test_compiler_output_is_known(machine: str, part: int, tmp_path: Path) -> None:
    unknown: list[str] = []
    mnemonics: set[str] = set()
    for level, extra in [*itertools.product(LEVELS, EXTRAS)][part::PARTS]:
        text = _compile([*MACHINES[machine], level, *extra], tmp_path)
        for statement in split(text, "sparc", f"{machine}{level}.s"):
            if statement.kind is not Kind.INSTRUCTION:
                continue
            try:
                facts(statement.name, statement.operands)
            except InstError as error:
                unknown.append(error.message)
            mnemonics.add(statement.name)
    assert unknown == []
    assert len(mnemonics) > 60


def test_linker_rewrites_are_marked(tmp_path: Path) -> None:
    """Loads of the global offset table are not accesses to report; no other load is marked."""
    text = _compile([*MACHINES["v8"], "-O2", "-fPIC"], tmp_path)
    marked = 0
    for statement in split(text, "sparc", "program.s"):
        if statement.kind is not Kind.INSTRUCTION:
            continue
        access = facts(statement.name, statement.operands).access
        rewritten = any(mark in statement.operands for mark in ("%gdop(", "%tie_ld("))
        assert (access is not None and access.linker_rewrites) == rewritten
        marked += rewritten
    assert marked > 3


def test_atomics_of_a_leon(tmp_path: Path) -> None:
    text = _compile([*MACHINES["leon3"], "-O2"], tmp_path)
    forms = {
        statement.name
        for statement in split(text, "sparc", "program.s")
        if statement.kind is Kind.INSTRUCTION
        and (access := facts(statement.name, statement.operands).access) is not None
        and access.form is Form.ATOMIC
    }
    assert "casa" in forms
