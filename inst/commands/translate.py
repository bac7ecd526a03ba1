"""inst translate: assembly in, instrumented assembly out, as in 1994."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import replace
from pathlib import Path

from inst.common.wholefile import whole_file
from inst.errors import InstError
from inst.target.detect import detect_target
from inst.target.targets import TARGETS


class InputError(InstError):
    """The input cannot be read at all."""

    exit_status = 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `inst translate`."""
    parser.add_argument(
        "-t",
        "--target",
        choices=sorted(TARGETS),
        help="the target of the assembly (default: detected from its directives)",
    )
    parser.add_argument(
        "-l",
        "--level",
        choices=("addresses", "values"),
        default=os.environ.get("INST_LEVEL") or "values",
        help="what hooks receive (default: addresses and values)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")
    parser.add_argument(
        "input", nargs="?", default="-", metavar="FILE", help="default: standard input"
    )


def run(args: argparse.Namespace) -> int:
    """Translate one file; nothing is written unless all of it can be."""
    from inst.translate import translate
    from inst.wrap.options import check_options, translator_options

    check_options()

    source = _read(args.input)
    name = "<stdin>" if args.input == "-" else args.input
    target = TARGETS[args.target] if args.target else detect_target(source, name)
    result = translate(source, target, replace(translator_options(), level=args.level), name)
    _write(args.output, result)
    return 0


def _read(name: str) -> str:
    try:
        content = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"cannot read {name}: {error.strerror}") from error
    return content.decode("utf-8", "surrogateescape")


def _write(name: str | None, text: str) -> None:
    content = text.encode("utf-8", "surrogateescape")
    if name is None or name == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        with whole_file(Path(name)) as stream:
            stream.write(content)
    except OSError as error:
        raise InstError(f"cannot write {name}: {error.strerror}") from error
