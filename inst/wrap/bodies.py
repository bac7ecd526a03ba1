"""Macros, loops and conditionals with instructions in them: expanded by the assembler itself."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

from inst.asm import expansion
from inst.asm.opaque import HiddenCode
from inst.asm.places import logical_lines
from inst.asm.split import cut
from inst.common.process import run
from inst.errors import ErrorList, InstError

_NOT_HERE = re.compile(r"-a[cdghilmns]*(?:=.*)?|--?g.*")
"""Options for listings and line numbers."""


def are_why(error: InstError) -> bool:
    """Return whether a file was refused only because of bodies with instructions."""
    errors = error.errors if isinstance(error, ErrorList) else [error]
    return all(isinstance(one, HiddenCode) for one in errors)


def expanded(text: str, syntax: str, file: str, command: Sequence[str]) -> str | None:
    """Return the text with its bodies expanded, as listed by the assembler of `command`.

    None where that does not assemble to the same object.  Raises InstError where a condition or
    count depends on how long code is, and where the assembler refuses the text.
    """
    command = [word for word in command if not _NOT_HERE.fullmatch(word)]
    units = expansion.find_units(cut(text, syntax), file)
    listed = run(
        [*command, *expansion.LISTING, "-o", "/dev/null", "-"],
        text=_bytes(expansion.text_to_list(units)),
        keep_output=True,
        keep_errors=True,
    )
    if listed.status:
        plain = run([*command, "-o", "/dev/null", "-"], text=_bytes(text), keep_errors=True)
        message = plain.errors.decode("utf-8", "replace").strip()
        raise InstError(f"the assembler does not take this file\n{message}")
    expansion.read_listing(units, listed.output.decode("utf-8", "surrogateescape"))
    result = expansion.expand(units, syntax, logical_lines(text.splitlines(), file), file)
    with tempfile.TemporaryDirectory(prefix="inst.") as directory:
        objects = [_object(command, one, Path(directory) / "o") for one in (text, result)]
    return result if objects[0] == objects[1] and objects[0] is not None else None


def _object(command: Sequence[str], text: str, path: Path) -> bytes | None:
    done = run([*command, "-o", str(path), "-"], text=_bytes(text), keep_errors=True)
    return None if done.status else path.read_bytes()


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
