"""A program and its instrumented shared objects record together: one trace, in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from inst.target.emulator import command_for
from inst.target.targets import TARGETS, Target
from inst.trace import open_trace
from inst.trace.model import Kind, Trace
from tests.conftest import Shell

LIBRARY = "int cell; int *where(void) { return &cell; } int set(int n) { cell = n; return n; }\n"
PLUGIN = "int there; int *place(void) { return &there; } int put(int n) { there = n; return n; }\n"
PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int own, set(int), *where(void);
int main(void)
{
    for (int n = 1; n < 4; n++)
        own = set(n);
    void *plugin = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*put)(int) = (int (*)(int))dlsym(plugin, "put");
    int *(*place)(void) = (int *(*)(void))dlsym(plugin, "place");
    printf("%p %p %p\\n", (void *)&own, (void *)where(), (void *)place());
    for (int n = 4; n < 6; n++)
        own = put(set(n));
    dlclose(plugin);
    fflush(stdout);
    if (fork() == 0)
        return set(7) - 7;
    wait(0);
    own = set(6);
    return 0;
}
"""
HOST = """
#include <dlfcn.h>
#include <stdio.h>
static void *open(const char *name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
typedef int function(int);
static function *find(void *module, const char *name) { return (function *)dlsym(module, name); }
int main(void)
{
    void *library = open("./libset.so"), *plugin = open("./plugin.so");
    if (!library || !plugin)
        return puts(dlerror()), 1;
    int sum = find(library, "set")(1) + find(plugin, "put")(2);
    dlclose(library);
    sum += find(plugin, "put")(3);
    dlclose(plugin);
    plugin = open("./plugin.so");
    return sum + find(plugin, "put")(4) - 10;
}
"""


@pytest.mark.rotated(turns=True)
def test_one_trace_has_all_in_order(shell: Shell, target: Target) -> None:
    """The order is that of the program, also in a child of fork, and each image is named."""
    hooks = {"sparc-v8": "sexp", "ppc64": "record", "sparc-v9": "record"}.get(target.name, "rst")
    options = ["--inst-record=values"] if hooks == "record" else [f"--inst-hooks={hooks}"]
    _library(shell, target, *options)
    _plugin(shell, target, *options)
    (shell.directory / "a.c").write_text(PROGRAM)
    build = ["inst-cc", *options, *target.compiler, "-O1", "a.c", "./libset.so", "-ldl"]
    shell.check(*build, "-o", "a")
    done = shell.run(*command_for(shell.directory / "a", []), INST_OUT=str(shell.directory / "out"))
    assert (done.returncode, done.stderr) == (0, b"")
    places = dict(
        zip((int(one, 16) for one in done.stdout.split()), ("own", "cell", "there"), strict=True)
    )
    parent, child = sorted(shell.directory.glob("out*"))
    names = [name for name, _ in _stores(parent, places)]
    values = [value for _, value in _stores(parent, places)]
    expected = ["cell", "own"] * 3 + ["cell", "there", "own"] * 2 + ["cell", "own"]
    assert names == expected
    assert values == [1, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6]
    assert [*_stores(child, places)] == [("cell", 7)]
    assert _images(parent) == ["a", "libset.so", "plugin.so"]
    assert _images(child)[:2] == ["a", "libset.so"]


@pytest.mark.parametrize("name", ["ppc32", "ppc64le", "sparc-v9"])
def test_the_first_library_records_for_the_others(shell: Shell, name: str) -> None:
    """The program is not instrumented, the libraries see nothing of each other, and the first one
    is closed.
    """
    target = TARGETS[name]
    _library(shell, target, "--inst-hooks=rst")
    _plugin(shell, target, "--inst-hooks=rst")
    done = _run_host(shell, target)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    (trace,) = shell.directory.glob("out*")
    assert trace.name == "out.libset.so"
    assert _images(trace) == ["libset.so", "plugin.so", "plugin.so"]
    values = [event.value for event in open_trace(trace).objects() if event.kind == Kind.WRITE]
    assert [value for value in values if value in (1, 2, 3, 4)] == [1, 2, 3, 4]


def test_libraries_with_other_hooks_say_so(shell: Shell) -> None:
    target = TARGETS["ppc32"]
    _library(shell, target, "--inst-hooks=rst")
    _plugin(shell, target, "--inst-hooks=sexp")
    done = _run_host(shell, target)
    assert done.returncode == 0
    hooks, traces = done.stderr.decode().splitlines()
    assert re.fullmatch(
        r"inst: \S*/plugin\.so was linked with the hook library sexp, and \S*/libset\.so with rst: "
        r"each records by itself, and nothing orders what they record",
        hooks,
    )
    assert traces.startswith("inst: this process writes 2 traces: ")
    names = sorted(shell.directory.glob("out*"))
    assert [name.name for name in names] == ["out.libset.so", "out.plugin.so"]
    assert [_read(name).facts.producer["recorders"] for name in names] == ["2", "2"]


def _library(shell: Shell, target: Target, *options: str) -> None:
    (shell.directory / "lib.c").write_text(LIBRARY)
    build = ["inst-cc", *options, *target.compiler, "-O1", "-fPIC", "-shared", "lib.c"]
    shell.check(*build, "-o", "libset.so")


def _plugin(shell: Shell, target: Target, *options: str) -> None:
    """Hide all names that its program does not need, and bind the others here."""
    (shell.directory / "plugin.c").write_text(PLUGIN)
    (shell.directory / "names").write_text("{ global: put; place; local: *; };\n")
    build = ["inst-cc", *options, *target.compiler, "-O1", "-fPIC", "-shared", "plugin.c"]
    shell.check(*build, "-Wl,-Bsymbolic,--version-script=names", "-o", "plugin.so")


def _run_host(shell: Shell, target: Target):  # type: ignore[no-untyped-def]
    (shell.directory / "host.c").write_text(HOST)
    shell.check(*target.compiler, "-O1", "host.c", "-ldl", "-o", "host")
    command = command_for(shell.directory / "host", [])
    return shell.run(*command, INST_OUT=str(shell.directory / "out"))


def _read(path: Path) -> Trace:
    trace = open_trace(path)
    for _ in trace.batches():
        pass
    return trace


def _images(path: Path) -> list[str]:
    return [Path(image.path).name for image in _read(path).facts.images]


def _stores(path: Path, places: dict[int, str]) -> Iterator[tuple[str, int]]:
    for event in open_trace(path).objects():
        if event.kind == Kind.WRITE and event.address in places:
            assert event.value is not None
            yield places[event.address], event.value
