"""Inputs of a link that inst-cc did not make, replaced by instrumented ones (`--inst-objects`).

Each is instrumented once and stored in the cache, like the libraries of hooks.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from hashlib import sha256
from pathlib import Path

from inst.common.colours import report
from inst.common.elf import MAGIC
from inst.errors import InstError
from inst.objects.archive import is_archive
from inst.objects.growing import ALREADY, MADE_BY_INST
from inst.rewrite.options import Options
from inst.target.archives import cached_archive, digest
from inst.target.model import Target
from inst.wrap.c_library import file_of
from inst.wrap.objects import Instrumenter
from inst.wrap.start_files import START_FILES

ALL = "all"
"""The pattern of all inputs but the start files."""
NOT_CHOSEN = "--inst-objects does not name it"
_INPUT = re.compile(r"-l\S+|[^-]\S*\.(?:a|o|obj|lo)")
_TAKE_WORDS = frozenset(
    ("-o", "--output", "-Map", "-T", "--script", "-soname", "-h", "-R", "--just-symbols")
)
"""Options whose next word is a file, but none that is linked."""
_MODULES = ("arch", "asm", "calls", "flow", "hooktable.py", "isa", "objects", "rewrite",
            "translate.py", "words", "wrap/objects.py")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Input:
    """An object or archive among the words of a link, and what became of it."""

    path: Path
    content: bytes
    made: str = ""
    """The instrumented file; empty: it is linked as it is."""
    reason: str = ""
    """Why it is."""
    new: bool = False
    """Whether the cache did not have it."""


def instrumented_inputs(
    words: list[str], patterns: str, command: list[str], target: Target, options: Options
) -> tuple[list[str], list[Input]]:
    """Return the words of a link with the inputs that match patterns instrumented, and all inputs.

    `command` is the target's compiler. What cannot be instrumented is reported and stays.
    """
    base = digest(command, _MODULES, repr(options), runtime=False)
    chosen = [one.strip() for one in patterns.split(",") if one.strip()]
    made, inputs = [], []
    for before, word in zip(["", *words], words, strict=False):
        path = None if before in _TAKE_WORDS else _input(word, words)
        found = _taken(path, chosen, base, target, options) if path else None
        made.append((found and found.made) or word)
        inputs += [found] if found else []
    return made, inputs


def _input(word: str, words: list[str]) -> Path | None:
    """Return the object or archive that a word names, if it is one."""
    path = file_of(word, words) if _INPUT.fullmatch(word) else None
    return path if path is not None and path.is_file() else None


def is_chosen(path: Path, patterns: list[str]) -> bool:
    """Return whether a file's name, or its path as given or from the root, matches a pattern."""
    names = (path.name, str(path), os.path.abspath(path))
    if ALL in patterns and path.name not in START_FILES:
        return True
    return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)


def _taken(
    path: Path, chosen: list[str], base: str, target: Target, options: Options
) -> Input | None:
    """Return an input instrumented, or as it is; nothing if it is no object or archive.

    `base` is a digest of all that the instrumented file depends on but the content.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return None  # the linker's message is about what it cannot read
    found = Input(path, content)
    if not is_archive(content) and not content.startswith(MAGIC):
        return None
    if not is_archive(content) and MADE_BY_INST.encode() in content:
        return replace(found, reason=ALREADY)
    if not is_chosen(path, chosen):
        return replace(found, reason=NOT_CHOSEN)
    return _made(found, sha256(base.encode() + content).hexdigest(), target, options)


def _made(found: Input, key: str, target: Target, options: Options) -> Input:
    """Return an input with its instrumented file: that of the cache, or a new one."""
    new = False

    def build(room: Path) -> Path:
        nonlocal new
        new = True
        return _built(found.path, found.content, options, room)

    name = f"{found.path.stem}-{target.name}"
    try:
        made = str(cached_archive(name, key, build))
    except InstError as error:
        reason = error.message.removeprefix(f"{found.path}: ")
        _report(str(found.path), reason)
        return replace(found, reason=reason)
    return replace(found, made=made, new=new)


def _built(path: Path, content: bytes, options: Options, room: Path) -> Path:
    """Write an instrumented file into a directory of the cache."""
    instrumenter = Instrumenter(options)
    if is_archive(content):
        made, left = instrumenter.archive(str(path), content)
        for member, reason in left.items():
            _report(member, reason)
    else:
        made = instrumenter.object(str(path), content)
    built = room / path.name
    built.write_bytes(made)
    return built


def _report(name: str, reason: str) -> None:
    if ALREADY not in reason:
        report(f"inst: note: {name} is left as it is: {reason}")
