"""The command line: which subcommand it is, and what every error and signal becomes."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from types import ModuleType

from inst import __version__
from inst.errors import InstError
from inst.usage import Parser

COMMANDS = {
    "cache": "show or clean what is kept of built libraries",
    "check": "check a trace and say what is wrong with it",
    "completion": "print what makes a shell complete inst and inst-cc",
    "convert": "write a trace in another format",
    "diff": "say what differs between two traces",
    "examples": "list the examples, or copy one to the current directory",
    "filter": "select, change, split and merge the records of traces",
    "new-hook": "write the skeleton of a hook library of your own",
    "run": "run a program, under an emulator when it is foreign",
    "stats": "count what is in a trace",
    "symbols": "name the functions and source lines that addresses belong to",
    "translate": "instrument assembly text (what `inst` does without a subcommand)",
    "view": "show the records of a trace, with source lines",
}
"""Every subcommand and what it does; the module has the name with `_` for `-`."""

EXAMPLES = {
    "cache": ("cache", "cache --clean 7", "cache --clear"),
    "check": ("check t.rst --program ./program", "check --only races --only locks t.sexp",
              "check --explain race"),
    "completion": ("completion bash", "completion fish"),
    "convert": ("convert t.rst t.parquet", "convert t.stf.gz t.rst.zst",
                "convert --to chrome --program ./program t.rst t.json"),
    "diff": ("diff a.rst b.rst", "diff --ignore addresses,timestamps a.rst b.rst",
             "diff --events a.rst b.sexp"),
    "examples": ("examples", "examples basket.c"),
    "filter": ("filter 'only load,store | ea 0x1000-0x1fff | sample 1/100' t.rst some.rst",
               "filter 'merge time' a.rst b.rst all.rst", "filter 'split thread' t.sexp t-{}.sexp"),
    "new-hook": ("new-hook mine", "new-hook --table"),
    "run": ("run -o t.rst ./program argument", "run -o t.%p.rst ./program"),
    "stats": ("stats t.rst --program ./program", "stats --html page.html t.rst",
              "stats --json --line 32 --top 50 t.sexp"),
    "symbols": ("symbols ./program 0x100004d8", "symbols ./program < report.txt",
                "symbols --trace t.rst ./program 0x400024d8"),
    "translate": ("translate -t ppc32 < a.s > b.s", "translate -o b.s a.s"),
    "view": ("view t.rst ./program", "view -n 20i --ea 0x1000,0x1fff t.rst",
             "view --as table --type mem-write --thread 1-3 t.sexp", "view -c t.stf.xz"),
}  # fmt: skip
"""What each subcommand's help shows; a test reads every one."""

_EPILOG = """\
compile:    inst-cc powerpc-linux-gnu-gcc -g -O2 program.c -o program
run:        inst run -o program.rst ./program
look:       inst view program.rst ./program
check:      inst check program.rst

`inst COMMAND --help` says more; `inst < a.s > b.s` is `inst translate`.
"""


def main(argv: list[str] | None = None) -> int:
    """Run inst and return its exit status: 0 done, 1 findings or failure, 2 unusable input."""
    words = sys.argv[1:] if argv is None else argv
    status = 0
    try:
        status = _dispatch(words)
        sys.stdout.flush()
        return status
    except InstError as error:
        sys.stderr.write(error.render() + "\n")
        return error.exit_status
    except SystemExit:
        _flush_help()
        raise
    except BrokenPipeError:
        _forget_output()  # the reader has seen enough
        return 141
    except OSError as error:
        return _lost(error, said=status == 2)
    except KeyboardInterrupt:
        return 130


def _forget_output() -> None:
    """The interpreter must not complain at its own flush."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _flush_help() -> None:
    try:
        sys.stdout.flush()
    except OSError as error:
        _forget_output()
        if not isinstance(error, BrokenPipeError):
            sys.exit(_lost(error))


def _lost(error: OSError, *, said: bool = False) -> int:
    """Say that the output, or a file that has a name, could not be written or read."""
    _forget_output()
    if said:
        return 2
    what = error.filename or "cannot write to standard output"
    sys.stderr.write(f"inst: error: {what}: {error.strerror}\n")
    return 2


def _dispatch(words: list[str]) -> int:
    command = _command_of(words)
    if command is None:
        _overview().parse_args(words)
        return 0
    name, rest = command
    return int(_module(name).run(parser_of(name).parse_args(rest)))


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return what reads the arguments of a subcommand."""
    parser = Parser(
        prog=f"inst {name}", description=f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}."
    )
    _module(name).add_arguments(parser)
    lines = "".join(f"\n  inst {line}" for line in EXAMPLES[name])
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{parser.epilog}\n\n" if parser.epilog else ""
    parser.epilog += f"examples:{lines}"
    return parser


def _module(name: str) -> ModuleType:
    return import_module(f"inst.commands.{name.replace('-', '_')}")


def _command_of(words: list[str]) -> tuple[str, list[str]] | None:
    """Tell the subcommand; None when only inst's own help, version or usage is wanted."""
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
