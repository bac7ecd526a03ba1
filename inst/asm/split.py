"""Cut assembly text into statements; joining their texts restores the input.

Lines of the usual shape (one statement, perhaps a comment) are recognised by one
regular expression per syntax.  Everything else goes to a scanner that knows strings,
character constants and comments; both give the same statements for the same text.
"""

from __future__ import annotations

import functools
import re

from inst.arch.registry import architecture
from inst.asm.model import Kind, Statement
from inst.asm.opaque import mark_opaque
from inst.asm.syntax import Syntax
from inst.asm.tokens import (
    BLANKS,
    BLOCK_COMMENT,
    CHARACTER,
    LATER,
    NAME,
    STRING,
    TEMPLATE_NAME,
)
from inst.dataclass import dataclass
from inst.errors import InstError, Location

_LEAD = re.compile(r"[ \t\f\r]*+")
_LABEL = re.compile(rf"({TEMPLATE_NAME}|{STRING})[ \t\f\r]*+:", re.DOTALL)
_ASSIGNMENT = re.compile(rf"({TEMPLATE_NAME}|{STRING})[ \t\f\r]*+==?+", re.DOTALL)
_DIRECTIVE = re.compile(rf"\.{LATER}*+")
_WORD = re.compile(r"[^ \t\f\r]++")
_PLAIN_NAME = re.compile(NAME)
_BRANCH_SUFFIX = re.compile(r"[ \t\f\r]*+,[ \t\f\r]*+(a|pt|pn)(?![^, \t\f\r])")

_NESTING_DIRECTIVE = re.compile(r"\.(?:macro|rept?|irp[c]?|irepc?|if\w*)")
"""Directives whose bodies the assembler does not read as statements."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The regular expressions of one syntax."""

    line: re.Pattern[str]
    """A line with one statement: group 1 a label, or 2 a name and 3 operands, or blank."""
    piece: re.Pattern[str]
    """A token inside a statement: 1 plain, 2 quoted, 3 /* */, 4 line comment, 5 other."""
    trail: re.Pattern[str]
    """Separators and comments up to the next statement or the end of the line."""
    comment: str
    """Characters that begin a comment where a statement could begin."""
    branch_suffixes: bool
    """Mnemonics may have `,a`, `,pt` and `,pn`, with or without blanks around the comma."""


@dataclass(slots=True)
class Cut:
    """What the scanner found at one position; `begin` is where the name starts."""

    kind: Kind
    name: str
    operands: str
    begin: int
    end: int


def _rules(comment: str, mnemonic_suffix: str, branch_suffixes: bool) -> Rules:
    """Build the rules of a syntax; `comment` begins a comment anywhere on a line."""
    line_comment = rf"[{comment}][^\n]*+"
    start_comment = rf"[\#{comment}][^\n]*+"
    plain = rf"[^\n;\"'/{comment}]"
    line = rf"""[ \t]*+(?:
        ((?:{NAME}|[0-9]++)):[ \t]*+
      | ({NAME}{mnemonic_suffix})(?:[{BLANKS}]++(?![=:,])|(?=[\n{comment}]))
        ({plain}*(?:"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"{plain}*)*)(?:{line_comment})?
      | (?:{start_comment})?
    )\n"""
    piece = rf"({plain}++)|({STRING}|{CHARACTER})|({BLOCK_COMMENT})|({line_comment})|(.)"
    trail = rf"(?:[;{BLANKS}]++|{BLOCK_COMMENT})*(?:{start_comment})?\n?"
    return Rules(
        re.compile(line, re.VERBOSE),
        re.compile(piece, re.DOTALL),
        re.compile(trail),
        "#" + comment,
        branch_suffixes,
    )


@functools.cache
def rules_of(syntax: str) -> Rules:
    """Return the rules of a syntax, compiled when they are first needed."""
    value = architecture(syntax).part(Syntax)
    return _rules(value.comment, value.mnemonic_suffix, value.branch_suffixes)


def split(source: str, syntax: str, file: str = "<stdin>", first_line: int = 1) -> list[Statement]:
    """Return the statements of a file, or of a part that begins with its line `first_line`.

    Syntax is the key of an instruction set.

    Raises InstError where a string, a comment, a macro or a conditional has no end.
    """
    statements, nesting = _split(source, rules_of(syntax), file, first_line)
    if nesting:
        mark_opaque(statements, file)
    return statements


def cut(text: str, syntax: str) -> list[Statement]:
    """Return the statements of a piece of text, whatever bodies begin or end in it."""
    return _split(text, rules_of(syntax), "", 1)[0]


def _split(source: str, rules: Rules, file: str, line: int) -> tuple[list[Statement], bool]:
    """Return the statements and whether directives with bodies are among them.

    This loop sees every line of a program: it is one function to be fast.
    """
    statements: list[Statement] = []
    append = statements.append
    match_line = rules.line.match
    words: dict[str, tuple[Kind, str] | None] = {}
    position = line_start = 0
    while position < len(source):
        match = match_line(source, position)
        if match is not None:
            group = match.lastindex
            end = match.end()
            if group == 3:
                written, operands = match.group(2, 3)
                begin = match.start(2)
                if written in words:
                    word = words[written]
                else:
                    word = words[written] = _usual_word(written)
            elif group == 1:
                word, operands, begin = (Kind.LABEL, match[1]), "", match.start(1)
            else:
                word, operands, begin = (Kind.BLANK, ""), "", position
            if word is not None:
                text = source[position:end]
                operands = operands.rstrip(BLANKS)
                append(Statement(word[0], text, word[1], operands, line, begin - line_start + 1))
                position = line_start = end
                line += 1
                continue
        cut = scan(source, position, rules, file)
        if cut.kind == Kind.DIRECTIVE:
            words.setdefault(cut.name, (Kind.DIRECTIVE, cut.name))
        text = source[position : cut.end]
        column = cut.begin - line_start + 1
        append(Statement(cut.kind, text, cut.name, cut.operands, line, column))
        newlines = text.count("\n")
        if newlines:
            line += newlines
            line_start = position + text.rindex("\n") + 1
        position = cut.end
    return statements, any(_NESTING_DIRECTIVE.fullmatch(word.lower()) for word in words)


def _usual_word(written: str) -> tuple[Kind, str] | None:
    """Return kind and name of a statement's first word, None where the scanner must look."""
    if written[0] != ".":
        return Kind.INSTRUCTION, written.lower()
    if _DIRECTIVE.fullmatch(written):
        return Kind.DIRECTIVE, written.lower()
    return None


def scan(source: str, position: int, rules: Rules, file: str) -> Cut:
    """Read one statement of any shape with what belongs to it."""
    lead = _LEAD.match(source, position)
    begin = lead.end() if lead else position
    if begin == len(source):
        return Cut(Kind.BLANK, "", "", position, begin)
    if source[begin] in "\n;" + rules.comment or source.startswith("/*", begin):
        end = _skip_trail(source, begin, rules)
        if end == begin:
            raise unterminated("comment", source, begin, file)
        return Cut(Kind.BLANK, "", "", begin, end)
    label = _LABEL.match(source, begin)
    if label:
        end = _skip_trail(source, label.end(), rules)
        return Cut(Kind.LABEL, plain_label(label[1]), "", begin, end)
    body, end = _scan_body(source, begin, rules, file)
    kind, name, operands = _divide(body, rules)
    return Cut(kind, name, operands.strip(BLANKS), begin, end)


def _skip_trail(source: str, position: int, rules: Rules) -> int:
    """Return where the next statement's text begins."""
    match = rules.trail.match(source, position)
    return match.end() if match else position


def _scan_body(source: str, begin: int, rules: Rules, file: str) -> tuple[str, int]:
    """Return a statement without its comments, and where the next one begins."""
    parts: list[str] = []
    position = begin
    while match := rules.piece.match(source, position):
        group, text, position = match.lastindex, match[0], match.end()
        if group == 3:
            parts.append(" ")  # a comment separates words
        elif text[0] == "'" and text[-1] in BLANKS and _is_operand_next("".join(parts)):
            parts.append(str(ord(text[-1])))  # a character constant; the blank would get lost
        elif group == 4:
            position += source.startswith("\n", position)
            break
        elif text == "\n":
            break
        elif text == ";":
            position = _skip_trail(source, position, rules)
            break
        elif text == '"':
            raise unterminated("string", source, match.start(), file)
        elif text == "/" and source.startswith("*", position):
            raise unterminated("comment", source, match.start(), file)
        else:
            parts.append(text)
    return "".join(parts).strip(BLANKS), position


def _is_operand_next(before: str) -> bool:
    """Return whether a statement's name and the separator before its operands precede a place."""
    return bool(before.strip(BLANKS)) and not (before[-1].isalnum() or before[-1] in "_.$")


def _divide(body: str, rules: Rules) -> tuple[Kind, str, str]:
    """Distinguish assignment, directive and instruction, and cut the name off."""
    assignment = _ASSIGNMENT.match(body)
    if assignment:
        return Kind.ASSIGNMENT, plain_label(assignment[1]), body[assignment.end() :]
    directive = _DIRECTIVE.match(body)
    if directive:
        return Kind.DIRECTIVE, directive[0].lower(), body[directive.end() :]
    word = _WORD.match(body)
    name, end = (word[0], word.end()) if word else (body, len(body))
    while rules.branch_suffixes and (suffix := _BRANCH_SUFFIX.match(body, end)):
        name, end = f"{name},{suffix[1]}", suffix.end()
    return Kind.INSTRUCTION, name.lower(), body[end:]


def plain_label(written: str) -> str:
    """Return a symbol's name, without quotes where it does not need them."""
    if written.startswith('"') and _PLAIN_NAME.fullmatch(written, 1, len(written) - 1):
        return written[1:-1]
    return written


def unterminated(what: str, source: str, position: int, file: str) -> InstError:
    """Return the error for something that is not closed before the end of the file."""
    line_start = source.rfind("\n", 0, position) + 1
    line_end = source.find("\n", position)
    return InstError(
        f"unterminated {what}: the file ends inside it",
        location=Location(file, source.count("\n", 0, position) + 1, position - line_start + 1),
        source=source[line_start : line_end if line_end >= 0 else len(source)],
        hint="the file is truncated, or the end mark is missing",
    )
