"""`inst new-hook NAME` writes a new hook library; its options print texts made from the table."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from inst.build.hookparts import CXX_SUFFIXES
from inst.errors import InstError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `inst new-hook`."""
    parser.description = "Write NAME.c, a hook library that compiles, with every hook explained."
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="name of the new library; NAME.cc is C++"
    )
    parser.add_argument("--force", action="store_true", help="overwrite the file")
    parser.add_argument("--header", action="store_true", help="print inst/hooks.h instead")
    parser.add_argument("--table", action="store_true", help="print the hooks in Markdown instead")


def run(args: argparse.Namespace) -> int:
    """Write the skeleton, or print a text made from the table of hooks."""
    from inst.glue import texts

    if args.header or args.table:
        sys.stdout.write(texts.header() if args.header else texts.documentation())
        return 0
    path = _path_for(args.name)
    _write_new(path, texts.skeleton(path.stem), args.force)
    print(f"wrote {path}; try: INST_HOOKS=./{path} inst-cc powerpc-linux-gnu-gcc -O2 main.c")
    return 0


def _path_for(name: str | None) -> Path:
    if name is None:
        raise InstError("new-hook needs a name", hint="inst new-hook mytrace writes mytrace.c")
    suffix = next((one for one in sorted(CXX_SUFFIXES) if name.endswith(one)), ".c")
    stem = name.removesuffix(suffix)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", stem):
        raise InstError(f"{name!r} cannot name a hook library", hint="use letters, digits, _ and -")
    return Path(f"{stem}{suffix}")


def _write_new(path: Path, text: str, force: bool) -> None:
    try:
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InstError(f"{path} already exists", hint="--force overwrites it") from None
    except OSError as error:
        raise InstError(f"{path}: {error.strerror}") from None
