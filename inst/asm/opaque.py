"""What cannot be instrumented: macros, repeated blocks, conditionals, other files.

Only the assembler determines what such text expands to.  Bodies that hold no instructions
(data, symbols, debug information) are harmless and pass through untouched; bodies
that hold some are refused, because their accesses would be missing from the trace.
With an assembler such bodies can be expanded before (`inst.asm.expansion`).
Whether numbers in them are data depends on where control goes: `hidden` returns their places.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from inst.asm.model import Kind, Statement, source_line
from inst.asm.tokens import STRING, TEMPLATE_NAME
from inst.dataclass import dataclass
from inst.errors import ErrorList, InstError, Location

OPENERS = {
    ".macro": "macro",
    ".rept": "loop",
    ".rep": "loop",
    ".irp": "loop",
    ".irpc": "loop",
    ".irep": "loop",
    ".irepc": "loop",
}
"""Directives with a body and their families; every `.if...` is of the family "if"."""

CLOSERS = {
    ".endm": "macro",
    ".endr": "loop",
    ".endif": "if",
    ".endc": "if",
}

REFUSED = {
    ".include": (
        "text that .include brings in cannot be instrumented",
        "use #include in a .S file: the preprocessor then brings the text in before inst reads it",
    ),
    ".end": (
        "the assembler ignores everything after .end, what inst has to add included",
        "remove this line and what follows it",
    ),
    ".mri": (
        "assembly in MRI syntax cannot be instrumented",
        "write the file in the assembler's ordinary syntax",
    ),
}
"""Directives that are errors: what is wrong with them and what to do."""

EXPAND_HINT = (
    "inst-cc has the assembler expand such text where it can; else write it out, "
    "let the C preprocessor do it (#define, #if in a .S file), "
    "or compile this file with INST_DISABLE=1"
)

_AWAY = frozenset((".section", ".pushsection", ".subsection", ".data", ".bss"))
_BACK = frozenset((".previous", ".popsection", ".text"))
_MACRO_NAME = re.compile(r"[^ \t\f\r,(]+")
_LABEL_OR_ASSIGNMENT = re.compile(
    rf"[ \t\f\r]*(?:{TEMPLATE_NAME}|{STRING})[ \t\f\r]*[:=]", re.DOTALL
)


class HiddenCode(InstError):
    """Instructions in bodies: seen when these are expanded."""


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A body that a directive opens; bodies are nested in bodies, thousands deep."""

    opener: Statement
    parent: Body | None
    family: str
    macro: str
    """The innermost macro whose definition this is or is in; "" if none."""
    expands: bool
    """Whether this or one around it is a macro or loop."""


Placed = tuple[Statement, Body | None]
"""A statement and the innermost body that contains it."""
LISTED = 100
"""How many errors of one file are listed."""


def mark_opaque(statements: list[Statement], file: str) -> None:
    """Give every statement inside a body the kind OPAQUE, and harmless macro calls too.

    The directives that open and close an outermost body keep their kind.
    """
    placed = place(statements, file)
    macros = _macros(placed, _is_code)
    for statement, body in placed:
        if body or (
            statement.kind == Kind.INSTRUCTION
            and statement.name in macros
            and _culprit(statement.name, macros) is None
        ):
            statement.kind = Kind.OPAQUE


def check_opaque(statements: list[Statement], file: str) -> None:
    """Raise InstError where there are instructions that inst cannot see or cannot instrument."""
    if not any(s.kind == Kind.OPAQUE or s.name in REFUSED for s in statements):
        return
    placed = place(statements, file)
    macros = _macros(placed, _is_code)
    errors = []
    for statement, body in placed:
        complaint = _complaint(statement, body, macros)
        if complaint:
            errors.append(_error(*complaint, statement, statements, file))
            if len(errors) == LISTED:
                break
    if errors:
        raise errors[0] if len(errors) == 1 else ErrorList(errors)


def hidden(
    statements: list[Statement], file: str, is_wanted: Callable[[Statement], bool]
) -> dict[int, str]:
    """Return where bodies expand to wanted statements, and what expands to them.

    That is a wanted statement of a repeated or conditional body, or the invocation of a macro
    that has one.  Statements that a body places in another section are left out.
    """
    placed = place(statements, file)
    here = [placed[position] for position in _staying(placed)]
    macros = _macros(here, lambda one: _is_code(one) or is_wanted(one))
    found = {}
    for position in _staying(placed):
        statement, body = placed[position]
        if statement.kind != Kind.OPAQUE or _macro_of(body):
            continue
        if statement.name in macros:
            culprit = _culprit(statement.name, macros)
            if culprit:
                text = f"`{culprit.text.strip()}` (line {culprit.line})"
                found[position] = f"macro `{statement.name}` brings {text}"
        elif body and is_wanted(statement):
            where = f"{body.opener.name} (line {body.opener.line})"
            found[position] = f"`{statement.text.strip()}` inside {where}"
    return found


def _staying(placed: list[Placed]) -> Iterator[int]:
    """Yield the statements that no section directive of the same body precedes."""
    away: set[str] = set()
    """Macros, and "" for other bodies, that have gone to another section."""
    for position, (statement, body) in enumerate(placed):
        macro = _macro_of(body)
        if body is None:
            away.clear()
        elif statement.name in _AWAY:
            away.add(macro)
        elif statement.name in _BACK:
            away.discard(macro)
        if macro not in away:
            yield position


def place(statements: list[Statement], file: str) -> list[Placed]:
    """Find the bodies that contain each statement; raise InstError if one has no end."""
    placed: list[Placed] = []
    body: Body | None = None
    for statement in statements:
        name = statement.name if statement.kind in (Kind.DIRECTIVE, Kind.OPAQUE) else ""
        if body and CLOSERS.get(name) == body.family:
            body = body.parent
        placed.append((statement, body))
        family = "if" if name.startswith(".if") else OPENERS.get(name, "")
        # The assembler looks for the end of a macro or loop by counting its own kind only.
        if family and (not body or body.family in ("if", family)):
            macro = macro_name(statement) if name == ".macro" else _macro_of(body)
            expands = name in OPENERS or (body is not None and body.expands)
            body = Body(statement, body, family, macro, expands)
    if body:
        message = f"unterminated {body.opener.name}: the file ends inside its body"
        hint = "the file is truncated, or the closing directive is missing"
        raise _error(message, hint, body.opener, statements, file)
    return placed


def _macros(
    placed: list[Placed], matters: Callable[[Statement], bool]
) -> dict[str, list[Statement]]:
    """Return for each macro of the file the statements of its definitions that matter."""
    macros: dict[str, list[Statement]] = {}
    for statement, body in placed:
        if statement.name == ".macro" and (name := macro_name(statement)):
            macros.setdefault(name, [])
        inner = _macro_of(body)
        if inner and matters(statement):
            macros.setdefault(inner, []).append(statement)
    return macros


def _macro_of(body: Body | None) -> str:
    """Return the name of the macro whose definition a body belongs to, "" if none."""
    return body.macro if body else ""


def macro_name(statement: Statement) -> str:
    """Return the name that a .macro directive defines, as it is invoked; "" if there is none."""
    named = _MACRO_NAME.match(statement.operands)
    return named[0].lower() if named else ""


def _is_code(statement: Statement) -> bool:
    """Return whether a statement is an instruction, a macro call or includes unseen text."""
    if statement.kind == Kind.INSTRUCTION:
        return True
    if statement.name in REFUSED:
        return statement.kind in (Kind.DIRECTIVE, Kind.OPAQUE)
    if statement.kind != Kind.OPAQUE or not statement.name or statement.name.startswith("."):
        return False
    return not _LABEL_OR_ASSIGNMENT.match(statement.text)


def _culprit(
    name: str, macros: dict[str, list[Statement]], seen: frozenset[str] = frozenset()
) -> Statement | None:
    """Return an instruction that invoking a macro brings, if there is one."""
    for statement in macros[name]:
        if statement.name not in macros:
            return statement
        if statement.name not in seen:
            found = _culprit(statement.name, macros, seen | {name})
            if found:
                return found
    return None


def _complaint(
    statement: Statement, body: Body | None, macros: dict[str, list[Statement]]
) -> tuple[str, str] | None:
    """Return message and hint if a statement must be refused.

    A macro's definition is harmless by itself: its invocation is what is refused.
    """
    if _macro_of(body) or not _is_code(statement):
        return None
    if statement.name in REFUSED:
        return REFUSED[statement.name]
    if statement.name in macros:
        culprit = _culprit(statement.name, macros)
        if culprit is None:
            return None
        text = f"`{culprit.text.strip()}` (line {culprit.line})"
        return f"macro `{statement.name}` brings instructions inst cannot see: {text}", EXPAND_HINT
    if body:
        opener = body.opener
        message = f"instruction inside {opener.name} (line {opener.line}) cannot be instrumented"
        return message, EXPAND_HINT
    return None


def _error(
    message: str, hint: str, statement: Statement, statements: list[Statement], file: str
) -> InstError:
    """Return an error located at a statement."""
    location = Location(file, statement.line, statement.column)
    kind = HiddenCode if hint == EXPAND_HINT else InstError
    return kind(message, location=location, source=source_line(statements, statement), hint=hint)
