"""The language of pipelines: `only load,store | not ea 1000-1fff | sample 1/100`.

A pipeline is stages between bars. A stage is one filter with its arguments, or selections
combined with not, and, or and parentheses.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyparsing as pp

from inst.errors import InstError, Location
from inst.filter.arguments import Problem, nearest
from inst.filter.model import Filter, Parameter, Predicate
from inst.filter.views import selecting
from inst.trace import registry
from inst.trace.model import Array
from inst.trace.view import TRUE

NAME = "<filter>"
"""The name before line and column in messages about the pipeline."""


@dataclass(frozen=True, slots=True)
class Word:
    """A piece of the pipeline's text and where it begins."""

    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Call:
    """A filter's name and the arguments after it."""

    name: Word
    arguments: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Not:
    operand: Node


@dataclass(frozen=True, slots=True)
class Both:
    """Two or more selections between `and`, or between `or`."""

    operator: str
    operands: tuple[Node, ...]


Node = Call | Not | Both


@dataclass(frozen=True, slots=True)
class Resolved:
    """One stage of a pipeline, ready to run."""

    filter: Filter | None
    """The table's row; None for selections."""
    make: Any
    """A Stage, Merge or Split."""
    names: tuple[tuple[Filter, int], ...]
    """Every filter in the stage and its place in the text."""


def _word(_source: str, place: int, tokens: pp.ParseResults) -> Word:
    return Word(str(tokens[0]), place)


def _combine(operator: str, tokens: pp.ParseResults) -> Node:
    operands = tuple(tokens)
    return operands[0] if len(operands) == 1 else Both(operator, operands)


@functools.cache
def _grammar() -> pp.ParserElement:
    """Return the grammar; a word is not a keyword, and may be a comma list."""
    item = r'(?:"[^"]*"|[^\s|(),"])+'
    keyword = r"(?!(?:not|and|or)(?![^\s|()]))"
    word = pp.Regex(rf"{keyword}{item}(?:\s*,\s*{item})*").set_name("an argument")
    name = pp.Regex(rf"{keyword}[^\s|(),\"]+").set_name("a filter")
    word.add_parse_action(_word)
    name.add_parse_action(_word)
    not_, and_, or_, left, right, bar = (
        pp.Suppress(pp.Keyword(text) if text.isalpha() else pp.Literal(text).set_name(f"'{text}'"))
        for text in ("not", "and", "or", "(", ")", "|")
    )
    expression = pp.Forward()
    call = (name + word[...]).add_parse_action(lambda t: Call(t[0], tuple(t[1:])))
    factor = pp.Forward()
    group = left - expression - right
    negated = (not_ - factor).add_parse_action(lambda t: Not(t[0]))
    factor <<= (negated | group | call).set_name("a filter")
    both = (factor + (and_ - factor)[...]).add_parse_action(lambda t: _combine("and", t))
    expression <<= (both + (or_ - both)[...]).add_parse_action(lambda t: _combine("or", t))
    return pp.Opt(expression + (bar - expression)[...]) + pp.StringEnd()


def _error(source: str, place: int, message: str, hint: str = "") -> InstError:
    before = source[:place]
    line = before.count("\n") + 1
    column = place - (before.rfind("\n") + 1) + 1
    shown = (source.splitlines() or [""])[line - 1] if line <= len(source.splitlines()) else ""
    return UsageError(message, location=Location(NAME, line, column), source=shown, hint=hint)


class UsageError(InstError):
    """A pipeline that cannot be run."""

    exit_status = 2


def parse(source: str) -> tuple[Node, ...]:
    """Return the stages of a pipeline as trees."""
    try:
        return tuple(_grammar().parse_string(source, parse_all=True))
    except pp.ParseBaseException as error:
        place = len(source) - len(source[error.loc :].lstrip())
        rest = source[place:]
        found = f"{rest.split()[0]!r}" if rest.strip() else "the end"
        wanted = (
            "a filter, '|' or the end"
            if "end of text" in error.msg
            else error.msg.removeprefix("Expected ")
        )
        raise _error(source, place, f"expected {wanted} but found {found}") from None


def resolve(source: str, filters: dict[str, Filter]) -> list[Resolved]:
    """Return a pipeline's stages, their names looked up and their arguments read."""
    stages = []
    nodes = parse(source)
    for number, node in enumerate(nodes):
        names: list[tuple[Filter, int]] = []
        if isinstance(node, Call) and _row(source, node, filters).kind != "select":
            row = _row(source, node, filters)
            if row.kind == "merge" and number:
                raise _error(source, node.name.place, f"{row.name!r} must be the first filter")
            if row.kind == "split" and number < len(nodes) - 1:
                raise _error(source, node.name.place, f"{row.name!r} must be the last filter")
            stages.append(Resolved(row, _made(source, node, row), ((row, node.name.place),)))
            continue
        predicate = _predicate(source, node, filters, names)
        kinds = {row.name for row, _ in names}
        explain = bool(kinds & {"thread", "cpu"}) and "drop" not in kinds
        stages.append(Resolved(None, selecting(predicate, explain=explain), tuple(names)))
    return stages


def _row(source: str, call: Call, filters: dict[str, Filter]) -> Filter:
    found = filters.get(call.name.text)
    if found is None:
        hint = nearest(call.name.text, list(filters)) or "`inst filter --list` names them all"
        raise _error(source, call.name.place, f"no filter is called {call.name.text!r}", hint)
    return found


def _predicate(
    source: str, node: Node, filters: dict[str, Filter], names: list[tuple[Filter, int]]
) -> Predicate:
    if isinstance(node, Call):
        row = _row(source, node, filters)
        if row.kind != "select":
            selections = ", ".join(name for name, each in filters.items() if each.kind == "select")
            message = f"{row.name!r} selects nothing: not, and, or do not apply to it"
            raise _error(source, node.name.place, message, f"selections are {selections}")
        names.append((row, node.name.place))
        made: Predicate = _made(source, node, row)
        return made
    if isinstance(node, Not):
        return _negation(_predicate(source, node.operand, filters, names))
    parts = [_predicate(source, each, filters, names) for each in node.operands]
    return _combination(node.operator, parts)


def _negation(predicate: Predicate) -> Predicate:
    return lambda view: TRUE - predicate(view)


def _combination(operator: str, parts: list[Predicate]) -> Predicate:
    fold = np.minimum if operator == "and" else np.maximum

    def verdict(view: Any) -> Array:
        result = parts[0](view)
        for part in parts[1:]:
            result = fold(result, part(view))
        return result

    return verdict


def _made(source: str, call: Call, row: Filter) -> Any:
    """Read the arguments of a call and make the filter."""
    values: dict[str, Any] = {}
    by_name = {parameter.name: parameter for parameter in row.parameters}
    waiting = list(row.parameters)
    for word in call.arguments:
        parameter, text, place = _parameter(source, word, row, by_name, waiting)
        if parameter.name in values:
            raise _error(source, word.place, f"{row.name}: {parameter.name} is given twice")
        if parameter in waiting:
            waiting.remove(parameter)
        try:
            values[parameter.name] = parameter.read(text)
        except Problem as problem:
            message = f"{row.name}: {problem.message}"
            raise _error(source, place + problem.offset, message, problem.hint) from None
    for parameter in waiting:
        if parameter.required:
            end = call.arguments[-1] if call.arguments else call.name
            place = end.place + len(end.text)
            message = f"{row.name}: expected {parameter.shape} after it"
            raise _error(source, place, message, f"for example: {row.example}")
        values[parameter.name] = parameter.default
    return row.make(*(values[parameter.name] for parameter in row.parameters))


def _parameter(
    source: str, word: Word, row: Filter, by_name: dict[str, Parameter], waiting: list[Parameter]
) -> tuple[Parameter, str, int]:
    """Return which parameter a word is for: by its name, or by its position."""
    name, equals, value = word.text.partition("=")
    if equals and name in by_name:
        return by_name[name], value, word.place + len(name) + 1
    if equals and name.isidentifier() and not (waiting and waiting[0].required):
        hint = nearest(name, list(by_name)) if by_name else f"usage: {row.usage}"
        raise _error(source, word.place, f"{row.name} has no argument {name!r}", hint)
    if not waiting:
        message = f"{row.name}: {word.text!r} is one argument too many"
        raise _error(source, word.place, message, f"usage: {row.usage}")
    return waiting[0], word.text, word.place


def require_formats(stages: list[Resolved], source: str, formats: set[str]) -> None:
    """Refuse filters that a trace's format has nothing for."""
    for stage in stages:
        for row, place in stage.names:
            for missing in sorted(formats - set(row.formats)):
                works = " and ".join(registry.named(each).title for each in row.formats)
                message = f"{row.name!r} does not work on {registry.named(missing).title}"
                hint = f"it works on {works}" + (f": {row.reason}" if row.reason else "")
                raise _error(source, place, message, hint)
