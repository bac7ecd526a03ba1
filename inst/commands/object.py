"""`inst object`: relocatable objects and archives of them as assembly, and back.

The text of an object is checked by its own object: unless that has the same sections,
relocations and symbols, nothing is written.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from inst.common.wholefile import refuse_input, whole_file
from inst.errors import InstError

if TYPE_CHECKING:
    from inst.objects.identity import Assembler, Result


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
    add("-o", "--output", metavar="FILE", help="where to write; --identity needs it")
    add("--json", action="store_true", help="print a summary as one JSON object")


def run(arguments: argparse.Namespace) -> int:
    """Write the text, or the object that was made of it; return 0.

    Raises InstError: with exit status 2 for input that cannot be read, with 1 for an object whose
    text would not make the same object.
    """
    from inst.objects.identity import NotTheSame

    _check(arguments)
    try:
        return _run(arguments)
    except NotTheSame:
        raise
    except InstError as error:
        error.exit_status = 2
        raise


def _check(arguments: argparse.Namespace) -> None:
    wrong = ""
    if not (arguments.text or arguments.identity):
        wrong = "one of --text and --identity is needed"
    elif arguments.identity and not arguments.output:
        wrong = "--identity needs -o FILE for the object"
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
    if not is_archive(content):
        result = _same(name, content, {}, summary)
        output = result.text.content() if arguments.text else result.content
    elif arguments.text:
        raise InstError(
            f"{name} is an archive, and --text prints one object",
            hint=f"extract an object with `ar x {name}`",
        )
    else:
        output = _archive(name, content, summary)
    if not arguments.output:
        sys.stdout.buffer.write(output)
        return 0
    try:
        with whole_file(Path(arguments.output)) as stream:
            stream.write(output)
    except OSError as error:
        raise InstError(f"cannot write {arguments.output}: {error.strerror}") from error
    if arguments.json:
        print(json.dumps(asdict(summary)))
    return 0


def _archive(name: str, content: bytes, summary: Summary) -> bytes:
    from inst.objects.archive import Member, archive_of, read_members, with_index

    assemblers: dict[str, Assembler] = {}
    members = [
        Member(one.name, _same(f"{name}({one.name})", one.content, assemblers, summary).content)
        for one in read_members(name, content)
    ]
    archive = archive_of(members)
    for assembler in assemblers.values():
        return with_index(archive, list(assembler.target.compiler))
    return archive


def _same(name: str, content: bytes, assemblers: dict[str, Assembler], summary: Summary) -> Result:
    """Take one object through assembly, and count what it consists of."""
    from inst.objects.identity import Assembler, same_object, target_of
    from inst.objects.read import read_object

    found = read_object(name, content)
    target = target_of(found)
    assembler = assemblers.setdefault(target.name, Assembler(target))
    result = same_object(found, assembler)
    summary.objects += 1
    summary.sections += len(found.sections)
    summary.symbols += len(found.symbols) - 1
    summary.relocations += sum(len(section.relocations) for section in found.sections)
    summary.instructions += result.text.instructions
    summary.numbers += result.text.numbers
    return result
