"""Archives of wrappers for C library functions, one member each: see `inst.wraptable`.

An archive depends on the target alone, not on the hooks: it is built once and kept.  Its
members ask the hook library, which is linked behind it, for everything they report.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from pathlib import Path

from inst import __version__, library
from inst.calls.formatted import FORMATTED
from inst.calls.functions import FUNCTIONS, argument_names, read_ranges
from inst.calls.locking import LOCKING
from inst.paths import cache_directory, data
from inst.targets import Target
from inst.wraptable import OWN_FILES

_NOT_FOR_WRAPPERS = frozenset(("-mno-fpu",))
"""Hooks touch no floating point; functions that are wrapped have such parameters."""
_FLAGS = ("-D_GNU_SOURCE", "-fexceptions", "-fasynchronous-unwind-tables", "-w")
"""Cancellation and exceptions of callbacks go through wrappers."""
_NAMES = re.compile(r"\b__(wrap|real)_(\w+)")
"""As C has them; in the object file they are inst.wrap.NAME and NAME."""
_PACKAGE_FILES = ("library.py", "wraplibrary.py", "wraptable.py", "calls")


def build_wrappers(compiler: list[str], target: Target, shared: bool) -> Path:
    """Return the archive of wrappers for a target, building it if it is not cached."""
    flags = [flag for flag in library.flags(target, shared) if flag not in _NOT_FOR_WRAPPERS]
    command = [*compiler, *flags, *_FLAGS]
    cache = cache_directory() / "libraries"
    archive = cache / f"wrappers-{target.name}-{_digest(command, target)[:20]}.a"
    if not archive.exists():
        library.make_directory(cache)
        with tempfile.TemporaryDirectory(dir=cache, prefix=".building-") as scratch:
            built = _build(command, Path(scratch))
            os.replace(built, archive)
    return archive


def _digest(command: list[str], target: Target) -> str:
    digest = hashlib.sha256()
    digest.update(f"{__version__}\0{target.name}\0{command}\0".encode())
    digest.update(library.identity(command[0]).encode())
    package = Path(__file__).parent
    for path in library.files([data("runtime"), *(package / name for name in _PACKAGE_FILES)]):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _build(command: list[str], scratch: Path) -> Path:
    sources = scratch / "c"
    sources.mkdir()
    for name, text in _generated().items():
        (sources / f"{name}.c").write_text(text)
    for name in OWN_FILES:
        shutil.copy(data("runtime") / "wrap" / f"{name}.c", sources)
    for path in (data("runtime") / "wrap").glob("*.h"):
        shutil.copy(path, sources)
    library.run_tool([*command, "-S", *sorted(path.name for path in sources.glob("*.c"))], sources)
    assembly = sorted(sources.glob("*.s"))
    for path in assembly:
        path.write_text(_NAMES.sub(_linked_name, path.read_text()))
    library.run_tool([*command, "-c", *(path.name for path in assembly)], sources)
    archive = scratch / "wrappers.a"
    objects = sorted(str(path) for path in sources.glob("*.o"))
    library.run_tool([library.archiver(command), "rcsD", str(archive), *objects])
    return archive


def _linked_name(found: re.Match[str]) -> str:
    return f"inst.wrap.{found[2]}" if found[1] == "wrap" else found[2]


def _generated() -> dict[str, str]:
    """Return the C of each wrapper that is made from a row of a table."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(data("runtime") / "wrap"), undefined=StrictUndefined
    )
    rows = (("function.c.j2", FUNCTIONS), ("order.c.j2", LOCKING))
    made = {
        name: environment.get_template(template).render(function=one)
        for template, functions in rows
        for name, one in functions.items()
    }
    template = environment.get_template("formatted.c.j2")
    for one in FORMATTED:
        made[one.name] = template.render(
            function=one,
            before=read_ranges(one.reads),
            written=read_ranges(one.writes),
            arguments=argument_names(one.parameters),
        )
    return made
