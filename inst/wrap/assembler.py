"""The `as` that the compiler runs: translate, then run the real assembler.

The real assembler reads the rewritten text from its standard input, so the compiler's own
files stay as they are and no temporary file remains.
"""

from __future__ import annotations

import gc
import os
import re
import sys
from contextlib import suppress

from inst.asm.places import translated_file
from inst.common.ending import ended
from inst.common.process import run
from inst.dataclass import dataclass
from inst.errors import InstError, Location
from inst.target.compilers import find_tool
from inst.target.model import Target
from inst.wrap import options
from inst.wrap.arguments import expand
from inst.wrap.origin import keep_line_numbers, point_at_user
from inst.wrap.select import target_of_assembler

_WITH_VALUE = frozenset(
    ("-o", "-I", "-K", "-A", "-G", "-defsym", "--defsym", "--MD", "--debug-prefix-map")
)
_ONLY_REPORTS = frozenset(("--version", "-version", "--help", "--target-help", "--dump-config"))
_SLIM_LTO = re.compile(r"^\s*(?:\.comm\s+|\.globl\s+)_*gnu_lto_slim\b", re.MULTILINE)
_GROWN = re.compile(
    r"^(.+?):(\d+): (?:Error|Warning): (attempt to move \.org backwards"
    r"|value of .* too large for field.*|value .* truncated to .*|operand out of range .*"
    r"|.*repeat count is (?:zero|negative).*)$",
    re.MULTILINE,
)
"""The assembler's messages where code is too long for a place, a field or reserved space."""
_LINES_BY_ASSEMBLER = ("-g", "--g")


@dataclass(frozen=True, slots=True)
class Invocation:
    """An assembler command: which words are inputs, which is the output, what remains."""

    inputs: tuple[str, ...]
    output: str
    others: tuple[str, ...]
    """All the words but inputs and output, in their order."""


def main(arguments: list[str]) -> int:
    """Assemble as requested by the compiler; `arguments[0]` is the program that it ran."""
    gc.disable()
    return ended(lambda: _checked(arguments))


def _checked(arguments: list[str]) -> int:
    """Assemble, after checking the options."""
    options.check_options()
    return assemble(arguments[0], expand(arguments[1:]))


def assemble(own: str, words: list[str]) -> int:
    """Translate the input and run the real assembler on it; return its exit status."""
    invocation = parse(words)
    if _ONLY_REPORTS & set(words):
        return run([find_tool("as", own, None), *words]).status
    target = target_of_assembler(words)
    real = find_tool("as", own, target)
    text = read_inputs(invocation.inputs)
    if _SLIM_LTO.search(text[-400:]):
        return _run_real(real, invocation, text)
    file = display_name(invocation.inputs, text)
    rewritten = translate(text, target, file, invocation, real)
    save_rewritten(rewritten, text, invocation.output)
    return _assemble_both(real, invocation, text, rewritten)


def parse(words: list[str]) -> Invocation:
    """Separate inputs, output and other words of an assembler command."""
    inputs: list[str] = []
    others: list[str] = []
    output = "a.out"
    position = 0
    while position < len(words):
        word = words[position]
        value = words[position + 1 : position + 2]
        if word == "-o" and value:
            output = value[0]
            position += 1
        elif word in _WITH_VALUE:
            others += [word, *value]
            position += 1
        elif word.startswith("-o") and not word.startswith("-on"):
            output = word[2:]
        elif word in ("-", "--") or not word.startswith("-"):
            inputs.append(word)
        else:
            others.append(word)
        position += 1
    return Invocation(tuple(inputs), output, tuple(others))


def read_inputs(inputs: tuple[str, ...]) -> str:
    """Return the text of all inputs, concatenated as the assembler reads them."""
    pieces = []
    for name in inputs or ("-",):
        try:
            if name in ("-", "--"):
                content = sys.stdin.buffer.read()
            else:
                with open(name, "rb") as stream:
                    content = stream.read()
        except OSError as error:
            raise InstError(f"can't open {name} for reading: {error.strerror}") from error
        pieces.append(content.decode("utf-8", "surrogateescape"))
    return "".join(pieces)


def display_name(names: tuple[str, ...], text: str) -> str:
    """Return the name to show for a file: the one in the text rather than a temporary one.

    For a temporary file of the compiler that is the name its -S would have used.
    """
    name = names[0] if names else "-"
    temporary = os.path.dirname(name) == (os.environ.get("TMPDIR") or "/tmp").rstrip("/")
    if temporary or name in ("-", "--"):
        if source := translated_file(text):
            return os.path.splitext(os.path.basename(source))[0] + ".s"
        return name if temporary else "{standard input}"
    return name


def translate(text: str, target: Target, file: str, invocation: Invocation, real: str) -> str:
    """Return the instrumented text; errors name the user's own line where it is known."""
    from inst.translate import translate as translate_text

    left_out: set[str] = set()
    try:
        rewritten = translate_text(text, target, options.translator_options(), file, left_out)
    except InstError as error:
        without = _without_bodies(error, text, target, file, invocation, real)
        return translate(without, target, file, invocation, real)
    if left_out and options.is_bare():
        _list_left_out(left_out, os.path.basename(translated_file(text) or file))
    by_assembler = any(word.startswith(_LINES_BY_ASSEMBLER) for word in invocation.others)
    if by_assembler and "\t.loc " not in text:
        return keep_line_numbers(text, rewritten, file)
    return rewritten


def _list_left_out(names: set[str], file: str) -> None:
    """Print which functions stay as they are: system code has them for a reason, or by mistake."""
    shown = "all of it" if "*" in names else ", ".join(sorted(names))
    print(f"inst: {file}: left as it is by --inst-except or --inst-only: {shown}", file=sys.stderr)


def _without_bodies(
    error: InstError, text: str, target: Target, file: str, invocation: Invocation, real: str
) -> str:
    """Return the text with its macros, loops and conditionals expanded, if that cures the error.

    Otherwise raises the error.
    """
    from inst.wrap import bodies

    if not bodies.are_why(error):
        raise point_at_user(error, text, file) from error
    try:
        without = bodies.expanded(text, target.isa, file, (real, *invocation.others))
    except InstError as other:
        raise point_at_user(other, text, file) from error
    if without is None:
        raise point_at_user(error, text, file) from error
    return without


def save_rewritten(rewritten: str, text: str, output: str) -> None:
    """Write the rewritten assembly to the directory of --inst-keep, if there is one."""
    directory = options.value("keep")
    if not directory:
        return
    from pathlib import Path

    from inst.common.wholefile import whole_file

    name = display_name((output,), text)
    path = Path(directory) / os.path.relpath(os.path.join("/", name), "/")
    path = path.with_suffix(".s")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as stream:
            stream.write(rewritten.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise InstError(f"cannot write {path}: {error.strerror}") from error


def _run_real(real: str, invocation: Invocation, text: str) -> int:
    command = [real, *invocation.others, "-o", invocation.output, "-"]
    return run(command, text=text.encode("utf-8", "surrogateescape")).status


def _refuse_growth(invocation: Invocation, text: str, errors: bytes, before: bytes) -> None:
    """Raise the assembler's message on a line where the longer code no longer fits.

    Lines of the rewritten text have the numbers and line markers of the original's; messages
    that the original gives too, `before`, are ignored.
    """
    known = {found[1:] for found in _GROWN.findall(before.decode("utf-8", "replace"))}
    messages = _GROWN.findall(errors.decode("utf-8", "replace"))
    new = [found for found in messages if found[1:] not in known]
    if not new:
        return
    name, line, message = new[0][0], int(new[0][1]), new[0][2]
    own = name == "{standard input}"
    lines = text.splitlines() if own else _lines_of(name)
    if own and not 0 < line <= len(lines):
        return  # in what inst has added
    source = lines[line - 1] if 0 < line <= len(lines) else ""
    with suppress(FileNotFoundError):
        os.unlink(invocation.output)
    file = display_name(invocation.inputs, text) if own else name
    column = len(source) - len(source.lstrip()) + 1
    error = InstError(
        f"instrumented code no longer fits a length that is computed here: {message}",
        location=Location(file, line, column),
        source=source,
        hint="make room for what inst inserts, or compile this file with INST_DISABLE=1",
    )
    raise point_at_user(error, text, file) if own else error


def _lines_of(name: str) -> list[str]:
    try:
        with open(name, errors="surrogateescape") as stream:
            return stream.read().splitlines()
    except OSError:
        return []


def _assembles(real: str, invocation: Invocation, content: bytes) -> bool:
    """Return whether the assembler takes a text, wherever its object would go."""
    command = [real, *invocation.others, "-o", "/dev/null", "-"]
    return run(command, text=content, keep_output=True, keep_errors=True).status == 0


def _assemble_both(real: str, invocation: Invocation, text: str, rewritten: str) -> int:
    """Assemble the rewritten text; where that gives messages, show those of the original.

    The assembler's messages name lines of what it read. So when it has any, the original text
    is assembled too, for its messages only: those are the ones the plain compiler gives.
    """
    command = [real, *invocation.others, "-o", invocation.output, "-"]
    content = rewritten.encode("utf-8", "surrogateescape")
    finished = run(command, text=content, keep_errors=True)
    if not finished.errors and not finished.status:
        return 0
    plain = run(
        [real, *invocation.others, "-o", "/dev/null", *(invocation.inputs or ("-",))],
        text=text.encode("utf-8", "surrogateescape"),
        keep_errors=True,
        keep_output=True,
    )
    sys.stderr.buffer.write(plain.errors)
    if not plain.status:
        _refuse_growth(invocation, text, finished.errors, plain.errors)
    if finished.status and not plain.status:
        sys.stderr.buffer.write(finished.errors)
        if _assembles(real, invocation, content):
            return finished.status  # only its output could not be written: the disk is full
        raise InstError(
            "the rewritten assembly was refused, though the original is correct",
            hint="this is a defect of inst; --inst-keep=DIR saves the rewritten assembly to report",
        )
    return finished.status
