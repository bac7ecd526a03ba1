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
    add("-o", "--output", metavar="FILE", help="where to write; needed but for --text")
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
    form = arguments.identity or arguments.text
    if not is_archive(content) and not form:
        output = _instrumented(name, content, {}, arguments.level, summary)
    elif not is_archive(content):
        result = _same(name, content, {}, summary)
        output = result.text.content() if arguments.text else result.content
    elif arguments.text:
        raise InstError(
            f"{name} is an archive, and --text prints one object",
            hint=f"extract an object with `ar x {name}`",
        )
    else:
        output = _archive(name, content, "" if form else arguments.level, summary)
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


def _archive(name: str, content: bytes, level: str, summary: Summary) -> bytes:
    """Return the archive with its members instrumented at a level, or the same if it is ""."""
    from inst.objects.archive import Member, archive_of, read_members, with_index
    from inst.objects.identity import target_of
    from inst.objects.read import read_object

    assemblers: dict[str, Assembler] = {}
    members = []
    for number, one in enumerate(read_members(name, content), 1):
        member = f"{name}({one.name})"
        try:
            if level:
                made = _instrumented(member, one.content, assemblers, level, summary)
            else:
                made = _same(member, one.content, assemblers, summary).content
        except InstError as error:
            if not level:
                raise
            target_of(read_object(member, one.content))  # no archive of other things
            key = f"{member}, member {number}" if member in summary.left else member
            summary.left[key] = error.message.removeprefix(f"{member}: ")
            made = one.content
        members.append(Member(one.name, made))
    archive = archive_of(members)
    for assembler in assemblers.values():
        return with_index(archive, list(assembler.target.compiler))
    return archive


def _instrumented(
    name: str, content: bytes, assemblers: dict[str, Assembler], level: str, summary: Summary
) -> bytes:
    """Return one object instrumented as the options of inst-cc say; count what it consists of."""
    from inst.objects.identity import Assembler, assembled, growing_text, target_of
    from inst.objects.read import read_object
    from inst.translate import translate
    from inst.wrap.options import translator_options

    found = read_object(name, content)
    target = target_of(found)
    assembler = assemblers.setdefault(target.name, Assembler(target))
    text = growing_text(found, assembler)
    source = text.content().decode("utf-8", "surrogateescape")
    rewritten = translate(source, target, replace(translator_options(), level=level), name)
    made = assembled(found, rewritten.encode("utf-8", "surrogateescape"), assembler)
    _count(found, text, summary)
    return made


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
