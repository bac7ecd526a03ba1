"""`inst object`: relocatable objects and archives of them instrumented, or as assembly and back.

The text of an object is checked by its own object: unless that has the same sections,
relocations and symbols, nothing is written.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from inst.common.wholefile import refuse_input, whole_file
from inst.errors import InstError

if TYPE_CHECKING:
    from inst.objects.identity import Assembler, Result
    from inst.objects.model import ObjectFile
    from inst.objects.text import Text


@dataclass(slots=True)
class Summary:
    """What `--json` prints."""

    input: str
    output: str
    objects: int = 0
    sections: int = 0
    symbols: int = 0
    relocations: int = 0
    instructions: int = 0
    """Words of code that have a choice of texts."""
    numbers: int = 0
    """Of these, written as numbers."""
    left: dict[str, str] = field(default_factory=dict)
    """Members of an archive that were not instrumented -> why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `inst object`."""
    add = parser.add_argument
    add("input", metavar="FILE", help="a relocatable object, or an archive of them (.a)")
    form = parser.add_mutually_exclusive_group()
    form.add_argument(
        "--text", action="store_true", help="print the assembly of an object, on standard output"
    )
    form.add_argument(
        "--identity",
        action="store_true",
        help="assemble that text again and write the object or archive to -o",
    )
    add("-o", "--output", metavar="FILE", help="the file to write; required unless --text is given")
    add(
        "-l",
        "--level",
        choices=("addresses", "values"),
        default=os.environ.get("INST_LEVEL") or "values",
        help="what hooks receive (default: addresses and values)",
    )
    add("--json", action="store_true", help="print a summary as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Write the text, or the object or archive that was made of it; return 0.

    Raises InstError: with exit status 2 for input that cannot be read, with 1 for an object whose
    text would not make the same object.
    """
    from inst.objects.identity import NotTheSame
    from inst.wrap.options import check_options

    _check(arguments)
    check_options()
    try:
        return _run(arguments)
    except NotTheSame:
        raise
    except InstError as error:
        error.exit_status = 2
        raise


def _check(arguments: argparse.Namespace) -> None:
    wrong = ""
    if not (arguments.text or arguments.output):
        wrong = "-o FILE is needed for the object"
    elif arguments.json and not arguments.output:
        wrong = "--json needs -o FILE, since standard output has the text"
    if wrong:
        error = InstError(wrong)
        error.exit_status = 2
        raise error
    if arguments.output:
        refuse_input(arguments.output, [arguments.input])


def _run(arguments: argparse.Namespace) -> int:
    from inst.common.elf import file_content
    from inst.objects.archive import is_archive

    name = arguments.input
    content = file_content(name)
    summary = Summary(name, arguments.output or "")
    is_one = not is_archive(content)
    if not (arguments.identity or arguments.text):
        output = _instrumented(name, content, is_one, arguments.level, summary)
    elif is_one:
        result = _same(name, content, {}, summary)
        output = result.text.content() if arguments.text else result.content
    elif arguments.text:
        raise InstError(
            f"{name} is an archive, and --text prints one object",
            hint=f"extract an object with `ar x {name}`",
        )
    else:
        output = _same_archive(name, content, summary)
    if not arguments.output:
        sys.stdout.buffer.write(output)
        return 0
    try:
        with whole_file(Path(arguments.output)) as stream:
            stream.write(output)
    except OSError as error:
        raise InstError(f"cannot write {arguments.output}: {error.strerror}") from error
    for member, reason in summary.left.items():
        print(f"inst: {member} is left as it is: {reason}", file=sys.stderr)
    if arguments.json:
        print(json.dumps(asdict(summary)))
    return 0


def _instrumented(name: str, content: bytes, is_one: bool, level: str, summary: Summary) -> bytes:
    """Return an object or archive instrumented as the options of inst-cc say."""
    from inst.wrap.objects import Instrumenter
    from inst.wrap.options import translator_options

    options = replace(translator_options(), level=level)
    instrumenter = Instrumenter(options, lambda found, text: _count(found, text, summary))
    if is_one:
        return instrumenter.object(name, content)
    output, summary.left = instrumenter.archive(name, content)
    return output


def _same_archive(name: str, content: bytes, summary: Summary) -> bytes:
    """Return the archive with each member taken through assembly and back."""
    from inst.objects.archive import Member, read_members
    from inst.wrap.objects import indexed

    assemblers: dict[str, Assembler] = {}
    members = [
        Member(one.name, _same(f"{name}({one.name})", one.content, assemblers, summary).content)
        for one in read_members(name, content)
    ]
    return indexed(members, assemblers)


def _same(name: str, content: bytes, assemblers: dict[str, Assembler], summary: Summary) -> Result:
    """Take one object through assembly, and count what it consists of."""
    from inst.objects.identity import Assembler, same_object, target_of
    from inst.objects.read import read_object

    found = read_object(name, content)
    target = target_of(found)
    assembler = assemblers.setdefault(target.name, Assembler(target))
    result = same_object(found, assembler)
    _count(found, result.text, summary)
    return result


def _count(found: ObjectFile, text: Text, summary: Summary) -> None:
    summary.objects += 1
    summary.sections += len(found.sections)
    summary.symbols += len(found.symbols) - 1
    summary.relocations += sum(len(section.relocations) for section in found.sections)
    summary.instructions += text.instructions
    summary.numbers += text.numbers
