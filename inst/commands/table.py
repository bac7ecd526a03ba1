"""The subcommands: what each does, what its help shows, and the parser of its arguments."""

from __future__ import annotations

import argparse
from importlib import import_module
from types import ModuleType

from inst.common.usage import Parser

COMMANDS = {
    "build": "run a build whose inst-cc does not start Python each time",
    "cache": "show or clean the cache of built libraries",
    "check": "check a trace and report what is wrong with it",
    "completion": "print a shell's completions of inst and inst-cc",
    "convert": "write a trace in another format",
    "diff": "report the differences between two traces",
    "dump": "read the ring of a program without an operating system as a trace",
    "examples": "list the examples, or copy one to the current directory",
    "filter": "select, change, split and merge the records of traces",
    "graph": "show which functions call which: text, graph or flame graph",
    "new-hook": "write the skeleton of a hook library of your own",
    "object": "instrument relocatable objects, or take them to assembly and back",
    "query": "answer a question in SQL about a trace",
    "replay": "execute a recording again: every instruction and the registers it changed",
    "report": "list what each function and thread did: calls, accesses, bytes",
    "run": "run a program, under an emulator if its target needs one",
    "stats": "count what is in a trace",
    "symbols": "name the functions and source lines that addresses belong to",
    "translate": "instrument assembly text (what `inst` does without a subcommand)",
    "tui": "browse a trace on the terminal: records, source, calls, findings",
    "view": "show the records of a trace, with source lines",
}
"""Every subcommand and what it does; the module has the name with `_` for `-`."""

EXAMPLES = {
    "build": ("build make -j4", "build ./configure CC='inst-cc powerpc-linux-gnu-gcc'"),
    "cache": ("cache", "cache --clean 7", "cache --clear"),
    "check": ("check t.rst --program ./program", "check --only races --only locks t.sexp",
              "check --explain race"),
    "completion": ("completion bash", "completion fish"),
    "convert": ("convert t.rst t.parquet", "convert t.stf.gz t.rst.zst",
                "convert --to chrome --program ./program t.rst t.json"),
    "diff": ("diff a.rst b.rst", "diff --ignore addresses,timestamps a.rst b.rst",
             "diff --events a.rst b.sexp"),
    "dump": ("dump board.elf memory.bin", "dump --gdb localhost:1234 -o board.sexp board.elf"),
    "examples": ("examples", "examples basket.c"),
    "filter": ("filter 'only load,store | ea 0x1000-0x1fff | sample 1/100' t.rst some.rst",
               "filter 'merge time' a.rst b.rst all.rst", "filter 'split thread' t.sexp t-{}.sexp"),
    "graph": ("graph t.rst ./program", "graph --as svg -o calls.svg t.rst ./program",
              "graph --as dot --weight calls t.rst ./program"),
    "new-hook": ("new-hook mine", "new-hook --table"),
    "object": ("object a.o -o b.o", "object --json libx.a -o liby.a", "object --text a.o",
               "object --identity a.o -o b.o"),
    "query": ("query 'select * from functions limit 5' t.rst --program ./program",
              "query \"select hx(address) as a, count(*) from accesses group by all\" t.rec",
              "query --csv 'from threads' t.sexp.zst"),
    "replay": ("replay -j 2 t.rec -o t.stf.gz", "replay --start 1000 --stop 2000 -m t.rec -o t.stf",
               "replay --start 0x10000544 -r -x t.rec", "replay t.rec -o t.sexp.zst",
               "replay --gdb 2345 t.rec ./program"),
    "report": ("report t.rst ./program",
               "report --function 'parse_*' --sort total t.rst ./program"),
    "run": ("run -o t.rst ./program argument", "run -o t.%p.rst ./program"),
    "stats": ("stats t.rst --program ./program", "stats --html page.html t.rst",
              "stats --json --line 32 --top 50 t.sexp"),
    "symbols": ("symbols ./program 0x100004d8", "symbols ./program < report.txt",
                "symbols --trace t.rst ./program 0x400024d8"),
    "translate": ("translate -t ppc32 < a.s > b.s", "translate -o b.s a.s"),
    "tui": ("tui t.rst ./program", "tui t.sexp.zst"),
    "view": ("view t.rst ./program", "view -n 20i --ea 0x1000,0x1fff t.rst",
             "view --as table --type mem-write --thread 1-3 t.sexp", "view -c t.stf.xz"),
}  # fmt: skip
"""What each subcommand's help shows; a test reads every one."""


def parser_of(name: str) -> argparse.ArgumentParser:
    """Return the parser of a subcommand's arguments."""
    parser = Parser(
        prog=f"inst {name}", description=f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}."
    )
    module_of(name).add_arguments(parser)
    lines = "".join(f"\n  inst {line}" for line in EXAMPLES[name])
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = f"{parser.epilog}\n\n" if parser.epilog else ""
    parser.epilog += f"examples:{lines}"
    return parser


def module_of(name: str) -> ModuleType:
    """Return the module of a subcommand, imported on first use."""
    return import_module(f"inst.commands.{name.replace('-', '_')}")
