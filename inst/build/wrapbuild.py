"""Building an archive of wrappers that is not in the cache (`inst.build.wraplibrary`).

A link takes the members of the functions it uses and no others, or it would need functions
that are never called.  Compiling hundreds of files is slow, so all wrappers from the tables are
compiled as one file, and the assembly is split at marks.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from inst.calls import long_time
from inst.calls.atomics import ATOMICS
from inst.calls.atomics import PREFIX as ATOMIC
from inst.calls.formatted import FORMATTED
from inst.calls.functions import FUNCTIONS, LONG_TIME, argument_names, read_ranges
from inst.calls.locking import LOCKING
from inst.calls.openmp import constructs
from inst.calls.operators import OPERATORS
from inst.calls.quadruple import PREFIX as QUADRUPLE
from inst.calls.streams import use_of
from inst.calls.wraptable import OWN_FILES
from inst.errors import InstError
from inst.paths import data
from inst.target.archives import pack
from inst.target.model import Target
from inst.target.tools import run_tool

if TYPE_CHECKING:
    from jinja2 import Environment

_TOGETHER = ("-O1", "-fno-toplevel-reorder", "-ffunction-sections")
"""Functions stay between the marks around them, and each names its section."""
_NAMES = re.compile(r"\b__(wrap|real)_(\w+)")
"""As C has them; in the object file they are inst.wrap.NAME and NAME."""
_END = '\t.section\t.note.GNU-stack,"",@progbits\n'
"""The compiler prints it once, at the end."""
_MARK = "inst-member "
_SHARED = "_"
"""The name after the last mark, before what several functions use."""
_GROUP = re.compile(
    r"^\s*\.section\b.*,([\w.$]+),comdat\n"
    r"(?:(?!\s*\.(?:section|ident)\b|\s*\.hidden\s+(?!\1\n)).*\n)*",
    re.M,
)
"""A COMDAT group, up to directives that are not part of it, as others' visibility."""
_MARKS = re.compile(rf"^.*{_MARK}(\w+).*\n", re.M)
_WRONG_LINE = re.compile(r"^together\.c:(\d+):\d+: (?:fatal )?error: ", re.M)
_WRONG_FILE = re.compile(r"^(\w+)\.c:\d+:\d+: (?:fatal )?error: ", re.M)
_IN_OBJECT = re.compile(r"(\w+\.o): in function ")
_UNRESOLVED = re.compile(r"undefined reference to `([^']+)'")
_ELSEWHERE = ("inst", "_Z", ATOMIC, "GOMP_", "omp_")
"""Prefixes of names in the hook library, in that of C++, in libatomic and in libgomp."""
_WORD = re.compile(r"[\w.$]+")
_DEFINED = re.compile(r"^([\w.$]+)(?::|\s*=)", re.M)
_EXPORTED = re.compile(r"^\t\.globa?l\s+([\w.$]+)", re.M)


def build(command: list[str], target: Target, scratch: Path) -> Path:
    """Return the archive of wrappers for a target, built in a directory that is given."""
    sources = scratch / "c"
    sources.mkdir()
    pieces: dict[str, str] = {}
    is_glibc = _is_glibc(command)
    for made in _all_made(target, is_glibc):
        pieces |= _compiled_as_one(command, (*_TOGETHER, target.separable), made, sources)
        _write_alone(command, made, pieces, sources)
    for name in OWN_FILES:
        shutil.copy(data("runtime") / "wrap" / f"{name}.c", sources)
    for path in (data("runtime") / "wrap").glob("*.h"):
        shutil.copy(path, sources)
    _write_again(target, sources)
    _compile_each(command, sources)
    pieces |= {path.stem: path.read_text() for path in sources.glob("*.s")}
    for name, text in pieces.items():
        (sources / f"{name}.s").write_text(_NAMES.sub(_linked_name, text))
    run_tool([*command, "-c", *(f"{name}.s" for name in sorted(pieces))], sources)
    if not is_glibc:
        _leave_out_unresolved(command, sources)
    return pack(command, scratch / "wrappers.a", sorted(sources.glob("*.o")))


def _write_alone(command: list[str], made: _Made, pieces: dict[str, str], directory: Path) -> None:
    """Write a file of its own for each wrapper that could not be split from the others."""
    alone = made.functions.keys() - pieces.keys()
    if alone:
        (directory / made.file).write_text(made.headers)
        run_tool([*command, "-x", "c-header", made.file, "-o", f"{made.file}.gch"], directory)
    for name in alone:
        (directory / f"{name}.c").write_text(made.alone(name))


def _write_again(target: Target, directory: Path) -> None:
    """Write the separate files that are compiled again with other macros."""
    for file, needed, names in long_time.COMPILED_AGAIN:
        if needed == long_time.LONG_TIME and not target.may_have_long_time:
            continue
        renamed = (
            f"#define __{what}_{old} __{what}_{new}\n"
            for old, new in names.items()
            for what in ("wrap", "real")
        )
        text = f'{_of_64_bits(needed)}{"".join(renamed)}#include "{file}.c"\n'
        (directory / f"{file}_{len(needed)}.c").write_text(text)


def _of_64_bits(macros: Iterable[str]) -> str:
    return "".join(f"#define {name} 64\n" for name in macros)


def _is_glibc(command: list[str]) -> bool:
    """Return whether the compiler's C library is glibc, which has all that is wrapped."""
    headers = ["-include", "stdlib.h", "-x", "c", "/dev/null"]
    return b"#define __GLIBC__ " in run_tool([*command, "-E", "-dM", *headers])


def _leave_out_unresolved(command: list[str], directory: Path) -> None:
    """Remove the wrappers of functions that this C library does not have.

    A link of all of them reports which those are; some names are in other libraries.
    """
    objects = sorted(path.name for path in directory.glob("*.o"))
    link = [*command, "-Wl,--no-demangle", "-static", "-nostartfiles", "-o", "all", *objects]
    try:
        run_tool([*link, "-lm"], directory)
    except InstError as error:
        file = ""
        for line in error.message.splitlines():
            named = _IN_OBJECT.search(line)
            file = named[1] if named else file
            missing = _UNRESOLVED.search(line)
            if missing and file and not missing[1].startswith(_ELSEWHERE):
                (directory / file).unlink(missing_ok=True)


def _linked_name(found: re.Match[str]) -> str:
    return f"inst.wrap.{found[2]}" if found[1] == "wrap" else found[2]


@dataclass(frozen=True, slots=True)
class _Made:
    """The C of the wrappers that are made from tables."""

    headers: str
    functions: dict[str, str]
    file: str = "together.h"
    """Where those that are compiled alone find the headers, compiled: these are half the work."""

    def alone(self, name: str) -> str:
        """Return a file with one of them; where gcc has compiled the headers, it reads that."""
        return f'#include "{self.file}"\n{self.functions[name]}'

    def leave_out(self, names: set[str], error: InstError) -> None:
        """Take functions out; none to take out means that the error is another's."""
        chosen = names & self.functions.keys()
        if not chosen:
            raise error
        for name in chosen:
            del self.functions[name]

    def together(self) -> str:
        """Return a file with all of them, each after a mark."""
        texts = self.functions | {_SHARED: ""}
        marked = (f'__asm__("#{_MARK}{name}");\n{text}\n' for name, text in texts.items())
        return self.headers + "".join(marked)


def _compiled_as_one(
    command: list[str], options: Iterable[str], made: _Made, directory: Path
) -> dict[str, str]:
    """Return the assembly of each wrapper that can be split from that of all.

    Functions that the C library's headers do not declare, or declare otherwise, are taken out
    of `made`: programs cannot call the former, and the latter need no wrapper.
    """
    together = directory / "together.c"
    while True:
        together.write_text(made.together())
        try:
            text = run_tool([*command, *options, "-S", together.name, "-o", "-"], directory)
        except InstError as error:
            made.leave_out(_refused(error, made.together()), error)
        else:
            together.unlink()
            return cut(text.decode())


def _refused(error: InstError, text: str) -> set[str]:
    """Return the functions after whose marks the compiler found errors."""
    wrong = {int(line) for line in _WRONG_LINE.findall(error.message)}
    found: set[str] = set()
    name = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = _MARKS.match(line + "\n")
        name = mark[1] if mark else name
        if number in wrong and name:
            found.add(name)
    return found


def _compile_each(command: list[str], directory: Path) -> None:
    """Compile the separate files; those that this C library does not support are left out."""
    while True:
        names = sorted(path.name for path in directory.glob("*.c"))
        try:
            run_tool([*command, "-S", *names], directory)
            return
        except InstError as error:
            wrong = {f"{name}.c" for name in _WRONG_FILE.findall(error.message)} & {*names}
            if not wrong or any(OWN_FILES.get(name[:-2]) == () for name in wrong):
                raise
            for name in wrong:
                (directory / name).unlink()


def cut(text: str) -> dict[str, str]:
    """Split assembly at the marks; leave out parts that depend on another part.

    What precedes the first mark is for all. The COMDAT groups after the last one are for those that
    use them: of the groups of one name a link takes one.
    """
    head, *rest = _MARKS.split(text)
    local = {*_DEFINED.findall(text)} - {*_EXPORTED.findall(text)}
    *parts, (_, shared) = zip(rest[::2], rest[1::2], strict=True)
    groups = _groups(shared)
    pieces = {}
    for name, body in parts:
        missing = (local & {*_WORD.findall(body)}) - {*_DEFINED.findall(head + body)}
        if missing <= groups.keys():
            pieces[name] = head + body + "".join(groups[one] for one in sorted(missing)) + _END
    return pieces


def _groups(text: str) -> dict[str, str]:
    """Return the COMDAT groups by their names, with what is said of that symbol before them."""
    found = {}
    for group in _GROUP.finditer(text):
        before = text[: group.start()].splitlines(keepends=True)
        of_symbol = [line for line in before if line.split()[1:] == [group[1]]]
        found[group[1]] = "".join(of_symbol) + group[0]
    return found


def _all_made(target: Target, is_glibc: bool) -> Iterator[_Made]:
    """Yield the wrappers that are made from tables, those with the same types together."""
    yield _made(target)
    if target.may_have_long_time:
        yield made_for_long_time(is_glibc)


def _templates() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(loader=FileSystemLoader(data("runtime") / "wrap"), undefined=StrictUndefined)


def _made(target: Target) -> _Made:
    """Return the C of each wrapper that is made from a row of a table and that a target can use."""
    environment = _templates()
    rows = (
        ("function.c.j2", FUNCTIONS),
        ("order.c.j2", LOCKING),
        ("openmp.c.j2", constructs()),
        ("operator.c.j2", OPERATORS),
        ("atomic.c.j2", ATOMICS),
    )
    functions = {
        name: environment.get_template(template).render(function=one)
        for template, rows_of_it in rows
        for name, one in rows_of_it.items()
        if target.quadruple or not name.startswith(QUADRUPLE)
    }
    template = environment.get_template("formatted.c.j2")
    for one in FORMATTED:
        written = read_ranges(one.writes)
        functions[one.name] = template.render(
            function=one,
            before=read_ranges(one.reads),
            written=written,
            arguments=argument_names(one.parameters),
            stream=use_of(one.name, one.parameters, tuple(part.pointer for part in written)),
        )
    return _Made(_headers(one.header for _, table in rows for one in table.values()), functions)


def made_for_long_time(is_glibc: bool) -> _Made:
    """Return the C of the wrappers of functions that are called where time has 64 bits."""
    environment = _templates()
    order = {
        name: replace(LOCKING[short], name=name)
        for name, short in long_time.ALL_NAMES.items()
        if short in LOCKING
    }
    rows = (("function.c.j2", LONG_TIME), ("order.c.j2", order))
    functions = {
        name: environment.get_template(template).render(function=one)
        for template, table in rows
        for name, one in table.items()
        if not is_glibc or name not in long_time.MUSL
    }
    headers = _headers(one.header for _, table in rows for one in table.values())
    return _Made(_of_64_bits(long_time.LONG_TIME) + headers, functions, "long_time.h")


def _headers(named: Iterable[str]) -> str:
    """Return the lines that include what the wrappers need, each once: what there is of it."""
    own = ("<inst/wrap.h>", "<inst/formats.h>", "<inst/lock_order.h>", "<inst/streams.h>",
           "<inst/atomics.h>", "<inst/entries.h>")  # fmt: skip
    always = ("<signal.h>", "<stdio.h>", "<sys/types.h>", "<wchar.h>")
    found = dict.fromkeys((*always, *" ".join(named).split(), *own))
    return "".join(f"#if __has_include({one})\n#include {one}\n#endif\n" for one in found)
