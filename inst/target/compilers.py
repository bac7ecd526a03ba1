"""The real compiler: which word of the command it is, where it is, and which family."""

from __future__ import annotations

import os
import re
import sys

from inst.arch.registry import all_architectures
from inst.cache.notes import read_note, write_note
from inst.cache.rooms import room_name
from inst.common.process import run
from inst.dataclass import dataclass
from inst.errors import InstError
from inst.paths import absolute_name
from inst.target.model import Target, Targets
from inst.target.targets import TARGETS

CACHES = ("ccache",)
REMOTE = ("distcc", "icecc", "sccache", "pump")
"""Launchers that assemble on other machines, without inst's assembler and variables."""

_QUERY_PREFIXES = ("-B", "--target", "-target", "--gcc-toolchain", "--sysroot", "--prefix", "-m")
_KNOWN = re.compile(r"(?:gcc|clang) \w*")
_LANGUAGES = ("g++", "gfortran", "gnat", "gdc")
_DRIVER_VARIABLES = ("COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH")
"""Variables that gcc's driver sets for the linker it runs; another driver must not see them."""
_QUERY_PAIRS = ("-B", "-target", "--sysroot", "--prefix")


@dataclass(frozen=True, slots=True)
class Command:
    """A compiler's command line, taken apart only as far as needed."""

    launcher: tuple[str, ...]
    """What runs the compiler: nothing, or ccache."""
    compiler: str
    arguments: tuple[str, ...]


def parse_command(words: list[str]) -> Command:
    """Separate launcher, compiler and arguments."""
    launcher: list[str] = []
    while words and os.path.basename(words[0]) in CACHES + REMOTE:
        launcher.append(words[0])
        words = words[1:]
    for name in [*launcher, *os.environ.get("CCACHE_PREFIX", "").split()]:
        if os.path.basename(name) in REMOTE:
            raise InstError(
                f"{os.path.basename(name)} may assemble on another machine, without inst",
                hint=f"leave {os.path.basename(name)} out when compiling with inst-cc",
            )
    if not words:
        raise InstError("no compiler given", hint="inst-cc powerpc-linux-gnu-gcc -c file.c")
    return Command(tuple(launcher), words[0], tuple(words[1:]))


def find_compiler(name: str, own: str | None = None) -> str:
    """Return the path of the compiler `name`, and never inst-cc under that name.

    `own` is the file under whose name inst-cc was started, if that is a compiler's name.
    """
    if "/" in name and not (own and _same_file(name, own)):
        if not os.access(name, os.X_OK):
            raise missing(name)
        return name
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(directory or ".", os.path.basename(name))
        if os.path.isfile(path) and os.access(path, os.X_OK) and not is_ours(path, own):
            return path
    raise missing(name)


def _same_file(one: str, other: str) -> bool:
    return os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other)


def is_ours(path: str, own: str | None = None) -> bool:
    """Return whether a program is inst-cc under another name (of any installation)."""
    if own and _same_file(path, own):
        return True
    real = os.path.realpath(path)
    if os.path.basename(real) in ("inst-cc", "masquerade"):
        return True
    with open(real, "rb") as stream:
        start = stream.read(600)
    return start.startswith(b"#!") and (b"inst.wrap.cc" in start or b"INST_MASQUERADE" in start)


def missing(name: str) -> InstError:
    """Return the error for a compiler that is not found, with the command that installs it."""
    base = os.path.basename(name)
    for target in TARGETS.values():
        prefix = target.compiler[0].removesuffix("gcc")
        if base.startswith(prefix):
            language = base.removeprefix(prefix)
            more = (f"{language}-{prefix[:-1]}",) if language in _LANGUAGES else ()
            packages = " ".join((*more, *target.packages))
            return InstError(
                f"compiler {name} not found",
                hint=f"on Debian: sudo apt-get install {packages}",
            )
    return InstError(f"compiler {name} not found", hint="is it installed and in PATH?")


def family(compiler: str) -> str:
    """Return "gcc" or "clang"; the answer is cached until the compiler changes."""
    return _known(compiler).partition(" ")[0]


def machine(compiler: str) -> str:
    """Return the machine that a compiler generates code for by default: "sparc64" ..."""
    return _known(compiler).partition(" ")[2]


def _known(compiler: str) -> str:
    """Return a compiler's family and machine, which are cached until the compiler changes."""
    status = os.stat(compiler)
    key = f"{os.path.realpath(compiler)}-{status.st_mtime_ns}-{status.st_size}".replace("/", "!")
    note = os.path.join(room_name("compilers", needed=False), f"{key[-230:]}-machine")
    if (known := read_note(note)) is not None and _KNOWN.fullmatch(known):
        return known
    finished = run([compiler, "-v"], text=b"", keep_output=True, keep_errors=True)
    output = finished.output + finished.errors
    if b"clang version" in output:
        answer = "clang"
    elif b"gcc version" in output:
        answer = "gcc"
    else:
        raise InstError(
            f"{compiler} is neither gcc nor clang", hint="inst-cc needs a driver that takes -B"
        )
    target = re.search(rb"^Target: (\w+)", output, re.M)
    answer = f"{answer} {target[1].decode() if target else ''}"
    write_note(note, answer)
    return answer


def gcc_instead(command: Command, compiler: str) -> Command:
    """Return the command with gcc (or g++) for the same target as another compiler's."""
    if family(compiler) == "gcc":
        return command
    query = [*query_command(compiler, command.arguments), "-dumpmachine"]
    machine = run(query, text=b"", keep_output=True).output.decode().split("-")[0]
    known = (one.part(Targets).compilers.get(machine) for one in all_architectures())
    target = next((TARGETS[name] for name in known if name), None)
    words = target.compiler if target else ("gcc",)
    name = words[0].removesuffix("gcc") + ("g++" if "++" in compiler else "gcc")
    given = iter(command.arguments)
    kept = []
    for argument in given:
        if argument == "-target":
            next(given, None)
        elif not argument.startswith("--target="):
            kept.append(argument)
    return Command(command.launcher, name, (*words[1:], *kept))


def query_command(compiler: str, arguments: tuple[str, ...]) -> list[str]:
    """Return the compiler with those arguments that decide which tools it runs."""
    kept: list[str] = [compiler]
    take_next = False
    for argument in arguments:
        if take_next or argument.startswith(_QUERY_PREFIXES):
            kept.append(argument)
        take_next = not take_next and argument in _QUERY_PAIRS
    return kept


def find_tool(tool: str, own: str, target: Target | None) -> str:
    """Return the real program for `tool` ("as", "ld", "ld.gold" ...).

    The compiler prints it. clang names the build machine's assembler for some targets, so for
    clang the target's own gcc is tried first.
    """
    commands = [os.environ["INST_QUERY"].split("\n")]
    if os.environ.get("INST_FAMILY") == "clang" and target and _program(target.compiler[0]):
        commands.insert(0, [target.compiler[0]])
    outside = environment_outside_driver()
    for command in commands:
        answer = run(
            [*command, f"-print-prog-name={tool}"],
            text=b"",
            keep_output=True,
            environment=outside,
        )
        name = answer.output.decode(errors="surrogateescape").strip()
        path = _program(name)
        if path and not _same_file(path, own):
            return path
    raise InstError(f"the real {tool} that {commands[-1][0]} runs was not found")


def _program(name: str) -> str:
    """Return the path of a program, as `shutil.which` does; empty if there is none."""
    directory, base = os.path.split(name)
    searched = [directory] if directory else os.get_exec_path()
    paths = (os.path.join(one, base) for one in searched if base)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), "")


def install_environment(kind: str, query: list[str]) -> None:
    """Set the variables of the assembler and the linker, before the compiler runs them."""
    os.environ["INST_FAMILY"] = kind
    os.environ["INST_QUERY"] = "\n".join(query)
    os.environ["INST_PYTHON"] = tools_python()
    os.environ["INST_PYTHON_PATH"] = os.pathsep.join(path for path in sys.path if path)
    for name in _DRIVER_VARIABLES:
        saved = os.environ.get(name)
        if saved is not None:
            os.environ[f"INST_SAVED_{name}"] = saved
        else:
            os.environ.pop(f"INST_SAVED_{name}", None)


def tools_python() -> str:
    """Return the Python that the tools start with: the server's, in a build that has one."""
    served = os.path.join(os.environ.get("INST_SERVER", ""), "python")
    return served if os.path.isabs(served) and os.access(served, os.X_OK) else sys.executable


def environment_outside_driver() -> dict[str, str]:
    """Return the environment before gcc's driver ran inst: its variables name inst's tools."""
    environment = dict(os.environ)
    for name in _DRIVER_VARIABLES:
        saved = environment.get(f"INST_SAVED_{name}")
        environment.pop(name, None)
        if saved is not None:
            environment[name] = saved
    return environment


def c_compiler(target: Target) -> list[str]:
    """Return the command that compiles a hook library for the program being linked."""
    compiler = os.environ["INST_QUERY"].split("\n")[0]
    if os.environ.get("INST_FAMILY") == "gcc":
        directory, name = os.path.split(compiler)
        for other in ("g++", "c++", "gfortran"):
            name = name.replace(other, "gcc")
        candidate = os.path.join(directory, name)
        if os.access(candidate, os.X_OK):
            return [
                absolute_name(candidate),
                *target.compiler[1:],
            ]  # it runs in a directory of inst's
    return list(target.compiler)
