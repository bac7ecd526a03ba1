"""Inputs of a link that inst-cc did not make, replaced by instrumented ones (`--inst-objects`).

Each is instrumented once and stored in the cache, like the libraries of hooks.
"""

from __future__ import annotations

import os
import re
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
_INPUT = re.compile(r"-l\S+|[^-]\S*\.(?:a|o|obj|lo)")
_TAKE_WORDS = frozenset(
    ("-o", "--output", "-Map", "-T", "--script", "-soname", "-h", "-R", "--just-symbols")
)
"""Options whose next word is a file, but none that is linked."""
_MODULES = ("arch", "asm", "flow", "isa", "objects", "rewrite", "translate.py", "wrap/objects.py")


def instrumented_inputs(
    words: list[str], patterns: str, command: list[str], target: Target, options: Options
) -> list[str]:
    """Return the words of a link with the inputs that match patterns instrumented.

    `command` is the target's compiler. What cannot be instrumented is reported and stays.
    """
    base = digest(command, _MODULES, repr(options))
    chosen = [one.strip() for one in patterns.split(",") if one.strip()]
    made = []
    for before, word in zip(["", *words], words, strict=False):
        path = None if before in _TAKE_WORDS else _input(word, words)
        found = _made(path, base, target, options) if path and is_chosen(path, chosen) else ""
        made.append(found or word)
    return made


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


def _made(path: Path, base: str, target: Target, options: Options) -> str:
    """Return the instrumented file; nothing if there is none.

    `base` is a digest of all that it depends on but its content.
    """
    try:
        content = path.read_bytes()
    except OSError:
        return ""  # the linker's message is about what it cannot read
    if not is_archive(content) and not _is_plain(content):
        return ""
    key = sha256(base.encode() + content).hexdigest()
    name = f"{path.stem}-{target.name}"
    try:
        return str(cached_archive(name, key, lambda room: _built(path, content, options, room)))
    except InstError as error:
        _report(str(path), error.message.removeprefix(f"{path}: "))
        return ""


def _is_plain(content: bytes) -> bool:
    """Return whether a file is an ELF file that inst-cc did not make."""
    return content.startswith(MAGIC) and MADE_BY_INST.encode() not in content


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
