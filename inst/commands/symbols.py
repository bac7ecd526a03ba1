"""`inst symbols`: the function and source line that addresses of a program belong to.

Addresses are on the command line, or anywhere in a text, such as the output of a hook library.
Those of a position-independent program count from where it was loaded: `base=0x...` in the text
(hooks get it from getbase) names that address, or an option, or the image in a trace.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from inst.errors import InstError
from inst.program.demangle import add_option, demangle, demangled

if TYPE_CHECKING:
    from inst.program.program import Program
from inst.trace.place import Place

_NUMBER = re.compile(r"(?<![\w.])0[xX][0-9a-fA-F]{1,16}(?!\w)")
_BASE = re.compile(r"(?<!\w)base=(0[xX][0-9a-fA-F]{1,16})(?!\w)")
_UNKNOWN = 1
Find = Callable[[int], "Place | None"]


def parse_address(text: str) -> int:
    """Read a hexadecimal number, with or without 0x."""
    try:
        return int(text, 16)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not an address in hexadecimal") from None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst symbols`."""
    add = parser.add_argument
    add("program", metavar="PROGRAM", help="the program or shared object, with its symbols")
    add(
        "addresses",
        nargs="*",
        type=parse_address,
        metavar="ADDRESS",
        help="in hexadecimal; without any, standard input is copied, and each 0x... that lies in a "
        "function is followed by its place",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--base",
        type=parse_address,
        metavar="ADDRESS",
        help="where the program's first byte was in memory (default: base=0x... in the text; for "
        "addresses on the command line, where the linker has put it)",
    )
    where.add_argument("--trace", metavar="FILE", help="take the base from a trace of that run")
    add_option(parser)
    add("--json", action="store_true", help="print one JSON object for each ADDRESS")


def run(arguments: argparse.Namespace) -> int:
    """Print places; return 1 when an address given lies nowhere in the program.

    Raises InstError, with exit status 2, for a program or a trace that cannot be read.
    """
    try:
        return _run(arguments)
    except InstError as error:
        error.exit_status = 2
        raise


def _run(arguments: argparse.Namespace) -> int:
    from inst.program.program import Program

    program = Program(arguments.program)
    if arguments.demangle and not arguments.trace:
        demangled(program.names())  # all at once: it takes a process
    find = _finder(program, arguments)
    if arguments.addresses:
        return _print_places(arguments.addresses, find, as_json=arguments.json)
    if arguments.json:
        raise InstError("--json needs addresses on the command line")
    lines = (line.decode("utf-8", "surrogateescape") for line in sys.stdin.buffer)
    for line in _explained(lines, program, find, arguments):
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape"))
    return 0


def _finder(program: Program, arguments: argparse.Namespace) -> Find | None:
    """Return the locator of run-time addresses; None if only a text can contain the base."""
    if arguments.trace:
        return _by_trace(program, arguments)
    if arguments.base is not None:
        return _by_base(program, arguments.base, arguments)
    if arguments.addresses or not program.relocatable:
        return _by_base(program, program.start, arguments)
    return None


def _by_base(program: Program, base: int, arguments: argparse.Namespace) -> Find:
    bias = base - program.start if program.relocatable else 0

    def find(address: int) -> Place | None:
        linked = address - bias
        if not program.start <= linked < program.end:
            return None
        place = program.place(linked)
        name = demangle(place.function) if arguments.demangle else place.function
        same = name == place.function
        return place if same else replace(place, function=name, symbol=place.function)

    return find


def _by_trace(program: Program, arguments: argparse.Namespace) -> Find:
    """Read a trace up to the first image that it names."""
    from inst.program.program import Locator
    from inst.trace import open_trace

    path = arguments.trace
    trace = open_trace(path)
    try:
        for _ in trace.batches():
            if trace.facts.images:
                return Locator([program], trace, demangle=arguments.demangle)
    finally:
        trace.close()
    raise InstError(
        f"{path} does not state where its program was loaded", hint="use --base ADDRESS"
    )


def _print_places(addresses: Iterable[int], find: Find | None, *, as_json: bool) -> int:
    status = 0
    for address in addresses:
        place = find(address) if find else None
        if place is None or not str(place):
            place, status = None, _UNKNOWN
        print(json.dumps(_object(address, place)) if as_json else f"{address:#x} {place or '?'}")
    return status


def _object(address: int, place: Place | None) -> dict[str, object]:
    found: dict[str, object] = {"address": address}
    if place is not None:
        found |= {"function": place.function, "offset": place.offset}
        found |= {"file": place.file, "line": place.line, "text": place.text}
        found |= {"symbol": place.symbol} if place.symbol else {}
    return found


def _explained(
    lines: Iterable[str], program: Program, find: Find | None, arguments: argparse.Namespace
) -> Iterator[str]:
    """Yield the lines with places after addresses; each base counts up to the next one."""
    settled = find is not None
    for line in lines:
        base = _BASE.search(line)
        if not settled and base:
            find = _by_base(program, int(base[1], 16), arguments)
        if find is None and _NUMBER.search(line):
            raise InstError(
                f"{program.path} may be loaded anywhere, and the text has an address before any "
                "base=0x...",
                hint="use --base ADDRESS, which getbase() returns in hooks, or --trace FILE",
            )
        yield _NUMBER.sub(_placed(find), line) if find and not base else line


def _placed(find: Find) -> Callable[[re.Match[str]], str]:
    def replaced(found: re.Match[str]) -> str:
        place = find(int(found[0], 16))
        return f"{found[0]} {place}" if place is not None and place.function else found[0]

    return replaced
