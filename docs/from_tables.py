"""The directive `generated`: documentation made from the tables the program runs by.

    ```{generated} rst-records
    ```

What is written here once is not written a second time in a page, so that it cannot be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList


def _table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def _code(text: object) -> str:
    """Return text as code; a bar would end a table's cell."""
    return "`` " + str(text).replace("|", "\\|") + " ``" if text != "" else ""


def _help(command: str) -> str:
    if command == "inst-cc":
        from inst.wrap.cc import usage

        text = usage()
    else:
        from inst.cli import parser_of

        text = parser_of(command).format_help()
    return f"```text\n{text.rstrip()}\n```"


def _place(field: Any) -> str:
    """Write a field's bits as byte.bit ranges, bit 7 being the most significant."""
    if field.text:
        first, width = field.parts[0]
        return f"characters, {width // 8} bytes at {first // 8}"
    parts = []
    for index, (first, width) in enumerate(field.parts):
        last = first + width - 1
        if first % 8 == 0 and width % 8 == 0:
            text = f"u{width} at {first // 8}"
        else:
            text = f"{first // 8}.{7 - first % 8}"
            text += f"-{last // 8}.{7 - last % 8}" if width > 1 else ""
        first = 2012 if index < field.modern_parts else field.since
        parts.append(text + f" ({first // 1000}.{first % 1000:02} on)" * (first > 0))
    shift = f", times {1 << field.signed_shift}, signed" if field.signed_shift > 0 else ""
    return ", ".join(parts) + shift


def _rst_records(_: str) -> str:
    from inst.formats.rst.table import TYPES

    rows = []
    for record in TYPES:
        number = str(record.code) + (
            f", 1.7={record.variant}" if record.variant is not None else ""
        )
        fields = [f"{_code(field.name)} {_place(field)}" for field in record.fields]
        rows.append([number, _code(record.name), "; ".join(fields) or "none"])
    return _table(["type", "name", "fields"], rows)


def _sexp_kinds(_: str) -> str:
    from inst.formats.sexp.table import KINDS

    rows = []
    for kind in KINDS.values():
        fields = [
            f"({field.key} {field.type.upper()})" + "?" * field.optional for field in kind.fields
        ]
        extra = [f"({field.key} {field.type.upper()})" for field in kind.extra]
        rows.append([_code(kind.name), _code(" ".join(fields)), _code(" ".join(extra))])
    return _table(["kind", "fields in order (? may be missing)", "ours, after them"], rows)


def _hooks(_: str) -> str:
    from inst.hooktable import HOOKS, prototype

    rows = [[hook.id, _code(prototype(hook)), hook.description] for hook in HOOKS]
    return _table(["id", "hook", "when"], rows)


def _helpers(_: str) -> str:
    from inst.hooktable import HELPERS, helper_prototype

    rows = [[_code(helper_prototype(helper)), helper.description] for helper in HELPERS]
    return _table(["function", "what it does"], rows)


def _checks(_: str) -> str:
    from inst.check.registry import CHECKS, ON_DEMAND, module

    parts = []
    for name in CHECKS:
        check = module(name)
        rows = [[_code(code), text] for code, text in check.CODES.items()]
        first = (check.__doc__ or "").strip().splitlines()[0]
        first += f" Only with `--only {name}`." if name in ON_DEMAND else ""
        parts += [f"## {name}", "", first, "", _table(["code", "what it means"], rows), ""]
    return "\n".join(parts)


def _filters(_: str) -> str:
    from inst.filter.table import FAMILIES
    from inst.trace import registry

    parts = []
    for family, filters in FAMILIES.items():
        parts += [f"## {family}", ""]
        for row in filters:
            formats = ", ".join(registry.named(each).title for each in row.formats)
            parts += [
                _code(row.usage),
                f": {row.summary} *({formats})* Example: {_code(row.example)}",
                "",
            ]
    return "\n".join(parts)


def _columns(_: str) -> str:
    from inst.trace import event_table

    return (event_table.__doc__ or "").partition("\n\n")[2]


def _bus_columns(_: str) -> str:
    from inst.convert import tables

    return "|" + (tables.__doc__ or "").partition("\n\n|")[2]


def _options(_: str) -> str:
    from inst.wrap.options import OPTIONS, PREFIX

    rows = [
        [_code(PREFIX + option.name), _code(option.variable), option.meaning, _code(option.default)]
        for option in OPTIONS
    ]
    return _table(["option", "variable", "meaning", "default"], rows)


def _ignored(_: str) -> str:
    from inst.diff.ignore import IGNORE

    return _table(["name", "what"], [[_code(name), what] for name, what in IGNORE.items()])


def _browser_keys(_: str) -> str:
    from inst.tui.keys import KEYS, MOVES

    rows = [(key.shown, key.meaning) for key in KEYS]
    return _table(["key", "what it does"], [(_code(key), what) for key, what in [*rows, *MOVES]])


TEXTS: dict[str, Callable[[str], str]] = {
    "checks": _checks,
    "columns": _columns,
    "browser-keys": _browser_keys,
    "bus-columns": _bus_columns,
    "filters": _filters,
    "help": _help,
    "helpers": _helpers,
    "hooks": _hooks,
    "ignored": _ignored,
    "options": _options,
    "rst-records": _rst_records,
    "sexp-kinds": _sexp_kinds,
}


class Generated(Directive):
    """Puts in the Markdown that a function of TEXTS makes from a table."""

    required_arguments = 1
    optional_arguments = 1
    option_spec: ClassVar[dict[str, Any]] = {}

    def run(self) -> list[nodes.Node]:
        """Parse the text where the directive stands."""
        name, *rest = self.arguments
        text = TEXTS[name](*rest or [""])
        holder = nodes.Element()
        holder.document = self.state.document
        lines = StringList(text.splitlines(), source=f"generated {name}")
        self.state.nested_parse(lines, self.content_offset, holder, match_titles=True)
        return holder.children


def setup(app: Any) -> dict[str, bool]:
    """Let Sphinx know the directive."""
    app.add_directive("generated", Generated)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
