"""A hook library's own files: compiled, compared with the table of hooks, joined with objects."""

from __future__ import annotations

import re
from pathlib import Path

from inst.build.hookparts import CXX_SUFFIXES, Parts, own_command
from inst.common.elf import Elf
from inst.errors import InstError
from inst.glue.declared import check_functions, nearest, unknown_hint
from inst.glue.functions import functions_of
from inst.glue.members import Joined
from inst.glue.variants import GUARDED, OWN, Variant
from inst.hooktable import BY_NAME
from inst.target.model import Target
from inst.target.tools import compiler_tool, run_tool

_DEBUGGING = ("-w", "-gdwarf-4", "-gz=none")
"""Options for compiling sources to find what they declare."""
_NEEDS_LIBRARY = re.compile(r"operator |std::|__cxa_|__gxx_|_Unwind_|__cxxabiv1|__dso_handle")
_CONSTRUCTORS = re.compile(r"^_GLOBAL__sub_I_", re.M)
_ANNOTATION = re.compile(r"\[.*?\]")
_CXX_HOOK = re.compile(
    rf"(?<![\w$])_Z(?:{'|'.join(f'{len(n)}{n}' for h in BY_NAME for n in (h, OWN + h))})(?!I)\w+"
)
"""The C++ (mangled) name of a hook that is not declared `extern "C"`."""


def cxx_names(assembly: str) -> str:
    """Return assembly of C++ with hooks under the names that C gives them."""

    def plain(found: re.Match[str]) -> str:
        return re.sub(r"^_Z\d+", "", found[0])[: _length(found[0])]

    return _CXX_HOOK.sub(plain, assembly)


def _length(mangled: str) -> int:
    digits = re.match(r"_Z(\d+)", mangled)
    return int(digits[1]) if digits else 0


def refuse_constructors(source: Path, assembly: str) -> None:
    """Refuse what C++ would have to initialise before main: hooks run earlier than that."""
    if source.suffix in CXX_SUFFIXES and _CONSTRUCTORS.search(assembly):
        raise InstError(
            f"{source} has variables that code must initialise before main; hooks run earlier",
            hint="make them constant expressions (constinit names those that are not), or "
            "initialise them in inithook",
        )


def check_declarations(parts: Parts, command: list[str], target: Target, scratch: Path) -> None:
    """Compare the hooks that sources and objects define with the table."""
    directory = scratch / "declared"
    directory.mkdir()
    found = []
    for number, path in enumerate(parts.sources):
        if path.suffix in (".s", ".S"):
            continue
        output = directory / f"{number}.o"
        compiled = [*own_command(command, parts, path, target), *_DEBUGGING, "-c", str(path)]
        run_tool([*compiled, "-o", str(output)])
        found += functions_of(output)
    for path in parts.linked:
        if path.suffix == ".o":
            check_object(path, target)
            found += functions_of(_uncompressed(path, command, directory))
    check_functions(found, target)


def _uncompressed(path: Path, command: list[str], directory: Path) -> Path:
    """Return an object file whose debugging information is not compressed (gcc -gz)."""
    output = directory / f"linked-{path.name}"
    objcopy = compiler_tool(command, "objcopy")
    run_tool([objcopy, "--decompress-debug-sections", str(path), str(output)])
    return output


def check_object(path: Path, target: Target) -> None:
    """Refuse an object file that is another target's."""
    elf = Elf(path)
    order = "little" if elf.is_little else "big"
    if elf.width != target.bits or not target.is_of(elf.machine_number, order):
        raise InstError(
            f"{path} in the hook library is not for {target.name}",
            hint=f"compile it with {' '.join(target.compiler)}",
        )
    if elf.has_section(".gnu.lto_.symtab") or any(
        symbol.name.startswith("__gnu_lto_slim") for symbol in elf.symbols(".symtab")
    ):
        raise InstError(
            f"{path} in the hook library was compiled with -flto",
            hint="compile it with -fno-lto: its code must be there when the library is built",
        )


def needs_joining(parts: Parts) -> bool:
    """Return whether a library contains more than C and assembly."""
    return bool(parts.linked) or any(path.suffix in CXX_SUFFIXES for path in parts.sources)


def join(
    assembly: list[Path], parts: Parts, command: list[str], variant: Variant, scratch: Path
) -> Joined:
    """Assemble a library's own files, and link them with its objects into one object.

    What C++ may define in several files is resolved and made local, so that the linker does not
    take the program's own, which is instrumented, for it or the other way round.
    """
    directory = scratch / "own"
    directory.mkdir()
    run_tool([*command, "-c", *map(str, assembly)], directory) if assembly else None
    objects = sorted(map(str, directory.iterdir()))
    wanted = [f"-Wl,-u,{name}" for name in _hooks_in_archives(parts, command)]
    linked = scratch / "own.o"
    options = ["-r", "-nostdlib", "-Wl,--force-group-allocation", *wanted]
    run_tool([*command, *options, "-o", str(linked), *objects, *map(str, parts.linked)])
    functions, undefined = _symbols(linked, command)
    _refuse_unknown(functions, parts)
    _refuse_undefined(undefined, parts, command)
    renamed = GUARDED if variant.check_stack else ()
    again = [f"--redefine-sym={name}={OWN}{name}" for name in renamed if name in functions]
    changes = ["--strip-debug", "--wildcard", "--localize-symbol=_Z*", *again]
    run_tool([compiler_tool(command, "objcopy"), *changes, str(linked)])
    own = frozenset(name.removeprefix(OWN) for name in functions)
    return Joined(linked, own, undefined)


def _hooks_in_archives(parts: Parts, command: list[str]) -> list[str]:
    """Return the hooks that members of archives define, which nothing else refers to."""
    archives = [str(path) for path in parts.linked if path.suffix == ".a"]
    if not archives:
        return []
    listed = run_tool(
        [compiler_tool(command, "nm"), "-P", "-g", "--defined-only", *archives]
    ).decode()
    names = [line.split()[0] for line in listed.splitlines() if line.strip()]
    return [name for name in dict.fromkeys(names) if name in BY_NAME]


def _symbols(path: Path, command: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the functions that an object defines for others, and the names it does not define."""
    listed = run_tool([compiler_tool(command, "readelf"), "-sW", str(path)]).decode(
        errors="replace"
    )
    rows = [_ANNOTATION.sub("", line).split() for line in listed.splitlines()]
    symbols = [row for row in rows if len(row) == 8 and row[4] in ("GLOBAL", "WEAK")]
    functions = (row[7] for row in symbols if row[6] != "UND" and row[3] == "FUNC")
    return frozenset(functions), frozenset(row[7] for row in symbols if row[6] == "UND")


def _refuse_unknown(functions: frozenset[str], parts: Parts) -> None:
    for name in sorted(functions):
        if hook := nearest(name.removeprefix(OWN)):
            files = " ".join(str(path) for path in parts.linked or parts.sources)
            raise InstError(f"there is no hook `{name}` ({files})", hint=unknown_hint(hook))


def _refuse_undefined(undefined: frozenset[str], parts: Parts, command: list[str]) -> None:
    """Refuse objects that are instrumented, and C++ that needs its library."""
    files = " ".join(str(path) for path in (*parts.sources, *parts.linked))
    if any(name.startswith("inst.") for name in undefined):
        raise InstError(
            f"an object of the hook library was compiled by inst-cc ({files})",
            hint="compile it with the plain compiler: hooks must not call hooks",
        )
    names = sorted(undefined)
    shown = (
        run_tool([compiler_tool(command, "c++filt"), *names]).decode().splitlines() if names else []
    )
    missing = [name for name in shown if _NEEDS_LIBRARY.match(name)]
    if missing:
        raise InstError(
            f"hooks cannot use the C++ library, and {files} needs {', '.join(missing[:5])}",
            hint="no new and delete, exceptions, type information, destructors of static "
            "variables or iostreams: inst/support.h has MALLOC and FREE",
        )
