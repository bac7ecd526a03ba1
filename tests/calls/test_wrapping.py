"""Calls of C library functions reach wrappers, however the program is linked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from inst.target.targets import Target
from tests.conftest import Shell

pytestmark = pytest.mark.rotated("ppc32", "sparc-v8", turns=True)

SHOW = Path(__file__).parent / "hooks" / "show.c"
COPIES = """
#include <string.h>
#include <stdio.h>
#include <unistd.h>
char from[64], to[64];
volatile int count = 21;
int main(void)
{
    memset(from, 7, count);
    memcpy(to, from, count);
    getppid();
    printf("%d\\n", to[20]);
    return 0;
}
"""
SIZES = [("write", 21), ("read", 21), ("write", 21)]


def ranges(text: str) -> list[tuple[str, int]]:
    """Return direction and size of each range that `show` wrote before the first call."""
    found = re.findall(r"(read|write) [0-9a-f]+ (\w+)", text.partition("call ")[0])
    return [(what, int(size, 16)) for what, size in found]


def run(shell: Shell, program: str = "./a") -> tuple[str, list[tuple[str, int]]]:
    """Run a program linked with `show`; return its output and the ranges."""
    result = shell.run("inst", "run", program)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout.decode(), ranges(result.stderr.decode())


def build(shell: Shell, target: Target, *arguments: str, compiler: str = "") -> None:
    """Compile or link with `show`."""
    command = (compiler or target.compiler[0], *target.compiler[1:])
    done = shell.run("inst-cc", f"--inst-hooks={SHOW}", *command, "-w", "-O1", *arguments)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("flags", ["-static", "-pie", "-flto -static"])
def test_programs(shell: Shell, target: Target, flags: str) -> None:
    """Static, position-independent and link-time optimised programs report the same."""
    (shell.directory / "a.c").write_text(COPIES)
    build(shell, target, *flags.split(), "a.c", "-o", "a")
    assert run(shell) == ("7\n", SIZES)


def test_relocatable(shell: Shell, target: Target) -> None:
    """`ld -r` leaves the wrappers to the last link."""
    (shell.directory / "a.c").write_text(COPIES)
    build(shell, target, "-c", "a.c")
    build(shell, target, "-r", "-nostdlib", "a.o", "-o", "b.o")
    build(shell, target, "-static", "b.o", "-o", "a")
    assert run(shell) == ("7\n", SIZES)


def test_shared_object(shell: Shell, target: Target) -> None:
    """A shared object has wrappers of its own, and exports none."""
    (shell.directory / "lib.c").write_text(COPIES.replace("main", "work"))
    (shell.directory / "a.c").write_text("int work(void); int main(void) { return work(); }")
    build(shell, target, "-fPIC", "-shared", "lib.c", "-o", "libwork.so")
    build(shell, target, "a.c", "-L.", "-lwork", "-Wl,-rpath,$ORIGIN", "-o", "a")
    assert run(shell) == ("7\n", SIZES)
    assert "inst.wrap" not in shell.check("nm", "-D", "libwork.so")


def test_cplusplus(shell: Shell, target: Target) -> None:
    """g++ links the same, and names of C++ that look alike are not touched."""
    text = COPIES.replace("int main", "namespace n { int memcpy() { return 1; } }\nint main")
    (shell.directory / "a.cc").write_text(text)
    build(shell, target, "-static", "a.cc", "-o", "a", compiler=target.compiler[0][:-2] + "++")
    assert run(shell) == ("7\n", SIZES)


def test_pointer(shell: Shell, target: Target) -> None:
    """A function whose address is taken is the wrapper wherever the address goes."""
    text = COPIES.replace(
        "int main", "void *(*copy)(void *, const void *, size_t) = memcpy;int main"
    )
    (shell.directory / "a.c").write_text(text.replace("memcpy(to", "copy(to"))
    build(shell, target, "-static", "a.c", "-o", "a")
    assert run(shell) == ("7\n", SIZES)


OWN = """
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size)
{
    for (size_t n = 0; n < size; n++)
        ((volatile char *)to)[n] = ((char *)from)[n] + 1;
    return to;
}
"""


@pytest.mark.parametrize("before", ["", "__attribute__((weak)) "])
def test_own_definition(shell: Shell, target: Target, before: str) -> None:
    """A program's own memcpy is called as it is: its accesses are its own."""
    (shell.directory / "a.c").write_text(COPIES)
    (shell.directory / "own.c").write_text(OWN.replace("void *memcpy", before + "void *memcpy"))
    build(shell, target, "-fno-builtin", "a.c", "own.c", "-o", "a")
    assert run(shell) == ("8\n", [("write", 21)])


def test_own_definition_in_archive(shell: Shell, target: Target) -> None:
    """The same if it comes from an archive of the program's."""
    (shell.directory / "a.c").write_text(COPIES)
    (shell.directory / "own.c").write_text(OWN)
    build(shell, target, "-fno-builtin", "-c", "own.c")
    shell.check("ar", "rcs", "libown.a", "own.o")
    build(shell, target, "-fno-builtin", "a.c", "-L.", "-lown", "-o", "a")
    assert run(shell) == ("8\n", [("write", 21)])


def test_static_and_local_names(shell: Shell, target: Target) -> None:
    """A static function, a variable and a string of that name stay what they are."""
    text = """
    #include <stdio.h>
    #define memset own_memset
    #undef memset
    static __attribute__((noinline, noclone)) int memset(int a) { __asm__(""); return a + 1; }
    int memmove = 4;
    int main(void) { getppid(); printf("%d %s\\n", memset(2) + memmove, "memcpy"); return 0; }
    """
    (shell.directory / "a.c").write_text(text)
    build(shell, target, "-fno-builtin", "-static", "a.c", "-o", "a")
    assert run(shell) == ("7 memcpy\n", [])


def test_common_symbols(shell: Shell, target: Target) -> None:
    """A common symbol with a function's name is one variable for all files, and can be watched."""
    text = """
    #include <stdio.h>
    int read; int index[3]; static int write;
    int two(void);
    int main(void)
    {
        read = 4; index[2] = -1; write = two();
        printf("%d %d\\n", write, read);
        return 0;
    }
    """
    (shell.directory / "a.c").write_text(text)
    other = "int read; extern int index[3]; int two(void) { return read++ + index[2]; }"
    (shell.directory / "b.c").write_text(other)
    flags = ("-fno-builtin", "-fcommon", "-static", "a.c", "b.c", "-o", "a")
    build(shell, target, *flags)
    assert run(shell)[0] == "3 5\n"
    if target.name != "ppc32":
        return
    shell.check("inst-cc", "--inst-hooks=count", *target.compiler, "-w", *flags)
    counted = shell.run("inst", "run", "./a", INST_WATCH="read").stderr.decode()
    assert re.findall(r"^(?:ld|st)w +(\d+)$", counted, re.MULTILINE)


def test_weak_reference(shell: Shell, target: Target) -> None:
    """A function that may be missing is not made to be there."""
    text = """
    #include <stdio.h>
    extern __attribute__((weak)) void *memmove(void *, const void *, unsigned long);
    int main(void) { printf("%d\\n", memmove != 0); return 0; }
    """
    (shell.directory / "a.c").write_text(text)
    build(shell, target, "-fno-builtin", "-static", "a.c", "-o", "a")
    plain = shell.directory / "plain"
    shell.check(*target.compiler, "-fno-builtin", "-w", "-static", "a.c", "-o", plain)
    assert run(shell)[0] == run(shell, "./plain")[0]


def test_before_thread_local_storage(shell: Shell, target: Target) -> None:
    """A static program resolves indirect functions before there is any, and may load and copy."""
    text = """
    #include <string.h>
    #include <stdio.h>
    #include <unistd.h>
    char from[40] = "0123456789", to[40];
    __thread int own = 7;
    volatile int n = 5;
    static int one(void) { return to[3]; }
    static int other(void) { return 1; }
    static int (*choose(void))(void)
    {
        memcpy(to, from, n);
        n++;
        return to[0] == '0' ? one : other;
    }
    int work(void) __attribute__((ifunc("choose")));
    int main(void) { getppid(); printf("%d %d %d\\n", work(), n, own); return 0; }
    """
    (shell.directory / "a.c").write_text(text)
    build(shell, target, "-static", "a.c", "-o", "a")
    assert run(shell) == ("51 6 7\n", [("read", 5), ("write", 5)])


def test_user_wrap(shell: Shell, target: Target) -> None:
    """The linker's own --wrap goes on working."""
    text = (
        COPIES
        + """
    void *__real_memcpy(void *, const void *, size_t);
    void *__wrap_memcpy(void *a, const void *b, size_t n)
    { puts("mine"); return __real_memcpy(a, b, n); }
    """
    )
    (shell.directory / "a.c").write_text(text)
    build(shell, target, "-Wl,--wrap=memcpy", "a.c", "-o", "a")
    assert run(shell)[0] == "mine\n7\n"


def test_clang(shell: Shell, require) -> None:  # type: ignore[no-untyped-def]
    """clang's assembly is turned the same way."""
    require("clang", "powerpc-linux-gnu-gcc", "qemu-ppc")
    (shell.directory / "a.c").write_text(COPIES)
    command = ("clang", "--target=powerpc-linux-gnu", "-O1", "-static", "a.c", "-o", "a")
    shell.check("inst-cc", f"--inst-hooks={SHOW}", *command)
    assert run(shell) == ("7\n", SIZES)


def test_disabled(shell: Shell, target: Target) -> None:
    """With INST_DISABLE nothing of it is there."""
    (shell.directory / "a.c").write_text(COPIES)
    shell.check("inst-cc", *target.compiler, "-static", "a.c", "-o", "a", INST_DISABLE="1")
    assert b"inst.wrap" not in (shell.directory / "a").read_bytes()


def test_without_c_library(shell: Shell, target: Target) -> None:
    """A program that has only itself calls its own memcpy."""
    start = {"sparc": "mov 1,%g1; mov 0,%o0; ta 0x10", "powerpc": "li 0,1; li 3,0; sc"}[target.isa]
    text = (
        OWN
        + f"""
    char from[4], to[4];
    void _start(void)
    {{
        memcpy(to, from, 4);
        __asm__ volatile("{start}");
    }}
    """
    )
    (shell.directory / "a.c").write_text(text)
    shell.check(
        "inst-cc", "--inst-hooks=empty", *target.compiler,
        "-fno-builtin", "-fno-pie", "-no-pie", "-nostdlib", "-static", "a.c", "-o", "a",
    )  # fmt: skip
    assert shell.run("inst", "run", "./a").returncode == 0
