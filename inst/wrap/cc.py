"""inst-cc: run the real compiler with inst's assembler and linker.

The compiler's own driver stays in charge: inst-cc adds `-B`, which names the directory where the
driver looks first for the programs it runs, and interprets none of its options. Two directories of
headers come last, for annotations in programs.
"""

from __future__ import annotations

import os
import sys

from inst import TYPE_CHECKING, __version__
from inst.arch.registry import produced_by
from inst.common import colours
from inst.common.ending import ended
from inst.errors import InstError
from inst.paths import data_name
from inst.target.compilers import (
    Command,
    family,
    find_compiler,
    gcc_instead,
    install_environment,
    machine,
    parse_command,
    query_command,
)
from inst.target.model import Targets
from inst.wrap import options, variables
from inst.wrap.scratch import use_own_directory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NoReturn

    from inst.arch.model import Architecture

_NAMES = ("inst-cc", "cc.py", "__main__.py")

_USAGE = """\
usage: inst-cc [--inst-OPTION=VALUE ...] COMPILER [ARGUMENT ...]

Run COMPILER so that the program records every load and store, or calls hooks at them.

options (each can be given as a variable too):
{options}

As a compiler in a build:  ./configure CC="inst-cc powerpc-linux-gnu-gcc"
With ccache:               CC="inst-cc ccache powerpc-linux-gnu-gcc"
Under a compiler's name:   ln -s "$(command -v inst-cc)" ~/bin/powerpc-linux-gnu-gcc
"""


def usage() -> str:
    """Return what --inst-help prints."""
    return _USAGE.format(options=options.describe())


def main() -> int:
    """Run inst-cc with the process's own arguments."""
    return ended(lambda: start(sys.argv))


def start(words: list[str]) -> int:
    """Find the compiler in the command line and exec it."""
    own, own_name = words[0], os.path.basename(words[0])
    arguments = words[1:]
    if own_name not in _NAMES:
        arguments = [own, *arguments]
    elif arguments and arguments[0] in ("--help", "-h", "--inst-help"):
        print(usage(), end="")
        return 0
    elif arguments and arguments[0] in ("--version", "--inst-version"):
        print(f"inst-cc {__version__}")
        return 0
    elif arguments and arguments[0] == "--inst-include":
        print(data_name("runtime/include"))
        return 0
    colours.choose(arguments)
    rest = options.take_options(arguments)
    options.check_options()
    options.choose_recording()
    command = parse_command(rest)
    _warn_of_variables(command)
    options.note_shared_code(command.arguments)
    masquerade = os.environ.pop("INST_MASQUERADE", own)
    compiler = find_compiler(command.compiler, masquerade)
    if options.is_on("use-gcc"):
        command = gcc_instead(command, compiler)
        compiler = find_compiler(command.compiler, masquerade)
    return _become(command, compiler)


def _warn_of_variables(command: Command) -> None:
    """Warn here, once for the command: the assembler and the linker have the same environment."""
    if options.value("disable") != "1" and not _only_queries(command.arguments):
        for warning in variables.warnings():
            colours.report(warning)


def _become(command: Command, compiler: str) -> NoReturn:
    """Replace this process by the compiler, with instrumentation unless it is not applicable."""
    outside = _is_outside()
    if options.value("disable") == "1" or _only_queries(command.arguments):
        # A ccache around inst-cc must not store this result as an instrumented one.
        marker = _outside_arguments(command.arguments, "disabled") if outside else []
        _execute([*command.launcher, compiler, *marker, *command.arguments])
    kind = family(compiler)
    install_environment(kind, query_command(compiler, command.arguments))
    added = _added_arguments(kind, compiler, command.arguments)
    if command.launcher or os.path.basename(os.path.realpath(compiler)) == "ccache":
        from inst.wrap.ccache import prepare_inside

        prepare_inside()
    elif outside:
        added += _outside_arguments(command.arguments, "")
    use_own_directory()
    _execute([*command.launcher, compiler, *added, *command.arguments])


def _is_outside() -> bool:
    """Return whether ccache runs inst-cc."""
    try:
        parent = os.readlink(f"/proc/{os.getppid()}/exe")
    except OSError:
        return False
    return os.path.basename(parent.removesuffix(" (deleted)")) == "ccache"


def _outside_arguments(arguments: tuple[str, ...], state: str) -> list[str]:
    from inst.wrap.ccache import outside_arguments

    return outside_arguments(arguments, state)


def _only_queries(arguments: tuple[str, ...]) -> bool:
    """Return whether the compiler only prints its tools, which a build may then run itself."""
    return any(a.startswith(("-print-", "--print-", "-dumpspecs")) for a in arguments)


def _added_arguments(kind: str, compiler: str, arguments: tuple[str, ...]) -> list[str]:
    directory = f"-B{data_name('wrappers/tools')}/"
    headers = [f"-idirafter{data_name(name)}" for name in ("runtime/include", "wrappers/include")]
    if kind == "gcc":
        return [*_gcc_options(compiler), directory, *headers]
    if any(a.startswith("-flto") for a in arguments):
        raise InstError(
            "clang's -flto makes code in the linker, where inst cannot see it",
            hint="compile without -flto (gcc's -flto is fine)",
        )
    return ["--start-no-unused-arguments", "-fno-integrated-as", directory, *headers,
            "--end-no-unused-arguments"]  # fmt: skip


def _gcc_options(compiler: str) -> tuple[str, ...]:
    """Return the options that the compiler's instruction set requires of GCC."""
    named = machine(compiler)
    known = produced_by(named)
    if known is None:
        return ()
    targets = known.part(Targets)
    target, records = targets.compilers.get(named, ""), bool(options.value("record"))
    required = targets.compiled_with(target, records=records)
    return (*required, *_fixed_registers(known))


def _fixed_registers(known: Architecture) -> Iterator[str]:
    """Yield the options by which GCC leaves alone the registers that the user chose for probes."""
    if options.value("registers"):
        from inst.isa.sites import Sites
        from inst.wrap.registers import chosen

        choices = known.part(Sites).choices
        yield from (f"-ffixed-{name}" for name in chosen() if name in choices)


def _execute(command: list[str]) -> NoReturn:
    sys.stdout.flush()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        hint = "sudo apt-get install ccache" if os.path.basename(command[0]) == "ccache" else ""
        raise InstError(f"cannot run {command[0]}: {error.strerror}", hint=hint) from error


if __name__ == "__main__":
    sys.exit(main())
