"""The command line: dispatch to a subcommand, and the exit status of each error and signal."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
from collections.abc import Callable

from inst import __version__
from inst.commands.table import COMMANDS, module_of, parser_of
from inst.common.usage import Parser
from inst.errors import NO_MEMORY, InstError

_EPILOG = """\
compile:    inst-cc powerpc-linux-gnu-gcc -g -O2 program.c -o program
run:        inst run -o program.rst ./program
look:       inst view program.rst ./program
check:      inst check program.rst

`inst COMMAND --help` has details; `inst < a.s > b.s` is `inst translate`.
"""


def main(argv: list[str] | None = None, begin: Callable[[], None] | None = None) -> int:
    """Run inst and return its exit status: 0 done, 1 findings or failure, 2 unusable input.

    `begin` is called when the command's modules are imported.
    """
    words = sys.argv[1:] if argv is None else argv
    status = 0
    try:
        status = _dispatch(words, begin)
        sys.stdout.flush()
        return status
    except InstError as error:
        sys.stderr.write(error.render() + "\n")
        return error.exit_status
    except SystemExit:
        _flush_help()
        raise
    except BrokenPipeError:
        _forget_output()  # the reader has ended
        return 141
    except OSError as error:
        return _lost(error, reported=status == 2)
    except MemoryError:
        sys.stderr.write(NO_MEMORY + "\n")
        return 2
    except KeyboardInterrupt:
        return 130


def _forget_output() -> None:
    """Discard the buffered output, so that the interpreter's flush at exit cannot fail."""
    with contextlib.suppress(io.UnsupportedOperation):  # standard output may be in memory
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _flush_help() -> None:
    try:
        sys.stdout.flush()
    except OSError as error:
        _forget_output()
        if not isinstance(error, BrokenPipeError):
            sys.exit(_lost(error))


def _lost(error: OSError, *, reported: bool = False) -> int:
    """Report that the output, or a named file, could not be written or read."""
    _forget_output()
    if reported:
        return 2
    what = error.filename or "cannot write to standard output"
    sys.stderr.write(f"inst: error: {what}: {error.strerror}\n")
    return 2


def _dispatch(words: list[str], begin: Callable[[], None] | None) -> int:
    command = _command_of(words)
    if command is None:
        _overview().parse_args(words)
        return 0
    name, rest = command
    module, arguments = module_of(name), parser_of(name).parse_args(rest)
    if begin:
        begin()
    return int(module.run(arguments))


def _command_of(words: list[str]) -> tuple[str, list[str]] | None:
    """Return the subcommand and its words; None for inst's own help, version or usage."""
    if words and words[0] in COMMANDS:
        return words[0], words[1:]
    if not words:
        return None if sys.stdin is not None and sys.stdin.isatty() else ("translate", [])
    if words[0] in ("-h", "--help", "--version") or not words[0].startswith("-"):
        return None
    return "translate", words


def _overview() -> argparse.ArgumentParser:
    listed = "\n".join(f"  {name:10} {what}" for name, what in COMMANDS.items())
    parser = Parser(
        prog="inst",
        usage="inst COMMAND [ARGUMENT ...]\n       inst [--target TARGET] < a.s > b.s",
        description=f"Trace every load and store of a program.\n\ncommands:\n{listed}",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"inst {__version__}")
    parser.add_argument("command", metavar="COMMAND", choices=COMMANDS, nargs="?")
    return parser


if __name__ == "__main__":
    sys.exit(main())
